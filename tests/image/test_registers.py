# SPDX-License-Identifier: BSD-2-Clause
"""The PMU's registers are left as found, and counters whose registers fault are not used."""
import collections
import re

import expect
from machine import program
import pytest
import results
from conftest import DEFAULT_CPUS, plan_text
from levels import in_full, thinned
from expect import DEBUGCTL, FIXED_CTRL, GLOBAL_CTRL, OVF_CTRL, PEBS_ENABLE, STATUS_SET

SELECT0 = expect.SELECTS[0]
SELECT_EN = 1 << 22
COUNTERS = 4
USED_SELECTS = {SELECT0 + i for i in range(COUNTERS)}
CONTROLS = {FIXED_CTRL, GLOBAL_CTRL, DEBUGCTL, PEBS_ENABLE, *expect.SELECTS}

# The other registers of CONTROLS are 0 after a reset (tests/machine/model/pmu_model.c).
AFTER_RESET = {GLOBAL_CTRL: 0xF}
LEFT_RUNNING = {SELECT0: 0x4300C0, FIXED_CTRL: 0x3, GLOBAL_CTRL: 1 << 32 | 1, DEBUGCTL: 3 << 11,
                PEBS_ENABLE: 1}


def last_writes(trace):
    last = collections.defaultdict(dict)
    for write in program.writes(trace):
        if write.msr in CONTROLS and not write.refused:
            last[write.cpu][write.msr] = write.value
    return last


def check_restored(trace, cpus, before, expected_registers):
    last = last_writes(trace)
    assert set(last) == set(range(cpus))
    for cpu, registers in last.items():
        assert expected_registers <= set(registers), cpu
        for msr, value in registers.items():
            assert value == before.get(msr, 0), f"CPU {cpu}, MSR {msr:#x}: left as {value:#x}"


def test_controls_are_as_before(default_boot):
    check_restored(default_boot.trace, DEFAULT_CPUS, AFTER_RESET,
                   USED_SELECTS | {FIXED_CTRL, GLOBAL_CTRL})


def test_only_these_registers_are_written(default_boot):
    """Writes to EFER and the MTRRs in the trace are the firmware's, and are ignored."""
    written = {write.msr for write in program.writes(default_boot.trace)}
    ours = written - {0xC0000080} - set(range(0x200, 0x300))
    assert ours == USED_SELECTS | {
        *(first + i for first in (0xC1, 0x4C1) for i in range(COUNTERS)),
        *expect.FIXED_COUNTERS, FIXED_CTRL, GLOBAL_CTRL, OVF_CTRL, STATUS_SET}
    assert not [write for write in program.writes(default_boot.trace) if write.refused]


def test_one_cpu_at_a_time(default_boot):
    registers = collections.defaultdict(dict)
    seen = set()
    for write in program.writes(default_boot.trace):
        registers[write.cpu][write.msr] = write.value
        counting = set()
        for cpu, msrs in registers.items():
            opened = msrs.get(GLOBAL_CTRL, AFTER_RESET[GLOBAL_CTRL])
            enabled = sum(1 << i for i, msr in enumerate(expect.SELECTS)
                          if msrs.get(msr, 0) & SELECT_EN)
            enabled |= (7 << 32) if msrs.get(FIXED_CTRL) else 0
            if opened & enabled:
                counting.add(cpu)
        assert len(counting) <= 1, f"CPUs {counting} at {write}"
        seen |= counting
    assert seen == set(range(DEFAULT_CPUS))


def test_what_is_not_as_before_is_named(default_boot):
    named = " ".join(default_boot.results.run["not_restored"])
    assert "IA32_PMCx" in named and "IA32_FIXED_CTRx" in named
    assert "IA32_PERF_GLOBAL_STATUS" in named


@pytest.mark.parametrize("version", thinned(
    [1, 2, 3, 4, 5], (3,), "versions of a PMU with counters left running"))
def test_counters_left_running(boot, version):
    """The program uses counters that are already in use, and leaves them running again."""
    left = boot(cpus=2, traced=True, props=f"pmu-left-running=on,pmu-version={version}",
                plan=plan_text(kernels=",".join(expect.some())))
    before = {msr: value for msr, value in LEFT_RUNNING.items()
              if version > 1 or msr not in (FIXED_CTRL, GLOBAL_CTRL, DEBUGCTL)}
    check_restored(left.trace, 2, before, set(before))
    assert left.verdict == "PASS"
    expect.check_rows(left.results, 2, expect.default_counts(), version, names=expect.some())
    assert [cpu["found"]["in_use"] for cpu in left.results.run["cpus"]] == [True, True]
    for cpu in (0, 1):
        assert f"CPU {cpu}: counters had been left running" in left.console


def test_idle_counters_are_not_said_to_be_in_use(default_boot):
    cpus = default_boot.results.run["cpus"]
    assert [c["found"]["in_use"] for c in cpus] == [False] * DEFAULT_CPUS
    assert "left running" not in default_boot.console


@pytest.mark.parametrize("msr, counter, lost", thinned(
    [(SELECT0 + 1, "pmc1", ()), (0xC3, "pmc2", ()), (FIXED_CTRL, "fixed", expect.FIXED)],
    (1,), "registers that fault"))
def test_a_register_that_faults_is_named(boot, msr, counter, lost):
    left = boot(cpus=2, traced=True, props=f"pmu-gp-msr={msr}",
                plan=plan_text(kernels=",".join(expect.some())))
    expect.check_rows(left.results, 2, expect.default_counts(), names=expect.some(), lost=lost)
    assert not [r for r in left.results.rows if r["counter"].startswith(counter)]
    check_restored(left.trace, 2, AFTER_RESET, {SELECT0, GLOBAL_CTRL})
    said = f"MSR {msr:#x} raises #GP although CPUID promises it; its counters are left out"
    assert left.results.run["errors"] == [f"CPU {cpu}: {said}" for cpu in (0, 1)]
    assert re.sub(r"\s+", " ", left.console).count(said) == 2
    assert left.results.run["complete"] is True


@in_full("a PMU without global control")
def test_without_global_control_nothing_passes(boot):
    left = boot(cpus=2, props=f"pmu-gp-msr={GLOBAL_CTRL}",
                plan=plan_text(kernels=",".join(expect.some())))
    rows = [r for r in left.results.rows if r["event"] in expect.EVENTS]
    assert len(rows) == 2 * len(expect.some()) * len(expect.EVENTS)
    assert {r["verdict"] for r in rows} == {"unavailable"}
    assert left.verdict == f"FAIL {len(rows)}"
    assert left.results.status == results.FAILED


# The CPU that hangs is CPU 1. If the boot CPU hung, no CPU could free it with an INIT. CPU 1
# enables its counters once when it is inspected, 575 times in its counter test and 121 times in its
# calibration.
@pytest.mark.parametrize("opening", thinned(
    [1, 200, 600, 724], (1,), "moments at which a CPU stops answering"))
def test_a_cpu_that_does_not_answer_is_named(boot, opening):
    left = boot(cpus=3, plan=plan_text(kernels=",".join(expect.some())), traced=True,
                props=f"pmu-hang-cpu=1,pmu-hang-open={opening}")
    rows = left.results.rows
    assert len(rows) == 3 * len(expect.some()) * len(expect.ALL_ROWS)
    timed_out = [r for r in rows if r["verdict"] == "timeout"]
    assert timed_out and {r["cpu"] for r in timed_out} == {"1"}
    assert all(r["reason"] for r in timed_out)
    assert expect.tally(r for r in rows if r["cpu"] != "1") == expect.verdicts(
        2, names=expect.some())
    assert "CPU 1" in left.console and "did not answer" in left.console
    assert left.verdict.startswith("FAIL ")
    assert left.results.status == results.FAILED
    assert left.results.run["complete"] is True
    # If CPU 1 hangs before its first kernel, all of its rows have the verdict `timeout`.
    assert [r for r in rows if r["cpu"] == "1" and r["verdict"] == "exact"] or opening < 724
    assert len(timed_out) == (len(expect.ALL_ROWS) if opening == 724 else len(rows) // 3)
    # At the first opening, the CPU's old state is still unknown.
    named = [text for text in left.results.run["not_restored"] if "CPU 1" in text]
    assert len(named) == (opening == 1)
    assert all("did not answer at the start" in text for text in named)
    # The CPU was started again, and the values from before the hang were restored.
    check_restored(left.trace, 3, AFTER_RESET, {GLOBAL_CTRL})
