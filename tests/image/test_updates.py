# SPDX-License-Identifier: BSD-2-Clause
"""A stick with files of older images works with the current program."""
import csv
import io
import re
import subprocess
import sys

import results
from machine import stick as sticks
from conftest import IMAGE, SHORT, TOP, put_files
from levels import in_full

sys.path.append(str(TOP / "tests/tools"))
import old_runs  # noqa: E402

INDEX = "number,label,time,model,uuid,verdict"


def old_stick(tmp_path, runs, files):
    """A copy of the current image, with runs of older images and other files.

    runs: {number: (schema, folder, names of files)}.
    """
    stick = sticks.Stick.copy_of(IMAGE, tmp_path / "stick.img")
    for number, (schema, which, names) in runs.items():
        folder = old_runs.unpack(schema, tmp_path / f"schema-{schema}") / which
        stick.make_folder(f"barecount/results/{number}")
        for name in names:
            stick.put(folder / name, f"barecount/results/{number}/{name}")
    put_files(stick, tmp_path, files)
    return stick


def index_of(stick):
    return stick.read("barecount/results/index.csv").decode("ascii")


def test_an_old_stick_with_a_new_program(boot, tmp_path):
    """An older image left a run and the last line of index.csv unfinished."""
    whole = ("results.csv", "samples.csv", "run.json", "journal.bin")
    plan = (old_runs.unpack(2, tmp_path / "schema-2") / "plans/default.cfg").read_text("ascii")
    plan = plan.replace("at_end=menu", "at_end=shutdown").replace("cpus=all", "cpus=boot").replace(
        "kernels=all", "kernels=empty,nops").replace("runs=default", "runs=2")
    assert "at_end=shutdown" in plan and "kernels=empty,nops" in plan
    stick = old_stick(tmp_path, {"0000": (2, "run", whole), "0001": (3, "cut", ["journal.bin"])}, {
        "barecount/plan.cfg": plan,
        "barecount/results/index.csv": f"{INDEX}\r\n0000,schema 2,,,,PA"})
    left = boot(stick=stick)
    assert "Run 0001 was cut off; its finished kernels are written" in left.console
    assert not re.search(r"plan\.cfg:\d", left.console)
    assert left.results.status == results.PASSED
    old = tmp_path / "schema-2/run"
    assert all(stick.read(f"barecount/results/0000/{name}") == (old / name).read_bytes()
               for name in whole)
    cut = tmp_path / "schema-3/cut"
    journal = (cut / "journal.bin").read_bytes()
    subprocess.run([TOP / "scripts/recover", cut], check=True, capture_output=True)
    for name in ("results.csv", "summary.txt", "summary.html", "samples.csv", "run.json"):
        assert stick.read(f"barecount/results/0001/{name}") == (cut / name).read_bytes(), name
    assert stick.read("barecount/results/0001/journal.bin") == journal
    lines = list(csv.DictReader(io.StringIO(index_of(stick))))
    assert [(line["number"], line["verdict"]) for line in lines] == [
        ("0000", "PA"), ("0001", "INTERRUPTED"), ("0002", "PASS")]


@in_full("files that this version cannot read")
def test_what_a_program_cannot_read_it_names_and_leaves(boot, tmp_path):
    """A journal of schema 1 stays unchanged, and so does an index.csv with foreign columns."""
    index = "number;label;verdict\r\n0001;x;PASS\r\n"
    stick = old_stick(tmp_path, {"0001": (1, "run", ["journal.bin"])},
                      {"barecount/results/index.csv": index})
    left = boot(stick=stick, plan=SHORT)
    said = " ".join(left.console.split())
    assert "results\\0001\\journal.bin contains nothing readable: barecount 0.1.0 wrote " \
        "it, in schema 1; this version reads 2 to 7." in said
    assert stick.names("barecount/results/0001") == ["journal.bin"]
    assert "index.csv: its first line is not barecount's, so this run was not added" in said
    assert index_of(stick) == index
    assert left.results.status == results.PASSED and left.verdict == "PASS"
