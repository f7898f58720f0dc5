# SPDX-License-Identifier: BSD-2-Clause
"""mode=parallel runs the same kernel on all CPUs at once."""
import csv
import io

import expect
from machine import program
import pytest
import results
from conftest import plan_text
from levels import FULL, in_full, thinned

N_MAX = 3000 if FULL else 300  # the largest n that is drawn; the prover steps through each kernel
LONG = 100000  # an n at which load_store takes about 50 ms
GLOBAL_CTRL = 0x38f
STAMPS = "[events one_pass]\nINST_RETIRED.ANY_P\n[msr before]\nrdtsc\n[msr after]\nrdtsc\n"


@pytest.mark.parametrize("cpus", thinned([1, 2, 4, 8], (1,), "numbers of CPUs in parallel"))
def test_all_cpus(boot, seeded, cpus):
    n = seeded.randint(1, N_MAX)
    print("n", n)
    # Emulated CPUs that wait for each other are slow, because they share the host's CPUs.
    names = expect.some() if cpus == 8 or not FULL else None
    kernels = {"kernels": ",".join(names)} if names else {}
    left = boot(cpus=cpus, plan=plan_text(n=n, mode="parallel", label=f"all {cpus}", runs=2,
                                          **kernels))
    assert left.verdict == "PASS" and left.results.status == results.PASSED
    expect.check_rows(left.results, cpus, expect.proved(n), names=names)
    assert {row["mode"] for row in left.results.rows} == {"parallel"}
    index = left.stick.read("barecount/results/index.csv").decode("ascii")
    line, = csv.DictReader(io.StringIO(index))
    assert (line["number"], line["label"], line["verdict"]) == ("0001", f"all {cpus}", "PASS")


@in_full("long kernels at the same time")
@pytest.mark.parametrize("mode", ["parallel", "serial"])
def test_at_the_same_time(boot, mode):
    """Only with mode=parallel does each CPU begin before the other ends. The plan's scripts take
    time stamps before and after a long kernel.
    """
    left = boot(cpus=2, plan=plan_text(kernels="load_store", n=LONG, mode=mode, runs=2,
                                       warmup=0) + STAMPS)
    stamps = {(row["cpu"], row["event"]): row for row in left.results.rows
              if row["event"].startswith("rdtsc")}
    begin = max(int(stamps[cpu, "rdtsc:before"]["min"]) for cpu in "01")
    end = min(int(stamps[cpu, "rdtsc"]["max"]) for cpu in "01")
    assert (begin < end) == (mode == "parallel"), stamps
    assert {row["mode"] for row in left.results.rows} == {mode}


def test_windows_open_together(boot):
    """No CPU opens a window before all CPUs have closed their previous windows, so each group of
    four openings belongs to four different CPUs.
    """
    runs, warmup, cpus = 5, 1, 4
    left = boot(cpus=cpus, traced=True,
                plan=plan_text(mode="parallel", kernels="nops,load", runs=runs, warmup=warmup))
    assert left.verdict == "PASS"
    opened = [write.cpu for write in program.writes(left.trace)
              if write.msr == GLOBAL_CTRL and write.value]
    # in each pass, both kernels open windows at n and at 2n; rejected samples add more windows
    windows = 2 * expect.passes(4) * (warmup + runs + warmup + 3)
    together = opened[-cpus * windows:]
    for i in range(0, len(together), cpus):
        assert set(together[i : i + cpus]) == set(range(cpus)), (i, together)


# A CPU enables its counters once when it is inspected, 575 times in the test of its counters, 40
# times in each pass of the calibration, once after the calibration, and then for kernels.
@in_full("a CPU that hangs among four")
@pytest.mark.parametrize("opening", [1, 200, 724])
def test_a_cpu_that_hangs_loses_nothing_of_the_others(boot, opening):
    left = boot(cpus=4, plan=plan_text(mode="parallel", kernels=",".join(expect.some())),
                props=f"pmu-hang-cpu=2,pmu-hang-open={opening}")
    rows = left.results.rows
    assert len(rows) == 4 * len(expect.some()) * len(expect.ALL_ROWS)
    assert expect.tally(r for r in rows if r["cpu"] != "2") == expect.verdicts(
        3, names=expect.some())
    timed_out = [r for r in rows if r["verdict"] == "timeout"]
    assert timed_out and {r["cpu"] for r in timed_out} == {"2"}
    assert all(r["reason"] for r in timed_out)
    assert len(timed_out) < len(rows) // 4 or opening < 724
    assert "CPU 2" in left.console and "did not answer" in left.console
    assert left.verdict.startswith("FAIL ") and left.results.status == results.FAILED
    assert left.results.run["complete"] is True
