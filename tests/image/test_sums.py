# SPDX-License-Identifier: BSD-2-Clause
"""Sums of cache levels, rings and memory traffic that must hold, and faults that break them."""
import expect
import formulas
import own_kernels
import pytest
from conftest import plan_text
from levels import in_full, thinned
from outside import MACHINES, events

APART = 2  # the sides of a sum may always differ by this many counts
PERCENT = 100
HIT, MISS, LOADS = ("MEM_LOAD_RETIRED.L1_HIT", "MEM_LOAD_RETIRED.L1_MISS",
                    "MEM_INST_RETIRED.ALL_LOADS")
# The plan's names -> this CPU's events. The alternative event names in LEVELS_PLAN are for other
# CPUs.
LEVELS = {"Hits": HIT, MISS: MISS, "Loads": LOADS}
LEVELS_PLAN = f"[events levels]\nHits = {HIT}, MEM_LOAD_UOPS_RETIRED.L1_HIT\n{MISS}\n" \
              f"Loads = {LOADS}, MEM_UOPS_RETIRED.ALL_LOADS\n"
LEVELS_SUM = f"Hits + {MISS} <= Loads"
WRONG = f"barecount-events,1,mine\nname,select,counters,fixed,flags,msr,value,description\n" \
        f"{HIT},c0,,,,,,instructions\n"


def sums_of(left):
    return {found["what"]: found for found in left.results.run["sums"]}


def windows_spread(left, event):
    slot, = [slot for slots in left.results.run["cpus"][0]["passes"] for slot in slots
             if slot["event"] == event]
    return slot["empty_window_max"] - slot["empty_window_min"]


def computed(left, kernel, parts, total):
    rows = [expect.row_of(left.results, kernel, event) for event in (*parts, total)]
    medians = [int(float(row["median"])) for row in rows]
    spread = sum(int(row["max"]) - int(row["min"]) for row in rows)
    spread += sum(windows_spread(left, event) for event in (*parts, total))
    return sum(medians[:-1]), medians[-1], spread + APART


def with_known_loads():
    return [kernel.name for kernel in expect.kernels() if "loads" in kernel.declared]


def said(left):
    return " ".join(left.console.split())


@in_full("sums of every kernel on two CPUs")
def test_hits_and_misses_are_loads(boot):
    left = boot(cpus=2, plan=plan_text() + LEVELS_PLAN)
    assert left.verdict == "PASS" and left.results.run["errors"] == []
    kernels = with_known_loads()
    assert 0 < len(kernels) < len(expect.kernels())  # the core decides how often REP loads
    assert left.results.run["sums"] == [{"what": LEVELS_SUM, "agrees": 2 * len(kernels),
                                         "differs": 0, "differences": []}]
    for kernel in kernels:
        hits_and_misses, loads, tolerance = computed(left, kernel, ["Hits", MISS], "Loads")
        assert abs(hits_and_misses - loads) <= tolerance, kernel  # no load hits a fill buffer
    assert f"Sums {LEVELS_SUM}: agrees {2 * len(kernels)} times" in said(left)


def test_a_wrong_table(boot):
    """A user's table gives an event's name to another event."""
    left = boot(cpus=1, plan=plan_text() + LEVELS_PLAN,
                files={"barecount/events/mine.csv": WRONG})
    assert left.verdict == "PASS" and left.results.run["errors"] == []
    found, differences = sums_of(left)[LEVELS_SUM], {}
    for kernel in with_known_loads():
        numbers = computed(left, kernel, ["Hits", MISS], "Loads")
        if numbers[0] - numbers[1] > numbers[2]:
            differences[kernel] = numbers
    assert (found["agrees"], found["differs"]) == (
        len(with_known_loads()) - len(differences), len(differences))
    assert len(found["differences"]) == min(8, len(differences)) > 0
    for told in found["differences"]:
        assert (told["sum"], told["total"], told["tolerance"]) == differences[told["kernel"]], told
        above = told["sum"] - told["total"]
        share = f" ({results_number(above * PERCENT / told['total'])} %)" if told["total"] else ""
        assert told["verdict"] == f"differs by {above}{share}", told
    first = found["differences"][0]
    assert f"differs {found['differs']} of {len(with_known_loads())} times: CPU 0 " \
        f"{first['kernel']} {first['verdict']}" in said(left)


def results_number(value):
    return f"{value:.3f}".rstrip("0").rstrip(".")


@in_full("sums of a counter that lies")
def test_a_counter_that_lies(boot):
    """No sum uses the rows of a lying counter."""
    left = boot(cpus=1, plan=plan_text() + LEVELS_PLAN)
    counter = expect.row_of(left.results, "load", "Hits")["counter"].removeprefix("pmc")
    left = boot(cpus=1, plan=plan_text() + LEVELS_PLAN, props=f"pmu-noisy={counter}")
    assert expect.row_of(left.results, "load", "Hits")["verdict"] == "off"
    assert left.verdict.startswith("FAIL ")
    assert left.results.run["sums"] == [] and "Sums " not in left.console


@pytest.mark.parametrize("cpl", thinned([0, 3], (1,), "CPL of a run with sums"))
def test_both_rings_are_each(boot, cpl):
    """The rings' counts add up to the count of both rings, also for undeclared events."""
    names = [*expect.DECLARED, *expect.CYCLES]
    left = boot(cpus=1, plan=plan_text(ring="both", cpl=cpl, kernels="load,branch_random") +
                "[events rings]\n" + "".join(f"{name}\n{name}:u\n{name}:k\n" for name in names))
    assert left.verdict == "PASS" and left.results.run["errors"] == []
    sums = sums_of(left)
    for name in names:
        found = sums.pop(f"{name}:k + {name}:u = {name}")
        assert (found["agrees"], found["differs"]) == (2, 0), found
    assert not sums
    more = len(names) - 6
    assert f"further sums that agree: {more}; see run.json" in said(left)


# These sums need a buffer of at least four times the size of all caches together, and kernels that
# go through this buffer in each run.
SMALL = f"pmu-cache-shift={formulas.SMALL_SHIFT}"
CACHES = sum(sets * ways * formulas.LINE for sets, ways in formulas.SMALL_CACHES)
SIZE = 6 << 20
assert SIZE > 4 * CACHES
MOVES = {"read_16": (1, 0), "write_16": (1, 1), "copy_16": (2, 1), "write_nt_16": (None, 1)}
KNOWN = "the bytes that the kernel moves"
# This kernel declares that it writes its lines, but it only reads them.
LIAR_N = SIZE // formulas.LINE
LIAR = f"""
BUFFER {SIZE}, 64
ROUND buffer, 64
MOVES writes
{own_kernels.UNDECLARED}
"""
WALK = "; ".join(("lea rbx, [rsi + r8]", ".again:", "mov rax, [rsi]", "add rsi, 64",
                  "cmp rsi, rbx", "jb .on", "sub rsi, r8", ".on:", "dec rdi", "jnz .again", "ret"))


@in_full("walks through 6 MiB")
def test_bytes_of_the_memory(boot, tmp_path):
    """The model's memory channels count as many bytes as the kernels declare. The tolerance allows
    for lines that stay in the caches.
    """
    liar = own_kernels.assembled("liar", WALK, LIAR, LIAR_N, clobbers="rax, rbx, rsi, rdi")
    cpu = "Skylake-Server"
    left = boot(cpus=1, cpu=cpu, more=MACHINES[cpu], props=SMALL,
                stick=own_kernels.new_stick(tmp_path, {"liar.bin": liar}),
                plan=plan_text(warmup=1) + "[kernels]\n" +
                "".join(f"{name} size={SIZE}\n" for name in MOVES) +
                f"liar\nread_16 size={4 * CACHES - 4096}\nread_16 n={LIAR_N - 1} size={SIZE}\n" +
                events(["dram_read_bytes", "dram_write_bytes"]))
    assert left.verdict == "PASS" and left.results.run["errors"] == []
    sums = sums_of(left)
    reads, writes = (sums[f"dram_{what}_bytes = {KNOWN}"] for what in ("read", "write"))
    assert (reads["agrees"], reads["differs"]) == (4, 0), reads  # the liar reads too
    assert (writes["agrees"], writes["differs"]) == (3, 1), writes
    told, = writes["differences"]
    assert (told["kernel"], told["total"]) == ("liar", SIZE), told
    assert 0 <= told["sum"] < SIZE // PERCENT and told["verdict"].startswith("differs by -"), told
    assert told["tolerance"] >= CACHES // 2 + SIZE // PERCENT, told
