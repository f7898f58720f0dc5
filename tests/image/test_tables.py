# SPDX-License-Identifier: BSD-2-Clause
"""Event tables on the stick: a user's valid, wrong and random files, and tables of core types."""
import random

import expect
import pytest
from conftest import SEED, plan_text
from expect import complaints, row_of
from levels import in_full

FOLDER = "barecount/events"
HEAD = "barecount-events,1,mine\nname,select,counters,fixed,flags,msr,value,description\n"
MIB = 1 << 20
KERNELS = ("empty", "load_store", "loop_dec_jnz")

OWN = HEAD + "\n".join((
    "MY.LOADS,81d0,c,,,,,on counters 2 and 3 only",
    'MY.STORES,82d0,,,a,,,"alone, and with a comma"',
    "MEM_INST_RETIRED.ALL_STORES,81d0,,,,,,loads as the user wants it",
    "D0.82 NANO.STORES",
    "C0.00.CMSK=1.INV NANO.IDLE",
    "MY.BROKEN,zz,,,,,,no number",
    "MY.SHORT,82d0",
    "MY.LONG,81d0,,,,,,,,,",
    'MY.QUOTES,81d0,,,,,,"no end',
    "MY.MSR,81d0,,,,123,1,a register that is none of an event",
    "MY.ENABLED,4381d0,,,,,,bits that no event has",
    "for,GenuineIntel,6,9e,,", "MY.ELSEWHERE,81d0,,,,,,",
    "for,GenuineIntel,6,55,0-4,", "MY.HERE,81d0,,,,,,",
    "for", "MY.BEHIND,81d0,,,,,,",
    "for,GenuineIntel,six,,,",
    "MY.NOWHERE,81d0,,,,,,", "for", "MY.LAST,81d0,,,,,,"))  # the last line has no newline
BROKEN = {"MY.BROKEN": ("select", "zz"), "MY.LONG": ("8 fields", "found 11"),
          "MY.QUOTES": ("quotes",), "MY.MSR": ("msr", "1a6"), "MY.ENABLED": ("select", "EN"),
          "for,GenuineIntel,six": ("family", "six")}

# Event -> the declared count that its count must equal.
RIGHT = {
    "MY.LOADS": "loads", "MY.STORES": "stores", "MEM_INST_RETIRED.ALL_STORES": "loads",
    "NANO.STORES": "stores", "MY.SHORT": "stores", "MY.HERE": "loads", "MY.BEHIND": "loads",
    "MY.LAST": "loads", "MARKED.LOADS": "loads", "WINDOWS.LOADS": "loads",
}
ABSENT = ("MY.BROKEN", "MY.LONG", "MY.QUOTES", "MY.MSR", "MY.ENABLED", "MY.ELSEWHERE",
          "MY.NOWHERE", "WIDE.LOADS")
PLAN = plan_text(cpus="boot", runs=3, kernels=",".join(KERNELS)) + \
    "[events own]\n" + "".join(f"{event}\n" for event in (*RIGHT, "NANO.IDLE", *ABSENT))


@pytest.fixture(scope="module")
def tables(boot_shared):
    print("seed", SEED)
    marked = HEAD + "MARKED.LOADS,81d0,,,,,,\n"
    windows = (HEAD + "WINDOWS.LOADS,81d0,,,,,,\n").replace("\n", "\r\n")
    wide = (HEAD + "WIDE.LOADS,81d0,,,,,,\n").replace("\n", "\r\n")
    return boot_shared(plan=PLAN, cpus=1, files={
        f"{FOLDER}/mine.csv": OWN,
        f"{FOLDER}/marked.csv": b"\xef\xbb\xbf" + marked.encode("ascii"),
        f"{FOLDER}/windows.csv": windows,
        f"{FOLDER}/wide.csv": b"\xff\xfe" + wide.encode("utf-16-le"),
        f"{FOLDER}/random.csv": b"r" + random.Random(SEED).randbytes(MIB),  # no empty first line
        f"{FOLDER}/nothing.csv": b"",
    })


def test_events_of_ones_own(tables):
    """A user's event may replace an event of the shipped table. A `for` line limits the lines after
    it to some CPUs. Lines in nanoBench's form, a BOM, CRLF and a missing last newline are accepted.
    """
    assert tables.verdict == "PASS" and tables.results.run["complete"] is True
    for event, count in RIGHT.items():
        for kernel in KERNELS:
            right = str(expect.declared(kernel, count))
            row = row_of(tables.results, kernel, event)
            assert (row["min"], row["max"]) == (right, right), row
    assert row_of(tables.results, "empty", "MY.LOADS")["counter"] in ("pmc2", "pmc3")
    assert row_of(tables.results, "empty", "NANO.IDLE")["encoding"] == "r18000c0"


def test_an_event_that_is_taken_alone(tables):
    """No other event of the pass is on a general counter."""
    passes = tables.results.run["cpus"][0]["passes"]
    where = [slots for slots in passes if "MY.STORES" in [slot["event"] for slot in slots]]
    assert [[slot["event"] for slot in slots if slot["counter"].startswith("pmc")]
            for slots in where] == [["MY.STORES"]]


@pytest.mark.parametrize("start", BROKEN)
def test_a_malformed_line_is_named(tables, start):
    number, = [i for i, line in enumerate(OWN.splitlines(), 1) if line.startswith(start)]
    place = rf"events\mine.csv:{number}:"
    for said in (complaints(tables), tables.results.run["errors"]):
        assert any(place in text and all(word in text for word in BROKEN[start])
                   for text in said), (place, said)


def test_only_malformed_lines_are_lost(tables):
    errors = [text for text in tables.results.run["errors"] if r"events\mine.csv:" in text]
    assert len(errors) == len(BROKEN), errors
    for event in ABSENT:
        assert row_of(tables.results, "empty", event)["verdict"] == "unavailable"


def test_files_that_are_no_tables(tables):
    errors = tables.results.run["errors"]
    assert sum(r"events\wide.csv:1:" in text and "UTF-16" in text for text in errors) == 1
    assert sum(r"events\random.csv:1:" in text and "barecount-events" in text
               for text in errors) == 1
    assert not [text for text in errors if "marked.csv" in text or "windows.csv" in text]


INDEX = """barecount-index,1
core.csv,GenuineIntel,6,6a,,core
atom.csv,GenuineIntel,6,6a,,atom
"""
# One name has a different encoding on each core type (tests/machine/README.md).
CORE = HEAD + "MEM.SOME,81d0,,,,,,loads\nONLY.CORE,81d0,,,,,,\n"
ATOM = HEAD + "MEM.SOME,82d0,,,,,,stores\nONLY.ATOM,82d0,,,,,,\n"


@in_full("a table for each kind of core")
def test_a_table_for_each_kind_of_core(boot):
    names = ("MEM.SOME", "ONLY.CORE", "ONLY.ATOM")
    plan = plan_text(kernels="load_store,store") + "[events own]\n" + "\n".join(names) + "\n"
    left = boot(cpu="Icelake-Server", props="pmu-core-type=0x40", plan=plan,
                cpus="1,sockets=1,cores=2,threads=1,maxcpus=2", files={
                    f"{FOLDER}/index.csv": INDEX, f"{FOLDER}/core.csv": CORE,
                    f"{FOLDER}/atom.csv": ATOM}, more=(
                    "-device", "Icelake-Server-x86_64-cpu,pmu=on,model=106,pmu-core-type=0x20,"
                    "socket-id=0,die-id=0,core-id=1,thread-id=0"))
    assert [cpu["core_type"] for cpu in left.results.run["cpus"]] == ["core", "atom"]
    for cpu, count, own, other in ((0, "loads", "ONLY.CORE", "ONLY.ATOM"),
                                   (1, "stores", "ONLY.ATOM", "ONLY.CORE")):
        for kernel in ("load_store", "store"):
            right = str(expect.declared(kernel, count))
            for event in ("MEM.SOME", own):
                row = row_of(left.results, kernel, event, cpu)
                assert (row["min"], row["max"]) == (right, right), row
            assert row_of(left.results, kernel, other, cpu)["verdict"] == "unavailable"
