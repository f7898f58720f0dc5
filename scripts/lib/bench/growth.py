# SPDX-License-Identifier: BSD-2-Clause
"""Measure whether a run's cost grows linearly with the number of CPUs, kernels, events and repeats.

The cost is the number of instructions that the measuring CPUs retire between accesses to MSRs.
Intervals that begin or end with an access to a register in FIRMWARE are left out, because firmware
may have executed their instructions.
"""
import collections
import dataclasses

from machine import program
from plural import counted

FIRMWARE = {0x1B, 0xFE}  # IA32_APIC_BASE, IA32_MTRRCAP
GLOBAL_CTRL = 0x38F
OFF_LINE_MAX = 5   # largest deviation of a point, in per cent
GENERAL = 4        # general counters of the model machine; a pass counts this many events


@dataclasses.dataclass(frozen=True)
class Size:
    """The defaults are the middle values in DIMENSIONS."""

    cpus: int = 2
    kernels: int = 8
    events: int = 8
    runs: int = 40

    def __str__(self):
        return ", ".join(counted(value, one(name))
                         for name, value in dataclasses.asdict(self).items())

    def plan(self):
        """The kernels differ only in n, and the events only in cmask."""
        events = "".join(f"E{i} = BR_INST_RETIRED.ALL_BRANCHES:cmask={i}\n"
                         for i in range(1, self.events + 1))
        values = ",".join(str(100 + i) for i in range(self.kernels))
        return ("version=1\n[run]\ncpus=all\nnoise_ms=0\nwarmup=1\nat_end=shutdown\n"
                f"runs={self.runs}\n[kernels]\nload n={values}\n[events growth]\n{events}")


DIMENSIONS = {
    "cpus": (1, 2, 4),
    "kernels": (4, 8, 16),
    "events": (GENERAL, 2 * GENERAL, 4 * GENERAL),
    "runs": (20, 40, 80),
}


def one(name):
    return name.removesuffix("s")


def sizes():
    return sorted({size for name in DIMENSIONS for size in sizes_of(name)}, key=dataclasses.astuple)


def sizes_of(name):
    return [dataclasses.replace(Size(), **{name: value}) for value in DIMENSIONS[name]]


def spent(trace):
    """Return the number of instructions of all CPUs.

    Each CPU's instructions are counted from its first access to GLOBAL_CTRL.
    """
    before, total = {}, collections.Counter()
    for access in program.accesses(trace):
        last = before.get(access.cpu)
        if last is None and access.msr != GLOBAL_CTRL:
            continue
        if last is not None and not {access.msr, last.msr} & FIRMWARE:
            total[access.cpu] += access.retired - last.retired
        before[access.cpu] = access
    return sum(total.values())


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


def lines(counts):
    return {name: line_through({getattr(size, name): counts[size] for size in sizes_of(name)})
            for name in DIMENSIONS}
