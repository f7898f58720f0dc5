# SPDX-License-Identifier: BSD-2-Clause
"""A folder of results, as the image wrote it, and the exit status that follows from it."""
import csv
import json
import pathlib

PASSED, FAILED, INCOMPLETE, HOST_ERROR = range(4)  # exit statuses of `make run`
FAILING = ("fault", "timeout", "noisy", "off")
COUNTED = ("within", "exact", "measured")
HEADER = ("cpu,apic_id,core_type,kernel,param,event,encoding,runs,rejected,min,median,mean,max,"
          "stddev,per_iteration,expected,verdict,ring,mode,counter,pass,partner,scope,unit,n,q1,q3,"
          "modes,reason,mad,stable,differs,mhz,ns").split(",")


class Unreadable(Exception):
    """The folder does not hold what a complete run leaves."""


def _rows(path):
    with open(path, newline="", encoding="ascii") as file:
        reader = csv.DictReader(file, strict=True)
        if (reader.fieldnames or [])[: len(HEADER)] != HEADER:
            raise Unreadable(f"{path}: its first line is not the header of results.csv")
        rows = list(reader)
    for number, row in enumerate(rows, 2):
        if None in row or None in row.values():
            raise Unreadable(f"{path}: line {number} has another number of fields than the header")
    return rows


class Results:
    """run.json as `run`, results.csv as `rows` (dictionaries of strings)."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        try:
            self.run = json.loads((self.folder / "run.json").read_text("ascii"))
            self.rows = _rows(self.folder / "results.csv")
        except (OSError, ValueError, csv.Error) as why:
            raise Unreadable(f"{self.folder}: {why}") from None

    @property
    def samples(self):
        """samples.csv as dictionaries of strings; it may be large."""
        with open(self.folder / "samples.csv", newline="", encoding="ascii") as file:
            return list(csv.DictReader(file, strict=True))

    def count(self, verdict):
        """How many rows bear a verdict."""
        return sum(row["verdict"] == verdict for row in self.rows)

    @property
    def verdict_line(self):
        return self.run.get("verdict", {}).get("line", "")

    @property
    def missing(self):
        """How many pairs of CPU and kernel, with its parameters, were planned and have no rows."""
        if self.run.get("stopped_by_user"):
            return 0
        planned = self.run["plan"]["cpus"] * len(self.run["kernels"])
        return planned - len({(row["cpu"], row["kernel"], row["param"], row["n"])
                              for row in self.rows})

    @property
    def status(self):
        """The exit status, from the rows themselves; a verdict that contradicts them fails too."""
        if self.run.get("complete") is not True or not self.rows or self.missing:
            return INCOMPLETE
        if any(row["verdict"] in FAILING for row in self.rows):
            return FAILED
        counted = any(row["verdict"] in COUNTED and row["event"] != "TSC" for row in self.rows)
        right = self.verdict_line == "PASS" if counted else \
            self.verdict_line.startswith("NOT MEASURED ")
        return PASSED if right else FAILED
