# SPDX-License-Identifier: BSD-2-Clause
"""Sentences for a plot's caption: the sources of its numbers, and what is left out."""
import collections
import dataclasses
import typing

from plural import counted
from report.folder import HOSTS_TIME, some_cpus
from report.points import Measured, TIME_STAMP, cold, failing

# Reasons why a kernel on a CPU is left out of a plot; DRAWN means that it is in the plot.
FAILED, COLD, WITHOUT, DRAWN = "failed", "cold", "without", ""
REASONS = {
    FAILED: "with a row that failed",
    COLD: "cold (did not cover the whole buffer or pattern)",
    WITHOUT: "without this number",
}


@dataclasses.dataclass(frozen=True)
class Source:
    """What a plot shows for a kernel on one CPU: a value, or else the reason why there is none."""

    folder: typing.Any
    cpu: int
    core_type: str
    measured: Measured | None
    why: str


def source_of(folder, cpu, cells, of, with_cold=False):
    """The Source of a kernel on a CPU; of(cells, vendor) computes its Measured, or None.

    A kernel with cold rows is left out unless with_cold is set.
    """
    core_type = next((row["core_type"] for row in cells.values()), "")
    why = FAILED if failing(cells) else COLD if cold(cells) and not with_cold else DRAWN
    measured = None if why else of(cells, folder.vendor)
    return Source(folder, cpu.number, core_type, measured,
                  why or (WITHOUT if measured is None else DRAWN))


def left_out(sources):
    """A sentence with the number of sources left out for each reason; "" if there are none."""
    counts = collections.Counter(source.why for source in sources if source.why)
    if not counts:
        return ""
    told = ", ".join(f"{counts[why]} {words}" for why, words in REASONS.items() if counts[why])
    return f" Of {counted(len(sources), 'measurement')} (a kernel on a CPU), these are left out: " \
           f"{told}."


def _cpus(drawn):
    """The CPUs of each folder and core type, as text."""
    folders = {source.folder.name: None for source in drawn}
    groups = {}
    for source in drawn:
        groups.setdefault((source.folder.name, source.core_type), set()).add(source.cpu)
    return "; ".join(
        " ".join(word for word in (f"{name}:" if len(folders) > 1 else "",
                                   some_cpus(cpus), core_type) if word)
        for (name, core_type), cpus in groups.items())


def _statistic(drawn):
    """The text that says how the numbers were computed from samples."""
    by = collections.Counter(source.measured.by for source in drawn)
    words = {"copy": "the median of (sample at 2n - median at n) / n (per_copy)",
             "n": "median / n, which includes the code around the copies",
             "mean": "the mean of the samples"}
    if by["copy"] and by["n"]:
        return f"{words['copy']}; for numbers without per_copy ({by['n']}): {words['n']}"
    return words[next(iter(by))] + (" (the rows lack per_copy)" if by["n"] else "")


def _clocks(sources):
    """Where emulated times come from: a set of True (from the host's clock), False, or both.

    True stands for times from the host's time stamp or, for a rate (a mean), from the window's
    length. False stands for times that are computed from emulated cycles.
    """
    return {source.measured.row["encoding"] == TIME_STAMP or source.measured.by == "mean"
            for source in sources if source.measured and source.folder.emulated}


def _emulated(sources):
    """A sentence about how emulated times were obtained; "" if no time is emulated."""
    clocks = _clocks(sources)
    words = " and ".join((["the host's, from its time stamp"] if True in clocks else []) +
                         (["computed from emulated cycles"] if False in clocks else []))
    return f" Emulated times are {words}." if words else ""


def bandwidth_words(sources):
    """The note that emulated rates in GB/s use the host's time; "" if no rate is emulated."""
    return " These rates use the host's time, and are not a machine's bandwidth." \
        if True in _clocks(sources) else ""


def mark(sources, of_time):
    """The note below a plot if all its times are from the host's clock, else ""."""
    is_hosts = of_time and _clocks(sources) == {True} and \
        all(source.folder.emulated for source in sources)
    return HOSTS_TIME if is_hosts else ""


def words(sources, of_time):
    """Sentences that name a plot's events, statistic, samples and CPUs, and what is left out."""
    drawn = [source for source in sources if source.measured]
    events = dict.fromkeys(source.measured.row["event"] for source in drawn)
    runs = [int(source.measured.row["runs"] or 0) for source in drawn]
    least, most = min(runs), max(runs)
    many = f"{least} to {most} samples" if least < most else counted(most, "sample")
    return (f" From {', '.join(events)}: {_statistic(drawn)}. {many} each, on {_cpus(drawn)}."
            f"{_emulated(sources) if of_time else ''}{left_out(sources)}")
