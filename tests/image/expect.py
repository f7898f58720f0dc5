# SPDX-License-Identifier: BSD-2-Clause
"""The expected contents of a run, from kernel records and the prover."""
import collections
import dataclasses
import re
import struct

from machine import qemu
import proofs

FIXED = ("INST_RETIRED.ANY", "CPU_CLK_UNHALTED.THREAD", "CPU_CLK_UNHALTED.REF_TSC")
# The default plan's events for which no kernel declares a count, except those that count cycles.
RARE = ("BR_MISP_RETIRED.ALL_BRANCHES", "LONGEST_LAT_CACHE.REFERENCE", "LONGEST_LAT_CACHE.MISS")
# Skylake and its successors count all of OF_SKYLAKE. Nehalem and Westmere count only loads and
# stores. Sandy Bridge to Broadwell, and E-cores from Gracemont on, count only taken branches.
OF_SKYLAKE = ("BR_INST_RETIRED.NEAR_TAKEN", "MEM_INST_RETIRED.ALL_LOADS",
              "MEM_INST_RETIRED.ALL_STORES")
DECLARED = {
    "INST_RETIRED.ANY": "instructions",
    "INST_RETIRED.ANY_P": "instructions",
    "BR_INST_RETIRED.ALL_BRANCHES": "branches",
    "BR_INST_RETIRED.NEAR_TAKEN": "taken_branches",
    "MEM_INST_RETIRED.ALL_LOADS": "loads",
    "MEM_INST_RETIRED.ALL_STORES": "stores",
}
CYCLES = ("CPU_CLK_UNHALTED.THREAD", "CPU_CLK_UNHALTED.THREAD_P")
REFERENCE, BUS = "CPU_CLK_UNHALTED.REF_TSC", "CPU_CLK_UNHALTED.REF_XCLK"
# CPU model -> perfmon's name for event 3CH, unit mask 1, if it is not BUS.
CLOCKS = {0x1a: "CPU_CLK_UNHALTED.REF_P", 0x86: "CPU_CLK_UNHALTED.REF_TSC_P",
          0x97: "CPU_CLK_UNHALTED.REF_TSC_P"}
BUS_RATIO = 84  # reference cycles per bus cycle on the default CPU: tests/machine/README.md
EVENTS = (*DECLARED, *CYCLES, REFERENCE, BUS, *RARE)
GENERAL = [event for event in EVENTS if event not in FIXED]
ALL_ROWS = (*EVENTS, "TSC")
assert len(EVENTS) == 13

# The model machine's PMU registers: tests/machine/README.md.
SELECTS, COUNTERS, FIXED_COUNTERS = range(0x186, 0x18e), range(0xc1, 0xc9), range(0x309, 0x30c)
DEBUGCTL, FIXED_CTRL, GLOBAL_CTRL, OVF_CTRL, PEBS_ENABLE = 0x1d9, 0x38d, 0x38f, 0x390, 0x3f1
STATUS_SET = 0x391
PMU_MSRS = {*SELECTS, *COUNTERS, *FIXED_COUNTERS, *range(0x4c1, 0x4c9), *range(0x38d, 0x393),
            0x345, DEBUGCTL, PEBS_ENABLE}

COUNTS = ("instructions", "branches", "taken_branches", "loads", "stores")
VERDICT_OF_KIND = {0: "measured", 1: "exact", 2: "within"}
FEATURES = dict((int(bit), text) for bit, text in re.findall(
    r'^    X\((\d+), \w+, "(\w+)"\)', (qemu.TOP / "kernels/kernel.h").read_text(), re.M))
PAIR, CROWD, KNOWN = 1 << 1, 1 << 2, 1 << 3


@dataclasses.dataclass
class Kernel:
    name: str
    default_n: int
    verdicts: dict  # count -> verdict of its row if the count is correct
    declared: dict  # count -> (c0, c1) of c0 + c1 * n, if exact
    ranges: dict  # count -> (low c0, low c1, high c0, high c1)
    family: str
    argument: int  # R9, unless the plan gives another value
    features: tuple  # names, in bit order
    flags: int

    @property
    def is_alone(self):
        return not self.flags & (PAIR | CROWD)


def kernels():
    """The kernels of the built-in plan, in order."""
    return [kernel for kernel in all_kernels() if kernel.flags & KNOWN]


def some():
    """The names of every third kernel, for boots that do not test the kernels."""
    return [kernel.name for kernel in kernels()][::3]


def all_kernels():
    table, found, at = proofs.KERNELS_BIN.read_bytes(), [], 0
    while at < len(table):
        size, = struct.unpack_from("<I", table, at + 16)
        default_n, = struct.unpack_from("<Q", table, at + 40)
        name = table[at + 80 : at + 112].rstrip(b"\0").decode("ascii")
        features, _, flags = struct.unpack_from("<QII", table, at + 64)
        argument, = struct.unpack_from("<I", table, at + 408)
        counts = [(count, *struct.unpack_from("<I4x4q", table, at + 192 + 40 * i))
                  for i, count in enumerate(COUNTS)]
        found.append(Kernel(
            name, default_n, {count: VERDICT_OF_KIND[kind] for count, kind, *_ in counts},
            {count: (c0, c1) for count, kind, c0, c1, *_ in counts if kind == 1},
            {count: tuple(ends) for count, kind, *ends in counts if kind != 0},
            table[at + 424 : at + 440].rstrip(b"\0").decode("ascii"), argument,
            tuple(text for bit, text in FEATURES.items() if features >> bit & 1), flags))
        at += size
    assert found
    return found


def unavailable(version):
    return set(FIXED) if version == 1 else set()


def passes(general_counters):
    """The default plan's number of passes if each general counter can count any event."""
    return -(-len(GENERAL) // general_counters)


def events_of(found):
    """The names of all rows' events. The first CPU's model determines the name of bus cycles."""
    clock = CLOCKS.get(found.run["cpus"][0]["model"], BUS)
    return [clock if event == BUS else event for event in ALL_ROWS]


def verdicts(cpus, version=4, names=None, lost=(), skipped=()):
    """{verdict: number of rows} of a run without faults.

    lost: events that cannot be counted; skipped: kernels that the CPU cannot run.
    """
    tally = collections.Counter()
    for kernel in kernels():
        if names and kernel.name not in names:
            continue
        for event in ALL_ROWS:
            if event in unavailable(version) or event in lost or kernel.name in skipped:
                tally["unavailable"] += cpus
            else:
                tally[kernel.verdicts.get(DECLARED.get(event), "measured")] += cpus
    return tally


def proved(n):
    """{kernel of the built-in plan: {count: number at n}}, from the prover."""
    return proofs.proved(tuple(kernel.name for kernel in kernels()), n)


def default_counts():
    own_n = collections.defaultdict(list)
    for kernel in kernels():
        own_n[kernel.default_n].append(kernel.name)
    return {name: counts for n, names in own_n.items()
            for name, counts in proofs.proved(tuple(names), n).items()}


def complaints(left):
    whole = re.sub(r"\s*\n {4}\s*", " ", left.console)
    return [line for line in whole.splitlines() if line.startswith("!")]


def said_of_line(left, plan, line, *words):
    """Check that the console and run.json report an error in this line of the plan, in a text that
    contains `words`.
    """
    place = f"plan.cfg:{plan.splitlines().index(line) + 1}:"
    for said in (complaints(left), left.results.run["errors"]):
        assert any(place in text and all(word in text for word in words) for text in said), \
            (place, line, words, said)


def row_of(found, kernel, event, cpu=0):
    row, = [r for r in found.rows if (r["cpu"], r["kernel"], r["event"]) == (
        str(cpu), kernel, event)]
    return row


def declared(kernel, count, n=None):
    """The number that a kernel declares for a count; n defaults to its DEFAULT_N."""
    known, = [k for k in kernels() if k.name == kernel]
    c0, c1 = known.declared[count]
    return c0 + c1 * (known.default_n if n is None else n)


def tally(rows):
    return collections.Counter(row["verdict"] for row in rows)


def check_truth(rows):
    counts = default_counts()
    known = {kernel.name: kernel for kernel in kernels()}
    assert rows
    for row in rows:
        count = DECLARED.get(row["event"])
        assert row["verdict"] == known[row["kernel"]].verdicts.get(count, "measured"), row
        if count in counts[row["kernel"]]:
            right = str(counts[row["kernel"]][count])
            assert [row["min"], row["max"], row["expected"]] == [right] * 3, row


def check_rows(found, cpus, counts, version=4, names=None, lost=(), skipped=()):
    """Check that each CPU, kernel and event has one row with the right verdict and number.

    `cpus` is the number of CPUs, or a list.
    """
    cpus = range(cpus) if isinstance(cpus, int) else cpus
    known = {k.name: k for k in kernels() if not names or k.name in names}
    places = collections.Counter((r["cpu"], r["kernel"], r["event"]) for r in found.rows)
    assert places == {(str(c), k, e): 1 for c in cpus for k in known for e in events_of(found)}
    assert tally(found.rows) == verdicts(len(cpus), version, names, lost, skipped)
    for row in found.rows:
        count = DECLARED.get(row["event"])
        where = (row["cpu"], row["kernel"], row["event"])
        if row["event"] in unavailable(version) or row["event"] in lost or \
                row["kernel"] in skipped:
            assert row["verdict"] == "unavailable", where
            assert row["reason"] and not row["min"] and row["runs"] == "0", where
            continue
        assert row["verdict"] == known[row["kernel"]].verdicts.get(count, "measured"), where
        assert row["min"] and row["counter"] or row["event"] == "TSC", where
        if count in counts[row["kernel"]]:
            right = str(counts[row["kernel"]][count])
            assert [row["min"], row["median"], row["max"], row["expected"]] == [right] * 4, where
        else:
            assert row["expected"] == "", where
