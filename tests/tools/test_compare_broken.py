# SPDX-License-Identifier: BSD-2-Clause
"""Damaged or truncated files cause errors, and never lead to invented counts."""
import pytest

from compare import source as compare_source
import folders
from foreign import formats
from foreign import files
import results
from recorded import ALL, SUBJECT


@pytest.mark.parametrize("text, words", [
    ("INST_RETIRED: 2,00\n", "line 1: .*a number with a point"),
    ("INST_RETIRED: 2.00\nwhatever\n", "line 2: .*nanoBench"),
    ("", "empty"), ("hello\n", "line 1: .*found 'hello'"), ("INST_RETIRED: 2.0", "a newline"),
    ("500055,,instructions:u,1,100.00,,\n200009,,branches:u,\n", "line 2: .*file complete"),
    ("\0\n", "NUL bytes"),
    ('{"counter-value" : "5", "event" : "instructions:u"}\n', "line 1: .*event-runtime"),
    ('{"counter-value" : "5", "event" : \n', "line 1: .*file complete")])
def test_broken_files_are_named(tmp_path, text, words):
    path = tmp_path / "broken"
    path.write_text(text)
    with pytest.raises(results.Unreadable, match=words):
        files.load(path, SUBJECT)


@pytest.mark.parametrize("column", ["n", "min", "median", "mean", "q3", "per_iteration"])
def test_what_no_counter_can_reach_is_named(tmp_path, column):
    def change(row):
        if row["kernel"] == "load" and row["event"] == "INST_RETIRED.ANY":
            row[column] = "9" * 400

    folder = folders.make(tmp_path / "0001", change=change)
    with pytest.raises(results.Unreadable, match="results.csv: line .*: '9{20}...' is not a count"):
        compare_source.folder(folder)


def test_a_count_of_no_event_is_named(tmp_path):
    folder = folders.make(tmp_path / "0001", change=lambda row: row.update(event=""))
    with pytest.raises(results.Unreadable, match="results.csv: line 2: a count without an event"):
        compare_source.folder(folder)


def _counts(source):
    return {(count.place.kernel, count.event, count.ring, count.encoding, count.value)
            for count in source.counts if count.value is not None}


@pytest.mark.parametrize("path", ALL, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_file_cut_anywhere_tells_no_count_that_the_whole_does_not(tmp_path, path):
    subject = formats.Subject("k", row={"x-A.csv": "CPU1", "j-A.json": "CPU1",
                                        "x-per-core.csv": "S0-D0-C1", "host-A.csv": "CPU1",
                                        "two.csv": "HWThread 1"}.get(path.name, ""))
    text = path.read_text("utf-8")
    try:
        whole = _counts(files.load(path, subject))
    except results.Unreadable:
        whole = set()
    part = tmp_path / "part"
    for end in range(0, len(text), max(1, len(text) // 30)):
        part.write_text(text[:end])
        try:
            found = _counts(files.load(part, subject))
        except results.Unreadable:
            continue
        assert found <= whole, text[:end][-60:]
