# SPDX-License-Identifier: BSD-2-Clause
"""Measure whether a run's cost grows linearly with the number of CPUs, kernels, events and repeats.

The cost is the number of instructions that the measuring CPUs execute. They are counted piece by
piece, from one MSR access to the next. A piece is left out if either access is to a register in
FIRMWARE, because firmware may have executed its instructions, whose number depends on the host's
speed. This rule leaves out few of the program's own instructions, because the program reads
IA32_APIC_BASE only when it takes over a CPU or returns the CPU to the firmware. The noise
certificate is off, because its time does not depend on the size of the run.
"""
import collections
import dataclasses

from machine import program
from plural import counted

FIRMWARE = {0x1B, 0xFE}  # IA32_APIC_BASE, IA32_MTRRCAP
GLOBAL_CTRL = 0x38F
OFF_LINE_MAX = 5   # the largest deviation of a point from its line, in per cent
GENERAL = 4        # general counters of the model machine, hence the events of one pass


@dataclasses.dataclass(frozen=True)
class Size:
    """The size of a run; the defaults are the middle values in DIMENSIONS."""

    cpus: int = 2
    kernels: int = 8
    events: int = 8
    runs: int = 40

    def __str__(self):
        return ", ".join(counted(value, one(name))
                         for name, value in dataclasses.asdict(self).items())

    def plan(self):
        """A plan whose kernels differ only in n and whose events differ only in cmask.

        Every event occupies one counter.
        """
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
    """The singular of a dimension's name: cpu, kernel, event, run."""
    return name.removesuffix("s")


def sizes():
    """The sizes to measure, each of which differs from the default in at most one dimension."""
    return sorted({size for name in DIMENSIONS for size in sizes_of(name)}, key=dataclasses.astuple)


def sizes_of(name):
    """The sizes that differ from the default in at most the dimension `name`."""
    return [dataclasses.replace(Size(), **{name: value}) for value in DIMENSIONS[name]]


def spent(trace):
    """The number of instructions of all CPUs, each counted from its first access to GLOBAL_CTRL."""
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
    """The least-squares line through some points, and the largest deviation of a point from it."""

    slope: float
    constant: float
    off_percent: float


def line_through(points):
    """The Line through three or more points, given as {x: y}."""
    mean_x = sum(points) / len(points)
    mean_y = sum(points.values()) / len(points)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points.items()) / \
        sum((x - mean_x) ** 2 for x in points)
    constant = mean_y - slope * mean_x
    off = max(abs(y - (constant + slope * x)) / y for x, y in points.items())
    return Line(slope, constant, 100 * off)


def lines(counts):
    """{dimension: Line} from {Size: instructions}."""
    return {name: line_through({getattr(size, name): counts[size] for size in sizes_of(name)})
            for name in DIMENSIONS}
