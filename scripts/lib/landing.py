# SPDX-License-Identifier: BSD-2-Clause
"""A folder on this host that collects runs from sticks, servers and serial lines, one folder each.

The folder is named after the run's start and label, 20261123-104512-label; if the machine had no
date, after the run's number and part of its id, 0001-9c2f04d1. Nothing is overwritten.
"""
import contextlib
import csv
import io
import json
import os
import pathlib
import re
import shutil
import struct
import tempfile
import zlib

import results

INDEX, LATEST = "index.csv", "latest"
COLUMNS = ("number", "label", "time", "model", "uuid", "verdict", "plan_errors", "folder")
INTERRUPTED = "INTERRUPTED"  # the status in a stick's index.csv
FILES = ("summary.txt", "results.csv", "summary.html", "samples.csv", "journal.bin", "run.json")
LAST = FILES[-1]  # written last, so a run with it is complete
# The journal's first record is of type RUN: its head, then schema, number, version, started,
# plan_name and label of struct run_record (pmu/journal/record.h).
RUN_RECORD = struct.Struct("<4sI24xII24s24s64s32s")
RECORD_RUN = 1
STARTED = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)")
UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
TOLD_APART_BY = 8  # digits of the id in a folder's name


def _text(raw):
    return raw.split(b"\0", 1)[0].decode("ascii", "replace")


def _of_journal(folder):
    """What the journal says about a run without run.json; {} if it cannot be read."""
    with contextlib.suppress(OSError, struct.error), open(folder / "journal.bin", "rb") as file:
        magic, kind, _, number, _, started, _, label = RUN_RECORD.unpack(
            file.read(RUN_RECORD.size))
        if magic == results.JOURNAL_MAGIC and kind == RECORD_RUN:
            return {"number": number, "started": _text(started), "label": _text(label)}
    return {}


def _run_of(folder):
    """The content of run.json, or what the journal has of it."""
    with contextlib.suppress(OSError, ValueError, RecursionError):
        run = json.loads((folder / LAST).read_text("ascii"))
        if isinstance(run, dict):
            return run
    return _of_journal(folder)


def _identity(folder):
    """Equal for all copies of a run: its journal's id, else a checksum of its files."""
    told = results.journal_id(folder) or str(_run_of(folder).get("run", ""))
    if told:
        return told[-TOLD_APART_BY:]
    checksum = 0
    for path in sorted(path for path in folder.iterdir() if path.is_file()):
        checksum = zlib.crc32(path.read_bytes(), checksum)
    return f"{checksum:08x}"


def _number(run, otherwise):
    number = run.get("number")
    return f"{number:04}" if isinstance(number, int) else otherwise


def name_of(folder):
    """The name of a run's folder here."""
    run = _run_of(folder)
    started = STARTED.match(str(run.get("started", "")))
    begin = "{}{}{}-{}{}{}".format(*started.groups()) if started else \
        f"{_number(run, folder.name)}-{_identity(folder)}"
    label = UNSAFE.sub("-", str(run.get("label", ""))).strip("-.")
    return f"{begin}-{label}" if label else begin


def _is_more(path, there):
    """Whether a file is longer than the existing copy, and begins with it."""
    return not there.exists() or path.read_bytes().startswith(there.read_bytes())


def _complete(target, source):
    """Complete an existing run that was cut off; a run with run.json is left as it is."""
    if (target / LAST).exists():
        return
    is_rendered = (source / LAST).exists()
    for path in sorted(source.iterdir(), key=lambda path: path.name == LAST):
        if is_rendered or _is_more(path, target / path.name):
            _replace(target / path.name, lambda new, path=path: shutil.copy2(path, new))


def _land(folder, source):
    """Move a run into its own folder, which may have an earlier copy of it; returns the folder."""
    name, identity = name_of(source), _identity(source)
    for target in (folder / name, folder / f"{name}-{identity}"):
        if not target.exists():
            source.rename(target)
            return target
        if _identity(target) == identity:
            _complete(target, source)
            return target
    raise OSError(f"{target} exists, and has another run")


def _replace(path, make):
    """Replace a file or link atomically."""
    new = path.with_name(f".{path.name}.{os.getpid()}")
    new.unlink(missing_ok=True)
    make(new)
    new.replace(path)


def _at(found, *keys):
    """The value at a path in run.json, "" if there is none."""
    with contextlib.suppress(KeyError, IndexError, TypeError):
        for key in keys:
            found = found[key]
        return found
    return ""


def _line(folder):
    """A run's line in index.csv, in the form of a stick's index.csv, with its folder."""
    run, verdict = _run_of(folder), INTERRUPTED
    if run.get("complete") is True:
        with contextlib.suppress(results.Unreadable):
            verdict = results.Results(folder).verdict
    return {"number": _number(run, ""), "label": run.get("label"), "time": run.get("started"),
            "model": _at(run, "cpus", 0, "brand"), "uuid": _at(run, "machine", "uuid"),
            "verdict": verdict, "plan_errors": _at(run, "plan", "errors"),
            "folder": folder.name}


def _runs(folder):
    """The folders of runs here, ordered by name."""
    return sorted(path for path in folder.iterdir() if path.name != LATEST and
                  not path.name.startswith(".") and
                  any((path / f"{name}{end}").is_file() for name in FILES
                      for end in ("", ".partial")))


def write_index(folder):
    """Write index.csv anew from the folders that exist."""
    table = io.StringIO(newline="")
    writer = csv.DictWriter(table, COLUMNS, lineterminator="\r\n")
    writer.writeheader()
    writer.writerows(map(_line, _runs(folder)))
    _replace(folder / INDEX, lambda new: new.write_bytes(table.getvalue().encode("ascii",
                                                                                 "replace")))


@contextlib.contextmanager
def room(folder):
    """A temporary folder for runs until land() moves them."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix=".") as name:
        yield pathlib.Path(name)


def land(folder, sources):
    """Move runs, each a folder of room(), here in the order in which they were made; their folders.
    `latest` becomes a link to the last one, and index.csv lists all runs."""
    targets = [_land(folder, source) for source in sources]
    if targets:
        _replace(folder / LATEST, lambda new: new.symlink_to(targets[-1].name))
    write_index(folder)
    return targets
