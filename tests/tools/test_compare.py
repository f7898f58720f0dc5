# SPDX-License-Identifier: BSD-2-Clause
"""Compare folders of bare metal and of Linux: which counts are the same, and which are refused."""
import dataclasses
import types

import pytest

from compare import rows as compare
from compare import match
from compare import source
from events import codes
import folders
from two_folders import (
    BRANCHES, INSTRUCTIONS, KERNELS, ROWS, against, by_event, is_instructions, make,
    multiplexed, set_count, wrong_encoding, wrong_event, wrong_ring)


@pytest.fixture(name="bare")
def fixture_bare(tmp_path):
    return make(tmp_path / "bare", source="bare metal")


def test_the_same_counts_are_the_same(bare, tmp_path):
    """Counts in ring 0 on bare metal can be the same as counts in ring 3 under Linux."""
    result = against(bare, tmp_path)
    assert {row.verdict for row in result.rows} == {"same"} and len(result.rows) == 3 * ROWS
    assert result.status == compare.SAME and not result.refused
    assert any("at CPL 0, and Linux at CPL 3" in note for note in result.notes)
    assert all(tax.constant == 0 and not tax.rate and not tax.reason for tax in result.tax)


def test_a_wrong_encoding_is_named(bare, tmp_path):
    found = by_event(against(bare, tmp_path, wrong_encoding))
    assert set(found[BRANCHES]) == {"refused"} and set(found[INSTRUCTIONS]) == {"same"}
    assert found[BRANCHES]["refused"][0].reason == \
        f"wrong encoding: {BRANCHES} is r00c4 in the reference and r00c5 in the other source"


def test_counts_of_another_event_are_known_for_it(bare, tmp_path):
    found = by_event(against(bare, tmp_path, wrong_event))
    reasons = {row.reason for row in found[BRANCHES]["high"]}
    assert len(found[BRANCHES]["high"]) == ROWS
    assert all(f"these are the counts of {INSTRUCTIONS}: wrong encoding?" in reason
               for reason in reasons)


def test_another_ring_is_refused(bare, tmp_path):
    result = against(bare, tmp_path, wrong_ring)
    assert result.status == compare.NOTHING
    for row in result.rows:
        assert row.verdict == "refused" and "rings differ" in row.reason
        assert "ring=both" in row.reason


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
    assert found[INSTRUCTIONS]["refused"][0].reason == "the reference's verdict is off: window cost"


@pytest.mark.parametrize("side", ("bare", "linux", "both"))
def test_an_event_that_a_cpu_does_not_know_is_refused(bare, tmp_path, side):
    """An event that a CPU does not know has no encoding, so its name identifies it."""
    def unknown(row):
        if is_instructions(row):
            row |= {"verdict": "unavailable", "reason": "no such event", "median": "",
                    "encoding": ""}

    known = bare if side == "linux" else make(tmp_path / "known", unknown, "bare metal")
    found = by_event(against(known, tmp_path, *([] if side == "bare" else [unknown])))
    assert set(found[INSTRUCTIONS]) == {"refused"} and set(found[BRANCHES]) == {"same"}
    assert len(found[INSTRUCTIONS]["refused"]) == ROWS
    assert all("unavailable: no such event" in row.reason
               for row in found[INSTRUCTIONS]["refused"])


def test_linux_is_no_reference(bare, tmp_path):
    result = compare.compare(make(tmp_path / "linux"), bare)
    assert not result.rows and "not from bare metal" in result.refused[0]


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
    assert result.status == compare.SAME
    assert "APIC id 0: the microcode differs: 0x1 and 0x2" in result.notes


def test_another_mode_is_noted(bare, tmp_path):
    def parallel(row):
        row["mode"] = "parallel"

    assert "mode: serial and parallel" in against(bare, tmp_path, parallel).notes


def test_a_kernel_of_other_bytes_is_refused(bare, tmp_path):
    def other(run):
        run["kernels"][3]["crc32"] = "0x0"

    result = against(bare, tmp_path, change_run=other)
    assert {row.kernel for row in result.rows if row.verdict == "refused"} == {"k3"}
    assert "their checksums are 0x12345678 and 0x0" in result.refused[0]


def test_another_n_is_refused(bare, tmp_path):
    kernels = [dataclasses.replace(kernel, n=kernel.n * (1 + (kernel.name == "k2")))
               for kernel in KERNELS]
    result = against(bare, tmp_path, kernels=kernels)
    refused = [row for row in result.rows if row.verdict == "refused"]
    assert {row.kernel for row in refused} == {"k2"} and "n differs: 1020 and 2040" in \
        refused[0].reason


def test_undeclared_counts_may_differ_by_their_resolution(bare, tmp_path):
    """Cycles may differ by 2 counts or 1 % of the median, as for `differs` in docs/results.md."""
    def slower(row):
        if row["encoding"] == "r0200" and row["kernel"] in ("k1", "k2"):
            part = 1.005 if row["kernel"] == "k1" else 1.05
            set_count(row, round(int(row["median"]) * part))

    rows = by_event(against(bare, tmp_path, slower))["CPU_CLK_UNHALTED.THREAD"]
    assert {row.kernel for row in rows["high"]} == {"k2"}


@pytest.mark.parametrize("vendor, encoding, unit, counts", [
    (codes.INTEL, "r0300", "reference cycles", 25), (codes.INTEL, "r013c", "reference cycles", 25),
    (codes.INTEL, "r013c", "bus cycles", 2), (codes.INTEL, "", "tsc ticks", 25),
    (codes.INTEL, "r0200", "cycles", 2), (codes.AMD, "r100000120", "reference cycles", 25),
    (codes.AMD, "", "tsc ticks", 25)])
def test_reference_clocks_advance_in_steps(vendor, encoding, unit, counts):
    """Counts of a reference clock have the resolution of the slowest bus clock.

    A period of this clock (80 MHz) is 25 ticks of a TSC of 2 GHz.
    """
    count = types.SimpleNamespace(encoding=encoding, unit=unit, value=100, vendor=vendor)
    assert source.resolution(count, folders.TSC_HZ) == counts


def test_what_one_has_alone_is_missing(bare, tmp_path):
    result = against(bare, tmp_path, events=folders.EVENTS[:2])
    assert set(by_event(result)[BRANCHES]) == {"missing"} and result.status == compare.SAME


def test_a_fixed_counter_is_compared_with_the_general_one_of_its_meaning(tmp_path):
    """r0100, a fixed counter's event, is compared with r00c0 if the reference lists only r00c0."""
    general = (dataclasses.replace(folders.EVENTS[0], name="INST_RETIRED.ANY_P",
                                   encoding="r00c0", counter="pmc0"),)
    known = make(tmp_path / "bare", source="bare metal", events=general)
    result = against(known, tmp_path, events=folders.EVENTS[:1])
    assert {row.verdict for row in result.rows} == {"same"} and len(result.rows) == ROWS


def test_registers_are_no_counts(tmp_path):
    """All rows of the plan's section [msr] have the same encoding."""
    def registers(row):
        if row["encoding"] in ("r0100", "r00c4"):
            row |= {"encoding": "rdmsr", "event": f"MSR {row['encoding']}", "unit": "value"}

    known = make(tmp_path / "bare", registers, "bare metal")
    result = against(known, tmp_path, registers, source="bare metal")
    assert {row.event for row in result.rows} == {"CPU_CLK_UNHALTED.THREAD"}


def test_rings_by_their_meaning():
    assert source.claim_of("os", "os") == source.claim_of("usr", "usr") == "own"
    assert source.claim_of("os", "usr") == "other"
    assert set(match.CLAIMS) == {"own", "both", "other"}


def test_kernels_that_one_side_has_are_named(tmp_path):
    def sized(name, *params):
        return [dataclasses.replace(KERNELS[0], name=name, param=param) for param in params]

    bare = make(tmp_path / "bare", source="bare metal", kernels=[
        *KERNELS[:3], *sized("chase", "size=4096", "size=8192", ""), *sized("walk", "size=1", "")])
    result = against(bare, tmp_path, kernels=[
        *KERNELS[1:4], *sized("chase", "size=8192", "size=16384"), *KERNELS[5:6]])
    assert [note for note in result.notes if note.startswith("only ")] == [
        f"only {tmp_path}/bare has k0, chase size=4096, chase without parameters, walk",
        f"only {tmp_path}/linux has k3, chase size=16384, k5"]
    assert not [note for note in against(bare, tmp_path / "same", kernels=[
        *KERNELS[:3], *sized("chase", "size=4096", "size=8192", ""),
        *sized("walk", "size=1", "")]).notes if note.startswith("only ")]


def test_many_kernels_of_one_side_are_counted(tmp_path):
    bare = make(tmp_path / "bare", source="bare metal", kernels=[
        dataclasses.replace(KERNELS[0], name=f"k{number}") for number in range(40)])
    note, = (note for note in against(bare, tmp_path).notes if note.startswith("only "))
    first, last = len(KERNELS), len(KERNELS) + match.ONLY_SHOWN - 1
    assert note.startswith(f"only {tmp_path}/bare has k{first}, ")
    assert note.endswith(f", k{last} and {40 - last - 1} more")
