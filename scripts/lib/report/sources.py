# SPDX-License-Identifier: BSD-2-Clause
"""Sentences for a plot's caption: the sources of its numbers, and what is left out."""
import collections
import dataclasses
import typing

from plural import counted
from report.folder import HOSTS_TIME, some_cpus
from report.points import Measured, TIME_STAMP, cold, failing

FAILED, COLD, WITHOUT, DRAWN = "failed", "cold", "without", ""
REASONS = {
    FAILED: "with a row that failed",
    COLD: "cold (did not cover the whole buffer or pattern)",
    WITHOUT: "without this number",
}


@dataclasses.dataclass(frozen=True)
class Source:
    folder: typing.Any
    cpu: int
    core_type: str
    measured: Measured | None
    why: str


def source_of(folder, cpu, cells, of, with_cold=False):
    core_type = next((row["core_type"] for row in cells.values()), "")
    why = FAILED if failing(cells) else COLD if cold(cells) and not with_cold else DRAWN
    measured = None if why else of(cells, folder.vendor)
    return Source(folder, cpu.number, core_type, measured,
                  why or (WITHOUT if measured is None else DRAWN))


def left_out(sources):
    counts = collections.Counter(source.why for source in sources if source.why)
    if not counts:
        return ""
    told = ", ".join(f"{counts[why]} {words}" for why, words in REASONS.items() if counts[why])
    return f" Of {counted(len(sources), 'measurement')} (a kernel on a CPU), these are left out: " \
           f"{told}."


def _cpus(drawn):
    folders = {source.folder.name: None for source in drawn}
    groups = {}
    for source in drawn:
        groups.setdefault((source.folder.name, source.core_type), set()).add(source.cpu)
    return "; ".join(
        " ".join(word for word in (f"{name}:" if len(folders) > 1 else "",
                                   some_cpus(cpus), core_type) if word)
        for (name, core_type), cpus in groups.items())


def _statistic(drawn):
    by = collections.Counter(source.measured.by for source in drawn)
    words = {"copy": "the median of (sample at 2n - median at n) / n (per_copy)",
             "n": "median / n, which includes the code around the copies",
             "mean": "the mean of the samples"}
    if by["copy"] and by["n"]:
        return f"{words['copy']}; for numbers without per_copy ({by['n']}): {words['n']}"
    return words[next(iter(by))] + (" (the rows lack per_copy)" if by["n"] else "")


def _clocks(sources):
    """The clocks of emulated times: True stands for the host's clock, False for emulated cycles."""
    return {source.measured.row["encoding"] == TIME_STAMP or source.measured.by == "mean"
            for source in sources if source.measured and source.folder.emulated}


def _emulated(sources):
    clocks = _clocks(sources)
    words = " and ".join((["the host's, from its time stamp"] if True in clocks else []) +
                         (["computed from emulated cycles"] if False in clocks else []))
    return f" Emulated times are {words}." if words else ""


def bandwidth_words(sources):
    return " These rates use the host's time, and are not a machine's bandwidth." \
        if True in _clocks(sources) else ""


def mark(sources, of_time):
    is_hosts = of_time and _clocks(sources) == {True} and \
        all(source.folder.emulated for source in sources)
    return HOSTS_TIME if is_hosts else ""


def words(sources, of_time):
    """Sentences for the caption: events, statistic, samples, CPUs, and what is left out."""
    drawn = [source for source in sources if source.measured]
    events = dict.fromkeys(source.measured.row["event"] for source in drawn)
    runs = [int(source.measured.row["runs"] or 0) for source in drawn]
    least, most = min(runs), max(runs)
    many = f"{least} to {most} samples" if least < most else counted(most, "sample")
    return (f" From {', '.join(events)}: {_statistic(drawn)}. {many} each, on {_cpus(drawn)}."
            f"{_emulated(sources) if of_time else ''}{left_out(sources)}")
