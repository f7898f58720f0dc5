# SPDX-License-Identifier: BSD-2-Clause
"""The tax that Linux adds to counts, and errors that are not a tax."""
import dataclasses

import pytest

from compare import rows as compare
from compare import tax as compare_tax
from two_folders import (
    BRANCHES, CONSTANT, INSTRUCTIONS, KERNELS, ROWS, against, by_event, constant,
    is_instructions, lost, make, one_kernel, one_percent, seconds_of, set_count, wrong_ring)


@pytest.fixture(name="bare")
def fixture_bare(tmp_path):
    return make(tmp_path / "bare", source="bare metal")


def test_one_percent_in_all_kernels_is_high(bare, tmp_path):
    result = against(bare, tmp_path, one_percent)
    found = by_event(result)
    assert len(found[INSTRUCTIONS]["high"]) == ROWS and set(found[BRANCHES]) == {"same"}
    assert all(row.reason.startswith("1.00% high in all kernels")
               for row in found[INSTRUCTIONS]["high"])
    assert result.status == compare.DIFFERENT


def test_a_constant_is_a_tax(bare, tmp_path):
    result = against(bare, tmp_path, constant)
    found = by_event(result)
    assert len(found[INSTRUCTIONS]["tax"]) == ROWS and set(found[BRANCHES]) == {"same"}
    tax, = [tax for tax in result.tax if tax.event == INSTRUCTIONS]
    assert (tax.constant, tax.rate, tax.part) == (CONSTANT, 0, None)
    assert result.status == compare.SAME
    row = found[INSTRUCTIONS]["tax"][0]
    assert row.difference == CONSTANT and row.per_iteration == CONSTANT / row.n


@pytest.mark.parametrize("rate, ring", [(100_000, "usr"), (20_000_000, "both")])
def test_a_tax_by_time_is_found(tmp_path, rate, ring):
    """The tax is constant + rate x seconds, but each count is rounded to a whole number."""
    def in_ring(row):
        if ring == "both":
            row["ring"] = "both"

    def taxed(row):
        in_ring(row)
        if is_instructions(row):
            set_count(row, round(int(row["median"]) + CONSTANT + rate * seconds_of(row)))

    result = against(make(tmp_path / "bare", in_ring, "bare metal"), tmp_path, taxed)
    tax, = [tax for tax in result.tax if tax.event == INSTRUCTIONS]
    assert abs(tax.rate - rate) < rate / 50 and abs(tax.constant - CONSTANT) < 2
    assert tax.residual < 3 and tax.part is None
    rows = by_event(result)[INSTRUCTIONS]
    assert set(rows) <= {"tax", "high", "low"} and len(rows["tax"]) >= 0.9 * ROWS


def test_a_rate_that_no_system_has_in_the_own_ring_is_none(bare, tmp_path):
    def fast(row):
        if is_instructions(row):
            set_count(row, round(int(row["median"]) + 20_000_000 * seconds_of(row)))

    assert "tax" not in by_event(against(bare, tmp_path, fast))[INSTRUCTIONS]


def restless(part, ring):
    """Set the median, mean, q3 and max to the same number: the median, plus a part of it, plus 500.
    """
    def change(row):
        row["ring"] = ring
        if is_instructions(row):
            more = str(round(int(row["median"]) * (1 + part)) + 500)
            row |= dict.fromkeys(("median", "mean", "q3", "max"), more)
    return change


def test_what_comes_and_goes_in_both_rings_is_a_tax(tmp_path):
    """Interrupts can raise counts of the ring `both` in some samples. With such interrupts, the
    tax's rate is computed from the mean counts.
    """
    known = make(tmp_path / "bare", wrong_ring, "bare metal")
    result = against(known, tmp_path, restless(0, "both"))
    rows = by_event(result)[INSTRUCTIONS]
    assert len(rows["tax"]) == ROWS
    assert "+0 in the quietest sample, a further +500 in others" in rows["tax"][0].reason
    tax, = [tax for tax in result.tax if tax.event == INSTRUCTIONS]
    rate = 500 * len(KERNELS) / sum(seconds_of({"kernel": kernel.name}) for kernel in KERNELS)
    assert tax.constant == 0 and abs(tax.rate - rate) < rate / 1e6


def test_what_comes_and_goes_in_one_kernel_is_high(bare, tmp_path):
    """Interrupts add far less than 1 % to counts of the kernel's own ring."""
    def one(row):
        if row["kernel"] == "k5":
            restless(0.01, "usr")(row)

    rows = by_event(against(bare, tmp_path, one))[INSTRUCTIONS]
    assert {row.kernel for row in rows["high"]} == {"k5"} and len(rows["same"]) == ROWS - 2


@pytest.mark.parametrize("slopes", [{2}, {0, 2}])
def test_a_part_of_counts_that_are_alike_is_no_constant(tmp_path, slopes):
    """Counts that are 1 % too high are not a tax, even if all kernels have the same excess, 20."""
    kernels = [dataclasses.replace(kernel, n=1000, counts={
        **kernel.counts, "instructions": (0, 0 if i == 9 else max(slopes))} if 0 in slopes else {
        **kernel.counts, "instructions": (0, 2)}) for i, kernel in enumerate(KERNELS)]
    known = make(tmp_path / "bare", source="bare metal", kernels=kernels)
    result = against(known, tmp_path, one_percent, kernels=kernels)
    rows = by_event(result)[INSTRUCTIONS]
    assert set(rows) <= {"high", "same"} and len(rows["high"]) >= ROWS - 2
    assert all("1.00%" in row.reason for row in rows["high"])


def test_a_constant_that_a_kernel_without_counts_has_too_is_a_tax(tmp_path):
    kernels = [dataclasses.replace(kernel, n=1000, counts={
        **kernel.counts, "instructions": (0, 0 if i == 9 else 2)})
               for i, kernel in enumerate(KERNELS)]
    known = make(tmp_path / "bare", source="bare metal", kernels=kernels)
    assert set(by_event(against(known, tmp_path, constant, kernels=kernels))[INSTRUCTIONS]) == \
        {"tax"}


def test_what_comes_and_goes_in_the_own_ring_is_high(bare, tmp_path):
    """Interrupts add far less than 50 % to counts of the kernel's own ring."""
    rows = by_event(against(bare, tmp_path, restless(0.5, "usr")))[INSTRUCTIONS]
    assert set(rows) == {"high"} and "in the quietest sample, a further " in rows["high"][0].reason


def test_a_sample_below_what_is_declared_is_low(bare, tmp_path):
    """A low sample is reported even if the median is right, since no operating system removes
    counts."""
    def short(row):
        if is_instructions(row) and row["kernel"] == "k3":
            row["min"] = str(int(row["min"]) - 5)

    rows = by_event(against(bare, tmp_path, short))[INSTRUCTIONS]
    assert {row.kernel for row in rows["low"]} == {"k3"} and len(rows["same"]) == ROWS - 2


def test_a_constant_too_few_is_no_tax(bare, tmp_path):
    result = against(bare, tmp_path, lost)
    rows = by_event(result)[INSTRUCTIONS]
    assert set(rows) == {"low"} and "-4 is common to all kernels" in rows["low"][0].reason
    assert result.status == compare.DIFFERENT


def test_one_kernel_that_differs_is_named(bare, tmp_path):
    rows = by_event(against(bare, tmp_path, one_kernel))[INSTRUCTIONS]
    assert {row.kernel for row in rows["high"]} == {"k5"} and len(rows["same"]) == ROWS - 2
    assert "unlike the other kernels" in rows["high"][0].reason


def test_two_runs_of_bare_metal_have_no_tax(bare, tmp_path):
    result = against(bare, tmp_path, constant, source="bare metal")
    rows = by_event(result)[INSTRUCTIONS]
    assert set(rows) == {"high"} and "constant: +11 is common" in rows["high"][0].reason


def test_few_kernels_tell_no_tax(bare, tmp_path):
    result = against(bare, tmp_path, constant, kernels=KERNELS[:3])
    rows = by_event(result)[INSTRUCTIONS]
    assert set(rows) == {"high", "missing"} and "too few kernels to tell: 3" in \
        rows["high"][0].reason


def test_fits_that_explain_little_are_none():
    points = [compare_tax.Point(1e-6 * (i + 1), 1000.0 + i, (i * 7919 % 13) * 1000.0, 0)
              for i in range(13)]
    assert compare_tax.fit("event", "usr", points, True).constant is None


@pytest.mark.parametrize("counts, part", [((1000, 2000), None), ((1000, 2000, 4000), 0.01)])
def test_two_counts_tell_no_part(counts, part):
    """A line fits any two counts. Only a third count distinguishes a tax of 300 from a tax of 1
    %."""
    points = [compare_tax.Point(1e-3, float(count), 300 + count / 100, 2)
              for count in counts for _ in range(6)]
    assert compare_tax.fit("event", "usr", points, True).part == (part and pytest.approx(part))
