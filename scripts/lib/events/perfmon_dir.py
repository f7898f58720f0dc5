# SPDX-License-Identifier: BSD-2-Clause
"""Read a checkout of Intel's perfmon, or the folder tools/perf/pmu-events/arch/x86 of Linux.

perfmon's mapfile.csv names JSON files, and has columns for hybrid CPUs. Linux's mapfile.csv names
folders. In Linux's files, an event's field Unit names a hybrid CPU's type of core.
"""
import csv
import json
from typing import NamedTuple

from events import cpu_sets
from events import uncore

COLUMNS = ["Family-model", "Version", "Filename", "EventType"]
CORE_EVENTS = ("core", "hybridcore")
UNCORE_EVENTS = ("uncore", "uncore experimental")
CORE_TYPES = {0x20: "atom", 0x40: "core"}  # CPUID.1AH:EAX[31:24]
UNITS = {"cpu_core": "core", "cpu_atom": "atom", "cpu_lowpower": "atom"}
# CPUID does not report Alder Lake-N, which has only E-cores, as hybrid. Linux lists it as hybrid.
ATOM_ALONE = cpu_sets.Cpus("GenuineIntel", 6, frozenset({0xBE}))


class SourceError(Exception):
    """A file is missing or malformed."""


class Entry(NamedTuple):
    line: int
    cpus: cpu_sets.Cpus
    version: str
    file: str
    unit: str = ""  # the Unit of the entry's events; "": none
    pattern: str = ""  # family-model
    native: str = ""  # the native model ID, CPUID.1AH:EAX[23:0]


def load(path):
    try:
        content = json.loads(path.read_text("utf-8-sig"))
    except OSError as error:
        raise SourceError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise SourceError(f"{path}: byte {error.start} is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise SourceError(f"{path}:{error.lineno}: {error.msg}") from None
    except RecursionError:
        raise SourceError(f"{path}: nested too deeply") from None
    except ValueError as error:  # a very long number
        raise SourceError(f"{path}: {error}") from None
    events = content.get("Events", []) if isinstance(content, dict) else content
    if not isinstance(events, list) or not all(isinstance(event, dict) for event in events):
        raise SourceError(f"{path}: expected a list of events")
    return events


def find(folder, name):
    """In some releases, file names in the mapfile have the wrong case."""
    try:
        path = (folder / name.lstrip("/")).resolve()
        if not path.is_relative_to(folder.resolve()):
            raise SourceError(f"{name}: is outside of {folder}")
        if path.exists():
            return path
    except (OSError, ValueError):
        raise SourceError(f"{name!r}: is not a file name") from None
    lower = str(path).lower()
    alike = [other for other in folder.resolve().rglob("*") if str(other).lower() == lower]
    if len(alike) != 1:
        raise SourceError(f"{path}: no such file or folder")
    return alike[0]


def is_core(event):
    return "EventName" in event and event.get("Unit") in (None, *UNITS)


def with_counters(events):
    if any("Counter" in event for event in events):
        return [{"Counter": "0", **event} for event in events]
    return events


class Source:
    """An error that concerns only one line or one file is added to .problems."""

    def __init__(self, folder):
        self.folder = folder
        self.problems = []
        self.files = set()  # files that were read
        self.entries = []
        self._events = {}
        self._uncore = {}  # uncore events of the same files
        self._uncore_files = {}  # family-model -> files with only uncore events
        self._read_mapfile()

    def events(self, entry):
        """In Linux's files, an event without a Counter has the Counter "0". If no event of a file
        contains a Counter, the counters are unknown.
        """
        return with_counters(
            [event for event in self._file(entry.file) if event.get("Unit", "") == entry.unit])

    def uncore_files(self, entry):
        return (entry.file, *self._uncore_files.get(entry.pattern, ()))

    def uncore_files_of_none(self):
        known = {entry.pattern for entry in self.entries}
        return [file for pattern, files in self._uncore_files.items() if pattern not in known
                for file in files]

    def uncore_events(self, file):
        self._file(file)
        return with_counters(self._uncore[file])

    def _read_mapfile(self):
        path = self.folder / "mapfile.csv"
        try:
            lines = csv.reader(path.read_text("utf-8-sig").splitlines())
        except OSError as error:
            raise SourceError(f"{path}: {error.strerror}; expected a checkout of perfmon or the "
                              "folder tools/perf/pmu-events/arch/x86 of Linux") from None
        except UnicodeDecodeError as error:
            raise SourceError(f"{path}: byte {error.start} is not UTF-8") from None
        try:
            self._read_lines(path, lines)
        except csv.Error as error:
            raise SourceError(f"{path}:{lines.line_num}: {error}") from None

    def _read_lines(self, path, lines):
        header = [name.strip() for name in next(lines, [])]
        if header[:len(COLUMNS)] != COLUMNS:
            raise SourceError(f"{path}:1: expected {','.join(COLUMNS)}")
        for texts in lines:
            if not texts or texts[0].startswith("#"):
                continue
            try:
                self._read_line(lines.line_num, dict(zip(header, texts)))
            except (cpu_sets.PatternError, SourceError) as error:
                self.problems.append(f"{path}:{lines.line_num}: {error}")
        self._tell_cores_apart()

    def _read_line(self, line, texts):
        if len(texts) < len(COLUMNS):
            raise SourceError(f"{len(texts)} fields, expected {','.join(COLUMNS)}")
        file = texts["Filename"].strip()
        pattern = texts["Family-model"].strip()
        if texts["EventType"].strip() in UNCORE_EVENTS:
            cpu_sets.of_pattern(pattern)
            self._file(file)
            self._uncore_files.setdefault(pattern, []).append(file)
        if texts["EventType"].strip() not in CORE_EVENTS:
            return
        core_type, native = self._core_type(texts), self._native(texts)
        cpus = cpu_sets.of_pattern(texts["Family-model"], core_type)
        units = sorted({event.get("Unit", "") for event in self._file(file)})
        for unit in units:
            version = texts["Version"].strip()
            if unit == "cpu_atom" and ATOM_ALONE.cells() <= cpus.cells():
                self.entries.append(Entry(line, ATOM_ALONE, version, file, unit, pattern))
            typed = cpus._replace(core_type=UNITS.get(unit, core_type))
            self.entries.append(Entry(line, typed, version, file, unit, pattern, native))

    @staticmethod
    def _core_type(texts):
        number = (texts.get("Core Type") or "").strip()
        if not number:
            return ""
        try:
            return CORE_TYPES[int(number, 16)]
        except (KeyError, ValueError):
            raise SourceError(f"Core Type '{number}': expected 0x20 or 0x40") from None

    @staticmethod
    def _native(texts):
        number = (texts.get("Native Model ID") or "").strip()
        try:
            return f"{int(number, 16):x}" if number else ""
        except ValueError:
            raise SourceError(f"Native Model ID '{number}': expected a hexadecimal "
                              "number") from None

    def _tell_cores_apart(self):
        """If two kinds of cores of a machine have the same core type, add native model IDs."""
        natives = {}
        for entry in self.entries:
            natives.setdefault((entry.pattern, entry.cpus.core_type), set()).add(entry.native)
        for index, entry in enumerate(self.entries):
            if len(natives[entry.pattern, entry.cpus.core_type]) > 1 and entry.native:
                typed = entry.cpus._replace(core_type=f"{entry.cpus.core_type}:{entry.native}")
                self.entries[index] = entry._replace(cpus=typed)

    def _file(self, name):
        """`name` is a JSON file, or a folder of JSON files."""
        if name not in self._events:
            path = find(self.folder, name)
            paths = sorted(path.glob("*.json")) if path.is_dir() else [path]
            self._events[name], self._uncore[name] = [], []
            if not paths:
                raise SourceError(f"{path}: a folder without JSON files")
            for each in paths:
                try:
                    events = load(each)
                except SourceError as error:
                    self.problems.append(str(error))
                    continue
                self.files.add(each)
                self._events[name] += [event for event in events if is_core(event)]
                self._uncore[name] += [event for event in events if uncore.is_uncore(event)]
        return self._events[name]
