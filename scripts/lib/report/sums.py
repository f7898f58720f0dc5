# SPDX-License-Identifier: BSD-2-Clause
"""The section about sums of counts. Sums show whether a machine's counters agree."""
from report.folder import Instance
from report.html import breakable, cell, join, row, table, tag
from report.tables import kernel_words

INTRODUCTION = ("Some counts of a kernel on a CPU must add up to another count. Hits and misses "
                "add up to loads. The counts of each ring add up to the count of both rings. The "
                "bytes of memory traffic add up to the bytes that the kernel moves. A sum of "
                "medians agrees if it differs from the total by at most a tolerance. Some sums "
                "also agree if they are lower than the total. The tolerance is the spread of the "
                "samples plus an allowance. For counts, the allowance is 2. For times, it is the "
                "resolution. For bytes, it is the sum of three parts: 1 % of the total, the part "
                "of the buffer that the caches may contain, and the background traffic. No verdict "
                "depends on these sums.")


def _differences(found):
    for told in found.get("differences", ()):
        instance = Instance(told["kernel"], told.get("param", ""), str(told.get("n", "")), "serial")
        yield row(kernel_words(instance), str(told["cpu"]), str(told.get("sum", "")),
                  str(told.get("total", "")), str(told.get("tolerance", "")),
                  cell(told.get("verdict", ""), "words bad"))


def _of(folder):
    rows = (row(breakable(found["what"]), str(found["agrees"]),
                cell(str(found["differs"]), "bad" if found["differs"] else None))
            for found in folder.run["sums"])
    yield tag("h3", f"{folder.name}: {folder.model}")
    yield table(("Sum", "Agrees, times", "Differs, times"), rows, f"Sums, {folder.name}", "numbers")
    if folder.run.get("sums_left_out"):
        yield tag("p", "The run has more sums than were checked.", cls="note")
    for found in folder.run["sums"]:
        if lines := list(_differences(found)):
            yield tag("p", breakable(found["what"]), cls="small")
            yield table(("Kernel", "CPU", "Sum", "Total", "Tolerance", "Verdict"), lines,
                        "Where it differs", "numbers")
            if found["differs"] > len(lines):
                yield tag("p", f"and {found['differs'] - len(lines)} more", cls="note")


def section(folders):
    having = [folder for folder in folders if folder.run.get("sums")]
    if not having:
        return ""
    return join((tag("p", INTRODUCTION, cls="small"),
                 *(part for folder in having for part in _of(folder))))
