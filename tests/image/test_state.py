# SPDX-License-Identifier: BSD-2-Clause
"""[state] in a plan: a CPU's settings, their entries in run.json, and their restoration."""
import itertools
import re

from machine import program
import pytest
import results
from conftest import DEFAULT_CPUS, SHORT, plan_text
from levels import in_full

PLATFORM_INFO_BASE = {"Skylake-Server": 21, "Nehalem": 20}  # tests/machine/PROPERTIES.md
MISC_ENABLE, PREFETCHERS, PERF_CTL, PERF_STATUS = 0x1a0, 0x1a4, 0x199, 0x198
SET = (MISC_ENABLE, PREFETCHERS, PERF_CTL)  # in the order of the settings
GLOBAL_CTRL = 0x38f
TURBO_OFF, ALL_OFF = 1 << 38, 0xf
# In 1A0H, bits 0, 7, 11 and 12 are set after a reset. Bit 18 is 0, since these CPUs lack MONITOR.
AT_RESET = {MISC_ENABLE: 0x1881, PREFETCHERS: 0, PERF_CTL: 0}
OK = "ok"
ABSENT = "the CPU has no register for this setting"
NOT_BY_RATIO = "on this CPU, IA32_PERF_CTL has more fields than the ratio in [15:8]"
ALL = {"turbo": "off", "prefetch": "off", "ratio": "base"}
KERNELS = ("empty", "nops")


def plan_of(state, **keys):
    keys = {"kernels": ",".join(KERNELS), "runs": 2, **keys}
    return plan_text(**keys) + "[state]\n" + "".join(f"{k}={v}\n" for k, v in state.items())


def asked_of(cpu_model):
    return {MISC_ENABLE: AT_RESET[MISC_ENABLE] | TURBO_OFF, PREFETCHERS: ALL_OFF,
            PERF_CTL: PLATFORM_INFO_BASE[cpu_model] << 8}


def written(left, cpus, msrs=SET):
    """(CPU, MSR, value, openings) of each write to a register of [state].

    openings: how often the CPU had enabled its counters before the write.
    """
    opened, found = dict.fromkeys(range(cpus), 0), []
    for write in program.writes(left.trace):
        if write.msr == GLOBAL_CTRL and write.value:
            opened[write.cpu] += 1
        if write.msr in msrs and not write.refused:
            found.append((write.cpu, write.msr, write.value, opened[write.cpu]))
    return found


def check_put_back(left, cpus, asked, msrs=SET):
    ours = written(left, cpus, msrs)
    for cpu, msr in itertools.product(range(cpus), msrs):
        values = [value for c, m, value, _ in ours if (c, m) == (cpu, msr)]
        assert values == [asked[msr], AT_RESET[msr]], (cpu, hex(msr))
    for cpu in range(cpus):
        order = [msr for c, msr, _, _ in ours if c == cpu]
        assert order == [*msrs, *reversed(msrs)]
        openings = [opened for c, _, _, opened in ours if c == cpu]
        at_set, at_end = openings[:len(msrs)], openings[len(msrs):]
        assert len(set(at_set)) == len(set(at_end)) == 1
        assert at_end[0] - at_set[0] > len(KERNELS), "no kernel ran in between"
    return [cpu for cpu, _ in itertools.groupby(c for c, *_ in ours)]


def items(cpu, asked, base):
    def item(setting, msr, is_set=True, found=None, value=None):
        return {"cpu": cpu, "setting": setting, "register": hex(msr),
                "found": hex(AT_RESET[msr] if found is None else found),
                "asked": hex(asked[msr] if value is None else value), "set": is_set,
                "read_back": hex(asked[msr] if value is None else value), "status": OK}
    return [item("turbo", MISC_ENABLE), item("prefetch", PREFETCHERS), item("ratio", PERF_CTL),
            item("ratio", PERF_STATUS, False, base << 8, base << 8)]


def asked_for(left):
    return [item for item in left.results.run["state"] if item.get("asked") != "keep"]


@pytest.mark.parametrize("cpus, mode", [(1, "serial"), (2, "serial"), (2, "parallel")])
def test_set_and_put_back(boot, cpus, mode):
    left = boot(plan=plan_of(ALL, mode=mode), cpus=cpus, traced=True)
    base, asked = PLATFORM_INFO_BASE["Skylake-Server"], asked_of("Skylake-Server")
    assert left.verdict == "PASS" and left.results.run["errors"] == []
    order = check_put_back(left, cpus, asked)
    # CPUs may share these registers, so mode=parallel restores the last CPU's registers first
    assert order == {(1, "serial"): [0], (2, "serial"): [0, 1],
                     (2, "parallel"): [0, 1, 0]}[cpus, mode]
    assert left.results.run["state"] == [i for cpu in range(cpus) for i in items(cpu, asked, base)]
    assert f"CPU 0 state: turbo off; prefetch off (0xf); ratio {base}\n" in left.console
    assert left.console.count(" state: ") == 1, "CPU 1 is like CPU 0"
    assert not [line for line in left.results.run["not_restored"] if line.startswith("CPU")]


def test_nothing_is_set_unless_asked(default_boot):
    assert written(default_boot, DEFAULT_CPUS) == []
    found = {("turbo", hex(MISC_ENABLE)): AT_RESET[MISC_ENABLE], ("prefetch", hex(PREFETCHERS)): 0,
             ("ratio", hex(PERF_CTL)): 0,
             ("ratio", hex(PERF_STATUS)): PLATFORM_INFO_BASE["Skylake-Server"] << 8}
    assert default_boot.results.run["state"] == [
        {"cpu": cpu, "setting": setting, "register": register, "found": hex(value),
         "asked": "keep", "set": False, "read_back": hex(value), "status": OK}
        for cpu in range(DEFAULT_CPUS) for (setting, register), value in found.items()]
    assert " state: " not in default_boot.console


@in_full("the state of an older CPU")
def test_an_older_cpu(boot):
    """Nehalem's IA32_PERF_STATUS contains the ratio in bits 7:0, not in bits 15:8."""
    left = boot(plan=plan_of(ALL), cpus=1, traced=True, cpu="Nehalem")
    said, = left.results.run["errors"]
    assert left.verdict == "PASS" and said.endswith(f"{NOT_BY_RATIO}: MSR 0x199")
    check_put_back(left, 1, asked_of("Nehalem"), (MISC_ENABLE, PREFETCHERS))
    *others, ratio = left.results.run["state"]
    assert others == items(0, asked_of("Nehalem"), 20)[:2]
    assert (ratio["register"], ratio["status"]) == ("0x199", NOT_BY_RATIO)


def test_a_register_that_faults(boot):
    plan = plan_of(ALL)
    left = boot(plan=plan, cpus=2, traced=True, props=f"pmu-gp-msr={PREFETCHERS:#x}")
    assert left.verdict == "PASS" and left.results.status == results.PASSED
    line = plan.splitlines().index("prefetch=off") + 1
    for cpu in range(2):
        said, = [e for e in left.results.run["errors"] if f"CPU {cpu}, " in e]
        assert said.startswith(f"\\barecount\\plan.cfg:{line}: CPU {cpu}, prefetch=off: "), said
        assert said.endswith(f"MSR {PREFETCHERS:#x}") and said in left.console
    check_put_back(left, 2, asked_of("Skylake-Server"), (MISC_ENABLE, PERF_CTL))
    assert "CPU 0 state: turbo off; ratio 21\n" in left.console


def test_a_clock_that_does_not_follow(boot):
    """The model's clock never follows ratio=."""
    left = boot(plan=plan_of({"ratio": 15}), cpus=1, traced=True)
    assert left.verdict == "PASS" and left.results.run["errors"] == []
    check_put_back(left, 1, {PERF_CTL: 15 << 8}, (PERF_CTL,))
    remark, = [text for text in left.results.run["remarks"] if "CPU 0, ratio=15: " in text]
    assert remark.endswith("it shows 21")
    shown = asked_for(left)[1]
    assert (shown["asked"], shown["read_back"]) == (hex(15 << 8), hex(21 << 8))
    assert "CPU 0 state: ratio 15\n" in left.console


def test_an_efficiency_core_keeps_what_it_has(boot):
    """The program also sets bits 4 and 5 for a Gracemont, but the model's register has only bits 0
    to 3. The model lacks the registers of a module (1320h, 1321h): they read 0.
    """
    left = boot(plan=plan_of({"prefetch": "off"}), cpus=1, traced=True, cpu="Icelake-Server",
                props="pmu-core-type=0x20,pmu-native-model=1")
    assert left.verdict == "PASS"
    core, *module = left.results.run["errors"]
    assert core.endswith("MSR 0x1a4 took 0xd of 0x3d")
    assert [re.search("MSR 0x132[01]", said)[0] for said in module] == ["MSR 0x1320", "MSR 0x1321"]
    item, *module = asked_for(left)
    assert (item["asked"], item["read_back"], item["set"]) == ("0x3d", "0xd", True)
    assert [(one["register"], one["read_back"], one["set"]) for one in module] == [
        ("0x1320", "0x0", False), ("0x1321", "0x0", False)]


@in_full("a CPU without registers of state")
def test_a_cpu_without_the_registers(boot):
    left = boot(plan=plan_of(ALL), cpus=1, traced=True, cpu="Conroe", props="pmu-strict-msr=on")
    assert left.verdict == "PASS" and written(left, 1) == []
    assert [i["status"] == ABSENT for i in left.results.run["state"]] == [True, False, True]
    assert len(left.results.run["errors"]) == 3 and " state: " not in left.console


@in_full("state put back after a key")
def test_put_back_when_the_user_stops(boot):
    left = boot(plan=plan_of(ALL, runs=100, n=15000, kernels="known"), cpus=2, traced=True,
                keys=[(r"CPU 0  loop_dec_jnz", b"q")])
    assert left.results.run["stopped_by_user"] is True and left.verdict == "PASS"
    check_put_back(left, 1, asked_of("Skylake-Server"))
    assert {cpu for cpu, *_ in written(left, 2)} == {0}, "CPU 1 was not begun"


@in_full("state put back after a hang")
@pytest.mark.parametrize("mode", ["serial", "parallel"])
def test_put_back_when_a_cpu_hangs(boot, mode):
    """CPU 1 hangs in its only kernel, and the firmware recovers it.

    Before the hang, CPU 1 enables its counters once in its inspection, 574 + 1 times in its counter
    test, and 3 x (32 + 8) + 1 times in its calibration of three passes. Each "+ 1" is for restoring
    the registers after a task.
    """
    left = boot(plan=plan_of(ALL, mode=mode, kernels="nops"), cpus=2, traced=True,
                props="pmu-hang-cpu=1,pmu-hang-open=707")
    assert left.verdict.startswith("FAIL ") and left.results.run["complete"] is True
    assert {r["verdict"] for r in left.results.rows if r["cpu"] == "1"} == {"timeout"}
    last = {(cpu, msr): value for cpu, msr, value, _ in written(left, 2)}
    assert last == {(cpu, msr): AT_RESET[msr] for cpu in range(2) for msr in SET}
    assert not [line for line in left.results.run["not_restored"] if line.startswith("CPU")]


@in_full("state in a run that was cut off")
def test_a_run_that_was_cut_off_tells_it(boot):
    """The power is cut during the noise watch. Nothing is being written at that time."""
    cut = boot(plan=plan_of(ALL, kernels="known", noise_ms=10000), cpus=1,
               cut_at=r"CPU 0  noise")
    after = boot(plan=SHORT, stick=cut.stick)
    found = after.run("0001").run
    assert found["complete"] is False
    assert found["state"] == items(0, asked_of("Skylake-Server"), 21)
