# SPDX-License-Identifier: BSD-2-Clause
"""The default plan on each CPU that the model machine has, with the rows that are right there."""
import collections

import expect
from machine import program
import pytest
from conftest import plan_text
from levels import thinned
import results

# tests/machine/PROPERTIES.md: version, general and fixed counters. QEMU's Icelake-Server bears a
# model number that is another core's.
CPUS = [
    ("Nehalem", "", (3, 4, 3), expect.OF_SKYLAKE, ("avx_byte_mask",)),
    ("SandyBridge", "", (3, 4, 3), expect.OF_SKYLAKE, ("avx_byte_mask",)),
    ("Haswell", "", (3, 4, 3), expect.OF_SKYLAKE, ()),
    ("Skylake-Client", "", (4, 4, 3), (), ()),
    ("Skylake-Server", "", (4, 4, 3), (), ()),
    ("Icelake-Server", "", (5, 8, 4), expect.OF_SKYLAKE, ()),
    ("Icelake-Server", "model=106", (5, 8, 4), (), ()),
]


def default_plan():
    """Fewer runs of it, for the time's sake."""
    return program.default_plan("shutdown").replace("\nruns=default", "\nruns=5")


def check(left, fixed):
    """Nothing is wrong, and all counters of each CPU were tested: `fixed` of them and the rest."""
    assert left.results.status == results.PASSED and left.verdict == "PASS"
    assert left.results.run["complete"] is True and left.results.run["errors"] == []
    for cpu, count in zip(left.results.run["cpus"], fixed, strict=True):
        assert int(cpu["pmu"]["fixed_counters"], 16) == (1 << count) - 1
        assert cpu["counter_test"]["failed"] == [] and cpu["counter_test"]["status"] == "ok"
        assert cpu["counter_test"]["counters"] == count + cpu["pmu"]["general_counters"]


@pytest.mark.parametrize("cpu, props, pmu, lost, skipped", thinned(CPUS, (0, 6), "CPU models"))
def test_a_cpu(boot, cpu, props, pmu, lost, skipped):
    left = boot(cpu=cpu, props=props, cpus=1, plan=default_plan())
    found = left.results.run["cpus"][0]
    assert (found["pmu"]["version"], found["pmu"]["general_counters"]) == pmu[:2]
    assert len(found["passes"]) == -(-(len(expect.GENERAL) - len(lost)) // pmu[1])
    expect.check_rows(left.results, 1, expect.default_counts(), lost=lost, skipped=skipped)
    check(left, pmu[2:])


HYBRID = {"cpu": "Icelake-Server", "props": "model=151,pmu-core-type=0x40",
          "cpus": "1,sockets=1,cores=2,threads=1,maxcpus=2",
          "more": ("-device", "Icelake-Server-x86_64-cpu,pmu=on,model=151,pmu-core-type=0x20,"
                   "socket-id=0,die-id=0,core-id=1,thread-id=0")}


def test_cpus_of_a_kind(boot):
    left = boot(plan=plan_text(cpus="efficiency", kernels="empty,nops", runs=2), **HYBRID)
    assert {(row["cpu"], row["core_type"]) for row in left.results.rows} == {("1", "atom")}
    assert left.results.run["errors"] == [] and left.verdict == "PASS"


def test_a_hybrid(boot):
    """
    A performance core of Alder Lake, which has the events of its model, and an efficiency core. On
    both 3C/01 ticks as fixed counter 2 does.
    """
    left = boot(plan=default_plan(), **HYBRID)
    cpus = left.results.run["cpus"]
    assert [cpu["core_type"] for cpu in cpus] == ["core", "atom"]
    assert [(cpu["pmu"]["version"], cpu["pmu"]["general_counters"]) for cpu in cpus] == [
        (5, 8), (5, 6)]
    lost = [r for r in left.results.rows if r["verdict"] == "unavailable"]
    assert {(r["cpu"], r["core_type"]) for r in lost} == {("1", "atom")}
    assert len(lost) == len(expect.kernels()) * len(expect.OF_SKYLAKE)
    assert {r["event"] for r in lost} == set(expect.OF_SKYLAKE)
    counts = expect.default_counts()
    for row in left.results.rows:
        count = expect.DECLARED.get(row["event"])
        if row not in lost and count in counts[row["kernel"]]:
            right = str(counts[row["kernel"]][count])
            assert [row["min"], row["max"], row["verdict"]] == [right, right, "exact"], row
    clocks = collections.defaultdict(dict)
    for row in left.results.rows:
        if row["event"] in (expect.REFERENCE, expect.CLOCKS[0x97]):
            counts = [row[word] for word in ("unit", "verdict", "min", "median", "max")]
            clocks[row["cpu"], row["kernel"]][row["event"]] = counts
    assert len(clocks) == 2 * len(expect.kernels())
    for by_event in clocks.values():
        assert by_event[expect.REFERENCE] == by_event[expect.CLOCKS[0x97]]
        assert by_event[expect.REFERENCE][0] == "reference cycles"
    check(left, (4, 3))
