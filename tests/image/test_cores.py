# SPDX-License-Identifier: BSD-2-Clause
"""Cores that deviate from the model machine in ways that real cores do."""
import expect
import liars
import pytest
import results
from conftest import plan_text
from expect import check_truth
from levels import in_full, in_soak, thinned

KERNELS = ("empty", "nops", "load_store")
LOADS = "MEM_INST_RETIRED.ALL_LOADS"
# With icount there is one CPU, since QEMU then runs all CPUs in one thread.
HEALTHY = {
    "a base ratio": {"cpus": 1, "props": "pmu-mperf-slow=3623", "icount": 3},
    "a late REF_TSC": {"cpus": 1, "props": "pmu-late-ref=500", "icount": 3},
    "a slow bus clock": {"cpus": 1, "props": "pmu-bus-slow=2500,pmu-base-ratio=10", "icount": 3},
    "a crystal": {"cpus": 1, "props": "pmu-crystal=on", "cpu": "Skylake-Client", "icount": 3},
    "Nehalem": {"cpus": 2, "props": "pmu-count-cycles=on", "cpu": "Nehalem"},
}


def slots_of(left, event):
    return [slot for cpu in left.results.run["cpus"] for slot in sum(cpu["passes"], [])
            if slot["event"] == event]


def test_microcode_of_wrmsr_loads(boot):
    """The WRMSR that starts the counters adds one load to each window. This excess is the same with
    one and with two calls of the empty kernel, so the program subtracts it.
    """
    left = boot(cpus=1, plan=plan_text(kernels=",".join(KERNELS)), props="pmu-wrmsr-loads=1")
    check_truth(left.results.rows)
    assert left.verdict == "PASS" and left.results.status == results.PASSED
    window = left.results.run["window_cost"]["os"]["loads"]
    slot, = slots_of(left, LOADS)
    assert (slot["empty_window_min"], slot["empty_window_max"], slot["wrmsr_microcode"]) == (
        window + 1, window + 1, 1)
    assert sum("wrmsr_microcode" in slot for cpu in left.results.run["cpus"]
               for slot in sum(cpu["passes"], [])) == 1
    assert f"- CPU 0 {LOADS}: each window counts 1 more than its own code" in left.console


@in_full("more microcode than is believed")
def test_three_loads_are_not_believed(boot):
    left = boot(cpus=1, plan=plan_text(kernels=",".join(KERNELS)), props="pmu-wrmsr-loads=3")
    rows = [row for row in left.results.rows if row["event"] == LOADS]
    assert {row["verdict"] for row in rows} == {"off"}
    assert all(row["reason"].startswith("window cost: the empty window counted") for row in rows)
    check_truth([row for row in left.results.rows if row not in rows])
    assert "wrmsr_microcode" not in slots_of(left, LOADS)[0]
    assert left.results.status == results.FAILED


@pytest.mark.parametrize("props, counted", thinned(
    [("pmu-iret-user=on", "usr"), ("", "os")], (0,), "ring that counts IRETQ"))
def test_iretq_counts_in_the_ring_that_it_enters(boot, props, counted):
    """The empty window at CPL 3 shows in which ring IRETQ is counted."""
    left = boot(cpus=1, plan=plan_text(kernels=",".join(KERNELS), ring="usr"), props=props)
    check_truth(left.results.rows)
    assert left.verdict == "PASS" and left.results.status == results.PASSED
    assert {row["ring"] for row in left.results.rows if row["event"] != "TSC"} == {"usr"}
    assert left.results.run["cpus"][0]["iret_counted"] == counted
    said = "- CPU 0: IRETQ, which enters a kernel, counts at CPL 3 and not at CPL 0"
    assert (said in left.console) == (counted == "usr")


def test_nehalem_counts_cycles_until_its_sequence(boot):
    """General counters count cycles until software has written a sequence of values to the selects
    (errata AAK100, AAP53 and BD53).
    """
    left = boot(cpus=1, cpu="Nehalem", plan=plan_text(kernels=",".join(KERNELS)),
                props="pmu-count-cycles=on")
    check_truth([row for row in left.results.rows if row["event"] != expect.OF_SKYLAKE[0]])
    assert left.verdict == "PASS" and left.results.status == results.PASSED


@in_full("a late REF_TSC, with -icount")
@pytest.mark.parametrize("after", (0, 500))
def test_reference_cycles_are_updated_late(boot, after):
    left = boot(cpus=1, plan=plan_text(kernels="load_store,empty,nops", overflow_after=after),
                props="pmu-late-ref=500", icount=3)
    check_truth(left.results.rows)
    assert left.verdict == "PASS" and left.results.status == results.PASSED
    assert {row["counter"] for row in left.results.rows
            if row["event"] == "CPU_CLK_UNHALTED.REF_TSC"} == {"fixed2"}


@in_full("frequencies, with -icount")
@pytest.mark.parametrize("core, hz, source", [
    ("a slow bus clock", 997_500_000, "measured against the ACPI timer"),
    ("a crystal", 1_000_000_000, "from CPUID.15H")])
def test_the_time_stamps_frequency(boot, core, hz, source):
    """With a bus clock that is 0.25 % slow, the time stamp's frequency is 997.5 MHz. If CPUID.15H
    does not report the crystal's frequency, the program computes 24 MHz x 125 / 3.
    """
    left = boot(plan=plan_text(kernels="empty"), **HEALTHY[core])
    machine, clock = left.results.run["machine"], left.results.run["cpus"][0]["clock"]
    assert machine["tsc_source"] == source
    assert abs(machine["tsc_hz"] - hz) <= hz * machine["tsc_error_ppm"] / 1e6 < hz / 1000
    assert clock.get("crystal_mhz") == (24 if core == "a crystal" else None)
    assert left.verdict == "PASS"


def check_healthy(found):
    assert found.rows and found.status == results.PASSED
    assert not [row for row in found.rows if row["verdict"] == "off" or (
        row["verdict"] == "noisy" and row["expected"] != "")]


@in_soak("ten runs of each healthy machine")
@pytest.mark.parametrize("spec", HEALTHY.values(), ids=HEALTHY)
def test_ten_runs_of_a_healthy_core(boot, spec):
    for _ in range(10):
        check_healthy(boot(plan=plan_text(kernels=",".join(KERNELS)), **spec).results)


@in_soak("ten runs under each healthy firmware")
@pytest.mark.parametrize("lie", ("gdt", "global_pages"))
def test_ten_runs_under_healthy_firmware(boot, tmp_path, lie):
    plan = plan_text(kernels=",".join(KERNELS), at_end="leave")
    _, starts = liars.told(boot, tmp_path, [lie] * 10, plan=plan, cpus=2)
    for start in starts:
        check_healthy(start.found)
