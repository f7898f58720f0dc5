# SPDX-License-Identifier: BSD-2-Clause
"""Collect runs from sticks, servers and serial lines in a folder, with a subfolder for each run.

A subfolder's name is the run's start time and label, such as 20261123-104512-label. If the clock
was not set, the name is like 0001-9c2f04d1. Complete runs are never overwritten.
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
INTERRUPTED = "INTERRUPTED"  # verdict in index.csv of a run that was cut off
FILES = ("summary.txt", "results.csv", "summary.html", "check.txt", "machine.txt",
         "trust.csv", "samples.csv", "journal.bin", "run.json")
LAST = FILES[-1]  # a run that has this file is complete
# The journal's first record begins with a head and the fields schema, number, version, started,
# plan_name and label of struct run_record (pmu/journal/record.h).
RUN_RECORD = struct.Struct("<4sI24xII24s24s64s32s")
RECORD_RUN = 1
STARTED = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)")
UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
TOLD_APART_BY = 8  # digits of the id in a folder's name


def _text(raw):
    return raw.split(b"\0", 1)[0].decode("ascii", "replace")


def _of_journal(folder):
    with contextlib.suppress(OSError, struct.error), open(folder / "journal.bin", "rb") as file:
        magic, kind, _, number, _, started, _, label = RUN_RECORD.unpack(
            file.read(RUN_RECORD.size))
        if magic == results.JOURNAL_MAGIC and kind == RECORD_RUN:
            return {"number": number, "started": _text(started), "label": _text(label)}
    return {}


def _run_of(folder):
    with contextlib.suppress(OSError, ValueError, RecursionError):
        run = json.loads((folder / LAST).read_text("ascii"))
        if isinstance(run, dict):
            return run
    return _of_journal(folder)


def _identity(folder):
    """Return a text that is the same for all copies of a run."""
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
    run = _run_of(folder)
    started = STARTED.match(str(run.get("started", "")))
    begin = "{}{}{}-{}{}{}".format(*started.groups()) if started else \
        f"{_number(run, folder.name)}-{_identity(folder)}"
    label = UNSAFE.sub("-", str(run.get("label", ""))).strip("-.")
    return f"{begin}-{label}" if label else begin


def _is_more(path, there):
    """Return False if replacing the existing copy by this one would lose content."""
    return not there.exists() or path.read_bytes().startswith(there.read_bytes())


def _complete(target, source):
    """Fill in the files of `target` from another copy; do nothing if `target` contains run.json."""
    if (target / LAST).exists():
        return
    is_rendered = (source / LAST).exists()
    for path in sorted(source.iterdir(), key=lambda path: path.name == LAST):
        if is_rendered or _is_more(path, target / path.name):
            _replace(target / path.name, lambda new, path=path: shutil.copy2(path, new))


def _land(folder, source):
    name, identity = name_of(source), _identity(source)
    for target in (folder / name, folder / f"{name}-{identity}"):
        if not target.exists():
            source.rename(target)
            return target
        if _identity(target) == identity:
            _complete(target, source)
            return target
    raise OSError(f"{target} exists, and contains another run")


def _replace(path, make):
    new = path.with_name(f".{path.name}.{os.getpid()}")
    new.unlink(missing_ok=True)
    make(new)
    new.replace(path)


def _at(found, *keys):
    with contextlib.suppress(KeyError, IndexError, TypeError):
        for key in keys:
            found = found[key]
        return found
    return ""


def _line(folder):
    """The columns are those of a stick's index.csv, and `folder`."""
    run, verdict = _run_of(folder), INTERRUPTED
    if run.get("complete") is True:
        with contextlib.suppress(results.Unreadable):
            verdict = results.Results(folder).verdict
    return {"number": _number(run, ""), "label": run.get("label"), "time": run.get("started"),
            "model": _at(run, "cpus", 0, "brand"), "uuid": _at(run, "machine", "uuid"),
            "verdict": verdict, "plan_errors": _at(run, "plan", "errors"),
            "folder": folder.name}


def _runs(folder):
    return sorted(path for path in folder.iterdir() if path.name != LATEST and
                  not path.name.startswith(".") and
                  any((path / f"{name}{end}").is_file() for name in FILES
                      for end in ("", ".partial")))


def write_index(folder):
    table = io.StringIO(newline="")
    writer = csv.DictWriter(table, COLUMNS, lineterminator="\r\n")
    writer.writeheader()
    writer.writerows(map(_line, _runs(folder)))
    _replace(folder / INDEX, lambda new: new.write_bytes(table.getvalue().encode("ascii",
                                                                                 "replace")))


@contextlib.contextmanager
def room(folder):
    """Yield a temporary folder, from which land() moves the runs."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix=".") as name:
        yield pathlib.Path(name)


def land(folder, sources):
    """Move runs, oldest first, from room()'s folder; return their new paths."""
    targets = [_land(folder, source) for source in sources]
    if targets:
        _replace(folder / LATEST, lambda new: new.symlink_to(targets[-1].name))
    write_index(folder)
    return targets
