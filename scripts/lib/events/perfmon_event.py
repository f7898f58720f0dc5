# SPDX-License-Identifier: BSD-2-Clause
"""Turn one event of Intel's perfmon, or of Linux's pmu-events, into a row of an event table.

https://github.com/intel/perfmon describes the fields. A missing field means 0. AMD's events have no
Counter, and their EventCode contains event bits 11:0.
"""
import re

from events import table
from events.table import Row

NUMBER = re.compile(r"0[xX][0-9a-fA-F]{1,32}|[0-9]{1,32}")
FIXED_BASE = 32  # the number of fixed counter 0 in the fields Counter and PEBScounters
PSEUDO_EVENT = 0x00  # of fixed counters and PERF_METRICS

OFFCORE_MSRS, OFFCORE_MASKS = (0x1A6, 0x1A7), [1, 2]
OMR_MSRS, OMR_MASKS = (0x3E0, 0x3E1, 0x3E2, 0x3E3), [1, 2, 4, 8]  # Nova Lake's offcore registers

# Fixed counter -> the event of the same name for general counters (SDM vol. 3B, "Architectural
# Performance Monitoring" and "Fixed-function Performance Counters"). Fixed counter 2 is missing: it
# counts at the TSC's rate, and no event of general counters does so on every CPU.
GENERAL_OF_FIXED = {0: 0x00C0, 1: 0x003C, 3: 0x01A4, 4: 0x0073, 5: 0x019C, 6: 0x02C2}
FIXED_OF_GENERAL = {0x00C0: 0, 0x003C: 1, 0x01A4: 3}

# Cascade Lake's files also list each OCR event under this name, which a plan cannot contain.
FORMER_NAME = re.compile(r"^OFFCORE_RESPONSE:REQUEST=(.*):RESPONSE=")

# Old files number the fixed counters from 1, so an event's name decides which counter counts it.
FIXED_OF_NAME = ((re.compile(r"INST_RETIRED\."), 0),
                 (re.compile(r"CPU_CLK_UNHALTED\.REF"), 2),
                 (re.compile(r"CPU_CLK_UNHALTED\.(CORE|THREAD)"), 1))


class Refused(Exception):
    """The text says why the program cannot count the event."""


def numbers(event, field):
    """Return the numbers in a field such as `0xB7, 0xBB`."""
    found = []
    for word in str(event.get(field) or "").split(","):
        word = word.strip()
        if word.lower() in ("", "null", "na"):
            continue
        if not NUMBER.fullmatch(word):
            raise Refused(f"{field} '{event[field]}' is not a number")
        found.append(int(word, 16) if word[:2] in ("0x", "0X") else int(word))
    return found


def number(event, field, most):
    found = numbers(event, field)
    if len(found) > 1 or (found and not 0 <= found[0] <= most):
        raise Refused(f"{field} '{event[field]}': expected one number up to 0x{most:x}")
    return found[0] if found else 0


def unit_mask(event, msr):
    """Return UMASK2 (bits 47:40) and UMASK (bits 15:8) of the select as one 16-bit number.

    perfmon writes UMASK2 into UMaskExt or into bits 15:8 of UMask. An offcore response event has
    one unit mask for each register: "0x01,0x02" for Atom and Xeon Phi, "0x01,0x02,0x04,0x08" for
    Nova Lake. Linux writes only 01h.
    """
    masks = numbers(event, "UMask")
    if masks == OFFCORE_MASKS and msr in OFFCORE_MSRS:
        return masks[OFFCORE_MSRS.index(msr)]
    if masks == OMR_MASKS and msr in OMR_MSRS:
        return masks[OMR_MSRS.index(msr)]
    if msr == OFFCORE_MSRS[1] and numbers(event, "EventCode") == [0xB7] and masks == [1]:
        return OFFCORE_MASKS[1]
    return number(event, "UMask", 0xFFFF) | number(event, "UMaskExt", 0xFF) << 8


def modifiers(event):
    bits = number(event, "CounterMask", 0xFF) << table.CMASK_SHIFT
    for field, bit in (("Invert", table.INV), ("EdgeDetect", table.EDGE),
                       ("AnyThread", table.ANY), ("Equal", table.EQ)):
        bits |= bit if number(event, field, 1) else 0
    return bits


def counters(event):
    """Return a bitmap of general counters, and the number of a fixed counter or None."""
    bitmap, fixed = 0, None
    for field in ("Counter", "CounterHTOff"):
        text = str(event.get(field) or "")
        found = re.fullmatch(r"Fixed counter (\d+)", text.strip(), re.I)
        listed = [FIXED_BASE + int(found.group(1))] if found else numbers(event, field)
        for counter in listed:
            if counter >= FIXED_BASE:
                fixed = counter - FIXED_BASE
            elif counter < table.COUNTERS_MAX:
                bitmap |= 1 << counter
            else:
                raise Refused(f"{field} '{text}': expected 0 to {table.COUNTERS_MAX - 1}")
    return bitmap, fixed


def fixed_counter(event, name):
    """The unit mask gives the counter's number; if the unit mask is 0, the event's name gives it.
    """
    mask = number(event, "UMask", 0xFFFF)
    if mask - 1 in GENERAL_OF_FIXED or mask == 3:
        return mask - 1
    for pattern, counter in FIXED_OF_NAME:
        if mask == 0 and pattern.match(name):
            return counter
    raise Refused(f"UMask 0x{mask:x} of event 0 is not a known fixed counter")


def extra_register(event, codes):
    """Return (event code, MSR, value), or (event code, None, None) if the event needs no MSR."""
    registers, values = numbers(event, "MSRIndex"), numbers(event, "MSRValue")
    if not any(registers):
        if len(codes) > 1 or number(event, "Offcore", 1) or number(event, "Offmodule", 1):
            raise Refused("needs an extra register, whose value the file does not give")
        return codes[0], None, None
    for index, register in enumerate(registers):
        if register in table.EXTRA_MSRS:
            if not values:
                raise Refused("MSRIndex without MSRValue")
            return (codes[-1] if register == OFFCORE_MSRS[1] else codes[0], register,
                    values[min(index, len(values) - 1)])
    listed = ", ".join(f"{register:x}h" for register in registers)
    raise Refused(f"needs MSR {listed}, which this program does not write for an event")


def encode_fixed(event, name, row):
    """The row's select, if any, is for general counters.

    Instructions and cycles get no select: general counters count them by separate events (..._P).
    Errata may make the counts of those events wrong.
    """
    if modifiers(event) & ~table.ANY:
        raise Refused("a fixed counter has no CounterMask, Invert, EdgeDetect or Equal")
    fixed = fixed_counter(event, name)
    general = GENERAL_OF_FIXED.get(fixed)
    if not modifiers(event):
        return row._replace(select=None if fixed in table.TWINS else general, fixed=fixed)
    if fixed > 1:
        raise Refused("AnyThread on a fixed counter that no general event matches")
    return row._replace(select=general | table.ANY)


def encode(event, vendor):
    name = FORMER_NAME.sub(r"OCR.\1.", str(event["EventName"]).strip().upper())
    row = row_of(event, name, vendor)
    wrong = table.error_of(table.fields(row))
    if wrong:
        raise Refused(wrong)
    return row


def row_of(event, name, vendor):
    precise = number(event, "PEBS", 3) or number(event, "Precise", 1)
    flags = "".join(flag for flag, is_set in (
        ("a", number(event, "TakenAlone", 1)), ("d", number(event, "Deprecated", 1)),
        ("p", precise)) if is_set)
    text = event.get("BriefDescription") or event.get("PublicDescription") or ""
    errata = re.findall("[A-Z]+[0-9]+", str(event.get("Errata") or "").upper())
    row = Row(name, flags=flags, description=table.describe(str(text), name),
              errata=", ".join(errata))
    codes = numbers(event, "EventCode") or [PSEUDO_EVENT]
    bitmap, fixed = counters(event)
    pseudo = vendor == "GenuineIntel" and codes == [PSEUDO_EVENT]
    if not bitmap and (fixed is not None or pseudo):
        return encode_fixed(event, name, row)
    code, msr, value = extra_register(event, codes)
    if vendor == "AuthenticAMD":
        return row._replace(select=amd_select(event, code), counters=bitmap)
    if code == PSEUDO_EVENT:
        raise Refused("event 0 on general counters: only PERF_METRICS uses it")
    if code > 0xFF:
        raise Refused(f"EventCode 0x{code:x}: expected at most 0xff")
    mask = unit_mask(event, msr)
    select = code | (mask & 0xFF) << 8 | modifiers(event) | mask >> 8 << table.UMASK2_SHIFT
    if fixed is None:
        fixed = FIXED_OF_GENERAL.get(select)
    return row._replace(select=select, counters=bitmap, fixed=fixed, msr=msr, value=value)


def amd_select(event, code):
    """Bits 35:32 are event bits 11:8 (APM vol. 2, "Performance Event-Select Register")."""
    mask, bits = number(event, "UMask", 0xFF), modifiers(event)
    if code > 0xFFF or bits & (table.ANY | table.EQ):
        raise Refused(f"EventCode 0x{code:x}: expected at most 0xfff, without AnyThread or Equal")
    return code & 0xFF | mask << 8 | bits | code >> 8 << table.AMD_EVENT_HIGH_SHIFT
