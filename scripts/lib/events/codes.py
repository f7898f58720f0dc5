# SPDX-License-Identifier: BSD-2-Clause
"""Determine which events are the same, from their encodings and their names in other tools.

An encoding is a raw event of perf: `r`, then the event fields of IA32_PERFEVTSELx or AMD's PERF_CTL
in hexadecimal, then `:REGISTER=VALUE` for an extra register. Intel's fixed counters have Linux's
pseudo codes: r0100, r0200, r0300, r0400.
"""
import dataclasses
import functools
import re

# Code of a fixed counter -> the event that counts the same on a general counter (SDM vol. 3B,
# "Architectural Performance Monitoring"). REF_TSC (r0300) is missing: on most cores, the event of
# reference cycles counts the bus clock or the crystal clock.
FIXED = {"r0100": "r00c0", "r0200": "r003c", "r0400": "r01a4"}

# perf's generic names on Intel's cores (perf-list(1)). ref-cycles and slots are fixed counters.
GENERIC = {
    "instructions": "r00c0", "cycles": "r003c", "cpu-cycles": "r003c", "ref-cycles": "r0300",
    "branches": "r00c4", "branch-instructions": "r00c4", "branch-misses": "r00c5",
    "cache-references": "r4f2e", "cache-misses": "r412e", "bus-cycles": "r013c",
    "slots": "r0400",
}
# likwid's and nanoBench's names of the fixed counters, and those PAPI presets that are a single
# architectural event or fixed counter on all Intel cores.
NAMES = {
    "INSTR_RETIRED_ANY": "r0100", "CPU_CLK_UNHALTED_CORE": "r0200", "CPU_CLK_UNHALTED_REF": "r0300",
    "TOPDOWN_SLOTS": "r0400",
    "INST_RETIRED": "r0100", "INSTRUCTIONS_RETIRED": "r0100", "CORE_CYCLES": "r0200",
    "REF_CYCLES": "r0300", "REFERENCE_CYCLES": "r0300",
    "PAPI_TOT_INS": "r00c0", "PAPI_TOT_CYC": "r003c", "PAPI_REF_CYC": "r0300",
    "PAPI_BR_INS": "r00c4",
}
# perf's generic names on Zen and later cores (Linux's arch/x86/events/amd/core.c).
AMD_GENERIC = {
    "instructions": "r00c0", "cycles": "r0076", "cpu-cycles": "r0076", "ref-cycles": "r100000120",
    "branches": "r00c2", "branch-instructions": "r00c2", "branch-misses": "r00c3",
    "cache-references": "rff60", "cache-misses": "r0964",
}
# Names in likwid, nanoBench, perf and PAPI that differ from the image's names. PAPI's presets are
# valid for Zen to Zen 3.
AMD_NAMES = {
    "CPU_CLOCKS_UNHALTED": "r0076", "RETIRED_BRANCH_INSTR": "r00c2",
    "RETIRED_MISP_BRANCH_INSTR": "r00c3", "RETIRED_TAKEN_BRANCH_INSTR": "r00c4",
    "RETIRED_COND_BRANCH_INSTR": "r00d1",
    "EXRETINSTR": "r00c0", "LSNOTHALTEDCYC": "r0076", "EXRETBRN": "r00c2", "EXRETBRNMISP": "r00c3",
    "EXRETBRNTKN": "r00c4", "EXRETCOND": "r00d1",
    "EX_RET_INSTR": "r00c0", "LS_NOT_HALTED_CYC": "r0076", "EX_RET_BRN": "r00c2",
    "EX_RET_BRN_MISP": "r00c3", "EX_RET_BRN_TKN": "r00c4", "EX_RET_COND": "r00d1",
    "LS_NOT_HALTED_P0_CYC_P0_FREQ_CYC": "r100000120",
    "PAPI_TOT_INS": "r00c0", "PAPI_TOT_CYC": "r0076", "PAPI_BR_INS": "r00c2",
    "PAPI_BR_MSP": "r00c3", "PAPI_BR_TKN": "r00c4",
}
# (perf's PMU, its event) -> the event's name in a plan.
OUTSIDE = {
    ("uncore_imc", "cas_count_read"): "dram_read_bytes",
    ("uncore_imc", "cas_count_write"): "dram_write_bytes",
    ("uncore_imc", "data_reads"): "dram_read_bytes",
    ("uncore_imc", "data_writes"): "dram_write_bytes",
    ("uncore_imc_free_running", "data_read"): "dram_read_bytes",
    ("uncore_imc_free_running", "data_write"): "dram_write_bytes",
    ("uncore_imc_free_running", "read"): "dram_read_bytes",
    ("uncore_imc_free_running", "write"): "dram_write_bytes",
    ("power", "energy-pkg"): "package_energy_uJ", ("power", "energy-ram"): "dram_energy_uJ",
    ("power", "energy-cores"): "core_energy_uJ",
}
# Term of a perf event -> ((bit in the encoding, width), ...). The first pair is for the lowest bits
# of the term's value.
AMD_TERMS = {"event": ((0, 8), (32, 4)), "umask": ((8, 8),), "edge": ((18, 1),),
             "inv": ((23, 1),), "cmask": ((24, 8),)}
TERMS = {**AMD_TERMS, "event": ((0, 8),), "pc": ((19, 1),), "any": ((21, 1),)}
LDLAT, FRONTEND = 0x3F6, 0x3F7  # MSR_PEBS_LD_LAT_THRESHOLD, MSR_PEBS_FRONTEND
# Unit mask and event code -> MSR_OFFCORE_RSP_0 or _1 (Intel's event tables). 02B7h is for Atom, and
# 012Ah and 012Bh are for Golden Cove and later.
OFFCORE = {0x01B7: 0x1A6, 0x01BB: 0x1A7, 0x02B7: 0x1A7, 0x012A: 0x1A6, 0x012B: 0x1A7}
# Other tools include the bits USR, OS, INT and EN of IA32_PERFEVTSELx in an event's code.
NOT_EVENT = 1 << 16 | 1 << 17 | 1 << 20 | 1 << 22
RAW = re.compile(r"r[0-9a-fA-F]{1,12}")


@dataclasses.dataclass(frozen=True, eq=False)
class Vendor:
    """`references` lists events whose counts may advance in steps larger than 1."""

    fixed: dict
    generic: dict
    names: dict
    terms: dict
    references: tuple


INTEL = Vendor(FIXED, GENERIC, NAMES, TERMS, ("r0300", "r013c"))
AMD = Vendor({}, AMD_GENERIC, AMD_NAMES, AMD_TERMS, ("r100000120",))


def of_vendor(name):
    """Hygon's encodings are AMD's."""
    return AMD if name in ("AMD", "Hygon") else INTEL


class Unknown(Exception):
    """An event's text cannot be expressed as an encoding."""


@functools.cache
def canonical(encoding, vendor=INTEL):
    """Return the form that all encodings of an event share, or "" if the text is not an encoding.
    """
    found = re.fullmatch(r"r([0-9a-f]+)((?::0x[0-9a-f]+=0x[0-9a-f]+)?)", encoding.lower())
    if not found:
        return ""
    code = f"r{int(found.group(1), 16):04x}"
    return vendor.fixed.get(code, code) + found.group(2)


@functools.cache
def plain(name):
    return re.sub(r"[^A-Z0-9]+", "_", name.upper()).strip("_")


def _rings(modifiers, text):
    if "p" in modifiers.lower():
        raise Unknown(f"{text}: a precise event may count differently; count it without :p")
    if set(modifiers) - set("ukhGHDIeSW"):
        raise Unknown(f"{text}: unknown modifiers '{modifiers}'")
    if "h" in modifiers:
        raise Unknown(f"{text}: this event counts in the hypervisor; count it with :u")
    if "G" in modifiers and "H" not in modifiers:
        raise Unknown(f"{text}: this event counts only in guests; count it without :G")
    user, kernel = "u" in modifiers, "k" in modifiers
    return "both" if user == kernel else "usr" if user else "os"


def _raw(code):
    return f"r{code & ~NOT_EVENT:04x}"


def _put(parts, number):
    code = 0
    for bit, width in parts:
        code |= (number & (1 << width) - 1) << bit
        number >>= width
    return code, number


def _terms(text, vendor):
    """Return the encoding and the name of the terms between the slashes of a perf event."""
    code, extra = 0, ""
    for term in filter(None, text.split(",")):
        name, _, value = term.partition("=")
        if name in ("name", "period", "metric-id"):
            continue
        try:
            number = int(value, 0) if value else 1
        except ValueError:
            raise Unknown(f"{text}: '{value}' is not a number") from None
        if name in ("config", "offcore_rsp", "ldlat", "frontend", "config1"):
            if name == "config":
                code |= number
            elif name == "config1":
                raise Unknown(f"{text}: use offcore_rsp=, ldlat= or frontend= instead of config1=")
            else:
                extra = name, number
        elif name in vendor.terms:
            bits, left = _put(vendor.terms[name], number)
            if left:
                width = sum(width for _, width in vendor.terms[name])
                raise Unknown(f"{text}: {name}={value} has more than {width} bits")
            code |= bits
        elif not value and len(text.split(",")) == 1:
            is_raw = RAW.fullmatch(name)
            return _raw(int(name[1:], 16)) if is_raw else vendor.generic.get(name, ""), name
        else:
            raise Unknown(f"{text}: the term {name} is not known")
    if extra:
        registers = {"ldlat": LDLAT, "frontend": FRONTEND,
                     "offcore_rsp": OFFCORE.get(code & 0xFFFF)}
        if registers[extra[0]] is None:
            raise Unknown(f"{text}: offcore_rsp belongs to event 0xb7, 0xbb, 0x2a or 0x2b with "
                          "umask=1, or to 0xb7 with umask=2")
        return f"{_raw(code)}:{registers[extra[0]]:#x}={extra[1]:#x}", ""
    return _raw(code), ""


def of_perf(text, vendor=INTEL):
    """Return (encoding or "", name, ring)."""
    text = text.strip()
    if found := re.fullmatch(r"(\w+)/(.*)/(\w*)", text):
        if found.group(1) not in ("cpu", "cpu_core", "cpu_atom"):
            raise Unknown(f"{text}: this is not an event of a core's counters")
        encoding, name = _terms(found.group(2), vendor)
        return encoding, name or text, _rings(found.group(3), text)
    name, *modifiers = text.split(":")
    if len(modifiers) > 1:
        raise Unknown(f"{text}: expected one colon with modifiers such as u and k")
    ring = _rings("".join(modifiers), text)
    if RAW.fullmatch(name):
        return _raw(int(name[1:], 16)), name, ring
    return vendor.generic.get(name.lower(), ""), name, ring


def outside_cores(text):
    """Return the name that a plan uses for a perf event outside the cores, or "" for other events.

    If plans have no name for the event, `text` is returned. Linux lists the events in
    /sys/bus/event_source/devices/{uncore_*,amd_*,power}/events.
    """
    found = re.fullmatch(r"(uncore_\w+|amd_(?:df|l3|umc_\d+)|power)/([^/]*)/\w*", text.strip())
    if found:
        kind = re.sub(r"_\d+$", "", found.group(1))
        return OUTSIDE.get((kind, found.group(2).lower()), text)
    return text if re.match(r"unc_\w", text, re.I) else ""


def of_name(name, vendor=INTEL):
    return vendor.generic.get(name.lower(), "") or vendor.names.get(plain(name), "")
