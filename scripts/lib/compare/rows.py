# SPDX-License-Identifier: BSD-2-Clause
"""Compare the counts of a reference with the counts of another source, row by row.

    compare(source.folder(reference), source.folder(other)) -> Comparison

The verdicts are `same`, `tax` (higher by the amount that an operating system adds to all kernels),
`high`, `low`, `refused` (not comparable or not trustworthy) and `missing` (only one source contains
the count).
"""
import collections
import dataclasses
import statistics

from compare import match as matching
from compare import source as sources
from compare import tax as compare_tax
import results

VERDICTS = ("same", "tax", "high", "low", "refused", "missing")
SAME, DIFFERENT, NOTHING = results.PASSED, results.FAILED, results.INCOMPLETE  # exit statuses
SLACK = 1e-9  # for rounding errors of decimal fractions


@dataclasses.dataclass(frozen=True)
class Compared:
    """`difference` is the other source's value minus the reference's value."""

    cpu: str
    kernel: str
    param: str
    event: str
    ring: str
    reference: float | None
    other: float | None
    difference: float | None
    per_iteration: float | None
    verdict: str
    reason: str
    encoding: str = ""
    n: int = 0
    partner: str = ""
    low: float | None = None
    high: float | None = None


@dataclasses.dataclass
class Comparison:
    """`tax` contains a Tax for each event and ring. `notes` and `refused` are texts to print."""

    rows: list = dataclasses.field(default_factory=list)
    tax: list = dataclasses.field(default_factory=list)
    notes: list = dataclasses.field(default_factory=list)
    refused: list = dataclasses.field(default_factory=list)

    def count(self, verdict):
        return sum(row.verdict == verdict for row in self.rows)

    @property
    def status(self):
        if any(row.verdict in ("high", "low") for row in self.rows):
            return DIFFERENT
        return SAME if any(row.verdict in ("same", "tax") for row in self.rows) else NOTHING


@dataclasses.dataclass(frozen=True)
class Options:
    """`cpu` is the reference's CPU to compare with. If `cpu` is None, the CPU that the other source
    names is used, or all CPUs if the source names none. Differences up to `tolerance_percent` count
    as the same. If `less_n` is not 0, the other tool's counts at n=less_n are already subtracted
    from its counts.
    """

    cpu: str | None = None
    tolerance_percent: float = 0.0
    less_n: int = 0


@dataclasses.dataclass(frozen=True)
class Pair:
    reference: sources.Count
    other: sources.Count
    tolerance: float

    @property
    def value(self):
        ref = self.reference
        return ref.per_iteration if self.other.is_per_iteration else ref.value

    @property
    def difference(self):
        return self.other.value - self.value

    @property
    def systematic(self):
        """Return the difference of the smallest samples, which excludes occasional interrupts.

        For counts per iteration, or if a smallest sample is unknown, return `difference`.
        """
        if None in (self.reference.least, self.other.least) or self.other.is_per_iteration:
            return self.difference
        return self.other.least - self.reference.least

    @property
    def of_means(self):
        """Return (difference between the means, mean seconds of a sample), or None."""
        if None in (self.reference.mean, self.other.mean, self.other.mean_seconds):
            return None
        return self.other.mean - self.reference.mean, self.other.mean_seconds

    @property
    def kernel(self):
        place = self.reference.place
        return place.kernel, place.param, place.n, place.partner

    def row(self, verdict, reason):
        n = self.reference.place.n
        by_n = self.difference if self.other.is_per_iteration else \
            self.difference / n if n else None
        return _row(self.reference, self.other, verdict, reason, self.value, self.difference, by_n)


def _row(reference, other, verdict, reason, value=None, difference=None, per_iteration=None):
    shown = reference or other
    cpu = "" if other and other.place.apic_id is None else shown.cpu
    if value is None and reference:
        value = reference.value
    return Compared(cpu, shown.place.kernel, shown.place.param, shown.event,
                    (other or shown).ring, value, other.value if other else None, difference,
                    per_iteration, verdict, reason, shown.encoding, shown.place.n,
                    shown.place.partner, reference.low if reference else None,
                    reference.high if reference else None)


def _tolerance(reference, other, tsc_hz, percent):
    """Return the largest difference that still counts as the same.

    If the kernel declares a single value for the count, the tolerance is `percent` of the reference
    plus rounding. For other counts, the tolerance is at least that of the column `differs` in
    docs/results.md.
    """
    value = reference.per_iteration if other.is_per_iteration else reference.value
    asked = abs(value) * percent / 100
    if reference.expected and ".." not in reference.expected:
        return asked + other.step
    least = max(sources.resolution(reference, tsc_hz),
                0 if other.is_per_iteration else sources.resolution(other, tsc_hz))
    spread = max(reference.high - reference.low, other.high - other.low)
    if other.is_per_iteration:
        spread = (reference.high - reference.low) / max(reference.place.n, 1)
        least = max(least / max(reference.place.n, 1), sources.RESOLUTION_PART * abs(value))
    return max(asked, least + spread) + other.step


def _group(pair):
    """Pairs with the same event and ring share a Tax."""
    reference, other = pair.reference, pair.other
    return reference.identity, reference.encoding, other.ring, other.is_per_iteration


def _points(pairs):
    kernels = collections.defaultdict(list)
    for pair in pairs:
        kernels[pair.kernel].append(pair)
    for same in kernels.values():
        seconds = [pair.other.seconds for pair in same if pair.other.seconds is not None]
        means = [pair.of_means for pair in same if pair.of_means]
        yield compare_tax.Point(statistics.median(seconds) if seconds else None,
                                statistics.median(pair.value for pair in same),
                                statistics.median(pair.systematic for pair in same),
                                max(pair.tolerance for pair in same),
                                tuple(map(statistics.fmean, zip(*means))) or None)


def _as_percent(pair):
    return f" ({pair.difference / pair.value:+.2%})" if pair.value else ""


def _judge(pair, tax, is_bare_metal):
    difference, tolerance = pair.difference, pair.tolerance
    is_short = pair.reference.is_declared and pair.systematic < -tolerance - SLACK
    if abs(difference) <= tolerance + SLACK and not is_short:
        return pair.row("same", "equal" if not difference else
                        f"within the tolerance of {tolerance:g}")
    verdict = "high" if difference > 0 and not is_short else "low"
    shown = f"{difference:+g}{_as_percent(pair)}"
    bound = max(tolerance, tax.residual or 0) + SLACK
    if tax.part is not None:
        if abs(pair.systematic - tax.constant - tax.part * pair.value) <= bound:
            return pair.row(verdict, f"{tax.reason}{_as_percent(pair)}")
        return pair.row(verdict, f"{shown}, unlike the other kernels, which are "
                                 f"{tax.reason.replace(' in all kernels', '')}")
    predicted = tax.predicted(pair.other.seconds)
    if predicted is None:
        return pair.row(verdict, f"{shown}; {tax.reason}")
    rest = pair.systematic - predicted
    if not -bound <= rest <= bound + tax.allowed(pair.other):
        least = "" if pair.systematic == difference else f", {pair.systematic:+g} at least"
        return pair.row(verdict, f"{shown}{least}, unlike the other kernels, which predict "
                                 f"{predicted:+.6g}")
    varies = difference - pair.systematic
    if varies:
        shown += f": {pair.systematic:+g} in the quietest sample, a further {varies:+g} in others"
    elif predicted:
        shown += f", constant: {predicted:+.6g} is common to all kernels"
    part = compare_tax.DECLARED_PART_MAX if pair.reference.is_declared else \
        compare_tax.RATE_PART_MAX
    too_much = tax.is_own and varies > part * abs(pair.value) + tolerance
    if verdict == "low" or is_bare_metal or too_much:
        return pair.row(verdict, shown)
    return pair.row("tax", shown)


def _other_event(pairs, index):
    """Return a hint that another event of the reference has the same counts as the other source.

    Return "" if there is no such event, or if the counts have fewer than three different values.
    """
    if len({pair.other.value for pair in pairs}) < 3:
        return ""
    hits = None
    for pair in pairs:
        same = {count.event for count in index.at(pair.other.place)
                if count.claim == pair.other.claim and not count.trouble
                and count.is_of_package == pair.other.is_of_package
                and count.value == pair.other.value}
        hits = same if hits is None else hits & same
    hits = sorted((hits or set()) - {pairs[0].reference.event})
    return f"these are the counts of {hits[0]}: wrong encoding?" if hits else ""


def _verdicts(pairs, index, is_bare_metal, result):
    groups = collections.defaultdict(list)
    for pair in pairs:
        groups[_group(pair)].append(pair)
    for same in groups.values():
        first = same[0]
        points = list(_points(same))
        tax = compare_tax.fit(first.reference.event, first.other.ring, points,
                              first.other.claim == "own") if not first.other.is_per_iteration \
            else compare_tax.Tax(first.reference.event, first.other.ring, len(points),
                                 reason="counts per iteration lack the constant part of a run")
        result.tax.append(tax)
        rows = [_judge(pair, tax, is_bare_metal) for pair in same]
        differ = any(row.verdict != "same" for row in rows)
        if differ and (hint := _other_event(same, index)):
            rows = [row if row.verdict == "same" else
                    pair.row("high" if row.difference > 0 else "low",
                             f"{row.difference:+g}; {hint}") for pair, row in zip(same, rows)]
        result.rows += rows


def _pair(other, index, unlike, tsc_hz, options):
    found = matching.match(other, index, options.less_n)
    reference = found.reference
    place = reference.place if reference else other.place
    if reference:
        index.use(reference)
    if why := unlike.get((place.kernel, place.param, place.n)) or found.refused:
        return _row(reference, other, "refused", why)
    if other.trouble and (reference or other.is_of_package):
        return _row(reference, other, "refused", other.trouble)
    if not reference:
        return _row(None, other, "missing", "the reference lacks this count")
    if reference.trouble or not matching.believed(reference):
        return _row(reference, other, "refused", f"the reference's verdict is {reference.verdict}")
    if other.is_per_iteration and reference.per_iteration is None:
        return _row(reference, other, "refused", "the reference has no count per iteration")
    if options.less_n:
        reference, why = matching.between(reference, index, options.less_n)
        if why:
            return _row(reference, other, "refused", why)
    return Pair(reference, other, _tolerance(reference, other, tsc_hz, options.tolerance_percent))


def compare(reference, other, options=Options()):
    result = Comparison(notes=[*reference.notes, *other.notes])
    if reference.kind != sources.BARE_METAL:
        result.refused.append(f"{reference.name} is from {reference.kind}, not from bare metal, so "
                              "it cannot be the reference; give the folder of the image first")
    notes, refused = matching.machines(reference, other)
    result.notes += notes
    result.refused += refused
    if result.refused:
        return result
    if reference.kernel_cpl == 0 and other.kind != sources.BARE_METAL:
        result.notes.append("bare metal ran its kernels at CPL 0, and Linux at CPL 3: each count "
                            "is of the ring that the kernel ran in")
    if options.cpu is not None and options.cpu not in {count.cpu for count in reference.counts}:
        result.refused.append(f"{reference.name} has no CPU {options.cpu}")
        return result
    result.notes += filter(None, [  # a foreign tool's user chose the kernels
        other.kind != sources.FOREIGN and matching.only_in(reference, other),
        matching.only_in(other, reference)])
    index = matching.Index(reference, options.cpu)
    unlike = matching.other_bytes(reference, other)
    result.refused += [f"{name}{' ' * bool(param)}{param}: {why}"
                       for (name, param, _), why in unlike.items()]
    tsc_hz = reference.run.get("machine", {}).get("tsc_hz", 0)
    found = [_pair(count, index, unlike, tsc_hz, options) for count in other.counts]
    _verdicts([pair for pair in found if isinstance(pair, Pair)], index,
              other.kind == sources.BARE_METAL, result)
    result.rows += [row for row in found if isinstance(row, Compared)]
    only = {count.place.kernel for count in other.counts} if other.kind == sources.FOREIGN else ()
    result.rows += [_row(count, None, "missing", f"{other.name} lacks this count")
                    for count in index.unused(only)]
    return result
