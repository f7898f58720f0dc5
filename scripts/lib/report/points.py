# SPDX-License-Identifier: BSD-2-Clause
"""Compute the plotted numbers from rows: cycles, ns, bytes and mispredictions per n."""
import collections
import re
import statistics

from report import svg
import results
from report.folder import brief, is_counted, number, params_of

# Selected by encoding: it includes thresholds and edges, which the unit does not show, and names
# are the plan's choice.
CORE_CYCLES = ("r0200", "r003c")
TIME_STAMP = "rdtsc"
CLOCKS = (CORE_CYCLES, ("r0300",), (TIME_STAMP,))  # the most accurate clock first
MISPREDICTED = ("r00c5", "r7f89")  # the architectural event; BR_MISP_EXEC.ANY on Nehalem
LINE_BYTES = 64

# A cache level -> encodings of the loads that missed it (and the levels before it), and of the
# loads that hit it, from which misses are computed if they were not counted. Intel's event tables:
# D1H from Sandy Bridge on, and from Goldmont on (where 20D1H is HITM); CBH on Nehalem and Westmere.
# Until Sandy Bridge, 08H/02H are completed walks of any page. Core 2, Bonnell, Silvermont and
# Knights Landing have neither.
NEHALEM = (26, 30, 31, 37, 44, 46, 47)
SANDY_BRIDGE = (42, 45)
ATOMS = (92, 95, 122, 134, 138, 150, 156, 175, 182, 190, 221)  # Goldmont and later
NO_LEVELS = (15, 22, 23, 29, 28, 38, 39, 53, 54, 55, 74, 76, 77, 90, 93, 87, 133)
LEVELS = {"L1d": ("r08d1", "r01d1"), "L2": ("r10d1", "r02d1"), "L3": ("r20d1", "r04d1")}
LEVELS_ATOM = {**LEVELS, "L3": ("", "r04d1")}
LEVELS_NEHALEM = {"L1d": ("", "r01cb"), "L2": ("", "r02cb"), "L3": ("r10cb", "r04cb")}
LAST_LEVEL_MISSES = ("r412e",)  # the architectural event; misses of the L2 if there is no L3
WALKS, WALKS_BEFORE = ("r0e08", "r0e12", "r8208"), ("r0208",)

# A number and its row; `by` is the statistic used: "copy", "n" or "mean".
Measured = collections.namedtuple("Measured", "value row by")


def param_words(instance, *without):
    """The parameters except these, with sizes in K and M."""
    return [f"{key}={svg.size_text(value) if value.isdigit() else value}"
            for key, value in params_of(instance.param).items() if key not in without]


def _row_of(cells, encodings, value):
    """The first counted row with one of the encodings and a value, in the kernel's own ring.

    That is the ring of the time stamp; a counter of the other ring did not count the kernel.
    """
    ring = next((row["ring"] for row in cells.values() if row["encoding"] == TIME_STAMP), None)
    return next((row for row in cells.values() if row["encoding"] in encodings and is_counted(row)
                 and row["ring"] in (ring, "both") and row[value] != ""), None)


def _of_one_n(row):
    """The value per n: per copy times copies. Without per_copy (an older run, or a kernel whose n
    does not matter) it includes the code around the copies."""
    if row["per_copy"] and row["copies"]:
        return Measured(number(row["per_copy"]) * int(row["copies"]), row, "copy")
    return Measured(number(row["median"]) / int(row["n"]), row, "n")


def scaled(measured, by):
    """The value multiplied by a factor; None stays None."""
    return measured and measured._replace(value=measured.value * by)


def _counted(cells, encodings):
    row = _row_of(cells, encodings, "median")
    return _of_one_n(row) if row else None


def cycles_of(cells):
    """Core cycles per n."""
    return _counted(cells, CORE_CYCLES)


def mispredicted_of(cells):
    """Mispredictions per n."""
    return _counted(cells, MISPREDICTED)


def nanoseconds_of(cells):
    """Nanoseconds per n, from core cycles at the measured frequency, else reference cycles, else
    the time stamp. A row's ns are those of its median."""
    rows = (_row_of(cells, encodings, "ns") for encodings in CLOCKS)
    row = next((row for row in rows if row), None)
    if row is None:
        return None
    median = number(row["median"])
    if median:
        return scaled(_of_one_n(row), number(row["ns"]) / median)
    return Measured(number(row["ns"]) / int(row["n"]), row, "n")


def _miss_events(cpu):
    """(levels, walks) for a CPU in run.json that is an Intel one of family 6."""
    model = cpu.get("model")
    if model in NO_LEVELS:
        return {}, ()
    if model in NEHALEM:
        return LEVELS_NEHALEM, WALKS_BEFORE
    if model in ATOMS or cpu.get("core_type") == "atom":
        return LEVELS_ATOM, WALKS
    return LEVELS, WALKS_BEFORE if model in SANDY_BRIDGE else WALKS


def misses_of(cpu, cells, loads):
    """What -> Measured per load, with `loads` per n: the misses of each cache level and the page
    walks, if this CPU of run.json counted them."""
    if cpu.get("vendor") != "Intel" or cpu.get("family") != 6:
        return {}
    levels, walks = _miss_events(cpu)
    found, answered = {}, 0
    for level, (misses, hits) in levels.items():
        missed, hit = _counted(cells, (misses,)), _counted(cells, (hits,))
        answered = answered + hit.value if hit and answered is not None else None
        if missed:
            found[f"{level} misses"] = scaled(missed, 1 / loads)
        elif answered is not None:
            found[f"{level} misses"] = hit._replace(value=1 - answered / loads)
    last = _counted(cells, LAST_LEVEL_MISSES)
    if last and "L3 misses" not in found:
        found["last-level misses"] = scaled(last, 1 / loads)
    if walked := _counted(cells, walks):
        found["page walks"] = scaled(walked, 1 / loads)
    return found


NS_RULE = ("Nanoseconds are computed from core cycles, at the clock measured for the same kernel; "
           "where it is too short for that, from reference cycles, or else from the time stamp")


def buffer_bytes(instance, kernel):
    """The size of the buffer according to the plan, or else to run.json."""
    size = params_of(instance.param).get("size")
    return int(size) if size else kernel.get("buffer_bytes") or None


def argument_of(instance, kernel, name):
    """A parameter of the kernel."""
    given = params_of(instance.param).get(name)
    return int(given) if given else kernel.get("argument") or None


def bytes_per_n(instance, kernel):
    """Bytes read, written or copied per n: kernels/bandwidth.asm."""
    repeated = re.fullmatch(r"(stos|movs)[bq]_block", instance.kernel)
    if not repeated:
        return LINE_BYTES
    block, size = argument_of(instance, kernel, "block"), buffer_bytes(instance, kernel)
    if not block or not size:
        return None
    share = size if repeated.group(1) == "stos" else size // 2  # source and destination
    return min(block, share // LINE_BYTES * LINE_BYTES)


def core_types(by_cpu):
    """Group CPUs by the type of their core, for a plot's lines."""
    types = {}
    for cpu, cells in by_cpu.items():
        name = next((row["core_type"] for row in cells.values()), "")
        types.setdefault(name, []).append(cpu)
    return types


def cold(cells):
    """Whether a kernel touched only a part of its buffer, which its caches hold."""
    return any(row["cold"] == "yes" for row in cells.values())


def failing(cells):
    return any(map(results.fails, cells.values()))


def over_cpus(values):
    """(median, lowest, highest) over the CPUs of a type; None if none has a value."""
    known = [value for value in values if value is not None]
    return (statistics.median(known), min(known), max(known)) if known else None


def point_words(point):
    """A result of over_cpus() as text for a table."""
    if point is None:
        return ""
    middle, low, high = point
    return brief(middle) if low == high else f"{brief(middle)} ({brief(low)} to {brief(high)})"
