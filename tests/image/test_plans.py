# SPDX-License-Identifier: BSD-2-Clause
"""Plans choose CPUs and kernels and limit the time. Messages name each faulty line of a plan."""
import collections
import re

import expect
import results
from conftest import plan_text
from expect import complaints
from levels import in_full

LONG = 1000000000
TOO_LONG = "would exceed ten minutes"


def kernels_of(left):
    return {row["kernel"] for row in left.results.rows}


def test_cpus_and_kernels(boot):
    left = boot(cpus=4, plan=plan_text(cpus="1,3", kernels="empty,call_ret"))
    rows = left.results.rows
    assert {(r["cpu"], r["kernel"]) for r in rows} == {
        (c, k) for c in "13" for k in ("empty", "call_ret")}
    assert collections.Counter(row["verdict"] for row in rows) == \
        expect.verdicts(2, names=("empty", "call_ret"))
    assert left.verdict == "PASS"


def test_mistakes(boot):
    left = boot(plan="version=1\n[run]\nruns=many\nkernels=empty,nonsense\nbogus=1\nwarmup=1\n"
                "at_end=shutdown\n[colours]\nsky=blue\n")
    for line, word in ((3, "runs"), (4, "nonsense"), (5, "bogus"), (8, "colours")):
        for said in (complaints(left), left.results.run["errors"]):
            assert any(f"plan.cfg:{line}:" in text and word in text for text in said)
    assert kernels_of(left) == {"empty"}
    assert {r["runs"] for r in left.results.rows if r["verdict"] == "exact"} == {"100"}


MISTAKES = 40  # more than the first screen shows, and more than fit into the first allocation


@in_full("40 mistakes in a plan")
def test_all_mistakes_are_listed(boot):
    """The program finds the unknown event last, but lists errors in the order of lines."""
    plan = plan_text(cpus="boot", kernels="empty") + "[events a]\nCPU.WHAT_IS_THIS\n"
    plan += "".join(f"[bogus{i}]\n" for i in range(MISTAKES))
    left = boot(plan=plan.replace("version=1\n", "version=1\n[first]\n"))
    errors = left.results.run["errors"]
    lines = [int(text.split(":")[1]) for text in errors]
    assert lines == sorted(lines) and len(errors) == 2 + MISTAKES
    assert "'[first]'" in errors[0] and "CPU.WHAT_IS_THIS" in errors[1]
    assert all(f"'[bogus{i}]'" in text for i, text in enumerate(errors[2:]))
    assert f"plan errors: {2 + MISTAKES}, all of them in run.json" in left.console
    assert left.verdict == "PASS"
    assert f"\nPASS, {2 + MISTAKES} plan errors\n" in left.console.replace("\r", "")
    told = left.results.run["plan"]
    assert told["errors"] == 2 + MISTAKES and told["strict"] is False
    index = left.stick.read("barecount/results/index.csv").decode("ascii")
    assert index.endswith(f",PASS,{2 + MISTAKES}\r\n")
    reasons = {row["reason"] for row in left.results.rows if row["event"] == "CPU.WHAT_IS_THIS"}
    assert len(reasons) == 1 and errors[1].endswith(f"CPU.WHAT_IS_THIS: {reasons.pop()}")


def test_strict(boot):
    left = boot(plan=plan_text(cpus="boot", kernels="empty", strict="yes") + "bogus=1\n")
    assert left.verdict == "NOT MEASURED strict=yes" and not left.results.rows
    assert "NOT MEASURED strict=yes, 1 plan error" in left.console and \
        "Rows      none" in left.console
    assert left.results.run["complete"] and len(left.results.run["errors"]) == 1
    assert "'bogus'" in left.results.run["errors"][0]
    assert left.results.run["plan"]["strict"] is True


def test_an_unknown_kernel_alone(boot):
    left = boot(cpus=1, plan=plan_text(kernels="nopz"))
    line = plan_text(kernels="nopz").splitlines().index("kernels=nopz") + 1
    assert any(f"plan.cfg:{line}:" in text and "nopz" in text for text in complaints(left))
    assert kernels_of(left) == {kernel.name for kernel in expect.kernels()}
    assert left.verdict == "PASS"


@in_full("a CPU that does not exist")
def test_a_cpu_that_is_not_there(boot):
    left = boot(cpus=2, plan=plan_text(cpus="0,9", kernels="empty"))
    assert any("CPU 9" in text for text in complaints(left))
    assert {row["cpu"] for row in left.results.rows} == {"0"}
    assert left.verdict == "PASS"


def first_screen(boot, **keys):
    plan = "version=1\n[run]\n" + "".join(f"{key}={value}\n" for key, value in keys.items())
    return boot(plan=plan, cut_at="Esc ends", new_runs=None).console


def test_runs_of_a_long_plan_are_cut(boot):
    screen = first_screen(boot, n=LONG)
    assert f"100 runs {TOO_LONG}" in screen and " 100 runs in" not in screen


def test_runs_that_were_asked_for_are_not_cut(boot):
    screen = first_screen(boot, n=LONG, runs=100)
    assert TOO_LONG not in screen and " 100 runs in" in screen


def test_what_max_time_has_no_time_for_is_left_out(boot):
    """A kernel with n=10^9 takes minutes."""
    left = boot(cpus=2, plan=plan_text(max_time="1min", runs=2) +
                f"[kernels]\nempty\nnops\nload n={LONG} size=8K\nstore\n")
    assert kernels_of(left) == {"empty", "nops"}
    assert {row["cpu"] for row in left.results.rows} == {"0", "1"} and left.verdict == "PASS"
    run = left.results.run
    assert run["complete"] is True and run["plan"]["max_time_s"] == 60
    assert [kernel["name"] for kernel in run["kernels"]] == ["empty", "nops"]
    assert run["left_out"] == [{"name": "load", "param": "size=8192", "n": LONG},
                               {"name": "store", "param": "", "n": 1000}]
    assert left.results.status == results.PASSED
    said = (r"max_time: 2 of 4 kernels are left out, because all would take an estimated .*, "
            r"not 60 s: load 8K n=\d+, store")
    assert [text for text in run["remarks"] if re.fullmatch(said, text)]
    console = " ".join(left.console.split())
    assert re.search(f"Time about [^!]* ! {said}", console)
    assert "Left out 2 of 4 kernels because of max_time" in console


@in_full("max_time= and the number of runs")
def test_max_time_is_the_bound_of_runs_that_nobody_asked_for(boot):
    """max_time first reduces the number of runs, then the number of kernels. One kernel always
    runs.
    """
    screen = first_screen(boot, n=LONG, max_time="1min")
    assert "100 runs would exceed max_time; to get them, set runs=100 in the plan" in screen
    assert " 10 runs in" in screen and ", 1 kernel," in screen and "max_time: 16 of 17" in screen
    screen = first_screen(boot, n=LONG // 100, max_time="1000h")
    assert "would exceed" not in screen and " 100 runs in" in screen and "17 kernels" in screen
