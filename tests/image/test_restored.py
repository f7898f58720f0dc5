# SPDX-License-Identifier: BSD-2-Clause
"""A run restores every writable register, except those that run.json names.

The UEFI shell starts the program, so that the test can read the registers before and after it.
"""
import re

import conftest
import expect
from machine import qemu
import patched
from machine import program
import pytest
import warm
from conftest import plan_text
from levels import in_full, thinned
from medium import PAUSED, shell_stick

CPUS = 2
STATE = "[state]\nturbo=off\nprefetch=off\nratio=base\nbus_masters=off\n"
KERNELS = "empty,nop_1,load_store"
FAULTING = "nop_1"

# The INSIDE-th time that CPU 1 enables its counters is in a kernel's window, after the counter test
# and the calibration of CPU 1.
INSIDE = 724

# Unlike a real CPU's INIT, QEMU's INIT clears these registers.
CLEARED_BY_QEMU = {*map(hex, range(0x200, 0x300))}

# counter values and overflow bits
CONTENTS = {*map(hex, (*expect.COUNTERS, *expect.FIXED_COUNTERS, 0x38e))}
NAMED = ("IA32_PMCx", "IA32_FIXED_CTRx", "IA32_PERF_GLOBAL_STATUS")
MACHINE_CHECKS = {0x17a, 0x17b, *range(0x400, 0x480)}


def look(running):
    return running.registers(), running.pci_commands()


def run(folder, plan, efi=None, keys=(), props="", **more):
    stick = shell_stick(folder, plan, PAUSED, efi)
    left = conftest.Boot(folder, stick)
    spec = qemu.Spec(disk=stick.path, cpus=CPUS, trace=left.trace, props=props, **more)
    with warm.begin(spec) as running:
        assert running.wait_for(r"^before it", conftest.BOOT_S), running.console
        before = look(running)
        running.send(b" ")
        for pattern, typed in keys:
            assert running.wait_for(pattern, conftest.BOOT_S), running.console
            running.send(typed)
        assert running.wait_for(r"^after it: ", conftest.BOOT_S), running.console
        after = look(running)
        running.send(b" ")
        assert program.wait_over(running, conftest.BOOT_S), running.console
        left.console = running.console
    print(left.console)
    return before, after, left


def check_same(before, after, named, contents=CONTENTS):
    """Each register has its old value, except TR, the registers in `contents`, and on CPU 1 those
    in CLEARED_BY_QEMU.
    """
    assert all(any(name in text for text in named) for name in NAMED)
    assert any(text.startswith("TR, ") for text in named)
    contents = contents | {"TR"}
    assert before[1] == after[1] and before[1]
    assert set(before[0]) == set(after[0]) == set(range(CPUS))
    for cpu, registers in before[0].items():
        assert set(registers) == set(after[0][cpu]), cpu
        changed = {name: (value, after[0][cpu][name]) for name, value in registers.items()
                   if after[0][cpu][name] != value}
        allowed = contents if cpu == 0 else contents | CLEARED_BY_QEMU
        assert set(changed) <= allowed, (cpu, {n: changed[n] for n in set(changed) - allowed})
        assert len(registers) > 60, f"only {len(registers)} registers were looked at"


def check_written(trace, registers):
    written = {write.msr for write in program.writes(trace)}
    assert registers <= written and not written & MACHINE_CHECKS, written


CHANGED = {0x1a0, 0x1a4, 0x199, 0x38d, 0x38f, *expect.SELECTS[:4]}


def test_after_a_clean_run(tmp_path):
    before, after, left = run(tmp_path, plan_text(kernels=KERNELS, at_end="leave") + STATE)
    check_same(before, after, left.results.run["not_restored"])
    check_written(left.trace, CHANGED)
    assert re.search(r"^PASS$", left.console, re.M)


@in_full("registers after a fault")
def test_after_a_faulting_kernel(tmp_path):
    efi, _ = patched.program_of_text(tmp_path, {FAULTING: "ud2"})
    before, after, left = run(tmp_path, plan_text(kernels=KERNELS, at_end="leave") + STATE, efi)
    check_same(before, after, left.results.run["not_restored"])
    check_written(left.trace, CHANGED)
    faults = [row for row in left.results.rows if row["verdict"] == "fault"]
    assert {row["kernel"] for row in faults} == {FAULTING}
    assert {row["cpu"] for row in faults} == {str(cpu) for cpu in range(CPUS)}


@in_full("registers after a run that was stopped")
def test_after_a_run_that_was_stopped(tmp_path):
    plan = plan_text(kernels="loop_dec_jnz,load_store", runs=100, n=60000, at_end="leave") + STATE
    before, after, left = run(tmp_path, plan, keys=[(r"CPU 0  loop_dec_jnz", b"q")])
    assert left.results.run["stopped_by_user"] is True
    check_same(before, after, left.results.run["not_restored"])
    check_written(left.trace, CHANGED)


@in_full("registers after other ways to measure")
@pytest.mark.parametrize("keys", [{"method": "deltas"}, {"ring": "usr"}, {"mode": "parallel"}],
    ids=lambda keys: "".join(keys.values()))
def test_after_other_ways_to_measure(tmp_path, keys):
    plan = plan_text(kernels=KERNELS, at_end="leave", **keys) + STATE
    before, after, left = run(tmp_path, plan)
    check_same(before, after, left.results.run["not_restored"])


@in_full("registers after CPUs waited in MWAIT and MSR scripts")
def test_after_cpus_that_waited_in_mwait_and_scripts(tmp_path):
    script = "[msr before]\nwrite 0x1b0 0x5\nwrite 0x1a4 0x3\n"
    plan = plan_text(kernels=KERNELS, at_end="leave") + STATE + "park=mwait\n" + script
    before, after, left = run(tmp_path, plan, props="monitor=on")
    check_same(before, after, left.results.run["not_restored"])
    check_written(left.trace, CHANGED)
    assert "MWAIT" in left.results.run["machine"]["parked"]


@in_full("registers after heat")
@pytest.mark.parametrize("what", thinned(["thermal", "limit"], (0,), "log bits that heat sets"))
def test_after_heat(tmp_path, what):
    """The program clears the log bits that heat sets."""
    plan = plan_text(kernels=KERNELS, at_end="leave")
    props = f"pmu-inject={what},pmu-inject-cpu=1,pmu-inject-open={INSIDE},pmu-inject-after=3"
    before, after, left = run(tmp_path, plan, props=props)
    rejected = [s["evidence"].split() for s in left.results.samples if s["accepted"] == "0"]
    assert rejected and all(what in words for words in rejected)
    check_same(before, after, left.results.run["not_restored"])
