# SPDX-License-Identifier: BSD-2-Clause
"""If no other CPU can end a kernel that hangs, a reserved counter's overflow ends it.

The timeout has a certain number of TSC ticks, and the counter overflows after five times as many
cycles. Emulated cycles are slow, so timeout_ms and n are small here.
"""
import re

import expect
import own_kernels
import pytest
from conftest import plan_text
from levels import in_full, thinned

SPINS = {"spin": "    jmp $\n", "open": "    sti\n    jmp $\n"}
GOOD = ("empty", "load_store")


def run(boot, folder, cpus, files, cpu="Skylake-Server", **keys):
    stick = own_kernels.new_stick(folder, {f"{name}.bin": blob for name, blob in files.items()})
    left = boot(cpu=cpu, cpus=cpus, stick=stick, plan=plan_text(
        kernels=",".join(["empty", *files, "load_store"]), timeout_ms=1, n=20, **keys))
    assert left.results.run["complete"] is True
    return left


def check(left, cpu, pmc):
    for row in left.results.rows:
        if row["cpu"] != str(cpu):
            continue
        assert row["counter"] != pmc, row
        if row["kernel"] in SPINS:
            at = re.search(r"did not return within its time limit.* at ENTRY\+0x([0-9a-f])$",
                           row["reason"])
            assert row["verdict"] == "timeout" and at, row
        elif row["event"] in ("INST_RETIRED.ANY", "RETIRED_INSTRUCTIONS"):
            assert row["verdict"] == "exact", row


@pytest.mark.parametrize("cpu, pmc, keys", thinned(
    [("Skylake-Server", "pmc3", {}), ("EPYC-Rome", "pmc5", {}),
     ("Skylake-Server", "pmc3", {"method": "deltas"}), ("EPYC-Genoa", "pmc5", {}),
     ("EPYC-Rome", "pmc5", {"method": "deltas"})], (0,), "CPUs"))
def test_on_the_only_cpu(boot, tmp_path, cpu, pmc, keys):
    """Without PerfMonV2, no status bit shows the overflow."""
    files = {name: own_kernels.assembled(name, code) for name, code in SPINS.items()}
    left = run(boot, tmp_path, 1, files, cpu, **keys)
    check(left, 0, pmc)
    assert f"CPU 0: {pmc} is reserved for ending kernels that hang" in left.results.run["remarks"]


def planned_counters(left):
    """The schedule is made before any kernel runs."""
    return [{slot["counter"] for one in cpu["passes"] for slot in one}
            for cpu in left.results.run["cpus"]]


@in_full("hangs of all CPUs at once, with no other CPU to end them")
def test_all_cpus_together(boot, tmp_path):
    """A counter ends the boot CPU's kernel. The boot CPU then ends the other CPUs' kernels.

    The host may pause a CPU for a millisecond, so even a good kernel may be ended.
    """
    files = {"spin": own_kernels.assembled("spin", SPINS["spin"])}
    left = run(boot, tmp_path, 4, files, mode="parallel")
    spins = [row for row in left.results.rows if row["kernel"] == "spin"]
    assert {(row["cpu"], row["verdict"]) for row in spins} == {(cpu, "timeout") for cpu in "0123"}
    assert all("did not return within its time limit" in row["reason"] for row in spins)
    assert ["pmc3" in counters for counters in planned_counters(left)] == [False, True, True, True]
    assert "pmc3" not in {row["counter"] for row in left.results.rows if row["cpu"] == "0"}


@in_full("counters that are not reserved")
def test_no_counter_is_kept_without_need(boot, tmp_path):
    """No counter is reserved if another CPU can end the kernel, or if all kernels are built in."""
    good = {"probe": own_kernels.loop()}
    assert "pmc3 is reserved" not in run(boot, tmp_path, 2, good).console
    (tmp_path / "alone").mkdir()
    assert "pmc3 is reserved" not in run(boot, tmp_path / "alone", 1, {}).console


@in_full("a good kernel beside a reserved counter")
def test_the_good_kernel_beside_the_kept_counter(boot, tmp_path):
    left = run(boot, tmp_path, 1, {"probe": own_kernels.loop()})
    row = expect.row_of(left.results, "probe", "INST_RETIRED.ANY")
    assert (row["verdict"], row["min"], row["max"]) == ("exact", "41", "41")
    assert left.verdict == "PASS"
