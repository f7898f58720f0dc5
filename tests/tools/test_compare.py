# SPDX-License-Identifier: BSD-2-Clause
"""Folders of bare metal and of Linux against each other: what is wrong is named, what is right not.

Kernels have counts by formulas; their seconds are those of their time stamps, so that what Linux
adds can be put in as constant + rate x seconds.
"""
import collections
import dataclasses

import pytest

import compare
import compare_match
import compare_source
import compare_tax
import folders

KERNELS = [folders.Kernel(
    f"k{i}", {"instructions": (3 + 50 * i, 2 + i), "branches": (i, 1 + i % 3),
              "cycles": (1000 * i, 1 + (i * 7) % 5 + 40 * i * i)}, n=1000 + 10 * i)
           for i in range(10)]
CONSTANT = 11  # counts


def set_count(row, count):
    row |= dict.fromkeys(("min", "median", "mean", "max", "q1", "q3"), str(count))


def seconds_of(row):
    """The time stamp's count of folders.row_of(), in seconds."""
    kernel = next(kernel for kernel in KERNELS if kernel.name == row["kernel"])
    return (kernel.count("cycles") + 60) / folders.TSC_HZ


def nothing(_):
    """As it should be."""


def is_instructions(row):
    return row["encoding"] == "r0100"


def one_percent(row):
    if is_instructions(row):
        set_count(row, round(int(row["median"]) * 1.01))


def constant(row):
    if is_instructions(row):
        set_count(row, int(row["median"]) + CONSTANT)


def lost(row):
    if is_instructions(row):
        set_count(row, int(row["median"]) - 4)


def one_kernel(row):
    if is_instructions(row) and row["kernel"] == "k5":
        set_count(row, int(row["median"]) + 3)


def wrong_encoding(row):
    """Said to be branches, counting mispredicted ones."""
    if row["encoding"] == "r00c4":
        row["encoding"] = "r00c5"


def wrong_event(row):
    """Said to be branches, by encoding too, but counting instructions."""
    if row["encoding"] == "r00c4":
        kernel = next(kernel for kernel in KERNELS if kernel.name == row["kernel"])
        set_count(row, kernel.count("instructions"))


def wrong_ring(row):
    row["ring"] = "both"


def multiplexed(row):
    if is_instructions(row):
        row |= {"verdict": "noisy", "median": "", "runs": "0",
                "reason": "only 0 of 5 samples were clean: 15 were rejected (multiplexed)"}


def make(folder, change=nothing, source="linux", change_run=None, **how):
    def of_source(run):
        run["source"] = source
        if change_run:
            change_run(run)

    def in_ring(row):
        if source == "linux":
            row["ring"] = "usr"
        change(row)

    return compare_source.folder(folders.make(
        folder, **{"cpus": 2, "kernels": KERNELS, **how}, change=in_ring, change_run=of_source))


@pytest.fixture
def bare(tmp_path):
    return make(tmp_path / "bare", source="bare metal")


def against(bare, tmp_path, change=nothing, **how):
    return compare.compare(bare, make(tmp_path / "linux", change, **how))


def by_event(result):
    """Event -> verdict -> rows."""
    found = collections.defaultdict(lambda: collections.defaultdict(list))
    for row in result.rows:
        found[row.event][row.verdict].append(row)
    return found


ROWS = 2 * len(KERNELS)  # of an event
INSTRUCTIONS, BRANCHES = "INST_RETIRED.ANY", "BR_INST_RETIRED.ALL_BRANCHES"


def test_the_same_counts_are_the_same(bare, tmp_path):
    """In ring 0 on bare metal, in ring 3 under Linux: each is the kernel's own ring."""
    result = against(bare, tmp_path)
    assert {row.verdict for row in result.rows} == {"same"} and len(result.rows) == 3 * ROWS
    assert result.status == compare.SAME and not result.refused
    assert any("at CPL 0, and Linux at CPL 3" in note for note in result.notes)
    assert all(tax.constant == 0 and not tax.rate and not tax.reason for tax in result.tax)


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
    """constant + rate x seconds, as it was put in; rounding leaves half a count. In the kernel's
    own ring little can come with time, in both rings much."""
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
    """A fifth more with time is an error, not a tax."""
    def fast(row):
        if is_instructions(row):
            set_count(row, round(int(row["median"]) + 20_000_000 * seconds_of(row)))

    assert "tax" not in by_event(against(bare, tmp_path, fast))[INSTRUCTIONS]


def test_a_constant_too_few_is_no_tax(bare, tmp_path):
    result = against(bare, tmp_path, lost)
    rows = by_event(result)[INSTRUCTIONS]
    assert set(rows) == {"low"} and "in all kernels about -4" in rows["low"][0].reason
    assert result.status == compare.DIFFERENT


def test_one_kernel_that_differs_is_named(bare, tmp_path):
    rows = by_event(against(bare, tmp_path, one_kernel))[INSTRUCTIONS]
    assert {row.kernel for row in rows["high"]} == {"k5"} and len(rows["same"]) == ROWS - 2
    assert "unlike the other kernels" in rows["high"][0].reason


def test_a_wrong_encoding_is_named(bare, tmp_path):
    found = by_event(against(bare, tmp_path, wrong_encoding))
    assert set(found[BRANCHES]) == {"refused"} and set(found[INSTRUCTIONS]) == {"same"}
    assert found[BRANCHES]["refused"][0].reason == \
        f"wrong encoding: {BRANCHES} is r00c4 in the reference and r00c5 here"


def test_counts_of_another_event_are_known_for_it(bare, tmp_path):
    """The encoding says branches, the counts are instructions."""
    found = by_event(against(bare, tmp_path, wrong_event))
    reasons = {row.reason for row in found[BRANCHES]["high"]}
    assert len(found[BRANCHES]["high"]) == ROWS
    assert all(f"these are the counts of {INSTRUCTIONS}: wrong encoding?" in reason
               for reason in reasons)


def test_another_ring_is_refused(bare, tmp_path):
    result = against(bare, tmp_path, wrong_ring)
    assert result.status == compare.NOTHING
    for row in result.rows:
        assert row.verdict == "refused" and "other ring" in row.reason and "ring=both" in row.reason


def test_both_rings_are_like_both_rings(tmp_path):
    known = make(tmp_path / "bare", wrong_ring, "bare metal")
    assert against(known, tmp_path, wrong_ring).status == compare.SAME


def test_multiplexed_rows_are_refused(bare, tmp_path):
    found = by_event(against(bare, tmp_path, multiplexed))
    assert set(found[INSTRUCTIONS]) == {"refused"} and set(found[BRANCHES]) == {"same"}
    assert found[INSTRUCTIONS]["refused"][0].reason.startswith("multiplexed: only 0 of 5")


def test_a_reference_that_is_off_is_never_right(tmp_path):
    def off(row):
        if is_instructions(row):
            row |= {"verdict": "off", "reason": "window cost"}

    found = by_event(against(make(tmp_path / "bare", off, "bare metal"), tmp_path))
    assert set(found[INSTRUCTIONS]) == {"refused"}
    assert found[INSTRUCTIONS]["refused"][0].reason == "the reference is off: window cost"


def test_linux_is_no_reference(bare, tmp_path):
    result = compare.compare(make(tmp_path / "linux"), bare)
    assert not result.rows and "not of bare metal" in result.refused[0]


@pytest.mark.parametrize("name, value", [("model", 86), ("stepping", 5), ("vendor", "AMD")])
def test_another_cpu_is_refused(bare, tmp_path, name, value):
    def other(run):
        run["cpus"][1][name] = value

    result = against(bare, tmp_path, change_run=other)
    assert not result.rows and result.status == compare.NOTHING
    assert f"another CPU: {name}" in result.refused[0] and "--machines" in result.refused[0]


def test_other_microcode_is_noted(bare, tmp_path):
    def other(run):
        run["cpus"][0]["microcode"] = "0x2"

    result = against(bare, tmp_path, change_run=other)
    assert result.status == compare.SAME and "APIC id 0: microcode 0x1 and 0x2" in result.notes


def test_a_kernel_of_other_bytes_is_refused(bare, tmp_path):
    def other(run):
        run["kernels"][3]["crc32"] = "0x0"

    result = against(bare, tmp_path, change_run=other)
    assert {row.kernel for row in result.rows if row.verdict == "refused"} == {"k3"}
    assert "other kernel: checksums 0x12345678 and 0x0" in result.refused[0]


def test_another_n_is_refused(bare, tmp_path):
    kernels = [dataclasses.replace(kernel, n=kernel.n * (1 + (kernel.name == "k2")))
               for kernel in KERNELS]
    result = against(bare, tmp_path, kernels=kernels)
    refused = [row for row in result.rows if row.verdict == "refused"]
    assert {row.kernel for row in refused} == {"k2"} and "other n: 1020 and 2040" in \
        refused[0].reason


def test_undeclared_counts_may_differ_by_their_resolution(bare, tmp_path):
    """Cycles: 2 counts or 1 % of the median, as README says of `differs`."""
    def slower(row):
        if row["encoding"] == "r0200" and row["kernel"] in ("k1", "k2"):
            part = 1.005 if row["kernel"] == "k1" else 1.05
            set_count(row, round(int(row["median"]) * part))

    rows = by_event(against(bare, tmp_path, slower))["CPU_CLK_UNHALTED.THREAD"]
    assert {row.kernel for row in rows["high"]} == {"k2"}


def test_two_runs_of_bare_metal_have_no_tax(bare, tmp_path):
    result = against(bare, tmp_path, constant, source="bare metal")
    rows = by_event(result)[INSTRUCTIONS]
    assert set(rows) == {"high"} and "constant: +11" in rows["high"][0].reason


def test_what_one_has_alone_is_missing(bare, tmp_path):
    result = against(bare, tmp_path, events=folders.EVENTS[:2])
    assert set(by_event(result)[BRANCHES]) == {"missing"} and result.status == compare.SAME


def test_few_kernels_tell_no_tax(bare, tmp_path):
    result = against(bare, tmp_path, constant, kernels=KERNELS[:3])
    rows = by_event(result)[INSTRUCTIONS]
    assert set(rows) == {"high", "missing"} and "too few kernels to tell: 3" in \
        rows["high"][0].reason


def test_a_fixed_counter_is_compared_with_the_general_one_of_its_meaning(tmp_path):
    """r0100 is r00c0, where only that is there."""
    general = (dataclasses.replace(folders.EVENTS[0], name="INST_RETIRED.ANY_P",
                                   encoding="r00c0", counter="pmc0"),)
    known = make(tmp_path / "bare", source="bare metal", events=general)
    result = against(known, tmp_path, events=folders.EVENTS[:1])
    assert {row.verdict for row in result.rows} == {"same"} and len(result.rows) == ROWS


def test_fits_that_explain_little_are_none():
    """Differences without an order are no tax, however wide their spread."""
    points = [compare_tax.Point(1e-6 * (i + 1), 1000.0 + i, (i * 7919 % 13) * 1000.0, 0)
              for i in range(13)]
    assert compare_tax.fit("event", "usr", points, True).constant is None


def test_rings_by_their_meaning():
    assert compare_source.claim_of("os", "os") == compare_source.claim_of("usr", "usr") == "own"
    assert compare_source.claim_of("os", "usr") == "other"
    assert set(compare_match.CLAIMS) == {"own", "both", "other"}
