# SPDX-License-Identifier: BSD-2-Clause
"""Two folders to compare, one of bare metal and one of Linux, and faults for the second folder.

A test can let Linux add `constant` + `rate` * seconds to a count.
"""
import collections

from compare import rows
from compare import source as compare_source
import folders

KERNELS = [folders.Kernel(
    f"k{i}", {"instructions": (3 + 50 * i, 2 + i), "branches": (i, 1 + i % 3),
              "cycles": (1000 * i, 1 + (i * 7) % 5 + 40 * i * i)}, n=1000 + 10 * i)
           for i in range(10)]
CONSTANT = 11  # counts


def set_count(row, count):
    row |= dict.fromkeys(("min", "median", "mean", "max", "q1", "q3"), str(count))


def seconds_of(row):
    """The seconds that a row took, computed like the time stamp in folders.row_of()."""
    kernel = next(kernel for kernel in KERNELS if kernel.name == row["kernel"])
    return (kernel.count("cycles") + 60) / folders.TSC_HZ


def nothing(_):
    """No fault."""


def is_instructions(row):
    return row["encoding"] == "r0100"


def one_percent(row):
    if is_instructions(row):
        set_count(row, round(int(row["median"]) * 1.01))


def constant(row):
    if is_instructions(row):
        set_count(row, int(row["median"]) + CONSTANT)


def lost(row):
    if is_instructions(row):
        set_count(row, int(row["median"]) - 4)


def one_kernel(row):
    if is_instructions(row) and row["kernel"] == "k5":
        set_count(row, int(row["median"]) + 3)


def wrong_encoding(row):
    if row["encoding"] == "r00c4":
        row["encoding"] = "r00c5"


def wrong_event(row):
    """Give rows of branches the counts of instructions, but not their encoding."""
    if row["encoding"] == "r00c4":
        kernel = next(kernel for kernel in KERNELS if kernel.name == row["kernel"])
        set_count(row, kernel.count("instructions"))


def wrong_ring(row):
    row["ring"] = "both"


def multiplexed(row):
    if is_instructions(row):
        row |= {"verdict": "noisy", "median": "", "runs": "0",
                "reason": "only 0 of 5 samples were clean, 15 rejected (multiplexed)"}


def make(folder, change=nothing, source="linux", change_run=None, **how):
    def of_source(run):
        run["source"] = source
        if change_run:
            change_run(run)

    def in_ring(row):
        if source == "linux":
            row["ring"] = "usr"
        change(row)

    return compare_source.folder(folders.make(
        folder, **{"cpus": 2, "kernels": KERNELS, **how}, change=in_ring, change_run=of_source))


def against(bare, tmp_path, change=nothing, **how):
    return rows.compare(bare, make(tmp_path / "linux", change, **how))


def by_event(result):
    """Event -> verdict -> rows."""
    found = collections.defaultdict(lambda: collections.defaultdict(list))
    for row in result.rows:
        found[row.event][row.verdict].append(row)
    return found


ROWS = 2 * len(KERNELS)  # of each event
INSTRUCTIONS, BRANCHES = "INST_RETIRED.ANY", "BR_INST_RETIRED.ALL_BRANCHES"
