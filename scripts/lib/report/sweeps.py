# SPDX-License-Identifier: BSD-2-Clause
"""Plots of kernels over a parameter that the plan sweeps; SWEEPS describes each plot."""
import collections
import dataclasses
import re
import typing

from report import sources
from report import svg as report_svg
from report.folder import brief, is_counted, number
from report.html import join, row, table, tag
from report.points import (Measured, NS_RULE, argument_of, buffer_bytes, bytes_per_n, core_types,
                           cycles_of, mispredicted_of, misses_of, nanoseconds_of, over_cpus,
                           param_words, point_words, scaled)

LINES_MAX = 8  # in a figure that merges groups; with more lines, each group has its own figure


def _cycles(cells, vendor, _instance, _kernel, per):
    return scaled(cycles_of(cells, vendor), 1 / per)


def _nanoseconds(cells, vendor, _instance, _kernel, per):
    return scaled(nanoseconds_of(cells, vendor), 1 / per)


def _bandwidth(cells, vendor, instance, kernel, _per):
    found, size = nanoseconds_of(cells, vendor), bytes_per_n(instance, kernel)
    return found._replace(value=size / found.value) if found and found.value > 0 and size else None


def _bytes_per_cycle(cells, vendor, instance, kernel, _per):
    found, size = cycles_of(cells, vendor), bytes_per_n(instance, kernel)
    return found._replace(value=size / found.value) if found and found.value > 0 and size else None


def _rate_of(event):
    def rate(cells, _vendor, _instance, _kernel, _per):
        return next((Measured(number(row["rate"]), row, "mean") for row in cells.values()
                     if row["event"].lower() == event and is_counted(row) and row["rate"]), None)
    return rate


def _mispredicted(cells, vendor, _instance, _kernel, per):
    return scaled(mispredicted_of(cells, vendor), 1 / per)


@dataclasses.dataclass(frozen=True)
class Quantity:
    of: typing.Callable  # (cells, vendor, instance, kernel of run.json, per) -> Measured or None
    label: str
    formula: str
    of_time: bool = False
    unit: str = ""  # distinguishes the titles of a sweep's figures


LOAD_CYCLES = Quantity(_cycles, "core cycles per load", "core cycles of one n / its loads",
                       unit="core cycles")
LOAD_NS = Quantity(_nanoseconds, "ns per load", "ns of one n / its loads", True, "ns")
GB_PER_S = Quantity(_bandwidth, "GB/s (10⁹ bytes a second)",
                    "bytes of one n / its ns, where one n is a line of 64 bytes, or the block of a "
                    "repeated string instruction; a copied byte, which is both read and written, "
                    "counts once", True, "GB/s")
BYTES_PER_CYCLE = Quantity(_bytes_per_cycle, "bytes per core cycle",
                           "bytes of one n / its core cycles", unit="bytes per core cycle")
DRAM_READ, DRAM_WRITTEN = (
    Quantity(_rate_of(event), f"GB/s {done} (10⁹ bytes a second)",
             f"{event} / time, from the CPU that counts for its package", True,
             f"GB/s {done}")
    for event, done in (("dram_read_bytes", "read"), ("dram_write_bytes", "written")))
MISPREDICTED = Quantity(_mispredicted, "mispredicted per branch",
                        "mispredictions of one n / its branches that may be mispredicted")


@dataclasses.dataclass(frozen=True)
class Sweep:
    """Plots of the kernels whose family is in `families` and whose name matches `pattern`.

    The pattern may have the groups `x`, `figure` and `per`. The value on the x axis is the text of
    the group `x` or, without this group, the value of the parameter that the field `x` names.
    Kernels with equal texts in the group `figure` share a figure. With the group `per`, the kernel
    does x operations per n; without it, one operation.

    `together` merges figures with the same values of x, up to LINES_MAX lines. `marks` shows the
    sizes of caches. `misses` adds a plot of misses per load.
    """

    section: str
    title: str
    families: tuple
    pattern: str
    x: str
    x_label: str
    quantities: tuple
    together: bool = False
    marks: bool = False
    misses: bool = False


PACKAGES = "packages"  # the section with rates over the window's time
OF_BANDWIDTH = r"(?P<figure>read|write_nt|write|copy_nt|copy|stos|movs)[bq]?_\w+"
SWEEPS = (
    Sweep("latency", "Latency of a load", ("chase", "chase_stride"),
          r"(?P<figure>chase_(?!pages_|parallel_)\w+)", "size", "buffer, bytes",
          (LOAD_CYCLES, LOAD_NS), together=True, marks=True, misses=True),
    Sweep("latency", "One load a page", ("chase_pages",), r"(?P<figure>chase_pages_\w+)", "size",
          "buffer, bytes", (LOAD_CYCLES, LOAD_NS), together=True, misses=True),
    Sweep("latency", "Loads at a stride", ("chase_stride",), r"chase_stride\w*", "stride",
          "stride, bytes", (LOAD_CYCLES, LOAD_NS), misses=True),
    Sweep("latency", "Loads side by side", ("chase_parallel",),
          r"chase_parallel_(?P<x>\d+)(?P<per>)", "name", "rings at once", (LOAD_CYCLES, LOAD_NS)),
    Sweep("bandwidth", "Bandwidth", ("bandwidth",), OF_BANDWIDTH, "size", "buffer, bytes",
          (GB_PER_S, BYTES_PER_CYCLE), marks=True),
    Sweep(PACKAGES, "Traffic of the memory", ("bandwidth",), OF_BANDWIDTH, "size",
          "buffer, bytes", (DRAM_READ, DRAM_WRITTEN), marks=True),
    Sweep(PACKAGES, "Traffic of the memory", ("chase",), r"(?P<figure>chase_\w+)", "size",
          "buffer, bytes", (DRAM_READ, DRAM_WRITTEN), marks=True),
    Sweep("branches", "A branch taken once in a period", ("branch_patterns",),
          r"branch_period(?:_(?P<x>\d+))?", "period", "period, branches", (MISPREDICTED,)),
    Sweep("branches", "A repeated random pattern", ("branch_patterns",), r"branch_table", "length",
          "length of the pattern, branches", (MISPREDICTED,)),
    Sweep("branches", "Indirect branches", ("branch_indirect",), r"indirect_\w+", "targets",
          "targets", (MISPREDICTED,)),
    Sweep("branches", "Nested calls", ("call_depth",), r"call_depth_(?P<x>\d+)(?P<per>)", "name",
          "depth, calls", (MISPREDICTED,)),
)

# A kernel with its parameters on the CPUs of one core type; `cells` is {Cpu: {Column: row}}.
Place = collections.namedtuple("Place", "folder instance kernel group name words x per cells")


def _x_of(sweep, found, instance, kernel):
    in_name = found.groupdict().get("x")
    if in_name:
        return int(in_name)
    if sweep.x == "size":
        return buffer_bytes(instance, kernel)
    return argument_of(instance, kernel, sweep.x)


def _places(sweep, folders):
    """Yield a Place for each kernel, set of parameters and core type that a sweep may draw."""
    for folder in folders:
        for instance, by_cpu in folder.cells.items():
            by_cpu = folder.beside_package(instance) if sweep.section == PACKAGES else by_cpu
            found = re.fullmatch(sweep.pattern, instance.kernel)
            kernel = folder.kernel_of(instance)
            if not found or kernel.get("family", sweep.families[0]) not in sweep.families:
                continue
            x = _x_of(sweep, found, instance, kernel)
            if x is None:
                continue
            in_name = found.groupdict().get("x")
            for core_type, cpus in core_types(by_cpu).items():
                yield Place(
                    folder, instance, kernel, found.groupdict().get("figure", ""),
                    re.sub(r"_\d+$", "", instance.kernel) if in_name else instance.kernel,
                    [*param_words(instance, sweep.x), folder.n_words(instance), core_type,
                     instance.mode if instance.mode != "serial" else ""],
                    x, x if "per" in found.groupdict() else 1, {cpu: by_cpu[cpu] for cpu in cpus})


class Figure:
    def __init__(self, sweep, places, quantity):
        self.sweep, self.places, self.quantity = sweep, places, quantity
        groups = sorted({place.group for place in places})
        self.title = f"{sweep.title}: {', '.join(groups)}" if any(groups) else sweep.title
        self._folders = {place.folder.name for place in places}
        self._names = {place.name for place in places}
        self.sources, self.series, self.misses, self.missed = [], {}, {}, []
        self._parallel = {}  # (folder's name, instance) -> values of CPUs that ran in parallel
        for place in places:
            self._take(place)
        self.together = [None if None in values else sum(values)
                         for values in self._parallel.values()]

    def _label(self, place):
        is_plain = len(self._names) == 1 and place.group == place.instance.kernel
        words = [place.folder.name if len(self._folders) > 1 else "",
                 "" if is_plain else place.name, *place.words]
        return " ".join(word for word in words if word) or place.name

    def _take(self, place):
        label = self._label(place)
        taken = [sources.source_of(
            place.folder, cpu, cells,
            lambda cells, vendor: self.quantity.of(cells, vendor, place.instance, place.kernel,
                                                   place.per))
                 for cpu, cells in place.cells.items()]
        self.sources.extend(taken)
        if place.instance.mode == "parallel":
            self._parallel.setdefault((place.folder.name, place.instance), []).extend(
                source.measured and source.measured.value for source in taken)
        point = over_cpus(source.measured and source.measured.value for source in taken)
        if not point:
            return
        self.series.setdefault(label, {})[place.x] = point
        for what, missed in self._misses(place, taken):
            self.missed.extend(missed)
            self.misses.setdefault(what, {}).setdefault(label, {})[place.x] = over_cpus(
                one.value for one in missed)

    def _misses(self, place, taken):
        """(text, [Measured of each CPU]) for each kind of miss, on the CPUs that are drawn."""
        found = {}
        drawn = [(source.cpu, cells) for source, cells in zip(taken, place.cells.values())
                 if source.measured]
        for cpu, cells in drawn if self.sweep.misses else ():
            told = place.folder.told_of(cpu)
            for what, missed in misses_of(told, cells, place.per).items():
                found.setdefault(what, []).append(missed)
        return found.items()

    def titled(self):
        if len(self.sweep.quantities) == 1:
            return self.title
        with_unit = f"{self.sweep.title} in {self.quantity.unit}"
        return self.title.replace(self.sweep.title, with_unit, 1)

    def is_rate(self):
        return self.quantity.unit.startswith("GB/s")

    def is_swept(self):
        return len({x for points in self.series.values() for x in points}) > 1

    def columns(self):
        yield from ((f"{label}, {self.quantity.label}", points)
                    for label, points in self.series.items())
        yield from ((f"{label}, {what} per load", points)
                    for what, lines in self.misses.items() for label, points in lines.items())

    def caches(self):
        """[(folder's name, core type, {cache: bytes}, whether the CPUs' caches differ)].

        The list is empty if the sweep marks no caches.
        """
        found = {}
        for source in self.sources:
            if self.sweep.marks and source.measured:
                found.setdefault((source.folder, source.core_type), set()).add(source.cpu)
        return [(folder.name, core_type, folder.caches_of(cpus), folder.caches_differ(cpus))
                for (folder, core_type), cpus in found.items()]


def _figures(sweep, folders):
    """Yield the figures of a sweep that have at least two values of x.

    If a group has no figure with two values because a kernel was cold, yield the group's first
    figure, which gives this reason.
    """
    groups = {}
    for place in _places(sweep, folders):
        groups.setdefault(place.group, []).append(place)
    for places in _together(sweep, groups) if sweep.together else groups.values():
        figures = [Figure(sweep, places, quantity) for quantity in sweep.quantities]
        swept = [figure for figure in figures if figure.is_swept()]
        for figure in swept[1:]:
            figure.misses, figure.missed = {}, []  # only the first figure shows misses
        cold = any(source.why == sources.COLD for source in figures[0].sources)
        yield from swept or (figures[:1] if cold else ())


def _together(sweep, groups):
    """Yield each figure's Place tuples. Groups with the same values of x may share a figure."""
    alike = {}
    for places in groups.values():
        drawn = (Figure(sweep, places, quantity).series for quantity in sweep.quantities)
        series = next(filter(None, drawn), {})
        xs = frozenset(x for points in series.values() for x in points)
        alike.setdefault(xs, []).append((places, len(series)))
    for members in alike.values():
        if sum(lines for _, lines in members) <= LINES_MAX:
            yield [place for places, _ in members for place in places]
        else:
            yield from (places for places, _ in members)


def _numbers(figure):
    columns = list(figure.columns())
    every = sorted({x for _, points in columns for x in points})
    rows = (row(report_svg.size_text(x), *(point_words(points.get(x)) for _, points in columns))
            for x in every)
    return table((figure.sweep.x_label, *(head for head, _ in columns)),
                 rows, f"{figure.title}, {figure.quantity.label}", "numbers")


def _cache_words(figure):
    told = figure.caches()
    if not told:
        return ""
    groups = {}
    for name, core_type, caches, differ in told:
        words = ", ".join(f"{cache} {report_svg.size_text(size)}" for cache, size in caches.items())
        who = " ".join(word for word in (name, core_type) if word)
        unmarked = "the CPUs' caches differ, so none is marked" if differ else "unknown"
        groups.setdefault(words or unmarked, []).append(who)
    words = (f"{words} ({', '.join(who)})" if len(groups) > 1 else words
             for words, who in groups.items())
    if any(caches for *_, caches, _ in told):
        return (" CPUID reports these caches, which are marked if the x axis includes them: "
                f"{'; '.join(words)}.")
    if any(differ for *_, differ in told):
        return " The CPUs' caches differ, so none is marked."
    return " run.json does not have the sizes of the caches."


def _missed_words(figure):
    events = dict.fromkeys(missed.row["event"] for missed in figure.missed)
    return (f" The lower plot shows {', '.join(figure.misses)} per load, computed in the same way "
            f"from {', '.join(events)}." if events else "")


def _parallel_words(figure):
    if not figure.is_rate() or figure.sweep.section == PACKAGES or not figure.together:
        return ""
    totals = [total for total in figure.together if total is not None]
    words = ""
    if totals:
        least, most = brief(min(totals)), brief(max(totals))
        span = least if least == most else f"(depending on kernel and size) {least} to {most}"
        words = f"; the sum of all CPUs is {span} GB/s"
    return f" With mode=parallel each number is for one CPU while all CPUs run the kernel{words}."


def _picture(figure):
    def pointwise(lines):
        return {label: [(x, *points[x]) for x in sorted(points)] for label, points in lines.items()}

    marks = sorted({(size, f"{cache} {report_svg.size_text(size)}")
                    for *_, caches, _ in figure.caches() for cache, size in caches.items()})
    return report_svg.lines(
        pointwise(figure.series), figure.sweep.x_label, figure.quantity.label, marks,
        {what: pointwise(lines) for what, lines in figure.misses.items()})


INTRODUCTION = ("Each line is the median over the CPUs of one core type; the band around it "
                "reaches from the lowest value of a CPU to the highest. The value of one n is the "
                "value per copy in the tables, times the number of copies in one n.")


def drawn(section, folders):
    parts, of_time = [], False
    for sweep in SWEEPS:
        for figure in _figures(sweep, folders) if sweep.section == section else ():
            of_time |= figure.is_swept() and figure.quantity.of_time
            if not figure.is_swept():
                parts.append(tag("p", f"{figure.title}: not drawn."
                                      f"{sources.left_out(figure.sources)}", cls="small"))
                continue
            line = f" The line is {next(iter(figure.series))}." if len(figure.series) == 1 else ""
            caption = (f"{figure.quantity.label} = {figure.quantity.formula}.{line}"
                       f"{_parallel_words(figure)}"
                       f"{sources.words(figure.sources, figure.quantity.of_time)}"
                       f"{sources.bandwidth_words(figure.sources) if figure.is_rate() else ''}"
                       f"{_missed_words(figure)}{_cache_words(figure)}")
            parts.append(report_svg.framed(
                _picture(figure), f"{section}-{len(parts) + 1}", figure.titled(), caption,
                _numbers(figure), folders,
                sources.mark(figure.sources, figure.quantity.of_time)))
    rule = f" {NS_RULE}." if of_time and section != PACKAGES else ""
    return tag("p", INTRODUCTION, rule, cls="small") + tag("div", join(parts), cls="figures") \
        if parts else ""


BRANCH_CYCLES = Quantity(_cycles, "core cycles per branch", "core cycles of one n")
BRANCH_MISSES = Quantity(_mispredicted, "mispredicted per branch", "mispredictions of one n")


def targets_drawn(folders):
    parts = []
    for folder in folders:
        for quantity in (BRANCH_CYCLES, BRANCH_MISSES):
            for of, found in _targets(folder, quantity).items():
                parts.append(_target_grid(folder, quantity, of, found, len(parts) + 1))
    return tag("div", join(parts), cls="figures") if parts else ""


def _targets(folder, quantity):
    """{words of a grid's title: {(distance, length): [Source]}}."""
    grids = {}
    for instance, by_cpu in folder.cells.items():
        found = re.fullmatch(r"targets_(\d+)_(\d+)", instance.kernel)
        for core_type, cpus in core_types(by_cpu).items() if found else ():
            of = (*param_words(instance), folder.n_words(instance), core_type,
                  instance.mode if instance.mode != "serial" else "")
            grids.setdefault(of, {})[tuple(map(int, found.groups()))] = [
                sources.source_of(folder, cpu, by_cpu[cpu],
                                  lambda cells, vendor: quantity.of(cells, vendor, instance, None,
                                                                    1), True)
                for cpu in cpus]
    return {of: grid for of, grid in grids.items()
            if any(source.measured for taken in grid.values() for source in taken)}


def _target_grid(folder, quantity, of, found, number):
    points = {place: over_cpus(source.measured and source.measured.value for source in taken)
              for place, taken in found.items()}
    grid = {place: point[0] for place, point in points.items() if point}
    distances = sorted({distance for distance, _ in grid})
    lengths = sorted({length for _, length in grid})
    values = [[grid.get((distance, length)) for length in lengths] for distance in distances]
    svg = report_svg.matrix(values, lengths, distances, "branches in the ring",
                            "bytes apart", quantity.label)
    rows = (row(f"{distance} bytes apart", *(brief(value) for value in line))
            for distance, line in zip(distances, values))
    words = ", ".join(word for word in (folder.name, *of) if word)
    every = [source for taken in found.values() for source in taken]
    return report_svg.framed(
        svg, f"targets-{number}", f"Targets of branches, {quantity.label}: {words}",
        f"{quantity.label} = {quantity.formula}, for the median CPU. Each kernel is a ring of "
        "taken branches. A row is for one distance in bytes from one branch to the next."
        f"{sources.words(every, quantity.of_time)}",
        table(("", *(f"{length} branches" for length in lengths)), rows, quantity.label, "numbers"),
        [folder])
