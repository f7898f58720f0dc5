# SPDX-License-Identifier: BSD-2-Clause
"""Counts: right on every CPU, with every version of the PMU, and never vanished."""
import collections

import expect
import pytest
import results
from conftest import plan_text

N_MAX = 3000


def test_default_plan_on_four_cpus(default_boot):
    assert default_boot.verdict == "PASS"
    found = default_boot.results
    assert found.status == results.PASSED and found.verdict_line == "PASS"
    assert {row["runs"] for row in found.rows if row["verdict"] != "unavailable"} == {"100"}
    expect.check_rows(found, 4, expect.default_counts())


def test_default_plan_is_quick(default_boot):
    assert default_boot.seconds < 60


def test_empty_is_zero_and_one_nop_is_one(default_boot):
    rows = default_boot.results.rows
    for kernel, instructions in (("empty", "0"), ("nop_1", "1")):
        declared = [r for r in rows if r["kernel"] == kernel and r["event"] in expect.DECLARED]
        assert len(declared) == 4 * len(expect.DECLARED)
        for row in declared:
            right = instructions if row["event"].startswith("INST_RETIRED") else "0"
            assert (row["min"], row["max"]) == (right, right), row


def test_cycles_follow_the_formula_of_the_model(default_boot):
    """tests/machine/README.md: an instruction is a cycle, a taken branch one more."""
    counts = expect.default_counts()
    looked_at = 0
    for row in default_boot.results.rows:
        instructions = counts[row["kernel"]]["instructions"]
        taken = counts[row["kernel"]]["taken_branches"]
        if row["event"] in expect.CYCLES:
            assert (row["min"], row["max"]) == (str(instructions + taken),) * 2, row
        elif row["event"] in expect.REFERENCE:
            assert (row["min"], row["max"]) == (str(instructions),) * 2, row
        else:
            continue
        looked_at += 1
    assert looked_at == 4 * len(expect.kernels()) * 4


def test_samples_give_the_rows(default_boot):
    """Each raw count, less what the empty window counted, is the declared one."""
    found, counts = default_boot.results, expect.default_counts()
    window = {(cpu["cpu"], slot["event"]): slot["empty_window_min"]
              for cpu in found.run["cpus"] for slots in cpu["passes"] for slot in slots}
    own_n = {k.name: str(k.default_n) for k in expect.kernels()}
    seen = collections.Counter()
    for sample in found.samples:
        count = expect.DECLARED.get(sample["event"])
        right = counts[sample["kernel"]].get(count)
        if right is None or sample["n"] != own_n[sample["kernel"]] or sample["accepted"] != "1":
            continue
        cost = window[int(sample["cpu"]), sample["event"]]
        assert int(sample["raw"]) - cost == right, sample
        seen[sample["cpu"], sample["kernel"], sample["event"]] += 1
    declared = [r for r in found.rows if r["verdict"] == "exact"]
    assert seen == {(r["cpu"], r["kernel"], r["event"]): 100 for r in declared}


@pytest.mark.parametrize("cpus", [1, 2, 8])
def test_counts_on_other_numbers_of_cpus(boot, seeded, cpus):
    n = seeded.randint(1, N_MAX)
    print("n", n)
    left = boot(cpus=cpus, plan=plan_text(n=n))
    assert left.verdict == "PASS" and left.results.status == results.PASSED
    expect.check_rows(left.results, cpus, expect.proved(n))


@pytest.mark.parametrize("version", [1, 2, 3, 4, 5])
def test_counts_with_every_version(boot, seeded, version):
    n = seeded.randint(1, N_MAX)
    print("n", n)
    left = boot(cpus=2, props=f"pmu-version={version}", plan=plan_text(n=n))
    assert left.verdict == "PASS" and left.results.status == results.PASSED
    assert {cpu["pmu"]["version"] for cpu in left.results.run["cpus"]} == {version}
    expect.check_rows(left.results, 2, expect.proved(n), version)


@pytest.mark.parametrize("props, passes", [("pmu-gp=8", 1), ("pmu-gp=2", 4), ("pmu-gp=1", 7)])
def test_as_many_passes_as_the_counters_need(boot, props, passes):
    left = boot(cpus=1, props=props)
    assert left.verdict == "PASS"
    assert [len(cpu["passes"]) for cpu in left.results.run["cpus"]] == [passes]
    expect.check_rows(left.results, 1, expect.default_counts())


def test_narrow_counters(boot):
    left = boot(cpus=1, props="pmu-width=40,pmu-fixed-width=40,pmu-full-width=off")
    assert left.verdict == "PASS"
    expect.check_rows(left.results, 1, expect.default_counts())


def test_counters_that_count_nothing_never_pass(boot):
    left = boot(cpus=2, props="pmu-mute=on")
    rows = left.results.rows
    counted = [r for r in rows if r["event"] in expect.EVENTS and r["event"] not in expect.ABSENT]
    assert len(counted) == 2 * len(expect.kernels()) * 10
    assert {r["verdict"] for r in counted} == {"off"}
    assert all("window cost" in r["reason"] for r in counted)
    assert left.verdict == f"FAIL {len(counted)}"
    assert left.results.status == results.FAILED
