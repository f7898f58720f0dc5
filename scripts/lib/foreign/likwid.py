# SPDX-License-Identifier: BSD-2-Clause
"""Parse the output of `likwid-perfctr -O` or `likwid-perfctr -o FILE.csv` of likwid 5.2.

likwid counts in ring 3; the event option KERNEL adds ring 0. With -m, likwid prints a table for
each region. The region's name is used as the kernel's name. If there are several groups, no group
counts the whole run.
"""
import csv
import dataclasses
import re

from events import codes
from foreign import formats
import results

# AMD's fixed counters are IRPERF, APERF and MPERF. The last two are clocks and have no encoding.
FIXED = {codes.INTEL: {"FIXC0": "r0100", "FIXC1": "r0200", "FIXC2": "r0300", "FIXC3": "r0400"},
         codes.AMD: {"FIXC0": "r00c0"}}
FIXED_IN_ALL_RINGS = {codes.INTEL: False, codes.AMD: True}
RAW = re.compile(r"Group (\d+) Raw$")
TIME = "Runtime (RDTSC) [s]"
START = re.compile(r"^(TABLE|STRUCT),", re.M)
COUNTER = re.compile(r"(FIXC|PMC)\d+$")


def looks_like(text):
    """Return "csv", "plain" for human-readable tables, or ""."""
    if START.search(text):
        return "csv"
    return "plain" if re.search(r"^\|\s+Event\s+\|\s+Counter\s+\|", text, re.M) else ""


class _Reader:
    def __init__(self, path, text, vendor):
        self.path = path
        self.vendor = vendor
        self.lines = [(number, [field.strip() for field in next(csv.reader([line]), [])])
                      for number, line in enumerate(text.splitlines(), 1)]
        self.at = 0
        self.brand = ""
        self.values = []
        self.groups = set()
        self.calls = []  # how often the current region was called, if not once

    def fail(self, number, expected, hint="is the file complete?"):
        raise formats.Malformed(self.path, number, expected, hint)

    def read(self):
        """Only the raw tables contain counts."""
        while self.at < len(self.lines):
            number, fields = self.lines[self.at]
            self.at += 1
            if fields[:1] == ["CPU name:"] and len(fields) > 1:
                self.brand = fields[1]
            if fields[:1] != ["TABLE"]:
                continue
            region = ""
            if len(fields) > 1 and fields[1].startswith("Region "):
                region = fields.pop(1).removeprefix("Region ")
            if len(fields) > 1 and (found := RAW.match(fields[1])):
                self.groups.add(found.group(1))
                self._table(number, fields, region)

    def _table(self, number, fields, region):
        """The title contains the number of lines after the header."""
        if len(fields) < 4 or not fields[3].isdigit():
            self.fail(number, "TABLE,Group N Raw,name,number of lines")
        left, header, seconds, self.calls = int(fields[3]), None, {}, []
        while left or header is None:
            if self.at == len(self.lines):
                self.fail(number, f"{left} more lines in this table")
            number, row = self.lines[self.at]
            self.at += 1
            if header is None:
                header = self._header(number, row)
            elif row[:1] in (["TABLE"], ["STRUCT"]):
                self.fail(number, f"{left} more lines in the previous table")
            else:
                left -= 1
                self._row(number, row, header, region, seconds)

    def _header(self, number, row):
        if row[:1] == ["Event"]:
            names = [name for name in row[2:] if name]
            if row[1:2] != ["Counter"] or not names:
                self.fail(number, "Event,Counter,HWThread N")
            return names
        if row[:1] not in (["Region Info"], ["RDTSC Runtime [s]"], ["call count"]):
            self.fail(number, "Event,Counter,HWThread N")
        if row[0] == "call count":
            self.calls = sorted({field for field in row[1:] if field} - {"1"})
        return None

    def _trouble(self, options):
        if options:
            return f"counted with {':'.join(options)}, which makes it a different event"
        if self.calls:
            return f"the region was called {', '.join(self.calls)} times, but must be called once"
        return ""

    def _row(self, number, row, header, region, seconds):
        if len(row) < 2 + len(header):
            self.fail(number, f"event, counter and {len(header)} counts")
        event, counter, *options = row[0], *row[1].split(":")
        for name, text in zip(header, row[2:]):
            value = formats.number(text)
            if value is None and text not in ("-", "nan"):
                self.fail(number, f"a number, found '{text}'", "")
            if event == TIME:
                seconds[name] = value
                continue
            if not COUNTER.match(counter):
                continue
            trouble = self._trouble([option for option in options if option != "KERNEL"])
            if value is None or value != value:
                value, trouble = None, trouble or "likwid printed no count of this event"
            in_all = "KERNEL" in options or (counter.startswith("FIXC") and
                                             FIXED_IN_ALL_RINGS[self.vendor])
            self.values.append(formats.Value(
                event, FIXED[self.vendor].get(counter, ""), "both" if in_all else "usr", value,
                name, region, trouble, seconds=seconds.get(name)))


def _rotated(value):
    trouble = "multiplexed: likwid measured several groups in turn; use one -g"
    return dataclasses.replace(value, value=None, trouble=value.trouble or trouble)


def parse(path, text, vendor):
    if looks_like(text) == "plain":
        raise results.Unreadable(f"{path}: a human-readable table; run likwid-perfctr with -O")
    reader = _Reader(path, text, vendor)
    reader.read()
    values = reader.values
    if len(reader.groups) > 1:
        values = [_rotated(value) for value in values]
    regions = any(value.region for value in values)
    notes = ["likwid counts everything that the hardware thread does" +
             ("" if regions else ", including the program's start")]
    return formats.File("likwid", values, notes, brand=reader.brand)
