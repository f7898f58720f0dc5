# SPDX-License-Identifier: BSD-2-Clause
"""Reads a folder of results, and derives the exit status from it."""
import csv
import json
import pathlib
import re
import struct

import shape

# Exit statuses of all scripts, and what they mean to scripts/run.
PASSED, FAILED, USAGE, INCOMPLETE, HOST_ERROR, PLAN_ERRORS = range(6)
MEANS = {FAILED: "rows are off, noisy, faulted or timed out, or the verdict contradicts them",
         USAGE: "wrong usage", INCOMPLETE: "the run is not complete",
         HOST_ERROR: "an error of this host", PLAN_ERRORS: "errors in the plan"}
FAILING = ("fault", "timeout", "noisy", "off")
COUNTED = ("within", "exact", "measured")
HEADER = ("cpu,apic_id,core_type,kernel,param,event,encoding,runs,rejected,min,median,mean,max,"
          "stddev,per_iteration,expected,verdict,ring,mode,counter,pass,partner,scope,unit,n,q1,q3,"
          "modes,reason,mad,stable,differs,mhz,ns,rate,rate_unit,cold,copies,per_copy,per_copy_min,"
          "per_copy_max,run,machine,expected_low,expected_high").split(",")
LINES_NAMED = 3  # list up to this many plan errors; more are counted
PACKAGE = "package"  # the scope of rows that count outside the cores


SAMPLES_HEADER = ("cpu,kernel,param,n,event,pass,attempt,accepted,evidence,smis,nmis,tsc,raw,"
                  "overflowed,reference,core_per_reference,mperf,aperf,thermal,package_thermal,"
                  "limits,machine_checks,gap_ticks,partner").split(",")
# New columns are added at the end only: the first version's header ended here.
OLDEST = {"results.csv": HEADER.index("reason") + 1, "samples.csv": SAMPLES_HEADER.index("raw") + 1}
# Fields of run.json that are used here, for a run that was cut off and for a complete one.
PART = {"source": str, "kernels": [{}], "plan": {"file": str, "cpus": int, "strict": bool,
                                                  "errors": int},
        "errors": [str], "verdict": {"line": str}}
WHOLE = {**PART, "!kernels": [{}], "!plan": {"!cpus": int, **PART["plan"]}}
BARE_METAL, LINUX = "bare metal", "linux"  # a run's source
JOURNAL_HEAD = struct.Struct("<4x4xQ")  # magic, type, id of the run: see pmu/journal/journal.h
JOURNAL_MAGIC = b"BCJ1"


class Unreadable(Exception):
    """The folder lacks something that a complete run has."""


class CutOff(Unreadable):
    """The last line of a file is incomplete; those before it are correct."""


def number(text):
    """None if empty; integers of any size are exact; otherwise a float."""
    if text.isdecimal():
        return int(text)
    if not text:
        return None
    whole, point, behind = text.removeprefix("-").partition(".")
    if not whole.isdecimal() or (point and not behind.isdecimal()):
        raise ValueError(f"'{text}' is no number")
    return float(text) if point else int(text)


def _check_header(path, names, header):
    """Older versions may lack columns at the end; newer ones may have more."""
    for at, (name, expected) in enumerate(zip(names, header), 1):
        if name != expected:
            raise Unreadable(f"{path}: line 1: column {at} is '{name}', expected '{expected}'")
    if len(names) < OLDEST[path.name]:
        raise Unreadable(f"{path}: line 1 has {len(names)} columns, expected at least "
                         f"{OLDEST[path.name]}, the last of them '{header[OLDEST[path.name] - 1]}'")
    if len(set(names)) < len(names):
        raise Unreadable(f"{path}: line 1 names a column twice")


def _ends_whole(file):
    """Whether a binary file ends with a line end."""
    return file.seek(0, 2) == 0 or file.seek(-1, 2) >= 0 and file.read() == b"\n"


def read_table(path, header):
    """Each line of results.csv or samples.csv as a dictionary of strings; CutOff at its end.

    What an older version had no column for is empty, but for the bounds of `expected`, which has
    them; columns of a newer one are there.
    """
    with open(path, "rb") as file:
        whole = _ends_whole(file)
    with open(path, newline="", encoding="ascii") as file:
        reader = csv.reader(file, strict=True)
        names = next(reader, [])
        _check_header(path, names, header)
        lacking = dict.fromkeys(header[len(names):], "")
        fields = next(reader, None)
        while fields is not None:
            line, following = reader.line_num, next(reader, None)
            if following is None and not whole:
                raise CutOff(f"{path}: line {line} is cut off: copy the folder again")
            if len(fields) != len(names):
                raise Unreadable(f"{path}: line {line} has {len(fields)} fields, expected "
                                 f"{len(names)}, as many as line 1")
            row = dict(zip(names, fields), **lacking)
            if "expected_low" in lacking:
                low, dots, high = row["expected"].partition("..")
                row |= {"expected_low": low, "expected_high": high if dots else low}
            yield row
            fields = following


def name_parameters(run, rows):
    """Before schema 4 run.json did not tell a kernel's parameters: rows are in its kernels' order.

    Where they cannot be told, as in a run that was cut off, they are left empty.
    """
    kernels = run.get("kernels")
    if not isinstance(kernels, list) or not all(isinstance(one, dict) for one in kernels) or \
            not any("param" not in one for one in kernels):
        return
    told = list(dict.fromkeys((row["kernel"], row["n"], row["param"]) for row in rows))
    same = [(str(one.get("name")), str(one.get("n"))) for one in kernels] == \
        [(name, n) for name, n, _ in told]
    for index, one in enumerate(kernels):
        one.setdefault("param", told[index][2] if same else "")


def crc32_of(kernel):
    """The checksum of the kernel's code; None if unknown, as before schema 4."""
    told = kernel.get("crc32")
    return None if told == "0x00000000" else told


def journal_id(folder):
    """The ID in all records of the run's journal; "" without a journal."""
    try:
        with open(folder / "journal.bin", "rb") as file:
            head = file.read(JOURNAL_HEAD.size)
    except FileNotFoundError:
        return ""
    except OSError as why:
        raise Unreadable(f"{folder}: {why}") from None
    if len(head) < JOURNAL_HEAD.size or not head.startswith(JOURNAL_MAGIC):
        return ""
    return f"{JOURNAL_HEAD.unpack(head)[0]:016x}"


class Results:
    """run.json as `run`, results.csv as `rows` (dictionaries of strings)."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        try:
            self.run = json.loads((self.folder / "run.json").read_text("ascii"))
            self.rows = list(read_table(self.folder / "results.csv", HEADER))
        except (OSError, ValueError, RecursionError, csv.Error) as why:
            raise Unreadable(f"{self.folder}: {why}") from None
        if not isinstance(self.run, dict):
            raise Unreadable(f"{self.folder}/run.json: expected an object in braces")
        wrong = shape.misfit(self.run, WHOLE if self.run.get("complete") is True else PART)
        if wrong:
            raise Unreadable(f"{self.folder}/run.json: not as the program writes it: {wrong}")
        name_parameters(self.run, self.rows)

    @property
    def source(self):
        """Before schema 5 all results came from the image."""
        return self.run.get("source", BARE_METAL)

    def each_sample(self):
        """samples.csv, line by line, as dictionaries of strings."""
        try:
            yield from read_table(self.folder / "samples.csv", SAMPLES_HEADER)
        except (OSError, ValueError, csv.Error) as why:
            raise Unreadable(f"{self.folder}: {why}") from None

    @property
    def samples(self):
        """All samples at once; there may be many."""
        return list(self.each_sample())

    @property
    def plan_errors(self):
        """Number of errors in the plan; older versions did not record it."""
        return self.run.get("plan", {}).get("errors", 0)

    @property
    def means(self):
        """The exit status as text; for plan errors with their lines, if recorded."""
        plan = re.split(r"[\\/]", self.run.get("plan", {}).get("file", ""))[-1]
        found = (re.match(rf"(?:.*[\\/])?{re.escape(plan)}:(\d+): ", error)
                 for error in self.run.get("errors", ()))
        lines = sorted({int(one[1]) for one in found if one})
        if self.status != PLAN_ERRORS or not lines:
            return MEANS.get(self.status, "")
        named = lines if len(lines) <= LINES_NAMED else lines[:LINES_NAMED - 1]
        more = f" and {len(lines) - len(named)} more" if len(named) < len(lines) else ""
        return f"{MEANS[PLAN_ERRORS]}: line{'s' * (len(lines) > 1)} " \
               f"{', '.join(map(str, named))}{more}"

    @property
    def is_refused(self):
        """Whether nothing was measured because of strict=yes and plan errors."""
        return bool(self.plan_errors and self.run["plan"].get("strict") and not self.rows)

    @property
    def verdict_line(self):
        """The console's last line, which ends with the number of plan errors."""
        return self.run.get("verdict", {}).get("line", "")

    @property
    def verdict(self):
        """PASS, FAIL n, or NOT MEASURED with the reason."""
        errors = self.plan_errors
        told = f", {errors} plan error{'s' * (errors != 1)}" if errors else ""
        return self.verdict_line.removesuffix(told)

    @property
    def missing(self):
        """How many pairs of CPU and kernel, with its parameters, were planned and have no rows.

        A run that was cut off need not tell what was planned: then none are known to be missing.
        """
        cpus, kernels = self.run.get("plan", {}).get("cpus"), self.run.get("kernels")
        if self.run.get("stopped_by_user") or self.is_refused or None in (cpus, kernels):
            return 0
        return cpus * len(kernels) - len({(row["cpu"], row["kernel"], row["param"], row["n"])
                                         for row in self.rows})

    @property
    def status(self):
        """The exit status, from the rows themselves; fails too if a verdict contradicts them."""
        if self.run.get("complete") is not True or self.missing or \
                not (self.rows or self.is_refused):
            return INCOMPLETE
        if any(row["verdict"] in FAILING for row in self.rows):
            return FAILED
        counted = any(row["verdict"] in COUNTED and row["event"] != "TSC" for row in self.rows)
        right = self.verdict == "PASS" if counted else self.verdict.startswith("NOT MEASURED ")
        if not right:
            return FAILED
        return PLAN_ERRORS if self.plan_errors else PASSED
