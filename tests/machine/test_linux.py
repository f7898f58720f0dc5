# SPDX-License-Identifier: GPL-2.0-or-later
"""Debian's Linux runs on the model machine, with its own PMU driver and perf, without barecount."""
import pathlib
import re
import sys

import pytest

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "scripts/lib"), str(TOP / "tests/image")]
sys.dont_write_bytecode = True

import conftest  # noqa: E402
import expect  # noqa: E402
from machine import linux as linux_machine  # noqa: E402
from machine import program  # noqa: E402
from levels import thinned  # noqa: E402

LOOP_SOURCE = TOP / "tests/machine/linux_loop.asm"
LOOP_PAGE = 0x401  # ld puts the code of a static program there
CPUS = 2
WATCHDOG = "NMI watchdog: Enabled. Permanently consumes one hw-PMU counter."  # in dmesg

# The default PMU of the CPU model (tests/machine/PROPERTIES.md), and a smaller one.
DEFAULT = {"version": 4, "gp": 4, "width": 48, "fixed": 3, "fixed-width": 48}
SMALL = {"version": 3, "gp": 2, "width": 40, "fixed": 2, "fixed-width": 40}
MACHINES = {"default": DEFAULT, "small": SMALL}

# Bits of IA32_PERFEVTSELx, and of a counter's four bits in IA32_FIXED_CTR_CTRL: SDM vol. 3B,
# "Architectural Performance Monitoring".
SELECT_EN, SELECT_INT = 1 << 22, 1 << 20
FIXED_RINGS, FIXED_PMI = 0b0011, 0b1000
FIXED0_BIT = 32  # in IA32_PERF_GLOBAL_CTRL
AMD_GLOBAL_CTL = 0xc0000301  # of PerfMonV2


class Linux:
    def __init__(self, running):
        self._running = running
        self.trace = running.machine.spec.trace
        self.boot_openings = openings(self.trace)

    def run(self, command):
        said = self._running.run(command)
        print(f"# {command}\n{said}")  # pytest shows it if the test fails
        return said

    def openings(self):
        return openings(self.trace)

    def counts(self, events, run):
        return perf_counts(self.run(f"perf stat -x, -e {events} {run}"))


def perf_counts(said):
    """Parse `perf stat -x,`; no event may have been multiplexed."""
    counts = {}
    for line in said.splitlines():
        fields = line.split(",")
        if len(fields) >= 5:
            assert fields[4] == "100.00", f"the counter was shared: {line}"
            counts[fields[2]] = int(fields[0])
    return counts


def openings(trace):
    """{CPU: a list with a tuple for each write to IA32_PERF_GLOBAL_CTRL that was not refused}.

    The tuple contains the written value and two masks. The first mask contains the counters that
    are enabled both by the value and by their select or control. The second mask contains those
    counters of the first mask that interrupt.
    """
    registers, found = {}, {}
    for write in program.writes(trace):
        if write.refused:
            continue
        registers[write.cpu, write.msr] = write.value
        if write.msr == expect.GLOBAL_CTRL:
            selected = interrupting = 0
            for i, msr in enumerate(expect.SELECTS):
                select = registers.get((write.cpu, msr), 0)
                selected |= bool(select & SELECT_EN) << i
                interrupting |= bool(select & SELECT_INT) << i
            for i in range(len(expect.FIXED_COUNTERS)):
                control = registers.get((write.cpu, expect.FIXED_CTRL), 0) >> 4 * i
                selected |= bool(control & FIXED_RINGS) << FIXED0_BIT + i
                interrupting |= bool(control & FIXED_PMI) << FIXED0_BIT + i
            on = write.value & selected
            found.setdefault(write.cpu, []).append((write.value, on, on & interrupting))
    return found


def last_open(found):
    """CPU -> the two masks that openings() gives for the CPU's last write of a nonzero value."""
    return {cpu: next((on, interrupting) for value, on, interrupting in reversed(writes) if value)
            for cpu, writes in found.items()}


def counting(found):
    return [value for writes in found.values() for value, on, _ in writes if on]


def linux(folder, properties):
    props = ",".join(f"pmu-{name}={value}" for name, value in properties.items())
    return linux_machine.booted(folder, cpus=CPUS, memory_mib=512, props=props,
                                trace=folder / "trace.log")


@pytest.fixture(scope="module")
def default(tmp_path_factory):
    with linux(tmp_path_factory.mktemp("default"), {}) as running:
        yield Linux(running)


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    with linux(tmp_path_factory.mktemp("small"), SMALL) as running:
        yield Linux(running)


@pytest.fixture(params=thinned(list(MACHINES), (0,), "PMU under Linux"))
def either(request):
    return request.getfixturevalue(request.param), MACHINES[request.param]


def test_an_emergency_is_only_logged(default):
    assert default.run("echo '<0>an emergency' >/dev/kmsg") == ""
    assert default.run("dmesg | grep -c 'an emergency'") == "1"


def declared(name):
    """The declarations in linux_loop.asm: event -> (constant, slope)."""
    line, = re.findall(rf"^; {name}: (.*)$", LOOP_SOURCE.read_text("ascii"), re.M)
    return {f"{event}:u": (int(constant), int(slope))
            for event, constant, slope in re.findall(r"(\w+) (\d+) \+ (\d+)n", line)}


def expected(name, n):
    return {event: constant + slope * n for event, (constant, slope) in declared(name).items()}


def test_kernel_log_names_the_pmu(either):
    system, told = either
    log = system.run("dmesg")
    driver = re.search(r"Performance Events: (.*)\.$", log, re.M).group(1)
    assert "Skylake events" in driver and driver.endswith("full-width counters, Intel PMU driver")
    assert dict(re.findall(r"\] \.\.\. ([a-z -]+): +([0-9a-f]+)$", log, re.M)) == {
        "version": str(told["version"]),
        "bit width": str(told["width"]),
        "generic registers": str(told["gp"]),
        "value mask": f"{(1 << told['width']) - 1:016x}",
        "max period": f"{(1 << told['width'] - 1) - 1:016x}",
        "fixed-purpose events": str(told["fixed"]),
        "event mask": f"{(1 << told['gp']) - 1 | ((1 << told['fixed']) - 1) << FIXED0_BIT:016x}",
    }


# The largest n takes many ticks of the kernel's clock.
@pytest.mark.parametrize("name, n", [
    ("linux_loop", 1), ("linux_loop", 1000), ("linux_loop", 123_456), ("linux_loop", 3_000_000),
    ("linux_calls", 1), ("linux_calls", 5_000)])
def test_perf_counts_a_known_loop(default, name, n):
    """perf counts from the end of exec() to the exit; in between, Linux runs only in ring 0."""
    counts = default.counts("instructions:u,branches:u", f"{name} {n:08}")
    assert counts == expected(name, n)


@pytest.mark.parametrize("event", ["instructions:u", "branches:u"])
def test_runs_are_identical(either, event):
    system, _ = either
    command = f"perf stat -x, -e {event} linux_loop 00054321"
    said = system.run("; ".join([command] * 3))
    counts = [int(count) for count in re.findall(rf"^(\d+),,{event},", said, re.M)]
    assert counts == [expected("linux_loop", 54321)[event]] * 3


def test_two_at_a_time(default):
    runs = {"1": ("linux_loop", 1_000_000), "2": ("linux_calls", 5_000)}
    started = " ".join(
        f"taskset {mask} perf stat -x, -o /tmp/{name} -e instructions:u,branches:u {name} {n:08} &"
        for mask, (name, n) in runs.items())
    default.run(f"{started} wait")
    for name, n in runs.values():
        assert perf_counts(default.run(f"cat /tmp/{name}")) == expected(name, n)


def test_rings_add_up(default):
    counts = default.counts("'{instructions:u,instructions:k,instructions}'",
                            "linux_calls 00002000")
    user, kernel = counts["instructions:u"], counts["instructions:k"]
    assert user == expected("linux_calls", 2000)["instructions:u"]
    assert kernel > 2000
    assert user + kernel == counts["instructions"]


def test_perf_record_takes_a_sample_each_period(default):
    check_samples(default)


def check_samples(system):
    """Each sample is an interrupt of the PMU. perf may add or lose the last sample."""
    n, period = 1_000_000, 100_000
    # Without this write, Linux takes fewer samples here, because it finds its interrupt handler too
    # slow.
    system.run("echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent")
    system.run(f"perf record -q -o /tmp/record -e instructions:u -c {period} linux_loop {n:08}")
    samples = system.run("perf script -i /tmp/record -F ip")
    addresses = [int(sample, 16) for sample in re.findall("^ +([0-9a-f]+)$", samples, re.M)]
    total = expected("linux_loop", n)["instructions:u"]
    assert abs(len(addresses) - total // period) <= 1
    assert {address >> 12 for address in addresses} == {LOOP_PAGE}


def test_linux_may_patch_its_code(default):
    """Linux rewrites instructions of its scheduler while both CPUs execute them."""
    patched = "/proc/sys/kernel/sched_schedstats"
    default.run(f"for i in $(seq 300); do echo 1 >{patched}; echo 0 >{patched}; done & "
                "for i in $(seq 200); do : | : | :; done; wait")


def test_no_write_of_the_driver_is_refused(either):
    system, _ = either
    system.counts("instructions,branches:u,cycles", "linux_loop 00001000")
    written = [write for write in program.writes(system.trace) if write.msr in expect.PMU_MSRS]
    assert written and not [write for write in written if write.refused]


def test_without_the_watchdog_no_counter_is_taken(either):
    system, _ = either
    system.run("echo 0 >/proc/sys/kernel/nmi_watchdog")
    assert system.boot_openings
    assert not counting(system.boot_openings)
    system.counts("instructions:u", "linux_loop 00001000")
    assert counting(system.openings())
    assert not any(on for on, _ in last_open(system.openings()).values())


def test_nmi_watchdog_takes_a_counter(default):
    assert WATCHDOG not in default.run("dmesg")
    default.run("echo 1 >/proc/sys/kernel/nmi_watchdog")
    watched = last_open(default.openings())
    default.run("echo 0 >/proc/sys/kernel/nmi_watchdog")
    assert WATCHDOG in default.run("dmesg")
    assert set(watched) == set(range(CPUS))
    for on, interrupting in watched.values():
        assert on == interrupting and bin(on).count("1") == 1
    assert last_open(default.openings()) == {cpu: (0, 0) for cpu in range(CPUS)}


@pytest.mark.parametrize("cpu, props", [("EPYC-Rome", ""), ("EPYC-Milan", "model=17")],
                         ids=["Zen 2", "Zen 4"])
def test_amds_driver(tmp_path, cpu, props):
    """AMD's events of branches also count the interrupts and page faults of ring 3.

    The event of far transfers (C6) counts interrupts, page faults, system calls, and no other
    branches.
    """
    with linux_machine.booted(tmp_path, cpus=CPUS, memory_mib=512, cpu=cpu, props=props,
                              trace=tmp_path / "trace.log") as running:
        system = Linux(running)
        assert "Performance Events: Fam17h+ core perfctr, AMD PMU driver." in system.run("dmesg")
        for name, n, syscalls in (("linux_loop", 123_456, 1), ("linux_calls", 5_000, 5_001)):
            counts = system.counts("instructions:u,branches:u,rc6:u", f"{name} {n:08}")
            from_outside = counts.pop("rc6:u") - syscalls
            assert from_outside >= 0
            counts["branches:u"] -= from_outside
            assert counts == expected(name, n)
        conditional = expected("linux_loop", 1000)["branches:u"] - 1  # all but SYSCALL
        assert system.counts("rd1:u", "linux_loop 00001000") == {"rd1:u": conditional}
        check_samples(system)
        system.run("echo 1 >/proc/sys/kernel/nmi_watchdog")
        assert WATCHDOG in system.run("dmesg")
        written = {write.msr for write in program.writes(system.trace) if not write.refused}
        assert (AMD_GLOBAL_CTL in written) == (props != "")


def test_nobody_takes_a_counter_from_the_image(tmp_path):
    """Writes that restore IA32_PERF_GLOBAL_CTRL start no counter."""
    left = conftest.boot_once(tmp_path, plan=conftest.plan_text(), traced=True, cpus=CPUS)
    assert left.verdict == "PASS"
    found = openings(left.trace)
    assert set(found) == set(range(CPUS))
    for writes in found.values():
        assert counting({0: writes})
        for value, on, interrupting in writes:
            assert not interrupting
            assert on in (0, value), f"{value:#x} where {on:#x} is selected"
