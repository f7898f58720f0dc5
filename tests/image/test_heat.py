# SPDX-License-Identifier: BSD-2-Clause
"""Machines that are always hot, or whose clock dithers at the power limit."""
import pytest
import results
from conftest import plan_text
from expect import check_truth
from levels import in_full, thinned
from plural import counted

KERNELS = ("empty", "nops", "load_store")
RUNS = 3
HOT, CALIBRATION_TRIES = "heat, clock limit", 64
DITHER_US = 7  # shorter than a sample here, so that about half of the samples see a change
# The probability that fewer than RUNS of a kernel's six attempts are clean is 1 in 3. With so many
# kernels, at least one row is almost certainly noisy.
MANY = (*KERNELS, "nop_1", "loop_dec_jnz", "add_chain", "imul_chain", "load", "store", "call_ret",
        "rep_movsb", "branch_alternating")


def check(left, cpus, mode):
    """Returns the `noisy` rows, which must have a reason."""
    rows = left.results.rows
    counts = [row for row in rows if row["unit"] == "count"]
    check_truth(counts)
    assert len({row["cpu"] for row in counts}) == cpus
    assert {row["mode"] for row in rows} == {mode}
    noisy = [row for row in rows if row["noisy_by"]]
    assert [row for row in rows if row["verdict"] == "noisy"] == noisy
    assert {row["verdict"] for row in rows if row["unit"] != "count"} <= {"noisy", "measured"}
    assert left.results.status == results.PASSED
    by = noisy[0]["noisy_by"]
    assert left.results.verdict_line == f"PASS, {len(noisy)} rows of time noisy ({by})"
    assert left.console.rstrip().endswith(left.results.verdict_line)
    assert not left.results.run["errors"]
    return noisy


def uncore_clocks(left):
    """Returns two sets: the rows' values of uncore_mhz_low, and their values of uncore_mhz_high.

    The uncore's ratio is the core's minus four (tests/machine/PROPERTIES.md). The core's ratio is
    21 and, if the clock dithers, sometimes 23.
    """
    for row in filter(lambda row: row["uncore_mhz_low"], left.results.rows):
        assert float(row["uncore_mhz_low"]) <= float(row["uncore_mhz_high"])
    return [{row[f"uncore_mhz_{end}"] for row in left.results.rows} for end in ("low", "high")]


@pytest.mark.parametrize("cpus, mode", thinned(
    [(1, "serial"), (4, "serial"), (1, "parallel"), (4, "parallel")], (0,), "hot machines"))
def test_a_machine_that_is_always_hot(boot, cpus, mode):
    left = boot(cpus=cpus, plan=plan_text(kernels=",".join(KERNELS), runs=RUNS, mode=mode),
                props="pmu-hot=on")
    noisy = check(left, cpus, mode)
    assert len(noisy) == sum(row["unit"] != "count" for row in left.results.rows)
    assert {(row["noisy_by"], row["reason"]) for row in noisy} == {
        (HOT, f"window cost: only 0 samples of the empty window were clean, {CALIBRATION_TRIES} "
              "rejected (thermal limit)")}
    assert left.results.run["verdict"]["noisy_by"] == HOT
    assert uncore_clocks(left) == [{"1700"}, {"1700"}]


@in_full("dithering clocks")
@pytest.mark.parametrize("cpus, mode", [
    (1, "serial"), (4, "serial"), (1, "parallel"), (4, "parallel")])
def test_a_clock_that_dithers_at_the_power_limit(boot, cpus, mode):
    left = boot(cpus=cpus, plan=plan_text(kernels=",".join(MANY), runs=RUNS, mode=mode),
                props=f"pmu-dither-us={DITHER_US}")
    assert {row["noisy_by"] for row in check(left, cpus, mode)} == {"power limit"}
    low, high = uncore_clocks(left)
    assert low | high == {"1700", "1900"}


@in_full("Nehalem's dithering clock")
def test_nehalem_shows_its_ratio_in_another_byte(boot):
    """Nehalem has no log of limit reasons. The ratio in IA32_PERF_STATUS[7:0] shows a change in
    only about half of the samples, by chance.
    """
    left = boot(cpus=1, cpu="Nehalem", plan=plan_text(kernels=",".join(KERNELS), runs=RUNS),
                props=f"pmu-dither-us={DITHER_US}")
    noisy = [row for row in left.results.rows if row["verdict"] == "noisy"]
    assert {sample["evidence"] for sample in left.results.samples} == {"", "clock"}
    assert {(row["noisy_by"], row["unit"] == "count") for row in noisy} <= {
        ("clock changes", False)}
    by = f", {counted(len(noisy), 'row')} of time noisy (clock changes)" if noisy else ""
    assert left.results.verdict_line == f"PASS{by}"
    assert uncore_clocks(left) == [{""}, {""}]
