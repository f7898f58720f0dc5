# SPDX-License-Identifier: BSD-2-Clause
"""Compare machines that ran the same program and plan: their states and their counts."""
import collections
import dataclasses
import statistics

from compare import source as sources
from compare import text as compare_text
from events import codes
import results

MACHINE = ("maker", "product", "firmware_vendor", "firmware_version", "uefi", "hypervisor",
           "emulated", "tsc_hz", "tsc_source", "cpus_found", "cpus_usable", "parked")
CPU = ("brand", "family", "model", "stepping", "microcode", "core_type", "invariant_tsc")


@dataclasses.dataclass(frozen=True)
class Compared:
    """`medians` contains, for each machine, the median over its CPUs, or None if no count is valid.
    """

    kernel: str
    param: str
    n: int
    partner: str
    event: str
    ring: str
    medians: tuple
    ratios: tuple
    verdict: str
    reason: str


@dataclasses.dataclass
class Machines:
    """`states` contains (name, value on each machine...) for each property that differs."""

    names: list
    states: list = dataclasses.field(default_factory=list)
    rows: list = dataclasses.field(default_factory=list)
    notes: list = dataclasses.field(default_factory=list)
    refused: list = dataclasses.field(default_factory=list)

    @property
    def status(self):
        return results.PASSED if any(row.verdict == "compared" for row in self.rows) \
            else results.INCOMPLETE


def _words(values):
    return ", ".join(sorted({"none" if value in (None, "") else str(value) for value in values}))


def _noise(run, when):
    found = [one for one in run.get("noise_certificates", ())
             if one.get("when") == when and one.get("status") == "ok"]
    if not found:
        return "none"
    least = min(one.get("available_percent", 0) for one in found)
    longest = max(one.get("max_single_us", 0) for one in found)
    gaps = sum(one.get("gaps", 0) for one in found)
    return f"at least {least:g} % undisturbed, {gaps} gaps, the longest {longest:g} us"


def _states(run):
    found = {f"machine {name}": _words([run.get("machine", {}).get(name)]) for name in MACHINE}
    found["source"] = run.get("source", sources.BARE_METAL)
    for name in CPU:
        found[f"CPU {name}"] = _words(cpu.get(name) for cpu in run.get("cpus", ()))
    found["PMU"] = _words(f"version {pmu.get('version')}, {pmu.get('general_counters')} counters, "
                          f"fixed {pmu.get('fixed_counters')}"
                          for pmu in (cpu.get("pmu", {}) for cpu in run.get("cpus", ())))
    settings = collections.defaultdict(set)
    for state in run.get("state", ()):
        settings[state.get("setting", "?")].add(
            f"found {state.get('found')}, asked {state.get('asked')}, "
            f"read back {state.get('read_back')} ({state.get('status')})")
    found |= {f"state {setting}": _words(values) for setting, values in settings.items()}
    found |= {f"noise {when}": _noise(run, when) for when in ("before", "after")}
    return found


def _unlike(first, other):
    a, b = first.run, other.run
    for name in ("program", "version", "schema"):
        if a.get(name) != b.get(name):
            yield f"{name} {a.get(name)} in {first.name} and {b.get(name)} in {other.name}"
    if first.kind != other.kind:
        yield f"source {first.kind} in {first.name} and {other.kind} in {other.name}"
    plans = [source.run.get("plan", {}).get("text", "") for source in (first, other)]
    if plans[0] != plans[1]:
        lines = [plan.splitlines() for plan in plans]
        at = next((i for i, pair in enumerate(zip(*lines)) if pair[0] != pair[1]),
                  min(map(len, lines)))
        shown = [plan[at] if at < len(plan) else "(its end)" for plan in lines]
        yield f"the plans differ at line {at + 1}: '{shown[0]}' in {first.name} and " \
              f"'{shown[1]}' in {other.name}"
    for key, kernel in other.kernels.items():
        both = [results.crc32_of(of) for of in (first.kernels.get(key, {}), kernel)]
        if None not in both and both[0] != both[1]:
            yield f"the code of kernel {key[0]} differs: its checksum is {both[0]} in " \
                  f"{first.name} and {both[1]} in {other.name}"


def _key(count):
    code = codes.plain(count.event)
    return count.place.kernel, count.place.param, count.place.n, count.place.partner, code, \
        count.ring, count.is_of_package


def _medians(source):
    groups = collections.defaultdict(list)
    for count in source.counts:
        groups[_key(count)].append(count)
    found = {}
    for key, counts in groups.items():
        good = [count.value for count in counts if not count.trouble and
                count.verdict.partition(":")[0] in sources.BELIEVED]
        why = "" if good else next(count.verdict for count in counts)
        found[key] = statistics.median(good) if good else None, why, counts[0].event
    return found


def _row(key, tables, names):
    kernel, param, n, partner, _, ring, _ = key
    cells = [table.get(key, (None, "not counted", "")) for table in tables]
    medians = tuple(cell[0] for cell in cells)
    event = next(cell[2] for cell in cells if cell[2])
    ratios = tuple(median / medians[0] if median is not None and medians[0] else None
                   for median in medians)
    reason = "; ".join(f"{name}: {cell[1]}" for name, cell in zip(names, cells) if cell[1])
    verdict = "compared" if sum(median is not None for median in medians) > 1 else "refused"
    return Compared(kernel, param, n, partner, event, ring, medians, ratios, verdict, reason)


def compare(loaded):
    if len(loaded) < 2:
        raise results.Unreadable("at least two folders are needed to compare machines")
    result = Machines([source.name for source in loaded])
    for source in loaded:
        result.refused += _unlike(loaded[0], source)
        result.notes += source.notes
    states = [_states(source.run) for source in loaded]
    for what in dict.fromkeys(name for state in states for name in state):
        values = [state.get(what, "none") for state in states]
        if len(set(values)) > 1:
            result.states.append((what, *values))
    if not result.refused:
        tables = [_medians(source) for source in loaded]
        keys = dict.fromkeys(key for table in tables for key in table)
        result.rows = [_row(key, tables, result.names) for key in keys]
    return result


def _aligned(lines):
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    for line in lines:
        yield "  ".join(text.ljust(width) for text, width in zip(line, widths)).rstrip()


def text(result):
    letters = [chr(ord("A") + i) if i < 26 else f"#{i + 1}" for i in range(len(result.names))]
    yield from (f"{letter} is {name}" for letter, name in zip(letters, result.names))
    yield from (f"! {why}" for why in result.refused)
    yield from (f"note: {note}" for note in result.notes)
    if result.states:
        yield "How they differ:"
        yield from _aligned([("", *letters), *result.states])
    if result.rows:
        heads = ("kernel", "event", *letters, *(f"{letter}/A" for letter in letters[1:]), "reason")
        yield from _aligned([heads, *(
            (f"{row.kernel}{' ' * bool(row.param)}{row.param}"
             f"{' with ' * bool(row.partner)}{row.partner}", f"{row.event} {row.ring}",
             *map(compare_text.number, row.medians),
             *("-" if ratio is None else f"{ratio:.4f}" for ratio in row.ratios[1:]),
             row.reason) for row in result.rows)])
    counted = sum(row.verdict == "compared" for row in result.rows)
    yield f"{counted} compared, {len(result.rows) - counted} counted on fewer than two machines"
