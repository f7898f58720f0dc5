# SPDX-License-Identifier: BSD-2-Clause
"""Judge how a counter counts an event, with kernels that declare their counts."""
import collections
import dataclasses
import fractions

import results

# docs/trust-map.md describes all kinds.
EXACT, WITHIN, AT_LEAST = RIGHT = "exact", "within", "at least"
UNKNOWN, DEAD, VARIES, UNEXPLAINED = "unknown", "dead", "varies", "unexplained"
NOT_COUNTED, UNDECLARED = "not counted", "no kernel declares its count"
OFFSET_MAX = 127
BESIDE = "beside"  # the family of kernels with known counts on one CPU, while others are busy


def is_wrong(kind):
    return kind not in (*RIGHT, UNKNOWN)


@dataclasses.dataclass(frozen=True)
class Point:
    """A kernel's declared count at one n, and its smallest and largest sample.

    The declared count is from `low` to `high`, or at least `low` if `high` is None.
    """

    kernel: str
    param: str
    n: int
    low: int
    high: int | None
    least: int
    most: int

    @property
    def key(self):
        return self.kernel, self.param, self.n

    @property
    def too_few(self):
        return self.low - self.least

    @property
    def error(self):
        above = 0 if self.high is None else self.most - self.high
        return max(self.too_few, above, 0)


@dataclasses.dataclass
class Pair:
    """`lost` is the first row that has no samples. `failed` is the first row that has samples and
    fails the run. `note` is the reason that trust.csv gives."""

    points: list = dataclasses.field(default_factory=list)
    lost: dict | None = None
    failed: dict | None = None
    kind: str = UNKNOWN
    note: str = ""


def _on_a_line(points):
    """(f, c) if each count is f times the declared count plus c; None if no such numbers exist.

    At least two kernels are needed, because the counts of a single kernel are on a line whenever
    they are linear in n.
    """
    counts = {}
    for point in points:
        if counts.setdefault(point.low, point.least) != point.least:
            return None
    if len({(point.kernel, point.param) for point in points}) < 2 or len(counts) < 3:
        return None
    (first, one), (second, two) = list(counts.items())[:2]
    factor = fractions.Fraction(two - one, second - first)
    constant = one - factor * first
    on_it = all(factor * declared + constant == count for declared, count in counts.items())
    return (factor, int(constant)) if on_it and constant.denominator == 1 else None


def _another(points, others, exactly):
    """The name of another event whose declared counts are the counts, or None. Unless `exactly`,
    they may differ by a constant up to OFFSET_MAX, because each event has its own cost of the
    window. Only kernels count that declare both events."""
    for name, counts in others.items():
        shared = [point for point in points if point.key in counts]
        offsets = {point.least - counts[point.key] for point in shared}
        if len({(point.kernel, point.param) for point in shared}) > 1 and len(offsets) == 1 and \
                abs(min(offsets)) <= (0 if exactly else OFFSET_MAX) and \
                len({point.least for point in shared}) > 1 and \
                any(counts[point.key] != point.low for point in shared):
            return name
    return None


def _wrong_kind(points, others):
    if any(point.least != point.most for point in points):
        return VARIES
    if len({point.least for point in points}) == 1 < len({point.low for point in points}):
        return DEAD
    if len({point.least for point in points}) < 2:
        return UNEXPLAINED
    name = _another(points, others, exactly=True)
    line = _on_a_line(points) if all(point.low == point.high for point in points) else None
    if not line and len({point.least - point.low for point in points}) > 1:
        name = name or _another(points, others, exactly=False)
    if name or not line:
        return f"counts {name}" if name else UNEXPLAINED
    factor, constant = line
    words = [f"factor {factor}"] * (factor != 1) + [f"constant {constant:+d}"] * (constant != 0)
    return ", ".join(words)


def kind_of(pair, others):
    """The kind of a pair; `others` is {name: {Point.key: declared count}} of other events."""
    points = pair.points
    if any(point.error for point in points):
        return _wrong_kind(points, others)
    if pair.lost or len({point.low for point in points}) < 2:
        return UNKNOWN
    if pair.failed:
        return pair.failed["verdict"]
    if any(point.high is None for point in points):
        return AT_LEAST
    return EXACT if all(point.low == point.high for point in points) else WITHIN


def place_of(row):
    """(event, counter) of a row, or of a slot in run.json.

    counters=each adds `@` and the counter's number to the event. Kernels of the family BESIDE have
    a place of their own.
    """
    event, at, number = row["event"].rpartition("@")
    named = f"pmc{number}" if at and number.isdecimal() else ""
    if not named or row["counter"] not in ("", named):
        event, named = row["event"], row["counter"]
    return event + f"-{BESIDE}" * _is_beside(row), named


def _is_beside(row):
    return row.get("kernel", "").startswith(f"{BESIDE}_")


def point_of(row):
    return Point(row["kernel"], row["param"], int(row["n"]), int(row["expected_low"]),
                 int(row["expected_high"]) if row["expected_high"] else None,
                 int(row["min"]), int(row["max"]))


def _note_lost(pairs, lost):
    """Note the rows that have no samples, except rows that this machine cannot count."""
    for (event, counter), row in lost:
        for place, pair in pairs.items():
            if place[0] == event and counter in ("", place[1]) and row["verdict"] != "unavailable":
                pair.lost = pair.lost or row


def _says_nothing(place, pair):
    """Whether the kernels of the family BESIDE all declare the same count of the event."""
    return place[0].endswith(f"-{BESIDE}") and pair.kind == UNKNOWN and not pair.lost


def trust_map(rows):
    """The map of one CPU's rows: ({(event, counter): Pair}, {(event, counter): reason it has no
    Pair})."""
    pairs, without, lost, undeclared = collections.defaultdict(Pair), {}, [], set()
    for row in rows:
        if row["scope"] == results.PACKAGE or not row["ring"] or row["unit"] == "tsc ticks" or \
                row["event"].startswith("msr:") or \
                (_is_beside(row) and row["verdict"] == "unavailable"):
            continue
        place = place_of(row)
        if row["min"] and row["counter"] and row["expected_low"]:
            pairs[place].points.append(point_of(row))
            if results.fails(row):
                pairs[place].failed = pairs[place].failed or row
        elif row["min"] and row["counter"]:
            without.setdefault((place[0], ""), UNDECLARED)
            undeclared.add(place)
        else:
            lost.append((place, row))
            without.setdefault(place, row["reason"] or "the results name no counter")
    _note_lost(pairs, lost)
    declared = collections.defaultdict(dict)
    for (event, _), pair in pairs.items():
        for point in pair.points:
            if point.low == point.high:
                declared[event][point.key] = point.low
    for (event, _), pair in pairs.items():
        pair.kind = kind_of(pair, {name: counts for name, counts in declared.items()
                                   if name != event})
    pairs = {place: pair for place, pair in pairs.items() if not _says_nothing(place, pair)}
    counted = {event for event, _ in pairs}
    return pairs, {(event, counter): why for (event, counter), why in without.items()
                   if (event, counter) not in (*pairs, *undeclared) and
                   (counter or event not in counted)}
