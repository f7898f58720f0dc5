# SPDX-License-Identifier: BSD-2-Clause
"""Read, check and write the event tables on the stick, `events/*.csv`.

Line 1 is `barecount-events,1,SOURCE`, line 2 lists the columns, and every other line is an event.
The grammar is in pmu/events/table.h.
"""
import csv
import io
import re
from typing import NamedTuple, Optional

MAGIC = ["barecount-events", "1"]
COLUMNS = ["name", "select", "counters", "fixed", "flags", "msr", "value", "description"]
ALL_COLUMNS = [*COLUMNS, "unit", "errata"]
# As in pmu/uncore/uncore.h.
UNITS = ("uncore", "clock", "cbox", "arb", "cha", "imc", "imc_free_running", "upi", "m2m", "iio",
         "irp", "m2pcie", "pcu", "m3upi")
UNIT_NEVER = 1 << 20 | 1 << 22  # bits PMI and EN
DESCRIPTION_COLUMNS = 70
NAME = re.compile(r"[A-Z0-9][A-Z0-9_.-]{0,94}")  # EVENT_NAME_BYTES of pmu/counters/event.h
HEX = re.compile(r"[0-9a-f]{1,16}")
ERRATA = re.compile(r"[A-Z0-9]+(, [A-Z0-9]+)*")
FLAGS = "adop"  # in this order: alone, deprecated, encoded differently by libpfm4, precise

# Sources: SDM vol. 3B, Figure "Layout of IA32_PERFEVTSELx"; for AMD's PERF_CTL, APM vol. 2,
# "Performance Event-Select Register".
USR, OS, EDGE, PC, INT, ANY, EN, INV = (1 << bit for bit in range(16, 24))
CMASK_SHIFT = 24
EQ = 1 << 36
UMASK2_SHIFT = 40
AMD_EVENT_HIGH_SHIFT = 32  # bits 35:32 are event bits 11:8 (Intel: IN_TX, IN_TXCP)
NEVER = USR | OS | PC | INT | EN
SELECT_BITS = 0xFFFF | EDGE | ANY | INV | 0xFF << CMASK_SHIFT | 0x1F << 32 | 0xFF << UMASK2_SHIFT
COUNTERS_MAX = 16
TWINS = {0: 0x00C0, 1: 0x003C}  # fixed counter -> event with the same count
EXTRA_MSRS = (0x1A6, 0x1A7, 0x3F6, 0x3F7, 0x3E0, 0x3E1, 0x3E2, 0x3E3)


class Row(NamedTuple):
    name: str
    select: Optional[int] = None  # None: only for a fixed counter
    counters: int = 0  # bitmap; 0: all general counters
    fixed: Optional[int] = None
    flags: str = ""
    msr: Optional[int] = None
    value: Optional[int] = None
    description: str = ""
    unit: str = ""  # the unit of an uncore event
    errata: str = ""

    def encoding(self):
        """Return a key; rows with equal keys count the same event."""
        select = TWINS.get(self.fixed) if self.select is None else self.select
        return (select, self.msr, self.value, self.fixed if select is None else None, self.unit)


class TableError(Exception):
    """A table, or a row to be written, is malformed."""


def describe(text, name=""):
    """Return `text` as ASCII, cut to DESCRIPTION_COLUMNS characters.

    Return "" for a placeholder such as "TBD", or if `text` contains `name`. For a deprecated event
    that the event OTHER replaces, return "see OTHER".
    """
    text = " ".join("".join(char if " " <= char <= "~" else " " * char.isspace()
                            for char in text).split())
    if text.lower() in ("tbd", "null", "na") or (name and name in text.upper().split()):
        return ""
    moved = re.match(r"This event is deprecated\.? Refer to new event (\S+?)\.?$", text, re.I)
    if moved:
        return f"see {moved.group(1)}"[:DESCRIPTION_COLUMNS]
    if len(text) <= DESCRIPTION_COLUMNS:
        return text
    head = text[:DESCRIPTION_COLUMNS - 2]
    return head[:head.rfind(" ")].rstrip(" .,;:(") + "..." if " " in head else head


def format_number(number):
    return "" if number is None else f"{number:x}"


def with_flag(flags, flag):
    return "".join(each for each in FLAGS if each in flags + flag)


def fields(row):
    fixed = "" if row.fixed is None else str(row.fixed)
    return [row.name, format_number(row.select), format_number(row.counters or None), fixed,
            row.flags, format_number(row.msr), format_number(row.value), row.description, row.unit,
            row.errata]


def error_of(texts):
    name, select, counters, fixed, flags, msr, value, description, unit, errata = texts
    if not NAME.fullmatch(name):
        return f"name '{name}': expected 1 to 95 of A-Z 0-9 _ . -"
    for column, text in zip(COLUMNS, texts):
        if column in ("select", "counters", "msr", "value") and text and not HEX.fullmatch(text):
            return f"{column} '{text}': expected a hexadecimal number"
    if unit and (unit not in UNITS or fixed or not select):
        return f"unit '{unit}': expected {' '.join(UNITS)}, with a select and no fixed counter"
    if not select and not fixed:
        return "neither a select nor a fixed counter"
    if select and int(select, 16) & (UNIT_NEVER if unit else ~SELECT_BITS):
        return f"select '{select}': has bits that are not part of an event"
    if counters and not 0 < int(counters, 16) < 1 << COUNTERS_MAX:
        return f"counters '{counters}': expected a bitmap of 1 to {COUNTERS_MAX} counters"
    if fixed and not (fixed.isdigit() and int(fixed) < COUNTERS_MAX):
        return f"fixed '{fixed}': expected 0 to {COUNTERS_MAX - 1}"
    if flags != "".join(flag for flag in FLAGS if flag in flags):
        return f"flags '{flags}': expected letters of {FLAGS}, each at most once, in this order"
    if bool(msr) != bool(value) or (msr and not unit and int(msr, 16) not in EXTRA_MSRS):
        return (f"msr '{msr}', value '{value}': expected 1a6, 1a7, 3e0 to 3e3, 3f6 or 3f7 with a "
                "value")
    if len(description) > DESCRIPTION_COLUMNS or not description.isprintable() \
            or not description.isascii():
        return f"description: expected at most {DESCRIPTION_COLUMNS} printable ASCII characters"
    if errata and not ERRATA.fullmatch(errata):
        return f"errata '{errata}': expected numbers such as SKL091, SKL044"
    return None


# The image assumes that a table was written by hand if its source does not begin like this.
MADE_FROM = "made from "


def parse(texts):
    """error_of() must have found no error."""
    name, select, counters, fixed, flags, msr, value, description, unit, errata = texts
    number = [int(text, 16) if text else None for text in (select, counters, msr, value)]
    return Row(name, number[0], number[1] or 0, int(fixed) if fixed else None, flags,
               number[2], number[3], description, unit, errata)


def write(path, source, rows):
    """If a row is wrong, raise TableError and write nothing."""
    for row in rows:
        wrong = error_of(fields(row))
        if wrong:
            raise TableError(f"{path}: {row.name}: {wrong}")
    text = io.StringIO()
    out = csv.writer(text, lineterminator="\n")
    out.writerow([*MAGIC, MADE_FROM + source])
    out.writerow(ALL_COLUMNS)
    for row in sorted(rows, key=lambda row: row.name):
        texts = fields(row)
        while not texts[-1]:
            texts.pop()
        out.writerow(texts)
    path.write_text(text.getvalue(), "ascii")


def read(path):
    try:
        return read_lines(path, path.read_text("ascii"))
    except UnicodeDecodeError as error:
        raise TableError(f"{path}: byte {error.start} is not ASCII") from None
    except csv.Error as error:
        raise TableError(f"{path}: {error}") from None


def read_lines(path, text):
    rows, seen, source, columns = [], set(), "", ALL_COLUMNS
    with io.StringIO(text, newline="") as file:
        lines = csv.reader(file)
        for texts in lines:
            wrong = None
            if lines.line_num == 1:
                wrong = None if texts[:2] == MAGIC else "expected barecount-events,1"
                source = ",".join(texts[2:]).removeprefix(MADE_FROM)
            elif lines.line_num == 2:
                columns = texts
                wrong = None if len(columns) >= len(COLUMNS) and \
                    columns == ALL_COLUMNS[:len(columns)] else "expected " + ",".join(ALL_COLUMNS)
            else:
                whole = texts + [""] * (len(ALL_COLUMNS) - len(texts))
                wrong = f"{len(texts)} fields, expected at most {len(columns)}" \
                    if len(texts) > len(columns) else error_of(whole)
                if not wrong and texts[0] in seen:
                    wrong = f"{texts[0]} appears twice"
                if not wrong:
                    seen.add(texts[0])
                    rows.append(parse(whole))
            if wrong:
                raise TableError(f"{path}:{lines.line_num}: {wrong}")
    if not source:
        raise TableError(f"{path}: no SOURCE in line 1, expected barecount-events,1,SOURCE")
    return source, rows
