# SPDX-License-Identifier: BSD-2-Clause
"""Assemble the report from its sections, in their order."""
import collections

from report import cores
from report import linux as report_linux
from report import machine
from report import packages
from report import samples as report_samples
from report import sums
from report import sweeps
from report import tables
from report import trust
import results
from report.html import join, page, section, tag

VERDICTS = "verdicts"  # the only section without cycles or times


def name_folders(folders):
    """Give each folder a unique name: the end of its path, preceded by a number if necessary."""
    resolved = [folder.folder.resolve() for folder in folders]
    for depth in (1, 2, 3):
        names = ["/".join(path.parts[1:][-depth:]) for path in resolved]
        if len(set(names)) == len(names):
            break
    counts = collections.Counter(names)
    for place, (folder, name) in enumerate(zip(folders, names), 1):
        folder.name = name if counts[name] == 1 else f"{place}: {name}"
        folder.name += ", Linux" if folder.source == results.LINUX else ""


def _sections(folders, linux, with_serials, samples):
    """Yield (anchor, title, content) of each section; the content is "" if there is none."""
    every = [*folders, *([linux] if linux else [])]
    yield VERDICTS, "Verdicts", join((
        machine.verdict_table(every), tables.failed_section(every)))
    yield "machine", "Machine and state", join((
        machine.machine_table(every, with_serials),
        *(machine.machine_details(folder, packages.counters_table(folder))
          for folder in every)))
    yield "noise", "Noise certificate", join(
        machine.noise_section(folder, f"noise-{place}")
        for place, folder in enumerate(folders, 1))
    room = tables.Details()
    yield "results", "Results", join((
        tag("p", "Each number is for one copy of what the kernel's title names. It is computed "
                 "from the counts at 2n minus those at n. The small number below it is the median "
                 "of the samples; if n does not matter for a kernel, this median is the only "
                 "number. CPUs that agree share a line. CPUs agree if their core types, verdicts, "
                 "reasons and declared counts are equal, and if their other counts differ by at "
                 "most q3 - q1 plus the resolution. The resolution is 2 counts or 1 % of the "
                 "median, whichever is larger; for time stamps and reference cycles, it is at "
                 "least a period of the slowest bus clock. CPUs that differ only in the ticks of "
                 "the time stamp share a line too, and so do pairs of CPUs with the same verdicts "
                 "and reasons. If CPUs do not agree, their column is colored, and each group of "
                 "CPUs has its own line. If the numbers in a group differ, the cell shows their "
                 "range, `lowest to highest`.",
            cls="small"),
        *(tables.results_section(folder, room) for folder in folders)))
    yield "trust", "Trust map", trust.section(every)
    yield "sums", "Sums that must hold", sums.section(every)
    yield "latency", "Latency of memory", sweeps.drawn("latency", folders)
    yield "bandwidth", "Bandwidth", sweeps.drawn("bandwidth", folders)
    yield "packages", "Uncore", packages.drawn(every)
    yield "cores", "Between cores", cores.pairs_drawn(folders)
    yield "loaded", "Loaded latency", cores.loaded_drawn(folders)
    yield "branches", "Branches", join((
        sweeps.drawn("branches", folders), sweeps.targets_drawn(folders)))
    yield "instructions", "Instructions", cores.instructions_table(folders)
    yield "samples", "Samples", join(
        report_samples.drawn(folder, f"samples-{place}", samples)
        for place, folder in enumerate(folders, 1))
    yield "linux", "Against Linux", join(
        report_linux.section(folder, linux, f"linux-{place}")
        for place, folder in enumerate(folders, 1) if linux)


def make(folders, linux=None, unreadable=(), with_serials=False, samples=None):
    """`unreadable` lists an error text for each unreadable folder."""
    every = [*folders, *([linux] if linux else [])]
    name_folders(every)
    models = dict.fromkeys(folder.model for folder in folders)
    title = f"barecount report: {', '.join(models)}"
    made = [(anchor, words, content if anchor == VERDICTS else
             join((machine.emulated_note(every), content)))
            for anchor, words, content in _sections(folders, linux, with_serials, samples)
            if content]
    top = join((
        *(tag("p", f"Not in this report: {why}", cls="problem") for why in unreadable),
        tag("div", join(machine.card(folder) for folder in every), cls="cards")))
    return page(title, [(anchor, words) for anchor, words, _ in made],
                top + join(section(*found) for found in made))
