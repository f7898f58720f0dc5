# SPDX-License-Identifier: BSD-2-Clause
"""Two lies of the model machine at a time, on a machine with two CPUs.

No row with a wrong number is `exact` or `within`, and rows that neither lie affects stay right.
"""
import itertools
import random

import expect
import pytest
import results
from conftest import SEED, plan_text
from levels import SOAK, in_full

KERNELS = ("empty", "nops", "load_store")
LIAR = "1"
IN_FULL = 12  # pairs that are drawn at random; `make soak` tries all pairs
AT = "pmu-inject-cpu=1,pmu-inject-open=745,pmu-inject-period=7,pmu-inject-after=3"
STATE = "[state]\npark=mwait\n"


def counter(name):
    return lambda row: row["cpu"] == LIAR and row["counter"] == name


def nothing(_):
    return False


def instructions_stop(row):
    """Whether the row is of fixed counter 0, or of a pass whose count of instructions differs from
    the first pass's.
    """
    return counter("fixed0")(row) or (row["cpu"] == LIAR and row["reason"].startswith("passes: "))


LIES = {  # lie of tests/machine/PROPERTIES.md: the declared rows that it may affect
    "pmu-stuck=1": counter("pmc1"),
    "pmu-stuck=32,pmu-stuck-from=760": instructions_stop,
    "pmu-off-by-one=2": counter("pmc2"),
    "pmu-wrong-ring=0": counter("pmc0"),
    "pmu-wrap=3": counter("pmc3"),
    "pmu-late=32": counter("fixed0"),
    "pmu-noisy=2": counter("pmc2"),
    "pmu-noisy=33": nothing,  # a counter of cycles, which no kernel declares
    "pmu-promised=2": nothing,
    "pmu-hang-cpu=1,pmu-hang-open=770": lambda row: row["cpu"] == LIAR,
    "pmu-asleep-cpu=1": nothing,
    "pmu-deaf-cpu=1,pmu-deaf-sipi=3": nothing,
    "pmu-exit-counts=7": lambda row: True,  # no counter passes its test, which counts instructions
    "pmu-gp-msr=0x34": nothing,
    "pmu-gp-msr=0x1d9": nothing,
    "pmu-zero-msr=0x1a6": nothing,
    "pmu-zero-msr=0x345": nothing,
    "pmu-left-running=on": nothing,
    "pmu-hot=on": nothing,
    "pmu-dither-us=1000": nothing,
    "pmu-mperf-slow=3623": nothing,
    "pmu-bus-slow=2500": nothing,
    "pmu-wrmsr-loads=1": nothing,
    "pmu-iret-user=on": nothing,
    "pmu-late-ref=500": nothing,
    "pmu-hypervisor=KVMKVMKVM": nothing,
    **{f"pmu-inject={what},{AT}": nothing for what in (
        "nmi", "thermal", "clock", "limit", "machine-check", "mc", "mc-elsewhere", "mc-sibling",
        "gap")},
}


def keys(lie):
    return {setting.partition("=")[0] for setting in lie.split(",")}


PAIRS = [pair for pair in itertools.combinations(LIES, 2) if not keys(pair[0]) & keys(pair[1])]
CHOSEN = PAIRS if SOAK else random.Random(SEED).sample(PAIRS, IN_FULL)


def check_rows(found, touched):
    """Rows that are `exact` or `within`, and declared rows that no lie affects, must be right."""
    counts = expect.default_counts()
    for row in found.rows:
        right = counts[row["kernel"]].get(expect.DECLARED.get(row["event"]))
        if right is None:
            assert row["verdict"] not in ("exact", "within"), row
        elif row["verdict"] in ("exact", "within"):
            assert row["min"] == row["max"] == str(right), row
    if untouched := [row for row in found.rows if not touched(row) and row["expected"] != ""]:
        expect.check_truth(untouched)


@in_full("two lies at a time")
@pytest.mark.parametrize("number", range(len(CHOSEN)))
def test_two_lies(boot, number):
    pair = CHOSEN[number]
    print(*pair)
    left = boot(cpus=2, plan=plan_text(kernels=",".join(KERNELS)) + STATE,
                props=",".join(("monitor=on", f"pmu-lie-cpu={LIAR}", *pair)))
    found = left.results
    check_rows(found, lambda row: any(LIES[lie](row) for lie in pair))
    assert found.run["complete"] is True
    assert {row["cpu"] for row in found.rows} == {"0", LIAR}
    assert left.console.rstrip().splitlines()[-1].strip() == found.verdict_line
    failing = [row for row in found.rows if results.fails(row)]
    assert found.status == (results.FAILED if failing else results.PASSED)
