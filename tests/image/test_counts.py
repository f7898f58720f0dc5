# SPDX-License-Identifier: BSD-2-Clause
"""Counts are correct and complete on all CPUs and with PMU versions 1 to 5."""
import collections

import expect
import formulas
import pytest
import results
import windows
from conftest import DEFAULT_CPUS, plan_text
from levels import FULL, in_full, thinned

N_MAX = 3000 if FULL else 300  # the largest n that is drawn; the prover steps through each kernel


def test_default_plan_on_all_cpus(default_boot):
    assert default_boot.verdict == "PASS"
    found = default_boot.results
    assert found.status == results.PASSED and found.verdict_line == "PASS"
    assert {row["runs"] for row in found.rows if row["verdict"] != "unavailable"} == {"100"}
    expect.check_rows(found, DEFAULT_CPUS, expect.default_counts())


def test_caches_as_cpuid_has_them(default_boot):
    right = [(level, sets * ways * formulas.LINE)
             for level, (sets, ways) in enumerate(formulas.CACHES, 1)]
    for cpu in default_boot.results.run["cpus"]:
        assert [(cache["level"], cache["bytes"]) for cache in cpu["caches"]
                if cache["type"] != "code"] == right


def test_empty_is_zero_and_one_nop_is_one(default_boot):
    rows = default_boot.results.rows
    for kernel, instructions in (("empty", "0"), ("nop_1", "1")):
        declared = [r for r in rows if r["kernel"] == kernel and r["event"] in expect.DECLARED]
        assert len(declared) == DEFAULT_CPUS * len(expect.DECLARED)
        for row in declared:
            right = instructions if row["event"].startswith("INST_RETIRED") else "0"
            assert (row["min"], row["max"]) == (right, right), row


def test_cycles_and_mispredictions_follow_the_formulas_of_the_model(default_boot):
    """The formulas give the counts of a kernel whose branches the predictor has learned. The counts
    of the empty window are subtracted.
    """
    looked_at = 0
    for kernel in windows.BODIES:
        own = {source: str(windows.known(kernel, lambda cycles, source=source:
                                         formulas.total(cycles)[source]))
               for source in ("cycles", "mispredicts")}
        for row in default_boot.results.rows:
            if row["kernel"] != kernel:
                continue
            if row["event"] in (*expect.CYCLES, expect.REFERENCE):
                assert row["median"] == own["cycles"], (row, own)
            elif row["event"] == "BR_MISP_RETIRED.ALL_BRANCHES":
                assert row["median"] == own["mispredicts"], (row, own)
            else:
                continue
            looked_at += 1
    assert looked_at == DEFAULT_CPUS * len(windows.BODIES) * 4


def test_the_crystal_s_clock_ticks_at_its_own_rate(default_boot):
    """A tick is 84 cycles of fixed counter 2. A window may begin or end within a tick."""
    seen = collections.Counter()
    windows_of = collections.defaultdict(dict)
    for sample in default_boot.results.samples:
        run = sample["cpu"], sample["kernel"], sample["n"], sample["pass"], sample["attempt"]
        windows_of[run][sample["event"]] = int(sample["raw"])
    for (cpu, *_), counts in windows_of.items():
        if expect.BUS in counts:
            ticks, reference = counts[expect.BUS], counts[expect.REFERENCE]
            assert abs(ticks * expect.BUS_RATIO - reference) < expect.BUS_RATIO, counts
            seen.update({(cpu, "ticks"): ticks, (cpu, "reference"): reference})
    for cpu in range(DEFAULT_CPUS):
        rate = seen[str(cpu), "reference"] / seen[str(cpu), "ticks"]
        assert rate == pytest.approx(expect.BUS_RATIO, rel=0.01)
    rows = [row for row in default_boot.results.rows if row["event"] == expect.BUS]
    assert len(rows) == DEFAULT_CPUS * len(expect.kernels())
    assert {(row["unit"], row["verdict"], row["mhz"], row["ns"]) for row in rows} == {
        ("bus cycles", "measured", "", "")}


def test_what_fits_into_the_cache_does_not_miss_it(default_boot):
    """The model's caches hold every buffer."""
    rows = [r for r in default_boot.results.rows if r["event"].startswith("LONGEST_LAT_CACHE.")]
    assert len(rows) == DEFAULT_CPUS * len(expect.kernels()) * 2
    assert {(r["median"], r["verdict"]) for r in rows} == {("0", "measured")}


def test_samples_give_the_rows(default_boot):
    """Each accepted raw count, minus the empty window's least count, is the declared count."""
    found, counts = default_boot.results, expect.default_counts()
    window = {(cpu["cpu"], number, slot["event"]): slot["empty_window_min"]
              for cpu in found.run["cpus"] for number, slots in enumerate(cpu["passes"])
              for slot in slots}
    own_n = {k.name: str(k.default_n) for k in expect.kernels()}
    seen = collections.Counter()
    for sample in found.samples:
        count = expect.DECLARED.get(sample["event"])
        right = counts[sample["kernel"]].get(count)
        if right is None or sample["n"] != own_n[sample["kernel"]] or sample["accepted"] != "1":
            continue
        cost = window[int(sample["cpu"]), int(sample["pass"]), sample["event"]]
        assert int(sample["raw"]) - cost == right, sample
        seen[sample["cpu"], sample["kernel"], sample["event"]] += 1
    declared = [r for r in found.rows if r["verdict"] == "exact"]
    in_passes = collections.Counter((str(cpu), event) for cpu, _, event in window)
    assert seen == {(r["cpu"], r["kernel"], r["event"]): 100 * in_passes[r["cpu"], r["event"]]
                    for r in declared}


@in_full("counts on 1 and on 8 CPUs")
@pytest.mark.parametrize("cpus", [1, 8])
def test_counts_on_other_numbers_of_cpus(boot, seeded, cpus):
    n = seeded.randint(1, N_MAX)
    print("n", n)
    left = boot(cpus=cpus, plan=plan_text(n=n))
    assert left.verdict == "PASS" and left.results.status == results.PASSED
    expect.check_rows(left.results, cpus, expect.proved(n))


@pytest.mark.parametrize("version", thinned([1, 2, 3, 4, 5], (0,), "versions of the PMU"))
def test_counts_with_every_version(boot, seeded, version):
    n = seeded.randint(1, N_MAX)
    print("n", n)
    left = boot(cpus=1, props=f"pmu-version={version}", plan=plan_text(n=n))
    assert left.verdict == "PASS" and left.results.status == results.PASSED
    assert {cpu["pmu"]["version"] for cpu in left.results.run["cpus"]} == {version}
    expect.check_rows(left.results, 1, expect.proved(n), version)


@in_full("numbers of general counters")
@pytest.mark.parametrize("general", [8, 2, 1])
def test_as_many_passes_as_the_counters_need(boot, general):
    left = boot(cpus=1, props=f"pmu-gp={general}")
    assert left.verdict == "PASS"
    assert [len(cpu["passes"]) for cpu in left.results.run["cpus"]] == [expect.passes(general)]
    expect.check_rows(left.results, 1, expect.default_counts())


def test_narrow_counters(boot):
    left = boot(cpus=1, props="pmu-width=40,pmu-fixed-width=40,pmu-full-width=0")
    assert left.verdict == "PASS"
    expect.check_rows(left.results, 1, expect.default_counts())
