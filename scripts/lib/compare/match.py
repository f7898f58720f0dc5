# SPDX-License-Identifier: BSD-2-Clause
"""For each count, find the reference's count to compare it with, or say why there is none."""
import collections
import dataclasses
import statistics

from compare import source as sources
from events import codes
import results

CLAIMS = {"own": "the kernel's own ring only", "both": "both rings",
          "other": "the ring that the kernel does not run in"}
HOW_TO_CLAIM = {"own": "count it with :u (for perf) or ring=usr",
                "both": "run the plan on bare metal with ring=both, or count it with :u (for perf)",
                "other": "count it with :u, or set ring=both in the plan for both runs"}
ONLY_SHOWN = 20  # kernels named in a sentence


@dataclasses.dataclass(frozen=True)
class Match:
    """A count and the reference count to compare it with.

    `reference` is None if the reference lacks the count. `refused` says why the two counts cannot
    be compared, or is "".
    """

    other: sources.Count
    reference: sources.Count | None = None
    refused: str = ""


def machines(reference, other):
    """Return (notes, reasons to refuse the comparison)."""
    notes, refused = [], []
    for apic_id, cpu in other.cpus.items():
        known = reference.cpus.get(apic_id)
        if known is None:
            notes.append(f"only {other.name} has the CPU with APIC id {apic_id}")
            continue
        unlike = [f"{name.replace('_', ' ')} {known.get(name)} and {cpu.get(name)}"
                  for name in ("vendor", "family", "model", "stepping", "core_type")
                  if known.get(name) != cpu.get(name)]
        if unlike:
            refused.append(f"APIC id {apic_id} is another CPU: {', '.join(unlike)}; use --machines "
                           "to compare different machines")
        elif known.get("microcode") != cpu.get("microcode"):
            notes.append(f"APIC id {apic_id}: the microcode differs: {known.get('microcode')} and "
                         f"{cpu.get('microcode')}")
    known = next(iter(reference.cpus.values()), {})
    signature = tuple(known.get(name) for name in ("family", "model", "stepping"))
    if other.signature and other.signature != signature:
        refused.append(f"{other.name} is from another CPU: family, model and stepping are "
                       f"{signature} and {other.signature}")
    if other.brand and other.brand != known.get("brand"):
        refused.append(f"{other.name} is from another CPU: '{known.get('brand')}' and "
                       f"'{other.brand}'")
    notes += [f"{source.name} has no checksums of some kernels, so it is not known whether both "
              "sources ran the same kernels" for source in (reference, other)
              if source.kernels and None in map(results.crc32_of, source.kernels.values())]
    both = [source.run.get("machine", {}) for source in (reference, other)]
    if other.modes and reference.modes != other.modes:
        notes.append(f"mode: {', '.join(sorted(reference.modes))} and "
                     f"{', '.join(sorted(other.modes))}")
    for name in ("maker", "product", "hypervisor", "firmware_version"):
        first, second = (str(machine.get(name) or "none") for machine in both)
        if other.run and first != second:
            notes.append(f"{name.replace('_', ' ')}: {first} and {second}")
    if len({machine["uuid"] for machine in both if machine.get("uuid", "").strip("0-")}) > 1:
        notes.append("the UUIDs differ: these are two machines, or a board was replaced")
    return notes, refused


def only_in(one, other):
    """Return a text that lists the kernels or parameters that only `one` contains, or ""."""
    known = {(count.place.kernel, count.place.param) for count in other.counts}
    names = {name for name, _ in known}
    only = list(dict.fromkeys(
        f"{place.kernel} {place.param or 'without parameters'}" if place.kernel in names else
        place.kernel for place in (count.place for count in one.counts)
        if (place.kernel, place.param) not in known))
    more = f" and {len(only) - ONLY_SHOWN} more" if len(only) > ONLY_SHOWN else ""
    return f"only {one.name} has {', '.join(only[:ONLY_SHOWN])}{more}" if only else ""


def other_bytes(reference, other):
    """Return {(name, param, n): explanation} for kernels whose code differs."""
    return {key: f"the kernels differ: their checksums are {known.get('crc32')} and "
                 f"{kernel.get('crc32')}; build both kernels from the same source"
            for key, kernel in other.kernels.items()
            if (known := reference.kernels.get(key)) and None not in (
                both := {results.crc32_of(known), results.crc32_of(kernel)}) and len(both) > 1}


def _pooled(counts):
    """Return one count, with an empty `cpu`, for an event's counts on several CPUs.

    If one of the counts cannot be compared or is not believed, that count is returned.
    """
    first = counts[0]
    if len(counts) == 1:
        return first
    doubtful = next((count for count in counts if count.trouble or not believed(count)), None)
    if doubtful:
        return doubtful
    each = [count.per_iteration for count in counts]
    return dataclasses.replace(
        first, cpu="", place=dataclasses.replace(first.place, apic_id=None),
        value=statistics.median(count.value for count in counts),
        low=min(count.low for count in counts), high=max(count.high for count in counts),
        least=min(count.least for count in counts),
        per_iteration=None if None in each else statistics.median(each))


def believed(count):
    return count.verdict.partition(":")[0] in sources.BELIEVED


class Index:
    def __init__(self, source, cpu=None):
        self.source = source
        self.counts = [count for count in source.counts if cpu is None or count.cpu == cpu]
        self.by_place = collections.defaultdict(list)
        for count in self.counts:
            place = count.place
            for apic_id in (place.apic_id, None):
                self.by_place[place.kernel, place.param, place.partner, apic_id].append(count)
        self.used = set()

    def at(self, place):
        """Return the counts at `place`, for any n. A place without a CPU means all CPUs."""
        return self.by_place.get((place.kernel, place.param, place.partner, place.apic_id), [])

    def use(self, count):
        place = count.place
        self.used.add((place.kernel, place.param, place.partner, place.apic_id, count.identity))

    def unused(self, kernels=()):
        """Yield the counts that were not used. If `kernels` is not empty, leave out other kernels.
        """
        for count in self.counts:
            place = count.place
            if kernels and place.kernel not in kernels:
                continue
            if not {(place.kernel, place.param, place.partner, apic_id, count.identity)
                    for apic_id in (place.apic_id, None)} & self.used:
                yield count


def _of_event(other, here):
    """Return (counts in `here` of the same event, "" or a message that the encodings differ)."""
    code = other.encoding or codes.of_name(other.event, other.vendor)
    same = codes.canonical(code, other.vendor)
    name = codes.plain(other.event)
    here = [count for count in here if count.is_of_package == other.is_of_package]
    named = [count for count in here if codes.plain(count.event) == name]
    if not code or other.is_of_package:
        return named, ""
    if any(not count.encoding for count in named):  # the CPU lacks the event
        return named, ""
    wrong = [count for count in named if codes.canonical(count.encoding, other.vendor) != same]
    if wrong and other.encoding:
        return wrong, f"wrong encoding: {other.event} is {wrong[0].encoding} in the reference " \
                      f"and {other.encoding} in the other source"
    exact = [count for count in here if count.encoding == code]
    alike = [count for count in here if codes.canonical(count.encoding, other.vendor) == same]
    return exact + [count for count in alike if count not in exact], ""


def match(other, index, less_n=0):
    """Return the Match of a count.

    The caller subtracts the reference's count at n=less_n. A count at less_n is therefore chosen
    only if the reference has no count at another n.
    """
    here = index.at(other.place)
    found, why = _of_event(other, here)
    if why:
        return Match(other, found[0], why)
    if not found:
        return Match(other)
    ring = [count for count in found if count.claim == other.claim]
    if not ring:
        why = f"the rings differ: this count is of {CLAIMS[other.claim]}, and the reference is " \
              f"of {CLAIMS[found[0].claim]}; {HOW_TO_CLAIM[other.claim]}"
        return Match(other, found[0], why)
    same_n = [count for count in ring if other.place.n in (0, count.place.n)]
    if not same_n:
        return Match(other, ring[0], f"n differs: {ring[0].place.n} and {other.place.n}; use the "
                     "same plan, or specify --n")
    several = sorted({count.place.n for count in same_n} - {less_n})
    if len(several) > 1:
        return Match(other, ring[0], "the reference counted this event at "
                                     f"n={', '.join(map(str, several))}: specify --n")
    same_n = [count for count in same_n if count.place.n in several] or same_n
    best = min(same_n, key=lambda count: not believed(count))
    same = [count for count in same_n if count.encoding == best.encoding
            and count.place.n == best.place.n]
    if len({count.core_type for count in same}) > 1:
        return Match(other, best, "the reference is from several types of cores; specify --cpu N")
    return Match(other, _pooled(same) if other.place.apic_id is None else best)


def between(reference, index, less_n):
    """Return (`reference` minus the count at n=less_n, ""), or (`reference`, why that failed)."""
    place = reference.place
    start = next((count for count in index.at(dataclasses.replace(place, n=less_n))
                  if count.place.n == less_n and count.encoding == reference.encoding
                  and count.identity == reference.identity
                  and count.claim == reference.claim and believed(count)), None)
    if start is None or start.trouble:
        return reference, f"the reference has no count at n={less_n} to subtract"
    spread = reference.high - reference.low + start.high - start.low
    value = reference.value - start.value
    return dataclasses.replace(reference, value=value, low=value - spread / 2,
                               high=value + spread / 2,
                               place=dataclasses.replace(place, n=place.n - less_n)), ""
