# SPDX-License-Identifier: BSD-2-Clause
"""Compute the plotted numbers from rows: cycles, ns, bytes and mispredictions per n."""
import collections
import dataclasses
import re
import statistics

from report import svg
import results
from report.folder import brief, is_counted, number, params_of

# Encodings select the events, because a plan chooses the names of events.
TIME_STAMP = "rdtsc"
LINE_BYTES = 64


@dataclasses.dataclass(frozen=True)
class Encodings:
    core_cycles: tuple
    reference_cycles: tuple
    mispredicted: tuple


# r7f89 is BR_MISP_EXEC.ANY of Nehalem. AMD's encodings are from its PPRs.
INTEL = Encodings(("r0200", "r003c"), ("r0300",), ("r00c5", "r7f89"))
AMD = Encodings(("r0076",), ("r100000120",), ("r00c3",))
OF_VENDOR = {"AMD": AMD, "Hygon": AMD}  # all other vendors: INTEL

# A cache level -> (encoding of the loads that missed this level and all levels before it, encoding
# of the loads that hit this level). Without counts of misses, misses are computed from hits.
# According to Intel's event tables, these events have the code CBH on Nehalem and Westmere. Their
# code is D1H on Sandy Bridge, on Goldmont, and on the successors of both. On Goldmont and later,
# unit mask 20H of D1H counts hits of modified lines. On Nehalem to Sandy Bridge, event 08H with
# unit mask 02H counts completed page walks for pages of any size. The models of NO_LEVELS (Core 2,
# Bonnell, Silvermont, Knights Landing) get no plots of misses.
NEHALEM = (26, 30, 31, 37, 44, 46, 47)
SANDY_BRIDGE = (42, 45)
ATOMS = (92, 95, 122, 134, 138, 150, 156, 175, 182, 190, 221)  # Goldmont and later
NO_LEVELS = (15, 22, 23, 29, 28, 38, 39, 53, 54, 55, 74, 76, 77, 90, 93, 87, 133)
LEVELS = {"L1d": ("r08d1", "r01d1"), "L2": ("r10d1", "r02d1"), "L3": ("r20d1", "r04d1")}
LEVELS_ATOM = {**LEVELS, "L3": ("", "r04d1")}
LEVELS_NEHALEM = {"L1d": ("", "r01cb"), "L2": ("", "r02cb"), "L3": ("r10cb", "r04cb")}
LAST_LEVEL_MISSES = ("r412e",)  # the architectural event; misses of the L2 if there is no L3
WALKS, WALKS_BEFORE = ("r0e08", "r0e12", "r8208"), ("r0208",)

# A number and its row. `by` says how the number was computed: per "copy", per "n" or as a "mean".
Measured = collections.namedtuple("Measured", "value row by")


def param_words(instance, *without):
    return [f"{key}={svg.size_text(value) if value.isdigit() else value}"
            for key, value in params_of(instance.param).items() if key not in without]


def _row_of(cells, encodings, value):
    """The first counted row with one of the encodings and a number in the column `value`.

    The row must be for both rings or for the kernel's ring, which the time stamp's row names.
    """
    ring = next((row["ring"] for row in cells.values() if row["encoding"] == TIME_STAMP), None)
    return next((row for row in cells.values() if row["encoding"] in encodings and is_counted(row)
                 and row["ring"] in (ring, "both") and row[value] != ""), None)


def _of_one_n(row):
    """The value per n: per_copy times the number of copies.

    For rows without per_copy, it is median / n, which includes the code around the copies.
    """
    if row["per_copy"] and row["copies"]:
        return Measured(number(row["per_copy"]) * int(row["copies"]), row, "copy")
    return Measured(number(row["median"]) / int(row["n"]), row, "n")


def scaled(measured, by):
    return measured and measured._replace(value=measured.value * by)


def _counted(cells, encodings):
    row = _row_of(cells, encodings, "median")
    return _of_one_n(row) if row else None


def _encodings(vendor):
    return OF_VENDOR.get(vendor, INTEL)


def cycles_of(cells, vendor):
    return _counted(cells, _encodings(vendor).core_cycles)


def mispredicted_of(cells, vendor):
    return _counted(cells, _encodings(vendor).mispredicted)


def nanoseconds_of(cells, vendor):
    of = _encodings(vendor)
    clocks = of.core_cycles, of.reference_cycles, (TIME_STAMP,)  # the most accurate one first
    rows = (_row_of(cells, encodings, "ns") for encodings in clocks)
    row = next((row for row in rows if row), None)
    if row is None:
        return None
    median = number(row["median"])
    if median:
        return scaled(_of_one_n(row), number(row["ns"]) / median)
    return Measured(number(row["ns"]) / int(row["n"]), row, "n")


def _miss_events(cpu):
    """(table of cache levels, encodings of page walks) of an Intel CPU of family 6."""
    model = cpu.get("model")
    if model in NO_LEVELS:
        return {}, ()
    if model in NEHALEM:
        return LEVELS_NEHALEM, WALKS_BEFORE
    if model in ATOMS or cpu.get("core_type") == "atom":
        return LEVELS_ATOM, WALKS
    return LEVELS, WALKS_BEFORE if model in SANDY_BRIDGE else WALKS


def misses_of(cpu, cells, loads):
    """{text: Measured per load}: misses of each cache level, last-level misses and page walks.

    Only what the CPU counted is included. `cpu` is the CPU's entry in run.json. `loads` is the
    number of loads per n.
    """
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


NS_RULE = ("Nanoseconds are computed from core cycles, at the clock measured for the same kernel. "
           "If the kernel is too short to measure its clock, they are computed from reference "
           "cycles, or else from the time stamp")


def buffer_bytes(instance, kernel):
    size = params_of(instance.param).get("size")
    return int(size) if size else kernel.get("buffer_bytes") or None


def argument_of(instance, kernel, name):
    given = params_of(instance.param).get(name)
    return int(given) if given else kernel.get("argument") or None


def bytes_per_n(instance, kernel):
    """Bytes that kernels/bandwidth.asm reads, writes or copies per n; None if unknown."""
    repeated = re.fullmatch(r"(stos|movs)[bq]_block", instance.kernel)
    if not repeated:
        return LINE_BYTES
    block, size = argument_of(instance, kernel, "block"), buffer_bytes(instance, kernel)
    if not block or not size:
        return None
    share = size if repeated.group(1) == "stos" else size // 2  # movs copies half of `size`
    return min(block, share // LINE_BYTES * LINE_BYTES)


def core_types(by_cpu):
    """{core type: [Cpu, ...]}."""
    types = {}
    for cpu, cells in by_cpu.items():
        name = next((row["core_type"] for row in cells.values()), "")
        types.setdefault(name, []).append(cpu)
    return types


def cold(cells):
    """Whether n was too small for the kernel to go through its whole buffer or pattern."""
    return any(row["cold"] == "yes" for row in cells.values())


def failing(cells):
    return any(map(results.fails, cells.values()))


def over_cpus(values):
    known = [value for value in values if value is not None]
    return (statistics.median(known), min(known), max(known)) if known else None


def point_words(point):
    if point is None:
        return ""
    middle, low, high = point
    return brief(middle) if low == high else f"{brief(middle)} ({brief(low)} to {brief(high)})"
