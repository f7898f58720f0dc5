# SPDX-License-Identifier: BSD-2-Clause
"""scripts/compare on the command line: exit statuses, output, files, different machines."""
import contextlib
import csv
import io
import json
import pathlib
import subprocess
import sys
from unittest import mock

import pytest

import folders
import results
import script

TOP = pathlib.Path(__file__).resolve().parents[2]
PERF = TOP / "tests/tools/data/perf-6.1"
ANOTHER = {"product": "Another", "tsc_hz": 3_000_000_000}


COMPARE = script.load("compare")


def say(*arguments, status):
    """The output of scripts/compare, which must exit with `status` and raise no exception."""
    out, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors), \
            mock.patch.object(sys, "argv", ["compare", *map(str, arguments)]):
        try:
            found = COMPARE.main()
        except SystemExit as end:
            found = end.code
    assert found == status, out.getvalue() + errors.getvalue()
    return errors.getvalue() if status in (results.USAGE, results.HOST_ERROR) else out.getvalue()


def from_linux(run_json):
    """Change a run.json into one written under Linux, without the fields that only the image
    writes."""
    run_json["source"] = "linux"
    del run_json["state"], run_json["noise_certificates"]


def as_usr(row):
    row["ring"] = "usr"


def as_both(row):
    row["ring"] = "both"


def one_high(row):
    as_usr(row)
    if row["kernel"] == "load" and row["encoding"] == "r00c4":
        row |= dict.fromkeys(("min", "median", "mean", "max", "q1", "q3"), "1010")


@pytest.fixture
def bare(tmp_path):
    return folders.make(tmp_path / "bare", cpus=2)


def linux(tmp_path, change=as_usr):
    return folders.make(tmp_path / "linux", cpus=2, change=change, change_run=from_linux)


ROWS = 2 * 3 * 3  # CPUs, kernels, events


def test_as_a_program(bare, tmp_path):
    for path, status in ((linux(tmp_path), 0), (tmp_path / "none", results.HOST_ERROR)):
        done = subprocess.run([TOP / "scripts/compare", bare, path], capture_output=True, text=True,
                              timeout=60, stdin=subprocess.DEVNULL, check=False)
        assert done.returncode == status and bool(done.stdout) == (status == 0)
        assert "Traceback" not in done.stderr


def test_the_same_is_0(bare, tmp_path):
    said = say(bare, linux(tmp_path), status=0)
    assert said.splitlines()[-1] == f"{ROWS} same"


def test_a_difference_is_1_and_stands_in_a_table(bare, tmp_path):
    other = linux(tmp_path, one_high)
    said = say(bare, other, status=1)
    line, = [line for line in said.splitlines() if " high " in line]
    assert line.split()[:2] == ["2", "CPUs"] and "BR_INST_RETIRED.ALL_BRANCHES usr" in line
    assert " 1000 " in line and " 1010 " in line and " 10 " in line and "+1.00%" in line
    assert say("--quiet", bare, other, status=1) == f"{ROWS - 2} same, 2 high\n"
    assert say("--quiet", "--tolerance=1", bare, other, status=0) == f"{ROWS} same\n"


def test_nothing_alike_is_3(bare, tmp_path):
    said = say(bare, linux(tmp_path, as_both), status=results.INCOMPLETE)
    assert "rings differ" in said and said.splitlines()[-1] == f"{ROWS} refused"


def test_a_plan_that_was_refused_has_nothing_alike(bare, tmp_path):
    refused = folders.make_refused(tmp_path / "refused", 3, cpus=2)
    assert say("--quiet", bare, refused, status=results.INCOMPLETE) == f"{ROWS} missing\n"


def test_files_for_machines(bare, tmp_path):
    other = linux(tmp_path, one_high)
    table, whole = tmp_path / "rows.csv", tmp_path / "all.json"
    say("--csv", table, "--json", whole, bare, other, status=1)
    with open(table, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == ROWS
    high, = {(row["kernel"], row["reference"], row["other"], row["difference"],
              row["per_iteration"]) for row in rows if row["verdict"] == "high"}
    assert high == ("load", "1000", "1010", "10", "0.01")
    found = json.loads(whole.read_text("utf-8"))
    assert found["status"] == 1 and len(found["rows"]) == ROWS and len(found["tax"]) == 3
    assert json.loads(say("--json=-", bare, other, status=1)) == found
    assert not list(tmp_path.glob("*.part"))


def test_several_files_each_of_a_kernel(tmp_path):
    """tests/machine/linux_loop.asm declares the counts."""
    kernels = [folders.Kernel(name, {"instructions": (55, 5), "branches": (9, 2), "cycles": (0, 2)},
                              n) for name, n in (("small", 1), ("large", 100_000))]
    known = folders.make(tmp_path / "bare", kernels=kernels)
    files = [f"small={PERF}/x-n1.csv", f"large={PERF}/x.csv", "--same"]
    said = say(known, *files, status=1)  # cycles:u includes the program's start
    same = {tuple(line.split()[1:3]) for line in said.splitlines() if " equal" in line}
    assert same == {(name, event) for name in ("small", "large")
                    for event in ("INST_RETIRED.ANY", "BR_INST_RETIRED.ALL_BRANCHES")}


def test_few_kernels_are_told_once_for_all_events(bare, tmp_path):
    """Three kernels are too few to determine the tax."""
    other = folders.make(tmp_path / "few", change=one_high, change_run=from_linux)
    said = say(bare, "--same", other, status=1)
    events = len(folders.EVENTS)
    line = f"  {events} events: unknown: too few kernels to tell: {len(folders.KERNELS)}, and at"
    assert said.count("unknown: ") == 1 and line in said


def test_perf_s_table_for_people_names_the_option(bare, tmp_path):
    table = tmp_path / "stat"
    table.write_text(" Performance counter stats for './a':\n\n 2,000 instructions:u\n", "ascii")
    said = say(bare, "--kernel", "load", table, status=results.HOST_ERROR)
    assert "use `perf stat -x,`" in said


@pytest.mark.parametrize("arguments, words", [
    ((), "required: PATH"), (("A",), "two things"),
    (("--tolerance=200", "A", "B"), "percentage"), (("--no", "A", "B"), "--no"),
    (("--less-n=5", "A", "B"), "--less FILE")])
def test_wrong_usage_is_2(arguments, words):
    assert words in say(*arguments, status=results.USAGE)


@pytest.mark.parametrize("arguments, words", [
    (("A", "B"), "A"), (("BARE", "/nowhere/file"), "/nowhere/file: No such file"),
    (("BARE", f"{PERF}/x.csv"), "--kernel NAME"),
    (("BARE", f"{PERF}/x.csv", "--kernel=load", "--row=CPU1"), "has no row CPU1"),
    (("BARE", "BARE", "BARE"), "one folder at a time"),
    (("BARE", f"{PERF}/x.csv", "--kernel=load", "--format=likwid"), "no count"),
    (("--machines", "BARE", "/nowhere"), "/nowhere")])
def test_errors_are_4(bare, arguments, words):
    arguments = [bare if argument == "BARE" else argument for argument in arguments]
    assert words in say(*arguments, status=results.HOST_ERROR)


def spoil_json(folder):
    path = folder / "run.json"
    path.write_text(path.read_text()[:500])


def list_for_json(folder):
    (folder / "run.json").write_text("[]\n")


def no_machine(folder):
    (folder / "run.json").write_text('{"cpus": [], "kernels": []}\n')


def cut_rows(folder):
    path = folder / "results.csv"
    path.write_text(path.read_text()[:-40])


def unknown_source(folder):
    path = folder / "run.json"
    path.write_text(path.read_text().replace('"source": "linux"', '"source": "windows"'))


def said_of_each(bare, other):
    for arguments in ((bare, other), (other, bare), ("--machines", bare, other)):
        said = say(*arguments, status=results.HOST_ERROR)
        assert str(other) in said
        yield said


@pytest.mark.parametrize("spoil", [spoil_json, list_for_json, no_machine, cut_rows,
                                   unknown_source])
def test_a_spoiled_folder_is_4_and_named(bare, tmp_path, spoil):
    other = linux(tmp_path)
    spoil(other)
    assert len([*said_of_each(bare, other)]) == 3


@pytest.mark.parametrize("right, wrong", [
    (",6000,", ",six,"), ("\n0,0,", "\nx,0,"), (",6000,", ",nan,"),
    (",6000,6000,6000,", ",,6000,6000,")])  # a median needs a minimum
def test_a_spoiled_row_is_3_and_its_line_is_named(bare, tmp_path, right, wrong):
    other = linux(tmp_path)
    path = other / "results.csv"
    path.write_text(path.read_text().replace(right, wrong))
    for said in said_of_each(bare, other):
        assert "results.csv: line " in said


def every_value(found, path=()):
    """The paths of all values in run.json; only the first item of each list is used."""
    inner = found.items() if isinstance(found, dict) else enumerate(found[:1]) \
        if isinstance(found, list) else ()
    for key, value in inner:
        yield (*path, key)
        yield from every_value(value, (*path, key))


def test_any_value_of_run_json_may_be_another(bare, tmp_path):
    other = linux(tmp_path)
    path = other / "run.json"
    whole = path.read_text()
    for where in every_value(json.loads(whole)):
        for spoiled in (None, "text", [], "gone"):
            found = part = json.loads(whole)
            for key in where[:-1]:
                part = part[key]
            if spoiled == "gone" and isinstance(part, dict):
                del part[where[-1]]
            else:
                part[where[-1]] = spoiled
            path.write_text(json.dumps(found))
            for arguments in ((bare, other), ("--machines", bare, other)):
                with mock.patch.object(sys, "argv", ["compare", "--quiet", *map(str, arguments)]), \
                        contextlib.redirect_stdout(io.StringIO()), \
                        contextlib.redirect_stderr(io.StringIO()):
                    assert COMPARE.main() in (0, 1, 3, 4), (where, spoiled)


def test_an_incomplete_run_is_noted(bare, tmp_path):
    other = linux(tmp_path)
    run_json = json.loads((other / "run.json").read_text())
    (other / "run.json").write_text(json.dumps({**run_json, "complete": False}))
    assert "the run is not complete" in say(bare, other, status=0)


def test_one_cpu_of_the_reference(bare, tmp_path):
    other = linux(tmp_path)
    said = say(bare, other, "--cpu=1", "--missing", status=0)
    assert said.splitlines()[-1] == f"{ROWS // 2} same, {ROWS // 2} missing"
    assert "has no CPU 9" in say(bare, other, "--cpu=9", status=results.INCOMPLETE)


def test_machines_side_by_side(bare, tmp_path):
    def twice(row):
        if row["encoding"] == "r0200" and row["kernel"] == "load":
            row["median"] = str(2 * int(row["median"]))

    def no_turbo(run):
        run["state"] = [{"cpu": cpu, "setting": "turbo", "register": "0x1a0", "found": "0x1",
                         "asked": "0x1", "set": False, "read_back": "0x1", "status": "ok"}
                        for cpu in range(2)]

    other = folders.make(tmp_path / "other", cpus=2, machine=ANOTHER, change=twice,
                         change_run=no_turbo)
    said = say("--machines", bare, other, status=0).splitlines()
    assert said[:2] == [f"A is {bare}", f"B is {other}"]
    states = [line.split() for line in said if line.startswith("machine ")]
    assert ["machine", "tsc_hz", "2000000000", "3000000000"] in states
    assert said.index(next(line for line in said if "tsc_hz" in line)) < \
        said.index(next(line for line in said if line.startswith("load ")))
    row, = [line.split() for line in said if line.startswith("load ") and "THREAD os" in line]
    # In folders.KERNELS, `load` takes 15 + 2n cycles, and n is 1000.
    assert row[3:] == ["2015", "4030", "2.0000"]
    found = json.loads(say("--machines", "--json=-", bare, other, status=0))
    assert ["machine product", "Standard PC (Q35 + ICH9, 2009)", "Another"] in found["states"]
    assert ["state turbo", "none", "found 0x1, asked 0x1, read back 0x1 (ok)"] in found["states"]
    ratios = {row["kernel"]: row["ratios"][1] for row in found["rows"] if
              row["event"] == "CPU_CLK_UNHALTED.THREAD"}
    assert ratios == {"empty": None, "loop_dec_jnz": 1.0, "load": 2.0}


@pytest.mark.parametrize("name, change, words", [
    ("version", lambda run: run.update(version="0.0.9"), "version 0.1.0 in"),
    ("plan", lambda run: run["plan"].update(text="version=1\n[run]\n"), "plans differ at line 2"),
    ("bytes", lambda run: run["kernels"][1].update(crc32="0x1"), "kernel loop_dec_jnz differs"),
    ("source", from_linux, "source bare metal in")])
def test_unlike_machines_are_refused(bare, tmp_path, name, change, words):
    other = folders.make(tmp_path / name, cpus=2, machine=ANOTHER, change_run=change)
    said = say("--machines", bare, other, status=results.INCOMPLETE)
    assert words in said and str(other) in said and "2000000000" in said
