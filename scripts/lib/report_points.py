# SPDX-License-Identifier: BSD-2-Clause
"""From rows to the numbers that are plotted: cycles, ns, bytes and mispredictions per n."""
import re
import statistics

import results
from report_folder import brief, is_counted, number

MISPREDICTED = ("r00c5",)  # the architectural event, whatever the plan calls it
MISPREDICTED_NAME = re.compile(r"BR_MISP_(RETIRED\.ALL|EXEC\.ANY)|BR_MISP_RETIRED$", re.IGNORECASE)
LINE_BYTES = 64


def params_of(instance):
    """size=1024;page=4096 as a dictionary of texts."""
    return dict(part.split("=", 1) for part in instance.param.split(";") if "=" in part)


def _median(cells, wanted):
    """The median of the first counted row that is wanted."""
    return next((float(row["median"]) for row in cells.values()
                 if is_counted(row) and wanted(row)), None)


def cycles_of(cells):
    return _median(cells, lambda row: row["unit"] == "cycles")


def mispredicted_of(cells):
    return _median(cells, lambda row: row["encoding"] in MISPREDICTED
                   or MISPREDICTED_NAME.match(row["event"]))


def nanoseconds_of(cells):
    """Of core cycles at the kernel's own clock; or reference cycles; or else the time stamp."""
    for unit in ("cycles", "reference cycles", "tsc ticks"):
        for row in cells.values():
            if row["unit"] == unit and is_counted(row) and row["ns"] != "":
                return number(row["ns"])
    return None


NS_RULE = ("Nanoseconds are of the row of core cycles, at the clock of this very kernel; where "
           "that is too short to tell the clock, of reference cycles; else of the time stamp")


def buffer_bytes(instance, kernel):
    """What the plan gave, or else what run.json says the kernel had."""
    size = params_of(instance).get("size")
    return int(size) if size else kernel.get("buffer_bytes") or None


def argument_of(instance, kernel, name):
    """The kernel's own parameter."""
    given = params_of(instance).get(name)
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
