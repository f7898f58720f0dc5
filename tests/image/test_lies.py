# SPDX-License-Identifier: BSD-2-Clause
"""Machines that misbehave (tests/machine/PROPERTIES.md): the run reports each fault."""
import collections
import re

import conftest
import expect
from machine import program, qemu
from machine import stick as sticks
import pytest
import results
import warm
from conftest import plan_text
from expect import check_truth
from levels import in_full, thinned

KERNELS = ("empty", "nops", "load_store")
RUNS, WARMUP = 5, 0  # no warm-up, so that a kernel's state at its start affects the results
PLAN = plan_text(kernels=",".join(KERNELS), runs=RUNS, warmup=WARMUP)
CPUS, LIAR = 2, 1
GAP_TICKS = 1_000_000_000  # longer than 1/64 of any window, even on a busy host
COUNTERS, WIDTH, GENERAL, PASSES = 7, 48, 4, expect.passes(4)

# How often a task enables the counters: the test of all counters (pmu/counters/trial.c), the
# calibration with one and with two calls of the empty kernel, and a pass of a kernel at n and at 2n
# (boot/measure/measure.h). When the registers are restored after a task, the counters are enabled
# once more.
TEST_OPENINGS = COUNTERS * (16 + 1 + 16 + WIDTH + 1)
CALIBRATION_OPENINGS = PASSES * (WARMUP + 32 + WARMUP + 8)
PASS_OPENINGS = WARMUP + RUNS + WARMUP + 3


def check_end(left, status, noisy=""):
    assert left.console.rstrip().splitlines()[-1].strip() == left.verdict + noisy
    assert left.results.run["complete"] is True
    assert left.results.verdict_line == left.verdict + noisy
    assert left.results.status == status
    assert left.verdict == "PASS" if status == results.PASSED else \
        re.fullmatch(r"FAIL [1-9]\d*", left.verdict)


def check_caught(left, counter, said, of_declared):
    rows = left.results.rows
    touched = [r for r in rows if r["cpu"] == str(LIAR) and r["counter"] == counter]
    assert len(touched) == len(KERNELS) * (1 if counter.startswith("fixed") else PASSES) or \
        len(touched) == len(KERNELS) * (PASSES - 1)
    for row in touched:
        assert f"{counter} failed its test: {said}" in row["reason"], row
        if row["event"] in expect.DECLARED:
            verdict, window = of_declared
            assert row["verdict"] == verdict, row
            assert row["reason"].startswith("window cost: ") == window, row
        else:
            assert row["verdict"] == "off", row
    check_truth([r for r in rows if r not in touched])
    assert f"CPU {LIAR}: {counter} failed its test: {said}" in left.console.replace("\n", " ")
    assert left.results.run["cpus"][LIAR]["counter_test"]["failed"] == [
        f"{counter} failed its test: {said}"]
    assert left.results.run["cpus"][0]["counter_test"]["failed"] == []
    check_end(left, results.FAILED)


# Each row: the lie, its counter, the message of the counter test, and a pair. The pair is the
# verdict of rows of declared events, and whether the calibration detects the lie too; None if the
# counter counts no declared event. INST_RETIRED.ANY_P is on pmc2, and the empty window contains 5
# instructions and a WRMSR.
@pytest.mark.parametrize("lie, counter, said, of_declared", thinned([
    ("pmu-stuck=1", "pmc1", "it counts nothing", ("off", True)),
    ("pmu-stuck=33", "fixed1", "it counts nothing", None),
    ("pmu-off-by-one=2", "pmc2", "the empty window counted 7, not 6", ("off", True)),
    ("pmu-wrong-ring=0", "pmc0", "it counts the wrong ring", ("off", True)),
    ("pmu-wrong-ring=34", "fixed2", "it counts the wrong ring", None),
    ("pmu-wrap=3", "pmc3", "carries are lost above bit 9", ("off", False)),
    ("pmu-wrap=32,pmu-wrap-bits=40", "fixed0", "carries are lost above bit 39", ("off", False)),
    ("pmu-late=32", "fixed0", "the empty window counted 9, not 6", ("off", True)),
    ("pmu-noisy=2", "pmc2", "the empty window counted 6 to 9", ("noisy", True)),
    ("pmu-noisy=33", "fixed1", "set to count CPL 3 alone, it counted 3 at CPL 0", None),
], (2,), "counters and lies"))
def test_a_counter_that_lies(boot, lie, counter, said, of_declared):
    left = boot(cpus=CPUS, plan=PLAN, props=f"{lie},pmu-lie-cpu={LIAR}")
    said = {"it counts the wrong ring": "it counts the wrong ring: CPL 0 when set to CPL 3"}.get(
        said, said)
    check_caught(left, counter, said, of_declared)


@in_full("the reason of a counter that is one too high")
def test_a_counter_that_is_one_too_high_says_so(boot):
    left = boot(cpus=1, plan=PLAN, props="pmu-off-by-one=32")
    rows = [r for r in left.results.rows if r["event"] == "INST_RETIRED.ANY"]
    assert {(r["verdict"], r["reason"].split(";")[0]) for r in rows} == {
        ("off", "window cost: the empty window counted 7 to 7, declared 6")}
    check_end(left, results.FAILED)


def test_counters_that_do_not_exist_are_not_used(boot):
    left = boot(cpus=CPUS, plan=PLAN, props="pmu-promised=2")
    check_truth(left.results.rows)
    assert {r["counter"] for r in left.results.rows if r["counter"].startswith("pmc")} == {
        f"pmc{i}" for i in range(GENERAL)}
    for cpu in range(CPUS):
        said = f"CPU {cpu}: CPUID names {GENERAL + 2} general counters; {GENERAL} can be used"
        assert said in left.console and said in left.results.run["errors"]
        pmu = left.results.run["cpus"][cpu]["pmu"]
        assert (pmu["general_counters_named"], pmu["general_counters"]) == (GENERAL + 2, GENERAL)
    check_end(left, results.PASSED)


@in_full("a PMU that counts nothing")
@pytest.mark.parametrize("version", [1, 4])
def test_counters_that_count_nothing_never_pass(boot, version):
    left = boot(cpus=CPUS, plan=PLAN, props=f"pmu-mute=on,pmu-version={version}")
    off = [r for r in left.results.rows
           if r["event"] in expect.EVENTS and r["event"] not in expect.unavailable(version)]
    assert len(off) == CPUS * len(KERNELS) * (len(expect.EVENTS) - 3 * (version == 1))
    assert {r["verdict"] for r in off} == {"off"}
    assert all("it counts nothing" in r["reason"] for r in off)
    assert all(r["reason"].startswith("window cost: ") for r in off
               if r["event"] in expect.DECLARED)
    assert left.verdict == f"FAIL {len(off)}"
    check_end(left, results.FAILED)


@pytest.mark.parametrize("msr, said, column", thinned([
    # without MSR 4C1H, the counters have other addresses
    (0x4c1, "CPU 0: MSR 0x4c1 raises #GP although IA32_PERF_CAPABILITIES promises it", None),
    (0x1a0, "CPU 0: IA32_MISC_ENABLE[7] says there is no performance monitoring", None),
    # without the register, the evidence in this column is missing
    (0x34, None, "smis"), (0x19c, None, "thermal"), (0x1b1, None, "package_thermal"),
    (0x198, None, None), (0x64f, None, "limits"), (0xe7, None, "gap_ticks")],
    (0,), "registers that fault"))
def test_a_register_that_faults_and_is_not_needed(boot, msr, said, column):
    left = boot(cpus=1, plan=PLAN, traced=True, props=f"pmu-gp-msr={msr}")
    assert msr in {access.msr for access in program.accesses(left.trace)}, "not accessed"
    check_truth(left.results.rows)
    run = left.results.run
    assert run["errors"] + [r for r in run["remarks"] if r == said] == [said] * bool(said)
    assert not said or said in re.sub(r"\s+", " ", left.console)
    for evidence in ("smis", "thermal", "package_thermal", "limits", "gap_ticks"):
        assert {s[evidence] == "" for s in left.results.samples} == {evidence == column}
    check_end(left, results.PASSED)


STILL = "under this hypervisor the counter stands still: "
GUESTS = {  # lie: the wrong verdicts, the start of their reasons, and whether the run fails
    "": (set(), "", False),
    "pmu-fixed=2": (set(), "", False),
    "pmu-gp-msr=0x1a6": (set(), "", False),
    "pmu-gp-msr=0x1d9": (set(), "", False),
    "pmu-zero-msr=0x1a6": (set(), "", False),
    "pmu-zero-msr=0x3f6": (set(), "", False),
    "pmu-exit-counts=40": ({"noisy"}, "under a hypervisor: ", True),
    "pmu-stuck=32,pmu-stuck-from=760": ({"unavailable", "noisy"}, "", True),
    "pmu-mute=on": ({"unavailable"}, STILL, True),
    "pmu-stuck=1": ({"unavailable"}, STILL, False),
    "pmu-stuck=32": ({"unavailable"}, STILL, False),
    "pmu-off-by-one=32": ({"noisy"}, "under a hypervisor: window cost: ", True),
    "pmu-noisy=2": ({"noisy"}, ("under a hypervisor: ", "window cost: "), True),
}


@pytest.mark.parametrize("lie", thinned(list(GUESTS), (9,), "virtual machines"))
def test_under_a_hypervisor_no_row_is_off(boot, lie):
    verdicts, reason, fails = GUESTS[lie]
    left = boot(cpus=1, plan=PLAN, props=",".join(filter(None, ["pmu-hypervisor=KVMKVMKVM", lie])))
    assert "virtual machine; hypervisor: KVMKVMKVM" in left.console
    assert left.results.run["machine"]["hypervisor"] == "KVMKVMKVM"
    wrong = [row for row in left.results.rows if row["reason"] and (
        "hypervisor" in row["reason"] or row["verdict"] in ("off", "noisy"))]
    assert {row["verdict"] for row in wrong} == verdicts
    assert all(row["reason"].startswith(reason) for row in wrong)
    assert all(row["median"] == "" for row in wrong if row["verdict"] == "unavailable")
    if lie == "pmu-mute=on":
        assert len(wrong) == len(KERNELS) * len(expect.EVENTS)
    elif lie != "pmu-fixed=2":
        check_truth([row for row in left.results.rows if row not in wrong])
    assert left.verdict.startswith("FAIL" if fails else "PASS")


def opening(kernel, in_pass, attempt):
    """The number of the write that enables the counters for this attempt of a kernel at n. The
    first write that enables counters has the number 1.
    """
    before = 1 + TEST_OPENINGS + 1 + CALIBRATION_OPENINGS + 1
    before += KERNELS.index(kernel) * (PASSES * PASS_OPENINGS + 1)
    return before + in_pass * PASS_OPENINGS + WARMUP + attempt + 1


def injected(trace):
    return re.findall(r"pmu_model_inject cpu (\d+) ([\w-]+) opening (\d+)", trace.read_text())


def boot_injected(boot, what, at, more=""):
    smm = {"firmware": "ovmf-smm"} if what == "smi" else {}
    props = f"pmu-inject={what},pmu-inject-cpu={LIAR},pmu-inject-open={at},pmu-inject-after=3"
    return boot(cpus=CPUS, plan=PLAN, props=props + more, traced=True, **smm)


CHOSEN = {"cpu": str(LIAR), "kernel": "nops", "pass": "0", "attempt": "2"}
# Evidence -> its key in run.json, its column, and the value in this column. In a thermal status,
# bit 0 says that the CPU is hot now, and bit 1 says that it was hot since the log was cleared. In
# `limits`, bit 1 is the thermal limit's status, and bit 17 is its log. On the model, a limit
# without heat sets only bit 17.
TRACES = {"smi": ("smis", "smis", "1"), "nmi": ("nmis", "nmis", "1"),
          "thermal": ("thermal", "thermal", "0x3"), "clock": ("clock_changes", None, None),
          "limit": ("limited", "limits", hex(1 << 17)),
          "machine-check": ("machine_checks", "machine_checks", "1")}
SEEN_AS = {"thermal": "thermal limit",  # heat limits the clock too
           "mc": "machine-check", "mc-elsewhere": "machine-check", "mc-sibling": "machine-check"}
# Heat, limits and clock changes affect only times, cycles and rates.
OF_TIME = {"thermal": "heat, clock limit", "clock": "clock changes", "limit": "clock limit"}


def check_attempts(left):
    attempts = collections.Counter((s["cpu"], s["kernel"], s["pass"]) for s in left.results.samples
                                   if s["event"] == "INST_RETIRED.ANY")
    assert attempts == {(str(cpu), kernel, str(number)): RUNS + 3 + (
        (str(cpu), kernel, str(number)) == (CHOSEN["cpu"], CHOSEN["kernel"], CHOSEN["pass"]))
        for cpu in range(CPUS) for kernel in KERNELS for number in range(expect.passes(4))}


@pytest.mark.parametrize("what", thinned(
    [*TRACES, "mc", "mc-elsewhere", "mc-sibling"], (0,), "disturbances from outside"))
def test_what_comes_from_outside_costs_one_sample(boot, what):
    at = opening(CHOSEN["kernel"], 0, 2)
    left = boot_injected(boot, what, at)
    assert injected(left.trace) == [(str(LIAR), what, str(at))]
    touched = [s for s in left.results.samples if s["evidence"]]
    evidence = SEEN_AS.get(what, what)
    assert touched and {s["evidence"] for s in touched} == {evidence}
    assert [{key: s[key] for key in CHOSEN} for s in touched] == [CHOSEN] * COUNTERS
    of_time = {r["event"] for r in left.results.rows if r["unit"] != "count"}
    assert all((s["accepted"] == "0") == (s in touched and
                                          (what not in OF_TIME or s["event"] in of_time))
               for s in left.results.samples)
    check_traces(left, touched, evidence.split())
    check_attempts(left)
    check_truth(left.results.rows)
    check_end(left, results.PASSED)
    if what == "smi":
        check_smm(left, touched)


@in_full("firmware that moves counters")
def test_firmware_that_moves_counters_in_smm(boot):
    """Firmware changes counters in SMM."""
    at = opening(CHOSEN["kernel"], 0, 2)
    left = boot_injected(boot, "smi", at, more=",pmu-smm-moves=4000000000")
    assert injected(left.trace) == [(str(LIAR), "smi", str(at))]
    found = {(s["raw"], s["accepted"]) for s in left.results.samples
             if "smi" in s["evidence"] and s["event"] != "TSC"}
    assert any(int(raw) >= 4_000_000_000 for raw, _ in found)
    assert {taken for _, taken in found} == {"0"}
    check_truth(left.results.rows)
    check_end(left, results.PASSED)


@in_full("machine checks with an old error in a bank")
@pytest.mark.parametrize("over", (False, True))
def test_an_old_error_is_not_the_machine_check(boot, over):
    """Bit 62 (OVER) says that newer errors were lost."""
    at = opening(CHOSEN["kernel"], 0, 2)
    old = 1 << 63 | over << 62 | 1 << 61 | 1 << 60 | 1 << 57 | 5
    left = boot_injected(boot, "mc-elsewhere", at, more=f",pmu-old-error={old:#x}")
    assert injected(left.trace) == [(str(LIAR), "mc-elsewhere", str(at))]
    errors = left.results.run["errors"]
    if over:
        assert errors == [f"CPU {LIAR}, {CHOSEN['kernel']}: a machine check (IA32_MCG_STATUS 0x5) "
                          f"ends the run: bank 1 has status {old:#x}"]
        return
    assert errors == [] and left.results.run["noise"]["machine_checks"] == 1
    check_truth(left.results.rows)
    check_end(left, results.PASSED)


IN_TEST = 3 * 17 + 4  # a window of pmc0, after 17 windows of each of three fixed counters
# IA32_MCG_STATUS and IA32_MC1_STATUS, with the bits that PROPERTIES.md lists.
ENDING = {"mc-fatal": (1 << 2, 1 << 63 | 1 << 61 | 1 << 60 | 1 << 58 | 5),
          "mc-corrupt": (1 << 2 | 1, 1 << 63 | 1 << 61 | 1 << 60 | 1 << 58 | 1 << 57 | 5),
          "mc-action": (1 << 2 | 3, 1 << 63 | 1 << 61 | 1 << 60 | 1 << 58 | 3 << 55 | 5)}


def ends_the_run(what, when):
    return (f"CPU {LIAR}, {when}: a machine check (IA32_MCG_STATUS {ENDING[what][0]:#x}) ends the "
            f"run: bank 1 has status {ENDING[what][1]:#x}, address 0x12345000")


@pytest.mark.parametrize("what", thinned(list(ENDING), (0,), "machine checks"))
def test_a_machine_check_that_a_cpu_cannot_go_on_from(boot, what):
    """No kernel is blamed, and earlier results stay valid."""
    at = opening(CHOSEN["kernel"], 0, 2)
    left = boot_injected(boot, what, at)
    run = left.results.run
    ended = [row for row in left.results.rows if row["verdict"] == "fault"]
    assert {(row["cpu"], row["kernel"]) for row in ended} == {(str(LIAR), CHOSEN["kernel"])}
    why = "a machine check, after which the CPU could not go on, ended the run"
    assert {row["reason"] for row in ended} == {why}
    check_truth([row for row in left.results.rows if row not in ended])
    after = KERNELS[KERNELS.index(CHOSEN["kernel"]) + 1:]
    assert not [row for row in left.results.rows
                if row["kernel"] in after and row["cpu"] == str(LIAR)]
    said = ends_the_run(what, CHOSEN["kernel"])
    assert run["errors"] == [said] and said in re.sub(r"\s+", " ", left.console)
    assert (run["complete"], run["stopped_by_user"], run["stopped_by_machine_check"]) == (
        True, False, True)
    assert "ended early by a machine check" in left.console
    assert left.verdict == f"FAIL {len(ended)}"
    assert [one["status"] for one in run["noise_certificates"] if one["when"] == "after"][-1] == why


@in_full("machine checks in the test of the counters")
@pytest.mark.parametrize("what", ("mc", "mc-elsewhere", "mc-fatal"))
def test_machine_checks_in_the_test_of_the_counters(boot, what):
    """The program repeats the step in which the machine check came, or ends the run."""
    left = boot(cpus=CPUS, plan=PLAN, traced=True,
                props=f"pmu-inject={what},pmu-inject-cpu={LIAR},pmu-inject-open={IN_TEST},"
                "pmu-inject-after=3")
    assert injected(left.trace) == [(str(LIAR), what, str(IN_TEST))]
    assert "failed its test" not in left.console
    check_truth(left.results.rows)
    if what != "mc-fatal":
        check_end(left, results.PASSED)
        return
    said = ends_the_run(what, "test of the counters")
    assert left.results.run["errors"] == [said] and said in re.sub(r"\s+", " ", left.console)
    assert left.results.run["stopped_by_machine_check"] is True
    assert {row["cpu"] for row in left.results.rows} == {"0"}
    after = left.trace.read_text().split("pmu_model_inject cpu", 1)[1]
    opened = re.findall(rf"pmu_model_wrmsr cpu {LIAR} msr 0x38f value 0x[1-9a-f]", after)
    assert len(opened) == 1  # only to restore the firmware's value: no calibration follows


@in_full("a machine check that the firmware gets")
@pytest.mark.parametrize("what", ("mc-fatal", "mc-corrupt"))
def test_a_machine_check_that_ends_the_program(tmp_path, what):
    """The CPU cannot go on and was not in a kernel, so the firmware gets the machine check."""
    stick = sticks.Stick.copy_of(conftest.IMAGE, tmp_path / "stick.img")
    conftest.put_files(stick, tmp_path, {"barecount/plan.cfg": PLAN})
    props = f"pmu-inject={what},pmu-inject-open={IN_TEST},pmu-inject-after=100"
    trace = tmp_path / "trace.log"
    with warm.begin(qemu.Spec(disk=stick.path, cpus=1, props=props, trace=trace)) as running:
        assert running.wait_for(r"X64 Exception Type - 12\(#MC", conftest.BOOT_S), running.console
    assert injected(trace) == [("0", what, str(IN_TEST))]


@in_full("machine checks outside a kernel")
def test_machine_checks_while_the_program_runs(boot):
    """A second machine check would shut the CPU down if the program did not clear MCIP."""
    left = boot(cpus=CPUS, plan=PLAN, traced=True, props=f"pmu-inject=mc,pmu-inject-cpu={LIAR},"
                "pmu-inject-open=1,pmu-inject-period=40,pmu-inject-after=100")
    assert len(injected(left.trace)) > 5
    check_truth(left.results.rows)
    check_end(left, results.PASSED)


def check_traces(left, touched, evidence):
    noise = left.results.run["noise"]
    for kind, (count, column, value) in TRACES.items():
        assert noise[count] == (kind in evidence)
        if column:
            zero = "0x0" if value.startswith("0x") else "0"
            if column == "limits" and "thermal" in evidence:
                value = hex(1 << 17 | 1 << 1)
            assert {s[column] for s in touched} == {value if kind in evidence else zero}
            assert {s[column] for s in left.results.samples if s not in touched} == {zero}
    assert noise["rejected"] == 1 and noise["gaps"] == noise["register"] == 0


def test_a_gap_costs_time_and_cycles_one_sample(boot):
    """The core pauses in one sample. This sample's counts stay valid, but its cycles and times do
    not.
    """
    at = opening(CHOSEN["kernel"], 0, 2)
    left = boot_injected(boot, "gap", at, more=f",pmu-inject-ticks={GAP_TICKS}")
    assert injected(left.trace) == [(str(LIAR), "gap", str(at))]
    of_time = {r["event"] for r in left.results.rows if r["unit"] != "count"}
    found = [s for s in left.results.samples if s["evidence"]]
    assert [{key: s[key] for key in CHOSEN} for s in found] == [CHOSEN] * COUNTERS
    assert {s["evidence"] for s in found} == {"gap"}
    assert {s["event"] for s in found if s["accepted"] == "0"} == \
        of_time & {s["event"] for s in found} != set()
    for sample in left.results.samples:
        if sample in found:
            assert GAP_TICKS // 2 < int(sample["gap_ticks"]) <= GAP_TICKS < int(sample["tsc"])
        else:
            assert sample["accepted"] == "1"
    for row in left.results.rows:
        touched = all(row[key] == CHOSEN[key] for key in ("cpu", "kernel", "pass"))
        assert row["rejected"] == str(int(touched and row["unit"] != "count")), row
        assert row["runs"] == str(RUNS + (touched and row["unit"] == "count")), row
    assert left.results.run["noise"]["gaps"] == left.results.run["noise"]["rejected"] == 1
    check_attempts(left)
    check_truth(left.results.rows)
    check_end(left, results.PASSED)


def check_smm(left, rejected):
    """The rejected sample also counted SMM's instructions, whose number is in the trace."""
    after = left.trace.read_text().split(f"pmu_model_inject cpu {LIAR} smi", 1)[1]
    length, = re.findall(rf"pmu_model_smm_exit cpu {LIAR} retired \d+ \w+ (\d+)", after)[:1]
    clean = {s["raw"] for s in left.results.samples
             if s["accepted"] == "1" and s["event"] == "INST_RETIRED.ANY" and
             s["kernel"] == CHOSEN["kernel"] and s["n"] == rejected[0]["n"]}
    raw, = {int(s["raw"]) for s in rejected if s["event"] == "INST_RETIRED.ANY"}
    assert len(clean) == 1 and raw - int(clean.pop()) == int(length)


@in_full("an NMI in the test of a counter")
def test_an_nmi_in_the_test_of_a_counter_is_no_fault_of_it(boot):
    left = boot_injected(boot, "nmi", 1 + 5)  # one of the first 17 windows, which are repeated
    windows = [cpu["counter_test"]["windows"] for cpu in left.results.run["cpus"]]
    assert windows == [TEST_OPENINGS, TEST_OPENINGS + 17]
    check_truth(left.results.rows)
    check_end(left, results.PASSED)


def check_restless(left, liar, rows, evidence, by):
    """Check the reason of `rows`, which have no clean sample. Check also that `liar` tried twice as
    many samples as the run needs.

    by: the name of the disturbance if it affects only times, in which case the run passes;
    otherwise "".
    """
    said = f"only 0 of {RUNS} samples were clean, {2 * RUNS} rejected ({evidence})"
    if by:
        said = ("window cost: only 0 samples of the empty window were clean, 64 rejected "
                f"({evidence})")
    assert {(row["verdict"], row["reason"], row["noisy_by"]) for row in rows} == {
        ("noisy", said, by)}
    attempts = collections.Counter(s["kernel"] for s in left.results.samples
                                   if s["cpu"] == liar and s["event"] == "INST_RETIRED.ANY")
    assert attempts == dict.fromkeys(KERNELS, 2 * (RUNS + 3) * PASSES)
    if rows != left.results.rows:
        check_truth([row for row in left.results.rows if row not in rows])
    if by:
        check_end(left, results.PASSED, f", {len(rows)} rows of time noisy ({by})")
    else:
        check_end(left, results.FAILED)


@pytest.mark.parametrize("what", thinned([*TRACES, "gap"], (1,), "disturbances from outside"))
def test_a_cpu_without_peace_is_noisy(boot, what):
    """Every window is disturbed. For SMIs the machine has one CPU, because OVMF's SMM waits 0.7 s
    for other CPUs. A gap matters only if it is longer than 1/64 of the window
    (pmu/journal/evidence.h).
    """
    cpus, liar = (1, "0") if what == "smi" else (CPUS, str(LIAR))
    left = boot(cpus=cpus, plan=PLAN, firmware="ovmf-smm" if what == "smi" else "ovmf",
                props=f"pmu-inject={what},pmu-inject-cpu={liar},pmu-inject-period=1,"
                f"pmu-inject-after=3,pmu-inject-ticks={GAP_TICKS}")
    rows = [r for r in left.results.rows
            if r["cpu"] == liar and (what not in ("gap", *OF_TIME) or r["unit"] != "count")]
    check_restless(left, liar, rows, "thermal limit" if what == "thermal" else what,
                   OF_TIME.get(what, ""))
    failed = left.results.run["cpus"][int(liar)]["counter_test"]["failed"]
    assert bool(failed) == (what in ("smi", "nmi"))  # their handlers' instructions are counted
    disturbed = " could not be tested: SMIs, NMIs or machine checks disturbed each attempt"
    assert all(disturbed in sentence for sentence in failed)


def check_started_again(left, start):
    deaf = re.findall(r"pmu_model_deaf cpu (\d+) start (\d+)", left.trace.read_text())
    assert set(deaf) == {(str(LIAR), str(start))}
    said = f"CPU {LIAR} did not start at first; restarts: 1"
    assert said in left.console and left.results.run["errors"].count(said) == 1


# A CPU is started for its inspection, its counter test, its noise watch, its calibration, each
# kernel, and a last noise watch. The model gives numbers only to starts that come after the first
# write to a PMU register.
@pytest.mark.parametrize("cpus, start", thinned(
    [(2, 1), (2, 2), (3, 5)], (1,), "starts that a CPU ignores"))
def test_a_cpu_that_ignores_its_start_is_started_again(boot, cpus, start):
    left = boot(cpus=cpus, plan=PLAN, traced=True,
                props=f"pmu-deaf-cpu={LIAR},pmu-deaf-sipi={start}")
    check_started_again(left, start)
    assert len(left.results.run["errors"]) == 1
    assert len(left.results.rows) == cpus * len(KERNELS) * len(expect.ALL_ROWS)
    check_truth(left.results.rows)
    check_end(left, results.PASSED)


@in_full("a CPU that hangs and also ignores a start")
def test_a_cpu_that_hangs_and_ignores_the_start_that_frees_it(boot):
    """The CPU hangs in its counter test, and ignores the start that should end the hang, but not
    the next start.
    """
    left = boot(cpus=CPUS, plan=PLAN, traced=True,
                props=f"pmu-hang-cpu={LIAR},pmu-hang-open=200,"
                f"pmu-deaf-cpu={LIAR},pmu-deaf-sipi=3")
    check_started_again(left, 3)
    lost = [r for r in left.results.rows if r["cpu"] == str(LIAR)]
    assert len(lost) == len(KERNELS) * len(expect.ALL_ROWS)
    assert {r["verdict"] for r in lost} == {"timeout"}
    assert not any(f"CPU {LIAR}" in text for text in left.results.run["not_restored"])
    check_truth([r for r in left.results.rows if r not in lost])
    check_end(left, results.FAILED)
