# SPDX-License-Identifier: BSD-2-Clause
"""The views and output formats of scripts/query. The expected numbers are computed as in
folders.py."""
import csv
import dataclasses
import io
import itertools
import json

import pytest

import folders
from query import db as query_db
import query_tool
import results

LOAD = next(kernel for kernel in folders.KERNELS if kernel.name == "load")
LOADS = folders.Event("MEM_INST_RETIRED.ALL_LOADS", "r81d0", "loads")
REFERENCE = folders.Event("CPU_CLK_UNHALTED.REF_TSC", "r0300", "cycles", "fixed2",
                          "reference cycles")
FAST, SLOW = "aaaaaaaa-0000-4000-8000-000000000001", "bbbbbbbb-0000-4000-8000-000000000002"
RUNS_OF_FAST, CPUS, SAMPLES = 2, 2, 5
TSC_MHZ = 2000
MORE = 3  # a CPU counts this many more cycles than the CPU before it


def in_proportion(row, numerator=1):
    """Make a row's cycles depend on its CPU, or multiply a TSC row's time by `numerator`."""
    if row["event"] == "TSC":
        row["ns"] = str(float(row["median"]) * numerator * 1000 / TSC_MHZ)
    elif row["unit"] == "cycles":
        count = int(row["median"]) + MORE * int(row["cpu"])
        row.update(dict.fromkeys(("min", "median", "mean", "max", "q1", "q3"), str(count)),
                   per_iteration=str(count / int(row["n"])), mhz="3000.5", ns="1")


def slow(row):
    in_proportion(row, 4)
    if row["kernel"] == "load" and row["event"] == "INST_RETIRED.ANY":
        row.update(verdict="off", reason="expected 6000", runs="4", max="6001")
    elif row["kernel"] == "empty" and row["event"] == "INST_RETIRED.ANY":
        row.update(verdict="noisy", reason="2 values", mean="1000000")


@pytest.fixture(scope="module")
def fleet(tmp_path_factory):
    """Machine FAST ran twice on bare metal and once under Linux. Machine SLOW ran twice: one run
    failed, and the other was cut off.
    """
    top = tmp_path_factory.mktemp("fleet")
    common = {"events": (*folders.EVENTS, LOADS, REFERENCE), "cpus": CPUS, "runs": SAMPLES,
              "kernels": (*folders.KERNELS[:2],
                          folders.Kernel("load", {**LOAD.counts, "loads": (0, 1)}))}
    for number in range(1, RUNS_OF_FAST + 1):
        folders.make(top / f"fast/{number}", run_number=number, machine={"uuid": FAST},
                     change=in_proportion, samples=True, **common)
    folders.make(top / "fast/linux", machine={"uuid": FAST, "emulated": "by formula"},
                 change=in_proportion,
                 change_run=lambda run: run.update(source="linux", linux={
                     "kernel": "6.1.0-1", "read_by": "rdpmc", "perf_event_paranoid": 2,
                     "nmi_watchdog": True, "governor": "", "isolated_cpus": "2-3"}), **common)

    def cut_off(run):
        run.update(complete=False, started="2026-11-23T10:00:00")
        for cpu in run["cpus"]:
            cpu["microcode"] = "0x2"

    folders.make(top / "slow/1", machine={"uuid": SLOW}, change=slow, **common)
    folders.make(top / "slow/2", run_number=2, machine={"uuid": SLOW}, change=in_proportion,
                 change_run=cut_off, **common)
    db = top / "fleet.sqlite"
    query_tool.take(db, "--samples", top)
    return db


def test_overview(fleet):
    assert query_tool.rows(fleet, "SELECT machine, source, number, verdict, complete, cpus "
                                  "FROM overview") == [
        (FAST, "bare metal", 1, "PASS", "yes", CPUS), (FAST, "bare metal", 2, "PASS", "yes", CPUS),
        (FAST, "linux", 1, "PASS", "yes", CPUS),
        (SLOW, "bare metal", 1, f"FAIL {2 * CPUS}", "yes", CPUS),
        (SLOW, "bare metal", 2, "PASS", "no", CPUS)]
    assert query_tool.rows(fleet, "SELECT source, number, emulated, run FROM overview "
                                  "WHERE emulated IS NOT NULL") == [
        ("linux", 1, "by formula", f"0001-{folders.RUN_ID:016x}")]


def test_errors_in_the_plan(tmp_path):
    def older(run):
        del run["plan"]["strict"], run["plan"]["errors"]

    for number, change_run in enumerate((None, lambda run: folders.add_plan_errors(run, 1),
                                         lambda run: folders.add_plan_errors(run, 18), older), 1):
        folders.make(tmp_path / str(number), run_number=number, change_run=change_run)
    folders.make_refused(tmp_path / "5", 3, run_number=5)
    query_tool.take(tmp_path / "db", tmp_path)
    assert query_tool.rows(tmp_path / "db", "SELECT verdict, plan_errors FROM overview") == [
        ("PASS", 0), ("PASS", 1), ("PASS", 18), ("PASS", None),
        ("NOT MEASURED strict=yes", 3)]
    assert query_tool.rows(tmp_path / "db", "SELECT runs, passed FROM verdicts") == [(5, 4)]


def test_verdicts(fleet):
    """Three kernels have `exact` rows for instructions and branches, and one also for loads.

    In SLOW's failed run, one row of each CPU is `off` instead of `exact`, and one is `noisy`.
    """
    exact, measured = 7 * CPUS, 9 * CPUS
    assert query_tool.ask(fleet, "SELECT machine, source, runs, passed, incomplete, exact, "
                                 "measured, off, noisy FROM verdicts") == [
        {"machine": FAST, "source": "bare metal", "runs": 2, "passed": 2, "incomplete": 0,
         "exact": 2 * exact, "measured": 2 * measured, "off": 0, "noisy": 0},
        {"machine": FAST, "source": "linux", "runs": 1, "passed": 1, "incomplete": 0,
         "exact": exact, "measured": measured, "off": 0, "noisy": 0},
        {"machine": SLOW, "source": "bare metal", "runs": 2, "passed": 0, "incomplete": 1,
         "exact": 2 * exact - 2 * CPUS, "measured": 2 * measured, "off": CPUS, "noisy": CPUS}]


def test_failures_and_reasons(fleet):
    assert query_tool.rows(fleet, "SELECT machine, cpus, kernel, events, verdict, rows, reason, "
                                  "max, expected_low, expected_high FROM failures") == [
        (SLOW, "0-1", kernel, "INST_RETIRED.ANY os", verdict, CPUS, *what)
        for kernel, verdict, *what in (("empty", "noisy", "2 values", 0, 0, 0),
                                       ("load", "off", "expected 6000", 6001, 6000, 6000))]
    assert query_tool.rows(fleet, "SELECT verdict, reason, rows, runs, machines, kernels, events "
                                  "FROM reasons") == [
        ("noisy", "2 values", CPUS, 1, 1, "empty", "INST_RETIRED.ANY os"),
        ("off", "expected 6000", CPUS, 1, 1, "load", "INST_RETIRED.ANY os")]


def test_spoilt_time_is_no_failure(tmp_path):
    def spoil(row):
        if row["event"] == "TSC":
            row.update(verdict="noisy", noisy_by="heat", reason="hot", min="")

    folders.make(tmp_path / "1", change=spoil)
    query_tool.take(tmp_path / "db", tmp_path)
    assert not query_tool.rows(tmp_path / "db", "SELECT * FROM failures")
    assert query_tool.rows(tmp_path / "db", "SELECT passed, noisy FROM verdicts") == [
        (1, len(folders.KERNELS))]
    assert query_tool.rows(tmp_path / "db", "SELECT DISTINCT noisy_by FROM rows "
                                            "WHERE event = 'TSC'") == [("heat",)]


def test_a_fault_is_one_line(tmp_path):
    """A line for several events shows no expected values."""
    def fault(row):
        if row["kernel"] == "load" and row["cpu"] != "2":
            other = row["cpu"] == "5"
            row.update(verdict="timeout" if other else "fault", min="", max="",
                       reason="it hangs" if other else "#UD")

    folders.make(tmp_path / "1", cpus=7, change=fault)
    query_tool.take(tmp_path / "db", tmp_path)
    rows = len(folders.EVENTS) + 1  # and the time stamp
    assert query_tool.rows(tmp_path / "db", "SELECT kernel, cpus, events, verdict, rows, reason, "
                                            "expected_low, expected_high FROM failures") == [
        ("load", cpus, "INST_RETIRED.ANY os and 3 more", verdict, count, reason, None, None)
        for cpus, verdict, count, reason in (("0-1,3-4,6", "fault", 5 * rows, "#UD"),
                                             ("5", "timeout", rows, "it hangs"))]
    assert query_tool.rows(tmp_path / "db", "SELECT verdict, reason, rows, kernels FROM reasons") \
        == [("fault", "#UD", 5 * rows, "load"), ("timeout", "it hangs", rows, "load")]


def test_an_event_in_two_rings_is_two(tmp_path):
    both = dataclasses.replace(folders.EVENTS[0], ring="both", counter="pmc1")

    def fail(row):
        if row["kernel"] == "load" and row["event"] == both.name:
            row.update(verdict="off", reason="too many")
        elif row["kernel"] == "empty" and row["ring"] == "both":
            row.update(verdict="off", reason="too few")

    db = tmp_path / "db"
    query_tool.take(db, folders.make(tmp_path / "1", events=(*folders.EVENTS, both), change=fail))
    assert query_tool.rows(db, "SELECT kernel, events, rows, min, max, expected_low, expected_high "
                               "FROM failures") == [
        ("empty", "INST_RETIRED.ANY both", 1, 0, 0, 0, 0),
        ("load", "INST_RETIRED.ANY os and 1 more", 2, *[None] * 4)]
    assert query_tool.rows(db, "SELECT reason, events FROM reasons") == [
        ("too many", "INST_RETIRED.ANY os,INST_RETIRED.ANY both"),
        ("too few", "INST_RETIRED.ANY both")]


def steps_of_failures(folder, kernels):
    """How many hundreds of steps SQLite takes to list failures that all have different reasons."""
    def fail(row):
        row.update(verdict="off", reason=f"{row['cpu']} {row['n']} {row['event']}")

    folders.make(folder, kernels=[dataclasses.replace(LOAD, n=n + 1) for n in range(kernels)],
                 cpus=CPUS, change=fail)
    query_tool.take(folder / "db", folder)
    base, calls = query_db.open_to_read(folder / "db"), itertools.count()
    base.set_progress_handler(lambda: next(calls) < 0, 100)
    rows = base.execute("SELECT * FROM failures").fetchall()
    base.close()
    assert len(rows) == kernels * CPUS * (len(folders.EVENTS) + 1)
    return next(calls)


def test_failures_grow_with_the_rows_that_failed(tmp_path):
    """A quadratic query would take four times as many steps for twice as many rows."""
    few, many = (steps_of_failures(tmp_path / str(kernels), kernels) for kernels in (100, 200))
    assert many < 3 * few


def test_averages(fleet):
    """The averages are over runs, CPUs and samples, without rows that failed."""
    cycles = LOAD.count("cycles")
    mean = cycles + MORE * (CPUS - 1) / 2
    spread = (cycles, mean, cycles + MORE * (CPUS - 1), pytest.approx(mean / LOAD.n))
    exact = (6 * LOAD.n,) * 3 + (6,)
    both = CPUS * SAMPLES
    core, instructions = "CPU_CLK_UNHALTED.THREAD", "INST_RETIRED.ANY"
    assert query_tool.rows(fleet, "SELECT machine, source, event, runs, cpus, samples, min, mean, "
                                  "max, per_iteration FROM averages WHERE kernel = 'load' AND "
                                  "event IN ('INST_RETIRED.ANY', 'CPU_CLK_UNHALTED.THREAD')") == [
        (FAST, "bare metal", core, 2, CPUS, 2 * both, *spread),
        (FAST, "bare metal", instructions, 2, CPUS, 2 * both, *exact),
        (FAST, "linux", core, 1, CPUS, both, *spread),
        (FAST, "linux", instructions, 1, CPUS, both, *exact),
        (SLOW, "bare metal", core, 2, CPUS, 2 * both, *spread),
        (SLOW, "bare metal", instructions, 1, CPUS, both, *exact)]


def test_averages_weigh_by_samples(tmp_path):
    """10 samples of 4 and 30 samples of 8 give the average 7.

    A row without per_iteration is left out of this average, but not out of the mean count.
    """
    db = tmp_path / "db"
    for number, (count, runs, each) in enumerate(((4, 10, "4"), (8, 30, "8"), (8, 60, ""))):
        def change(row, count=count, runs=runs, each=each):
            row.update(runs=str(runs), mean=str(count), per_iteration=each)

        folders.make(tmp_path / str(number), run_number=number, change=change)
    query_tool.take(db, tmp_path)
    row = query_tool.ask(db, "SELECT * FROM averages WHERE kernel = 'load' AND event = 'TSC'")[0]
    assert row["samples"] == 100 and row["per_iteration"] == pytest.approx(7)
    assert row["mean"] == pytest.approx((4 * 10 + 8 * 90) / 100)


def test_mhz(fleet):
    lines = query_tool.ask(fleet, "SELECT * FROM mhz_by_run WHERE source = 'linux'")
    assert [(line["cpu"], line["mhz"], line["kernel_min_mhz"], line["kernel_max_mhz"],
             line["tsc_mhz"]) for line in lines] == [(cpu, 2000, 3000.5, 3000.5, 2000)
                                                     for cpu in range(CPUS)]


def test_samples_tell_the_clock_and_the_presets(tmp_path):
    """The reference clock runs at 2,000 MHz, so 3 core cycles per 2 reference cycles mean 3,000
    MHz.

    Counts are from the column `raw` of samples.csv. A sample that was not accepted is left out.
    """
    folder = folders.make(tmp_path / "1", events=(*folders.EVENTS, REFERENCE), samples=True)
    text = (folder / "samples.csv").read_text("ascii").splitlines()
    header, changed = text[0].split(","), []
    for line in text[1:]:
        fields = dict(zip(header, line.split(",")))
        attempt = int(fields["attempt"])
        fields.update(reference=str(200 + 2 * attempt), core_per_reference="1.5",
                      accepted=str(int(attempt != 1)))
        if fields["event"] == "CPU_CLK_UNHALTED.THREAD":
            fields["raw"] = str(300 + 3 * attempt)
        changed.append(",".join(fields.values()))
    (folder / "samples.csv").write_text("\r\n".join([text[0], *changed, ""]), "ascii")
    db = tmp_path / "db"
    query_tool.take(db, folder, "--samples")
    clean = [attempt for attempt in range(SAMPLES) if attempt != 1]
    assert query_tool.rows(db, "SELECT attempt, core_cycles, reference_cycles, mhz "
                               "FROM mhz_by_sample WHERE kernel = 'load'") == [
        (attempt, 300 + 3 * attempt, 200 + 2 * attempt, pytest.approx(3000)) for attempt in clean]
    lines = query_tool.ask(db, "SELECT * FROM preset_samples WHERE kernel = 'load'")
    assert [(line["event"], line["attempt"], line["count"], line["instructions"],
             line["core_cycles"], line["mhz"]) for line in lines] == [
        ("BR_INST_RETIRED.ALL_BRANCHES", attempt, LOAD.n, 6 * LOAD.n, 300 + 3 * attempt,
         pytest.approx(3000)) for attempt in clean]


def test_samples_that_come_later_are_added(tmp_path):
    folder, db = folders.make(tmp_path / "1", samples=True), tmp_path / "db"
    query_tool.take(db, folder)
    assert query_tool.value(db, "SELECT count(*) FROM samples") == 0
    assert query_tool.take(db, folder, "--samples") == "1 folder: 1 samples added"
    assert query_tool.take(db, folder, "--samples") == "1 folder: 1 there already"
    lines = SAMPLES * len(folders.KERNELS) * (len(folders.EVENTS) + 1)
    assert query_tool.value(db, "SELECT count(*) FROM samples") == lines
    assert query_tool.value(db, "SELECT sample_lines FROM runs") == lines


def test_preset_rows(fleet):
    cycles = LOAD.count("cycles")
    assert query_tool.rows(fleet, "SELECT event, cpu, count, instructions, core_cycles, "
                                  "reference_cycles, mhz FROM preset_rows WHERE kernel = 'load' "
                                  "AND source = 'linux'") == [
        (event, cpu, LOAD.n, 6 * LOAD.n, cycles + MORE * cpu, cycles, 3000.5)
        for cpu in range(CPUS) for event in ("BR_INST_RETIRED.ALL_BRANCHES", LOADS.name)]
    of_slow = query_tool.ask(fleet, "SELECT instructions FROM preset_rows WHERE kernel = 'load' "
                                    f"AND machine = '{SLOW}' ORDER BY run_id")
    assert [line["instructions"] for line in of_slow] == \
        [None] * 2 * CPUS + [6 * LOAD.n] * 2 * CPUS, "those that are off are no reference"


@pytest.mark.parametrize("vendor", ["AMD", "Hygon"])
def test_presets_on_amd(tmp_path, vendor):
    """On AMD, r0076 is the code of core cycles. Intel's code of instructions, r0100, is the code of
    another event on AMD.

    The expected number of loads has a lower bound, but no upper bound.
    """
    events = (folders.Event("RETIRED_INSTRUCTIONS", "r00c0", "instructions"),
              folders.Event("CYCLES_NOT_IN_HALT", "r0076", "cycles", "pmc1", "cycles"),
              folders.Event("CYCLES_NOT_IN_HALT.P0_FREQ", "r100000120", "cycles", "pmc2",
                            "reference cycles"),
              folders.Event("FPU_PIPE_ASSIGNMENT.TOTAL0", "r0100", "other", "pmc3"),
              folders.Event("LS_DISPATCH.LOADS", "r0529", "loads", "pmc4"))

    def at_least(row):
        if row["event"] == "LS_DISPATCH.LOADS":
            row.update(expected=f"{LOAD.n}..", verdict="within")

    kernel = dataclasses.replace(LOAD, counts={**LOAD.counts, "loads": (0, 1), "other": (0, 9)})
    folder = folders.make(tmp_path / "1", kernels=(kernel,), events=events, change=at_least,
                          change_run=lambda run: run["cpus"][0].update(vendor=vendor),
                          samples=True)
    query_tool.take(tmp_path / "db", folder, "--samples")
    cycles = LOAD.count("cycles")
    counts = [("FPU_PIPE_ASSIGNMENT.TOTAL0", 9 * LOAD.n), ("LS_DISPATCH.LOADS", LOAD.n)]
    assert query_tool.rows(tmp_path / "db", "SELECT event, count, instructions, core_cycles, "
                                            "reference_cycles FROM preset_rows") == [
        (event, count, 6 * LOAD.n, cycles, cycles) for event, count in counts]
    assert query_tool.rows(tmp_path / "db", "SELECT DISTINCT event, count, instructions, "
                                            "core_cycles FROM preset_samples") == [
        (event, count, 6 * LOAD.n, cycles) for event, count in counts]
    assert query_tool.rows(tmp_path / "db", "SELECT expected_low, expected_high FROM rows "
                                            "WHERE event = 'LS_DISPATCH.LOADS'") == [(LOAD.n, None)]


def test_times(fleet):
    """One run of SLOW takes as long as FAST, and the other run takes four times as long. On
    average, SLOW takes 2.5 times as long as FAST.
    """
    ns = (LOAD.count("cycles") + 60) * 1000 / TSC_MHZ
    assert query_tool.ask(fleet, "SELECT machine, source, runs, cpus, ns, slowest_cpu_ns FROM "
                                 "kernel_times WHERE kernel = 'load'") == [
        {"machine": FAST, "source": "bare metal", "runs": 2, "cpus": CPUS, "ns": ns,
         "slowest_cpu_ns": ns},
        {"machine": SLOW, "source": "bare metal", "runs": 2, "cpus": CPUS, "ns": 2.5 * ns,
         "slowest_cpu_ns": 4 * ns},
        {"machine": FAST, "source": "linux", "runs": 1, "cpus": CPUS, "ns": ns,
         "slowest_cpu_ns": ns}]
    assert query_tool.ask(fleet, "SELECT machines, fastest, fastest_ns, slowest, slowest_ns, ratio "
                                 "FROM fastest_slowest WHERE kernel = 'load'")[0] == {
        "machines": 2, "fastest": FAST, "fastest_ns": ns, "slowest": SLOW, "slowest_ns": 2.5 * ns,
        "ratio": 2.5}


def test_trust_map(tmp_path):
    """In the second run, each count of instructions is one too high, and the count of branches
    never changes. The third run has only one kernel, so its pairs have no kind. No kernel
    declares cycles."""
    def wrong(row):
        if row["event"] == "INST_RETIRED.ANY":
            row.update(min=str(int(row["min"]) + 1), max=str(int(row["max"]) + 1))
        elif row["event"] == "BR_INST_RETIRED.ALL_BRANCHES":
            row.update(min="5", max="5")

    kernels = [dataclasses.replace(kernel, n=n) for kernel in folders.KERNELS[1:]
               for n in (1000, 2000)]
    for number, change, its in ((1, None, kernels), (2, wrong, kernels), (3, None, kernels[:1])):
        folders.make(tmp_path / str(number), run_number=number, cpus=CPUS, machine={"uuid": FAST},
                     kernels=its, change=change)
    db = tmp_path / "db"
    query_tool.take(db, tmp_path)
    assert query_tool.rows(db, "SELECT machine, event, counter, kind, runs, cpus "
                               "FROM trust_map ORDER BY event, kind") == [
        (FAST, event, counter, kind, 1, CPUS) for event, counter, kind in (
            ("BR_INST_RETIRED.ALL_BRANCHES", "pmc0", "dead"),
            ("BR_INST_RETIRED.ALL_BRANCHES", "pmc0", "exact"),
            ("INST_RETIRED.ANY", "fixed0", "constant +1"),
            ("INST_RETIRED.ANY", "fixed0", "exact"))]


def test_microcode(fleet):
    assert query_tool.rows(fleet, "SELECT machine, microcode, runs, cpus, first "
                                  "FROM microcode") == [
        (FAST, "0x1", 3, CPUS, "2026-11-22T10:00:00"),
        (SLOW, "0x1", 1, CPUS, "2026-11-22T10:00:00"),
        (SLOW, "0x2", 1, CPUS, "2026-11-23T10:00:00")]


def test_noise(fleet):
    """Each run has two certificates of 100 ms for each CPU, each with 2 gaps of 10.5 us."""
    lines = query_tool.ask(fleet, f"SELECT * FROM noise_by_cpu WHERE machine = '{SLOW}'")
    assert [line["cpu"] for line in lines] == list(range(CPUS))
    for line in lines:
        assert (line["certificates"], line["failed"], line["gaps"], line["unexplained"]) == \
            (4, 0, 8, 8)
        assert line["runtime_us"] == 400_000 and line["noise_us"] == 4 * 21
        assert line["available_percent"] == pytest.approx(100 - 100 * 84 / 400_000)


    assert query_tool.rows(fleet, "SELECT source, certificates FROM noise_by_cpu "
                                  f"WHERE machine = '{FAST}'") == \
        [("bare metal", 2 * RUNS_OF_FAST)] * CPUS + [("linux", 2)] * CPUS


def test_what_linux_was_like(fleet):
    assert query_tool.rows(fleet, "SELECT linux_kernel, linux_read_by, linux_paranoid, "
                                  "linux_watchdog, linux_isolated FROM runs "
                                  "WHERE linux_kernel IS NOT NULL") == [
        ("6.1.0-1", "rdpmc", 2, 1, "2-3")]


def test_a_machine_without_uuid_has_the_name_that_is_given(tmp_path):
    db = tmp_path / "db"
    bare = folders.make(tmp_path / "bare", machine={"uuid": FAST})
    linux = folders.make(tmp_path / "linux", machine={"uuid": ""},
                         change_run=lambda run: run.update(source="linux"))
    query_tool.take(db, bare, linux)
    assert query_tool.value(db, "SELECT count(*) FROM machines") == 2
    query_tool.take(db, bare, linux, "--machine", "rack 7")
    assert query_tool.ask(db, "SELECT machine, source, runs FROM verdicts") == [
        {"machine": "rack 7", "source": source, "runs": 1} for source in ("bare metal", "linux")]
    other = folders.make(tmp_path / "other", machine={"uuid": SLOW})
    said = query_tool.run(db, "import", other, "--machine", "rack 7")
    assert said.status == 1 and f"machine 'rack 7' has the UUID {FAST}, but" in said.err
    assert query_tool.value(db, "SELECT count(*) FROM runs") == 2


def test_machines_without_uuid_are_one_when_they_are_alike(tmp_path):
    db, none = tmp_path / "db", {"uuid": ""}
    for number in (1, 2):
        query_tool.take(db, folders.make(tmp_path / str(number), run_number=number, machine=none))
    assert query_tool.value(db, "SELECT count(*) FROM machines") == 1
    query_tool.take(db, folders.make(tmp_path / "larger", run_number=3, machine=none, cpus=2))
    assert query_tool.value(db, "SELECT count(*) FROM machines") == 2


@pytest.mark.parametrize("order", [("refused", "whole"), ("whole", "refused")])
def test_a_run_without_cpus_joins_the_machine_that_is_alike(tmp_path, order):
    """A run that strict=yes refused describes no CPUs; another run gives the brand of the CPUs."""
    db, none = tmp_path / "db", {"uuid": ""}
    refused = folders.make_refused(tmp_path / "refused", 1, cpus=2, machine=none, run_number=2)
    run = json.loads((refused / "run.json").read_text("ascii"))
    (refused / "run.json").write_text(json.dumps({**run, "cpus": []}), "ascii")
    folders.make(tmp_path / "whole", cpus=2, machine=none)
    for name in order:
        query_tool.take(db, tmp_path / name)
    brand = folders.cpu_of(0)["brand"]
    assert query_tool.rows(db, "SELECT brand, cpus_found FROM machines") == [(brand, 2)]

    def of_another(run):
        for cpu in run["cpus"]:
            cpu["brand"] = "Another"

    folders.make(tmp_path / "other", cpus=2, machine=none, run_number=3, change_run=of_another)
    query_tool.take(db, tmp_path / "other")
    (refused / "run.json").write_text(json.dumps({**run, "cpus": [], "number": 4}), "ascii")
    query_tool.take(db, refused)
    assert query_tool.rows(db, "SELECT brand FROM machines") == [(brand,), ("Another",), (None,)], \
        "of two it cannot be told which it is"


def test_a_run_that_became_complete_stays_its_machine_s(tmp_path):
    db, none = tmp_path / "db", {"uuid": ""}
    cut = folders.make(tmp_path / "cut", machine=none,
                       change_run=lambda run: run.update(complete=False))
    query_tool.take(db, cut, "--machine", "rack 7")
    whole = folders.make(tmp_path / "whole", machine=none, cpus=2)
    assert query_tool.take(db, whole) == "1 folder: 1 replaced"
    assert query_tool.ask(db, "SELECT machine, complete FROM overview") == [
        {"machine": "rack 7", "complete": "yes"}]


def test_each_output_has_the_same(fleet):
    sql = "SELECT run_id, brand, cpu, NULL AS absent, 0.25 AS part, 'a,b' AS text FROM cpus"
    rows = query_tool.ask(fleet, sql)
    said = query_tool.run(fleet, sql, "--csv")
    assert list(csv.reader(io.StringIO(said.out)))[1:] == \
        [["" if value is None else str(value) for value in row.values()] for row in rows]
    table = query_tool.run(fleet, sql).out.splitlines()
    assert table[0].split() == [*rows[0]] and len(table) == 1 + len(rows)
    assert len({line.index("0.25") for line in table[1:]}) == 1, "in columns"


def test_views_and_schema_document_themselves(fleet):
    views = json.loads(query_tool.run(fleet, "views", "--json").out)
    assert {"overview", "averages", "preset_rows", "mhz_by_run"} <= {view["view"] for view in views}
    assert all(view["shows"].endswith(".") for view in views)
    schema = query_tool.run(fleet, "schema").out
    base = query_db.open_to_read(fleet)
    for name, statement in query_db.names(base).items():
        assert statement in schema
        assert query_db.about(statement), f"{name}: no comment at its head"
    base.close()


@pytest.mark.parametrize("arguments, why", [
    (("verdict",), "no view or table 'verdict'; nearest: verdicts"),
    (("DELETE FROM runs",), "attempt to write a readonly database"),
    (("xyz",), "no view or table 'xyz'; there are: machines"),
    (("SELECT xyzzy FROM runs",), "no such column: xyzzy\n"),
    (("SELECT medain FROM rows",), "no such column: medain; nearest: median"),
    (("SELECT r.kernle FROM rows r",), "no such column: r.kernle; nearest: kernel"),
    (("SELECT * FROM rwos",), "no such table: rwos; nearest: rows"),
    (("SELECT 1 AS a, 2 AS a", "--json"), "two columns have the same name"),
])
def test_what_cannot_be_asked_is_said(fleet, arguments, why):
    said = query_tool.run(fleet, *arguments)
    assert said.status == results.HOST_ERROR and why in said.err
    assert query_tool.value(fleet, "SELECT count(*) FROM runs") == 5


def test_files_that_are_no_database_are_left_alone(tmp_path):
    text, other = tmp_path / "text", tmp_path / "other"
    text.write_text("no database, but a text that is long enough to be taken for one\n" * 20)
    before = text.read_bytes()
    base = query_db.sqlite3.connect(other)
    base.execute("CREATE TABLE runs (x)")
    base.close()
    folder = folders.make(tmp_path / "0001")
    for db, why in ((text, "not an SQLite file"), (other, "a database of another program"),
                    (tmp_path / "none", "no such file")):
        said = query_tool.run(db, "overview")
        assert said.status == results.HOST_ERROR and why in said.err
    for db in (text, other):
        assert query_tool.run(db, "import", folder).status == results.HOST_ERROR
    assert text.read_bytes() == before
    assert query_tool.run(tmp_path / "none", "import").status == results.USAGE
