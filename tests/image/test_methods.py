# SPDX-License-Identifier: BSD-2-Clause
"""The methods of counting: from 0, to an overflow, or by differences of running counters."""
import collections

import expect
from machine import program
import pytest
from conftest import plan_text
from expect import row_of
from levels import in_full

WIDTH = 40
RUNS = 3


# --- differences of running counters ---

# Each general counter is set to this many events before its wrap. Counter 0 wraps in a kernel of
# 1,000 instructions. The other counters wrap near the end of this kernel or after it. After
# the kernel, the window reads counters 14 times, with 9 instructions for each reading.
BEFORE_WRAP = {0: 500, 1: 1100, 2: 1120, 3: 1140}
FIXED_BEFORE_WRAP = 700
DELTAS = plan_text(cpus="boot", runs=RUNS, warmup=0, method="deltas", unsafe_msr="yes",
                   kernels="nops,empty,load_store") + "\n".join((
    "[msr before]",
    *[f"write {0xc1 + i:#x} {-n & 0xffffffff:#x}" for i, n in BEFORE_WRAP.items()],
    f"write 0x309 {-FIXED_BEFORE_WRAP & (1 << WIDTH) - 1:#x}",
    "[events same]", *[f"cpu/event=0xc0,umask=0,name=I{i}/" for i in BEFORE_WRAP], ""))


@pytest.fixture(scope="module")
def deltas(boot_shared):
    return boot_shared(plan=DELTAS, cpus=1, traced=True,
                       props=f"pmu-width={WIDTH},pmu-fixed-width={WIDTH},pmu-full-width=0")


def test_deltas_across_the_wrap(deltas):
    """Differences are computed modulo 2^WIDTH."""
    assert deltas.verdict == "PASS" and deltas.results.run["errors"] == []
    events = ["INST_RETIRED.ANY"] + [f"I{i}" for i in BEFORE_WRAP]
    for kernel in ("nops", "empty", "load_store"):
        right = str(expect.declared(kernel, "instructions"))
        for event in events:
            row = row_of(deltas.results, kernel, event)
            assert (row["min"], row["max"], row["verdict"]) == (right, right, "exact"), row
            assert row["runs"] == str(RUNS)
    for sample in deltas.results.samples:
        if sample["event"] in events:
            assert int(sample["raw"]) == expect.declared(
                sample["kernel"], "instructions", int(sample["n"])), sample


def test_counters_did_wrap(deltas):
    """In the trace, all five counters overflow in the first sample of nops. From the presets to the
    start of the next sample, no other value is written to a counter.
    """
    preset = -BEFORE_WRAP[0] & 0xffffffff
    openings, cleared, counters = None, 0, []
    for write in program.writes(deltas.trace):
        if write.msr == 0xc1 and write.value == preset:
            openings = 0
        if openings is None:
            continue
        openings += write.msr == expect.GLOBAL_CTRL and write.value != 0
        if openings == 2:
            break
        if write.msr == expect.OVF_CTRL:
            cleared |= write.value
        elif write.msr in (*expect.COUNTERS, *expect.FIXED_COUNTERS):
            counters.append(write.msr)
    assert openings == 2 and cleared == 1 << 32 | (1 << len(BEFORE_WRAP)) - 1
    assert counters == [*(0xc1 + i for i in BEFORE_WRAP), 0x309]


@in_full("every kernel by differences")
def test_deltas_agree_with_counts_from_zero(boot):
    left = boot(cpus=1, props="pmu-left-running=on", plan=plan_text(method="deltas"))
    assert left.verdict == "PASS"
    expect.check_rows(left.results, 1, expect.default_counts())
    for slot in sum(left.results.run["cpus"][0]["passes"], []):
        if slot["event"] in expect.DECLARED:
            assert (slot["empty_window_min"], slot["empty_window_max"]) == (0, 0), slot


# --- overflow after N events ---

OVERFLOW = 500
# A count is n plus the few branches of the window. With the chosen values of n, the counts
# therefore include OVERFLOW - 1, OVERFLOW and OVERFLOW + 1.
SWEEP = range(OVERFLOW - 6, OVERFLOW + 4)
OVERFLOW_PLAN = plan_text(cpus="boot", runs=RUNS, overflow_after=OVERFLOW) + f"""
[kernels]
loop_dec_jnz n={SWEEP[0]}..{SWEEP[-1]}+1
empty
"""


@pytest.fixture(scope="module")
def overflows(boot_shared):
    return boot_shared(plan=OVERFLOW_PLAN, cpus=1)


def test_a_preset_does_not_change_the_counts(overflows):
    assert overflows.verdict == "PASS" and overflows.results.run["errors"] == []
    looked_at = 0
    for row in overflows.results.rows:
        count = expect.DECLARED.get(row["event"])
        if count:
            right = str(expect.declared(row["kernel"], count, int(row["n"])))
            assert (row["min"], row["max"], row["verdict"]) == (right, right, "exact"), row
            looked_at += 1
    assert looked_at == (len(SWEEP) + 1) * len(expect.DECLARED)


def test_overflow_exactly_at_n(overflows):
    """A counter has overflowed after N or more events, not after N - 1. Fixed counter 2's overflow
    is not reported.
    """
    branches, states = {}, collections.defaultdict(set)
    for sample in overflows.results.samples:
        if sample["event"] == "TSC":
            continue
        told = sample["event"] != "CPU_CLK_UNHALTED.REF_TSC"
        overflowed = told and int(sample["raw"]) >= OVERFLOW
        assert sample["overflowed"] == str(int(overflowed)), sample
        states[sample["event"]].add(overflowed)
        if sample["event"] == "BR_INST_RETIRED.ALL_BRANCHES":
            branches[int(sample["raw"]) - OVERFLOW] = sample["overflowed"]
    assert (branches[-1], branches[0], branches[1]) == ("0", "1", "1")
    assert states["BR_INST_RETIRED.ALL_BRANCHES"] == {False, True}
    assert states["INST_RETIRED.ANY"] == states["INST_RETIRED.ANY_P"] == {False, True}
    assert states["MEM_INST_RETIRED.ALL_STORES"] == {False}
    both = [sample for sample in overflows.results.samples if int(sample["n"]) == OVERFLOW]
    assert {sample["overflowed"] for sample in both} == {"0", "1"}


def test_deltas_take_no_preset(boot):
    plan = plan_text(cpus="boot", kernels="nops", method="deltas", overflow_after=9)
    left = boot(plan=plan, cpus=1)
    expect.said_of_line(left, plan, "overflow_after=9", "method=deltas")
    assert row_of(left.results, "nops", "INST_RETIRED.ANY")["verdict"] == "exact"
