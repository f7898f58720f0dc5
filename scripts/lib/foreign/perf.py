# SPDX-License-Identifier: BSD-2-Clause
"""Parse the output of `perf stat -x SEP` and `perf stat -j` of perf 6.1 and later.

A line of -x is [CPU or core or thread SEP [number SEP]] count SEP unit SEP event [SEP spread%] SEP
nanoseconds SEP percent [SEP metric SEP unit of the metric]. An event's name may contain the
separator. -j prints a JSON object per line, with the count as a string. Numbers may contain the
locale's decimal comma.
"""
import json
import re

from events import codes
from foreign import formats
import results

NOT_CORE = re.compile(r"(task-clock|cpu-clock|duration_time|user_time|system_time|page-faults|"
                      r"faults|context-switches|cs|cpu-migrations|migrations|minor-faults|"
                      r"major-faults|alignment-faults|emulation-faults|bpf-output|dummy)(:\w+)?$")
NO_COUNT = re.compile(r"<not (counted|supported)>$")
SEPARATORS = (",", ";", "\t", "|", ":", " ", "#", "!", "~", "^")
UNIT = re.compile(r"[A-Za-z%/]*$")
POINT = re.compile(r"\d+\.\d\d$")
COMMA = re.compile(r"\d+,\d\d$")
UNCORE = "perf counts uncore events in all packages, from the start of the program to its end, " \
         "whereas the image counts one package, and only during the kernel"
PLAIN = "perf stat's human-readable table; use `perf stat -x,` (with the comma) or `perf stat -j`"
LOCALE = "perf ran in a locale with decimal commas, which look the same as its separators; " \
         "record with LC_ALL=C"


def looks_like(text):
    """Return "plain" for perf's readable table, "json", "csv", or ""."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    if not lines:
        return ""
    if "Performance counter stats for" in text:
        return "plain"
    if re.match(r'\s*\[?\s*\{.*"(counter-value|metric-value|interval)"', lines[0]):
        return "json"
    return "csv" if _separator(lines) or any(map(_is_spoiled, lines)) else ""


def _is_spoiled(line):
    return bool(re.search(r",\d+,\d+,\d\d(,|$)", line))


def _separator(lines):
    for separator in SEPARATORS:
        for line in lines:
            fields = line.split(separator)
            if len(fields) >= 5 and _tail(fields, separator != ",") is not None:
                return separator
    return ""


def _tail(fields, comma):
    for i in range(2, len(fields) - 1):
        if fields[i].isdigit() and (POINT.match(fields[i + 1]) or
                                    (comma and COMMA.match(fields[i + 1]))):
            return i
    return None


def _head(fields, tail):
    for i in range(min(3, tail - 2) + 1):
        field = fields[i].strip()
        is_count = NO_COUNT.match(field) or re.match(r"-?\d+([.,]\d+)?$", field)
        if is_count and UNIT.match(fields[i + 1]):
            return i
    return None


def _value(path, line, event, count, percent, spread, nanoseconds, where, comma, vendor):
    """Return None if Linux itself, not a counter, counts the event."""
    if NOT_CORE.match(event):
        return None
    encoding, name, ring, trouble, scope = "", event, "both", "", ""
    try:
        encoding, name, ring = codes.of_perf(event, vendor)
    except codes.Unknown as why:
        trouble = str(why)
    if ready := codes.outside_cores(event):
        name, trouble, scope = ready, UNCORE, results.PACKAGE
    if found := NO_COUNT.match(count):
        return formats.Value(name, encoding, ring, None, where, "", trouble or
                             f"perf says it is not {found.group(1)}", scope=scope)
    number = formats.number(count, comma)
    if number is None or percent is None:
        raise formats.Malformed(path, line, "a count and a percentage", f"found '{count}'")
    if percent < 100:
        trouble = trouble or f"multiplexed: counted {percent:g} % of the time, and extrapolated; " \
                             "count fewer events at a time"
    margin = number * (spread or 0) / 100
    return formats.Value(name, encoding, ring, number, where, "", trouble, margin,
                         0.5 if margin else 0, nanoseconds / 1e9, scope=scope)


def _csv_line(path, number, line, separator, vendor):
    fields = line.split(separator)
    comma = separator != ","
    tail = _tail(fields, comma)
    if tail is None:
        # In a line that contains only a metric, the fields before the metric are empty.
        if not "".join(fields[:-2]).strip() or line.startswith(separator):
            return None
        raise formats.Malformed(
            path, number, "count, unit, event, nanoseconds and percentage, between "
            f"{separator!r}", "is the file complete?")
    head = _head(fields, tail)
    if head is None:
        raise formats.Malformed(path, number, f"a count and its unit before the event, between "
                                              f"{separator!r}")
    if head and formats.number(fields[0].strip()) is not None:
        raise formats.Malformed(path, number, "one total for each event",
                                "perf stat -I prints no totals; record without -I")
    last, spread = tail, None
    if found := re.match(r"(\d+[.,]\d+)%$", fields[tail - 1]):
        last, spread = tail - 1, formats.number(found.group(1), True)
    event = separator.join(fields[head + 2:last])
    where = fields[0].strip() if head else ""
    return _value(path, number, event, fields[head].strip(),
                  formats.number(fields[tail + 1], comma), spread, int(fields[tail]), where, comma,
                  vendor)


def _csv(path, text, vendor):
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1)
             if line.strip() and not line.startswith("#")]
    separator = _separator([line for _, line in lines])
    for number, line in lines if separator in ("", ",") else ():
        if _is_spoiled(line):
            raise formats.Malformed(path, number, "a percentage such as 100.00", LOCALE)
    if not separator:
        raise formats.Malformed(path, lines[0][0], "a line of perf stat -x",
                                "is it from another tool?")
    return [_csv_line(path, number, line, separator, vendor) for number, line in lines]


def _object(path, number, line):
    """The line may be part of a JSON list."""
    try:
        found = json.loads(line.strip().lstrip("[").rstrip(",]"))
    except ValueError:
        if re.search(r'" : "?-?\d+,\d+', line):
            raise formats.Malformed(path, number, "numbers with points", LOCALE) from None
        raise formats.Malformed(path, number, "an object of perf stat -j",
                                "is the file complete?") from None
    if not isinstance(found, dict):
        raise formats.Malformed(path, number, "an object of perf stat -j")
    return found


def _json_line(path, number, line, vendor):
    found = _object(path, number, line)
    if "interval" in found:
        raise formats.Malformed(path, number, "one total for each event",
                                "perf stat -I prints no totals; record without -I")
    if "counter-value" not in found and ("metric-value" in found or "metricgroup" in found):
        return None
    for key in ("counter-value", "event", "event-runtime", "pcnt-running"):
        if key not in found:
            raise formats.Malformed(path, number, f'"{key}"', "is the file complete?")
    where = next((f"CPU{found[key]}" if key == "cpu" else str(found[key])
                  for key in ("cpu", "core", "die", "socket", "node", "thread", "cluster", "cache")
                  if key in found), "")
    numbers = [formats.number(str(found[key])) for key in ("event-runtime", "pcnt-running")]
    spread = formats.number(str(found.get("variance", 0)))
    if None in numbers or spread is None:
        raise formats.Malformed(path, number, "numbers in event-runtime and pcnt-running")
    return _value(path, number, str(found["event"]), str(found["counter-value"]), numbers[1],
                  spread, numbers[0], where, False, vendor)


def parse(path, text, vendor):
    form = looks_like(text)
    if form == "plain":
        raise results.Unreadable(f"{path}: {PLAIN}")
    if form == "json":
        values = [_json_line(path, number, line, vendor) for number, line in enumerate(
            text.splitlines(), 1) if line.strip(" []") and not line.startswith("#")]
    else:
        values = _csv(path, text, vendor)
    return formats.File("perf", [value for value in values if value])
