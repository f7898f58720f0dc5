# SPDX-License-Identifier: BSD-2-Clause
"""Plots of kernels whose parameter is swept: a line of SWEEPS each.

What one of n is, the kernels' own files say (kernels/*.asm); the caption has the formula.
"""
import collections
import dataclasses
import re
import typing

from report import svg as report_svg
from report.folder import brief, is_counted, number
from report.html import join, row, table, tag
from report.points import (NS_RULE, argument_of, buffer_bytes, bytes_per_n, cold, core_types,
                           cycles_of, failing, mispredicted_of, nanoseconds_of, over_cpus,
                           param_words, point_words)


def _cycles(cells, instance, _kernel, per):
    value = cycles_of(cells)
    return None if value is None else value / int(instance.n) / per


def _nanoseconds(cells, instance, _kernel, per):
    value = nanoseconds_of(cells)
    return None if value is None else value / int(instance.n) / per


def _bandwidth(cells, instance, kernel, _per):
    nanoseconds, size = nanoseconds_of(cells), bytes_per_n(instance, kernel)
    return size * int(instance.n) / nanoseconds if nanoseconds and size else None


def _rate_of(event):
    """The rate of a ready name, whose time is the very window's."""
    def rate(cells, _instance, _kernel, _per):
        return next((number(row["rate"]) for row in cells.values()
                     if row["event"].lower() == event and is_counted(row) and row["rate"]), None)
    return rate


def _mispredicted(cells, instance, _kernel, per):
    value = mispredicted_of(cells)
    return None if value is None else value / int(instance.n) / per


@dataclasses.dataclass(frozen=True)
class Quantity:
    of: typing.Callable  # (cells, instance, kernel of run.json, per) -> a number or None
    label: str
    formula: str


LOAD_CYCLES = Quantity(_cycles, "core cycles per load", "median cycles / n / loads of one n")
LOAD_NS = Quantity(_nanoseconds, "ns per load", "median ns / n / loads of one n")
GB_PER_S = Quantity(_bandwidth, "GB/s (10⁹ bytes a second)",
                    "bytes of one n × n / median ns, where one n is a line of 64 bytes, or a block "
                    "of a repeated string instruction; a copied byte, which is read and written, "
                    "counts once")
DRAM_READ, DRAM_WRITTEN = (
    Quantity(_rate_of(event), f"GB/s {done} (10⁹ bytes a second)",
             f"mean of {event} / mean time, of the CPU that counts for its package")
    for event, done in (("dram_read_bytes", "read"), ("dram_write_bytes", "written")))
MISPREDICTED = Quantity(_mispredicted, "mispredicted per branch",
                        "median mispredictions / n / branches of one n that may be mispredicted")


@dataclasses.dataclass(frozen=True)
class Sweep:
    """Kernels of a family whose names match; groups of the pattern: figure, x, loads or branches.

    `x` is a parameter, or "name" for the number in the kernel's name, in the group `x`. The group
    `figure` says what stands in one figure; `per` is what of it one n has.
    """

    section: str
    title: str
    family: str
    pattern: str
    x: str
    x_label: str
    quantities: tuple


PACKAGES = "packages"  # the section whose rates are of the window's own time
SWEEPS = (
    Sweep("latency", "Latency of a load", "chase", r"(?P<figure>chase_\w+)", "size",
          "buffer, bytes", (LOAD_CYCLES, LOAD_NS)),
    Sweep("latency", "One load a page", "chase_pages", r"(?P<figure>chase_pages_\w+)", "size",
          "buffer, bytes", (LOAD_CYCLES, LOAD_NS)),
    Sweep("latency", "Loads at a stride", "chase_stride", r"chase_stride\w*", "stride",
          "stride, bytes", (LOAD_CYCLES, LOAD_NS)),
    Sweep("latency", "Loads side by side", "chase_parallel", r"chase_parallel_(?P<x>\d+)(?P<per>)",
          "name", "rings at once", (LOAD_CYCLES, LOAD_NS)),
    Sweep("bandwidth", "Bandwidth", "bandwidth",
          r"(?P<figure>read|write_nt|write|copy_nt|copy|stos|movs)[bq]?_\w+", "size",
          "buffer, bytes", (GB_PER_S,)),
    Sweep(PACKAGES, "Traffic of the memory", "bandwidth",
          r"(?P<figure>read|write_nt|write|copy_nt|copy|stos|movs)[bq]?_\w+", "size",
          "buffer, bytes", (DRAM_READ, DRAM_WRITTEN)),
    Sweep(PACKAGES, "Traffic of the memory", "chase", r"(?P<figure>chase_\w+)", "size",
          "buffer, bytes", (DRAM_READ, DRAM_WRITTEN)),
    Sweep("branches", "A branch taken once in a period", "branch_patterns",
          r"branch_period(?:_(?P<x>\d+))?", "period", "period, branches", (MISPREDICTED,)),
    Sweep("branches", "A repeated random pattern", "branch_patterns", r"branch_table", "length",
          "length of the pattern, branches", (MISPREDICTED,)),
    Sweep("branches", "Indirect branches", "branch_indirect", r"indirect_\w+", "targets",
          "targets", (MISPREDICTED,)),
    Sweep("branches", "Nested calls", "call_depth", r"call_depth_(?P<x>\d+)(?P<per>)", "name",
          "depth, calls", (MISPREDICTED,)),
)

Figure = collections.namedtuple("Figure", "title quantity series failed cold")


def _x_of(sweep, found, instance, kernel):
    in_name = found.groupdict().get("x")
    if in_name:
        return int(in_name)
    if sweep.x == "size":
        return buffer_bytes(instance, kernel)
    return argument_of(instance, kernel, sweep.x)


def _label(sweep, found, folder, instance, core_type, several):
    """What tells a line from the others of its figure."""
    rest = param_words(instance, sweep.x)
    alone = found.groupdict().get("figure") == instance.kernel
    name = re.sub(r"_\d+$", "", instance.kernel) if found.groupdict().get("x") else instance.kernel
    words = [folder.name if several else "", "" if alone else name, *rest, core_type,
             instance.mode if instance.mode != "serial" else ""]
    return " ".join(word for word in words if word) or name


def _title(sweep, group):
    return f"{sweep.title}: {group}" if group else sweep.title


def _figures(sweep, folders):
    """(what is in a figure, quantity) -> label -> {x: (median, lowest, highest) over CPUs}; without
    a quantity where what there is to draw was cold."""
    figures, failed, too_few = {}, collections.Counter(), collections.Counter()
    for folder in folders:
        for instance, by_cpu in folder.cells.items():
            by_cpu = folder.beside_package(instance) if sweep.section == PACKAGES else by_cpu
            found = re.fullmatch(sweep.pattern, instance.kernel)
            kernel = folder.kernel_of(instance)
            if not found or kernel.get("family", sweep.family) != sweep.family:
                continue
            x = _x_of(sweep, found, instance, kernel)
            if x is None:
                continue
            per = x if "per" in found.groupdict() else 1
            group = found.groupdict().get("figure", "")
            failed[group] += sum(map(failing, by_cpu.values()))
            too_few[group] += sum(map(cold, by_cpu.values()))
            for core_type, cpus in core_types(by_cpu).items():
                label = _label(sweep, found, folder, instance, core_type, len(folders) > 1)
                for quantity in sweep.quantities:
                    point = over_cpus(
                        quantity.of(by_cpu[cpu], instance, kernel, per)
                        for cpu in cpus if not failing(by_cpu[cpu]) and not cold(by_cpu[cpu]))
                    if point:
                        series = figures.setdefault((group, quantity), {})
                        series.setdefault(label, {})[x] = point
    told = set()
    for (group, quantity), series in figures.items():
        if len({x for points in series.values() for x in points}) > 1:
            yield Figure(_title(sweep, group), quantity, series, failed[group], too_few[group])
            told.add(group)
    for group in sorted(set(+too_few) - told):
        yield Figure(_title(sweep, group), None, {}, failed[group], too_few[group])


def _numbers(sweep, figure):
    every = sorted({x for points in figure.series.values() for x in points})
    rows = (row(report_svg.size_text(x), *(point_words(points.get(x))
                                           for points in figure.series.values())) for x in every)
    return table((sweep.x_label, *(f"{label}, {figure.quantity.label}" for label in figure.series)),
                 rows, f"{figure.title}, {figure.quantity.label}", "numbers")


INTRODUCTION = ("Lines are the median CPU of its type, and around them the lowest to the highest. "
                "Rows that are off, noisy, failed or cold are not drawn.")


def drawn(section, folders):
    """All figures of a section, or "" when none of its kernels was swept."""
    parts = []
    for sweep in SWEEPS:
        for figure in _figures(sweep, folders) if sweep.section == section else ():
            left_out = "".join(
                f" Left out: {count} CPUs' kernels {why}." for count, why in (
                    (figure.failed, "with a row that failed"),
                    (figure.cold, "that did not go once through all there is before")) if count)
            if not figure.quantity:
                parts.append(tag("p", f"{figure.title}: not drawn.{left_out}", cls="small"))
                continue
            anchor = f"{section}-{len(parts) + 1}"
            lines = {label: [(x, *points[x]) for x in sorted(points)]
                     for label, points in figure.series.items()}
            svg = report_svg.lines(lines, sweep.x_label, figure.quantity.label)
            parts.append(report_svg.framed(
                svg, anchor, figure.title,
                f"{figure.quantity.label} = {figure.quantity.formula}.{left_out}",
                _numbers(sweep, figure), folders))
    rule = "" if section == PACKAGES else f" {NS_RULE}."
    return tag("p", INTRODUCTION, rule, cls="small") + tag("div", join(parts), cls="figures") \
        if parts else ""


def targets_drawn(folders):
    """The grid of branch_targets: distance by length of the ring."""
    parts = []
    for folder in folders:
        for quantity in (Quantity(_cycles, "core cycles per branch", "median cycles / n"),
                         Quantity(_mispredicted, "mispredicted per branch",
                                  "median mispredictions / n")):
            for core_type, grid in _targets(folder, quantity).items():
                parts.append(_target_grid(folder, quantity, core_type, grid, len(parts) + 1))
    return tag("div", join(parts), cls="figures") if parts else ""


def _targets(folder, quantity):
    """Core type -> {(distance, length): value}."""
    grids = {}
    for instance, by_cpu in folder.cells.items():
        found = re.fullmatch(r"targets_(\d+)_(\d+)", instance.kernel)
        for core_type, cpus in core_types(by_cpu).items() if found else ():
            point = over_cpus(quantity.of(by_cpu[cpu], instance, None, 1)
                              for cpu in cpus if not failing(by_cpu[cpu]))
            if point:
                grids.setdefault(core_type, {})[tuple(map(int, found.groups()))] = point[0]
    return grids


def _target_grid(folder, quantity, core_type, grid, number):
    distances = sorted({distance for distance, _ in grid})
    lengths = sorted({length for _, length in grid})
    values = [[grid.get((distance, length)) for length in lengths] for distance in distances]
    svg = report_svg.matrix(values, lengths, distances, "branches in the ring",
                            "bytes apart", quantity.label)
    rows = (row(f"{distance} bytes apart", *(brief(value) for value in line))
            for distance, line in zip(distances, values))
    words = ", ".join(word for word in (folder.name, core_type) if word)
    return report_svg.framed(
        svg, f"targets-{number}", f"Targets of branches: {words}",
        f"{quantity.label} = {quantity.formula}, the median CPU; rings of taken branches, so many "
        "bytes from one to the next.",
        table(("", *(f"{length} branches" for length in lengths)), rows, quantity.label, "numbers"),
        [folder])
