# SPDX-License-Identifier: BSD-2-Clause
"""The section about trust maps: which counters count which events correctly."""
import re

from plural import counted
import results
from report.folder import some_cpus
from report.html import breakable, cell, details, items, join, row, table, tag
from trust import kinds, maps

INTRODUCTION = ("How each counter counts each event, found with kernels whose counts are known. "
                "\u2713 is right, \u2717 is wrong, and ? is not known. A cell is empty if the "
                "counter did not count the event. CPUs with equal maps share a table. "
                "'Counter-dependent' means that other counters count the event differently.")
MAPS_MAX = 32  # per folder
NO_BREAK = "\u00a0"  # a space at which no line ends
SIGNS = {"good": "\u2713", "bad": "\u2717", "note": "?"}


def _kind_cell(pair):
    if not pair:
        return cell("")
    shade = "good" if pair.kind in kinds.RIGHT else "bad" if kinds.is_wrong(pair.kind) else "note"
    kind = re.sub(r" (?=[-+\d])", NO_BREAK, pair.kind)
    return cell(f"{SIGNS[shade]}{NO_BREAK}{kind}", shade)


def _map(folder, one):
    title = f"{folder.name}, {some_cpus(one.cpus)}: {one.machine}"
    counters, lines = maps.grid(one.pairs)
    yield tag("h3", title)
    if lines:
        yield table(("Event", *counters),
                    (row(breakable(event), *map(_kind_cell, its)) for event, its in lines),
                    f"Trust map, {title}", "pairs")
    if told := [breakable(line) for line in maps.explanations(one)]:
        yield details("What is wrong or not judged, and why", items(told))


def section(folders):
    parts, named = [], []
    for folder in folders:
        if not (folder.folder / "trust.csv").exists():
            continue
        try:
            found = maps.of_file(folder)
        except results.Unreadable as why:
            parts += [tag("h3", f"{folder.name}: {folder.model}"),
                      tag("p", f"trust.csv cannot be read: {why}", cls="problem")]
            continue
        named.append((folder.name, found[:MAPS_MAX]))
        parts += [part for one in found[:MAPS_MAX] for part in _map(folder, one)]
        if (left := len(found) - MAPS_MAX) > 0:
            parts.append(tag("p", f"scripts/trust shows {counted(left, 'further map')}.",
                             cls="note"))
    if len(named) > 1:
        differ = [breakable(line) for line in maps.differences(named)]
        parts += [tag("h3", "Differences"), items(differ) if differ else tag("p", "none")]
    return join((tag("p", INTRODUCTION, cls="small"), *parts)) if parts else ""
