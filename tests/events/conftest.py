# SPDX-License-Identifier: BSD-2-Clause
"""Fixtures that run scripts/import-perfmon and scripts/make-events."""
import csv
import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

TOP = pathlib.Path(__file__).resolve().parents[2]
FIXTURES = pathlib.Path(__file__).resolve().parent / "fixtures"
sys.path[:0] = [str(TOP / "scripts/lib"), str(TOP / "tests")]
sys.dont_write_bytecode = True

from events import cpu_sets  # noqa: E402
from events import table  # noqa: E402
from levels import host_cannot  # noqa: E402

HEADER = pathlib.Path("/usr/include/perfmon/pfmlib.h")
SCRIPT_S = 600  # far more than a script takes on an idle host
# Fields: name, select, counters, fixed counter, flags, register, its value, description, unit,
# errata. Empty fields at the end are left out.
DESCRIPTION = r'(?:[ -!#-+\--~]{0,70}|"(?:[ -!#-~]|""){1,80}")'
LINE = re.compile(r"([A-Z0-9][A-Z0-9_.-]{0,94}),(?!,[0-9a-f]*,,)[0-9a-f]{0,12},[0-9a-f]{0,4},"
                  r"(?:\d|1[0-5])?,a?d?o?p?,(?:,|(?:1a[67]|3f[67]|3e[0-3]),[0-9a-f]{1,16}),"
                  + DESCRIPTION + r',,(?:[A-Z]+\d+|"[A-Z]+\d+(?:, [A-Z]+\d+)+")?|'
                  # or an uncore event
                  r"([A-Z0-9][A-Z0-9_.-]{0,94}),[0-9a-f]{1,16},"
                  r"[0-9a-f]{0,4},,d?o?p?,(?:,|[0-9a-f]{3},[0-9a-f]{1,16}),"
                  + DESCRIPTION + r",[a-z0-9_]+,")
FIELDS = 10
TABLE_BYTES_MAX, TABLES_BYTES_MAX = 480 << 10, 5 << 20


class Imported:
    def __init__(self, done, folder):
        self.status, self.said, self.errors = done.returncode, done.stdout, done.stderr
        self.folder = folder
        self.index = cpu_sets.read_index(folder / "index.csv") if done.returncode < 2 and \
            (folder / "index.csv").exists() else []

    @property
    def last(self):
        return self.said.splitlines()[-1] if self.said else ""

    def rows(self, file):
        return {row.name: row for row in table.read(self.folder / file)[1]}

    def note(self, name):
        return (self.folder / name).read_text().splitlines()


@pytest.fixture
def importer(tmp_path):
    def call(source, *options, out=tmp_path / "events"):
        done = subprocess.run(
            [TOP / "scripts/import-perfmon", source, "--out", out, *options],
            capture_output=True, text=True, timeout=SCRIPT_S, check=False,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
        print(done.stdout[-2000:], done.stderr)
        return Imported(done, out)
    return call


def make(folder, lister, *options):
    done = subprocess.run([TOP / "scripts/make-events", "--out", folder, "--lister", lister,
                           *options], capture_output=True, text=True, timeout=SCRIPT_S, check=False)
    print(done.stdout, done.stderr)
    return done


@pytest.fixture(scope="session")
def lister(tmp_path_factory):
    if not HEADER.exists():
        host_cannot("libpfm4-dev is not installed (scripts/setup program)")
    program = tmp_path_factory.mktemp("lister") / "libpfm4_events"
    subprocess.run(["gcc", "-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-o",
                    program, TOP / "scripts/libpfm4_events.c", "-lpfm"], check=True)
    return program


@pytest.fixture(scope="session")
def tables(lister, tmp_path_factory):
    folder = tmp_path_factory.mktemp("made") / "events"
    done = make(folder, lister, "--no-perfmon")
    assert done.returncode == 0 and not done.stderr  # stderr lists PMUs that libpfm4-cpus.csv lacks
    return folder


@pytest.fixture(scope="session")
def stick(lister, tmp_path_factory):
    folder = tmp_path_factory.mktemp("stick") / "events"
    done = make(folder, lister)
    assert done.returncode == 0 and not done.stderr
    return folder


def padded(line):
    return line + "," * (FIELDS - len(next(csv.reader([line]))))


def check_tables(folder):
    named = {file for file, _ in cpu_sets.read_index(folder / "index.csv")}
    tables = set(folder.glob("*.csv")) - {folder / "index.csv"}
    assert {path.name for path in tables} == named
    for path in tables:
        first, columns, *lines = path.read_text("ascii").splitlines()
        assert re.fullmatch(r"barecount-events,1,\S.*", first), path.name
        assert columns == "name,select,counters,fixed,flags,msr,value,description,unit,errata"
        assert not [line for line in lines if line.endswith(",")], path.name
        matches = [LINE.fullmatch(padded(line)) for line in lines]
        assert None not in matches, (path.name, lines[matches.index(None)])
        names = {match[1] or match[2] for match in matches}
        assert len(names) == len(lines), path.name
        assert path.stat().st_size <= TABLE_BYTES_MAX, path.name
    assert sum(path.stat().st_size for path in tables) <= TABLES_BYTES_MAX
    return tables


def all_events(folder):
    """The number of events in the core and uncore files of mapfile.csv, and the number of files.

    import-perfmon's code is not used. A file that several lines name, as for hybrids, counts once.
    """
    paths = set()
    for line in (folder / "mapfile.csv").read_text("utf-8-sig").splitlines()[1:]:
        fields = line.split(",")
        if len(fields) > 3 and fields[3] in ("core", "hybridcore", "uncore", "uncore experimental"):
            path = folder / fields[2].lstrip("/")
            paths |= set(path.glob("*.json")) if path.is_dir() else {path}
    count = 0
    for path in paths:
        content = json.loads(path.read_text("utf-8-sig"))
        events = content["Events"] if isinstance(content, dict) else content
        count += sum("EventName" in event for event in events)
    return count, len(paths)


def check_import(done, source):
    assert done.status == 0, done.errors
    events, files = all_events(source)
    found = re.fullmatch(
        r"import-perfmon: (\d+) files, (\d+) events imported, (\d+) events refused; "
        r"\d+ of the imported ones disagreed with the existing table", done.last)
    assert found, done.last
    imported, refused = int(found[2]), int(found[3])
    assert (int(found[1]), imported + refused) == (files, events)
    notes = done.note("refused.txt")
    assert len(notes) == refused and all(re.fullmatch(r"\S+: \S+: .+", line) for line in notes)
    check_tables(done.folder)
    return imported, refused
