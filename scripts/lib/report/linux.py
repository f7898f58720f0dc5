# SPDX-License-Identifier: BSD-2-Clause
"""The section that compares counts under Linux with bare metal, as scripts/compare does."""
import collections
import dataclasses

from compare import rows as compare
from compare import source
from report import svg
import results
from report.folder import brief, param_text
from report.html import breakable, cell, details, items, join, row, table, tag

ROWS_MAX = 4000  # lines of the comparison, differences first
MEANS = {
    "same": "equal, or, if no exact count is declared, different by at most the resolution "
            "plus the larger spread of the two runs",
    "tax": "above bare metal by the amount that the operating system adds to all kernels",
    "high": "above bare metal for an unknown reason", "low": "below bare metal",
    "refused": "not comparable or not trustworthy",
    "missing": "counted in only one of the two runs",
}
ORDER = ("high", "low", "tax", "same", "refused", "missing")


def _number(value):
    return "" if value is None else brief(value)


def _class_of(verdict):
    return {"high": "bad", "low": "bad", "same": "good", "tax": "good"}.get(verdict, "note")


def _tax_table(found):
    rows = (row(breakable(tax.event), tax.ring, str(tax.kernels), _number(tax.constant),
                _number(tax.rate), _number(tax.residual), cell(tax.reason, "words"))
            for tax in found.tax)
    return table(("Event", "Ring", "Kernels", "Constant", "Per second", "Give or take",
                  "In words"), rows, "What Linux adds", "numbers")


def _folded(rows):
    groups = collections.defaultdict(list)
    for found in rows:
        groups[dataclasses.replace(found, cpu="", partner="")].append(found)
    return groups


def _rows_table(found):
    groups = sorted(_folded(found.rows).items(), key=lambda pair: ORDER.index(pair[0].verdict))
    rows = (row(join((breakable(one.kernel), tag("small", f"n={one.n} {param_text(one.param)}"))),
                breakable(one.event), one.ring, ", ".join(same.cpu for same in group),
                _number(one.reference), _number(one.other), _number(one.difference),
                _number(one.per_iteration), cell(one.verdict, _class_of(one.verdict)),
                cell(one.reason, "words")) for one, group in groups[:ROWS_MAX])
    whole = table(("Kernel", "Event", "Ring", "CPUs", "Bare metal", "Linux", "Difference",
                   "Difference / n", "Verdict", "Reason"), rows, "Every count", "numbers")
    left = len(groups) - ROWS_MAX
    return join((whole, tag("p", f"scripts/compare prints the {left} further lines.", cls="note")
                 if left > 0 else ""))


def _figure(found, anchor, folders):
    values = {}
    for one in found.rows:
        if one.difference is not None and one.verdict in ("same", "tax", "high", "low"):
            values.setdefault((one.event, one.ring), {}).setdefault(
                one.kernel, []).append(one.difference)
    (event, ring), kernels = next(iter(values.items()), (("", ""), {}))
    if not kernels:
        return ""
    shown = dict(list(kernels.items())[:40])
    points = {name: (sum(of) / len(of), min(of), max(of)) for name, of in shown.items()}
    rows = (row(breakable(name), brief(mean), brief(low), brief(high))
            for name, (mean, low, high) in points.items())
    words = f"{event} ({ring}): Linux minus bare metal"
    return tag("div", svg.framed(
        svg.ranges(list(points), {words: points}, words), anchor, words,
        "Each point is the mean over the CPUs and parameters of a kernel; the bar reaches from the "
        "lowest to the highest. The plot shows the first 40 kernels of the first event that both "
        "runs counted.",
        table(("Kernel", "Mean", "Lowest", "Highest"), rows, words, "numbers"), folders),
               cls="figures")


def section(folder, linux, anchor):
    title = tag("h3", f"{folder.name} against {linux.name}")
    if linux.source != results.LINUX:
        return title + tag("p", f"{linux.name} is from {linux.source}; --linux takes a folder that "
                                "barecount-linux wrote.", cls="problem")
    try:
        sources = [dataclasses.replace(source.folder(one.folder), name=one.name)
                   for one in (folder, linux)]
    except results.Unreadable as why:
        return title + tag("p", f"Cannot be compared: {why}", cls="problem")
    found = compare.compare(*sources)
    counts = collections.Counter(one.verdict for one in found.rows)
    parts = [title]
    if found.refused:
        parts.append(tag("div", tag("p", "Refused:"), items(found.refused), cls="problem"))
    if found.notes:
        parts.append(items(found.notes))
    if found.rows:
        parts.append(table(("Verdict", "Counts", "Meaning"), (
            row(word, cell(str(counts[word]), _class_of(word) if counts[word] else None),
                cell(MEANS[word], "words")) for word in ORDER), "Verdicts", "numbers"))
        parts.append(tag("h4", "What Linux adds to each event"))
        parts.append(_tax_table(found))
        parts.append(_figure(found, anchor, [folder, linux]))
        parts.append(details("Every count", _rows_table(found)))
    return join(parts)
