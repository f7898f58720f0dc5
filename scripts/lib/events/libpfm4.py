# SPDX-License-Identifier: BSD-2-Clause
"""Convert the output of build/libpfm4_events to rows, and find each PMU's CPUs."""
import re
from typing import NamedTuple

from events import cpu_sets
from events import table
from events.table import Row

# libpfm4 and Linux use event 0 for the fixed counters. The event's name is checked too, since
# libpfm4 4.13 wrongly assigns event 0 to other events, for example CPU_CLK_UNHALTED:REF of glm.
FIXED_PSEUDO = {0x0100: (r"INST_RETIRED\.", 0x00C0, 0),
                0x0200: (r"CPU_CLK_UNHALTED\.(CORE|THREAD)$", 0x003C, 1),
                0x0300: (r"CPU_CLK_UNHALTED\.REF|UNHALTED_REFERENCE_CYCLES$", None, 2),
                0x0400: (r"TOPDOWN\.SLOTS$", 0x01A4, 3)}
FIXED_OF_GENERAL = {0x00C0: 0, 0x003C: 1, 0x01A4: 3}
# On Westmere and Sapphire Rapids, libpfm4 encodes the event of fixed counter 0 with unit mask 01h.
# The architectural event has unit mask 00h (SDM vol. 3B).
ANY_BY_MISTAKE = (0x01C0, ("INST_RETIRED", "INST_RETIRED.ANY"))

# Event code -> (extra register that gets libpfm4's second code, event code to use). The two
# offcore response events differ only in code and register (SDM vol. 3B, "Off-core Response
# Performance Monitoring"), so both are encoded as the first one.
EXTRA_REGISTER = {0xB7: (0x1A6, 0xB7), 0xBB: (0x1A6, 0xB7), 0xC6: (0x3F7, 0xC6),
                  0xCD: (0x3F6, 0xCD), 0x0B: (0x3F6, 0x0B)}
# From Golden Cove on, B7h and BBh are not the offcore response events.
EXTRA_REGISTER_GLC = {0x2A: (0x1A6, 0x2A), 0x2B: (0x1A6, 0x2A), 0xC6: (0x3F7, 0xC6),
                      0xCD: (0x3F6, 0xCD)}
GLC = ("spr", "emr", "gnr", "adl_glc")
NEEDS_REGISTER = ("MEM_TRANS_RETIRED",)  # counts nothing without a threshold
UMASK_OF_SECOND = 0x0200  # Atom, Xeon Phi: 01B7h uses MSR 1A6h, and 02B7h MSR 1A7h

ENOUGH = 20  # characters; a shorter text describes only the unit mask


# UNIT_FILTERS lists the filter registers of a Skylake server's first CHA. libpfm4 prints their
# values after an event's select.
UNIT_NEVER, UNIT_FIXED = table.UNIT_NEVER, 0xFF
UNITS_WITH_CLOCK = ("uncore", "cbox")  # the fixed counter counts the uncore's clock
UNIT_FILTERS = {"cha": (0xE05, 0xE06)}
CHA_FILTER1_AT_REST = 0x3B  # lets everything pass


class Pmu(NamedTuple):
    name: str
    fixed_counters: int
    rows: dict  # name -> Row
    refused: list  # (event, reason)
    is_uncore: bool = False


def amd_or_intel(pmu):
    return "AuthenticAMD" if pmu.startswith("amd64_") else "GenuineIntel"


def row_of(name, codes, flags, text, pmu, fixed_counters):
    if not table.NAME.fullmatch(name):
        return "the name has characters other than A-Z 0-9 _ . -"
    if codes == ["-"]:
        return "cannot be encoded on its own"
    row = Row(name, flags=flags, description=table.describe(text, name))
    select = int(codes[0], 16) & ~table.NEVER
    value = int(codes[1], 16) if len(codes) > 1 else None
    if amd_or_intel(pmu) == "GenuineIntel" and select & 0xFF == 0:
        pattern, general, fixed = FIXED_PSEUDO.get(select, ("$", None, 0))
        if not re.match(pattern, name) or fixed >= fixed_counters:
            return f"event 0, unit mask 0x{select >> 8:x}: no fixed counter of this number and name"
        return row._replace(select=general, fixed=fixed)
    if value is None and name in NEEDS_REGISTER:
        return "needs an extra register, whose value is not known"
    if select == ANY_BY_MISTAKE[0] and name in ANY_BY_MISTAKE[1]:
        select = 0x00C0
    if value is None:
        fixed = FIXED_OF_GENERAL.get(select) if fixed_counters else None
        return row._replace(select=select, fixed=fixed)
    registers = EXTRA_REGISTER_GLC if pmu in GLC else EXTRA_REGISTER
    msr, first = registers.get(select & 0xFF, (None, None))
    if msr is None:
        return f"has a second code, but event 0x{select & 0xFF:x} has no known extra register"
    if first == 0xB7 and select & 0xFF00 == UMASK_OF_SECOND:
        msr = 0x1A7
    return row._replace(select=select & ~0xFF | first, msr=msr, value=value)


def unit_row_of(name, codes, text, unit):
    if not table.NAME.fullmatch(name):
        return "the name has characters other than A-Z 0-9 _ . -"
    if codes == ["-"]:
        return "cannot be encoded on its own"
    row = Row(name, description=table.describe(text, name), unit=unit)
    select, *values = [int(code, 16) for code in codes]
    select &= ~UNIT_NEVER
    if select == UNIT_FIXED:
        return row._replace(select=0, counters=1, unit="clock") if unit in UNITS_WITH_CLOCK else \
            "only the unit's fixed counter counts it, and this program does not use that counter"
    filters = [(msr, value) for msr, value in zip(UNIT_FILTERS.get(unit, ()), values)
               if value and (msr, value) != (UNIT_FILTERS["cha"][1], CHA_FILTER1_AT_REST)]
    if any(values[len(UNIT_FILTERS.get(unit, ())):]) or len(filters) > 1:
        return "has further codes, whose registers this program does not write"
    msr, value = filters[0] if filters else (None, None)
    return row._replace(select=select, msr=msr, value=value)


def parse(text, units=None):
    """Uncore PMUs that are not in `units` are left out."""
    pmus, wanted = [], True
    for line in text.splitlines():
        kind, *rest = line.split("\t")
        if kind in ("pmu", "uncore"):
            wanted = kind == "pmu" or rest[0] in (units or {})
            if wanted:
                pmus.append(Pmu(rest[0], int(rest[2]), {}, [], kind == "uncore"))
        elif wanted:
            add_event(pmus[-1], (units or {}).get(pmus[-1].name), *rest)
    return pmus


def add_event(pmu, unit, event, umask, codes, flags, event_text, umask_text):
    name = (f"{event}.{umask}" if umask else event).upper()
    text = umask_text if len(umask_text) >= ENOUGH else f"{event_text}: {umask_text}".rstrip(": ")
    if unit:
        row = unit_row_of(name, codes.split(), text, unit)
    else:
        row = row_of(name, codes.split(), flags, text, pmu.name, pmu.fixed_counters)
    if isinstance(row, str):
        pmu.refused.append((name, row))
    elif name in pmu.rows:
        pmu.refused.append((name, "the name exists already"))
    else:
        pmu.rows[name] = row


def read_cpus(path):
    """Return ([(PMU, Cpus)], {PMU: the reason why it is left out}) from libpfm4-cpus.csv."""
    lines, left_out = [], {}
    for number, line in enumerate(path.read_text("ascii").splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        fields = line.split(",")
        if fields[1:2] == ["no CPU"]:
            left_out[fields[0]] = fields[2]
            continue
        try:
            lines.append(cpu_sets.parse_line(fields))
        except cpu_sets.PatternError as error:
            raise cpu_sets.PatternError(f"{path}:{number}: {error}") from None
    return lines, left_out


def read_counters(path):
    """Return [(PMUs, event codes, unit mask or None, counters)] from libpfm4-counters.csv."""
    rules = []
    for number, line in enumerate(path.read_text("ascii").splitlines(), 1):
        found = re.fullmatch(r"([a-z0-9_ ]+),([0-9a-f]{2})(?:-([0-9a-f]{2}))?,([0-9a-f]{2})?,"
                             r"([0-9a-f]+)", line)
        if found:
            pmus, first, last, umask, counters = found.groups()
            rules.append((pmus.split(), range(int(first, 16), int(last or first, 16) + 1),
                          int(umask, 16) if umask else None, int(counters, 16)))
        elif line and not line.startswith("#"):
            raise cpu_sets.PatternError(f"{path}:{number}: expected PMUS,EVENT,UMASK,COUNTERS")
    return rules


def read_uncore(path):
    """Return ({uncore PMU: unit}, {core PMU: [its uncore PMUs]}) from libpfm4-uncore.csv."""
    units, beside = {}, {}
    for number, line in enumerate(path.read_text("ascii").splitlines(), 1):
        found = re.fullmatch(r"([a-z0-9_]+),([a-z0-9_]+),([a-z0-9_ ]+)", line)
        if found and found[2] in table.UNITS:
            units[found[1]] = found[2]
            for core in found[3].split():
                beside.setdefault(core, []).append(found[1])
        elif line and not line.startswith("#"):
            raise cpu_sets.PatternError(f"{path}:{number}: expected PMU,UNIT,CORE PMUS")
    return units, beside


def constrained(pmu, rules):
    rules = [rule for rule in rules if pmu.name in rule[0]]
    for row in pmu.rows.values():
        for _, events, umask, counters in rules:
            if row.select is not None and row.select & 0xFF in events and \
                    umask in (None, row.select >> 8 & 0xFF):
                row = row._replace(counters=counters)
                break
        yield row
