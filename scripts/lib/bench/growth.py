# SPDX-License-Identifier: BSD-2-Clause
"""Measure whether a run's cost grows linearly with the number of CPUs, kernels, events and repeats,
and that of a trust map with the number of events, counters and kernels.

The cost is the number of instructions that the measuring CPUs retire between accesses to MSRs.
Intervals that begin or end with an access to a register in FIRMWARE are left out, because firmware
may have executed their instructions.
"""
import collections
import dataclasses
import typing

from machine import program
from plural import counted

FIRMWARE = {0x1B, 0xFE}  # IA32_APIC_BASE, IA32_MTRRCAP
GLOBAL_CTRL = 0x38F
OFF_LINE_MAX = 5   # largest deviation of a point, in per cent
GENERAL = 4        # general counters of the model machine; a pass counts this many events


class Sized:
    """Base class of Size and MapSize. The default of each field is the middle one of its values in
    DIMENSIONS."""

    def __str__(self):
        return ", ".join(counted(value, one(name))
                         for name, value in dataclasses.asdict(self).items())

    @classmethod
    def all(cls):
        return sorted({size for name in cls.DIMENSIONS for size in cls.along(name)},
                      key=dataclasses.astuple)

    @classmethod
    def along(cls, name):
        return [dataclasses.replace(cls(), **{name: value}) for value in cls.DIMENSIONS[name]]

    @classmethod
    def lines(cls, counts):
        return {name: line_through({getattr(size, name): counts[size] for size in cls.along(name)})
                for name in cls.DIMENSIONS}


@dataclasses.dataclass(frozen=True)
class Size(Sized):
    cpus: int = 2
    kernels: int = 8
    events: int = 8
    runs: int = 40
    props: typing.ClassVar = ""
    DIMENSIONS: typing.ClassVar = {
        "cpus": (1, 2, 4),
        "kernels": (4, 8, 16),
        "events": (GENERAL, 2 * GENERAL, 4 * GENERAL),
        "runs": (20, 40, 80),
    }

    def plan(self):
        """The kernels differ only in n, and the events only in cmask."""
        events = "".join(f"E{i} = BR_INST_RETIRED.ALL_BRANCHES:cmask={i}\n"
                         for i in range(1, self.events + 1))
        values = ",".join(str(100 + i) for i in range(self.kernels))
        return ("version=1\n[run]\ncpus=all\nnoise_ms=0\nwarmup=1\nat_end=shutdown\n"
                f"runs={self.runs}\n[kernels]\nload n={values}\n[events growth]\n{events}")


MAP_RUNS = 10


@dataclasses.dataclass(frozen=True)
class MapSize(Sized):
    """A trust map under all conditions. Each event is counted alone on each counter, and twice on
    all counters at the same time."""

    events: int = 4
    counters: int = 4
    kernels: int = 4
    cpus: typing.ClassVar = 1
    DIMENSIONS: typing.ClassVar = {"events": (2, 4, 8), "counters": (2, 4, 8), "kernels": (2, 4, 8)}

    @property
    def props(self):
        return f"pmu-gp={self.counters}"

    @property
    def passes(self):
        return self.events * self.counters + 2 * self.events

    def plan(self):
        events = "".join(f"E{i} = BR_INST_RETIRED.ALL_BRANCHES:cmask={i}\n"
                         for i in range(1, self.events + 1))
        values = ",".join(str(100 + i) for i in range(self.kernels))
        return ("version=1\n[run]\ncpus=boot\nnoise_ms=0\nwarmup=1\nat_end=shutdown\n"
                f"counters=each\nconditions=alone,high\nruns={MAP_RUNS}\n"
                f"[kernels]\nload n={values}\n[events growth]\n{events}")


def one(name):
    return name.removesuffix("s")


def spent(trace):
    """Return the number of instructions of all CPUs, and the number of their accesses to MSRs.

    A CPU's instructions are counted from its first access to GLOBAL_CTRL.
    """
    before, total, accesses = {}, collections.Counter(), 0
    for access in program.accesses(trace):
        last = before.get(access.cpu)
        if last is None and access.msr != GLOBAL_CTRL:
            continue
        if last is not None and not {access.msr, last.msr} & FIRMWARE:
            total[access.cpu] += access.retired - last.retired
        before[access.cpu] = access
        accesses += 1
    return sum(total.values()), accesses


@dataclasses.dataclass
class Line:
    slope: float
    constant: float
    off_percent: float


def line_through(points):
    mean_x = sum(points) / len(points)
    mean_y = sum(points.values()) / len(points)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points.items()) / \
        sum((x - mean_x) ** 2 for x in points)
    constant = mean_y - slope * mean_x
    off = max(abs(y - (constant + slope * x)) / y for x, y in points.items())
    return Line(slope, constant, 100 * off)
