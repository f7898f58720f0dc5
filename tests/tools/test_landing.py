# SPDX-License-Identifier: BSD-2-Clause
"""Runs from any stick land in results/ on the host, each run always in the same folder."""
import csv
import json
import shutil
import struct

import folders
import landing
import old_runs
import pytest

JOURNAL = struct.Struct("<4sIQ16x")  # magic, type, id of the run: pmu/journal/journal.h
START, NAME = "2026-11-23T10:45:12", "20261123-104512"


def run(folder, number, started=START, label="", run_id=None, change=None):
    def put(run):
        run |= {"started": started, "label": label}
        if change:
            change(run)

    made = folders.make(folder / f"{number:04}", run_number=number, change_run=put)
    if run_id is not None:
        (made / "journal.bin").write_bytes(JOURNAL.pack(b"BCJ1", 1, run_id))
    return made


def land(results, *runs):
    """Pass copies of runs to landing.land(); returns the names of the runs' folders."""
    with landing.room(results) as room:
        copies = [room / one.name for one in runs]
        for one, copy in zip(runs, copies):
            shutil.copytree(one, copy)
        return [target.name for target in landing.land(results, copies)]


def content(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def index(results):
    with open(results / "index.csv", newline="", encoding="ascii") as file:
        return {line["folder"]: line for line in csv.DictReader(file)}


@pytest.mark.parametrize("started, label, name", [
    (START, "", NAME), (START, "two words", f"{NAME}-two-words"), (f"{START}Z", "x", f"{NAME}-x"),
    (START, "../a/../b c\\..", f"{NAME}-a-..-b-c"), (START, "/", NAME),
    ("", "", "0007-89abcdef"), ("", "cold", "0007-89abcdef-cold"), ("soon", "", "0007-89abcdef"),
])
def test_a_run_is_named_by_its_start_and_label(tmp_path, started, label, name):
    source = run(tmp_path, 7, started, label, 0x0123456789abcdef)
    assert land(tmp_path / "results", source) == [name]
    assert content(tmp_path / "results" / name) == content(source)


def test_sticks_are_never_mixed(tmp_path):
    """Two runs may have the same number and start time, or no date."""
    results = tmp_path / "results"
    dated = [run(tmp_path / stick, 1, run_id=one) for stick, one in (("a", 1), ("b", 0x2b))]
    undated = [run(tmp_path / stick, 1, "", run_id=one) for stick, one in (("c", 3), ("d", 4))]
    names = [NAME, f"{NAME}-0000002b", "0001-00000003", "0001-00000004"]
    for _ in range(2):
        assert [land(results, one)[0] for one in (*dated, *undated)] == names
        assert sorted(path.name for path in results.iterdir()) == sorted(
            [*names, "index.csv", "latest"])
    for name, one in zip(names, (*dated, *undated)):
        assert content(results / name) == content(one)


def test_without_a_journal_content_tells_runs_apart(tmp_path):
    """Without an id in run.json, folders with equal contents are taken for the same run."""
    one, same = (run(tmp_path / stick, 1, change=lambda run: run.update(run="")) for stick in "ab")
    other = run(tmp_path / "c", 1, change=lambda run: run.update(run="", errors=["another stick"]))
    first, again, second = (land(tmp_path / "results", of)[0] for of in (one, same, other))
    assert first == again == NAME and second.startswith(f"{NAME}-")
    assert content(tmp_path / "results" / second) == content(other)


def test_without_a_journal_its_id_stands_in_run_json(tmp_path):
    told = {"run": "0001-0123456789abcdef"}
    whole = run(tmp_path / "a", 1, change=lambda run: run.update(told))
    part = run(tmp_path / "b", 1, change=lambda run: run.update(told))
    (part / "results.csv").unlink()
    assert land(tmp_path / "results", part) == land(tmp_path / "results", whole) == [NAME]


def test_a_copy_with_less_takes_nothing_away(tmp_path):
    """A truncated copy of a file does not replace the file that is there.

    A longer copy that begins with the same bytes replaces the file, as long as no copy contains
    run.json.
    """
    results, source = tmp_path / "results", run(tmp_path, 1, run_id=5)
    (source / "run.json").unlink()
    table = (source / "results.csv").read_bytes()
    folder = results / land(results, source)[0]
    (source / "results.csv").write_bytes(table[:len(table) // 2])
    assert land(results, source) == [folder.name]
    assert (folder / "results.csv").read_bytes() == table
    (source / "results.csv").write_bytes(table + table)
    land(results, source)
    assert (folder / "results.csv").read_bytes() == table + table


@pytest.mark.parametrize("name", ("summary.txt", "results.csv.partial"))
def test_what_a_cut_log_left_is_in_the_index(tmp_path, name):
    source = tmp_path / "0001"
    source.mkdir()
    (source / name).write_text("PASS\n")
    landed = land(tmp_path / "results", source)
    assert list(index(tmp_path / "results")) == landed


def test_what_is_there_is_never_overwritten(tmp_path):
    """A run is refused if both folders that it may land in already contain other runs."""
    results, source = tmp_path / "results", run(tmp_path, 1, run_id=5)
    land(results, source)
    (results / NAME / "run.json").write_text("mine")
    assert land(results, source) == [NAME]
    assert (results / NAME / "run.json").read_text() == "mine"
    (results / NAME / "journal.bin").unlink()
    assert land(results, source) == [f"{NAME}-00000005"]
    (results / f"{NAME}-00000005" / "journal.bin").unlink()
    with pytest.raises(OSError, match="contains another run"):
        land(results, source)


@pytest.mark.parametrize("schema", old_runs.SCHEMAS[1:])
def test_a_run_that_was_cut_off_keeps_its_name(tmp_path, schema):
    """If only the journal is left, its start time and label give the folder's name."""
    source = old_runs.unpack(schema, tmp_path) / "cut"
    results, cut = tmp_path / "results", tmp_path / "0001"
    told = json.loads((source / "run.json").read_text("ascii"))
    digits = "".join(filter(str.isdigit, told["started"]))
    name = f"{digits[:8]}-{digits[8:]}-schema-{schema}"
    cut.mkdir()
    shutil.copy(source / "journal.bin", cut)
    assert land(results, cut) == [name]
    assert set(content(results / name)) == {"journal.bin"}
    line = index(results)[name]
    assert (line["number"], line["label"], line["time"], line["verdict"]) == (
        "0001", told["label"], told["started"], "INTERRUPTED")
    assert land(results, source) == [name]
    assert content(results / name) == content(source)
    assert index(results)[name]["verdict"] == "INTERRUPTED"


def test_the_index_is_of_what_lies_there(tmp_path):
    """`latest` points to the run that landed last."""
    results = tmp_path / "results"
    first = run(tmp_path / "a", 3, label="a, b", run_id=1)
    second = run(tmp_path / "b", 4, "2026-11-22T00:00:00", run_id=2,
                 change=lambda run: folders.add_plan_errors(run, 2))
    broken = run(tmp_path / "c", 5, "2026-11-24T00:00:00", run_id=3,
                 change=lambda run: run.update(cpus=7, machine={}, complete=None))
    land(results, first, second)
    assert (results / "latest").resolve() == results / "20261122-000000"
    (results / "notes").mkdir()
    brand, uuid = "Intel Xeon Processor (Skylake)", "00112233-4455-6677-8899-aabbccddeeff"
    line = {"number": "0004", "label": "", "time": "2026-11-22T00:00:00", "model": brand,
            "uuid": uuid, "verdict": "PASS", "plan_errors": "2", "folder": "20261122-000000"}
    assert list(index(results).values()) == [line, {
        **line, "number": "0003", "label": "a, b", "time": START, "plan_errors": "0",
        "folder": f"{NAME}-a-b"}]
    shutil.rmtree(results / "20261122-000000")
    land(results, broken)
    assert list(index(results)) == [f"{NAME}-a-b", "20261124-000000"]
    assert index(results)["20261124-000000"] == {
        **line, "number": "0005", "time": "2026-11-24T00:00:00", "model": "", "uuid": "",
        "verdict": "INTERRUPTED", "plan_errors": "0", "folder": "20261124-000000"}
    assert (results / "latest").resolve() == results / "20261124-000000"
