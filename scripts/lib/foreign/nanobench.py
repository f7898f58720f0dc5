# SPDX-License-Identifier: BSD-2-Clause
"""Parse the output of nanoBench: lines `Name: count`.

A count is for one copy of the code. If the user does not name the rings, a count is assumed to
include only the ring in which the code ran.
"""
import re

from events import codes
from foreign import formats

LINE = re.compile(r"(?P<name>[A-Za-z][^:]*?(?::[^:]+)*?):\s*(?P<count>-?\d+(?P<point>[.,]\d+)?)$")
# Clocks are not events. On AMD, nanoBench prints MPERF and APERF, which count in all rings.
TIME = ("RDTSC", "TSC", "TIME", "MPERF", "APERF")


def looks_like(text):
    found = LINE.match(next((line.strip() for line in text.splitlines() if line.strip()), ""))
    return bool(found and found.group("point"))


def parse(path, text, _vendor):
    values = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        found = LINE.match(line.strip())
        if not found:
            raise formats.Malformed(path, number, "a line 'Name: count' of nanoBench",
                                    "record without -verbose, and record only standard output")
        point = found.group("point") or ""
        if point.startswith(","):
            raise formats.Malformed(path, number, "a number with a point", "record with LC_ALL=C")
        name = found.group("name")
        if codes.plain(name) in TIME:
            continue
        values.append(formats.Value(
            name, "", "", float(found.group("count")), is_per_iteration=True,
            step=0.5 * 10 ** -len(point[1:]) if point else 0.5))
    return formats.File("nanoBench", values, [
        "nanoBench's counts are assumed to be for one copy of the code, in the code's ring only; "
        "specify --ring both if nanoBench ran with -os 1"])
