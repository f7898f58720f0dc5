# SPDX-License-Identifier: BSD-2-Clause
"""Read a folder of results, and determine a script's exit status from it."""
import csv
import json
import pathlib
import re
import struct

from plural import counted, noun
import shape

PASSED, FAILED, USAGE, INCOMPLETE, HOST_ERROR, PLAN_ERRORS = range(6)
MEANS = {FAILED: "some rows are 'off', 'noisy', 'fault' or 'timeout', or the verdict is wrong",
         USAGE: "wrong usage", INCOMPLETE: "the run is not complete",
         HOST_ERROR: "an error of this host", PLAN_ERRORS: "errors in the plan"}
FAILING = ("fault", "timeout", "noisy", "off")
COUNTED = ("within", "exact", "measured")
HEADER = ("cpu,apic_id,core_type,kernel,param,event,encoding,runs,rejected,min,median,mean,max,"
          "stddev,per_iteration,expected,verdict,ring,mode,counter,pass,partner,scope,unit,n,q1,q3,"
          "modes,reason,mad,stable,differs,mhz,ns,rate,rate_unit,cold,copies,per_copy,per_copy_min,"
          "per_copy_max,run,machine,expected_low,expected_high,noisy_by,uncore_mhz_low,"
          "uncore_mhz_high,time_from,trust").split(",")
LINES_NAMED = 3  # above this number of lines with plan errors, only the first two are named
PACKAGE = "package"


SAMPLES_HEADER = ("cpu,kernel,param,n,event,pass,attempt,accepted,evidence,smis,nmis,tsc,raw,"
                  "overflowed,reference,core_per_reference,mperf,aperf,thermal,package_thermal,"
                  "limits,machine_checks,gap_ticks,partner").split(",")
TRUST_HEADER = ("cpu,core_type,event,encoding,counter,kind,kernel,param,n,expected_low,"
                "expected_high,min,max,reason,run,machine").split(",")
# The number of columns in the first version of each file; later versions add columns at the end.
OLDEST = {"results.csv": HEADER.index("reason") + 1, "samples.csv": SAMPLES_HEADER.index("raw") + 1,
          "trust.csv": len(TRUST_HEADER)}
# The fields of run.json that Results checks: WHOLE for complete runs, PART for all others.
PART = {"source": str, "kernels": [{}], "plan": {"file": str, "cpus": int, "strict": bool,
                                                  "errors": int},
        "errors": [str], "verdict": {"line": str}}
WHOLE = {**PART, "!kernels": [{}], "!plan": {"!cpus": int, **PART["plan"]}}
BARE_METAL, LINUX = "bare metal", "linux"  # values of a run's source
JOURNAL_HEAD = struct.Struct("<4x4xQ")  # magic, type, id of the run: pmu/journal/journal.h
JOURNAL_MAGIC = b"BCJ1"


class Unreadable(Exception):
    """The folder lacks a file, or a file is malformed."""


class CutOff(Unreadable):
    """The last line of a file is incomplete; the lines before it are valid."""


def number(text):
    """An int if the text has no decimal point, else a float; None for ""."""
    if text.isdecimal():
        return int(text)
    if not text:
        return None
    whole, point, behind = text.removeprefix("-").partition(".")
    if not whole.isdecimal() or (point and not behind.isdecimal()):
        raise ValueError(f"'{text}' is not a number")
    return float(text) if point else int(text)


def _check_header(path, names, header):
    """Raise Unreadable if no version of barecount, older or newer, can have written the header."""
    for at, (name, expected) in enumerate(zip(names, header), 1):
        if name != expected:
            raise Unreadable(f"{path}: line 1: column {at} is '{name}', expected '{expected}'")
    if len(names) < OLDEST[path.name]:
        raise Unreadable(f"{path}: line 1 has {len(names)} columns, expected at least "
                         f"{OLDEST[path.name]}, the last of them '{header[OLDEST[path.name] - 1]}'")
    if len(set(names)) < len(names):
        raise Unreadable(f"{path}: line 1 names a column twice")


def _ends_whole(file):
    return file.seek(0, 2) == 0 or file.seek(-1, 2) >= 0 and file.read() == b"\n"


def _next_fields(path, reader):
    """The fields of the next line; None at the end of the file."""
    try:
        return next(reader, None)
    except csv.Error as why:
        raise Unreadable(f"{path}: line {reader.line_num}: {why}") from None


def read_table(path, header):
    """Yield each line of results.csv, samples.csv or trust.csv as a dictionary of texts.

    Raises CutOff after the last complete line of a file that was cut off. Columns that an older
    version lacked are empty, except expected_low and expected_high, which are computed from
    `expected`. Columns of a newer version are included.
    """
    with open(path, "rb") as file:
        whole = _ends_whole(file)
    with open(path, newline="", encoding="ascii") as file:
        reader = csv.reader(file, strict=True)
        names = _next_fields(path, reader) or []
        _check_header(path, names, header)
        lacking = dict.fromkeys(header[len(names):], "")
        fields = _next_fields(path, reader)
        while fields is not None:
            line, following = reader.line_num, _next_fields(path, reader)
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
    """Add the kernels' parameters, from the rows, to a run.json older than schema 4.

    The parameters stay empty if the rows do not match the kernels.
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


def fails(row):
    """A 'noisy' row of time does not fail the run if only heat, a limit or the clock disturbed it.
    """
    return row["verdict"] in FAILING and not row["noisy_by"]


def crc32_of(kernel):
    """The checksum of the kernel's bytes; None if it is absent or 0 (runs before schema 4)."""
    told = kernel.get("crc32")
    return None if told == "0x00000000" else told


def journal_id(folder):
    """The id that all records of the run's journal contain; "" if no such id can be read."""
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
    """`run` is run.json, and `rows` are the lines of results.csv."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        try:
            self.run = json.loads((self.folder / "run.json").read_text("ascii"))
            self.rows = list(read_table(self.folder / "results.csv", HEADER))
        except (OSError, ValueError, RecursionError) as why:
            raise Unreadable(f"{self.folder}: {why}") from None
        if not isinstance(self.run, dict):
            raise Unreadable(f"{self.folder}/run.json: expected a JSON object")
        wrong = shape.misfit(self.run, WHOLE if self.run.get("complete") is True else PART)
        if wrong:
            raise Unreadable(f"{self.folder}/run.json: not as the program writes it: {wrong}")
        name_parameters(self.run, self.rows)

    @property
    def source(self):
        """Before schema 5 every run was from the image."""
        return self.run.get("source", BARE_METAL)

    def told_of(self, cpu):
        """What run.json says about a CPU; {} if nothing."""
        return next((one for one in self.run.get("cpus", ()) if one.get("cpu") == cpu), {})

    def each_sample(self):
        try:
            yield from read_table(self.folder / "samples.csv", SAMPLES_HEADER)
        except (OSError, ValueError) as why:
            raise Unreadable(f"{self.folder}: {why}") from None

    @property
    def samples(self):
        return list(self.each_sample())

    @property
    def plan_errors(self):
        """Older versions did not record the number."""
        return self.run.get("plan", {}).get("errors", 0)

    @property
    def means(self):
        plan = re.split(r"[\\/]", self.run.get("plan", {}).get("file", ""))[-1]
        found = (re.match(rf"(?:.*[\\/])?{re.escape(plan)}:(\d+): ", error)
                 for error in self.run.get("errors", ()))
        lines = sorted({int(one[1]) for one in found if one})
        if self.status != PLAN_ERRORS or not lines:
            return MEANS.get(self.status, "")
        named = lines if len(lines) <= LINES_NAMED else lines[:LINES_NAMED - 1]
        more = f" and {len(lines) - len(named)} more" if len(named) < len(lines) else ""
        return f"{MEANS[PLAN_ERRORS]}: {noun(len(lines), 'line')} " \
               f"{', '.join(map(str, named))}{more}"

    @property
    def is_refused(self):
        return bool(self.plan_errors and self.run["plan"].get("strict") and not self.rows)

    @property
    def verdict_line(self):
        return self.run.get("verdict", {}).get("line", "")

    @property
    def verdict(self):
        """The verdict of the run: PASS; FAIL with a number; or NOT MEASURED with the reason."""
        errors, noisy = self.plan_errors, self.run.get("verdict", {}).get("noisy_of_time", 0)
        told = f", {counted(errors, 'plan error')}" if errors else ""
        by = f", {counted(noisy, 'row')} of time noisy ({self.noisy_by})" if noisy else ""
        return self.verdict_line.removesuffix(told).removesuffix(by)

    @property
    def noisy_by(self):
        """What disturbed rows of time without failing the run, such as "heat".

        "" if nothing disturbed them.
        """
        return self.run.get("verdict", {}).get("noisy_by", "")

    @property
    def missing(self):
        """The number of planned pairs of CPU and kernel (with parameters) that have no rows.

        0 if the run was stopped or refused, or did not record the number of pairs.
        """
        cpus, kernels = self.run.get("plan", {}).get("cpus"), self.run.get("kernels")
        stopped = any(self.run.get(f"stopped_by_{who}") for who in ("user", "machine_check"))
        if stopped or self.is_refused or None in (cpus, kernels):
            return 0
        planned = {(kernel["name"], kernel["param"], kernel["n"]) for kernel in kernels}
        return cpus * len(planned) - len({(row["cpu"], row["kernel"], row["param"], row["n"])
                                          for row in self.rows})

    @property
    def status(self):
        """The exit status, from the rows; FAILED if the verdict contradicts them."""
        if self.run.get("complete") is not True or self.missing or \
                not (self.rows or self.is_refused):
            return INCOMPLETE
        if any(map(fails, self.rows)):
            return FAILED
        counted = any((row["verdict"] in COUNTED or row["noisy_by"]) and row["event"] != "TSC"
                      for row in self.rows)
        right = self.verdict == "PASS" if counted else self.verdict.startswith("NOT MEASURED ")
        if not right:
            return FAILED
        return PLAN_ERRORS if self.plan_errors else PASSED
