# SPDX-License-Identifier: BSD-2-Clause
"""Turn uncore events of perfmon and Linux into rows, for units whose events the program counts.

Linux leaves out fields that are 0, and writes UMaskExt into the bits of UMask above bit 7.
"""
import re

from events import table
from events.table import Row
from events.perfmon_event import Refused, number, numbers

# Name of a unit in perfmon or Linux, in capitals -> the program's name (pmu/uncore/uncore.h).
KIND_OF_UNIT = {"CBO": "cbox", "CBOX": "cbox", "CBOX_0": "cbox", "ARB": "arb", "NCU": "clock",
                "CLOCK": "clock", "CHA": "cha", "IMC": "imc", "UPI": "upi", "UPI LL": "upi",
                "M2M": "m2m", "IIO": "iio", "IRP": "irp", "M2PCIE": "m2pcie", "PCU": "pcu",
                "M3UPI": "m3upi"}

# Model of family 6 -> the units that pmu/uncore/ supports. On other models, units of the same name
# may differ: the CBos of servers before Skylake have other registers.
CLIENTS = (0x2A, 0x3A, 0x3C, 0x45, 0x46, 0x3D, 0x47, 0x4E, 0x5E, 0x8E, 0x9E, 0xA5, 0xA6, 0x7D, 0x7E,
           0x8C, 0x8D, 0xA7, 0x97, 0x9A, 0xBE, 0xB7, 0xBA, 0xBF)
KINDS = {**dict.fromkeys(CLIENTS, {"cbox", "arb", "clock"}), 0x55: {"cha", "imc", "clock"},
         **dict.fromkeys((0x8F, 0xCF), {"cha", "imc", "m2m", "upi", "iio", "irp", "m2pcie", "pcu",
                                        "m3upi"}),
         **dict.fromkeys((0xAD, 0xAE, 0xAF), {"cha", "imc", "iio", "irp", "pcu"})}

# Sources: Intel SDM vol. 3B, "Uncore performance monitoring", and the uncore manuals.
EDGE, INV = 1 << 18, 1 << 23
CMASK_SHIFT, UMASK_EXT_SHIFT, PORT_SHIFT, FC_SHIFT = 24, 32, 36, 48
COUNTERS_MAX = 16
# On Ice Lake, the program uses only counter 1 of the ARB: see pmu/uncore/clients.c.
ARB_OF_ONE_COUNTER = {0x7D, 0x7E}
# The filters are registers of a Skylake server's first CHA. An LLC lookup is counted only if bits
# 26:17 of filter 0 select the state of the line; the default is ALL_STATES.
CHA_MODEL, FILTER0, FILTER1 = 0x55, 0xE05, 0xE06
LLC_LOOKUP, TOR_INSERTS, TOR_OCCUPANCY = 0x34, 0x35, 0x36
ALL_STATES = 0x01FE0000
NO_FILTER = ("", "na", "null", "none", "0")


def is_uncore(event):
    return "EventName" in event and not str(event.get("Unit") or "cpu_core").startswith("cpu_")


def kind_of(event, cpus):
    unit = str(event["Unit"]).strip()
    if str(event.get("CounterType", "")).upper() == "FREERUN" or "free_running" in unit.lower():
        raise Refused("runs freely and counts for one memory controller; dram_read_bytes and "
                      "dram_write_bytes count for all of them")
    kind = KIND_OF_UNIT.get(unit.upper())
    if kind is None:
        raise Refused(f"unit {unit}: this program supports no unit of that name")
    if is_fixed(event):
        kind = "clock"
    if cpus.vendor != "GenuineIntel" or cpus.family != 6 or \
            not all(kind in KINDS.get(model, ()) for model in cpus.models):
        raise Refused(f"unit {unit}: this program supports no such unit on these CPUs")
    return kind


def is_fixed(event):
    """Whether a fixed counter counts the event.

    If so, perfmon writes FIXED into Counter, and Linux writes 0xff into EventCode.
    """
    return str(event.get("Counter", "")).strip().upper() == "FIXED" or \
        numbers(event, "EventCode") == [0xFF]


def counters_of(event, kind, cpus):
    """Return a bitmap of the counters, numbered as in the program; 0 means all counters."""
    bitmap = counters(event)
    if kind != "arb" or not cpus.models & ARB_OF_ONE_COUNTER:
        return bitmap
    if bitmap and not bitmap & 0b10:
        raise Refused("the program uses only counter 1 of the ARB on these CPUs")
    return 0  # all counters: Rocket Lake, which uses Ice Lake's files, has two


def counters(event):
    """Return a bitmap from the field Counter, such as `0,1` or `0-3`."""
    bitmap = 0
    for word in str(event.get("Counter") or "").split(","):
        found = re.fullmatch(r"\s*(\d{1,2})(?:-(\d{1,2}))?\s*", word)
        if found:
            first, last = int(found[1]), int(found[2] or found[1])
            if not first <= last < COUNTERS_MAX:
                raise Refused(f"Counter '{event['Counter']}': expected 0 to {COUNTERS_MAX - 1}")
            bitmap |= (1 << last + 1) - (1 << first)
        elif word.strip():
            raise Refused(f"Counter '{event['Counter']}' is not a number")
    return bitmap


def select_of(event, kind):
    """Bits from 32 on are the extended unit mask, or an IIO's port and class masks."""
    masks = number(event, "UMask", (1 << 40) - 1)
    wide = masks >> 8 | number(event, "UMaskExt", 0xFFFFFFFF)
    select = number(event, "EventCode", 0xFF) | (masks & 0xFF) << 8 | wide << UMASK_EXT_SHIFT
    select |= number(event, "CounterMask", 0xFF) << CMASK_SHIFT
    select |= EDGE if number(event, "EdgeDetect", 1) else 0
    select |= INV if number(event, "Invert", 1) else 0
    ports, flow = number(event, "PortMask", 0xFFF), number(event, "FCMask", 7)
    if (ports or flow) and kind != "iio":
        raise Refused("PortMask or FCMask: only an IIO has them")
    if number(event, "ExtSel", 1):
        raise Refused("ExtSel: a field of the select that this program does not know")
    return select | ports << PORT_SHIFT | flow << FC_SHIFT


def filter_of(event, kind, cpus):
    """Return (MSR of the unit's filter, value), or (None, None).

    perfmon writes, for example, CHAFilter1[31:0] into Filter, and the value into FILTER_VALUE.
    Linux writes config1=VALUE into Filter.
    """
    name = str(event.get("Filter") or "").strip()
    code = number(event, "EventCode", 0xFF)
    of_linux = re.fullmatch(r"config1=(0x[0-9a-fA-F]{1,8})", name)
    of_perfmon = re.fullmatch(r"CHAFilter[01]\[\d+:\d+\]", name, re.I)
    has_filters = kind == "cha" and cpus.models == {CHA_MODEL}
    if name.lower() not in NO_FILTER and not (has_filters and (of_linux or of_perfmon)):
        raise Refused(f"Filter '{name}': the register of this filter is not known")
    value = int(of_linux[1], 16) if of_linux else number(event, "FILTER_VALUE", 0xFFFFFFFF)
    if not has_filters or code not in (LLC_LOOKUP, TOR_INSERTS, TOR_OCCUPANCY):
        if value:
            raise Refused(f"Filter '{name}': this event is not known to use a filter")
        return None, None
    if code == LLC_LOOKUP:
        return FILTER0, value or ALL_STATES
    return (FILTER1, value) if value else (None, None)


def encode(event, cpus):
    name = str(event["EventName"]).strip().upper()
    kind = kind_of(event, cpus)
    text = event.get("BriefDescription") or event.get("PublicDescription") or ""
    row = Row(name, 0, 1, flags="d" if number(event, "Deprecated", 1) else "", unit=kind,
              description=table.describe(str(text), name))
    if kind != "clock":
        msr, value = filter_of(event, kind, cpus)
        row = row._replace(select=select_of(event, kind), counters=counters_of(event, kind, cpus),
                           msr=msr, value=value)
    wrong = table.error_of(table.fields(row))
    if wrong:
        raise Refused(wrong)
    return row
