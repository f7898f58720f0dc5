# SPDX-License-Identifier: BSD-2-Clause
"""recover, report, compare and query still give the same results for runs of older images."""
import csv
import json
import re
import struct
import subprocess
import zlib

import pytest

from compare import rows
from compare import source
from compare import text as compare_text
import old_runs
from query import db
from query import importing
from report import document
import results
from conftest import TOP
from levels import host_cannot
from report.folder import Folder

NEW_IN_RUN = {"schema", "remarks"}  # their new values say that the journal is older
REWORDED = {  # sentences of older images, as they read now
    "the machine stopped in this kernel, or its power did":
        "the machine stopped in this kernel or lost power",
}
READABLE = [schema for schema in old_runs.SCHEMAS if schema >= old_runs.OLDEST_JOURNAL]


@pytest.fixture(scope="module", params=old_runs.SCHEMAS)
def old(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(f"schema-{request.param}")
    return request.param, old_runs.unpack(request.param, folder)


def table(path):
    with open(path, newline="", encoding="ascii") as file:
        return list(csv.DictReader(file))


def includes(new, was, where="run.json"):
    """Check that `new` contains everything in `was`; objects may contain further keys.

    Keys in NEW_IN_RUN may differ. core_mhz may differ too, because older images computed it from
    APERF and MPERF, not from the TSC.
    """
    if isinstance(was, dict):
        for key in was.keys() - (NEW_IN_RUN if where == "run.json" else {"core_mhz"}):
            assert key in new, f"{where}: {key} is missing"
            includes(new[key], was[key], f"{where}/{key}")
    elif isinstance(was, list):
        assert len(new) == len(was), where
        for number, (one, other) in enumerate(zip(new, was)):
            includes(one, other, f"{where}[{number}]")
    else:
        assert new == was, where


@pytest.mark.parametrize("which", ["run", "cut"])
@pytest.mark.parametrize("schema", READABLE)
def test_what_the_old_program_rendered_is_rendered_again(tmp_path, schema, which):
    """The files contain every old field and key.

    REWORDED and includes() name the exceptions.
    """
    folder = old_runs.unpack(schema, tmp_path) / which
    anew = old_runs.recovered(folder, tmp_path)
    for name in ("results.csv", "samples.csv"):
        was, new = table(folder / name), table(anew / name)
        assert len(was) == len(new) > 0 and set(was[0]) <= set(new[0])
        for number, (one, other) in enumerate(zip(was, new)):
            told = {column: REWORDED.get(text, text) for column, text in one.items() if text}
            assert told == {column: other[column] for column in told}, f"{name}, row {number + 1}"
    was, new = (json.loads((at / "run.json").read_text("ascii")) for at in (folder, anew))
    includes(new, was)
    for cpu in new["cpus"]:
        ticks, aperf = (sum(one[key] for one in new["noise_certificates"]
                            if one["cpu"] == cpu["cpu"]) for key in ("runtime_ticks", "aperf"))
        if ticks:
            assert cpu["clock"]["core_mhz"] == pytest.approx(
                cpu["clock"]["tsc_mhz"] * aperf / ticks, abs=0.002)
    assert was["schema"] == schema and new["complete"] is (which == "run")
    told = [remark for remark in new["remarks"] if f"from a journal of schema {schema}," in remark]
    assert len(told) == (schema < 7) and set(was.get("remarks", [])) <= set(new["remarks"])


@pytest.mark.parametrize("schema", READABLE)
def test_the_rows_are_what_the_kernels_declare(tmp_path, schema):
    found = results.Results(old_runs.recovered(old_runs.unpack(schema, tmp_path) / "run", tmp_path))
    assert found.status == results.PASSED and found.missing == 0
    declared = {"empty": (0, 0), "loop_dec_jnz": (2000, 1000), "load": (6000, 1000)}
    assert {(row["cpu"], row["kernel"]) for row in found.rows} == {
        (cpu, kernel) for cpu in "01" for kernel in declared}
    for row in found.rows:
        instructions, branches = declared[row["kernel"]]
        for event, count in (("INST_RETIRED.ANY", instructions),
                             ("BR_INST_RETIRED.ALL_BRANCHES", branches)):
            if row["event"] == event:
                assert (row["verdict"], row["min"], row["max"]) == ("exact", *[str(count)] * 2)


def test_what_cannot_be_read_is_refused_and_kept(tmp_path):
    folder = old_runs.unpack(1, tmp_path) / "run"
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    status, said = old_runs.recover(folder)
    assert status == 1
    assert "barecount 0.1.0 wrote it, in schema 1; this version reads 2 to 7" in said
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    journal = bytearray((old_runs.unpack(5, tmp_path / "5") / "run/journal.bin").read_bytes())
    struct.pack_into("<I", journal, 32, 8)  # run_record.schema, after the record's head
    size, = struct.unpack_from("<I", journal, 20)
    struct.pack_into("<I", journal, 24, zlib.crc32(journal[32:32 + size]))
    struct.pack_into("<I", journal, 28, zlib.crc32(journal[:28]))
    newer = tmp_path / "newer"
    newer.mkdir()
    (newer / "journal.bin").write_bytes(journal)
    status, said = old_runs.recover(newer)
    assert status == 1 and "in schema 8; this version reads 2 to 7. Use that version's" in said
    assert [path.name for path in newer.iterdir()] == ["journal.bin"]
    status, said = old_runs.recover(tmp_path / "none")
    assert status == results.HOST_ERROR and "none/journal.bin: No such file" in said


def complaints_of(plan):
    """The messages about a plan, except those about events, since the host may lack the events."""
    if not (TOP / "build/barecount-linux").exists():
        host_cannot("build/barecount-linux is missing: run `make linux`")
    said = subprocess.run([TOP / "build/barecount-linux", "--plan", plan, "--check-plan"],
                          capture_output=True, text=True)
    assert said.returncode in (results.PASSED, results.PLAN_ERRORS), said.stderr
    assert "Plan      " in said.stdout
    lines, section = [""], ""
    for line in plan.read_text("ascii").splitlines():
        section = line if line.startswith("[") else section
        lines.append(section)
    return [text for number, text in re.findall(r"^! [^:]*\.cfg:(\d+):\s+(.*)", said.stdout, re.M)
            if not lines[int(number)].startswith("[events")]


def test_plans_of_older_images_are_understood(old, tmp_path):
    _, folder = old
    plans = sorted(folder.glob("plans/*.cfg"))
    assert len(plans) >= 2
    assert {plan.name: complaints_of(plan) for plan in plans} == {plan.name: [] for plan in plans}
    wrong = tmp_path / "wrong.cfg"
    wrong.write_text(plans[0].read_text("ascii") + "[run]\nspeed=9\n[kernels]\nnopz\n")
    assert len(complaints_of(wrong)) >= 2


def test_report_compare_and_query_read_them(old, tmp_path):
    """All declared counts equal those of the run of schema 5."""
    schema, folder = old
    newest = old_runs.unpack(5, tmp_path / "5") / "run"
    found = results.Results(folder / "run")
    assert found.status == results.PASSED and found.source == results.BARE_METAL
    assert {(row["scope"], row["rate"], row["rate_unit"]) for row in found.rows} == {
        ("thread", "", "")}
    result = rows.compare(source.folder(newest), source.folder(folder / "run"),
                             rows.Options(None, 0, 0))
    said = "\n".join(compare_text.text(result, True, True))
    assert result.status == 0, said
    assert ("has no checksums" in said) is (schema < 4)
    page = document.make([Folder(folder / "run")], None, [])
    assert "loop_dec_jnz" in page and "PASS" in page
    assert ("does not say whether times were steady" in page) is (schema < 3)
    base = db.open_to_import(tmp_path / "db")
    assert importing.Import(base, True, None).take(folder / "run").what == importing.IMPORTED
    counts = {name: base.execute(f"SELECT count(*) FROM {name}").fetchone()[0]
              for name in ("rows", "samples")}
    db.close(base)
    assert counts["rows"] == len(found.rows) and counts["samples"] == len(found.samples) > 0
    assert found.run["schema"] == schema
