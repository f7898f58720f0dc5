# SPDX-License-Identifier: GPL-2.0-or-later
"""
Computes what the model machine's PMU must count, independently of the model, by the rules of
README.md, "What is counted".

    core = Core()
    loop = [Instruction(0x1000, 3), Instruction(0x1003, 2, COND_TAKEN)]
    cycles = core.run(loop * 99)              # changes caches, predictor, open cycle
    core.end_cycle()                          # a register of the PMU is accessed
    total(cycles)["mispredicts"]              # the count of a source; SOURCES lists them all
    where(cycles, "instructions", cmask=2)    # the count with CMASK, INV and EDGE
    traffic(accesses, lines=Lines(), slices=4, channels=2)    # counts outside the core

A window counts the WRMSR that closes it, so this WRMSR must be the last instruction of the list.
"""
from collections import Counter
from dataclasses import dataclass

NO_BRANCH = "no branch"
COND_NOT_TAKEN = "conditional, not taken"
COND_TAKEN = "conditional, taken"
JUMP = "jump"
JUMP_INDIRECT = "indirect jump"
CALL = "call"
CALL_INDIRECT = "indirect call"
RETURN = "return"
FAR = "far"

CONDITIONAL = {COND_NOT_TAKEN, COND_TAKEN}
CALLS = {CALL, CALL_INDIRECT}
NEAR_TAKEN = {COND_TAKEN, JUMP, JUMP_INDIRECT, RETURN} | CALLS

WIDTH = 4
LINE = 64
CACHES = ((64, 8), (4096, 16), (16384, 16))  # sets and ways of L1D, L2, LLC in QEMU's CPUID leaf 4
SMALL_SHIFT = 4  # pmu-cache-shift: L2 and LLC have 2^4 times fewer sets
SMALL_CACHES = (CACHES[0], *((sets >> SMALL_SHIFT, ways) for sets, ways in CACHES[1:]))
LOAD_STALL = (0, 10, 30, 150)  # cycles for a hit in L1D, L2, LLC, memory
FILL_BUFFERS, WINDOW = 10, 192  # at most 10 misses, within 192 instructions, can overlap
MISPREDICT_STALL = 15
RETURNS = 16

# In the order of enum PMUSource, without AMD's sources and bus cycles. Bus cycles are missing
# because instructions alone do not determine when a bus cycle begins.
SOURCES = (
    "instructions", "branches", "conditional", "conditional_taken", "not_taken", "near_taken",
    "near_calls", "near_returns", "indirect_branches", "far_branches", "loads", "stores",
    "cycles", "reference_cycles", "slots", "stalled_slots", "bad_speculation_slots",
    "backend_slots", "mispredicts", "mispredicted_conditional", "mispredicted_taken",
    "mispredicted_returns", "l1d_replacements", "loads_l1_hit", "loads_l1_miss",
    "llc_references", "llc_misses",
)


TRAFFIC = (
    "lookups", "load_lookups", "store_lookups", "hits", "clean_hits", "dirty_hits", "misses",
    "load_misses", "store_misses", "lines_out", "lines_read", "lines_written",
)


@dataclass
class Instruction:
    """An instruction that retires.

    `accesses` lists its accesses through the caches, in order, each as (address, bytes, "load" or
    "store"). By default these accesses determine whether the instruction counts as a load or a
    store. For REP and QEMU's helpers, `loads` and `stores` determine whether it does. `addresses`
    are the registers on which the addresses of its loads depend. `writes` are the registers that it
    writes, and `reads` are the registers on which the written values depend.
    """

    address: int
    length: int = 1
    kind: str = NO_BRANCH
    accesses: tuple = ()
    target: int = None  # of an indirect branch or a return
    ring: int = 0  # 0: CPL 0; 1: CPL 1 to 3
    loads: bool = None
    stores: bool = None
    addresses: tuple = ()
    reads: tuple = ()
    writes: tuple = ()
    fence: bool = False  # LFENCE, MFENCE, CPUID, LOCK

    def does(self, what):
        stated = self.loads if what == "load" else self.stores
        return any(a[2] == what for a in self.accesses) if stated is None else stated


@dataclass
class Cycle:
    ring: int
    counts: Counter
    times: int = 1  # number of identical cycles in a row


class Cache:
    def __init__(self, sets, ways):
        self.sets, self.ways = sets, ways
        self.lines = {}  # by set; the least recently used line is first
        self.gone = None  # the line that the last touch evicted

    def touch(self, line):
        """Returns whether the line was in the cache."""
        lines = self.lines.setdefault(line % self.sets, [])
        found, self.gone = line in lines, None
        if found:
            lines.remove(line)
        elif len(lines) == self.ways:
            self.gone = lines.pop(0)
        lines.append(line)
        return found

    def has(self, line):
        return line in self.lines.get(line % self.sets, ())


class Lines:
    def __init__(self, caches=CACHES):
        self.caches = [Cache(*geometry) for geometry in caches]
        self.dirty = set()

    def touch(self, line, stores=False):
        """Look the line up, level by level, and put it into the levels that missed.

        Returns the level that contained the line (memory is the level after the LLC), whether the
        line was dirty in the LLC, the line that the LLC evicted (None: no line), and whether the
        evicted line was dirty.
        """
        level = next((i for i, cache in enumerate(self.caches) if cache.touch(line)),
                     len(self.caches))
        last = self.caches[-1]
        looked_up = level >= len(self.caches) - 1
        was_dirty, gone = line in self.dirty, last.gone if looked_up else None
        gone_dirty = gone in self.dirty
        self.dirty.discard(gone)
        if stores and last.has(line):
            self.dirty.add(line)
        return level, was_dirty, gone, gone_dirty


class Overlap:
    """A group of overlapping load misses, which stalls the core as long as the slowest of them."""

    def __init__(self):
        self.end()

    def end(self):
        self.begun = None  # number of instructions since the group's first load
        self.lines = self.longest = 0
        self.waiting = set()

    def stall(self, i, misses):
        """The stall cycles of an instruction whose loads miss with these latencies."""
        if self.begun is not None:
            self.begun += 1
        if self.begun == WINDOW or i.fence or (misses and self.waiting & set(i.addresses)):
            self.end()
        total = 0
        for latency in sorted(misses, reverse=True):
            if self.begun is None or self.lines == FILL_BUFFERS:
                self.end()
                self.begun = 0
            total += max(0, latency - self.longest)
            self.longest = max(self.longest, latency)
            self.lines += 1
        comes_late = bool(misses) or self.waiting & set(i.reads)
        self.waiting = self.waiting | set(i.writes) if comes_late else self.waiting - set(i.writes)
        return total


class Predictor:
    def __init__(self):
        self.outcomes = {}  # low 8 bits of the address -> string of the last 8 outcomes, "T" or "n"
        self.strength = {}  # low 8 bits of the address, last 8 outcomes -> 0 to 3
        self.targets = {}
        self.returns = []

    def conditional(self, address, taken):
        entry = address & 0xFF
        outcomes = self.outcomes.get(entry, "n" * 8)
        strength = self.strength.get((entry, outcomes), 1)
        self.strength[entry, outcomes] = min(strength + 1, 3) if taken else max(strength - 1, 0)
        self.outcomes[entry] = outcomes[1:] + ("T" if taken else "n")
        return (strength >= 2) == taken

    def indirect(self, address, target):
        right = self.targets.get(address & 0xFF, 0) == target
        self.targets[address & 0xFF] = target
        return right

    def right(self, i):
        if i.kind in CALLS:
            self.returns = (self.returns + [i.address + i.length])[-RETURNS:]
        if i.kind in CONDITIONAL:
            return self.conditional(i.address, i.kind == COND_TAKEN)
        if i.kind in (JUMP_INDIRECT, CALL_INDIRECT):
            return self.indirect(i.address, i.target)
        if i.kind == RETURN:
            return bool(self.returns) and self.returns.pop() == i.target
        return True


class Core:
    """A CPU after reset. The core clock is `now` / `base` times as fast as the reference clock."""

    def __init__(self, caches=CACHES, now=1, base=1):
        self.lines = Lines(caches)
        self.predictor = Predictor()
        self.overlap = Overlap()
        self.now, self.base = now, base
        self.elapsed = 0  # cycles since the reset
        self.open = None  # the cycle in which further instructions can retire
        self.retired = 0  # instructions in that cycle

    def end_cycle(self):
        """End the cycle, as an access to a PMU register does."""
        self.open = None
        self.overlap.end()

    def run(self, instructions):
        cycles = []
        if self.open:  # an earlier run() began this cycle; further counts belong to this run()
            self.open = Cycle(self.open.ring, Counter())
            cycles.append(self.open)
        for i in instructions:
            self._retire(i, cycles)
        return cycles

    def _reference(self, cycles):
        before = self.elapsed * self.base // self.now
        self.elapsed += cycles
        return self.elapsed * self.base // self.now - before

    def _memory(self, i, counts):
        misses = []
        for address, size, what in i.accesses:
            for line in range(address // LINE, (address + size - 1) // LINE + 1):
                level = self.lines.touch(line, what == "store")[0]
                counts["l1d_replacements"] += level > 0
                counts["llc_references"] += level > 1
                counts["llc_misses"] += level > 2
                if what == "load" and level > 0:
                    misses.append(LOAD_STALL[level])
        if i.does("load"):
            counts["loads_l1_miss" if misses else "loads_l1_hit"] += 1
        return self.overlap.stall(i, misses)

    def _retire(self, i, cycles):
        if not self.open or self.open.ring != i.ring:
            counts = Counter(cycles=1, reference_cycles=self._reference(1), slots=WIDTH)
            self.open, self.retired = Cycle(i.ring, counts), 0
            cycles.append(self.open)
        counts = self.open.counts
        counts.update(what_it_is(i))
        backend = self._memory(i, counts)
        wrong = not self.predictor.right(i)
        counts["mispredicts"] += wrong
        counts["mispredicted_conditional"] += wrong and i.kind in CONDITIONAL
        counts["mispredicted_taken"] += wrong and i.kind in NEAR_TAKEN
        counts["mispredicted_returns"] += wrong and i.kind == RETURN
        self.retired += 1
        if self.retired == WIDTH or i.kind in NEAR_TAKEN or i.kind == FAR:
            self.open = None
        self._stall(i, cycles, counts, "backend_slots", backend)
        self._stall(i, cycles, counts, "bad_speculation_slots", MISPREDICT_STALL if wrong else 0)
        if wrong:
            self.overlap.end()

    def _stall(self, i, cycles, counts, slots, n):
        if n:
            each, rest = divmod(self._reference(n), n)
            counts["reference_cycles"] += rest  # the indivisible remainder
            stalled = Counter(cycles=1, reference_cycles=each, slots=WIDTH, stalled_slots=WIDTH)
            stalled[slots] = WIDTH
            cycles.append(Cycle(i.ring, stalled, n))
            self.open = None


def what_it_is(i):
    return {
        "instructions": 1,
        "branches": int(i.kind != NO_BRANCH),
        "conditional": int(i.kind in CONDITIONAL),
        "conditional_taken": int(i.kind == COND_TAKEN),
        "not_taken": int(i.kind == COND_NOT_TAKEN),
        "near_taken": int(i.kind in NEAR_TAKEN),
        "near_calls": int(i.kind in CALLS),
        "near_returns": int(i.kind == RETURN),
        "indirect_branches": int(i.kind in (JUMP_INDIRECT, CALL_INDIRECT)),
        "far_branches": int(i.kind == FAR),
        "loads": int(i.does("load")),
        "stores": int(i.does("store")),
    }


def total(cycles, ring=None):
    """The count of each source. "frontend_slots" counts the slots that are of no other kind."""
    sums = Counter()
    for cycle in cycles:
        if ring in (None, cycle.ring):
            sums.update({source: n * cycle.times for source, n in cycle.counts.items()})
    counts = {source: sums[source] for source in SOURCES}
    used = sums["instructions"] + sums["backend_slots"] + sums["bad_speculation_slots"]
    return {**counts, "frontend_slots": sums["slots"] - used}


def where(cycles, source, cmask=0, inv=False, edge=False, ring=None):
    """The number of cycles that match CMASK and INV; with EDGE, the number of runs of such cycles.

    Without CMASK and EDGE, the number of events.
    """
    if not cmask and not edge:
        return total(cycles, ring)[source]
    held, count = False, 0
    for cycle in cycles:
        if ring in (None, cycle.ring):
            holds = (cycle.counts[source] >= cmask) != inv if cmask else cycle.counts[source] > 0
            count += holds and (not held if edge else cycle.times)
            held = holds
    return count


def traffic(accesses, lines=None, slices=1, channels=1):
    """The counts outside the core for accesses (address, bytes, "load" or "store").

    `lines` is the state of the caches. `by_slice` and `by_channel` list the counts of each slice
    and channel.
    """
    lines = Lines() if lines is None else lines
    counts = Counter()
    by_slice = [Counter() for _ in range(slices)]
    by_channel = [Counter() for _ in range(channels)]

    def add(line, *what):
        for counter in (counts, by_slice[line % slices], by_channel[line % channels]):
            counter.update(what)

    for address, size, what in accesses:
        for line in range(address // LINE, (address + size - 1) // LINE + 1):
            level, was_dirty, gone, gone_dirty = lines.touch(line, what == "store")
            if level < len(lines.caches) - 1:
                continue
            add(line, "lookups", f"{what}_lookups")
            if level == len(lines.caches):
                add(line, "misses", f"{what}_misses", "lines_read")
            else:
                add(line, "hits", "dirty_hits" if was_dirty else "clean_hits")
            if gone is not None:
                add(gone, "lines_out", *["lines_written"] * gone_dirty)
    return {**{name: counts[name] for name in TRAFFIC}, "by_slice": by_slice,
            "by_channel": by_channel}
