# SPDX-License-Identifier: BSD-2-Clause
"""Uncore counts: lookups, misses, DRAM lines and energy, once per package."""
import functools
import itertools
import statistics

import conftest
import expect
import formulas
import own_kernels
import pytest
from conftest import plan_text
from levels import FULL, in_full, thinned
from outside import (ENERGY, EVENTS, LONG, LONG_N, MACHINES, POWER_INFO, TWO, TWO_PACKAGES,
                     energy_is_right, energy_plan, events, rows_of)

LINE = 64
# The last level has 1 MiB, 16 ways and LRU replacement (tests/machine/README.md). After a warm-up,
# each line of a walk over more than 1 MiB misses and evicts a line of the kernel. A window with
# more lines than the second level (256 KiB) evicts the program's lines from the second level. A
# window with more lines than the last level evicts the program's lines from both levels. 2n
# consecutive lines put nine lines into each set of the last level.
SMALL = f"pmu-cache-shift={formulas.SMALL_SHIFT}"
SECOND_LINES, CACHE_LINES = (sets * ways for sets, ways in formulas.SMALL_CACHES[1:])
SIZE, N, WARMUP = "1536K", 9 * formulas.SMALL_CACHES[-1][0] // 2, 4
assert WARMUP * N > CACHE_LINES > 2 * N > N > SECOND_LINES
WAY_LINES = 150  # the program itself moves at most this many lines around a window
PATIENT_MS = 60000  # the time limit of a window; a kernel's is longer (boot/run/bounds.c)
OWN_LINES = 8  # the program's lines that move in and out of the last level's sets
SOURCES, TARGETS = 1 << 30, 1 << 31  # any addresses
WALKS = {
    "read_16": lambda at: [(SOURCES + at, LINE, "load")],
    "write_16": lambda at: [(SOURCES + at, LINE, "store")],
    "copy_16": lambda at: [(SOURCES + at, LINE, "load"), (TARGETS + at, LINE, "store")],
}


@functools.cache
def expected(kernel):
    """{n: the traffic of n lines of the walk, by the model's formulas}. A warm-up comes first."""
    lines = formulas.Lines(formulas.SMALL_CACHES)
    at = iter(range(0, 1 << 30, LINE))
    counts = {}
    for n in (WARMUP * N, N, 2 * N):
        walked = [access for _ in range(n) for access in WALKS[kernel](next(at))]
        counts[n] = formulas.traffic(walked, lines)
    return counts


def walks(n=N, size=SIZE, kernels=WALKS):
    return "[kernels]\n" + "".join(f"{name} n={n} size={size}\n" for name in kernels)


def raws(found, kernel, event, n, by=0):
    return [int(s["raw"]) for s in found.samples if s["accepted"] == "1" and
            (s["cpu"], s["kernel"], s["event"], s["n"]) == (str(by), kernel, event, str(n))]


def check_walk(found, cpu, kernel, ways, by=0):
    """Counts are the kernel's lines plus the program's lines.

    ways[event] collects how many lines the program itself adds. The number of the program's lines
    may differ from event to event, since a server's units are stopped one after the other. A few
    written lines may be missing, since the cache may evict clean lines of the program instead.
    """
    for event, what in EVENTS[cpu].items():
        for n in (N, 2 * N):
            lines, walked = expected(kernel)[n][what], expected(kernel)[n]["lookups"]
            counted = raws(found, kernel, event, n, by)
            more = {raw - lines for raw in counted}
            assert len(counted) >= 3, (kernel, event, n)
            if what == "lookups" or (what != "lines_written" and walked > CACHE_LINES):
                ways.setdefault(event, set()).update(more)
            elif what == "lines_written" and lines:
                most = WAY_LINES if walked > CACHE_LINES else OWN_LINES
                assert all(-OWN_LINES <= one <= most for one in more), \
                    (kernel, event, n, lines, counted)
            else:
                assert more == {0}, (kernel, event, n, lines, counted)
        row = expect.row_of(found, kernel, event, by)
        unit = LINE if what.startswith("lines_") else 1
        assert abs(float(row["median"]) - expected(kernel)[N][what] * unit) <= WAY_LINES, row
        assert row["verdict"] == "measured" and row["scope"] == "package", row
        assert row["unit"] == ("bytes" if unit == LINE else "count"), row


@pytest.mark.parametrize("cpu", thinned(MACHINES, (2,), "CPU models with an uncore"))
def test_memory_kernels(boot, cpu):
    left = boot(cpus=1, cpu=cpu, more=MACHINES[cpu], props=SMALL,
                plan=plan_text(warmup=WARMUP) + walks() + events(EVENTS[cpu]))
    assert left.verdict == "PASS" and left.results.run["errors"] == []
    ways = {}
    for kernel in WALKS:
        check_walk(left.results, cpu, kernel, ways)
    for lines in ways.values():
        assert len(lines) == 1 and 0 < max(lines) < WAY_LINES, ways
    assert ways
    package, = left.results.run["packages"]
    assert (package["cpu"], package["package"], package["left_running"]) == (0, 0, 0), package


def test_a_name_that_is_the_sum_of_two_events(boot):
    """The results and the console name both events of the sum. A sum takes no modifier."""
    plan = plan_text(kernels="empty") + events(["llc_lookups", "llc_misses", "llc_lookups:cmask=2"])
    left = boot(cpus=1, cpu="Nehalem", plan=plan)
    expect.said_of_line(left, plan, "llc_lookups:cmask=2", "the sum of two events")
    row = expect.row_of(left.results, "empty", "llc_lookups")
    assert row["encoding"] == "uncore_uncore/config=0x308/+uncore_uncore/config=0x309/", row
    counters = row["counter"].split("+")
    counters.append(expect.row_of(left.results, "empty", "llc_misses")["counter"])
    assert len(set(counters)) == 3 and {one[:-1] for one in counters} == {"uncore"}, counters
    assert row["verdict"] == "measured", row
    words = " ".join(left.console.split())
    assert f"{row['counter']}/1 llc_lookups package: uncore, event 08H, unit mask 03H + event " \
           "09H, unit mask 03H" in words, left.console


SHORT_N = 300
SPILL = 200  # all CPUs that wait for each other add at most this many lines together


@pytest.mark.parametrize("mode", thinned(
    ["serial", "parallel"], (0,), "mode of a run with uncore events"))
def test_one_cpu_counts_for_all(boot, mode):
    """The package's first CPU counts for all CPUs while their windows are open. Each CPU reads
    lines of its own buffer.
    """
    cpus = 4 if FULL else 2
    left = boot(cpus=cpus, cpu="Haswell", plan=plan_text(mode=mode, runs=5, timeout_ms=PATIENT_MS) +
                walks(SHORT_N, "1M", ["read_16"]) + events(EVENTS["Haswell"]))
    assert left.verdict == "PASS"
    together = cpus if mode == "parallel" else 1
    for event in EVENTS["Haswell"]:
        assert {row["cpu"] for row in rows_of(left.results, event)} == {"0"}
        for n in (SHORT_N, 2 * SHORT_N):
            counted = raws(left.results, "read_16", event, n)
            assert len(counted) >= 3, (event, n)
            assert all(0 <= raw - together * n <= SPILL for raw in counted), (event, n, counted)
            assert together > 1 or statistics.median(counted) == n, (event, n, counted)
    assert {row["cpu"] for row in left.results.rows} == set(map(str, range(cpus)))


# On the second CPU, `prepare` takes longer, and reads lines that must not be counted.
PREPARED = 1000
PREPARES = f"""
BUFFER 16777216, 64
{own_kernels.UNDECLARED}
PREPARE
    mov r11, rbx
    mov eax, 1
    cpuid
    shr ebx, 24
    cmp ebx, 1
    mov rbx, r11
    jne .over
    rdtsc
    shl rdx, 32
    lea r10, [rax + rdx + 100000000]
.wait:
    rdtsc
    shl rdx, 32
    or rax, rdx
    cmp rax, r10
    jb .wait
    mov rax, [rsi]
    mov ecx, {PREPARED}
.walk:
    add rax, {LINE}
    and rax, 0xffffff
    mov r10, [rsi + rax]
    dec ecx
    jnz .walk
    mov [rsi], rax
.over:
    ret
"""


@in_full("what another CPU prepares")
def test_what_another_cpu_prepares_is_not_counted(boot, tmp_path):
    prepares = own_kernels.assembled("prepares", "ret", PREPARES,
                                     clobbers="rax, rcx, rdx, r10, r11")
    left = boot(cpus=2, cpu="Haswell", stick=own_kernels.new_stick(tmp_path, {
        "prepares.bin": prepares}), plan=plan_text(
            kernels="prepares", mode="parallel", runs=5, timeout_ms=PATIENT_MS) +
        events(EVENTS["Haswell"]))
    assert left.verdict == "PASS" and left.results.run["errors"] == []
    for event in EVENTS["Haswell"]:
        counted = raws(left.results, "prepares", event, 1000)
        assert len(counted) >= 3 and all(raw <= SPILL < PREPARED for raw in counted), \
            (event, counted)


@in_full("ways to measure uncore events")
@pytest.mark.parametrize("keys", [{"method": "deltas"}, {"ring": "usr"}, {"overflow_after": 50}],
    ids=lambda keys: "".join(map(str, keys.values())))
def test_other_ways_to_measure(boot, keys):
    """Options of the core's counters do not change the package's counts."""
    left = boot(cpus=1, cpu="Haswell", plan=plan_text(**keys) + events(EVENTS["Haswell"]) +
                walks(SHORT_N, "1M", ["read_16"]))
    assert left.verdict == "PASS"
    for event in EVENTS["Haswell"]:
        row = expect.row_of(left.results, "read_16", event)
        assert (float(row["median"]), row["verdict"]) == (SHORT_N, "measured"), row


@in_full("uncore counts of pairs of CPUs")
def test_a_pair_of_cpus(boot):
    """The package's first CPU counts for its pair. A pair without this CPU has no rows of uncore
    events.
    """
    left = boot(cpus=3, cpu="Haswell", plan=plan_text(kernels="core_to_core_write", n=50) +
                events(EVENTS["Haswell"]))
    assert left.results.run["complete"] is True and left.verdict == "PASS"
    for event in EVENTS["Haswell"]:
        rows = rows_of(left.results, event)
        assert {(row["cpu"], row["partner"]) for row in rows} == {("0", "1"), ("0", "2")}
        assert {row["verdict"] for row in rows} == {"measured"}, rows


@in_full("uncore counts of two packages")
@pytest.mark.parametrize("mode", ["serial", "parallel"])
@pytest.mark.parametrize("cpu", MACHINES)
def test_two_packages(boot, cpu, mode):
    """In each package, one CPU counts the lines of the package's CPUs, but only while their windows
    are open.
    """
    left = boot(cpus=TWO_PACKAGES, cpu=cpu, more=TWO[cpu],
                plan=plan_text(mode=mode, runs=5, timeout_ms=PATIENT_MS) +
                walks(SHORT_N, "1M", ["read_16"]) + events(EVENTS[cpu]))
    found = left.results
    assert left.verdict == "PASS" and found.run["errors"] == []
    assert [(p["cpu"], p["package"]) for p in found.run["packages"]] == [(0, 0), (2, 1)]
    together = 2 if mode == "parallel" else 1
    for event, what in EVENTS[cpu].items():
        assert {row["cpu"] for row in rows_of(found, event)} == {"0", "2"}
        for by, n in itertools.product((0, 2), (SHORT_N, 2 * SHORT_N)):
            walked = [access for i in range(n) for access in WALKS["read_16"](i * LINE)]
            lines = together * formulas.traffic(walked)[what]
            counted = raws(found, "read_16", event, n, by)
            assert len(counted) >= 3, (event, by)
            assert all(0 <= raw - lines <= SPILL for raw in counted), (event, by, lines, counted)
            assert together > 1 or statistics.median(counted) == lines, (event, by, lines, counted)
    assert {row["cpu"] for row in found.rows} == set("0123")


@in_full("memory traffic of two packages")
def test_memory_of_two_packages(boot):
    """The memory channels of a package count its lines, since the walks exceed the last level."""
    cpu, kernel = "Skylake-Server", "copy_16"
    left = boot(cpus="2,sockets=2,cores=1,threads=1", cpu=cpu, more=TWO[cpu], props=SMALL,
                plan=plan_text(warmup=WARMUP, timeout_ms=PATIENT_MS) + walks(kernels=[kernel]) +
                events(EVENTS[cpu]))
    assert left.verdict == "PASS" and left.results.run["errors"] == []
    assert [p["package"] for p in left.results.run["packages"]] == [0, 1]
    for by in (0, 1):
        ways = {}
        check_walk(left.results, cpu, kernel, ways, by)
        assert ways and all(len(lines) == 1 and 0 < max(lines) < WAY_LINES
                            for lines in ways.values()), (by, ways)


@in_full("energy, with -icount")
def test_energy_is_power_over_time(boot):
    """The energy is the model's power times the time, within two counter steps. A window that is
    too short has no energy.
    """
    left = boot(cpus=1, cpu="Haswell", icount=4, timeout_s=conftest.BOOT_S, plan=energy_plan())
    energy_is_right(left.results)
    short, = [r for r in rows_of(left.results, ENERGY) if r["kernel"] == "nops"]
    assert short["verdict"] == "unavailable" and "100 ms" in short["reason"], short


@in_full("energy of two packages")
def test_energy_of_two_packages(boot):
    """The model's second package uses half as much energy as the first.

    If the host pauses a CPU between two readings, a sample is too large. The test therefore uses
    the least of six or more samples.
    """
    left = boot(cpus="2,sockets=2,cores=1,threads=1", cpu="Haswell", timeout_s=conftest.BOOT_S,
                plan=energy_plan(LONG_N // 10))
    power, per_tick = {}, {}
    for cpu in "01":
        power[cpu], = {int(row["min"]) & 0x7fff for row in left.results.rows
                       if row["cpu"] == cpu and f"{POWER_INFO:x}" in row["event"]}
        taken = [int(s["raw"]) / int(s["tsc"]) for s in left.results.samples
                 if (s["cpu"], s["kernel"], s["event"]) == (cpu, LONG, ENERGY)]
        assert len(taken) >= 6, (cpu, taken)
        per_tick[cpu] = min(taken)
    assert power["0"] == 2 * power["1"] > 0
    assert abs(per_tick["0"] / (2 * per_tick["1"]) - 1) < 0.05, per_tick


# ---- Lies, lists and mistakes ----

@pytest.mark.parametrize("lie", thinned(
    ["stuck", "silent", "runs", "no-enable"], (0,), "uncore counters that lie"))
def test_counters_that_lie(boot, lie):
    left = boot(cpus=1, cpu="Haswell", props=f"pmu-uncore={lie}",
                plan=plan_text(kernels="empty,load_store") + events(EVENTS["Haswell"]))
    for event in EVENTS["Haswell"]:
        rows = rows_of(left.results, event)
        assert rows and {row["verdict"] for row in rows} == {"off"}, (lie, rows)
        assert all(row["reason"] for row in rows)
    assert expect.row_of(left.results, "load_store", "INST_RETIRED.ANY")["verdict"] == "exact"
    assert left.verdict.startswith("FAIL "), left.verdict


@in_full("an unknown uncore event")
def test_an_unknown_event_costs_its_own_row_alone(boot):
    plan = plan_text(kernels="empty") + events(["llc_lookups", "UNC_CBO_NO_SUCH.EVENT",
                                                "uncore_cbox/event=0x1234567/"])
    left = boot(cpus=1, cpu="Haswell", plan=plan)
    for line in ("uncore_cbox/event=0x1234567/", "UNC_CBO_NO_SUCH.EVENT"):
        expect.said_of_line(left, plan, line)
    for why in ("no event of this name is known for this CPU",
                "the event is not written as expected"):
        assert f" unavailable: {why}\n" in left.console
    assert expect.row_of(left.results, "empty", "llc_lookups")["verdict"] == "measured"
