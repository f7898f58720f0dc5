# SPDX-License-Identifier: BSD-2-Clause
"""If uncore registers fail, only the rows of their kind of unit are lost."""
import expect
import pytest
from conftest import BOOT_S, plan_text
from levels import in_full, thinned
from outside import EVENTS, MACHINES, energy_is_right, energy_plan, events, rows_of

READS = "uncore_arb/event=0x81,umask=0x2/"  # lines that loads read: tests/machine/OUTSIDE.md
LINE = 64
N = 300
WALK = f"[kernels]\nread_16 n={N} size=1M\n"  # from a cold cache each line is read from DRAM once
# The most cycles that the uncore clock counts outside the core's window: up to 150 lines from DRAM
# (test_uncore_counts.py), each with a stall of 150 cycles (tests/machine/README.md).
WAY_CYCLES = 150 * 150 + 5000

# CPU -> the kind of unit that `locked` affects, its first select register, and events of the other
# kinds with their counts.
LOCKED = {
    "Nehalem": ("uncore", 0x3c0, {}),
    "Haswell": ("cbox", 0x700, {READS: N}),
    "Skylake-Server": ("cha", 0xe01, {"dram_read_bytes": N * LINE, "dram_write_bytes": 0}),
}
IN_WORDS = "an uncore register raised #GP: MSR {:#x}"


def boot_lying(boot, cpu, lie, names):
    left = boot(cpus=1, cpu=cpu, more=MACHINES[cpu], props=f"pmu-uncore={lie}",
                plan=plan_text() + WALK + events([*names, "uncore_clock"]))
    assert left.results.run["complete"] is True
    for event, verdict in (("INST_RETIRED.ANY", "exact"), ("CPU_CLK_UNHALTED.THREAD", "measured")):
        assert expect.row_of(left.results, "read_16", event)["verdict"] == verdict
    package, = left.results.run["packages"]
    return left, package, {group["kind"]: group for group in package["groups"]}


def clock_is_right(found):
    """The uncore clock counts each cycle of the only CPU."""
    row = expect.row_of(found, "read_16", "uncore_clock")
    assert row["verdict"] == "measured", row
    cycles, clock = ([int(s["raw"]) for s in found.samples if s["accepted"] == "1" and
                      (s["kernel"], s["event"], s["pass"]) == ("read_16", event, row["pass"])]
                     for event in ("CPU_CLK_UNHALTED.THREAD", "uncore_clock"))
    assert len(cycles) == len(clock) >= 3
    for inside, outside in zip(cycles, clock, strict=True):
        assert inside <= outside <= inside + WAY_CYCLES, (cycles, clock)


@pytest.mark.parametrize("cpu", thinned(MACHINES, (2,), "CPU models with an uncore"))
def test_selects_that_take_no_write(boot, cpu):
    kind, msr, others = LOCKED[cpu]
    lost = [name for name in EVENTS[cpu] if name not in others]
    left, package, groups = boot_lying(boot, cpu, "locked", [*lost, *others])
    words = IN_WORDS.format(msr)
    for event in lost:
        for row in rows_of(left.results, event):
            assert (row["verdict"], row["reason"], row["median"]) == ("unavailable", words, ""), row
        assert not [s for s in left.results.samples if s["event"] == event]
    for event, count in others.items():
        row = expect.row_of(left.results, "read_16", event)
        assert (row["verdict"], float(row["median"])) == ("measured", count), row
        assert row["pass"] == expect.row_of(left.results, "read_16", "uncore_clock")["pass"]
    clock_is_right(left.results)
    assert (package["error"], groups[kind]["status"]) == (words, words)
    assert groups[kind]["test"].startswith("not tested")
    for other in groups.keys() - {kind, "energy", "imc_free_running"}:
        assert (groups[other]["status"], groups[other]["test"]) == ("ok", "right"), groups[other]
    # the program reports the register once, when it tests the counters
    assert left.results.run["errors"] == [f"CPU 0, package 0: {words}"]
    assert "off in every row" not in left.console
    assert left.verdict == "PASS"


@pytest.mark.parametrize("cpu", thinned(MACHINES, (0,), "CPU models with an uncore"))
def test_units_that_never_start(boot, cpu):
    left, _, groups = boot_lying(boot, cpu, "frozen", EVENTS[cpu])
    for event in (*EVENTS[cpu], "uncore_clock"):
        row = expect.row_of(left.results, "read_16", event)
        assert row["verdict"] == "off" and row["reason"].endswith(
            "of unit 0: a counter counts nothing although it should count each cycle"), row
    assert {group["status"] for kind, group in groups.items() if kind != "imc_free_running"} == \
        {"ok"}
    assert left.verdict.startswith("FAIL ")


@pytest.mark.parametrize("strict", thinned(["on", "off"], (0,), "answer of absent MSRs"))
@pytest.mark.parametrize("cpu", thinned(MACHINES, (1,), "CPU models with an uncore"))
def test_an_uncore_that_is_off(boot, cpu, strict):
    """If the uncore is off, its MSRs raise #GP or read 0, and channel registers read 0."""
    left, _, groups = boot_lying(boot, cpu, f"off,pmu-strict-msr={strict}", EVENTS[cpu])
    for event in (*EVENTS[cpu], "uncore_clock"):
        row = expect.row_of(left.results, "read_16", event)
        assert row["verdict"] in ("off", "unavailable") and row["reason"], row
        assert row["median"] in ("", "0"), row
    if "imc" in groups:  # channels that are found, but whose registers stay 0
        assert "does not keep what is written" in groups["imc"]["test"], groups["imc"]
    assert strict == "off" or {row["reason"].split(":")[0] for row in rows_of(
        left.results, "uncore_clock")} == {"an uncore register raised #GP"}


@in_full("energy of an uncore whose other counters lie")
@pytest.mark.parametrize("lie", ["locked", "frozen", "off"])
def test_energy_goes_on(boot, lie):
    """Energy is right, although the cache slices' counters fail in the same passes."""
    left = boot(cpus=1, cpu="Haswell", icount=4, timeout_s=BOOT_S, props=f"pmu-uncore={lie}",
                plan=energy_plan() + "llc_lookups\n")
    energy_is_right(left.results)
    for row in rows_of(left.results, "llc_lookups"):
        assert row["verdict"] == ("off" if lie == "frozen" else "unavailable"), row
