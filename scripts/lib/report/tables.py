# SPDX-License-Identifier: BSD-2-Clause
"""Tables of the report's rows: the rows that failed, and all kernels with their events."""
import itertools

from plural import counted
import results
from report.folder import Column, HOSTS_TIME, numbers_of, param_text
from report.html import breakable, cell, details, join, row, table, tag
from report.machine import VERDICTS, verdict_class
from trust import kinds

EVENTS_MAX = 10       # columns that a table has on a wide screen; more events need another table
FAILED_MAX = 1000     # lines of failures of a folder; further lines are only counted
FAILED_SHOWN = 12  # lines of failures that are not folded
FAILED_HEADS = ("Kernel", "Verdict", "Reason", "Events", "CPUs", "Rows", "Median", "Expected")
EVENTS_NAMED = 3
HEAD_EVERY = 30       # the header is repeated after this many lines of a table
DETAILS_MAX = 15_000  # lines of details in a report, so that a browser can open it
TIME_STAMP = "TSC"
TICKS = "tsc ticks"
OF_TIME = ("cycles", "reference cycles", "bus cycles", "slots", TICKS)


def cpus_in_words(cpus):
    alone = [cpu.number for cpu in cpus if cpu.partner is None]
    pairs = [f"{cpu.number} with {cpu.partner}" for cpu in cpus if cpu.partner is not None]
    if len(pairs) > 6:
        pairs = [f"{len(pairs)} pairs"]
    return ", ".join(([numbers_of(alone)] if alone else []) + pairs)


def span(texts):
    """The range of printed numbers as text; "" if there are none."""
    known = [text for text in texts if text != ""]
    if not known:
        return ""
    low, high = min(known, key=float), max(known, key=float)
    return low if float(low) == float(high) else f"{low} to {high}"


def worst(rows):
    found = {row["verdict"] for row in rows}
    return next((word for word in VERDICTS if word in found), "")


def kernel_words(instance, with_n=True):
    words = [f"n={instance.n}"] if with_n else []
    words += [param_text(instance.param)] if instance.param else []
    words += [instance.mode] if instance.mode not in ("", "serial") else []
    return join((breakable(instance.kernel), tag("small", ", ".join(words))))


def _alike(folder, is_wanted):
    """The wanted rows, as {(Instance, Column, verdict, reason): [(Cpu, row), ...]}."""
    groups = {}
    for instance, by_cpu in (*folder.cells.items(), *folder.package_cells.items()):
        for cpu, cells in by_cpu.items():
            for column, found in cells.items():
                if is_wanted(found):
                    key = (instance, column, found["verdict"], found["reason"])
                    groups.setdefault(key, []).append((cpu, found))
    return groups


def _is_missing(found):
    return found["verdict"] == "unavailable" or found["noisy_by"] != ""


def _unavailable(folder):
    """{(reason, ring): (kernels, CPUs)} of 'unavailable' and 'noisy' rows that do not fail the run.
    """
    groups = {}
    for (instance, column, _, reason), found in _alike(folder, _is_missing).items():
        kernels, cpus = groups.setdefault((reason, column.ring), ({}, set()))
        kernels[instance.kernel] = None
        cpus.update(cpu.number for cpu, _ in found)
    return groups


def _faults(folder):
    """The rows that failed: {(Instance, verdict, reason): {Column: [(Cpu, row), ...]}}."""
    faults = {}
    for (instance, column, *why), found in _alike(folder, results.fails).items():
        faults.setdefault((instance, *why), {})[column] = found
    return faults


def _failed_events(folder, instance, columns):
    """The names of the first EVENTS_NAMED events that failed, and how many more failed.

    The result is "all" if several events failed and the kernel has no other rows on these CPUs.
    """
    cpus = {cpu for found in columns.values() for cpu, _ in found}
    rows = sum(len(cells[instance].get(cpu, ())) for cells in (folder.cells, folder.package_cells)
               if instance in cells for cpu in cpus)
    if len(columns) > 1 and rows == sum(map(len, columns.values())):
        return "all"
    names = [column.event for column in columns]
    more = len(names) - EVENTS_NAMED
    return ", ".join(names[:EVENTS_NAMED]) + (f" and {more} more" if more > 0 else "")


def _failed_rows(folder, faults):
    for (instance, verdict, reason), columns in itertools.islice(faults.items(), FAILED_MAX):
        found = list(itertools.chain(*columns.values()))
        one = [row for _, row in found] if len(columns) == 1 else []
        yield row(kernel_words(instance),
                  cell(verdict, "bad"), cell(reason or "no reason is given", "words"),
                  cell(breakable(_failed_events(folder, instance, columns))),
                  cpus_in_words(dict.fromkeys(cpu for cpu, _ in found)), str(len(found)),
                  span([row["median"] for row in one]), _texts(one, "expected"))


def failed_section(folders):
    parts = []
    for folder in folders:
        faults = _faults(folder)
        if not faults:
            parts.append(tag("p", f"{folder.name}: no row failed."))
            continue
        failed = sum(len(found) for columns in faults.values() for found in columns.values())
        parts.append(tag("h3", f"{folder.name}: {counted(failed, 'row')} failed"))
        rows = _failed_rows(folder, faults)
        title = f"Rows of {folder.name} that failed"
        parts.append(table(FAILED_HEADS, itertools.islice(rows, FAILED_SHOWN), title, "pairs"))
        if rest := list(rows):
            parts.append(details(counted(len(rest), "more line"),
                                 table(FAILED_HEADS, rest, title, "pairs")))
        if len(faults) > FAILED_MAX:
            parts.append(tag("p", f"{len(faults) - FAILED_MAX} further lines are left out; "
                                  "their rows are in results.csv.", cls="note"))
    for folder in folders:
        groups = _unavailable(folder)
        if groups:
            rows = (row(reason or "no reason is given", breakable(", ".join(kernels)),
                        numbers_of(cpus)) for (reason, _), (kernels, cpus) in groups.items())
            noisy = any(found["noisy_by"] for found in folder.rows)
            parts.append(details(f"{folder.name}: what was unavailable"
                                 f"{', or noisy without failing the run' if noisy else ''}, "
                                 "and why",
                                 table(("Reason", "Kernels", "CPUs"), rows,
                                       f"Unavailable in {folder.name}", "pairs")))
    return join(parts)


def _value_cell(found):
    if not found:
        return cell("")
    verdict = worst(found)
    median = span([one["median"] for one in found])
    copy = span([one["per_copy"] for one in found])
    content = [copy or median or ("" if verdict in results.COUNTED else verdict)]
    if copy:
        content.append(tag("small", f"{median} in all"))
    if median and verdict not in results.COUNTED:
        content.append(tag("small", verdict))
    return cell(join(content), None if verdict in results.COUNTED else verdict_class(verdict))


def _kernel_rows(folder, instance, columns):
    by_cpu = folder.cells[instance]
    counted = [column for column in columns if column.event != TIME_STAMP]
    groups, rest = folder.rows_alike(by_cpu, counted)
    apart = len(groups) > 1
    lines = [(members, False) for members in groups] + ([(rest, True)] if rest else [])
    for place, (members, mixed) in enumerate(lines):
        core_type = next(one["core_type"] for one in by_cpu[members[0]].values())
        words = f"{cpus_in_words(members)} {core_type}".strip()
        if mixed:
            words = f"{len(members)} more, each different from all others"
        found = [one for cpu in members for one in by_cpu[cpu].values()]
        verdict = worst([one for one in found if one["verdict"] != "unavailable"] or found)
        yield row(kernel_words(instance),
                  cell(words, "words short note" if apart else "words short"),
                  cell(verdict, f"words short {verdict_class(verdict)}"),
                  *(_value_cell([by_cpu[cpu][column] for cpu in members if column in by_cpu[cpu]])
                    for column in columns), cls="first" if place == 0 else None)


def _emulated(folder, unit):
    if not folder.emulated or unit not in OF_TIME:
        return ""
    return HOSTS_TIME if unit == TICKS else folder.emulated


def _column_head(folder, column, untrusted):
    rings = {ring for _, ring in folder.columns}
    unit = next((one["unit"] for one in folder.rows if one["event"] == column.event), "")
    small = ", ".join(([f"ring {column.ring}"] if len(rings) > 1 else []) +
                      ([unit] if unit not in ("", "count") else []) +
                      [how for how in (_emulated(folder, unit),) if how])
    wrong = _together([f"{one['trust']} on {one['counter']}" for one in untrusted
                       if Column(one["event"], one["ring"]) == column])
    return tag("th", breakable(column.event), tag("small", small) if small else "",
               tag("small", f"trust map: {wrong}", cls="note") if wrong else "", scope="col")


class Details:
    def __init__(self):
        self.left = DETAILS_MAX

    def of(self, folder, instance):
        lines = list(itertools.islice(self._lines(folder, instance), self.left + 1))
        if len(lines) > self.left:
            return None
        self.left -= len(lines)
        kernel = folder.kernel_of(instance)
        header = ("Event", "CPUs", "Encoding", "Counter/pass", "Runs", "Rejected", "Min",
                  "Median", "Max", "MAD", "Modes", "Stable", "Differs", "Per iteration",
                  "Per copy", "Expected", "Verdict", "ns")
        title = (f"{instance.kernel}, n={instance.n} {param_text(instance.param)} {instance.mode}: "
                 f"{kernel.get('title', 'no title is known')}")
        return details(title, table(header, lines, title, "numbers"))

    @staticmethod
    def _lines(folder, instance):
        by_cpu = folder.cells[instance]
        for column in folder.columns:
            having = {cpu: cells for cpu, cells in by_cpu.items() if column in cells}
            groups, rest = folder.rows_alike(having, [column])
            for members in groups + ([rest] if rest else []):
                found = [by_cpu[cpu][column] for cpu in members]
                how = _emulated(folder, found[0]["unit"])
                yield row(join((breakable(column.event), tag("small", how) if how else "")),
                          cell(cpus_in_words(members), "words"), _texts(found, "encoding"),
                          _together([f"{one['counter']}/{one['pass']}" for one in found
                                     if one["counter"]]),
                          *(span([one[name] for one in found]) for name in (
                              "runs", "rejected", "min", "median", "max", "mad", "modes")),
                          _texts(found, "stable"), _texts(found, "differs"),
                          span([one["per_iteration"] for one in found]),
                          _copy_words(found),
                          _texts(found, "expected"),
                          cell(worst(found), verdict_class(worst(found))),
                          span([one["ns"] for one in found]))


def _copy_words(found):
    ends = span([one[name] for one in found for name in ("per_copy_min", "per_copy_max")])
    middle = span([one["per_copy"] for one in found])
    return middle if ends in ("", middle) else f"{middle} ({ends})"


def _together(texts):
    return ", ".join(dict.fromkeys(text for text in texts if text))


def _texts(found, name):
    return _together([one[name] for one in found])


def _families(folder):
    families = {}
    for instance in folder.cells:
        family = folder.kernel_of(instance).get("family") or "kernels"
        families.setdefault(family, []).append(instance)
    return families


def _table_lines(folder, families, columns, head):
    since_head = 0
    for family, instances in families.items():
        yield tag("tr", cell(tag("span", family), "family", head=True, colspan=len(head),
                             scope="rowgroup"))
        for instance in instances:
            lines = list(_kernel_rows(folder, instance, columns))
            if since_head + len(lines) > HEAD_EVERY:
                yield tag("tr", join(head), cls="again")
                since_head = 0
            since_head += len(lines)
            yield from lines


def results_section(folder, room):
    if not folder.cells:
        return tag("h3", folder.name) + tag("p", "There are no rows.", cls="problem")
    parts = [tag("h3", f"{folder.name}: {folder.model}")]
    families = _families(folder)
    stamps = [column for column in folder.columns if column.event == TIME_STAMP]
    events = [column for column in folder.columns if column.event != TIME_STAMP] + stamps
    width = -(-len(events) // -(-len(events) // EVENTS_MAX)) if events else 1
    untrusted = [row for row in folder.rows if row["trust"] and kinds.is_wrong(row["trust"])]
    for start in range(0, len(events), width):
        columns = events[start:start + width]
        if len(events) > width:
            parts.append(tag("p", f"Events {start + 1} to {start + len(columns)} of {len(events)}:",
                             cls="small"))
        head = [tag("th", words, scope="col") for words in ("Kernel", "CPUs", "Verdict")]
        head += [_column_head(folder, column, untrusted) for column in columns]
        lines = list(_table_lines(folder, families, columns, head))
        parts.append(table(head, lines, f"Medians of {folder.name}", "numbers"))
    made = [(instance, room.of(folder, instance)) for instance in folder.cells]
    parts.append(details(f"Every kernel of {folder.name} in detail",
                         *(words for _, words in made if words is not None)))
    without = sum(words is None for _, words in made)
    if without:
        parts.append(tag("p", f"The details of {counted(without, 'kernel')} are left out, because "
                              "they would make this file too large to open; see results.csv.",
                         cls="note"))
    return join(parts)
