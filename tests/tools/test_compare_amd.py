# SPDX-License-Identifier: BSD-2-Clause
"""scripts/compare on AMD's CPUs, where the same names mean other events than on Intel's."""
import pytest

from compare import rows as compare
from compare import source
from events import codes
import folders
from foreign import files
from foreign import formats
from recorded import LIKWID
from test_compare_cli import as_usr, from_linux, say

BRAND = "AMD EPYC-Milan Processor"
N = 1000
LOOP = folders.Kernel("loop", {"instructions": (0, 7), "branches": (0, 3), "taken_branches": (0, 2),
                               "conditional": (0, 1), "loads": (5, 4), "cycles": (0, 11)}, N)
EVENTS = (folders.Event("RETIRED_INSTRUCTIONS", "r00c0", "instructions"),
          folders.Event("CYCLES_NOT_IN_HALT", "r0076", "cycles", unit="cycles"),
          folders.Event("RETIRED_BRANCH_INSTRUCTIONS", "r00c2", "branches"),
          folders.Event("RETIRED_TAKEN_BRANCH_INSTRUCTIONS", "r00c4", "taken_branches"),
          folders.Event("RETIRED_CONDITIONAL_BRANCH_INSTRUCTIONS", "r00d1", "conditional"),
          folders.Event("LS_DISPATCH.LOADS", "r0529", "loads"))
COUNTED = {event.name: LOOP.count(event.counts) for event in EVENTS}


def at_least(row):
    """LS_DISPATCH.LOADS also counts accesses that never retire, so it has only a lower bound."""
    if row["event"] == "LS_DISPATCH.LOADS":
        row |= {"expected": f"{row['expected']}..", "verdict": "within"}


def of_amd(run):
    for cpu in run["cpus"]:
        cpu |= {"vendor": "AMD", "brand": BRAND, "family": 25, "model": 17, "stepping": 1}


def made(folder, *changes, change_run=of_amd, kernels=(LOOP,)):
    def change(row):
        for one in (at_least, *changes):
            one(row)
    return folders.make(folder, kernels=kernels, events=EVENTS, change=change,
                        change_run=change_run)


def check(tmp_path, text, expected, **subject):
    """`expected` is {event: verdict}."""
    known = source.folder(made(tmp_path / "reference"))
    file = tmp_path / "tool.txt"
    file.write_text(text, "ascii")
    other = files.load(file, formats.Subject("loop", vendor=known.vendor, **subject))
    result = compare.compare(known, other)
    assert not result.refused
    found = {row.event: row.verdict for row in result.rows
             if row.verdict != "missing" or row.event not in COUNTED}
    assert found == expected


def test_perf_stat(tmp_path):
    """On AMD, Intel's code of `branches` counts taken branches, and Intel's code of `cycles` counts
    no event.
    """
    events = {"instructions:u": 7, "cycles:u": 11, "branches:u": 3, "cpu/event=0xc4/u": 2,
              "ex_ret_cond:u": 1, "r3c:u": 5}
    check(tmp_path, "".join(f"{each * N},,{event},1000000,100.00,,\n"
                            for event, each in events.items()),
          dict.fromkeys(list(COUNTED)[:5], "same") | {"r3c": "missing"})


def test_likwid(tmp_path):
    """likwid's FIXC0 is IRPERF, which counts in all rings; FIXC1 and FIXC2 are clocks."""
    rows = {"ACTUAL_CPU_CLOCK,FIXC1": 12, "INST_RETIRED_ANY,FIXC0": 7,
            "CPU_CLOCKS_UNHALTED,PMC1": 11, "RETIRED_BRANCH_INSTR,PMC4": 3,
            "RETIRED_TAKEN_BRANCH_INSTR,PMC5": 2}
    head = (LIKWID / "one.csv").read_text("ascii").partition("INSTR_RETIRED_ANY")[0]
    head = head.replace("Intel Core Processor (Skylake)", BRAND).replace("Custom,5", "Custom,6")
    check(tmp_path, head + "".join(f"{name},{each * N}\n" for name, each in rows.items()),
          {"RETIRED_INSTRUCTIONS": "refused", "CYCLES_NOT_IN_HALT": "same",
           "RETIRED_BRANCH_INSTRUCTIONS": "same", "RETIRED_TAKEN_BRANCH_INSTRUCTIONS": "same",
           "ACTUAL_CPU_CLOCK": "missing"})


def test_papi(tmp_path):
    events = {"PAPI_TOT_INS": 7, "perf::CYCLES:u=1:k=0": 11, "PAPI_BR_TKN": 2,
              "amd64_fam19h_zen4::RETIRED_BRANCH_INSTRUCTIONS:u=1:k=0": 3,
              "RETIRED_CONDITIONAL_BRANCH_INSTRUCTIONS": 1}
    check(tmp_path, "".join(f"{event} : \t{each * N}\n" for event, each in events.items()),
          dict.fromkeys(list(COUNTED)[:5], "same"))


def test_nanobench(tmp_path):
    """The names are from nanoBench's configuration for Zen; MPERF and APERF are clocks."""
    check(tmp_path, "RDTSC: 9.87\nMPERF: 9.90\nAPERF: 11.02\nExRetInstr: 7.00\n"
                    "LsNotHaltedCyc: 11.00\nExRetBrn: 3.00\n",
          dict.fromkeys(list(COUNTED)[:3], "same"))


@pytest.mark.parametrize("vendor, event", [
    ("AMD", "RETIRED_BRANCH_INSTRUCTIONS"), ("Hygon", "RETIRED_BRANCH_INSTRUCTIONS"),
    ("Intel", "RETIRED_TAKEN_BRANCH_INSTRUCTIONS")])
def test_the_reference_names_the_vendor(tmp_path, vendor, event):
    def of_vendor(run):
        of_amd(run)
        run["cpus"][0]["vendor"] = vendor

    known = made(tmp_path / "reference", change_run=of_vendor)
    file = tmp_path / "perf.csv"
    file.write_text(f"{COUNTED[event]},,branches:u,1000000,100.00,,\n", "ascii")
    said = say(known, file, "--kernel", "loop", "--same", status=compare.SAME)
    assert f" {event} usr " in said


def test_event_0_is_no_fixed_counter(tmp_path):
    """On AMD, r0100 is event 000H with unit mask 01H; on Intel, it is a fixed counter's event."""
    file = tmp_path / "perf.csv"
    file.write_text(f"{7 * N},,r0100:u,1000000,100.00,,\n", "ascii")
    known = source.folder(made(tmp_path / "reference"))
    for vendor, verdict in ((codes.AMD, "missing"), (codes.INTEL, "same")):
        other = files.load(file, formats.Subject("loop", vendor=vendor))
        assert compare.compare(known, other).rows[0].verdict == verdict


@pytest.mark.parametrize("more, least, verdict", [
    (0, 0, "same"), (9, 0, "same"), (-9, 0, "same"),  # within 1 %
    (100, 0, "high"), (-100, 0, "low"),
    (0, -100, "same")])  # one sample is below the lower bound
def test_a_lower_bound_under_linux(tmp_path, more, least, verdict):
    """An event with a lower bound may differ as much as an undeclared event."""
    def linux_of_amd(run):
        of_amd(run)
        from_linux(run)

    def add(row):
        if row["event"] == "LS_DISPATCH.LOADS" and row["kernel"] == "loop":
            count = str(int(row["median"]) + more)
            row |= dict.fromkeys(("min", "median", "mean", "max", "q1", "q3"), count)
            row["min"] = str(int(count) + least)

    known = source.folder(made(tmp_path / "reference"))
    other = source.folder(made(tmp_path / "linux", as_usr, add, change_run=linux_of_amd))
    rows = compare.compare(known, other).rows
    assert {row.event: row.verdict for row in rows} == {
        **dict.fromkeys(COUNTED, "same"), "LS_DISPATCH.LOADS": verdict}
