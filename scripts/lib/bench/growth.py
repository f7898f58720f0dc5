# SPDX-License-Identifier: BSD-2-Clause
"""How a run grows with its CPUs, kernels, events and runs, and how far from a line that is.

What grows is counted in instructions that the CPUs which measure execute between two accesses to
MSRs, without what firmware does: their time would be that of the host. It reads the local APIC's
base (1BH) all the time and the program only when it takes a CPU over and gives it back, so what
stands beside such an access is left out. No CPU watches for gaps in time, which takes its time.
"""
import collections
import dataclasses

from machine import program

FIRMWARE = {0x1B, 0xFE}  # IA32_APIC_BASE, IA32_MTRRCAP
GLOBAL_CTRL = 0x38F
OFF_LINE_MAX = 5  # per cent that a point may deviate from its line
GENERAL = 4  # general counters of the model machine, so that many events make a pass


@dataclasses.dataclass(frozen=True)
class Size:
    """A run's size. The middle value of each dimension is the same in all sizes."""

    cpus: int = 2
    kernels: int = 8
    events: int = 8
    runs: int = 40

    def __str__(self):
        return ", ".join(f"{value} {name}" for name, value in dataclasses.asdict(self).items())

    def plan(self):
        """Events that differ only in their n or threshold; each needs a general counter."""
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


def sizes():
    """Each needed run, once."""
    return sorted({dataclasses.replace(Size(), **{name: value})
                   for name, values in DIMENSIONS.items() for value in values},
                  key=dataclasses.astuple)


def spent(trace):
    """Instructions of all CPUs from their first window on."""
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
    """Least-squares line through the points, and the largest deviation from it."""

    slope: float
    constant: float
    off_percent: float


def line_through(points):
    """For {x: y} with three points or more."""
    mean_x = sum(points) / len(points)
    mean_y = sum(points.values()) / len(points)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points.items()) / \
        sum((x - mean_x) ** 2 for x in points)
    constant = mean_y - slope * mean_x
    off = max(abs(y - (constant + slope * x)) / y for x, y in points.items())
    return Line(slope, constant, 100 * off)


def lines(counts):
    """{dimension: Line} from {Size: instructions}."""
    found = {}
    for name, values in DIMENSIONS.items():
        points = {value: counts[dataclasses.replace(Size(), **{name: value})] for value in values}
        found[name] = line_through(points)
    return found
