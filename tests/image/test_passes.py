# SPDX-License-Identifier: BSD-2-Clause
"""The passes for more events than counters, the events of each pass, and the samples."""
import collections

import expect
import pytest
from conftest import plan_text
from expect import row_of

RUNS, TWICE_RUNS = 5, 3  # TWICE_RUNS: samples at 2n, boot/measure/measure.h
COUNTERS = 4
# Pairs of the same event on a fixed and on a general counter. REF_TSC's twin counts crystal ticks.
TWINS = (("INST_RETIRED.ANY", "r00c0"), ("CPU_CLK_UNHALTED.THREAD", "r003c"),
         ("CPU_CLK_UNHALTED.REF_TSC", "r013c"))
THIRTEEN = (
    "BR_INST_RETIRED.ALL_BRANCHES", "BR_INST_RETIRED.NEAR_TAKEN", "BR_INST_RETIRED.CONDITIONAL",
    "BR_INST_RETIRED.NEAR_CALL", "BR_INST_RETIRED.NEAR_RETURN", "MEM_INST_RETIRED.ALL_LOADS",
    "MEM_INST_RETIRED.ALL_STORES", "MEM_LOAD_RETIRED.L1_HIT", "MEM_LOAD_RETIRED.L1_MISS",
    "BR_MISP_RETIRED.ALL_BRANCHES", "LONGEST_LAT_CACHE.REFERENCE", "LONGEST_LAT_CACHE.MISS",
    "L1D.REPLACEMENT")
KERNELS = ("empty", "nops", "load_store", "call_ret")


def slots_of(found):
    cpu, = found.run["cpus"]
    return {(number, slot["event"]): slot
            for number, slots in enumerate(cpu["passes"]) for slot in slots}


@pytest.fixture(scope="module")
def thirteen(boot_shared):
    plan = plan_text(cpus="boot", runs=RUNS, kernels=",".join(KERNELS)) + \
        "[events many]\n" + "".join(f"{event}\n" for event in THIRTEEN)
    return boot_shared(plan=plan, cpus=1)


def test_thirteen_events_on_four_counters(thirteen):
    assert thirteen.verdict == "PASS" and thirteen.results.run["errors"] == []
    passes = thirteen.results.run["cpus"][0]["passes"]
    assert len(passes) == -(-len(THIRTEEN) // COUNTERS) == 4
    for slots in passes:
        counters = [slot["counter"] for slot in slots]
        assert len(set(counters)) == len(counters)
    times = collections.Counter(event for _, event in slots_of(thirteen.results))
    assert {event: times[event] for event in THIRTEEN} == dict.fromkeys(THIRTEEN, 1)
    for kernel in KERNELS:
        for event in THIRTEEN:
            assert row_of(thirteen.results, kernel, event)["runs"] == str(RUNS)


def test_passes_can_be_checked_against_each_other(thirteen):
    slots, seen = slots_of(thirteen.results), collections.Counter()
    for sample in thirteen.results.samples:
        if sample["event"] == "INST_RETIRED.ANY" and sample["accepted"] == "1":
            cost = slots[int(sample["pass"]), sample["event"]]["empty_window_min"]
            assert int(sample["raw"]) - cost == expect.declared(
                sample["kernel"], "instructions", int(sample["n"])), sample
            seen[sample["kernel"], sample["pass"]] += 1
    assert seen == {(kernel, str(number)): RUNS + TWICE_RUNS
                    for kernel in KERNELS for number in range(4)}


def test_a_line_for_each_run_and_event(thirteen):
    found = thirteen.results
    events = collections.defaultdict(list)
    for number, event in slots_of(found):
        events[number].append(event)
    lines = collections.Counter((s["kernel"], s["n"], int(s["pass"]), int(s["attempt"]), s["event"])
                                for s in found.samples)
    own_n = {k.name: k.default_n for k in expect.kernels()}
    assert lines == {
        (kernel, str(own_n[kernel] * times), number, attempt, event): 1
        for kernel in KERNELS for times, runs in ((1, RUNS), (2, TWICE_RUNS))
        for number in range(4) for attempt in range(runs) for event in events[number]}


def test_a_time_stamp_in_every_sample(thirteen):
    stamps = collections.defaultdict(set)
    for sample in thirteen.results.samples:
        run = sample["kernel"], sample["n"], sample["pass"], sample["attempt"]
        stamps[run].add(int(sample["tsc"]))
    assert all(len(ticks) == 1 and min(ticks) > 0 for ticks in stamps.values())
    for kernel in KERNELS:
        row = row_of(thirteen.results, kernel, "TSC")
        assert (row["verdict"], row["unit"], row["runs"]) == ("measured", "tsc ticks", str(RUNS))


def test_the_empty_kernel_is_zero(thirteen):
    """The window's own count is subtracted."""
    rows = [row for row in thirteen.results.rows if row["kernel"] == "empty" and
            row["event"] in (*THIRTEEN, *expect.FIXED)]
    assert len(rows) >= len(THIRTEEN) + 1
    assert {(row["median"], row["q1"], row["q3"]) for row in rows} == {("0", "0", "0")}
    assert {row["min"] for row in rows} == {"0"}
    costs = {event: slot["empty_window_min"] for (_, event), slot in
             slots_of(thirteen.results).items()}
    assert costs["INST_RETIRED.ANY"] > 0 and costs["MEM_INST_RETIRED.ALL_LOADS"] > 0


def test_fixed_and_general_counters_agree(boot):
    """One write starts all counters, so the twins of fixed events have the same counts."""
    names = [f"T{turn}_{select}" for turn in range(COUNTERS) for _, select in TWINS]
    spare = [f"S{turn}" for turn in range(COUNTERS)]
    lines = []
    for turn in range(COUNTERS):  # an event before the twins moves them to other counters
        twins = [f"cpu/event=0x{select[3:]},umask={select[1:3]},name=T{turn}_{select}/"
                 for _, select in TWINS]
        twins.insert(turn, f"cpu/event=0xc4,umask=0,name=S{turn}/")
        lines += twins
    plan = plan_text(cpus="boot", runs=RUNS, kernels="empty,loop_dec_jnz,load_store") + \
        "[events twins]\n" + "\n".join([fixed for fixed, _ in TWINS] + lines) + "\n"
    left = boot(plan=plan, cpus=1)
    slots = slots_of(left.results)
    assert {event for _, event in slots} == {*names, *spare, *[fixed for fixed, _ in TWINS]}
    raw = collections.defaultdict(dict)
    for s in left.results.samples:
        raw[s["kernel"], s["n"], int(s["pass"]), s["attempt"]][s["event"]] = s["raw"]
    compared = set()
    for (*_, number, _), counts in raw.items():
        for name in set(counts) & set(names):
            fixed = dict((select, fixed) for fixed, select in TWINS)[name.split("_")[1]]
            ratio = expect.BUS_RATIO if fixed == expect.REFERENCE else 1
            assert abs(int(counts[name]) * ratio - int(counts[fixed])) < ratio, (name, counts)
            compared.add((number, fixed, slots[number, name]["counter"]))
    assert len(left.results.run["cpus"][0]["passes"]) == COUNTERS
    assert {(number, fixed) for number, fixed, _ in compared} == {
        (number, fixed) for number in range(COUNTERS) for fixed, _ in TWINS}
    assert {counter for *_, counter in compared} == {f"pmc{i}" for i in range(COUNTERS)}
