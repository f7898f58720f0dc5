# SPDX-License-Identifier: BSD-2-Clause
"""Parse the output of PAPI's tools.

Counts come from a program that runs a kernel between two calls of PAPI and prints lines `EVENT :
count`. papi_avail and papi_command_line only show that PAPI can count an event.
"""
import re

from events import codes
from foreign import formats

LINE = re.compile(r"(?P<name>[A-Za-z][\w.:=-]*)\s+:\s+"
                  r"(?P<count>-?\d+(?:\.\d+)?|0[xX][0-9A-Fa-f]+)(?:\(u\))?(?: [A-Za-z]+)?$")
AVAILABLE = re.compile(r"(?P<name>PAPI_\w+)\s+0x[0-9a-f]+\s+(?:(?P<yes>Yes|No)\s+)?(?:Yes|No)\s")
CPU = re.compile(r"^CPUID\s+: Family/Model/Stepping (\d+)/(\d+)/(\d+)", re.M)
OWN_WORK = "This utility lets you add events from the command line interface"
AVAIL = "Available PAPI preset and user defined events"
FAILED = re.compile(r"Failed adding: (\S+)")


def looks_like(text):
    return AVAIL in text or OWN_WORK in text or any(
        LINE.match(line.strip()) for line in text.splitlines()[:3])


def _event(name, vendor):
    """Return (encoding, name, ring, trouble) of a PAPI event."""
    masks = dict(part.split("=", 1) for part in name.split(":") if "=" in part)
    base = ":".join(part for part in name.rpartition("::")[2].split(":") if "=" not in part)
    known = codes.of_name(base.replace("_", "-"), vendor) if name.startswith("perf::") else ""
    user, kernel = masks.get("u", "1") != "0", masks.get("k", "0") != "0"
    ring = "" if not masks.keys() & {"u", "k"} else \
        "both" if user and kernel else "os" if kernel else "usr"
    others = set(masks) - {"u", "k"}
    trouble = f"{name}: PAPI's modifiers {', '.join(sorted(others))} are not understood" \
        if others else ""
    return known or codes.of_name(base, vendor), base, ring, trouble


def _avail(text, vendor):
    for line in text.splitlines():
        if found := AVAILABLE.match(line):
            encoding, name, ring, _ = _event(found.group("name"), vendor)
            says = "has no such event" if found.group("yes") == "No" else \
                "can count it; papi_avail counts nothing"
            yield formats.Value(name, encoding, ring, None, trouble=f"PAPI {says}")


def _counts(path, text, vendor):
    own = OWN_WORK in text
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if found := FAILED.match(line):
            encoding, name, ring, _ = _event(found.group(1), vendor)
            yield formats.Value(name, encoding, ring, None, trouble="PAPI could not add it")
        elif found := LINE.match(line):
            encoding, name, ring, trouble = _event(found.group("name"), vendor)
            if own:
                trouble = "papi_command_line counts work of its own, not a kernel"
            text_of = found.group("count")
            value = float(int(text_of, 16)) if text_of[:2].lower() == "0x" else float(text_of)
            yield formats.Value(name, encoding, ring, value, trouble=trouble)
        elif line and not own:
            raise formats.Malformed(path, number, "a line 'EVENT : count' of PAPI")


def parse(path, text, vendor):
    values = list(_avail(text, vendor) if AVAIL in text else _counts(path, text, vendor))
    cpu = CPU.search(text)
    note = "PAPI's counts are assumed to be of ring 3, unless --ring or the event says otherwise"
    return formats.File("PAPI", values, [note],
                        signature=tuple(map(int, cpu.groups())) if cpu else ())
