# SPDX-License-Identifier: BSD-2-Clause
"""Read the trust maps of folders of results, and say what they show."""
import collections
import re

import results
from trust import kinds

# `pairs` and `without` are those of kinds.trust_map().
Map = collections.namedtuple("Map", "cpus machine core_type pairs without")
# What the columns of trust.csv contain. The columns of COUNTS are checked if the line has counts.
WHOLE = r"-?\d{1,20}", "a whole number"
FORMS = {"cpu": (r"\d{1,9}", WHOLE[1]), "counter": (r"([a-z]+\d{1,9})?", "a name such as 'pmc0'"),
         "kind": (r".+", "a word such as 'exact'"), "expected_high": (f"({WHOLE[0]})?", WHOLE[1])}
CONDITION = re.compile(rf"(-alone|-high)?(-{kinds.BESIDE})?$")  # at the end of an event's name
COUNTS = "n", "expected_low", "min", "max"


def of_results(found):
    """The maps of a run, judged from results.csv."""
    return _grouped(found, found.rows, kinds.trust_map)


def of_file(found):
    """The maps of a run, as the program wrote them into trust.csv."""
    path = found.folder / "trust.csv"
    try:
        rows = list(results.read_table(path, results.TRUST_HEADER))
    except (OSError, ValueError) as why:
        raise results.Unreadable(f"{path}: {why}") from None
    for line, row in enumerate(rows, 2):
        if wrong := _misfit(row):
            raise results.Unreadable(f"{path}: line {line}: {wrong}")
    return _grouped(found, rows, _written_map)


def _misfit(row):
    has_counts = any(row[name] for name in COUNTS[1:])
    forms = FORMS | (dict.fromkeys(COUNTS, WHOLE) if has_counts else {})
    return next((f"'{row[name]}' in the column {name}: expected {words}"
                 for name, (form, words) in forms.items() if not re.fullmatch(form, row[name])), "")


def _written_map(rows):
    """What kinds.trust_map() returns, from one CPU's lines of trust.csv.

    `failed` of a Pair is the pair's line, if the line names a kernel.
    """
    pairs, without = {}, {}
    for row in rows:
        if row["kind"] == kinds.UNDECLARED:
            without[row["event"], ""] = kinds.UNDECLARED
        elif row["kind"] == kinds.NOT_COUNTED:
            without.setdefault((row["event"], row["counter"]), row["reason"] or kinds.NOT_COUNTED)
        else:
            pairs[row["event"], row["counter"]] = kinds.Pair(
                [kinds.point_of(row)] if row["min"] else [],
                failed=row if row["kernel"] else None, kind=row["kind"], note=row["reason"])
    return pairs, without


def _grouped(found, rows, map_of):
    """CPUs share a map if they have the same description, the same kind for each pair, and the same
    events without a pair. The map's numbers are those of the first of these CPUs.
    """
    of_cpu, groups = collections.defaultdict(list), {}
    for row in rows:
        of_cpu[int(row["cpu"])].append(row)
    for cpu, its in sorted(of_cpu.items()):
        pairs, without = map_of(its)
        told = found.told_of(cpu)
        machine = _machine_of(told)
        same = (machine, tuple((pair, one.kind) for pair, one in pairs.items()),
                tuple(without.items()))
        new = Map([], machine, told.get("core_type"), pairs, without)
        groups.setdefault(same, new).cpus.append(cpu)
    return list(groups.values())


def _machine_of(cpu):
    """The description of a CPU, with what a report of an erratum needs."""
    return ", ".join(filter(None, (
        cpu.get("brand") or cpu.get("vendor") or "unknown CPU", cpu.get("core_type"),
        f"signature {cpu.get('signature', 'unknown')}",
        f"microcode {cpu.get('microcode', 'unknown')}")))


def _counter_order(counter):
    """Return a sort key with which fixed counters come first."""
    name = counter.rstrip("0123456789")
    return name, int(counter[len(name):] or 0)


def _is_repeated(pairs, event, counter):
    """Whether an event under a condition has the same kind as without the condition."""
    base = CONDITION.sub("", event)
    return base != event and (base, counter) in pairs and \
        pairs[base, counter].kind == pairs[event, counter].kind


def grid(pairs):
    """(the counters, [(event, the Pair of each counter or None)]), without lines that repeat the
    line of the same event without a condition."""
    counters = sorted({counter for _, counter in pairs}, key=_counter_order)
    shown = dict.fromkeys(event for event, counter in pairs
                          if not _is_repeated(pairs, event, counter))
    return counters, [(event, [pairs.get((event, counter)) for counter in counters])
                      for event in shown]


def _kernel_words(kernel, param, n):
    return f"{kernel} {param}".rstrip() + f" n={n}"


def point_words(point):
    declared = str(point.low) if point.high == point.low else f"at least {point.low}" if \
        point.high is None else f"{point.low} to {point.high}"
    samples = str(point.least) if point.least == point.most else f"{point.least} to {point.most}"
    return f"{_kernel_words(*point.key)} declares {declared}, counted {samples}"


def _example(pair):
    """A pair's largest error, or why the pair fails although its counts are right."""
    point = max(pair.points, key=lambda one: one.error, default=None)
    if not point or not point.error:
        row = pair.lost or pair.failed
        return f"{_kernel_words(row['kernel'], row['param'], row['n'])}: {row['reason']}" if row \
            else "all kernels declare the same count"
    return point_words(point) + f" ({pair.note})" * bool(pair.note)


def explanations(one):
    """Yield what is wrong or not judged in a map."""
    of_event = collections.defaultdict(set)
    for (event, _), pair in one.pairs.items():
        of_event[event].add(pair.kind)
    for (event, counter), pair in one.pairs.items():
        if pair.kind not in kinds.RIGHT and not _is_repeated(one.pairs, event, counter):
            depends = "; counter-dependent" if len(of_event[event]) > 1 else ""
            yield f"{event} on {counter}: {pair.kind}{depends}: {_example(pair)}"
    for (event, counter), why in one.without.items():
        base = CONDITION.sub("", event)
        if base != event and one.without.get((base, counter)) == why:
            continue
        where = counter or "another counter" * (event in of_event)
        yield f"{event}{' on ' * bool(where)}{where}: {why}"


def differences(named):
    """Yield the pairs whose kinds differ between CPUs of one type; `named` lists (name, maps)."""
    of_types = collections.defaultdict(list)
    for name, maps in named:
        for one in maps:
            of_types[one.core_type].append((f"{name} CPU {one.cpus[0]}", one.pairs))
    for of_type in of_types.values():
        for pair in dict.fromkeys(pair for _, pairs in of_type for pair in pairs):
            told = [(name, pairs[pair].kind if pair in pairs else kinds.NOT_COUNTED)
                    for name, pairs in of_type
                    if pair in pairs or not CONDITION.search(pair[0]).group()]
            if len({kind for _, kind in told}) > 1:
                yield f"{pair[0]} on {pair[1]}: " + "; ".join(f"{kind} in {name}"
                                                              for name, kind in told)
