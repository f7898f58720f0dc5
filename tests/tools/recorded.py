# SPDX-License-Identifier: BSD-2-Clause
"""Recorded files of other tools (see data/README.md), and a reference to compare them with."""
import dataclasses
import pathlib
import re

from compare import rows as compare
from compare import source
import folders
from foreign import formats
from foreign import files

DATA = pathlib.Path(__file__).resolve().parent / "data"
PERF, LIKWID, PAPI = DATA / "perf-6.1", DATA / "likwid-5.2", DATA / "papi-7.0"
TOP = pathlib.Path(__file__).resolve().parents[2]
LOOP_SOURCE = TOP / "tests/machine/linux_loop.asm"
N = 100_000
(INSTRUCTIONS, BRANCHES), = [
    ((int(a), int(b)), (int(c), int(d))) for a, b, c, d in re.findall(
        r"^; linux_loop: instructions (\d+) \+ (\d+)n, branches (\d+) \+ (\d+)n$",
        LOOP_SOURCE.read_text("ascii"), re.M)]
COUNTS = {"instructions": INSTRUCTIONS, "branches": BRANCHES}
SUBJECT = formats.Subject("linux_loop")
EVENTS = tuple(event for event in folders.EVENTS if event.counts != "cycles")
ALL = sorted(path for folder in (PERF, LIKWID, PAPI, DATA / "nanobench")
             for path in folder.iterdir())


def reference(tmp_path, *kernels, brand="", change=None, change_run=None):
    """A bare-metal folder of these kernels, by default of linux_loop with n = N."""
    kernels = kernels or (folders.Kernel("linux_loop", COUNTS, N),)

    def of_brand(run):
        for cpu in run["cpus"]:
            cpu["brand"] = brand or cpu["brand"]
        if change_run:
            change_run(run)

    # The count of the TSC row is computed from cycles.
    kernels = [dataclasses.replace(kernel, counts={"cycles": (0, 1), **kernel.counts})
               for kernel in kernels]
    return source.folder(folders.make(tmp_path / "reference", 2, kernels, EVENTS,
                                              change=change, change_run=of_brand))


def compared(tmp_path, path, subject=SUBJECT, less="", options=compare.Options(), **how):
    """The result of the comparison, and {event: its rows whose verdict is not "missing"}."""
    result = compare.compare(reference(tmp_path, **how), files.load(path, subject,
                                                                            less=less), options)
    rows = {}
    for row in result.rows:
        if row.verdict != "missing":
            rows.setdefault(row.event, []).append(row)
    return result, rows


def verdicts(rows):
    return {event: {row.verdict for row in some} for event, some in rows.items()}
