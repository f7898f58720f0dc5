# SPDX-License-Identifier: BSD-2-Clause
"""Estimate what an operating system adds to a count, or find that the count is wrong.

Two models are fitted to the differences of all kernels. The "tax" of an operating system is
constant + rate x seconds. A proportional error is constant + part x count. The Theil-Sen estimator
takes the median of the slopes of all pairs of kernels. A model that leaves too many kernels
unexplained is rejected.
"""
import dataclasses
import itertools
import statistics

POINTS_MIN = 4  # with fewer kernels, a constant cannot be told from an error in one kernel
POINTS_MAX = 400  # limits the number of pairs
SPAN_MIN = 4  # a rate is computed only if the longest time is at least this many times the shortest
MOST = 0.75  # share of the kernels that a model must explain
# A residual may be up to DEVIATIONS standard deviations. A normal distribution's standard deviation
# is NORMAL times its median absolute deviation.
DEVIATIONS, NORMAL = 3, 1.4826
# The largest residual, as a fraction of the typical difference. The key says whether only the
# kernel's own ring was counted.
RESIDUAL_MAX = {True: 0.1, False: 0.5}
# Only the kernel runs in its own ring, so a rate may add at most this part of a count in that ring.
RATE_PART_MAX = 0.1
# What is added to only some samples may be at most this part of a declared count. An interrupt adds
# 1 or 2 counts.
DECLARED_PART_MAX = 0.001
ROUNDING = 0.5  # the largest error of a count that was rounded to a whole number


@dataclasses.dataclass(frozen=True)
class Point:
    """`difference` is that of the smallest samples or, if one of them is unknown, that of the
    counts. `of_means` is (difference between the means, mean seconds of a sample).
    """

    seconds: float | None
    reference: float
    difference: float
    tolerance: float
    of_means: tuple | None = None


@dataclasses.dataclass(frozen=True)
class Line:
    """The line is constant + slope * x.

    `explained` is the share of the points that are within `residual` or their own tolerance.
    """

    constant: float
    slope: float
    residual: float
    explained: float


@dataclasses.dataclass(frozen=True)
class Tax:
    """The amount that is added to the counts of an event.

    If `constant` and `rate` are None, `reason` says why. `part` is the relative error of all
    counts, or None. `slope` is the part of `rate` that the smallest samples show; interrupts cause
    the rest. `residual` is the accepted deviation of the smallest samples.
    """

    event: str
    ring: str
    kernels: int
    constant: float | None = None
    rate: float | None = None
    residual: float | None = None
    part: float | None = None
    reason: str = ""
    slope: float = 0
    is_own: bool = True

    def predicted(self, seconds):
        """Return what is added to the smallest sample of a kernel that runs for `seconds`, or None.
        """
        if self.constant is None:
            return None
        return self.constant + self.slope * (seconds or 0)

    def allowed(self, count):
        """Return what interrupts may add even to the smallest sample."""
        return 0 if self.is_own else (self.rate or 0) * (count.mean_seconds or 0)


def _chosen(pairs):
    pairs = sorted(pairs)
    if len(pairs) <= POINTS_MAX:
        return pairs
    return [pairs[i * len(pairs) // POINTS_MAX] for i in range(POINTS_MAX)]


def _slope(pairs):
    slopes = [(y2 - y1) / (x2 - x1)
              for (x1, y1), (x2, y2) in itertools.combinations(_chosen(pairs), 2) if x2 != x1]
    return statistics.median(slopes) if slopes else 0.0


def _line(points, is_own, slope=0.0, axis=lambda point: 0.0):
    rests = [point.difference - slope * axis(point) for point in points]
    constant = statistics.median(rests)
    distances = [abs(rest - constant) for rest in rests]
    usual = statistics.median(abs(point.difference) for point in points)
    residual = min(DEVIATIONS * NORMAL * statistics.median(distances), RESIDUAL_MAX[is_own] * usual)
    good = sum(distance <= max(point.tolerance, residual)
               for point, distance in zip(points, distances))
    return Line(constant, slope, residual, good / len(points))


def _is_much(points, slope):
    """Whether a slope is too large for an operating system in the kernel's own ring."""
    parts = [slope * point.seconds / abs(point.reference) for point in points if point.reference]
    return bool(parts) and statistics.median(parts) > RATE_PART_MAX


def _by_time(points, is_own):
    """Return (Line over time, reason why its rate is unknown or "")."""
    constant = _line(points, is_own)
    if any(point.seconds is None for point in points):
        return constant, "the rate is unknown, because there are no times"
    times = [point.seconds for point in points]
    if min(times) <= 0 or max(times) < SPAN_MIN * min(times):
        return constant, "the rate is unknown, because all kernels took about the same time"
    slope = _slope([(point.seconds, point.difference) for point in points])
    if slope <= 0 or (is_own and _is_much(points, slope)):  # not caused by an OS
        return constant, ""
    line = _line(points, is_own, slope, lambda point: point.seconds)
    return (line, "") if line.residual < constant.residual or \
        line.explained > constant.explained else (constant, "")


def _part(points, tax, is_own):
    """Return the Line of a proportional error, or None.

    In the kernel's own ring, a difference that grows with both time and count is considered an
    error, because an operating system adds almost nothing. If both rings are counted, the error's
    residual must be less than half of the tax's residual.
    """
    if len({point.reference for point in points}) < 3:
        return None
    slope = _slope([(point.reference, point.difference) for point in points])
    line = _line(points, is_own, slope, lambda point: point.reference)
    largest = max(points, key=lambda point: abs(point.reference))
    matters = abs(slope * largest.reference) > 2 * max(largest.tolerance, 1) + line.residual
    if not matters or line.explained < MOST or line.explained < tax.explained:
        return None
    better = line.residual <= tax.residual + 1 if is_own else line.residual < tax.residual / 2
    return line if better else None


def _or_part(points, tax, is_own):
    """Return the size of a proportional error, or None if a constant explains more kernels.

    If the error and a constant explain the same number of kernels, the error is returned when only
    the kernels' own ring is counted, and None when both rings are counted.
    """
    usual = statistics.median(point.tolerance for point in points)
    parts = [point.difference / point.reference for point in points if point.reference]
    if tax.slope or tax.constant <= max(tax.residual, usual) or not parts:
        return None
    part = statistics.median(parts)
    good = sum(abs(point.difference - part * point.reference) <=
               max(point.tolerance, tax.residual, ROUNDING) for point in points) / len(points)
    return part if good > tax.explained or (is_own and good == tax.explained) else None


def _rate(points, tax):
    if tax.slope or any(point.of_means is None for point in points):
        return tax.slope
    added = sum(point.of_means[0] - tax.constant for point in points)
    seconds = sum(point.of_means[1] for point in points)
    return max(added, 0) / seconds if seconds > 0 else 0.0


def fit(event, ring, points, is_own):
    """`is_own` is true if only the kernels' own ring was counted."""
    about = {"event": event, "ring": ring, "kernels": len(points), "is_own": is_own}
    if len(points) < POINTS_MIN:
        return Tax(**about, reason=f"too few kernels to tell: {len(points)}, and at least "
                                   f"{POINTS_MIN} are needed")
    tax, reason = _by_time(points, is_own)
    if part := _part(points, tax, is_own):
        return Tax(**about, constant=part.constant, residual=part.residual, part=part.slope,
                   reason=f"{abs(part.slope):.2%} {'high' if part.slope > 0 else 'low'} in all "
                          "kernels")
    if tax.explained < MOST:
        return Tax(**about, reason="the kernels' differences have nothing in common")
    if part := _or_part(points, tax, is_own):
        return Tax(**about, reason=f"{tax.constant:+.6g} in all kernels, or {part:.2%}; their "
                                   "counts are too similar to tell which")
    about |= {"slope": tax.slope, "rate": _rate(points, tax), "residual": tax.residual}
    if -tax.constant > max(tax.residual, statistics.median(
            point.tolerance for point in points)):
        return Tax(**about, constant=tax.constant,
                   reason=f"all kernels lack about {-tax.constant:g}")
    # An OS cannot make a count smaller.
    return Tax(**about, constant=max(tax.constant, 0), reason=reason)
