# SPDX-License-Identifier: BSD-2-Clause
"""Machines with 16 to 128 CPUs, which take minutes to boot on a host with two CPUs."""
import expect
import pytest
import results
from conftest import plan_text
from levels import in_soak
from outside import EVENTS, events, rows_of

pytestmark = in_soak("machines with 16 to 128 CPUs, which take minutes")
NAMES = ("empty", "nops", "load_store")
BOOT_S = 3600


@pytest.mark.parametrize("cpus", [16, 64, 128])
def test_each_is_measured(boot, cpus):
    left = boot(cpus=cpus, timeout_s=BOOT_S, plan=plan_text(kernels=",".join(NAMES), runs=2))
    expect.check_rows(left.results, cpus, expect.default_counts(), names=NAMES)
    assert [cpu["apic_id"] for cpu in left.results.run["cpus"]] == list(range(cpus))
    assert left.results.run["errors"] == []
    assert left.verdict == "PASS" and left.results.status == results.PASSED


LINES, CORES = 300, 16  # cache lines that the kernel reads, and cores per package
SPILL = 200  # the boot CPU, which waits and watches meanwhile, adds at most this many lines


@pytest.mark.parametrize("cpus", [16, 64, 128])
def test_the_first_of_each_package_counts_for_it(boot, cpus):
    left = boot(cpus=f"{cpus},sockets={cpus // CORES},cores={CORES},threads=1", cpu="Haswell",
                timeout_s=BOOT_S, plan=plan_text(timeout_ms=60000) + events(EVENTS["Haswell"]) +
                f"[kernels]\nread_16 n={LINES} size=1M\n")
    found, firsts = left.results, range(0, cpus, CORES)
    assert left.verdict == "PASS" and found.run["errors"] == []
    assert [(p["cpu"], p["package"]) for p in found.run["packages"]] == [
        (cpu, cpu // CORES) for cpu in firsts]
    for event in EVENTS["Haswell"]:
        rows = rows_of(found, event)
        assert [row["cpu"] for row in rows] == list(map(str, firsts)), event
        assert {row["verdict"] for row in rows} == {"measured"}, rows
        for cpu in firsts:
            counted = [int(s["raw"]) for s in found.samples if s["accepted"] == "1" and
                       (s["cpu"], s["event"], s["n"]) == (str(cpu), event, str(LINES))]
            assert len(counted) >= 3, (cpu, event)
            assert all(0 <= raw - LINES <= SPILL for raw in counted), (cpu, event, counted)
    assert {row["cpu"] for row in found.rows} == set(map(str, range(cpus)))
