# SPDX-License-Identifier: BSD-2-Clause
"""scripts/query imports folders, refuses damaged folders, and imports nothing twice."""
import csv
import json
import sqlite3
import struct
import subprocess

import pytest

import folders
from query import db as query_db
import query_tool
import results
import script

FOLDERS = 1000
ON_A_MACHINE = 10
ROWS = len(folders.KERNELS) * (len(folders.EVENTS) + 1)  # and the time stamp
LARGEST = 2**63 - 1


@pytest.fixture
def db(tmp_path):
    return tmp_path / "fleet.sqlite"


def uuid_of(number):
    return f"12345678-0000-4000-8000-{number:012x}"


def counts(db):
    return [query_tool.value(db, f"SELECT count(*) FROM {table}")
            for table in ("machines", "runs", "cpus", "kernels", "rows", "noise")]


def rewrite(path, change):
    """change() changes the file's lines, which are lists of fields, header first."""
    with open(path, newline="", encoding="ascii") as file:
        lines = list(csv.reader(file))
    change(lines)
    with open(path, "w", newline="", encoding="ascii") as file:
        csv.writer(file).writerows(lines)


def rewrite_run(folder, **values):
    run = json.loads((folder / "run.json").read_text("ascii"))
    (folder / "run.json").write_text(json.dumps({**run, **values}), "ascii")


def put_journal(folder, run_id):
    (folder / "journal.bin").write_bytes(b"BCJ1" + struct.pack("<IQ", 1, run_id) + bytes(64))


def test_a_fleet_is_imported_once(tmp_path, db):
    for number in range(FOLDERS):
        folders.make(tmp_path / f"m{number // ON_A_MACHINE}" / f"{number:04}", run_number=number,
                     machine={"uuid": uuid_of(number // ON_A_MACHINE)})
    whole = [FOLDERS // ON_A_MACHINE, FOLDERS, FOLDERS, FOLDERS * len(folders.KERNELS),
             FOLDERS * ROWS, 2 * FOLDERS]
    assert query_tool.take(db, tmp_path) == f"{FOLDERS} folders: {FOLDERS} imported"
    assert counts(db) == whole
    assert query_tool.take(db, tmp_path) == f"{FOLDERS} folders: {FOLDERS} there already"
    assert counts(db) == whole
    assert not list(tmp_path.glob("fleet.sqlite-*")), "one file"


def cut_line(folder):
    path = folder / "results.csv"
    path.write_bytes(path.read_bytes()[:-2])


def cut_between(folder):
    path = folder / "results.csv"
    path.write_bytes(path.read_bytes()[:-60])


def short_line(folder):
    rewrite(folder / "results.csv", lambda lines: lines[4].pop())


def field(line, column, value):
    """A function that replaces a field of results.csv; the header is line 0."""
    return lambda folder: rewrite(
        folder / "results.csv",
        lambda lines: lines[line].__setitem__(results.HEADER.index(column), value))


BROKEN = {
    cut_line: f"results.csv: line {ROWS + 1} is cut off",
    cut_between: f"results.csv: line {ROWS + 1} is cut off",
    short_line: f"results.csv: line 5 has {len(results.HEADER) - 1} fields, expected "
                f"{len(results.HEADER)}",
    field(2, "median", "1e3"): "results.csv: line 3: column 'median': '1e3' is not a number",
    field(3, "max", "2.5"): "results.csv: line 4: column 'max': '2.5' is not a whole number",
    field(4, "min", str(LARGEST + 1)): "results.csv: line 5: Python int too large",
    field(0, "apic_id", "apic"):
        "results.csv: line 1: column 2 is 'apic', expected 'apic_id'",
    lambda folder: (folder / "run.json").write_text('{"schema": 5,'): "Expecting property name",
    lambda folder: (folder / "run.json").write_text("[]"): "expected a JSON object",
    lambda folder: (folder / "run.json").write_text("[" * 100_000): "recursion",
    lambda folder: (folder / "run.json").unlink(): "no run.json or no results.csv: the run was",
    lambda folder: rewrite_run(folder, machine=5): "run.json: machine.",
    lambda folder: rewrite_run(folder, cpus={}): "run.json: cpus: expected a list of objects",
    lambda folder: rewrite_run(folder, kernels=[{"name": "x", "n": [1]}]):
        "run.json: kernels: item 0: n: expected a whole number",
    lambda folder: rewrite_run(folder, elapsed_us="soon"):
        "run.json: cannot store TEXT value in INTEGER column runs.elapsed_us",
    lambda folder: rewrite_run(folder, label={"a": 1}): "run.json: Error binding",
    lambda folder: rewrite_run(folder, cpus=[{"brand": {"a": 1}}]): "run.json: machine: Error",
    lambda folder: rewrite_run(folder, label="\ud800"): "run.json: 'utf-8' codec",
}


def test_what_is_broken_is_named_and_the_others_go_on(tmp_path, db):
    for number, breaking in enumerate(BROKEN):
        breaking(folders.make(tmp_path / f"{number:04}", run_number=number))
    folders.make(tmp_path / "right", run_number=len(BROKEN))
    folders.make(tmp_path / "0", run_number=len(BROKEN) + 1)  # comes first and makes the machine
    said = query_tool.run(db, "import", tmp_path, tmp_path / "nowhere")
    assert said.status == 1
    assert said.out == f"{len(BROKEN) + 3} folders: 2 imported, {len(BROKEN) + 1} not imported\n"
    lines = said.err.splitlines()
    for number, (line, why) in enumerate(zip(lines, BROKEN.values())):
        assert line.startswith(f"query: {tmp_path}/{number:04}"), line
        assert why in line
    assert lines[-1] == f"query: {tmp_path}/nowhere: there is no such folder"
    assert counts(db)[1] == 2 and counts(db)[4] == 2 * ROWS, "nothing of the broken ones"


def test_a_forgotten_database_is_told(db, tmp_path, monkeypatch):
    folders.make(tmp_path / "results" / "0001")
    for arguments in (("results",), (tmp_path / "results",), ("results/0001", "results")):
        monkeypatch.chdir(tmp_path)
        said = query_tool.run("import", *arguments)
        assert said.status == results.USAGE, said.err
        assert "the database comes first: scripts/query DB import FOLDER" in said.err
    said = query_tool.run("import")
    assert said.status == results.USAGE
    assert not db.exists() and [path.name for path in tmp_path.iterdir()] == ["results"]


def test_a_folder_without_results_is_named(tmp_path, db):
    (tmp_path / "empty").mkdir()
    said = query_tool.run(db, "import", tmp_path / "empty")
    assert said.status == 1 and "neither a folder of results nor one that contains some" in said.err


def test_columns_of_a_later_version_are_kept(tmp_path, db):
    def change(lines):
        lines[0].append("watts")
        for number, line in enumerate(lines[1:]):
            line.append(str(number))

    folder = folders.make(tmp_path / "0001", samples=True)
    for name in ("results.csv", "samples.csv"):
        rewrite(folder / name, change)
    query_tool.take(db, folder, "--samples")
    for table in ("rows", "samples"):
        assert query_tool.value(db, f"SELECT count(*) FROM {table} "
                                    "WHERE more ->> '$.watts' IS NOT CAST(line - 2 AS TEXT)") == 0


def test_results_of_the_first_version_are_read(tmp_path, db):
    """In version 1, results.csv ended with the column `reason`, and samples.csv with `raw`.

    run.json lacked several keys, such as source and noise_certificates.
    """
    def span(row):
        if row["expected"] == "2000":
            row["expected"] = "2000..2001"

    folder = folders.make(tmp_path / "0001", samples=True, change=span)
    for name, header in (("results.csv", results.HEADER), ("samples.csv", results.SAMPLES_HEADER)):
        def cut(lines, width=header.index({"results.csv": "reason"}.get(name, "raw")) + 1):
            lines[:] = [line[:width] for line in lines]

        rewrite(folder / name, cut)
    run = json.loads((folder / "run.json").read_text("ascii"))
    for key in ("source", "run", "noise_certificates", "state", "remarks", "not_restored",
                "buffers"):
        del run[key]
    for cpu in run["cpus"]:
        del cpu["clock"]
    run["schema"] = 1
    (folder / "run.json").write_text(json.dumps(run), "ascii")
    assert results.Results(folder).rows[0]["mad"] == ""
    query_tool.take(db, folder, "--samples")
    assert query_tool.ask(db, "SELECT source, schema, run FROM runs") == [
        {"source": "bare metal", "schema": 1, "run": None}]
    assert query_tool.value(db, "SELECT count(*) FROM rows WHERE expected_low = 2000 "
                                "AND expected_high = 2001") == 1
    assert query_tool.value(db, "SELECT count(*) FROM rows WHERE stable = '' AND mad IS NULL") \
        == ROWS
    assert query_tool.value(db, "SELECT count(*) FROM samples WHERE reference IS NULL") == 5 * ROWS


def test_fewer_columns_than_the_first_version_had_are_refused(tmp_path, db):
    folder = folders.make(tmp_path / "0001")
    rewrite(folder / "results.csv", lambda lines: [line.__delitem__(slice(28, None))
                                                   for line in lines])
    said = query_tool.run(db, "import", folder)
    assert "has 28 columns, expected at least 29, the last of them 'reason'" in said.err


def test_a_run_that_became_complete_takes_the_place(tmp_path, db):
    cut = folders.make(tmp_path / "cut", change_run=lambda run: run.update(complete=False))
    whole = folders.make(tmp_path / "whole", cpus=2)
    assert query_tool.take(db, cut) == "1 folder: 1 imported"
    assert query_tool.take(db, whole) == "1 folder: 1 replaced"
    assert counts(db)[1:5] == [1, 2, len(folders.KERNELS), 2 * ROWS]
    assert query_tool.take(db, cut) == "1 folder: 1 there already", "it knows less"
    assert query_tool.value(db, "SELECT complete FROM runs") == 1


def test_a_run_is_known_by_its_journal(tmp_path, db):
    """Folders with the same journal contain the same run, even if one has been rendered again.

    A folder with another journal contains another run.
    """
    first = folders.make(tmp_path / "1")
    put_journal(first, 5)
    anew = folders.make(tmp_path / "2", change=lambda row: row.update(reason="in other words"))
    put_journal(anew, 5)
    other = folders.make(tmp_path / "3", cpus=3)
    put_journal(other, 6)
    query_tool.take(db, first)
    assert query_tool.take(db, anew, other) == "2 folders: 1 imported, 1 replaced"
    assert query_tool.value(db, "SELECT count(*) FROM rows WHERE reason <> ''") == ROWS


def test_two_runs_that_nothing_tells_apart_are_not_mixed(tmp_path, db):
    folders.make(tmp_path / "1")
    folders.make(tmp_path / "2", cpus=2)
    said = query_tool.run(db, "import", tmp_path)
    assert said.status == 1 and f"imported from {tmp_path}/1; without journal.bin" in said.err
    assert counts(db)[1] == 1


def test_without_time_and_journal_the_content_tells(tmp_path, db):
    for number in (1, 2):
        folders.make(tmp_path / str(number), cpus=number,
                     change_run=lambda run: run.update(started=""))
    assert query_tool.take(db, tmp_path) == "2 folders: 2 imported"
    assert query_tool.take(db, tmp_path) == "2 folders: 2 there already"


def test_numbers_are_exact_and_of_their_type(tmp_path, db):
    def change(row):
        if row["event"] == "INST_RETIRED.ANY":
            row.update(dict.fromkeys(("min", "median", "max"), str(LARGEST)), q1="0.5", mean="2.5",
                       expected=f"-7..{LARGEST}")
        elif row["event"] == "TSC":
            row.update(dict.fromkeys(("min", "median", "mean", "max", "q1", "q3"), str(2**64 - 1)),
                       unit="value", event="msr:0x10", encoding="rdmsr", per_iteration="")

    query_tool.take(db, folders.make(tmp_path / "0001", change=change))
    row = query_tool.ask(db, "SELECT min, median, q1, mean, expected_low, expected_high, "
                             "typeof(per_iteration) AS per, typeof(cpu) AS cpu, value, partner "
                             "FROM rows WHERE line = 2")[0]
    assert row == {"min": LARGEST, "median": LARGEST, "q1": 0.5, "mean": 2.5, "expected_low": -7,
                   "expected_high": LARGEST, "per": "real", "cpu": "integer", "value": None,
                   "partner": None}
    assert query_tool.ask(db, "SELECT DISTINCT min, median, mean, q3, value FROM rows "
                              "WHERE unit = 'value'") == [
        {"min": None, "median": None, "mean": None, "q3": None, "value": "0xffffffffffffffff"}]


def test_a_real_folder_is_whole(tmp_path, db):
    """Rows of CPUs and kernels that run.json does not describe are imported too."""
    folder = folders.make(tmp_path / "0001", cpus=2, change_run=lambda run: (
        run["cpus"].pop(), run["kernels"].pop()))
    query_tool.take(db, folder)
    assert counts(db)[2:5] == [2, len(folders.KERNELS), 2 * ROWS]
    assert query_tool.ask(db, "SELECT apic_id, brand FROM cpus WHERE cpu = 1") == [
        {"apic_id": 1, "brand": None}]
    assert query_tool.value(db, "SELECT name FROM kernels WHERE family IS NULL") == \
        folders.KERNELS[-1].name
    with sqlite3.connect(db) as base:
        assert base.execute("PRAGMA foreign_key_check").fetchall() == []
        assert base.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    base.close()


def test_it_runs_as_a_program_and_stops_for_a_closed_pipe(tmp_path, db):
    query_tool.take(db, folders.make(tmp_path / "0001", samples=True), "--samples")
    done = subprocess.run(f"{script.SCRIPTS}/query {db} samples | head -1", shell=True, check=True,
                          capture_output=True, text=True)
    assert done.stdout.startswith("run_id") and done.stderr == ""


def test_the_schema_of_another_version_is_refused(tmp_path, db):
    folder = folders.make(tmp_path / "0001")
    query_tool.take(db, folder)
    for schema, word in ((query_db.SCHEMA + 1, "a newer"), (query_db.SCHEMA - 1, "an older")):
        with sqlite3.connect(db) as base:
            base.execute(f"PRAGMA user_version = {schema}")
        base.close()
        for arguments in (("import", folder), ("runs",)):
            said = query_tool.run(db, *arguments)
            assert said.status == results.HOST_ERROR and f": from {word} barecount" in said.err
