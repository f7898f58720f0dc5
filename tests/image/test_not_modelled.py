# SPDX-License-Identifier: BSD-2-Clause
"""Events that a machine says it cannot count are `unavailable`; emulated numbers are marked."""
import outside
import pytest
import results
from conftest import plan_text
from expect import row_of
from levels import in_full, thinned
from test_cpus import HYBRID

CYCLES = "CPU_CLK_UNHALTED.THREAD_P"
WITHOUT = "cpu/event=0x24,umask=0x3f,name=NoRule/"  # L2_RQSTS.MISS, for which the model has no rule
KERNELS = ("nops", "load")
PLAN = plan_text(kernels=",".join(KERNELS)) + \
    f"[events cache]\n{CYCLES}\n{WITHOUT}\nMEM_INST_RETIRED.ALL_LOADS\n"
REASON = "not modelled: "
MARK = "emulated: by formula"
REMARK = "NoRule: 0 in all kernels, while others of group cache were not: this machine may not " \
    "count it"


def remarks_of(left):
    found = [text for text in left.results.run["remarks"] if "0 in all kernels" in text]
    told = " ".join(left.console.split())
    assert all(text in told for text in found), left.console
    return found


def test_an_event_without_a_rule_is_unavailable(boot):
    left = boot(plan=PLAN, cpus=2)
    for cpu in range(2):
        for kernel in KERNELS:
            row = row_of(left.results, kernel, "NoRule", cpu)
            assert (row["verdict"], row["median"], row["counter"]) == ("unavailable", "", ""), row
            assert row["reason"].startswith(REASON), row
            assert int(row_of(left.results, kernel, CYCLES, cpu)["min"]) > 0
    assert f"unavailable: {REASON}" in left.console
    rows = 2 * len(KERNELS)
    assert f"- nops and other kernels NoRule on CPUs 0-1: unavailable, {rows} rows\n    {REASON}" \
        in left.console
    assert remarks_of(left) == [] and left.results.run["errors"] == []
    assert left.verdict == "PASS" and left.results.status == results.PASSED


@pytest.mark.parametrize("mode", thinned(
    ["serial", "parallel"], (0,), "mode on a machine that does not tell"))
def test_a_machine_that_does_not_tell_counts_0_which_is_said(boot, mode):
    left = boot(plan=PLAN.replace("[run]", f"[run]\nmode={mode}"), cpus=2, props="pmu-rules=off")
    for cpu in range(2):
        for kernel in KERNELS:
            row = row_of(left.results, kernel, "NoRule", cpu)
            assert (row["verdict"], row["min"], row["max"]) == ("measured", "0", "0"), row
    assert remarks_of(left) == [REMARK] and left.verdict == "PASS"
    assert left.results.run["machine"]["emulated"] == "by formula"


@pytest.mark.parametrize("machine, props, is_marked", thinned([
    ("model", "", True), ("stock", "", True), ("model", "tcg-cpuid=off", True),
    ("model", "tcg-cpuid=off,pmu-rules=off", False), ("stock", "tcg-cpuid=off", False)],
    (0,), "signatures of emulation"))
def test_cycles_and_times_are_marked(boot, machine, props, is_marked):
    """Either of two signatures in CPUID shows that the machine is emulated."""
    left = boot(machine=machine, props=props, cpus=1, plan=plan_text(kernels="nops"))
    marks = [line for line in left.console.splitlines() if MARK in line]
    assert [line.strip() for line in marks] == [
        MARK, f"Cycles are {MARK}; time stamp, gaps and rates are the host's time"][:2 * is_marked]
    assert left.results.run["machine"].get("emulated") == ("by formula" if is_marked else None)


@in_full("rules of each type of core")
def test_each_type_of_core_has_rules_of_its_own(boot):
    """Taken branches have two encodings, and each type of core has a rule for one of them."""
    left = boot(plan=plan_text(kernels="loop_dec_jnz", n=1000) +
                "[events taken]\nr20c4\nrc0c4\nTaken = r20c4, rc0c4\n", **HYBRID)
    for cpu, own, other in ((0, "r20c4", "rc0c4"), (1, "rc0c4", "r20c4")):
        for name in (own, "Taken"):
            assert row_of(left.results, "loop_dec_jnz", name, cpu)["median"] == "999"
        row = row_of(left.results, "loop_dec_jnz", other, cpu)
        assert row["verdict"] == "unavailable" and row["reason"].startswith(REASON), row
    assert left.verdict == "PASS"


UNITS = {  # an uncore event with a rule, and one without
    "Nehalem": ("uncore/event=0x03,umask=0x01/", "uncore/event=0x04,umask=0x01/"),
    "Haswell": ("uncore_cbox/event=0x34,umask=0x8f/", "uncore_cbox/event=0x22,umask=0x41/"),
    "Skylake-Server": ("uncore_imc/event=0x04,umask=0x03/", "uncore_imc/event=0x05,umask=0x04/"),
}


@pytest.mark.parametrize("cpu", thinned(list(UNITS), (0,), "CPU models with an uncore"))
def test_outside_the_cores(boot, cpu):
    with_rule, without = UNITS[cpu]
    left = boot(cpu=cpu, cpus=1, more=outside.MACHINES[cpu],
                plan=plan_text(kernels="nops") + outside.events([with_rule, without]))
    assert row_of(left.results, "nops", with_rule)["verdict"] == "measured"
    row = row_of(left.results, "nops", without)
    assert row["verdict"] == "unavailable" and row["reason"].startswith(REASON), row
    assert left.results.run["errors"] == []
