# SPDX-License-Identifier: BSD-2-Clause
"""Plots of kernels that need several CPUs, and the table of instructions."""
import re

from report import sources, svg
from report.folder import brief, param_text
from report.html import cell, join, row, table, tag
from report.points import (NS_RULE, core_types, cycles_of, nanoseconds_of, over_cpus,
                           param_words, point_words)
from report.tables import kernel_words

PAIRS_WRITTEN_MAX = 64  # up to this many CPUs, the numbers of a matrix are also listed below it
CROWDS = {"none": "all others wait", "read": "all others read", "write": "all others write"}
COPIES = re.compile(r"n times: (\d+) (?:in)?dependent (.+)")


def _pairs(folder, instance):
    """{(CPU, partner): Source in ns per n}, for a kernel that runs on pairs of CPUs.

    In core_to_core_write, only the CPU whose rows come first repeats the code n times.
    """
    found, seen = {}, set()
    for cpu, cells in folder.cells[instance].items():
        pair = frozenset(cpu)
        if cpu.partner is None or (pair in seen and _is_one_sided(instance)):
            continue
        seen.add(pair)
        found[cpu.number, cpu.partner] = sources.source_of(folder, cpu, cells, nanoseconds_of, True)
    return found


def _is_one_sided(instance):
    return instance.kernel == "core_to_core_write"


def pairs_drawn(folders):
    parts = []
    for folder in folders:
        for instance in folder.cells:
            found = _pairs(folder, instance)
            if any(source.measured for source in found.values()):
                parts.append(_matrix(folder, instance, found, f"pairs-{len(parts) + 1}"))
    return tag("p", f"{NS_RULE}.", cls="small") + tag("div", join(parts), cls="figures") \
        if parts else ""


def _matrix(folder, instance, found, anchor):
    known = {pair: source.measured.value for pair, source in found.items() if source.measured}
    cpus = sorted({cpu for pair in known for cpu in pair})
    values = [[known.get((cpu, partner)) for partner in cpus] for cpu in cpus]
    what, who = "ns per round trip", "Each pair is counted on both of its CPUs."
    if _is_one_sided(instance):
        what, who = "ns per store", "The CPU in the row writes, and its partner reads."
    title = folder.kernel_of(instance).get("title", "")
    least, most = min(known.values()), max(known.values())
    numbers = table(("CPU", *(f"with {cpu}" for cpu in cpus)),
                    (row(f"CPU {cpu}", *(brief(value) for value in line))
                     for cpu, line in zip(cpus, values)), f"{instance.kernel}, {what}", "numbers") \
        if len(cpus) <= PAIRS_WRITTEN_MAX else \
        tag("p", "There are too many CPUs for a table; see results.csv.")
    return svg.framed(
        svg.matrix(values, cpus, cpus, "partner, CPU", "counted on CPU", what), anchor,
        f"{folder.name}: {instance.kernel} {param_text(instance.param)}".strip(),
        f"{title + ': ' if title else ''}{what} = ns of one n, from {brief(least)} to "
        f"{brief(most)}. {who}{sources.words(found.values(), True)}", numbers, [folder],
        sources.mark(found.values(), True))


def loaded_drawn(folders):
    series, names, every = {}, {}, []
    for folder in folders:
        for instance, by_cpu in folder.cells.items():
            found = re.fullmatch(r"loaded_(none|read|write)", instance.kernel)
            for core_type, cpus in core_types(by_cpu).items() if found else ():
                rest = [words for words in param_words(instance) if not words.endswith("=0")]
                name = ", ".join(word for word in (CROWDS[found.group(1)], *rest,
                                                   folder.n_words(instance)) if word)
                label = " ".join(word for word in (
                    folder.name if len(folders) > 1 else "", core_type) if word) or "all CPUs"
                taken = [sources.source_of(folder, cpu, by_cpu[cpu], nanoseconds_of, True)
                         for cpu in cpus]
                every.extend(taken)
                point = over_cpus(source.measured and source.measured.value for source in taken)
                if point:
                    names[name] = None
                    series.setdefault(label, {})[name] = point
    if not series:
        return ""
    rows = (row(name, *(point_words(points.get(name)) for points in series.values()))
            for name in names)
    return tag("div", svg.framed(
        svg.ranges(list(names), series, "ns per load"), "loaded-1", "Loaded latency",
        "ns per load = ns of one n on a CPU that follows a ring of pointers in random order. The "
        "CPUs take turns. The point is the median CPU; the bar reaches from the lowest to the "
        "highest. `delay` is "
        "the number of turns of an empty loop between two accesses of the other CPUs. "
        f"{NS_RULE}.{sources.words(every, True)}",
        table(("Meanwhile", *(f"{label}, ns per load" for label in series)), rows,
              "Loaded latency", "numbers"), folders, sources.mark(every, True)), cls="figures")


def _copies(folder, instance):
    """("lat", "tp" or "code", name, number of copies per n, text of the copied instructions).

    None for kernels that do not belong in the table of instructions.
    """
    kernel = folder.kernel_of(instance)
    title = kernel.get("title", "")
    if kernel.get("family") == "code":
        return "code", instance.kernel, kernel.get("copies", 1), title
    kind, _, name = instance.kernel.partition("_")
    found = COPIES.fullmatch(title) if kind in ("lat", "tp") else None
    return (kind, name, int(found.group(1)), found.group(2)) if found else None


def instructions_table(folders):
    families, columns = {}, {}
    for folder in folders:
        for instance, by_cpu in folder.cells.items():
            told = _copies(folder, instance)
            if not told:
                continue
            kind, name, copies, words = told
            family = folder.kernel_of(instance).get("family", "")
            for core_type, cpus in core_types(by_cpu).items():
                of = " ".join(word for word in (
                    folder.name if len(folders) > 1 else "", core_type) if word)
                taken = (sources.source_of(folder, cpu, by_cpu[cpu], cycles_of, True).measured
                         for cpu in cpus)
                point = over_cpus(found and found.value / copies for found in taken)
                columns.setdefault(of, {})[kind] = None
                called = kernel_words(instance._replace(kernel=name),
                                      bool(folder.n_words(instance)))
                line = families.setdefault(family, {}).setdefault(called, [words, {}])
                line[1][of, kind] = point
    if not families:
        return ""
    words = {"lat": "latency", "tp": "throughput", "code": "code of the plan"}
    kinds = [(of, kind) for of, found in columns.items() for kind in words if kind in found]
    lines = []
    for family, found in families.items():
        lines.append(tag("tr", cell(tag("span", family), "family", head=True,
                                    colspan=2 + len(kinds),
                                    scope="rowgroup")))
        lines.extend(row(called, cell(title, "words"),
                         *(point_words(points.get(key)) for key in kinds))
                     for called, (title, points) in found.items())
    header = ("Kernel", "Copies of",
              *(f"{of + ': ' if of else ''}{words[kind]}, cycles" for of, kind in kinds))
    return join((
        tag("p", "Core cycles per copy, computed from the counts at 2n minus those at n. Copies "
                 "that wait for each other show the latency, and copies that do not wait show the "
                 "reciprocal throughput. The plan's sections [code] are listed too. If a copy "
                 "consists of more than one instruction, the title says so. The number includes "
                 "the loop around the copies. If CPUs differ, the number is that of the median "
                 "CPU, followed by the lowest and the highest.", cls="small"),
        table(header, lines, "Instructions", "numbers")))
