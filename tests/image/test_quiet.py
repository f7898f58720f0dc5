# SPDX-License-Identifier: BSD-2-Clause
"""Interrupts, the firmware's timer, waiting CPUs and bus masters while a CPU measures."""
import os
import re

import conftest
from machine import qemu
import pytest
import results
from machine import stick as sticks
import warm
from conftest import plan_text
from levels import in_full, thinned

LONG = {"kernels": "empty,load_store", "n": 60000, "runs": 50}  # takes seconds on one CPU
LONG_RUNS = r"CPU (\d)  load_store  "
MWAIT = "0f01c9"  # MWAIT, Intel SDM vol. 2B
TIMES = 5  # how often to look, since a CPU that sleeps in MWAIT may just have been woken
MONITOR = "monitor=on"  # QEMU's CPU models lack MONITOR
GUARD = 1  # the first CPU that does not measure; it watches the boot CPU
HLT = re.compile(r"HLT=(\d)")
RIP = re.compile(r"RIP=([0-9a-f]+)")

COMMAND, BUS_MASTER = 0x4, 1 << 2
CONFIG_WRITE = re.compile(r"pci_cfg_write (\S+) ([0-9a-f]+:[0-9a-f.]+) @0x([0-9a-f]+) <- "
                          r"0x([0-9a-f]+)")
OPENED = re.compile(r"pmu_model_wrmsr cpu (\d+) msr 0x38f value 0x[1-9a-f]")
POLL_S = 0.01
STICK_READ_OR_WRITTEN = "usb_xhci_doorbell_write"
# Two network cards, a random number generator, a screen, and a disk that the program does not use.
DEVICES = ("-device", "virtio-net-pci,romfile=,addr=8", "-device", "e1000,romfile=,addr=9",
           "-device", "virtio-rng-pci,addr=a", "-device", "VGA,addr=b",
           "-drive", "if=none,id=other,driver=null-co,size=1M",
           "-device", "nvme,serial=other,drive=other,addr=c")
SWITCHED = {"00:08.0": "0200", "00:09.0": "0200", "00:0a.0": "00ff", "00:0c.0": "0108",
            "00:1f.2": "0106", "00:1f.3": "0c05"}


def state(**keys):
    return "[state]\n" + "".join(f"{key}={value}\n" for key, value in keys.items())


def ask(running, words, cpu):
    return running.qmp("human-monitor-command", **{"command-line": words, "cpu-index": cpu})


def look_at(running, cpus):
    """Each CPU's task priority, whether its timer is masked, and whether it is halted or in MWAIT.
    """
    found = {}
    running.qmp("stop")
    for cpu in range(cpus):
        apic, registers = ask(running, "info lapic", cpu), ask(running, "info registers", cpu)
        rip = int(RIP.search(registers)[1], 16)
        code = ask(running, f"x /3xb {rip - 3:#x}", cpu)
        code = "".join(re.findall(r"0x([0-9a-f]{2})\b", re.sub(r"^\w+:", "", code, flags=re.M)))
        found[cpu] = {
            "priority": int(re.search(r"TPR 0x([0-9a-f]+)", apic)[1], 16),
            "timer_masked": "masked" in re.search(r"^LVTT\s.*$", apic, re.M)[0].split(),
            "halted": HLT.search(registers)[1] == "1",
            "in_mwait": code == MWAIT,
        }
    running.qmp("cont")
    return found


def wait_until_open(running, trace, measuring):
    """Wait until these CPUs have enabled their counters again. After that, for some seconds, the
    CPUs run the kernel that the console names.
    """
    with trace.open(encoding="ascii") as lines:
        lines.seek(0, os.SEEK_END)
        waiting, line = set(measuring), ""
        while waiting:
            line += lines.readline()
            if line.endswith("\n"):
                waiting -= {int(cpu) for cpu in OPENED.findall(line)}
                line = ""
            else:
                assert not running.wait_end(POLL_S), f"{waiting} never measured"


def asleep(looks):
    """For each group of TIMES results of look_at(): the CPUs that were in MWAIT in at least one
    result of the group.
    """
    asleep = [{cpu for cpu in look if look[cpu]["in_mwait"]} for look in looks]
    return [set().union(*asleep[i:i + TIMES]) for i in range(0, len(asleep), TIMES)]


def watch(tmp_path, plan, cpus, at, props="", then=(), times=1):
    """Boot a plan. `at` maps patterns to CPUs: when the console shows a pattern and the pattern's
    CPUs measure, call look_at() `times` times for all CPUs.

    Returns what look_at() returned, and the results of the last run.
    """
    stick = sticks.Stick.copy_of(conftest.IMAGE, tmp_path / "stick.img")
    conftest.put_files(stick, tmp_path, {"barecount/plan.cfg": plan})
    looks = []
    trace = tmp_path / "trace.log"
    spec = qemu.Spec(disk=stick.path, cpus=cpus, props=props, trace=trace)
    with warm.begin(spec) as running:
        for pattern, measuring in at.items():
            assert running.wait_for(pattern, conftest.BOOT_S), f"{pattern}:\n{running.console}"
            wait_until_open(running, trace, measuring)
            looks += [look_at(running, int(str(cpus).partition(",")[0])) for _ in range(times)]
        conftest.follow(running, then, None, conftest.BOOT_S)
        print(running.console)
    return looks, conftest.Boot(tmp_path, stick).results


def test_nothing_interrupts_the_cpu_that_measures(tmp_path):
    looks, found = watch(tmp_path, plan_text(cpus="boot", at_end="menu", **LONG), 2,
                         {LONG_RUNS: (0,), r"Shuts down in 29 s": ()},
                         then=[(r"Shuts down in 28 s", b"s")])
    measuring, menu = looks[0][0], looks[1][0]
    assert (measuring["priority"], measuring["timer_masked"]) == (0xf0, True)
    assert (menu["priority"], menu["timer_masked"]) == (0, False)
    assert looks[0][1]["priority"] == 0
    assert found.status == results.PASSED
    assert not [r for r in found.run["remarks"] if "pending" in r]


def test_the_firmwares_timer_stands_still(boot):
    """OVMF's timer is the boot CPU's local APIC timer. The tasks that enable counters are the
    inspection, the counter test, the calibration and each kernel.
    """
    left = boot(cpus=1, plan=plan_text(kernels="empty,nops,load"), traced=True,
                more=("-trace", "apic_mem_writel"))
    tasks, opened = 0, False
    for line in left.trace.read_text().splitlines():
        if OPENED.search(line):
            opened = True
        elif opened and "apic_mem_writel 0x380 = " in line:
            tasks, opened = tasks + 1, False
    assert tasks >= 1 + 1 + 1 + 3
    assert not opened
    assert left.results.run["machine"]["firmware_timer_stopped"] is True
    assert left.verdict == "PASS"


@in_full("firmware without a timer protocol")
def test_firmware_without_a_timer_protocol(boot):
    left = boot(firmware="u-boot", cpus=1, plan=plan_text(kernels="empty,nops"))
    assert left.results.run["machine"]["firmware_timer_stopped"] is False
    assert not [r for r in left.results.run["remarks"] if "firmware's timer" in r]


@in_full("three CPUs in two runs, of which two wait in MWAIT")
def test_parked_in_mwait(tmp_path):
    """All CPUs wait in MWAIT, except for the measuring CPU, the boot CPU and the guard."""
    plan = plan_text(at_end="menu", kernels="empty,load_store", n=20000, runs=30)
    looks, found = watch(
        tmp_path, plan + state(park="mwait"), 3,
        {r"CPU 0  load_store": (0,), r"CPU 1  load_store": (1,), r"R run again": ()},
        MONITOR, then=[(r"R run again", b"r"), (r"[\s\S]*".join([r"R run again"] * 2), b"s")],
        times=TIMES)
    assert asleep(looks) == [{2}, {2}, set()]
    assert not any(cpu["halted"] for look in looks[:2 * TIMES] for cpu in look.values())
    assert looks[-1][1]["halted"] and looks[-1][2]["halted"]
    for run in (conftest.Boot(tmp_path, sticks.Stick(tmp_path / "stick.img")).run("0001"), found):
        assert run.status == results.PASSED and run.run["errors"] == []
        assert run.run["machine"]["parked"] == "in MWAIT, hint 0x00"
        assert {row["cpu"] for row in run.rows} == {"0", "1", "2"}


@in_full("CPUs that the firmware parks")
def test_parked_by_the_firmware(tmp_path):
    """OVMF halts the CPUs of a virtual machine, except the boot CPU's guard."""
    (look,), found = watch(tmp_path, plan_text(cpus="boot", **LONG), 3, {LONG_RUNS: (0,)}, MONITOR)
    assert look[2]["halted"] and not look[GUARD]["halted"]
    assert found.run["machine"]["parked"] == "by the firmware"
    assert found.status == results.PASSED


@in_full("parallel runs, in which only others are parked")
def test_in_parallel_only_others_are_parked(tmp_path):
    plan = plan_text(cpus="0-2", mode="parallel", kernels="load_store", n=20000, runs=100)
    looks, found = watch(tmp_path, plan + state(park="mwait"), 5,
                         {r"load_store  1 of": range(3)}, MONITOR, times=TIMES)
    assert asleep(looks) == [{4}]
    assert not looks[0][3]["halted"]  # the guard
    assert looks[0][1]["priority"] == looks[0][2]["priority"] == 0xf0
    assert found.status == results.PASSED and found.run["errors"] == []


@in_full("six CPUs in three packages")
def test_a_package_that_does_not_measure_stays_awake(tmp_path):
    """If no CPU of a package measures, the first CPU of the package stays awake. Package 0 contains
    CPUs 0 and 1, and CPU 0 is the boot CPU.
    """
    plan = plan_text(cpus="1-5", kernels="empty,load_store", n=20000, runs=30)
    looks, found = watch(
        tmp_path, plan + state(park="mwait"), "6,sockets=3,cores=2,threads=1",
        {r"CPU 1  load_store": (1,), r"CPU 2  load_store": (2,), r"CPU 4  load_store": (4,)},
        MONITOR, times=TIMES)
    assert asleep(looks) == [{3, 5}, {1, 3, 5}, {1, 3, 5}]
    assert found.status == results.PASSED and found.run["errors"] == []


@in_full("six CPUs in three packages")
def test_the_packages_of_a_pair_need_nobody_awake(tmp_path):
    """CPUs 3 and 4 measure. CPUs 2 and 5, which share packages with CPUs 3 and 4, sleep in MWAIT.
    CPU 1, which shares a package with the boot CPU, also sleeps in MWAIT.

    MWAIT spins in QEMU, so the pair takes a long time.
    """
    plan = plan_text(cpus="2-5", kernels="core_to_core", n=100, runs=5, timeout_ms=60000)
    looks, found = watch(tmp_path, plan + state(park="mwait"), "6,sockets=3,cores=2,threads=1",
                         {r"CPU 3  core_to_core": (3,)}, MONITOR, times=TIMES)
    assert asleep(looks) == [{1, 2, 5}]
    assert found.status == results.PASSED and found.run["errors"] == []


@in_full("a CPU that was given up")
def test_a_cpu_that_was_given_up_is_not_parked(tmp_path):
    plan = plan_text(kernels="empty,load_store", n=20000, runs=30)
    looks, found = watch(tmp_path, plan + state(park="mwait"), 4, {r"CPU 2  load_store": (2,)},
                         f"{MONITOR},pmu-hang-cpu=1,pmu-hang-open=200", times=TIMES)
    assert asleep(looks) == [{3}]
    assert {row["cpu"] for row in found.rows if row["verdict"] == "timeout"} == {"1"}


def test_no_monitor(boot):
    left = boot(cpus=2, plan=plan_text(kernels="empty,nops") + state(park="mwait"))
    error, = left.results.run["errors"]
    assert error.startswith(r"\barecount\plan.cfg:") and "park=mwait" in error
    assert "no MONITOR and MWAIT" in error and error in left.console
    assert left.results.run["machine"]["parked"] == "by the firmware"
    assert left.verdict == "PASS"


@pytest.mark.parametrize("mode, park, kinds", thinned([
    ("serial", "mwait", ["mwait", "boot CPU waiting", "mwait", "mwait"]),
    ("serial", "firmware", ["firmware", "boot CPU waiting", "firmware", "firmware"]),
    ("parallel", "mwait", ["measuring"] * 4),
], (1,), "ways to park CPUs"))
def test_siblings(boot, mode, park, kinds):
    """CPU 1 is the boot CPU's sibling."""
    left = boot(cpus="4,cores=2,threads=2", props=MONITOR,
                plan=plan_text(kernels="empty,nops", mode=mode) + state(park=park))
    found = left.results.run
    assert [cpu["siblings"] for cpu in found["cpus"]] == [1] * 4
    assert [cpu["siblings_parked"] for cpu in found["cpus"]] == kinds
    shared = [r for r in found["remarks"] if "shares its core with the boot CPU" in r]
    assert [r.split()[1] for r in shared] == (["1"] if mode == "serial" else [])
    assert left.verdict == "PASS" and found["errors"] == []


def test_a_parked_cpu_that_no_store_wakes(boot):
    """An NMI wakes CPU 2."""
    left = boot(cpus=3, plan=plan_text(kernels="empty,nops") + state(park="mwait"),
                props=f"{MONITOR},pmu-asleep-cpu=2")
    said = ("CPU 2: no store woke it from MWAIT within 20 ms, so it was sent an NMI; "
            "park=firmware avoids that")
    assert left.results.run["remarks"].count(said) == 1
    assert said in re.sub(r"\s+", " ", left.console)
    assert left.verdict == "PASS" and left.results.run["errors"] == []
    assert {row["cpu"] for row in left.results.rows} == {"0", "1", "2"}


def events(trace):
    opened = False
    for line in trace.read_text().splitlines():
        opened = opened or bool(OPENED.search(line))
        if not opened:
            continue
        if OPENED.search(line):
            yield "open", None, None
        elif STICK_READ_OR_WRITTEN in line:
            yield "stick", None, None
        elif (found := CONFIG_WRITE.search(line)) and int(found[3], 16) == COMMAND:
            yield "command", found[2], int(found[4], 16)


@pytest.mark.parametrize("cpus, mode, media", thinned([
    (1, "serial", "usb"), (2, "parallel", "usb"), (1, "serial", "ahci"), (1, "serial", "nvme")],
    (0,), "media with bus masters off"))
def test_bus_masters_off(boot, cpus, mode, media):
    kernels = ["empty", "nops", "load"]
    left = boot(cpus=cpus, traced=True, media=media,
                plan=plan_text(kernels=",".join(kernels), mode=mode) + state(bus_masters="off"),
                more=(*DEVICES, "-trace", "pci_cfg_write", "-trace", STICK_READ_OR_WRITTEN))
    off, tasks, windows = [], 0, 0
    for kind, place, command in events(left.trace):
        if kind == "stick":
            assert not off
        elif kind == "open":
            assert set(off) in (set(), set(SWITCHED))
            windows += bool(off)
        elif command & BUS_MASTER:
            assert off.pop() == place  # last off, first on
        else:
            assert place in SWITCHED and place not in off
            off.append(place)
            tasks += len(off) == len(SWITCHED)
    assert not off and windows > 0
    # one task for each kernel, and three for each CPU: calibration and two noise certificates
    assert tasks == len(kernels) + 3 * cpus
    remarks = [r for r in left.results.run["remarks"] if "bus mastering" in r]
    assert {(r.split()[1].rstrip(","), r.split()[4].rstrip(",")) for r in remarks} == \
        set(SWITCHED.items())
    assert all(r in left.console for r in remarks)
    assert left.verdict == "PASS"


@in_full("bus masters of a plan without bus_masters=")
def test_bus_masters_are_kept(boot):
    left = boot(cpus=1, traced=True, plan=plan_text(kernels="empty,nops"),
                more=(*DEVICES, "-trace", "pci_cfg_write"))
    seen = {kind for kind, _, _ in events(left.trace)}
    assert "open" in seen and "command" not in seen
    assert "bus mastering" not in left.console
