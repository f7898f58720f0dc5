# SPDX-License-Identifier: BSD-2-Clause
"""The PMU's registers: left as they were found, and what happens when one does not work."""
import collections

import expect
import pytest
import results
from conftest import plan_text

SELECT0, FIXED_CTRL, GLOBAL_CTRL = 0x186, 0x38D, 0x38F
DEBUGCTL, PEBS_ENABLE = 0x1D9, 0x3F1
COUNTERS = 4
CONTROLS = {FIXED_CTRL, GLOBAL_CTRL, DEBUGCTL, PEBS_ENABLE} | {
    SELECT0 + i for i in range(COUNTERS)}

# tests/machine/pmu_model.c, pmu_model_reset(): what is not named here is 0.
AFTER_RESET = {GLOBAL_CTRL: 0xF}
LEFT_RUNNING = {SELECT0: 0x43003C, FIXED_CTRL: 0x3, GLOBAL_CTRL: 1 << 32 | 1}


def last_writes(trace):
    """CPU -> control register -> the last value written."""
    last = collections.defaultdict(dict)
    for write in expect.trace(trace):
        if write.msr in CONTROLS:
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
    used = {SELECT0 + i for i in range(COUNTERS)} | {FIXED_CTRL, GLOBAL_CTRL}
    check_restored(default_boot.trace, 4, AFTER_RESET, used)


def test_what_is_not_as_before_is_named(default_boot):
    """Counters and status bits are the exceptions; every other register written is a control."""
    named = " ".join(default_boot.results.run["not_restored"])
    assert "IA32_PMCx" in named and "IA32_FIXED_CTRx" in named
    assert "IA32_PERF_GLOBAL_STATUS" in named


@pytest.mark.parametrize("version, used", [
    (1, {SELECT0}), (2, {SELECT0, FIXED_CTRL, GLOBAL_CTRL}), (4, {SELECT0, GLOBAL_CTRL})])
def test_counters_left_running(boot, version, used):
    """Found in use: said, measured all the same, and given back running."""
    left = boot(cpus=2, traced=True, props=f"pmu-left-running=on,pmu-version={version}")
    before = dict(LEFT_RUNNING)
    if version == 1:
        before = {SELECT0: LEFT_RUNNING[SELECT0]}
    check_restored(left.trace, 2, before, used)
    assert left.verdict == "PASS"
    assert collections.Counter(r["verdict"] for r in left.results.rows) == \
        expect.verdicts(2, version)
    assert [cpu["found"]["in_use"] for cpu in left.results.run["cpus"]] == [True, True]
    for cpu in (0, 1):
        assert f"CPU {cpu}: counters had been left running" in left.console


def test_idle_counters_are_not_said_to_be_in_use(default_boot):
    assert [c["found"]["in_use"] for c in default_boot.results.run["cpus"]] == [False] * 4
    assert "left running" not in default_boot.console


@pytest.mark.parametrize("msr, counter, lost", [
    (SELECT0 + 1, "pmc1", ()), (0xC3, "pmc2", ()), (FIXED_CTRL, "fixed", expect.FIXED)])
def test_a_register_that_faults_is_named(boot, msr, counter, lost):
    """Its counter is left alone; what others can count is counted, and right."""
    left = boot(cpus=2, props=f"pmu-gp-msr={msr}")
    rows = left.results.rows
    assert len(rows) == 2 * len(expect.kernels()) * len(expect.ALL_ROWS)
    unavailable = {r["event"] for r in rows if r["verdict"] == "unavailable"}
    assert unavailable == set(expect.ABSENT) | set(lost)
    assert all(r["reason"] for r in rows if r["verdict"] == "unavailable")
    assert {r["verdict"] for r in rows} <= {"exact", "within", "measured", "unavailable"}
    assert not [r for r in rows if r["counter"].startswith(counter)]
    for cpu in (0, 1):
        assert any(f"CPU {cpu}" in line and f"{msr:#x}" in line
                   for line in left.console.splitlines())
    assert left.results.run["complete"] is True


def test_without_global_control_nothing_is_counted(boot):
    left = boot(cpus=2, props=f"pmu-gp-msr={GLOBAL_CTRL}")
    rows = [r for r in left.results.rows if r["event"] in expect.EVENTS]
    assert {r["verdict"] for r in rows} == {"unavailable"}
    assert left.verdict.startswith("NOT MEASURED")
    assert left.results.status == results.PASSED


# CPU 0 is the boot CPU: while it hangs nobody is left to notice, as on any machine.
@pytest.mark.parametrize("opening", [1, 200])
def test_a_cpu_that_does_not_answer_is_named(boot, opening):
    left = boot(cpus=3, plan=plan_text(runs=3),
                props=f"pmu-hang-cpu=1,pmu-hang-open={opening}")
    rows = left.results.rows
    assert len(rows) == 3 * len(expect.kernels()) * len(expect.ALL_ROWS)
    timed_out = [r for r in rows if r["verdict"] == "timeout"]
    assert timed_out and {r["cpu"] for r in timed_out} == {"1"}
    assert all(r["reason"] for r in timed_out)
    others = collections.Counter(r["verdict"] for r in rows if r["cpu"] != "1")
    assert others == expect.verdicts(2)
    assert "CPU 1" in left.console and "did not answer" in left.console
    assert left.verdict.startswith("FAIL ")
    assert left.results.status == results.FAILED
    assert left.results.run["complete"] is True
