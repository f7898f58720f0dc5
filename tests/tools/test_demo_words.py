# SPDX-License-Identifier: BSD-2-Clause
"""The demonstration's computations and messages, its edits of plans, the recognition of a run's
last line, and errors before anything boots.
"""
import dataclasses
import re
import subprocess
import types

from report import demo
import folders
from machine import program
import pytest
import results
from conftest import TOP

BOTH = folders.Event("Instructions", "r00c0", "instructions", ring="both")
ADDED, TSC_TICKS = 500, 4_000_000  # counts added to each sample; TSC ticks of each kernel


def with_linux(row):
    """Add ADDED x (the CPU's number + 1) to counts of both rings, and set the time to 2 ms."""
    if row["ring"] == "both":
        row["mean"] = str(int(row["expected"]) + ADDED * (int(row["cpu"]) + 1))
        row["verdict"] = "noisy"
    if row["event"] == "TSC":
        row["mean"] = str(TSC_TICKS)


def test_what_linux_adds(tmp_path):
    """The sums are over two CPUs and over kernels with 0, 2000 and 6000 declared instructions."""
    found = results.Results(folders.make(tmp_path / "0001", cpus=2, change=with_linux,
                                         events=(*folders.EVENTS, BOTH)))
    sums, = demo.added(found).values()
    assert (sums.declared, sums.added) == (2 * 8000, 3 * ADDED + 3 * 2 * ADDED)
    assert sums.seconds == 6 * TSC_TICKS / folders.TSC_HZ
    title, heads, line = demo.what_linux_adds(found)
    assert line.split()[:5] == ["Instructions", "4,500", "16,000", "+28.1%", "375,000"]
    assert line.endswith("loop_dec_jnz n=1000, CPU 1: +1,000")
    assert max(map(len, (title, heads, line))) <= 100


def test_lower_bounds_are_no_exact_counts(tmp_path):
    """On AMD, counts of loads have only a lower bound, and may exceed it even without Linux."""
    def bound(row):
        with_linux(row)
        if row["event"] == "Loads":
            row |= {"expected": f"{row['expected']}..",
                    "verdict": "off" if row["cpu"] == "0" else "within"}

    loads = dataclasses.replace(BOTH, name="Loads", encoding="r0529", counts="branches")
    found = results.Results(folders.make(tmp_path / "0001", cpus=2, change=bound,
                                         events=(*folders.EVENTS, BOTH, loads)))
    assert list(demo.added(found)) == ["Instructions"]
    assert list(demo.bare_metal(found))[0].endswith(
        ": 12 of 18 declared counts are exact, 3 of 6 lower bounds hold")
    assert not demo.is_exact(found)


def test_nothing_is_said_where_nothing_is_counted_in_both_rings(tmp_path):
    found = results.Results(folders.make(tmp_path / "0001"))
    assert list(demo.what_linux_adds(found)) == []


def test_the_comparison_in_short():
    row, tax = types.SimpleNamespace, types.SimpleNamespace
    found = types.SimpleNamespace(
        rows=[row(ring="usr", verdict="same")] * 3 + [row(ring="both", verdict="tax")],
        tax=[tax(event="Loads", ring="both", constant=12.0, rate=3456.7),
             tax(event="Stores", ring="both", constant=None, rate=None),
             tax(event="Cycles", ring="usr", constant=0.0, rate=None)],
        refused=["kernel load: other bytes"])
    assert [line.split(None, 1) for line in demo.verdicts(found)] == [
        ["in", "the kernels' ring alone  3 same"], ["in", "both rings               1 tax"],
        ["tax", "of Loads: +12 a sample, +3,457 a second"],
        ["!", "kernel load: other bytes"]]


def changed(verdict):
    def change(row):
        if (row["kernel"], row["event"]) == ("load", "INST_RETIRED.ANY"):
            row["verdict"] = verdict
    return change


@pytest.mark.parametrize("verdict, is_exact", [("exact", True), ("within", True), ("off", False),
                                               ("noisy", False), ("unavailable", False)])
def test_exact_is_every_declared_count(tmp_path, verdict, is_exact):
    found = results.Results(folders.make(tmp_path / "0001", change=changed(verdict)))
    assert demo.is_exact(found) is is_exact
    right = 6 if is_exact else 5
    assert list(demo.bare_metal(found))[0].endswith(
        f"{right} of 6 declared counts are exact")


def test_nothing_counted_is_not_exact(tmp_path):
    def unmeasured(row):
        row |= {"expected": "", "verdict": "unavailable"}

    def not_measured(run):
        run["verdict"]["line"] = "NOT MEASURED no PMU"

    found = results.Results(folders.make(tmp_path / "0001", change=unmeasured,
                                         change_run=not_measured))
    assert found.status == results.PASSED and not demo.is_exact(found)


@pytest.mark.parametrize("line", [
    "PASS", "FAIL 3", "NOT MEASURED no PMU, or none", "PASS, 1 plan error",
    "FAIL 3, 18 plan errors", "NOT MEASURED no PMU, or none, 2 plan errors"])
@pytest.mark.parametrize("noisy", [None, ", 1 row of time noisy (heat)",
                                   ", 120 rows of time noisy (clock limit, power limit)"])
def test_the_last_line_is_told_from_others(line, noisy):
    verdict, comma, errors = line.rpartition(", ") if "error" in line else (line, None, "")
    whole = f"{verdict}{noisy or ''}{comma or ''}{errors}"
    found = re.search(program.VERDICT, f"Time      25.9 s\n{whole}\n", re.M)
    assert found and found.groups() == (verdict, noisy, comma and comma + errors)
    assert not re.search(program.VERDICT, f"{line.partition(' ')[0]}ED\n", re.M)


@pytest.mark.parametrize("plan, ended", [
    ("version=1\n[run]\nat_end=menu\n", "version=1\n[run]\nat_end=shutdown\n"),
    ("version=1\n[run]\n at_end = leave\nruns=2\n", "version=1\n[run]\nat_end=shutdown\nruns=2\n"),
    ("version=1\n[run] # ours\nruns=2\n", "version=1\n[run] # ours\nat_end=shutdown\nruns=2\n"),
    ("version=1\n[kernels]\nnops\n", "version=1\n[kernels]\nnops\n\n[run]\nat_end=shutdown\n")])
def test_any_plan_powers_off(plan, ended):
    assert program.ending(plan, "shutdown") == ended


@pytest.mark.parametrize("plan, changed", [
    ("version=1\n[results]\n# server=x\n server = http://h/\n[run]\n",
     "version=1\n[results]\n# server=x\nserver=tftp://a/\n[run]\n"),
    ("version=1\n[results]\nframes=never\n",
     "version=1\n[results]\nserver=tftp://a/\nframes=never\n"),
    ("version=1\n", "version=1\n\n[results]\nserver=tftp://a/\n"),
    ("version=1\n \t[\tresults ] # ours\nframes=never\n",
     "version=1\n \t[\tresults ] # ours\nserver=tftp://a/\nframes=never\n"),
    ("[ results ]\nserver=a\n[run]\nruns=1\n[results]\nserver = b # c\n",
     "[ results ]\nserver=tftp://a/\n[run]\nruns=1\n[results]\nserver=tftp://a/\n"),
    ("[events results]\nserver=cpu/event=1/\n[run]\nserver=x\n[results]\n",
     "[events results]\nserver=cpu/event=1/\n[run]\nserver=x\n[results]\nserver=tftp://a/\n"),
    ("[results\nserver=x\n", "[results\nserver=x\n\n[results]\nserver=tftp://a/\n"),
    ("server=x\n#[results]\nmore_server=y\n",
     "server=x\n#[results]\nmore_server=y\n\n[results]\nserver=tftp://a/\n")])
def test_any_plan_sends_its_results(plan, changed):
    assert program.with_key(plan, "results", "server", "tftp://a/") == changed


@pytest.mark.parametrize("options, words", [
    (["--plan", "no/such.cfg"], "no/such.cfg"),
    (["--kernel", "no/such.bin"], "no/such.bin: no such file")])
def test_what_is_missing_is_named(tmp_path, options, words):
    """A missing file is named before anything boots, and an earlier demonstration is kept."""
    (tmp_path / "report.html").write_text("earlier", "ascii")
    done = subprocess.run([TOP / "scripts/demo", "--out", tmp_path, *options], cwd=TOP,
                          capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == results.HOST_ERROR
    assert done.stderr.startswith("demo: ") and words in done.stderr
    assert (tmp_path / "report.html").read_text("ascii") == "earlier"
