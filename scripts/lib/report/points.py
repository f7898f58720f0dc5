# SPDX-License-Identifier: BSD-2-Clause
"""From rows to the numbers that are plotted: cycles, ns, bytes and mispredictions per n."""
import re
import statistics

from report import svg
import results
from report.folder import brief, is_counted, number, params_of

# By encoding, which has thresholds and edges in it: cycles over a threshold have the unit of cycles
# too, and names may say what they like.
CORE_CYCLES = ("r0200", "r003c")
CLOCKS = (CORE_CYCLES, ("r0300",), ("rdtsc",))  # the best to tell the time by comes first
MISPREDICTED = ("r00c5", "r7f89")  # the architectural event; Nehalem's BR_MISP_EXEC.ANY
LINE_BYTES = 64


def param_words(instance, *without):
    """The parameters but for these, sizes in K and M."""
    return [f"{key}={svg.size_text(value) if value.isdigit() else value}"
            for key, value in params_of(instance.param).items() if key not in without]


def _row_of(cells, encodings, value):
    """The first counted row of the encodings that has the value and saw the kernel's own ring.

    That is the time stamp's ring; the counter of another one counted nothing of the kernel.
    """
    ring = next((row["ring"] for row in cells.values() if row["encoding"] == "rdtsc"), None)
    return next((row for row in cells.values() if row["encoding"] in encodings and is_counted(row)
                 and row["ring"] in (ring, "both") and row[value] != ""), None)


def _median(cells, encodings):
    row = _row_of(cells, encodings, "median")
    return number(row["median"]) if row else None


def cycles_of(cells):
    return _median(cells, CORE_CYCLES)


def cycles_of_copy(cells, n, copies):
    """Of one copy; an older folder has what stands around the copies in it too."""
    row = _row_of(cells, CORE_CYCLES, "per_copy")
    if row:
        return number(row["per_copy"])
    cycles = cycles_of(cells)
    return None if cycles is None else cycles / n / copies


def mispredicted_of(cells):
    return _median(cells, MISPREDICTED)


def nanoseconds_of(cells):
    """Of core cycles at the kernel's own clock; or reference cycles; or else the time stamp."""
    rows = (_row_of(cells, encodings, "ns") for encodings in CLOCKS)
    return next((number(row["ns"]) for row in rows if row), None)


NS_RULE = ("Nanoseconds are of the row of core cycles, at the clock of this very kernel; where "
           "that is too short to tell the clock, of reference cycles; else of the time stamp")


def buffer_bytes(instance, kernel):
    """What the plan gave, or else what run.json says the kernel had."""
    size = params_of(instance.param).get("size")
    return int(size) if size else kernel.get("buffer_bytes") or None


def argument_of(instance, kernel, name):
    """The kernel's own parameter."""
    given = params_of(instance.param).get(name)
    return int(given) if given else kernel.get("argument") or None


def bytes_per_n(instance, kernel):
    """How many bytes one of n reads, writes or copies: kernels/bandwidth.asm."""
    repeated = re.fullmatch(r"(stos|movs)[bq]_block", instance.kernel)
    if not repeated:
        return LINE_BYTES
    block, size = argument_of(instance, kernel, "block"), buffer_bytes(instance, kernel)
    if not block or not size:
        return None
    share = size if repeated.group(1) == "stos" else size // 2  # source and destination
    return min(block, share // LINE_BYTES * LINE_BYTES)


def core_types(by_cpu):
    """CPUs by the type of their core: what one line of a plot is of."""
    types = {}
    for cpu, cells in by_cpu.items():
        name = next((row["core_type"] for row in cells.values()), "")
        types.setdefault(name, []).append(cpu)
    return types


def cold(cells):
    """The kernel went through a part of its buffer alone, so that its caches hold all of that."""
    return any(row["cold"] == "yes" for row in cells.values())


def failing(cells):
    return any(row["verdict"] in results.FAILING for row in cells.values())


def over_cpus(values):
    """(median, lowest, highest) of the CPUs of a type; None when none has a value."""
    known = [value for value in values if value is not None]
    return (statistics.median(known), min(known), max(known)) if known else None


def point_words(point):
    """Of over_cpus(), for a table."""
    if point is None:
        return ""
    middle, low, high = point
    return brief(middle) if low == high else f"{brief(middle)} ({brief(low)} to {brief(high)})"
