# SPDX-License-Identifier: BSD-2-Clause
"""Write a comparison as text, CSV and JSON."""
import collections
import csv
import dataclasses
import json

from compare import rows as compare
from plural import counted

HEADS = ("cpu", "kernel", "event", "reference", "other", "difference", "per n")
ALWAYS = ("high", "low", "refused")


def number(value):
    if value is None:
        return "-"
    return str(int(value)) if value == int(value) else f"{value:.4f}".rstrip("0").rstrip(".")


def _line(row):
    name = f"{row.kernel}{' ' * bool(row.param)}{row.param}"
    if row.partner:
        name += f" with {row.partner}"
    return (row.cpu or "all", name, f"{row.event} {row.ring}", number(row.reference),
            number(row.other), number(row.difference), number(row.per_iteration), row.verdict,
            row.reason)


def _folded(rows):
    """Rows with the same result on several CPUs share a line."""
    groups = collections.defaultdict(list)
    for row in rows:
        groups[_line(row)[1:]].append(row.cpu)
    for line, cpus in groups.items():
        numbers = sorted({int(cpu) for cpu in cpus if cpu})
        shown = "all" if not numbers else str(numbers[0]) if len(numbers) == 1 else \
            f"{len(numbers)} CPUs"
        yield (shown, *line)


def _table(rows):
    lines = [(*HEADS, "verdict", "reason"), *_folded(rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(HEADS) + 1)]
    for line in lines:
        left = [text.ljust(width) for text, width in zip(line[:3], widths)]
        right = [text.rjust(width) for text, width in zip(line[3:7], widths[3:])]
        yield "  ".join([*left, *right, line[7].ljust(widths[7]), line[8]]).rstrip()


def _tax_line(tax):
    head = f"  {tax.event} {tax.ring}: "
    if tax.part is not None:
        return f"{head}{tax.reason}, and {tax.constant:+.6g}, within {tax.residual:.6g}"
    if tax.constant is None:
        return f"{head}unknown: {tax.reason}"
    rate = f", and {tax.rate:.4g} per second" if tax.rate else ""
    because = f" ({tax.reason})" if tax.reason else ""
    constant = f"{tax.constant:+.6g} in each sample, give or take {tax.residual:.6g}"
    return f"{head}{constant}{rate}{because}"


def _tax_lines(taxes):
    """Events whose tax is unknown for the same reason share a line."""
    untold = collections.Counter(tax.reason for tax in taxes
                                 if tax.part is None and tax.constant is None)
    for tax in taxes:
        count = untold[tax.reason] if tax.part is None and tax.constant is None else 1
        if count == 1:
            yield _tax_line(tax)
        elif count:
            yield f"  {count} events: unknown: {tax.reason}"
            untold[tax.reason] = 0


def summary(result):
    return ", ".join(f"{count} {word}" for word in compare.VERDICTS
                     if (count := result.count(word))) or "nothing to compare"


def text(result, with_same=False, with_missing=False):
    shown = [row for row in result.rows if row.verdict in ALWAYS or row.verdict == "tax"
             or (row.verdict == "same" and with_same)
             or (row.verdict == "missing" and with_missing)]
    yield from (f"! {why}" for why in result.refused)
    yield from (f"note: {note}" for note in result.notes)
    if shown:
        yield from _table(shown)
    if result.tax:
        kernels = max(tax.kernels for tax in result.tax)
        yield "What the second run adds, estimated from the quietest samples of up to " \
              f"{counted(kernels, 'kernel')}:"
        yield from _tax_lines(result.tax)
    yield summary(result)


def write_csv(result, file):
    writer = csv.writer(file, lineterminator="\n")
    for i, row in enumerate(result.rows):
        fields = dataclasses.asdict(row)
        if i == 0:
            writer.writerow(fields)
        writer.writerow(" ".join(map(number, value)) if isinstance(value, tuple) else value
                        for value in fields.values())


def write_json(result, file):
    json.dump({"status": result.status, **dataclasses.asdict(result)}, file, indent=1)
    file.write("\n")
