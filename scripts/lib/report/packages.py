# SPDX-License-Identifier: BSD-2-Clause
"""The section with uncore counts, and the table of the uncore counters of each package."""
import itertools

from plural import counted
from report import sweeps
from report.folder import brief, number
from report.html import breakable, cell, details, join, row, table, tag
from report.machine import verdict_class
from report.tables import kernel_words

LINES_SHOWN = 40   # further lines are folded
LINES_MAX = 4000
HEADS = ("Kernel", "Event", "CPU", "Package", "Mean", "Unit", "Rate", "Counter", "Verdict",
         "Reason")
RIGHT = ("", "ok", "right")
INTRODUCTION = ("Each number is the mean of the accepted samples; a sample is the total of all "
                "units of a package. One CPU of the package reads the counters before and after "
                "the kernel, so the numbers include the work of other CPUs, devices and firmware "
                "in that time. Rates are computed with the time stamp. GB/s is 10⁹ bytes a second.")


def _package_words(folder, cpu):
    package = folder.package_of(cpu)
    return "" if package is None else str(package)


def _lines(folder):
    for instance, by_cpu in folder.package_cells.items():
        for cpu, cells in by_cpu.items():
            for column, found in cells.items():
                rate = f"{brief(number(found['rate']))} {found['rate_unit']}" if found["rate"] \
                    else ""
                yield row(kernel_words(instance), breakable(column.event), str(cpu.number),
                          _package_words(folder, cpu.number), brief(number(found["mean"])),
                          found["unit"], rate, found["counter"],
                          cell(found["verdict"], f"words {verdict_class(found['verdict'])}"),
                          cell(found["reason"], "words"))


def _table(folder):
    title = f"Uncore, {folder.name}"
    lines = _lines(folder)
    parts = [tag("h3", f"{folder.name}: {folder.model}"),
             table(HEADS, itertools.islice(lines, LINES_SHOWN), title, "numbers")]
    if rest := list(itertools.islice(lines, LINES_MAX - LINES_SHOWN)):
        parts.append(details(counted(len(rest), "more line"), table(HEADS, rest, title, "numbers")))
    if left := sum(1 for _ in lines):
        parts.append(tag("p", f"{counted(left, 'further line')}: see results.csv.", cls="note"))
    return join(parts)


def drawn(folders):
    having = [folder for folder in folders if folder.package_cells]
    if not having:
        return ""
    return join((tag("p", INTRODUCTION, cls="small"), *map(_table, having),
                 sweeps.drawn(sweeps.PACKAGES, having)))


def _said(of, *keys):
    """The faults in the fields `keys` of an entry in run.json; "ok" if there are none."""
    words = (of.get(key, "") for key in keys)
    return "; ".join(word for word in words if word not in RIGHT) or "ok"


def _status_cell(said):
    return cell(said, "words" if said == "ok" else "words note")


def counters_table(folder):
    rows = []
    for package in folder.run.get("packages", ()):
        what = (str(package.get("package", "")), str(package.get("cpu", "")),
                package.get("model", "") or "not known")
        running = package.get("left_running", 0)
        said = _said({**package, "left": f"{counted(running, 'counter')} had been left running"
                      if running else ""}, "status", "error", "left")
        if said != "ok" or not package.get("groups"):
            rows.append(row(*what, "", "", "", "", _status_cell(said)))
        for group in package.get("groups", ()):
            rows.append(row(*what, group.get("kind", ""), str(group.get("units", "")),
                            str(group.get("counters", "")), str(group.get("width_bits", "")),
                            _status_cell(_said(group, "status", "test"))))
    return table(("Package", "Counted by CPU", "Model", "Kind", "Units", "Counters of each",
                  "Bits", "Status"), rows, "Uncore counters", "pairs") if rows else ""
