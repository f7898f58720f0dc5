# SPDX-License-Identifier: BSD-2-Clause
"""Spread, modes and nanoseconds, as pmu/base/stats.h and clock.h define them."""
import collections
import re
import statistics

import own_kernels
import pytest
from conftest import plan_text
from levels import in_full

CORE = ("CPU_CLK_UNHALTED.THREAD", "CPU_CLK_UNHALTED.THREAD_P")
TSC_RATE = ("CPU_CLK_UNHALTED.REF_TSC", "TSC")
RUNS = 40
SPEAKS_FROM = 5  # the fewest samples for which a row has a spread and modes
# The loop makes n * (APIC ID + 1) turns. The APIC ID, CPUID.01H:EBX[31:24], is the CPU's number.
BY_CPU = "mov eax, 1; cpuid; shr ebx, 24; inc ebx; imul rdi, rbx; .again:; dec rdi; jnz .again; ret"
PLATFORM_HZ = 2_100_000_000  # MSR_PLATFORM_INFO of Skylake-Server: tests/machine/PROPERTIES.md


@pytest.fixture(scope="module")
def measured(boot_shared):
    """The cycles of branch_random are noisy. Times are noisier, since they depend on the host.
    by_cpu takes longer on CPUs with higher numbers.
    """
    kernels = "empty,nops,add_chain,branch_random,by_cpu"
    by_cpu = own_kernels.assembled("by_cpu", BY_CPU, clobbers="rax, rbx, rcx, rdx, rdi")
    return boot_shared(plan=plan_text(runs=RUNS, warmup=1, kernels=kernels), cpus=3,
                       files={"barecount/kernels/by_cpu.bin": by_cpu})


def empty_window_min(found, row):
    cpu, = [cpu for cpu in found.run["cpus"] if str(cpu["cpu"]) == row["cpu"]]
    entry, = [e for e in cpu["passes"][int(row["pass"])] if e["event"] == row["event"]]
    return entry["empty_window_min"]


def accepted(found, times=1):
    """The accepted raw values of each row's pass at `times` * n, from samples.csv."""
    pass_of = {(r["cpu"], r["kernel"], r["event"]): r["pass"] for r in found.rows}
    n_of = {r["kernel"]: r["n"] for r in found.rows}
    values = collections.defaultdict(list)
    for sample in found.samples:
        key = sample["cpu"], sample["kernel"], sample["event"]
        if sample["accepted"] == "1" and sample["pass"] == pass_of[key] and \
                int(sample["n"]) == times * int(n_of[sample["kernel"]]):
            values[key].append(int(sample["raw"]))
    return values


def step_ticks(found):
    """The largest step of the reference clock in TSC ticks: a period of an 80 MHz bus clock."""
    return -(-found.run["machine"]["tsc_hz"] // 80_000_000)


def shape(values, step):
    """median, mad, modes and stable, as pmu/base/stats.h defines them."""
    values = sorted(values)
    median = statistics.median(values)
    mad = statistics.median(abs(value - median) for value in values)
    resolution = max(2, step, abs(median) / 100)
    groups = [[values[0]]]
    for value in values[1:]:
        if value - groups[-1][-1] > max(resolution, 0.75 * mad):
            groups.append([])
        groups[-1].append(value)
    modes = sum(len(group) >= max(0.05 * len(values), 2) for group in groups)
    near = sum(abs(value - median) <= resolution for value in values)
    stable = modes == 1 and near >= 0.95 * len(values)
    return median, mad, modes, "yes" if stable else "no"


def test_exact_rows_have_one_mode_and_no_spread(default_boot):
    rows = [row for row in default_boot.results.rows if row["verdict"] == "exact"]
    assert rows and all(int(row["runs"]) >= SPEAKS_FROM for row in rows)
    assert {(row["mad"], row["modes"], row["stable"], row["differs"], row["mhz"], row["ns"])
            for row in rows} == {("0", "1", "yes", "", "", "")}


def test_spread_and_modes_are_those_of_the_samples(measured):
    """Rows of the TSC are left out, since run.json lacks the time of the empty window."""
    found = measured.results
    step = step_ticks(found)
    samples = accepted(found)
    noisy = 0
    for row in found.rows:
        if row["event"] == "TSC":
            continue
        where = row["cpu"], row["kernel"], row["event"]
        assert len(samples[where]) == int(row["runs"]) == RUNS, where
        base = empty_window_min(found, row)
        median, mad, modes, stable = shape([value - base for value in samples[where]],
                                           step if row["event"] in TSC_RATE else 1)
        assert [float(row["median"]), float(row["mad"]), int(row["modes"]), row["stable"]] == \
            [median, mad, modes, stable], where
        noisy += stable == "no"
    assert noisy, "branch_random mispredicts at random"


COPIES = {"add_chain": 16, "branch_random": 1, "by_cpu": 1}  # n changes no other kernel's counts


def test_a_copy_is_what_another_n_counts(measured):
    """For each sample at 2n, the test computes (the sample minus the median at n) / n / copies.
    per_copy is the median of these values, per_copy_min the least and per_copy_max the greatest.
    """
    found = measured.results
    once, twice = accepted(found), accepted(found, 2)
    for row in found.rows:
        told = [row[name] for name in ("per_copy", "per_copy_min", "per_copy_max")]
        where = row["cpu"], row["kernel"], row["event"]
        copies = COPIES.get(row["kernel"])
        if not copies:
            assert (row["copies"], *told) == ("", "", "", ""), where
            continue
        assert row["copies"] == str(copies)
        if row["event"] == "TSC":
            assert all(told)
            continue
        more = [(value - statistics.median(once[where])) / int(row["n"]) / copies
                for value in twice[where]]
        assert [float(number) for number in told] == pytest.approx(
            [statistics.median(more), min(more), max(more)], abs=0.00051), where


def test_nanoseconds_are_cycles_over_megahertz(measured):
    """Core cycles are divided by the core's clock, which here is as fast as the reference clock.
    Reference cycles and TSC ticks are divided by the TSC's clock. If a kernel has too few reference
    cycles, the core's clock is not known.
    """
    found = measured.results
    khz = (found.run["machine"]["tsc_hz"] + 500) // 1000
    samples = accepted(found)
    told = collections.Counter()
    for row in found.rows:
        where = row["cpu"], row["kernel"], row["event"]
        reference = samples[row["cpu"], row["kernel"], TSC_RATE[0]]
        tells = (sum(reference) // (100 * step_ticks(found))) ** 2 >= len(reference)
        if row["event"] in CORE:
            told[tells] += 1
        if row["event"] not in TSC_RATE and not (row["event"] in CORE and tells):
            assert row["mhz"] == row["ns"] == "", where
            continue
        assert float(row["mhz"]) == pytest.approx(khz / 1000, abs=0.0011), where
        # mhz and ns have three decimals, and ns is computed from the rounded mhz
        exact = float(row["median"]) * 1000 / float(row["mhz"])
        assert float(row["ns"]) == pytest.approx(exact, abs=0.00051), where
    assert told[True] and told[False], "the empty kernel takes few cycles"


def test_differs_says_which_cycles_differ(measured):
    for row in measured.results.rows:
        by_cpu = row["kernel"] == "by_cpu" and row["cpu"] != "0" and row["event"] == CORE[0]
        if row["event"] in CORE and row["kernel"] != "branch_random":
            assert (row["stable"], row["differs"]) == ("yes", "cpus" if by_cpu else ""), row
        elif row["event"] not in CORE + ("TSC",):
            assert row["differs"] == "", row


def test_the_console_adds_them_up(measured):
    rows = [row for row in measured.results.rows if row["event"] in CORE]
    line = re.search(r"^Cycles    stable in (\d+) of (\d+) rows; passes differ in (\d+), "
                     r"CPUs in (\d+)\r?$", measured.console, re.M)
    assert [int(number) for number in line.groups()] == [
        sum(row["stable"] == "yes" for row in rows), len(rows),
        sum("passes" in row["differs"] for row in rows),
        sum("cpus" in row["differs"] for row in rows)]


@in_full("a slow base clock, with -icount")
def test_a_core_whose_base_clock_is_slower_than_the_time_stamp(boot):
    """A slow MPERF must not look like gaps in which the core stands still.

    The core's base clock is 33 x 100 MHz, and the time stamp's clock is 24 MHz x 276 / 2.
    """
    left = boot(cpus=1, plan=plan_text(kernels="empty", runs=2, noise_ms=50),
                props="pmu-mperf-slow=3623", icount=3)
    clock = left.results.run["cpus"][0]["clock"]
    for mhz in clock["core_mhz"], clock["reference_mhz"]:
        assert mhz == pytest.approx(clock["tsc_mhz"] * 3300 / 3312, rel=3e-4)
    assert left.verdict == "PASS" and left.results.run["noise"]["gaps"] == 0


def test_the_time_stamp_is_measured_against_the_acpi_timer(measured):
    """The program uses the frequency of MSR_PLATFORM_INFO if it agrees with the measured frequency
    within 50 ppm, and otherwise the measured frequency. The model's time stamp runs at the host's
    rate.
    """
    run = measured.results.run
    used, by_timer = run["machine"]["tsc_hz"], run["machine"]["tsc_measured_hz"]
    assert 500_000_000 < by_timer < 10_000_000_000
    agrees = abs(PLATFORM_HZ - by_timer) <= by_timer // 20_000
    assert used == (PLATFORM_HZ if agrees else by_timer)
    source = "from MSR_PLATFORM_INFO" if agrees else "measured against the ACPI timer"
    assert run["machine"]["tsc_source"] == source
    off_ppm = abs(used - by_timer) * 1_000_000 // by_timer + 506
    assert run["machine"]["tsc_error_ppm"] == off_ppm
    assert f"{source}, within {off_ppm} ppm" in measured.console
    word = source.removeprefix("from ").removeprefix("measured against the ")
    timed = [row for row in measured.results.rows if row["ns"] or row["rate"]]
    assert timed and {row["time_from"] for row in timed} == {word}
    assert "! TSC" not in measured.console
    assert not any("ACPI timer" in text for text in run["remarks"])
    for cpu in run["cpus"]:
        assert cpu["clock"]["tsc_mhz"] == (used + 500) // 1000 / 1000
        assert cpu["clock"]["nominal_mhz"] == PLATFORM_HZ / 1e6
