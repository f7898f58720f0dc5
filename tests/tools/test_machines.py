# SPDX-License-Identifier: BSD-2-Clause
"""Machines whose owners sent machine.txt and check.txt (tests/machines/).

The program's code reads machine.txt instead of the hardware. The code must find what the program
found on the machine, and counters for the events of the plans in PLANS.
"""
import re
import subprocess

import pytest

from conftest import TOP

import machine_file

MACHINES = sorted(path for path in (TOP / "tests/machines").iterdir() if path.is_dir())
CHECK = "scripts/plans/check.cfg"
PLANS = (CHECK, "scripts/plans/default.cfg", "scripts/plans/package.cfg")
GENERATED = ("docs/evidence.md", "pmu/files/tried.h")


def replayed(folder, plan):
    """What the program's code finds with a machine.txt: {word of a line: [(CPU, *values)]}."""
    lines = subprocess.run(
        [TOP / "build/replay", folder / "machine.txt", TOP / "build/events", TOP / plan],
        check=True, text=True, capture_output=True).stdout.splitlines()
    told = {}
    for cpu, what, *values in (line.split(" ") for line in lines):
        told.setdefault(what, []).append((int(cpu), *values))
    return told


def page_of(folder):
    return re.sub(r"\n {10}", " ", (folder / "check.txt").read_text("ascii"))


@pytest.mark.parametrize("folder", MACHINES, ids=lambda folder: folder.name)
def test_a_machine_is_found_as_it_was(folder):
    """Each kind of uncore unit that passed its test according to check.txt is found."""
    text = (folder / "machine.txt").read_text("ascii")
    file, page, told = machine_file.read(text), page_of(folder), replayed(folder, CHECK)
    assert machine_file.serials(text, file) == []
    if found := re.search(r"CPUs measured: (\d+) of (\d+)\.", page):
        assert found.groups() == (str(len(told["topology"])), file.facts["cpus"])
    apic_ids = {values[0] for _, *values in told["topology"]}
    assert len(apic_ids) == len(told["topology"]) == len(file.cpus)
    if found := re.search(r"PMU version (\d+): (?:\d to )?(\d) general counters? and "
                          r"(?:\d to )?(\d) fixed", page):
        versions, general, fixed = zip(*(
            (version, int(general, 16).bit_count(), int(fixed, 16).bit_count())
            for _, version, general, _, fixed, _ in told["pmu"]))
        assert found.groups() == (max(versions), str(max(general)), str(max(fixed)))
    if found := re.search(r"These passed their test: ([a-z0-9_, ]+)", page):
        kinds = {kind for _, kind, units, *status in told["uncore"] if status == ["ok"]
                 and int(units) > 0}
        assert set(found[1].split(", ")) <= kinds


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.split("/")[-1])
@pytest.mark.parametrize("folder", MACHINES, ids=lambda folder: folder.name)
def test_a_plan_can_be_counted(folder, plan):
    """In a pass, no counter has two events, and no event has two counters."""
    told = replayed(folder, plan)
    passes = {}
    for cpu, _, number, counter, event in told.get("event", ()):
        one = passes.setdefault((cpu, number), {})
        assert counter not in one and event not in one.values()
        one[counter] = event
    assert passes or "Counters  No. Nothing is counted" in page_of(folder)
    core = {}
    for (cpu, _), one in passes.items():
        core.setdefault(cpu, set()).update(
            event for counter, event in one.items() if counter.startswith(("pmc", "fixed")))
    kinds = {(version, fixed) for _, version, _, _, fixed, _ in told["pmu"]}  # two on a hybrid
    assert len(set(map(frozenset, core.values()))) <= len(kinds)
    assert sorted(core) in ([], sorted(cpu for cpu, *_ in told["topology"]))


def test_the_table_is_up_to_date(tmp_path):
    before = {name: (TOP / name).read_bytes() for name in GENERATED}
    try:
        subprocess.run([TOP / "scripts/make-evidence"], check=True)
        assert {name: (TOP / name).read_bytes() for name in GENERATED} == before, "make evidence"
    finally:
        for name, text in before.items():
            if (TOP / name).read_bytes() != text:
                (TOP / name).write_bytes(text)
