# SPDX-License-Identifier: BSD-2-Clause
"""What a counter makes of an event, concluded from counts of kernels that declare theirs."""
import collections
import dataclasses
import fractions

EXACT, WITHIN, DEAD, VARIES, UNEXPLAINED, UNKNOWN = \
    "exact", "within", "dead", "varies", "unexplained", "unknown"
RIGHT = (EXACT, WITHIN)


@dataclasses.dataclass(frozen=True)
class Point:
    """The samples of one kernel at one n: the declared count, and the smallest and largest sample.

    `high` is None if the kernel declares only a lower bound.
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
    def is_right(self):
        return self.low <= self.least and (self.high is None or self.most <= self.high)


def _factor(value):
    return str(value) if value.denominator == 1 else f"{float(value):.3g}"


def _on_a_line(points):
    """(f, c) if each count is f times the declared count plus c; None if no such numbers exist.

    Two kernels at least must show it, because one kernel's counts always lie on a line.
    """
    counts = {}
    for point in points:
        if counts.setdefault(point.low, point.least) != point.least:
            return None
    if len(counts) < 3 or len({point.kernel for point in points}) < 2:
        return None
    (first, one), (second, two) = list(counts.items())[:2]
    factor = fractions.Fraction(two - one, second - first)
    constant = one - factor * first
    if constant.denominator != 1 or any(factor * declared + constant != count
                                        for declared, count in counts.items()):
        return None
    return factor, int(constant)


def _another(points, declared):
    """The name of another event whose declarations equal all counts; None if there is none."""
    for name, counts in declared.items():
        told = [counts.get(point.key) for point in points]
        if len(set(told)) > 1 and told == [point.least for point in points]:
            return name
    return None


def kind_of(points, others):
    """The kind of a pair of event and counter; the texts are those of docs/trust-map.md.

    `points` are those of the pair, and `others` are the declared counts of other events, as
    {name: {Point.key: count}}.
    """
    if not points:
        return UNKNOWN
    if all(point.is_right for point in points):
        return EXACT if all(point.low == point.high for point in points) else WITHIN
    if any(point.least != point.most for point in points):
        return VARIES
    if len({point.least for point in points}) == 1 < len({point.low for point in points}):
        return DEAD
    name = _another(points, others)
    if name:
        return f"counts {name}"
    line = _on_a_line(points) if all(point.low == point.high for point in points) else None
    if line is None:
        return UNEXPLAINED
    factor, constant = line
    words = [f"factor {_factor(factor)}"] * (factor != 1) + [f"constant {constant:+d}"] * \
        (constant != 0)
    return ", ".join(words)


def worst(points):
    """The point with the largest error, as an example."""
    def error(point):
        low = max(point.low - point.least, 0)
        return max(low, 0 if point.high is None else point.most - point.high)
    return max(points, key=error)


def by_pair(rows):
    """{(event, counter): [Point]} of rows of results.csv that declare a count and have samples.

    The name of an event is that of its first row; a number that only tells its rows apart, as in
    branches_0 to branches_7, is left out.
    """
    names, pairs = {}, collections.defaultdict(list)
    for row in rows:
        if row["scope"] == "package" or not row["expected_low"] or not row["counter"]:
            continue
        stem, _, number = row["event"].rpartition("_")
        name = names.setdefault(row["encoding"], stem if number.isdecimal() else row["event"])
        if row["min"]:
            pairs[name, row["counter"]].append(Point(
                row["kernel"], row["param"], int(row["n"]), int(row["expected_low"]),
                int(row["expected_high"]) if row["expected_high"] else None,
                int(row["min"]), int(row["max"])))
    return pairs


def declared(pairs):
    """{event: {Point.key: declared count}} of all events with one declared count."""
    told = collections.defaultdict(dict)
    for (event, _), points in pairs.items():
        for point in points:
            if point.low == point.high:
                told[event][point.key] = point.low
    return told


def trust_map(rows):
    """{(event, counter): (kind, [Point])} of the rows of one CPU."""
    pairs = by_pair(rows)
    told = declared(pairs)
    return {(event, counter): (kind_of(points, {name: counts for name, counts in told.items()
                                                if name != event}), points)
            for (event, counter), points in pairs.items()}
