# SPDX-License-Identifier: BSD-2-Clause
"""If the machine stops in a phase of the run, the next boot names this phase, and avoids it.

Phases that measure noise, and some phases on the boot CPU, are avoided only after two stops. In
these tests, the firmware never returns from the n-th StartupThisAP(), or from the n-th call that
stops the timer, and then the power is cut. Each task of the boot CPU begins by stopping the timer.
"""
import re

import liars
import outside
import pytest
import results
from conftest import plan_text
from expect import check_truth
from levels import in_full

PLAN = plan_text(kernels="nops,load_store", runs=2, noise_ms=2, at_end="leave") + \
    "[state]\npark=mwait\nturbo=off\nprefetch=off\n" + \
    outside.events(outside.EVENTS["Skylake-Server"])
SKIPPED = "left out: the machine stopped in this phase before; see skipped.csv"
PARK = "The other CPUs wait in the firmware"
CPU = "The CPU is left out"
COUNTERS = "The CPU counts no core events"
SETTING = "The setting is left as it is found"
# The purpose of each start of CPU 1, and what the next boot does if this start never returns.
STARTS = (("parking CPUs", PARK),
          ("starting and inspecting CPU 1", CPU),
          ("testing the counters of CPU 1", COUNTERS),
          ("setting turbo on CPU 1", SETTING),
          ("setting prefetch on CPU 1", SETTING),
          ("reading the settings of CPU 1", CPU),
          ("measuring the noise of CPU 1", CPU),
          ("calibrating CPU 1", CPU),
          None,  # the two kernels
          None,
          ("measuring the noise of CPU 1", CPU),
          ("restoring the settings of CPU 1", "No setting is changed"))
# The purpose of each call that stops the timer, and what the next boot does if this call never
# returns. The first call is a trial before the run's first record.
STOPS = (None,
         ("starting and inspecting CPU 0", CPU),
         ("testing the counters of CPU 0", COUNTERS),
         ("looking for uncore counters with CPU 0", "No uncore counters are used"),
         ("testing the uncore counters cha with CPU 0", "These counters are not used"),
         ("testing the uncore counters imc with CPU 0", "These counters are not used"),
         ("setting turbo on CPU 0", SETTING),
         ("setting prefetch on CPU 0", SETTING),
         ("reading the settings of CPU 0", CPU),
         ("measuring the noise of CPU 0", CPU),
         ("calibrating CPU 0", CPU),
         None,
         None,
         ("measuring the noise of CPU 0", CPU),
         ("restoring the settings of CPU 0", "No setting is changed"))
PHASES = [(lie, n, *phase) for lie, phases in (("start_hangs", STARTS), ("tick_hangs", STOPS))
          for n, phase in enumerate(phases, 1) if phase]
SERVER = {"cpus": 2, "props": "monitor=on", "more": outside.MACHINES["Skylake-Server"]}


class Machine:
    def __init__(self, boot, folder, **spec):
        self.boot, self.spec = boot, {"timeout_s": 300, **spec}
        self.stick = liars.stick_of(folder / "stick.img", ["-"])
        self.listed = folder / "lies.txt"

    def start(self, lies, **how):
        self.listed.write_text(lies + "\n", "ascii")
        self.stick.put(self.listed, "lies.txt", part="esp")
        self.left = self.boot(plan=PLAN, stick=self.stick, new_runs=None,
                              program_bytes=liars.LIAR.read_bytes(), **self.spec, **how)
        return re.sub(r"\s*\n {4}\s*", " ", self.left.console)

    def hang(self, lies):
        return self.start(lies, cut_at="liar: hangs")


def said(run, phase, instead):
    return (f"- Run {run} was cut off while {phase}: the machine stopped there, its power failed, "
            f"or this volume failed. {instead} from now on; delete its line in "
            "\\barecount\\skipped.csv to try it again.")


def check_instead(left, instead, cpu, detail):
    """Check that the run is complete, and that it avoided only the phase in which the machine
    stopped.
    """
    run, rows = left.results.run, left.results.rows
    assert run["complete"] and left.results.status == results.PASSED
    measured = {"0", "1"} - ({cpu} if instead == CPU else set())
    assert {row["cpu"] for row in rows} == measured
    of_core = [row for row in rows if row["unit"] in ("count", "cycles")
               and row["event"] not in outside.EVENTS["Skylake-Server"]]
    silent = {row["cpu"] for row in of_core if row["reason"] == SKIPPED}
    assert silent == ({cpu} if instead == COUNTERS else set())
    tested = {str(one["cpu"]) for one in run["cpus"] if "counter_test" in one}
    assert tested == measured - silent
    check_truth([row for row in of_core if row["cpu"] not in silent])
    lost = {row["event"] for row in rows if row["reason"].startswith(SKIPPED)} - \
        {row["event"] for row in of_core}
    assert bool(lost) == (instead in ("No uncore counters are used", "These counters are not used"))
    asked = {error.split(", ")[1] for error in run["errors"] if error.endswith("=off: " + SKIPPED)}
    kept = {SETTING: {f"{detail}=off: {SKIPPED}"},
            "No setting is changed": {f"{name}=off: {SKIPPED}" for name in ("turbo", "prefetch")}}
    assert asked == kept.get(instead, set())
    waits = f"parking: {SKIPPED}; {PARK[0].lower()}{PARK[1:]}"
    assert (waits in run["errors"]) == (instead == PARK)
    assert (run["machine"]["parked"] == "by the firmware") == (instead == PARK)


@in_full("a machine that stops, over four boots")
@pytest.mark.parametrize("lie, n, phase, instead", PHASES)
def test_a_phase_that_the_machine_stops_in(boot, tmp_path, lie, n, phase, instead):
    machine, cut = Machine(boot, tmp_path, **SERVER), "0001"
    machine.hang(f"{lie}={n}")
    if "noise" in phase or (instead in (CPU, COUNTERS) and phase.endswith("CPU 0")):
        assert "It will be tried once more." in machine.hang(f"{lie}={n}")
        cut = "0002"
    text = machine.start("-")
    assert said(cut, phase, instead) in text
    first, second = machine.left.run(cut), machine.left
    assert f"the run was cut off while {phase}" in first.run["errors"]
    before = [row for row in first.rows if row["cpu"] == "0" and row["unit"] == "count"]
    assert bool(before) == (phase.endswith("CPU 1") or "restoring" in phase or n == 14)
    if before:
        check_truth(before)
    check_instead(second, instead, phase[-1], phase.split()[1])
    assert "was cut off" not in machine.start("-")
    check_instead(machine.left, instead, phase[-1], phase.split()[1])
    assert len(machine.stick.read("barecount/skipped.csv").splitlines()) == 1 + int(cut)


@in_full("CPUs whose start never returns")
def test_the_boot_cpu_alone_is_left(boot, tmp_path):
    """No other CPU can be started."""
    machine = Machine(boot, tmp_path, cpus=4)
    machine.hang("cpu_hangs=14")
    for run, phase, instead in (("0001", "parking CPUs", PARK),
                                ("0002", "starting and inspecting CPU 1", CPU)):
        assert said(run, phase, instead) in machine.hang("cpu_hangs=14")
    text = machine.start("cpu_hangs=14")
    assert said("0003", "starting and inspecting CPU 2", CPU) in text
    assert ("- only the boot CPU is measured: the machine stopped while using other CPUs "
            "(\\barecount\\skipped.csv)") in text
    runs = [machine.left.run(number) for number in machine.stick.runs()]
    assert [{row["cpu"] for row in run.rows} for run in runs] == [set(), {"0"}, {"0"}, {"0"}]
    assert runs[-1].run["complete"] and machine.left.verdict == "PASS"


@in_full("a machine without a CPU to measure")
def test_no_cpu_is_left(boot, tmp_path):
    machine = Machine(boot, tmp_path, cpus=1)
    machine.hang("tick_hangs=2")
    assert "It will be tried once more." in machine.hang("tick_hangs=2")
    text = machine.start("-")
    assert said("0002", "starting and inspecting CPU 0", CPU) in text
    assert machine.left.verdict == "NOT MEASURED no CPU is left"
    assert machine.left.results.rows == [] and machine.left.results.run["complete"]
    machine.stick.remove("barecount/skipped.csv")
    machine.start("-")
    assert machine.left.verdict == "PASS"


@in_full("a watchdog")
def test_the_firmwares_watchdog_ends_a_call_that_does_not_return(boot, tmp_path):
    """The firmware's watchdog resets the machine after a minute."""
    machine = Machine(boot, tmp_path, cpus=2, reboots=True)
    machine.start("cpu_hangs=2", cut_at=r"liar: hangs[\s\S]*was cut off while parking CPUs")
