# SPDX-License-Identifier: BSD-2-Clause
"""Kernels for several CPUs: two share a cache line, or one chases pointers while others run."""
import itertools
import re

import expect
import liars
import pytest
from conftest import plan_text
from levels import in_full, thinned

TO_AND_FRO = ("core_to_core", "core_to_core_lock", "core_to_core_two")
CHASES = ("loaded_none", "loaded_read", "loaded_write")
STORES, CYCLES = "MEM_INST_RETIRED.ALL_STORES", "CPU_CLK_UNHALTED.THREAD"
COUNTS = ("INST_RETIRED.ANY_P", "MEM_INST_RETIRED.ALL_LOADS", STORES)
# These events need only one pass. More passes would be slow, since CPUs of the model wait for each
# other.
FEW = "[events few]\n" + "\n".join((*COUNTS, CYCLES)) + "\n"
SHORT = {"runs": 2, "warmup": 1, "n": 3}


def matrix(console, kernel, cpus):
    head = re.search(rf"^{kernel}: cycles for each n.*\n +CPU((?: +\d+)+)\s*\n", console, re.M)
    assert head and head[1].split() == [str(i) for i in range(cpus)], kernel
    lines = console[head.end():].splitlines()[:cpus]
    return {(int(line.split()[0]), column): text for line in lines
            for column, text in enumerate(line.split()[1:])}


@pytest.mark.parametrize("mode, park", thinned(
    [("serial", "mwait"), ("parallel", "mwait"), ("serial", "firmware")], (1,),
    "mode of a run with pairs of CPUs"))
def test_every_pair_of_cpus(boot, mode, park):
    """Both CPUs of a pair have rows with n stores. CPUs that do not measure are parked as `park`
    says.
    """
    plan = plan_text(mode=mode, kernels=",".join(("nops", *TO_AND_FRO)), **SHORT) + FEW + \
        f"[state]\npark={park}\n"
    left = boot(cpus=4, plan=plan, props="monitor=on")
    assert left.verdict == "PASS"
    pairs = set(itertools.permutations("0123", 2))
    for kernel in TO_AND_FRO:
        rows = [r for r in left.results.rows if r["kernel"] == kernel and r["event"] == STORES]
        assert {(r["cpu"], r["partner"]) for r in rows} == pairs and len(rows) == len(pairs)
        for row in rows:
            assert (row["min"], row["max"], row["expected"], row["verdict"]) == (
                "3", "3", "3", "exact"), row
        shown = matrix(left.console, kernel, 4)
        assert len(shown) == 16
        for (line, column), text in shown.items():
            assert (text == "-") == (line == column), (kernel, shown)
    alone = [r for r in left.results.rows if r["kernel"] == "nops"]
    assert {r["partner"] for r in alone} == {""} and {r["cpu"] for r in alone} == set("0123")
    samples = [(s["cpu"], s["partner"]) for s in left.results.samples
               if s["kernel"] == "core_to_core" and s["event"] == STORES]
    assert set(samples) == pairs
    for cpu, partner in pairs:
        assert samples.count((cpu, partner)) >= 2 + 3


@in_full("pairs of four CPUs in MWAIT")
def test_parked_cpus_are_not_started_for_each_pair(boot, tmp_path):
    """With 256 CPUs, a call of StartupThisAP() for each pair would take an hour."""
    calls = []
    for kernels in ("core_to_core", "core_to_core,core_to_core_lock"):
        folder = tmp_path / str(len(calls))
        folder.mkdir()
        plan = plan_text(kernels=kernels, at_end="leave", **SHORT) + FEW + "[state]\npark=mwait\n"
        _, (start,) = liars.told(boot, folder, ["-"], plan=plan, cpus=4,
                                 props="monitor=on")
        assert start.verdict == "PASS"
        calls.append(start.calls["start_hangs"])
    assert calls[0] == calls[1] > 0


@in_full("pairs of CPUs that no store wakes")
def test_a_parked_cpu_that_no_store_wakes(boot):
    """An NMI wakes the parked CPU for its first pair. After that, the CPU stays awake."""
    left = boot(cpus=3, props="monitor=on,pmu-asleep-cpu=2",
                plan=plan_text(kernels="core_to_core", **SHORT) + FEW + "[state]\npark=mwait\n")
    assert left.verdict == "PASS" and not left.results.run["errors"]
    rows = [r for r in left.results.rows if r["event"] == STORES]
    assert {(r["cpu"], r["partner"]) for r in rows} == set(itertools.permutations("012", 2))
    assert {r["verdict"] for r in rows} == {"exact"}


def test_one_writes_another_reads(boot):
    """The CPU with the lower number writes."""
    left = boot(cpus=3, plan=plan_text(kernels="core_to_core_write", **SHORT) + FEW)
    assert left.verdict == "PASS"
    for row in left.results.rows:
        if row["event"] == STORES:
            stores = "3" if int(row["cpu"]) < int(row["partner"]) else "0"
            assert (row["min"], row["max"], row["verdict"]) == (stores, stores, "within"), row


@in_full("loaded latency for each CPU")
def test_each_chases_beside_the_others(boot):
    n = 50
    plan = plan_text(kernels=",".join(CHASES), runs=2, warmup=1, n=n) + FEW
    left = boot(cpus=4, plan=plan)
    assert left.verdict == "PASS"
    for kernel, event, cpu in itertools.product(CHASES, COUNTS, range(4)):
        row = expect.row_of(left.results, kernel, event, cpu)
        instructions_loads_stores = dict(zip(COUNTS, (3 * n + 1, n, 1)))
        right = str(instructions_loads_stores[event])
        assert (row["min"], row["max"], row["verdict"], row["partner"]) == (
            right, right, "exact", ""), row
    assert len(left.results.rows) == len(CHASES) * 4 * (len(COUNTS) + 3)


def test_one_cpu_is_not_enough(boot):
    left = boot(cpus=2, plan=plan_text(cpus="boot", kernels="nops,core_to_core,loaded_read"))
    sentence = "the kernel needs further CPUs, but the run has none"
    for kernel in ("core_to_core", "loaded_read"):
        rows = [r for r in left.results.rows if r["kernel"] == kernel]
        assert {(r["cpu"], r["verdict"], r["reason"]) for r in rows} == {
            ("0", "unavailable", sentence)}
        assert f"{kernel}: {sentence}" in left.console
    assert left.verdict == "PASS"
