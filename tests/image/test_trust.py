# SPDX-License-Identifier: BSD-2-Clause
"""The plan trust, and what scripts/trust concludes from it about machines that lie."""
import csv
import re
import subprocess

import documents
import pytest
import results
from conftest import IMAGE, TOP
from levels import in_full, thinned
from machine import program
from machine import stick as sticks
from trust import kinds

PLAN = program.ending((TOP / "scripts/plans/trust.cfg").read_text("ascii"), "shutdown")
EVENTS = ("instructions", "branches", "taken", "loads", "stores")
MAP = {("INST_RETIRED.ANY", "fixed0"): "exact",
       **{(event, f"pmc{number}"): "exact" for event in EVENTS for number in range(4)}}


def trust_of(left):
    """What scripts/trust prints. The image's own maps, in trust.csv, must be the same."""
    done = subprocess.run([TOP / "scripts/trust", left.results.folder], capture_output=True,
                          text=True, timeout=60, check=False)
    assert done.stderr == ""
    with open(left.results.folder / "trust.csv", newline="", encoding="ascii") as file:
        own = {(line["event"], line["counter"]): line["kind"] for line in csv.DictReader(file)}
    pairs, without = kinds.trust_map(left.results.rows)
    assert own == {place: pair.kind for place, pair in pairs.items()} | {
        (event, counter): kind for (event, counter), kind in own.items()
        if (event, "") in without and kind == without[event, ""] == kinds.UNDECLARED}
    return done.returncode, done.stdout.splitlines()


def cells(lines):
    """{(event, counter): kind} of the map that the lines contain."""
    counters = lines[1].split()[1:]
    places = [lines[1].index(counter) for counter in counters]
    return {(line.split()[0], counter): kind
            for line in lines[2:] if line[places[0] - 2:places[0]] == "  "
            for counter, place, end in zip(counters, places, [*places[1:], None])
            if (kind := line[place:end].strip())}


def test_a_machine_that_tells_the_truth(boot):
    left = boot(cpus=1, plan=PLAN)
    status, lines = trust_of(left)
    assert status == results.PASSED and left.verdict == "PASS"
    assert cells(lines) == MAP


def test_amd_has_no_upper_bound(boot):
    """AMD's loads and stores have only a lower bound. Instructions are counted in every pass."""
    status, lines = trust_of(boot(cpus=1, plan=PLAN, cpu="EPYC-Genoa"))
    assert status == results.PASSED
    found = cells(lines)
    for event in EVENTS:
        kinds = {kind for (one, _), kind in found.items() if one == event}
        assert kinds == {"at least" if event in ("loads", "stores") else "exact"}
    assert {counter for _, counter in found} == {f"pmc{number}" for number in range(6)}


# Property of the model machine (tests/machine/PROPERTIES.md) -> the counter that lies, and the kind
# of its lie.
LIES = {
    "pmu-off-by-one=2": ("pmc2", "constant +1"),
    "pmu-stuck=3": ("pmc3", "dead"),
    "pmu-noisy=1": ("pmc1", "varies"),
    "pmu-wrong-ring=2": ("pmc2", "dead"),
}
# pmu-late lets a counter also count the three instructions after the WRMSR that closes the window:
# JMP, RDTSC and LFENCE (boot/cpu/window.asm).
LATE = {"instructions": "constant +3", "branches": "constant +1", "taken": "constant +1",
        "loads": "off", "stores": "off"}


@pytest.mark.parametrize("lie", thinned(list(LIES), (0,), "lies of one counter"))
def test_a_counter_that_lies(boot, lie):
    counter, kind = LIES[lie]
    left = boot(cpus=1, plan=PLAN, props=lie)
    status, lines = trust_of(left)
    assert status == results.FAILED
    found = cells(lines)
    assert {found.pop((event, counter)) for event in EVENTS} == {kind}
    assert found == {pair: kind for pair, kind in MAP.items() if pair[1] != counter}
    if lie == "pmu-off-by-one=2":
        sample, on_screen = documents.blocks(TOP / "docs/trust-map.md", "text")
        assert [line for line in sample.text.splitlines() if line not in lines] == []
        assert on_screen.text in left.console
        assert on_screen.text in (left.results.folder / "summary.txt").read_text("ascii")


@in_full("a counter that stops late")
def test_a_counter_that_stops_late(boot):
    """The counts of loads and stores are right, and yet the program rejects the counter."""
    status, lines = trust_of(boot(cpus=1, plan=PLAN, props="pmu-late=1"))
    assert status == results.FAILED
    assert cells(lines) == MAP | {(event, "pmc1"): kind for event, kind in LATE.items()}


LATER = """version=1
[run]
cpus=boot
runs=5
at_end=shutdown
[kernels]
load n=100
[events retired]
instructions = INST_RETIRED.ANY_P
branches = BR_INST_RETIRED.ALL_BRANCHES
taken = BR_INST_RETIRED.NEAR_TAKEN
loads = MEM_INST_RETIRED.ALL_LOADS
misses = MEM_LOAD_RETIRED.L1_MISS
"""
REMEMBERED = "barecount/results/trust-00050654-00000001.txt"


def test_later_runs_know_the_map(boot):
    """The map is that of a counter that lies; it applies only to CPUs with the same signature."""
    stick = boot(cpus=1, plan=PLAN, props="pmu-off-by-one=2").stick
    left = boot(cpus=1, plan=LATER, stick=stick)
    rows = [row for row in left.results.rows if row["counter"]]
    wrong, = (row["event"] for row in rows if row["counter"] == "pmc2" and row["event"] in EVENTS)
    for row in rows:
        known = row["event"] in EVENTS or row["event"] == "INST_RETIRED.ANY"
        right = "exact" if known else ""
        assert row["trust"] == ("constant +1" if row["event"] == wrong else right)
    said = re.findall(r"^- (CPU 0: do not trust .*)", left.console, re.M)
    assert len(said) == 1 and said[0].startswith(
        f"CPU 0: do not trust {wrong}: constant +1 on CPU 0 in run 0001-")
    assert said[0] in left.results.run["remarks"]

    left = boot(cpus=1, plan=LATER, stick=stick, cpu="Skylake-Server,stepping=5")
    assert {row["trust"] for row in left.results.rows} == {""}


def test_a_damaged_map(boot):
    left = boot(cpus=1, plan=LATER, files={REMEMBERED: "barecount trust 1\n0,"})
    assert re.search(r"trust-00050654-00000001.txt is damaged and not used", left.console)
    assert {row["trust"] for row in left.results.rows} == {""}


def test_a_map_that_cannot_be_written(boot, tmp_path):
    """A folder has the name of the map's file. The run is complete all the same."""
    stick = sticks.Stick.copy_of(IMAGE, tmp_path / "stick.img")
    stick.make_folder(REMEMBERED)
    left = boot(cpus=1, plan=PLAN, stick=stick, files={f"{REMEMBERED}/x": "not empty"})
    said = " ".join(left.console.split())
    assert "trust-00050654-00000001.txt could not be written: " in said
    assert left.verdict == "PASS" and left.results.run["complete"] is True
    left = boot(cpus=1, plan=LATER, stick=left.stick)
    assert "trust-00050654-00000001.txt is damaged and not used" in " ".join(left.console.split())
    assert left.verdict == "PASS" and {row["trust"] for row in left.results.rows} == {""}
