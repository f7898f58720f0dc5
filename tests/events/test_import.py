# SPDX-License-Identifier: BSD-2-Clause
"""scripts/import-perfmon imports perfmon and Linux folders, merges tables, and refuses bad input.
"""
import json
import random
import shutil

import pytest
from conftest import FIXTURES, check_tables
from events import table
from events.table import Row

PERFMON, LINUX = FIXTURES / "perfmon", FIXTURES / "linux"


@pytest.fixture
def copy(tmp_path):
    return lambda source: shutil.copytree(source, tmp_path / "source")


def base(folder, index, **tables):
    folder.mkdir()
    for name, rows in tables.items():
        table.write(folder / f"{name}.csv", "libpfm4 9.9", rows)
    (folder / "index.csv").write_text("barecount-index,1\n" + index)
    return folder


def test_perfmon(importer):
    done = importer(PERFMON)
    assert done.status == 0
    # For each file: the number of its events, minus the number of the refused ones.
    # Core: SKX 14 - 1, ADL 5 - 1, ADL 2, LNL 6 - 1, NHM 3, HSW 2, SPR 1, Crestmont 1.
    # Uncore: ADL 4 - 2, HSW 2, SKX 5 - 1, SKX 8 - 5, SPR 8 - 3, CNL 1 - 1 (no table for its CPUs).
    assert done.last.startswith(
        "import-perfmon: 14 files, 47 events imported, 15 events refused; 0 ")
    assert done.note("refused.txt") == [
        line.removeprefix("refused: ") for line in done.said.splitlines()
        if line.startswith("refused: ")]
    check_tables(done.folder)
    assert (done.folder / "index.csv").read_text().splitlines()[2:] == [
        "nehalemep.csv,GenuineIntel,6,1a 1e 1f,,",
        "haswell.csv,GenuineIntel,6,3c 45,,",
        "skylakex.csv,GenuineIntel,6,55,0-4,",
        "alderlake_gracemont.csv,GenuineIntel,6,be,,",
        "alderlake_gracemont.csv,GenuineIntel,6,97,,atom",
        "alderlake_goldencove.csv,GenuineIntel,6,97,,core",
        "lunarlake_skymont.csv,GenuineIntel,6,c5,,atom:3",
        "arrowlake_crestmont.csv,GenuineIntel,6,c5,,atom:2",
        "sapphirerapids.csv,GenuineIntel,6,8f,,"]
    assert (done.folder / "skylakex.csv").read_text().startswith(
        "barecount-events,1,made from skylakex V1.37\n"
        "name,select,counters,fixed,flags,msr,value,description,unit,errata\n"
        'BR_INST_RETIRED.ALL_BRANCHES,c4,ff,,,,,"All branches. This text has a comma, ""quotes"", '
        '3s and is a good..."\n')


def test_two_tables_for_the_same_core(importer, copy):
    source = copy(PERFMON)
    mapfile = source / "mapfile.csv"
    mapfile.write_text(mapfile.read_text().replace("0x20,0x000002,", "0x20,0x000003,"))
    done = importer(source)
    assert any("arrowlake_crestmont: INST_RETIRED.ANY_P: mapfile.csv:18: its CPUs already have "
               "the table of an earlier line" in line for line in done.note("refused.txt"))


def test_mapfile_without_the_columns_of_hybrids(importer, copy):
    source = copy(PERFMON)
    (source / "mapfile.csv").write_text(
        "Family-model,Version,Filename,EventType\n"
        "GenuineIntel-6-55-[01234],V1.37,/SKX/events/SkylakeX_core.json,core\n")
    done = importer(source)  # the mapfile writes the file's name in another case
    assert done.status == 0 and "1 files, 13 events imported, 1 events refused" in done.last


def test_no_table_takes_the_name_of_the_index(importer, copy):
    source = copy(PERFMON)
    (source / "HSW/events/haswell_core.json").rename(source / "index.json")
    spoil(source, "mapfile.csv", "Family-model,Version,Filename,EventType\n"
                                 "GenuineIntel-6-3C,V36,/index.json,core\n")
    done = importer(source)
    assert done.status == 0 and [file for file, _ in done.index] == ["table.csv"]
    check_tables(done.folder)


def test_linux(importer):
    done = importer(LINUX)
    # skylakex lists one metric, which is not imported, and 5 core events. Three of these have the
    # same name, and one of the three is refused, because its encoding is different.
    # Uncore events minus the refused ones: skylakex 4 - 1, alderlake 3 - 1, AMD 2 - 2.
    assert done.status == 0
    assert done.last.startswith("import-perfmon: 8 files, 16 events imported, 5 events refused; 0 ")
    assert done.note("refused.txt")[0] == ("skylakex: UOPS_RETIRED.STALL_CYCLES: the name exists "
                                           "already, with another encoding")
    check_tables(done.folder)
    assert (done.folder / "index.csv").read_text().splitlines()[2:] == [
        "alderlake-atom.csv,GenuineIntel,6,be,,",
        "alderlake-atom.csv,GenuineIntel,6,97 9a b7 ba bf,,atom",
        "alderlake-core.csv,GenuineIntel,6,97 9a b7 ba bf,,core",
        "skylakex.csv,GenuineIntel,6,55,0-4,",
        "amdzen3.csv,AuthenticAMD,19,,,"]
    core = done.rows("alderlake-core.csv")
    assert {name for name, row in core.items() if not row.unit} == {
        "EXE_ACTIVITY.BOUND_ON_LOADS", "MEM_TRANS_RETIRED.STORE_SAMPLE"}
    assert core["MEM_TRANS_RETIRED.STORE_SAMPLE"].counters == 1
    assert done.rows("amdzen3.csv")["OP_CACHE_HIT_MISS.OP_CACHE_MISS"].counters == 0
    assert done.rows("alderlake-atom.csv")["OCR.DEMAND_DATA_RD.L3_HIT"].msr == 0x1A6


def test_a_newer_perfmon_is_no_disagreement_with_libpfm4(importer, copy, tmp_path):
    """An event gets the flag `o` only if its encoding differs from libpfm4's."""
    folder = base(tmp_path / "events", "skx.csv,GenuineIntel,6,55,0-4,\n",
                  skx=[Row("MEM_INST_RETIRED.ALL_LOADS", 0x82D0)])
    source = copy(PERFMON)
    importer(source, out=folder)
    path = source / "SKX/events/skylakex_core.json"
    events = json.loads(path.read_text("utf-8-sig"))
    for event in events:
        if event["EventName"] == "BR_INST_RETIRED.ALL_BRANCHES":
            event["UMask"] = "0x7"
    path.write_text(json.dumps(events))
    rows = importer(source, out=folder).rows("skylakex.csv")
    assert rows["BR_INST_RETIRED.ALL_BRANCHES"].select == 0x7C4
    assert {name for name, row in rows.items() if "o" in row.flags} == {
        "MEM_INST_RETIRED.ALL_LOADS"}


def test_a_former_name_is_the_same_event(importer, copy):
    """Cascade Lake's deprecated names contain ":", which in a plan ends an event's name."""
    source = copy(PERFMON)
    path = source / "SKX/events/skylakex_core.json"
    events = json.loads(path.read_text("utf-8-sig"))
    name = "OCR.DEMAND_DATA_RD.L3_MISS.ANY_SNOOP"
    new, = [event for event in events if event["EventName"] == name]
    old = {**new, "Deprecated": "1",
           "EventName": "OFFCORE_RESPONSE:request=DEMAND_DATA_RD:response=L3_MISS.ANY_SNOOP"}
    path.write_text(json.dumps([old, {**old, "MSRValue": "0x1"}, *events]))
    done = importer(source)
    row = done.rows("skylakex.csv")[name]
    assert (row.flags, row.value) == ("", 0x3FBC000001)
    assert [line for line in done.note("refused.txt") if "OFFCORE_RESPONSE:request" in line] == [
        "skylakex: OFFCORE_RESPONSE:request=DEMAND_DATA_RD:response=L3_MISS.ANY_SNOOP: the name "
        "exists already, with another encoding"]


def test_linux_that_knows_no_counters(importer, copy):
    """Without the field Counter, as in older Linux, unit masks show which events have a fixed
    counter.
    """
    source = copy(LINUX)
    for path in source.rglob("*.json"):
        events = [{key: value for key, value in event.items() if not key.startswith("Counter")}
                  for event in json.loads(path.read_text())]
        path.write_text(json.dumps(events))
    done = importer(source)
    assert done.status == 0 and "16 events imported, 5 events refused" in done.last
    rows = done.rows("skylakex.csv")
    assert rows["UOPS_RETIRED.STALL_CYCLES"].counters == 0
    assert (rows["INST_RETIRED.ANY"].select, rows["INST_RETIRED.ANY"].fixed) == (None, 0)


def test_one_vendor(importer):
    done = importer(LINUX, "--vendor", "AuthenticAMD")
    assert done.status == 0 and {file for file, _ in done.index} == {"amdzen3.csv"}


def test_imported_rows_win_and_the_others_stay(importer, tmp_path):
    folder = base(
        tmp_path / "events", "skx.csv,GenuineIntel,6,55,0-4,\nclx.csv,GenuineIntel,6,55,5-f,\n",
        skx=[Row("MEM_INST_RETIRED.ALL_LOADS", 0x82D0), Row("ONLY.LIBPFM4", 0x1AB),
             Row("UOPS_RETIRED.STALL_CYCLES", 0x18002C2)],
        clx=[Row("ONLY.CLX", 0x2AB)])
    done = importer(PERFMON, out=folder)
    assert done.status == 0
    assert done.last.endswith("; 1 of the imported ones disagreed with the existing table")
    assert done.note("differs.txt") == [
        "skylakex: MEM_INST_RETIRED.ALL_LOADS,81d0,f,,p,, replaces "
        "MEM_INST_RETIRED.ALL_LOADS,82d0,,,,,"]
    rows = done.rows("skylakex.csv")
    assert rows["MEM_INST_RETIRED.ALL_LOADS"].select == 0x81D0
    assert {name for name, row in rows.items() if "o" in row.flags} == {
        "MEM_INST_RETIRED.ALL_LOADS"}
    assert rows["ONLY.LIBPFM4"].select == 0x1AB
    assert (folder / "skylakex.csv").read_text().startswith(
        "barecount-events,1,made from skylakex V1.37 and libpfm4 9.9\n")
    assert not (folder / "skx.csv").exists()
    assert ("clx.csv,GenuineIntel,6,55,5-f,"
            in (folder / "index.csv").read_text().splitlines())
    assert "ONLY.LIBPFM4" not in done.rows("clx.csv")
    check_tables(folder)


def test_one_table_for_cpus_of_two(importer, tmp_path):
    """Perfmon has one table for models 3Ch and 45h; the old folder has two."""
    folder = base(tmp_path / "events",
                  "one.csv,GenuineIntel,6,3c,,\ntwo.csv,GenuineIntel,6,45 46,,\n",
                  one=[Row("ONLY.ONE", 0x1AB)], two=[Row("ONLY.TWO", 0x2AB)])
    done = importer(PERFMON, out=folder)
    file_of = {next(iter(cpus.models)): file for file, cpus in done.index
               if cpus.models <= {0x3C, 0x45, 0x46}}
    names = {model: set(done.rows(file)) & {"ONLY.ONE", "ONLY.TWO", "MEM_LOAD_UOPS_RETIRED.L3_MISS"}
             for model, file in file_of.items()}
    assert names == {0x3C: {"ONLY.ONE", "MEM_LOAD_UOPS_RETIRED.L3_MISS"},
                     0x45: {"ONLY.TWO", "MEM_LOAD_UOPS_RETIRED.L3_MISS"}, 0x46: {"ONLY.TWO"}}
    check_tables(folder)


def test_importing_again_changes_nothing(importer):
    first = importer(PERFMON)
    tables = {path.name: path.read_text() for path in first.folder.glob("*.csv")}
    again = importer(PERFMON)
    assert again.status == 0 and "; 0 of the imported ones disagreed" in again.last
    assert {path.name: path.read_text() for path in again.folder.glob("*.csv")} == tables


def spoil(source, name, text):
    (source / name).write_text(text)


@pytest.mark.parametrize("file, text, problem", [
    ("HSW/events/haswell_core.json", "[\n {\n  \"EventCode\": }\n]\n", "haswell_core.json:3: "),
    ("HSW/events/haswell_core.json", "[1, 2]", "haswell_core.json: expected a list of events"),
    ("HSW/events/haswell_core.json", "[" * 100000, "haswell_core.json: nested too deeply"),
    ("HSW/events/haswell_core.json", "", "haswell_core.json:1: "),
    ("HSW/events/haswell_core.json", "[" + "9" * 5000 + "]", "_core.json: Exceeds the limit"),
])
def test_bad_json(importer, copy, file, text, problem):
    source = copy(PERFMON)
    spoil(source, file, text)
    done = importer(source)
    assert done.status == 1 and problem in done.errors
    assert "43 events imported" in done.last  # Haswell has 2 core and 2 CBo events
    assert "skylakex.csv" in {name for name, _ in done.index}


@pytest.mark.parametrize("file", ["mapfile.csv", "HSW/events/haswell_core.json"])
@pytest.mark.parametrize("seed", range(6))
def test_random_bytes(importer, copy, file, seed):
    """Random bytes in one file cause an error, not a crash, and all other files are imported."""
    source, chance = copy(PERFMON), random.Random(seed)
    some = bytes(range(256)) if seed % 2 else b'[]{}",:0x1-\n\r\t (|)EventCodeCounter\\'
    head = (source / file).read_bytes()[:80 * (seed // 2)]  # with and without the mapfile's header
    (source / file).write_bytes(head + bytes(chance.choices(some, k=1 << 16)))
    done = importer(source)
    assert done.status == 1 and "Traceback" not in done.errors and source.name in done.errors
    assert file == "mapfile.csv" or "43 events imported" in done.last


def test_json_that_is_no_text(importer, copy):
    source = copy(PERFMON)
    (source / "HSW/events/haswell_core.json").write_bytes(b"[\xff\xfe]")
    done = importer(source)
    assert done.status == 1 and "haswell_core.json: byte 1 is not UTF-8" in done.errors


@pytest.mark.parametrize("line, problem", [
    ("GenuineIntel-6-66,V1,/CNL/none_core.json,core,,,", "none_core.json: no such file or folder"),
    ("GenuineIntel-6-66,V1,/../../outside.json,core,,,", "is outside of"),
    ("GenuineIntel-6-(55-[0-4]|6A),V1,/HSW/events/haswell_core.json,core,,,",
     "'(55-[0-4]|6A)': expected a number in hexadecimal"),
    ("GenuineIntel-6-66,V1,/HSW/events/haswell_core.json,hybridcore,0x60,0x1,GPU",
     "Core Type '0x60': expected 0x20 or 0x40"),
    ("GenuineIntel-6-66", "expected Family-model,Version,Filename,EventType"),
])
def test_bad_line_of_the_mapfile(importer, copy, line, problem):
    source = copy(PERFMON)
    mapfile = (source / "mapfile.csv").read_text().splitlines()
    spoil(source, "mapfile.csv", "\n".join([mapfile[0], line] + mapfile[1:]) + "\n")
    done = importer(source)
    assert done.status == 1 and "mapfile.csv:2: " in done.errors and problem in done.errors
    assert "47 events imported" in done.last


@pytest.mark.parametrize("text, problem", [
    (None, "mapfile.csv: No such file or directory; expected a checkout of perfmon"),
    ("", "mapfile.csv:1: expected Family-model,Version,Filename,EventType"),
    ("a,b\n", "mapfile.csv:1: expected Family-model,Version,Filename,EventType"),
])
def test_no_mapfile(importer, tmp_path, text, problem):
    source = tmp_path / "source"
    source.mkdir()
    if text is not None:
        spoil(source, "mapfile.csv", text)
    done = importer(source)
    assert done.status == 1 and problem in done.errors and not done.said


def test_table_that_was_there_is_broken(importer, tmp_path):
    folder = base(tmp_path / "events", "skx.csv,GenuineIntel,6,55,0-4,\n", skx=[])
    (folder / "skx.csv").write_text("barecount-events,1,x\n" + ",".join(table.COLUMNS) +
                                    "\nA.B,c0\nA.C,c0,,,,,,,\n")
    done = importer(PERFMON, out=folder)
    assert done.status == 1 and "skx.csv:4: 9 fields, expected at most 8" in done.errors
    assert not (folder / "skylakex.csv").exists()


def test_a_place_that_is_no_folder(importer, tmp_path):
    (tmp_path / "events").write_text("a file")
    done = importer(PERFMON, out=tmp_path / "events")
    assert done.status == 4 and str(tmp_path / "events") in done.errors
    assert "Traceback" not in done.errors
