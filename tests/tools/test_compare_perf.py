# SPDX-License-Identifier: BSD-2-Clause
"""scripts/compare reads and compares the output of perf stat; errors name the line."""
import dataclasses
import re

import pytest

from compare import rows as compare
from compare import source as compare_source
import folders
from foreign import formats
from foreign import files
import results
from recorded import (
    BRANCHES, COUNTS, EVENTS, INSTRUCTIONS, N, PERF, SUBJECT, compared, verdicts)


@pytest.mark.parametrize("name, events", [
    ("x.csv", 4), ("x-semicolon.csv", 4), ("x-r.csv", 4), ("j.json", 4), ("j-r.json", 4),
    ("x-tab.csv", 2), ("x-de-semicolon.csv", 2), ("x-group.csv", 1), ("j-group.json", 1)])
def test_perf_counts_what_is_declared(tmp_path, name, events):
    result, rows = compared(tmp_path, PERF / name)
    same = [row for some in rows.values() for row in some if row.verdict == "same"]
    assert len(same) == events and result.status == compare.SAME
    assert all(row.other == row.reference and row.ring == "usr" for row in same)
    for row in (row for some in rows.values() for row in some if row.verdict == "refused"):
        assert row.ring == "os" and "rings differ" in row.reason


def test_one_percent_high_is_named_and_the_right_one_is_not(tmp_path):
    wrong = tmp_path / "wrong.csv"
    wrong.write_text((PERF / "x.csv").read_text().replace(
        "500055,,instructions:u", f"{500055 * 101 // 100},,instructions:u"))
    result, rows = compared(tmp_path, wrong)
    assert result.status == compare.DIFFERENT
    high = [row for some in rows.values() for row in some if row.verdict == "high"]
    assert [row.event for row in high] == ["INST_RETIRED.ANY"] and "+1.00%" in high[0].reason
    assert verdicts(rows)["BR_INST_RETIRED.ALL_BRANCHES"] == {"same"}


@pytest.mark.parametrize("name", ["x-multiplexed.csv", "j-multiplexed.json"])
def test_multiplexed_counts_are_refused(tmp_path, name):
    result, rows = compared(tmp_path, PERF / name)
    assert result.status == compare.NOTHING and rows
    for row in (row for some in rows.values() for row in some):
        assert row.verdict == "refused" and re.match(r"multiplexed: counted \d\d % of", row.reason)


def test_both_rings_are_refused_against_one(tmp_path):
    """Without :u, perf counts in both rings."""
    result, rows = compared(tmp_path, PERF / "x-d.csv")
    assert result.status == compare.NOTHING
    row, = rows["INST_RETIRED.ANY"]
    assert "the rings differ: this count is of both rings" in row.reason and ":u" in row.reason


def test_the_start_of_the_program_is_subtracted(tmp_path):
    """The counts at n=1 contain the cost of starting the program."""
    kernels = [folders.Kernel("linux_loop", {"cycles": (0, 1), **COUNTS}, n) for n in (1, N)]
    known = compare_source.folder(folders.make(tmp_path / "0001", 1, kernels, EVENTS))
    other = files.load(PERF / "x.csv", formats.Subject("linux_loop", n=N),
                               less=PERF / "x-n1.csv")
    result = compare.compare(known, other, compare.Options(less_n=1))
    same = {row.event: row.reference for row in result.rows if row.verdict == "same"}
    assert same == {"INST_RETIRED.ANY": INSTRUCTIONS[1] * (N - 1),
                    "BR_INST_RETIRED.ALL_BRANCHES": BRANCHES[1] * (N - 1)}
    assert result.status == compare.SAME


def test_a_kernel_at_several_n_wants_a_choice(tmp_path):
    """A kernel with several n needs --n, since n=100000 must not be compared with n=1."""
    kernels = [folders.Kernel("linux_loop", {"cycles": (0, 1), **COUNTS}, n) for n in (1, N)]
    known = compare_source.folder(folders.make(tmp_path / "0001", 1, kernels, EVENTS))
    result = compare.compare(known, files.load(PERF / "x.csv", SUBJECT))
    assert result.status == compare.NOTHING
    assert any("this event at n=1, 100000: specify --n" in row.reason for row in result.rows)
    less = files.load(PERF / "x.csv", SUBJECT, less=PERF / "x-n1.csv")
    assert compare.compare(known, less, compare.Options(less_n=1)).status == compare.SAME


def test_less_of_another_event_is_refused(tmp_path):
    _, rows = compared(tmp_path, PERF / "x.csv", less=PERF / "x-tab.csv")
    reasons = {row.reason for some in rows.values() for row in some if row.verdict == "refused"}
    assert any("no such count to subtract" in reason for reason in reasons)


@pytest.mark.parametrize("name", ["x-A.csv", "x-per-core.csv", "j-A.json"])
def test_rows_of_several_cpus_want_a_choice(tmp_path, name):
    with pytest.raises(results.Unreadable, match="--row"):
        files.load(PERF / name, SUBJECT)
    row = "S0-D0-C1" if "core" in name else "CPU1"
    source = files.load(PERF / name, dataclasses.replace(SUBJECT, row=row))
    # The counts include taskset and the program's start.
    values = {count.event: count.value for count in source.counts}
    assert values["instructions"] > 500055 and values["branches"] > 200009
    with pytest.raises(results.Unreadable, match="has no row CPU7"):
        files.load(PERF / name, dataclasses.replace(SUBJECT, row="CPU7"))


@pytest.mark.parametrize("name, words", [
    ("x-interval.csv", "line 1: .*no totals"), ("j-interval.json", "line 1: .*no totals"),
    ("x-de.csv", "line 1: .*decimal commas.*LC_ALL=C"),
    ("j-de.json", "line 1: .*decimal commas.*LC_ALL=C"),
    ("host-de.csv", "line 3: .*decimal commas.*LC_ALL=C"),
    ("host-de.json", "line 3: .*decimal commas.*LC_ALL=C"),
    ("plain.txt", "`perf stat -x,`"), ("host-plain.txt", "`perf stat -x,`")])
def test_what_cannot_be_read_is_refused_by_its_line(name, words):
    with pytest.raises(results.Unreadable, match=words):
        files.load(PERF / name, SUBJECT)


@pytest.mark.parametrize("name", ["host-not-supported.csv", "host-not-supported.json",
                                  "host-per-thread.csv"])
def test_what_perf_did_not_count_is_refused(tmp_path, name):
    result, rows = compared(tmp_path, PERF / name)
    (row,), = rows.values()
    assert row.verdict == "refused" and row.reason == "perf says it is not supported"
    assert result.status == compare.NOTHING


def test_newer_json_of_perf(tmp_path):
    """In perf 6.8's documentation, each metric is an object, and numbers may be JSON numbers."""
    newer = tmp_path / "newer.json"
    newer.write_text(
        '{"counter-value" : 500055, "unit" : "", "event" : "cpu_core/instructions/u", '
        '"event-runtime" : 12345, "pcnt-running" : 100.00}\n'
        '{"metric-value" : "2.490177", "metric-unit" : "insn per cycle"}\n'
        '{"metricgroup" : "TopdownL1"}\n')
    _, rows = compared(tmp_path, newer)
    assert verdicts(rows) == {"INST_RETIRED.ANY": {"same"}}


@pytest.mark.parametrize("line, words", [
    ("[1]", "an object of perf stat -j"),
    ('{"counter-value" : 5, "event" : "cycles", "pcnt-running" : 100.00}',
     '"event-runtime".*is the file complete'),
    ('{"counter-value" : 5, "event" : "cycles", "event-runtime" : "long", "pcnt-running" : 100.00}',
     "numbers in event-runtime and pcnt-running"),
    ('{"counter-value" : 5, "event" : "cycles", "event-runtime" : 1, "pcnt-running" : "all"}',
     "numbers in event-runtime and pcnt-running")])
def test_broken_json_of_perf_is_named_by_its_line(tmp_path, line, words):
    broken = tmp_path / "broken.json"
    broken.write_text('{"counter-value" : 5, "event" : "cycles", "event-runtime" : 1, '
                      '"pcnt-running" : 100.00}\n' + line + "\n")
    with pytest.raises(results.Unreadable, match=f"line 2: .*{words}"):
        files.load(broken, SUBJECT)
