# SPDX-License-Identifier: BSD-2-Clause
"""Noise certificates say how long each CPU was paused before its kernels and after them.

With one CPU and -icount, an instruction takes 2^SHIFT ns, and nothing else takes time. All gaps are
therefore injected, and the trace says how long they are.
"""
import re
from typing import NamedTuple

import liars
import pytest
from conftest import plan_text
from levels import in_full, thinned

KERNELS = "empty,nops"
WHENS = ("before", "after")
ENABLE = 1 << 22  # the bit EN of a select
# CPU -> the registers that open windows, and the register that counts SMIs (on AMD, the last
# counter).
OPENING_AND_SMIS = {"": ((0x38f,), 0x34), "EPYC-Genoa": ((0xc0000301,), 0xc001020b),
                    "EPYC-Rome": (range(0xc0010200, 0xc001020c, 2), 0xc001020b)}
SHIFT = 3
WATCHED_MS = 40
STEP_INSTRUCTIONS_MAX = 30  # in one step of the watching loop; an SMI's handler executes far more
EVERY = 200000  # instructions between two injections; OVMF's SMI handler executes several thousand


def check(found, cpus, tsc_hz, noise_ms, threshold_ticks=None):
    keys = [(c["cpu"], c["when"]) for c in found]
    assert sorted(keys) == sorted((cpu, when) for cpu in range(cpus) for when in WHENS)
    for cpu in range(cpus):
        assert keys.index((cpu, "before")) < keys.index((cpu, "after"))
    for one in found:
        assert one["status"] == "ok", one
        assert one["runtime_ticks"] >= noise_ms * tsc_hz // 1000, one
        assert one["threshold_ticks"] >= (threshold_ticks or tsc_hz // 1000000), one
        assert one["longest_ticks"] <= one["noise_ticks"] <= one["runtime_ticks"], one
        quiet = one["runtime_ticks"] - one["noise_ticks"]
        assert one["available_percent"] == pytest.approx(
            100 * quiet / one["runtime_ticks"], abs=0.001), one
        khz = (tsc_hz + 500) // 1000  # times are computed with whole kHz: pmu/journal/noise.h
        for us, ticks in (("runtime_us", "runtime_ticks"), ("noise_us", "noise_ticks"),
                          ("max_single_us", "longest_ticks")):
            assert one[us] == pytest.approx(one[ticks] * 1e3 / khz, abs=0.01), one
        check_histogram(one)


def check_histogram(one):
    buckets = one["histogram"]
    assert sum(bucket["gaps"] for bucket in buckets) == one["gaps"]
    assert max(0, one["gaps"] - one["nmis"]) <= one["hw"] <= one["gaps"]
    if "smis" in one:
        assert one["smi_gaps"] <= min(one["gaps"], one["smis"])
        assert 0 <= one["hw"] - one["unexplained"] <= one["smi_gaps"]
    assert one["noise_ticks"] >= sum(b["from_ticks"] * b["gaps"] for b in buckets)
    assert one["noise_ticks"] <= sum(2 * b["from_ticks"] * b["gaps"] for b in buckets)
    for bucket in buckets:
        times = bucket["from_ticks"] // one["threshold_ticks"]
        assert bucket["from_ticks"] == times * one["threshold_ticks"] and times.bit_count() == 1
        assert bucket["gaps"] > 0


@pytest.mark.parametrize("mode", thinned(
    ["serial", "parallel"], (0,), "mode of a run with noise certificates"))
def test_two_cpus_are_certified_twice(boot, mode):
    left = boot(cpus=2, plan=plan_text(kernels=KERNELS, noise_ms=20, mode=mode))
    check(left.results.run["noise_certificates"], 2, left.results.run["machine"]["tsc_hz"], 20)
    assert re.search(r"^CPU 0 noise: before (none|\d+ gaps?)", left.console, re.M)
    assert left.verdict == "PASS"


def test_without_time_there_is_none(boot):
    left = boot(cpus=2, plan=plan_text(kernels=KERNELS, noise_ms=0))
    assert left.results.run["noise_certificates"] == []
    assert "noise" not in left.console
    assert left.verdict == "PASS"


def test_a_threshold_of_ones_own(boot):
    left = boot(cpus=1, plan=plan_text(kernels=KERNELS, noise_threshold_ns=50000))
    found, tsc_hz = left.results.run["noise_certificates"], left.results.run["machine"]["tsc_hz"]
    check(found, 1, tsc_hz, 2, 50 * tsc_hz // 1000000)
    off = 0.5 + 50000 * 500 / tsc_hz  # times are rounded to whole ns, and the clock to whole kHz
    for one in found:  # the threshold is rounded up to a whole tick
        assert -off <= one["threshold_ns"] - 50000 <= 1e9 / tsc_hz + off


@in_full("a noise threshold that is too low")
def test_a_threshold_below_the_loops_own_step_is_raised(boot):
    """The threshold is at least four steps of the watching loop. Each step executes three or more
    instructions.
    """
    left = boot(cpus=1, icount=SHIFT, plan=plan_text(kernels=KERNELS, noise_threshold_ns=100))
    found = left.results.run["noise_certificates"]
    for one in found:
        assert one["threshold_ticks"] % (4 << SHIFT) == 0
        assert 2 < one["threshold_ticks"] // (4 << SHIFT) <= STEP_INSTRUCTIONS_MAX
        assert one["gaps"] == 0
    remarks = [text for text in left.results.run["remarks"] if "noise" in text]
    said = "not from 100 ns: one step of the watching loop takes"
    assert len(remarks) == 2 and all(said in r for r in remarks)


@in_full("noise of a CPU that hangs")
def test_a_cpu_that_hangs_is_not_watched(boot):
    left = boot(cpus=2, plan=plan_text(kernels=KERNELS),
                props="pmu-hang-cpu=1,pmu-hang-open=200")
    found = {(c["cpu"], c["when"]): c for c in left.results.run["noise_certificates"]}
    assert found[0, "before"]["status"] == found[0, "after"]["status"] == "ok"
    for when in WHENS:
        assert found[1, when] == {"cpu": 1, "when": when,
                                  "status": "left out: this CPU did not answer earlier"}


@in_full("noise after a key")
def test_a_run_that_is_ended_does_not_wait(boot):
    left = boot(plan=plan_text(kernels="loop_dec_jnz,load_store", runs=100, n=60000), cpus=1,
                keys=[(r"CPU 0  loop_dec_jnz", b"q")])
    before, after = left.results.run["noise_certificates"]
    assert before["status"] == "ok"
    assert after == {"cpu": 0, "when": "after", "status": "left out: the user ended the run"}


@pytest.mark.parametrize("mode", thinned(
    ["serial", "parallel"], (1,), "mode of a run with noise certificates"))
def test_a_run_that_is_ended_while_a_cpu_starts(boot, tmp_path, mode):
    """No key is read before the first certificate is complete. Then Q ends the run before any
    kernel.
    """
    plan = plan_text(kernels="empty,nops", mode=mode, noise_ms=WATCHED_MS, at_end="leave")
    _, (start,) = liars.told(boot, tmp_path, ["quit=1"], plan=plan, cpus=2)
    found = start.found
    assert [(c["cpu"], c["when"], c["status"]) for c in found.run["noise_certificates"]] == [
        (0, "before", "ok"), (0, "after", "left out: the user ended the run")]
    assert found.rows == [] and found.run["stopped_by_user"] is True
    assert "ended early by a key" in start.text and found.run["errors"] == []


class Quiet(NamedTuple):
    cpu: str
    left: object


def boot_counted(boot, cpu, props=""):
    more = {"cpu": cpu} if cpu else {}
    return boot(cpus=1, icount=SHIFT, firmware="ovmf-smm", traced=True, props=props,
                plan=plan_text(kernels="empty", noise_ms=WATCHED_MS), **more)


def accesses(trace):
    """Yield (MSR, value, retired instructions) of each WRMSR and RDMSR; the value is None for an
    RDMSR.
    """
    for msr, value, retired in re.findall(
            r"pmu_model_(?:rdmsr|wrmsr) cpu 0 msr 0x([0-9a-f]+) (?:value 0x([0-9a-f]+) )?"
            r"retired (\d+)", trace.read_text()):
        yield int(msr, 16), int(value, 16) if value else None, int(retired)


def opens(msr, value, opening_msrs):
    """Whether this write lets counters count. PROPERTIES.md calls such a write an opening."""
    return msr in opening_msrs and (value & ENABLE if len(opening_msrs) > 1 else value) != 0


def watched(trace, opening_msrs, smi_msr):
    """The number of the last opening before the first watching loop (of the noise certificate).

    Also returns how many instructions had retired at that opening, at the loop's start and at the
    loop's end. The CPU reads the SMI count right before and after the loop, and writes no MSR in
    between.
    """
    openings, opened, before = 0, None, None
    for msr, value, retired in accesses(trace):
        if value is not None:
            openings += opens(msr, value, opening_msrs)
            opened = retired if opens(msr, value, opening_msrs) else opened
            before = None
        elif msr == smi_msr:
            if before and retired - before > EVERY:
                return openings, opened, before, retired
            before = retired
    raise AssertionError("the CPU was not watched")


@pytest.fixture(scope="module", params=thinned(list(OPENING_AND_SMIS), (0,), "noise on AMD"),
                ids=lambda cpu: cpu or "Intel")
def quiet(boot_shared, request):
    return Quiet(request.param, boot_counted(boot_shared, request.param))


def check_clocks(found):
    """APERF and MPERF run at the TSC's rate (PROPERTIES.md). The three clocks are read a few
    instructions apart.
    """
    for one in found:
        for clock in ("aperf", "mperf"):
            assert abs(one[clock] - one["runtime_ticks"]) <= STEP_INSTRUCTIONS_MAX << SHIFT, one


@in_full("a machine without noise, with -icount")
def test_a_machine_without_noise_has_none(quiet):
    run = quiet.left.results.run
    found = run["noise_certificates"]
    check(found, 1, run["machine"]["tsc_hz"], WATCHED_MS)
    assert [(one["gaps"], one["available_percent"], one["smis"]) for one in found] == [
        (0, 100, 0)] * 2
    check_clocks(found)
    assert re.search(r"^CPU 0 noise: before none; after none", quiet.left.console, re.M)


def boot_injected(boot, quiet, what, times):
    """Inject `times` NMIs or SMIs, as `what` says, in the watching loop before the kernels. The
    loop's beginning depends on the firmware's waits, so it is taken from the quiet boot.
    """
    opening, opened, start, end = watched(quiet.left.trace, *OPENING_AND_SMIS[quiet.cpu])
    margin = (end - start - times * EVERY) // 2
    assert margin > times * EVERY, "the CPU is not watched long enough"
    left = boot_counted(boot, quiet.cpu, f"pmu-inject={what},pmu-inject-open={opening},"
                        f"pmu-inject-after={start - opened + margin},"
                        f"pmu-inject-every={EVERY},pmu-inject-times={times}")
    before, after = left.results.run["noise_certificates"]
    check([before, after], 1, left.results.run["machine"]["tsc_hz"], WATCHED_MS)
    assert (before[what + "s"], after[what + "s"]) == (times, 0)
    assert after["gaps"] == 0
    check_clocks([before, after])
    return left, before


@in_full("SMIs as noise")
def test_smis_are_as_many_and_as_long_as_they_were(boot, quiet):
    times = 7
    left, found = boot_injected(boot, quiet, "smi", times)
    after = left.trace.read_text().split("pmu_model_inject cpu 0 smi", 1)[1]
    ticks = [int(count) << SHIFT for count in
             re.findall(r"pmu_model_smm_exit cpu 0 retired \d+ \w+ (\d+)", after)[:times]]
    assert len(ticks) == times and min(ticks) > 2 * found["threshold_ticks"]
    assert found["gaps"] == found["hw"] == found["smis"] == found["smi_gaps"] == times
    assert found["unexplained"] == 0
    assert found["noise_ticks"] == pytest.approx(sum(ticks), rel=0.05)
    assert found["longest_ticks"] == pytest.approx(max(ticks), rel=0.05)
    # A gap is as long as an SMI plus at most one step of the loop.
    assert 0 <= found["noise_ticks"] - sum(ticks) <= times * STEP_INSTRUCTIONS_MAX << SHIFT
    assert f"{times} SMI" in left.console


@in_full("NMIs as noise")
def test_nmis_are_counted(boot, quiet):
    left, found = boot_injected(boot, quiet, "nmi", 3)
    # The program's handler takes about ten instructions of 8 ns, which is too short for a gap.
    assert found["gaps"] == found["hw"] == found["smis"] == found["unexplained"] == 0
    assert re.search(r"^CPU 0 noise: before none, 3 NMIs; after none\r?$", left.console, re.M)
    assert left.verdict == "PASS"
