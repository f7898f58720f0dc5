# SPDX-License-Identifier: BSD-2-Clause
"""Events by name: the forms that a plan accepts, the register values, and the counts."""
import expect
import formulas
import pytest
import windows
from conftest import plan_text
from expect import row_of, said_of_line
from levels import in_full

KERNELS = tuple(windows.BODIES)
RAW_LOADS = "cpu/event=0xd0,umask=0x81,name=RawLoads/"

# Event -> the declared count that its count must equal (None: its count must be 0), and the value
# of IA32_PERFEVTSELx without the ring bits and EN (tests/machine/README.md).
RIGHT = {
    "MEM_INST_RETIRED.ALL_LOADS": ("loads", 0x81d0),
    "mem_inst_retired:all_stores": ("stores", 0x82d0),
    "BR_INST_RETIRED.NEAR_TAKEN:c=0": ("taken_branches", 0x20c4),
    "RawLoads": ("loads", 0x81d0),
    "r82d0:k": ("stores", 0x82d0),
    "INST_RETIRED.ANY_P:u": (None, 0x00c0),  # kernels run at CPL 0
    "MEM_INST_RETIRED.ALL_LOADS|MEM_INST_RETIRED.ALL_STORES": (None, 0x83d0),
    "BR_INST_RETIRED.CONDITIONAL+BR_INST_RETIRED.NEAR_TAKEN": (None, 0x21c4),
    "Loads": ("loads", 0x81d0),
}
# Modifiers -> arguments of formulas.where().
PER_CYCLE = {
    "cmask=1": {"cmask": 1},
    "cmask=1:inv": {"cmask": 1, "inv": True},
    "cmask=4": {"cmask": 4},
    "c=4:i=1": {"cmask": 4, "inv": True},
    "cmask=1:edge": {"cmask": 1, "edge": True},
    "edge": {"edge": True},
    "c=2:e": {"cmask": 2, "edge": True},
}
WRONG = {
    "NO_SUCH_EVENT.LOADS": ("NO_SUCH_EVENT.LOADS", "no event of this name"),
    "MEM_INST_RETIRED.ALL_LOAD": ("nearest", "MEM_INST_RETIRED.ALL_LOADS"),
    "BR_INST_RETIRED.NEAR_TAKEN|MEM_INST_RETIRED.ALL_STORES": ("unit masks", "event number"),
    "INST_RETIRED.ANY_P:cmask=3:c=2": ("once", "cmask"),
    "INST_RETIRED.ANY_P:cmask=256": ("255", "256"),
    "INST_RETIRED.ANY_P:colour=1": ("colour",),
    "r4300c0": ("r4300c0",),
}
PLAN = plan_text(cpus="boot", kernels=",".join(KERNELS), events="names,cycles,wrong") + "\n".join((
    "[events names]", *[RAW_LOADS if name == "RawLoads" else
                        "Loads = NOT.HERE, MEM_INST_RETIRED.ALL_LOADS" if name == "Loads" else name
                        for name in RIGHT],
    "[events cycles]", "CPU_CLK_UNHALTED.THREAD_P",
    *[f"INST_RETIRED.ANY_P:{modifiers}" for modifiers in PER_CYCLE],
    "[events wrong]", *WRONG, "[events not_chosen]", "LONGEST_LAT_CACHE.MISS", ""))


@pytest.fixture(scope="module")
def named(boot_shared):
    """With pmu-rules=off, CPUID does not say which events have rules. The program therefore also
    counts events with ORed unit masks, for which the model has no rules.
    """
    return boot_shared(plan=PLAN, cpus=1, props="pmu-rules=off")


def test_names_and_raw_forms_count_what_the_kernels_declare(named):
    for event, (count, select) in RIGHT.items():
        for kernel in KERNELS:
            row = row_of(named.results, kernel, event)
            assert row["encoding"] == f"r{select:04x}", row
            right = str(expect.declared(kernel, count)) if count else "0"
            assert (row["min"], row["max"]) == (right, right), row


def test_a_name_that_is_unknown_loses_nothing_else(named):
    for line, words in WRONG.items():
        said_of_line(named, PLAN, line, *words)
        for kernel in KERNELS:
            row = row_of(named.results, kernel, line)
            assert (row["verdict"], row["counter"], row["runs"]) == ("unavailable", "", "0"), row
            assert row["reason"], row
    assert len(named.results.run["errors"]) == len(WRONG)
    assert named.verdict == "PASS" and named.results.run["complete"] is True


def test_groups_and_names_of_ones_own(named):
    """Of several alternatives, only the first one that the CPU knows is counted."""
    events = {row["event"] for row in named.results.rows}
    assert {"Loads", "RawLoads"} <= events
    assert not events & {"LONGEST_LAT_CACHE.MISS", "NOT.HERE", "LONGEST_LAT_CACHE.REFERENCE"}
    loads = row_of(named.results, "nops", "Loads")
    assert (loads["encoding"], loads["verdict"]) == ("r81d0", "exact"), loads


def test_modifiers_follow_the_formulas_of_the_model(named):
    """cmask, inv and edge apply per cycle. cmask=1 and its inverse together count all cycles."""
    for kernel in KERNELS:
        cycles = int(row_of(named.results, kernel, "CPU_CLK_UNHALTED.THREAD_P")["median"])
        counts = {}
        for modifiers, asked in PER_CYCLE.items():
            row = row_of(named.results, kernel, f"INST_RETIRED.ANY_P:{modifiers}")
            counts[modifiers] = int(row["median"])
            assert counts[modifiers] == windows.known(
                kernel, lambda window, asked=asked: formulas.where(
                    window, "instructions", **asked)), (kernel, modifiers)
        assert counts["cmask=1"] + counts["cmask=1:inv"] == cycles
        assert counts["cmask=4"] + counts["c=4:i=1"] == cycles
        assert counts["cmask=1:edge"] == counts["edge"]


FIELDS = ((23, "inverted (INV)"), (18, "edges (E)"), (21, "any thread of the core (ANY)"))
RINGS = {1: "CPL 1 to 3", 2: "CPL 0", 3: "every CPL"}  # bits 17:16, OS and USR


def in_words(control):
    """A select in words, according to SDM vol. 3B, figure of IA32_PERFEVTSELx."""
    assert control >> 22 & 1 and not control & (1 << 19 | 1 << 20), hex(control)
    flags = [f"threshold (CMASK) {control >> 24 & 0xff}"] if control >> 24 & 0xff else []
    flags += [words for bit, words in FIELDS if control >> bit & 1]
    return f"event {control & 0xff:02X}H, unit mask {control >> 8 & 0xff:02X}H, " + \
        RINGS[control >> 16 & 3] + ("; " + ", ".join(flags) if flags else "")


def test_every_select_is_explained(named):
    console = " ".join(named.console.split())
    explained = set()
    for slot in sum(named.results.run["cpus"][0]["passes"], []):
        words = slot["means"].split("; or fixed counter")[0]
        control = int(slot["control"], 16)
        if slot["counter"].startswith("fixed"):
            rings = RINGS[(control & 1) << 1 | control >> 1 & 1]
            assert words in (f"fixed counter {slot['counter'][5:]}, {rings}", in_words(
                0x4200c0 if slot["counter"] == "fixed0" else 0x42003c))
        else:
            assert words == in_words(control), slot
        assert f"{slot['event']} {words}" in console, slot
        explained.add(slot["event"])
    assert explained >= {row["event"] for row in named.results.rows
                         if row["verdict"] != "unavailable"} - {"TSC"}


ANY_PLAN = plan_text(cpus="boot", kernels="empty,nops", runs=3) + \
    "[events a]\nINST_RETIRED.ANY_P:any\nINST_RETIRED.ANY_P\n"


@in_full("AnyThread")
def test_any_thread(boot):
    """CPUID.0AH:EDX[15] says that AnyThread is deprecated."""
    new = boot(cpus=1, props="pmu-version=5", plan=ANY_PLAN)
    said_of_line(new, ANY_PLAN, "INST_RETIRED.ANY_P:any", "ANY")
    assert row_of(new.results, "nops", "INST_RETIRED.ANY_P:any")["verdict"] == "unavailable"
    assert row_of(new.results, "nops", "INST_RETIRED.ANY_P")["verdict"] == "exact"
    old = boot(cpus=1, props="pmu-version=4", plan=ANY_PLAN)
    assert old.results.run["errors"] == []
    row = row_of(old.results, "nops", "INST_RETIRED.ANY_P:any")
    right = str(expect.declared("nops", "instructions"))  # the core has no other thread
    assert (row["min"], row["max"], row["encoding"]) == (right, right, "r2000c0")
