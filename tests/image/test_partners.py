# SPDX-License-Identifier: BSD-2-Clause
"""If a kernel for two CPUs fails on one CPU, each CPU's rows say how its own code ended."""
import itertools

import own_kernels
import pytest
from conftest import HANG_MS, plan_text
from levels import in_full, thinned

SPIN, FAULT, RETURN = "    jmp $\n", "    nop\n    ud2\n", "    ret\n"
ALONE = "another CPU that the kernel needs did not arrive"
RAISED = "the kernel raised an exception: #UD (6)"
HANGS = "the kernel did not return within its time limit"
# Each kernel: the code of the first and the second CPU, then each CPU's verdict and reason.
PAIRS = {
    "waits": (SPIN, FAULT, ("timeout", ALONE), ("fault", RAISED)),
    "faults": (FAULT, RETURN, ("fault", RAISED), ("timeout", ALONE)),
    "hangs": (RETURN, SPIN, ("timeout", ALONE), ("timeout", HANGS)),
    "hung": (SPIN, RETURN, ("timeout", HANGS), ("timeout", ALONE)),
}


def pair(name, first, second):
    return own_kernels.assembled(name, f"{first}SECOND pair\n{second}")


def stick_of(folder, kernels):
    return own_kernels.new_stick(folder, {
        f"{name}.bin": pair(name, *code) for name, code in kernels.items()})


def rows_of(found, kernel, cpu, partner):
    return [row for row in found.rows
            if (row["kernel"], row["cpu"], row["partner"]) == (kernel, str(cpu), str(partner))]


@in_full("four CPUs, on which pairs hang")
@pytest.mark.parametrize("mode, props", [
    ("serial", "monitor=on"), ("serial", ""), ("parallel", ""),
    # CPU 3 sends its NMI so slowly that another CPU ends the kernel first. The late NMI must not
    # arrive while the firmware runs.
    ("parallel", "pmu-slow-cpu=3,pmu-slow-us=500000")],
    ids=["parked", "serial", "parallel", "slow"])
def test_each_role_says_what_became_of_it(boot, tmp_path, mode, props):
    """CPU 3, which the plan does not name, watches the boot CPU."""
    stick = stick_of(tmp_path, {**{name: bad[:2] for name, bad in PAIRS.items()},
                                "good": (RETURN, RETURN)})
    left = boot(cpus=4, stick=stick, props=props, plan=plan_text(
        kernels=",".join([*PAIRS, "good", "nops"]), cpus="0-2", mode=mode, n=3, runs=2,
        warmup=1, timeout_ms=HANG_MS) + ("[state]\npark=mwait\n" if "monitor" in props else ""))
    found = left.results
    assert found.run["complete"] and found.missing == 0
    for first, second in itertools.combinations(range(3), 2):
        for name, (_, _, *became) in PAIRS.items():
            for (verdict, reason), (cpu, partner) in zip(
                    became, ((first, second), (second, first))):
                rows = rows_of(found, name, cpu, partner)
                assert rows and {row["verdict"] for row in rows} == {verdict}, (name, rows)
                assert all(row["reason"].startswith(reason) for row in rows), (name, rows)
        for cpu, partner in ((first, second), (second, first)):
            assert {row["verdict"] for row in rows_of(found, "good", cpu, partner)} == {"measured"}
    good = {row["verdict"] for row in found.rows if row["kernel"] == "nops" and row["expected"]}
    assert good == {"exact"}


@pytest.mark.parametrize("mode", thinned(["serial", "parallel"], (1,), "mode of a pair that hangs"))
def test_both_hang_and_nobody_else_is_there(boot, tmp_path, mode):
    """A reserved counter ends the boot CPU's kernel. The boot CPU then ends CPU 1's kernel."""
    left = boot(cpus=2, stick=stick_of(tmp_path, {"both": (SPIN, SPIN)}), plan=plan_text(
        kernels="both", mode=mode, n=3, timeout_ms=1))
    found = left.results
    assert found.run["complete"] and found.missing == 0
    assert "CPU 0: pmc3 is reserved for ending kernels that hang" in found.run["remarks"]
    for cpu in (0, 1):
        assert {row["verdict"] for row in rows_of(found, "both", cpu, 1 - cpu)} == {"timeout"}


def test_what_goes_wrong_beside_a_first_role_is_said(boot, tmp_path):
    """Only the CPU that runs the first code of a `crowd` kernel has rows."""
    crowd = own_kernels.assembled("crowd", f"{SPIN}SECOND crowd\n{FAULT}")
    stick = own_kernels.new_stick(tmp_path, {"crowd.bin": crowd})
    left = boot(cpus=3, stick=stick, plan=plan_text(
        kernels="crowd", cpus="0-1", n=3, runs=2, timeout_ms=HANG_MS))
    assert left.results.run["complete"]
    for cpu in (0, 1):
        rows = rows_of(left.results, "crowd", cpu, "")
        assert rows and {(row["verdict"], row["reason"]) for row in rows} == {("timeout", ALONE)}
        said = f"CPU {1 - cpu}, crowd, not in the first role: the kernel raised an exception"
        assert said in left.results.run["errors"]
