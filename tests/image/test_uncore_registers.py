# SPDX-License-Identifier: BSD-2-Clause
"""The program accesses only the uncore registers that it needs, and restores their values."""
import re

import conftest
import expect
import liars
from machine import qemu
import patched
from machine import program
import pytest
from conftest import HANG_MS, plan_text
from levels import in_full, thinned
from medium import PAUSED, shell_stick
from outside import EVENTS, MACHINES, TWO, TWO_PACKAGES, events, rows_of

# The program only reads the energy registers.
CLIENT = {*range(0x391, 0x397), *range(0x700, 0x730)}
ENERGY = {0x606, 0x611, 0x619, 0x639, 0x641}
GLOBAL_CTRL = 0x391
ARCHITECTURAL = {0x391, 0x392}  # from version 4 on: IA32_PERF_GLOBAL_STATUS_SET, _INUSE
UNKNOWN = "model=255"  # family 6, no real CPU
UNKNOWN_SAID = "CPU model 6/255: its uncore counters are not known"


def touched(left, registers):
    return {access.msr for access in program.accesses(left.trace)} & registers


@in_full("three boots")
def test_nothing_is_touched_unasked(boot):
    plain = boot(cpus=2, cpu="Haswell", traced=True,
                 plan=plan_text(kernels="empty,nops") + events(["BR_INST_RETIRED.ALL_BRANCHES"]))
    assert not touched(plain, CLIENT | ENERGY) and plain.results.run["packages"] == []
    asked = plan_text(kernels="empty,nops") + events([*EVENTS["Haswell"], "package_energy_uJ"])
    known = boot(cpus=2, cpu="Haswell", traced=True, plan=asked)
    assert {GLOBAL_CTRL, 0x700, 0x701, 0x706, 0x707} <= touched(known, CLIENT)
    assert touched(known, ENERGY)
    unknown = boot(cpus=2, cpu="Snowridge", props=UNKNOWN, traced=True, plan=asked)
    assert not touched(unknown, (CLIENT | ENERGY) - ARCHITECTURAL)
    assert unknown.console.count(UNKNOWN_SAID) == 1, unknown.console
    for event in (*EVENTS["Haswell"], "package_energy_uJ"):
        for row in rows_of(unknown.results, event):
            assert row["verdict"] == "unavailable" and row["reason"], row


WHERE_MEMORY_IS = "the uncore registers overlap memory, or there is no memory map"


def test_registers_where_memory_is_are_not_touched(boot, tmp_path):
    """OVMF's memory map reserves PCI configuration space. In the second start, the map lists this
    space as memory (type 10, ACPI NVS). In the third start, there is no map.
    """
    cpu = "Skylake-Server"
    lies = ["-", "reserved=10", "map=1+"]
    plan = plan_text(cpus="boot", kernels="empty,nops", at_end="leave") + events(EVENTS[cpu])
    _, starts = liars.told(boot, tmp_path, lies, plan=plan, cpus=1, cpu=cpu, more=MACHINES[cpu])
    for start in starts:
        package, = start.found.run["packages"]
        groups = [group for group in package["groups"] if group["kind"] in ("cha", "imc")]
        rows = [row for event in EVENTS[cpu] for row in rows_of(start.found, event)]
        assert len(groups) == 2 and rows
        if start.lies == "-":
            assert {row["verdict"] for row in rows} == {"measured"}, rows
            assert {group["status"] for group in groups} == {"ok"}
            assert start.found.run["errors"] == []
            continue
        assert {row["verdict"] for row in rows} == {"unavailable"}, rows
        for group in groups:
            assert re.fullmatch(WHERE_MEMORY_IS + ": MMIO 0x[0-9a-f]{8}", group["status"]), group
            assert group["units"] == 0
        first = groups[0]["status"].removeprefix(WHERE_MEMORY_IS + ": ")
        assert all(WHERE_MEMORY_IS in row["reason"] and first in row["reason"] for row in rows)
        error, = start.found.run["errors"]
        assert error.startswith("CPU 0, package 0: ") and first in error, error


# ---- Registers are left as found. ----

OTHER = r"""@echo -off
FS0:\EFI\barecount.efi --list-events llc_
FS0:\EFI\barecount.efi --check-plan
echo after it: %lasterror%;
reset -s
"""


def outside(registers):
    """The uncore registers in `registers`. A package's registers appear at each of its CPUs."""
    return {(cpu, name): value for cpu, named in registers.items() for name, value in named.items()
            if name.startswith("imc") or
            (name.startswith("0x") and (0x391 <= int(name, 16) <= 0x396 or
                                        0x3b0 <= int(name, 16) <= 0x3cf or
                                        0x700 <= int(name, 16) <= 0xeff))}


def run_between(folder, cpu, plan, efi=None, props="", cpus=2):
    stick = shell_stick(folder, plan, PAUSED, efi)
    left = conftest.Boot(folder, stick)
    with qemu.Machine(qemu.Spec(disk=stick.path, cpus=cpus, cpu=cpu,
                                      more=(TWO if cpus == TWO_PACKAGES else MACHINES)[cpu],
                                      props=props)) as running:
        assert running.wait_for(r"^before it", conftest.BOOT_S), running.console
        before = outside(running.registers())
        running.send(b" ")
        assert running.wait_for(r"^after it: ", conftest.BOOT_S), running.console
        after = outside(running.registers())
        running.send(b" ")
        assert program.wait_over(running, conftest.BOOT_S), running.console
        left.console = running.console
    print(left.console)
    return before, after, left


@pytest.mark.parametrize("cpus", thinned(
    [2, TWO_PACKAGES], (1,), "number of packages with an uncore"),
                         ids=["one", "two"])
@pytest.mark.parametrize("cpu", thinned(MACHINES, (2,), "CPU models with an uncore"))
def test_registers_are_left_as_found(tmp_path, cpu, cpus):
    """Counters were left running in each package."""
    plan = plan_text(kernels="empty,load_store", at_end="leave") + events(EVENTS[cpu])
    before, after, left = run_between(tmp_path, cpu, plan, props="pmu-uncore=left-running",
                                      cpus=cpus)
    assert len(before) > 10 and any(before.values()) and before == after, \
        {name: (value, after.get(name)) for name, value in before.items()
         if value != after.get(name)}
    packages = left.results.run["packages"]
    assert [p["package"] for p in packages] == ([0, 1] if cpus == TWO_PACKAGES else [0])
    assert all(p["left_running"] > 0 for p in packages), packages
    assert "uncore counters had been left running" in left.console
    assert left.console.count("PASS") == 1


@in_full("uncore registers that refuse an access")
def test_registers_that_refuse_are_left_as_found(tmp_path):
    plan = plan_text(kernels="empty,load_store", at_end="leave") + \
        events([*EVENTS["Haswell"], "uncore_clock"])
    before, after, left = run_between(tmp_path, "Haswell", plan, props="pmu-uncore=locked")
    assert before == after and len(before) > 10
    assert expect.row_of(left.results, "load_store", "llc_lookups")["verdict"] == "unavailable"
    assert expect.row_of(left.results, "load_store", "uncore_clock")["verdict"] == "measured"
    assert "not as it was found" not in left.console


@in_full("uncore registers after a kernel that ends badly")
@pytest.mark.parametrize("ends", thinned(["ud2", "jmp $"], (1,), "ways for a kernel to end badly"))
def test_registers_after_a_kernel_that_ends_badly(tmp_path, ends):
    efi, _ = patched.program_of_text(tmp_path, {"nop_1": ends})
    plan = plan_text(kernels="empty,nop_1,load_store", at_end="leave", timeout_ms=HANG_MS) + \
        events(EVENTS["Haswell"])
    before, after, left = run_between(tmp_path, "Haswell", plan, efi)
    assert before == after and len(before) > 10
    ended = [row for row in left.results.rows if row["verdict"] in ("fault", "timeout")]
    assert {row["kernel"] for row in ended} == {"nop_1"}
    for event in EVENTS["Haswell"]:
        row = expect.row_of(left.results, "load_store", event)
        assert row["verdict"] == "measured", row


@in_full("uncore registers after commands that only list or check")
def test_lists_and_checks_of_a_plan_only_read(tmp_path):
    stick = shell_stick(tmp_path, plan_text() + events(EVENTS["Haswell"]), OTHER)
    trace = tmp_path / "trace.log"
    with qemu.Machine(qemu.Spec(disk=stick.path, cpus=1, cpu="Haswell",
                                      trace=trace)) as running:
        assert program.wait_over(running, conftest.BOOT_S), running.console
        console = running.console
    print(console)
    for event in EVENTS["Haswell"]:
        assert re.search(rf"^{event}\b", console, re.M), event
    assert "The plan has no errors." in console
    written = {write.msr for write in program.writes(trace)}
    assert {access.msr for access in program.accesses(trace)} & CLIENT
    assert not written & (CLIENT | ENERGY), written
