# SPDX-License-Identifier: BSD-2-Clause
"""Known answers for different sizes: buffers within and beyond the caches, and masks of 20 MiB."""
import collections
import functools
import itertools

import expect
import formulas
import pytest
import windows
from conftest import plan_text
from levels import in_full
from report import document
from report.folder import Folder

# Each row: a kernel, the size of its buffer, n. Kernels *_byte_mask go through 20 MiB once.
WALKS = [*((f"{width}_byte_mask", 20 << 20, (20 << 20) // 64) for width in ("sse", "avx")),
         *(("chase_random", size, 5000) for size in (16 << 10, 512 << 10, 64 << 20)),
         ("store", 64 << 10, 16384)]
RINGS, TURNS = (1, 2, 4, 8), 200
PERIODS, TIMES = (2, 3, 4, 8, 16, 32, 64, 128), 1000
MISPREDICTED = "BR_MISP_RETIRED.ALL_BRANCHES"
CYCLES, MISSES = "CPU_CLK_UNHALTED.THREAD", "LONGEST_LAT_CACHE.MISS"
SPUN = 1_000_000
# The empty window's ticks, which are subtracted, vary because the clock is emulated.
SPUN_LEAST = SPUN * 9 // 10


@in_full("known counts with buffers of 64 MiB")
def test_counts_do_not_depend_on_the_size(boot):
    lines = [f"{name} n={n} size={size}" for name, size, n in WALKS]
    left = boot(cpus=1, plan=plan_text(cpus="boot", runs=2, warmup=0) +
                "\n".join(["[kernels]", *lines, f"spin_tsc n={SPUN}", "[events retired]",
                           *expect.DECLARED]) + "\n")
    rows = {(r["kernel"], r["param"], r["event"]): r for r in left.results.rows}
    known = {kernel.name: kernel for kernel in expect.all_kernels()}
    checked = collections.Counter()
    for name, size, n in WALKS:
        for event, count in expect.DECLARED.items():
            c0, c1 = known[name].declared[count]
            row = rows[name, f"size={size}", event]
            assert (row["verdict"], row["min"], row["max"]) == (
                "exact", str(c0 + c1 * n), str(c0 + c1 * n)), row
            checked[name] += 1
    assert checked.total() == len(WALKS) * len(expect.DECLARED)
    assert int(rows["spin_tsc", "", "TSC"]["min"]) >= SPUN_LEAST
    assert left.verdict == "PASS"


def chase(rings, lines, turns=TURNS):
    """The instructions of chase_parallel_N (kernels/chase_parallel.asm)."""
    for turn in range(turns):
        for ring in range(rings):
            yield formulas.Instruction(0x1000 + 3 * ring, 3, accesses=((next(lines), 8, "load"),),
                                       addresses=(ring,), reads=(ring,), writes=(ring,))
        yield formulas.Instruction(0x1040, 3)
        yield formulas.Instruction(0x1043, 2, formulas.COND_TAKEN if turn < turns - 1 else
                                   formulas.COND_NOT_TAKEN)


def chase_cycles(rings):
    """The cycles of a loop that the predictor has learned and that loads only new lines."""
    lines = iter(range(1 << 30, 1 << 31, formulas.LINE))
    return windows.learned(lambda: chase(rings, lines), windows.cycle_count)


@in_full("chases through 64 MiB")
def test_a_chase_has_all_latencies_and_rings_side_by_side_share_theirs(boot):
    """By the model's formulas, each load of a chain takes 150 cycles, and chains overlap."""
    left = boot(cpus=1, props=f"pmu-cache-shift={formulas.SMALL_SHIFT}",
                plan=plan_text(cpus="boot", runs=5, warmup=4) + "[kernels]\n" + "".join(
        f"chase_parallel_{rings} n={TURNS} size=64M\n" for rings in RINGS) +
        f"[events waits]\n{CYCLES}\n{MISSES}\n")
    samples = collections.defaultdict(dict)
    for sample in left.results.samples:
        if sample["n"] == str(TURNS):
            run = sample["kernel"], sample["attempt"]
            samples[run][sample["event"]] = int(sample["raw"])
    slots, = left.results.run["cpus"][0]["passes"]
    window = {slot["event"]: slot["empty_window_min"] for slot in slots}
    seen = set()
    for (kernel, _), raw in samples.items():
        rings = int(kernel.rpartition("_")[2])
        assert raw[MISSES] <= rings * TURNS  # code and page tables do not use the caches
        if raw[MISSES] > rings * TURNS * 0.95:  # some lines may still be cached
            assert raw[CYCLES] - window[CYCLES] == pytest.approx(chase_cycles(rings), rel=0.01)
            seen.add(rings)
    assert seen == set(RINGS)


def reads(turns, lines):
    """The instructions of read_16 (kernels/bandwidth.asm).

    Registers 3, 10, 11 and 100 are RBX, R10, R11 and XMM0.
    """
    for turn in range(turns):
        line = next(lines)
        for at in range(0, formulas.LINE, 16):
            yield formulas.Instruction(0x1000 + at, 5, accesses=((line + at, 16, "load"),),
                                       addresses=(3,), reads=(3,), writes=(100,))
        yield formulas.Instruction(0x1040, 4, reads=(3,), writes=(3,))
        yield formulas.Instruction(0x1044, 3, reads=(3, 10))
        yield formulas.Instruction(0x1047, 4, reads=(3, 11), writes=(3,))
        yield formulas.Instruction(0x104b, 3)
        yield formulas.Instruction(0x104e, 2, formulas.COND_TAKEN if turn < turns - 1 else
                                   formulas.COND_NOT_TAKEN)


# Each row: a kernel, a function that yields its instructions, and its least n.
SWEEPS = (("chase_random", lambda turns, lines: chase(1, lines, turns), 1024),
          ("read_16", reads, 1000))
SECTIONS = ("latency", "bandwidth")
# No size equals a cache's size, because the program's own lines would then decide which loads hit.
SIZES = [size << 10 for size in (4, 8, 16, 64, 128, 256, 512, 1024, 2048, 8192, 32768, 65536)]
BEYOND = 24 << 20  # beyond the last level's 16 MiB nothing changes


def cycles_a_turn(body, size):
    """The cycles per turn of a kernel that has gone through its whole buffer, by the model's
    formulas. The order of lines does not matter to the model's caches.
    """
    core = formulas.Core()
    buffer = range(1 << 30, (1 << 30) + min(size, BEYOND), formulas.LINE)
    lines = itertools.cycle(buffer)
    for _ in range(2 * len(buffer)):
        core.lines.touch(next(lines) // formulas.LINE)
    once, twice = ([windows.cycle_count(windows.cycles(core, body(turns, lines)))
                    for _ in range(3)][-1] for turns in (TURNS, 2 * TURNS))
    return (twice - once) / TURNS


def drawn(folder):
    page = document.make([Folder(folder)])
    return {section for section in SECTIONS if f'id="{section}-1"' in page}


@in_full("sweeps of buffer sizes to 64 MiB")
@pytest.mark.parametrize("n", ["", " n=50"])
def test_sweeps_are_staircases_of_whole_rounds(boot, n):
    """With a small n, each row is marked cold."""
    left = boot(cpus=1, plan=plan_text(cpus="boot", runs=5, warmup=2) + "[kernels]\n" + "".join(
        f"{kernel}{n} size={','.join(map(str, SIZES))}\n" for kernel, _, _ in SWEEPS) +
        f"[events clock]\n{CYCLES}\n")
    rows = {(row["kernel"], int(row["param"].partition("=")[2])): row
            for row in left.results.rows if row["event"] == CYCLES}
    assert len(rows) == len(SWEEPS) * len(SIZES)
    for (kernel, body, least), size in itertools.product(SWEEPS, SIZES):
        row, slots = rows[kernel, size], size // formulas.LINE
        assert row["cold"] == ("yes" if n else "no")
        assert row["n"] == ("50" if n else str(-(-least // slots) * slots))
        if not n:
            assert float(row["median"]) / int(row["n"]) == pytest.approx(
                cycles_a_turn(body, size), rel=0.05), (kernel, size)
    assert ("n=50 cold" in left.console) == bool(n)
    assert drawn(left.results.folder) == (set() if n else set(SECTIONS))
    assert left.verdict == "PASS"


def periodic(period):
    """The instructions of branch_period (kernels/branch_patterns.asm) with n=TIMES."""
    for turn in range(1, TIMES + 1):
        is_last = turn % period == 0
        taken = [formulas.COND_NOT_TAKEN, formulas.COND_TAKEN]
        yield formulas.Instruction(0x1000, 3)
        yield formulas.Instruction(0x1003, 2, taken[is_last])
        yield formulas.Instruction(0x1005, 2, taken[not is_last])
        yield formulas.Instruction(0x1007, 4)
        yield formulas.Instruction(0x100b, 3)
        yield formulas.Instruction(0x100e, 2, taken[turn < TIMES])


def mispredicts(window):
    return formulas.total(window)["mispredicts"]


@in_full("periods of branches")
def test_a_branch_s_period_is_what_its_name_says(boot):
    """The model's predictor knows a branch's last eight outcomes, so it learns periods 2 to 8."""
    names = [f"branch_period_{period}" for period in PERIODS]
    left = boot(cpus=1, plan=plan_text(cpus="boot", runs=3, warmup=windows.RUNS) +
                "[kernels]\nbranch_period period=5\n" + "\n".join(names) +
                f"\n[events ends]\n{MISPREDICTED}\n")
    rows = {row["kernel"]: row["median"] for row in left.results.rows
            if row["event"] == MISPREDICTED}
    expected = {name: str(windows.learned(functools.partial(periodic, period), mispredicts))
                for name, period in zip(("branch_period", *names), (5, *PERIODS))}
    assert rows == expected and len(set(expected.values())) > 3
