# SPDX-License-Identifier: BSD-2-Clause
"""Plots of the samples of unsteady or chosen kernels, in time order and as a histogram."""
import collections
import fnmatch
import statistics

from report import svg
import results
from report.folder import HOSTS_TIME, brief, param_text
from report.html import join, row, table, tag

FIGURES_MAX = 12  # per folder
TIMES = {("cycles",): ("core cycles", "were"), ("tsc ticks",): ("time stamp", "was"),
         ("cycles", "tsc ticks"): ("core cycles, or else the time stamp,", "were")}
Wanted = collections.namedtuple("Wanted", "instance cpu row")


def _time_row(cells):
    rows = [row for row in cells.values() if row["runs"] not in ("", "0") and row["median"]]
    return next((row for unit in ("cycles", "tsc ticks") for row in rows if row["unit"] == unit),
                None)


def _unrest(found):
    modes, median = int(found["modes"] or 1), abs(float(found["median"])) or 1
    return modes, float(found["mad"] or 0) / median, found["kernel"], found["param"]


def _is_unsteady(found):
    return found["stable"] == "no" or found["modes"] > "1" or found["verdict"] == "noisy"


def choose(folder, pattern=None):
    """(the rows to draw as a list of Wanted, the number of further rows that match)."""
    wanted = []
    for instance, by_cpu in folder.cells.items():
        found = [Wanted(instance, cpu, time) for cpu, cells in by_cpu.items()
                 if (time := _time_row(cells)) is not None]
        if pattern:
            wanted.extend(found if fnmatch.fnmatch(instance.kernel, pattern) else ())
            continue
        unsteady = [one for one in found if _is_unsteady(one.row)]
        if unsteady:
            wanted.append(max(unsteady, key=lambda one: _unrest(one.row)))
    if not pattern:
        wanted.sort(key=lambda one: _unrest(one.row), reverse=True)
    return wanted[:FIGURES_MAX], max(0, len(wanted) - FIGURES_MAX)


def _key(found):
    return tuple(found[name] for name in ("cpu", "kernel", "param", "n", "event", "pass",
                                          "partner"))


def read(folder, wanted):
    """{key of a wanted row: [(attempt, raw, accepted, evidence), ...]} from samples.csv."""
    keys = {_key(one.row): [] for one in wanted}
    kernels = {one.instance.kernel for one in wanted}
    try:
        for line in folder.each_sample():
            points = keys.get(_key(line)) if line["kernel"] in kernels else None
            if points is not None:
                points.append((int(line["attempt"]), int(line["raw"]), line["accepted"] == "1",
                               line["evidence"]))
    except results.CutOff:
        pass  # the samples before the cut are complete
    return keys


def _figure(folder, one, points, anchor):
    accepted = [(attempt, raw) for attempt, raw, good, _ in points if good]
    rejected = [(attempt, raw) for attempt, raw, good, _ in points if not good]
    because = collections.Counter(why or "no evidence" for _, _, good, why in points if not good)
    found = one.row
    rows = [row(words, str(len(of)), *(brief(what([raw for _, raw in of])) if of else ""
                                       for what in (min, statistics.median, max)),
                ", ".join(f"{why}: {count}" for why, count in because.items())
                if of is rejected else "")
            for words, of in (("accepted", accepted), ("rejected", rejected))]
    partner = f" with {one.cpu.partner}" if one.cpu.partner is not None else ""
    words = " ".join(part for part in (one.instance.kernel, param_text(one.instance.param)) if part)
    return svg.framed(
        svg.samples(accepted, rejected, found["unit"]), anchor,
        f"{folder.name}: {words}, CPU {one.cpu.number}{partner}",
        f"{found['event']} of every attempt at n={one.instance.n}; the count of the empty window "
        f"is not subtracted. Modes: {found['modes'] or 'unknown'}; stable: "
        f"{found['stable'] or 'unknown'}.",
        table(("Samples", "How many", "Least", "Median", "Most", "Rejected for"), rows,
              f"Samples of {words}", "numbers"), [folder],
        HOSTS_TIME if folder.emulated and found["unit"] == "tsc ticks" else "")


def _steady_words(folder):
    times = [[_time_row(cells) for cells in by_cpu.values()] for by_cpu in folder.cells.values()]
    looked = [time for of_kernel in times for time in of_kernel if time is not None]
    # Versions of the program that do not write `mad` do not write `stable` either.
    if looked and not any(time["mad"] for time in looked):
        return "The version of the program that measured this does not say whether times were " \
               "steady."
    judged = [of_kernel for of_kernel in times
              if all(time is not None and time["stable"] for time in of_kernel)]
    if not judged:
        return "No kernel has the five clean samples on each CPU that are needed to tell whether " \
               "its time was steady."
    time, was = TIMES[tuple(sorted({one["unit"] for of_kernel in judged for one in of_kernel}))]
    words = f"The {time} of every kernel {was} steady: there is nothing to look into."
    if len(judged) < len(times):
        words = f"The {time} of {len(judged)} of {len(times)} kernels {was} steady; the others " \
                "have fewer than five clean samples on a CPU, too few to tell."
    stamps = [one for by_cpu in folder.cells.values() for cells in by_cpu.values()
              for one in cells.values() if one["unit"] == "tsc ticks"]
    unsteady = sum(map(_is_unsteady, stamps))
    return words if not unsteady else \
        f"{words} The time stamp was unsteady in {unsteady} of {len(stamps)} rows."


def drawn(folder, anchor, pattern=None):
    wanted, more = choose(folder, pattern)
    title = tag("h3", f"{folder.name}: {folder.model}")
    if not wanted:
        why = f"No kernel with a time matches {pattern}." if pattern else _steady_words(folder)
        return title + tag("p", why)
    if not (folder.folder / "samples.csv").exists():
        return title + tag("p", f"{folder.name} contains no samples.csv.", cls="note")
    try:
        keys = read(folder, wanted)
    except (ValueError, results.Unreadable) as why:
        return title + tag("p", f"samples.csv cannot be read: {why}", cls="problem")
    figures = [_figure(folder, one, keys[_key(one.row)], f"{anchor}-{number}")
               for number, one in enumerate(wanted, 1) if keys[_key(one.row)]]
    rule = f"Kernels that match {pattern}, on each CPU." if pattern else \
        "Kernels whose time had several modes, was not stable, or has the verdict 'noisy'; for " \
        "each of them, the least steady CPU is drawn. Kernels with more modes come " \
        "first. Kernels with the same number of modes are in descending order of mad / median."
    left = f" Not drawn: {more} more; --samples NAME draws them." if more else ""
    return join((title, tag("p", rule + left, cls="small"),
                 tag("div", join(figures), cls="figures") if figures else
                 tag("p", "samples.csv contains no samples of these kernels.", cls="note")))
