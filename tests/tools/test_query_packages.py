# SPDX-License-Identifier: BSD-2-Clause
"""Uncore counts in scripts/query. The expected numbers are computed as in folders.py."""
import pytest

import folders
import query_tool
import results

MACHINE = "aaaaaaaa-0000-4000-8000-000000000001"
EVENTS = (*folders.EVENTS, folders.DRAM_READ, folders.ENERGY)
N, CYCLES, LINES, STEPS = 1000, 32, 64, 5
KERNEL = folders.Kernel("copy_32", {"instructions": (0, 3), "branches": (0, 1),
                                    "cycles": (0, CYCLES), "lines_read": (0, LINES),
                                    "energy": (0, STEPS)}, N, "bandwidth")
NS = (N * CYCLES + 60) / 2  # at 2,000 MHz
GB_PER_S, WATTS = N * LINES / NS, 1000 * N * STEPS / NS
CPUS, RUNS = 4, 5


def packages(run):
    for cpu in run["cpus"]:
        cpu["package"] = cpu["cpu"] // 2
    run["packages"] = [folders.package_of(0, 0, ("imc", 6, 4, 48), ("energy", 1, 2, 32),
                                          left_running=3),
                       folders.package_of(1, 2, ("imc", 6, 4, 48, "does not count"),
                                          ("cha", 28, 4, 48), error="MSR E01H raised #GP")]


def twice_in_the_second(row):
    """Give package 1 twice the rate and three times the runs, and make its energy rows `off`."""
    if row["scope"] == results.PACKAGE and row["cpu"] == "2":
        row.update(rate=str(2 * float(row["rate"])), runs=str(3 * RUNS))
        if row["unit"] == "uJ":
            row.update(verdict="off", reason="stuck")


@pytest.fixture(scope="module", name="fleet")
def _fleet(tmp_path_factory):
    top = tmp_path_factory.mktemp("fleet")
    for number in (1, 2):
        folders.make(top / str(number), CPUS, (KERNEL,), EVENTS, RUNS, number, {"uuid": MACHINE},
                     twice_in_the_second, packages, samples=True, package_cpus=(0, 2))
    db = top / "fleet.sqlite"
    query_tool.take(db, "--samples", top)
    return db


def test_rates_of_the_rows(fleet):
    assert query_tool.rows(fleet, "SELECT cpu, event, scope, rate, rate_unit FROM rows "
                                  "WHERE run_id = 1 AND rate IS NOT NULL ORDER BY cpu, event") == [
        (cpu, event, "package", pytest.approx(factor * rate, abs=0.002), unit)
        for cpu, factor in ((0, 1), (2, 2)) for event, rate, unit in (
            ("dram_read_bytes", GB_PER_S, "GB/s"), ("package_energy_uJ", WATTS, "W"))]
    assert query_tool.value(fleet, "SELECT count(*) FROM rows WHERE rate_unit = ''") == \
        2 * CPUS * (len(folders.EVENTS) + 1)


def test_bandwidth(fleet):
    """A quarter of the samples have the first package's rate; the others have twice this rate."""
    near = [pytest.approx(factor * GB_PER_S, abs=0.002) for factor in (1, 1.75, 2)]
    power = [pytest.approx(WATTS, abs=0.002)] * 3
    assert query_tool.rows(fleet, "SELECT machine, kernel, event, runs, packages, lowest, rate, "
                                  "highest, rate_unit FROM bandwidth") == [
        (MACHINE, "copy_32", "dram_read_bytes", 2, 2, *near, "GB/s"),
        (MACHINE, "copy_32", "package_energy_uJ", 2, 1, *power, "W")]


def test_what_there_is(fleet):
    assert query_tool.rows(fleet, "SELECT package, model, kind, units, counters, width_bits, "
                                  "found, runs FROM outside_cores") == [
        (0, "Skylake-SP", "energy", 1, 2, 32, "right", 2),
        (0, "Skylake-SP", "imc", 6, 4, 48, "right", 2),
        (1, "Skylake-SP", "cha", 28, 4, 48, "MSR E01H raised #GP", 2),
        (1, "Skylake-SP", "imc", 6, 4, 48, "does not count", 2)]
    assert query_tool.ask(fleet, "SELECT cpu, left_running FROM packages WHERE run_id = 2") == [
        {"cpu": 0, "left_running": 3}, {"cpu": 2, "left_running": 0}]


def test_views_of_cores_have_none_of_it(fleet):
    for view in ("preset_rows", "preset_samples"):
        assert {line["event"] for line in query_tool.ask(fleet, f"SELECT event FROM {view}")} == \
            {"BR_INST_RETIRED.ALL_BRANCHES"}
    assert query_tool.rows(fleet, "SELECT event, scope, cpus FROM averages "
                                  "WHERE scope = 'package'") == [
        ("dram_read_bytes", "package", 2), ("package_energy_uJ", "package", 1)]


def test_one_name_in_both_scopes_is_two_lines(tmp_path):
    events = (*folders.EVENTS, folders.Event("E", "r01d1", "instructions", ring="both"),
              folders.Event("E", "uncore_cha/event=0x1/", "branches", ring="both",
                            scope=results.PACKAGE))
    db = tmp_path / "db"
    query_tool.take(db, folders.make(tmp_path / "1", 1, (KERNEL,), events))
    assert query_tool.ask(db, "SELECT scope, mean FROM averages WHERE event = 'E' "
                              "ORDER BY scope") == [{"scope": "package", "mean": N},
                                                    {"scope": "thread", "mean": 3 * N}]


@pytest.mark.parametrize("package, why", [
    ({"cpu": "first"}, "cpu: expected a whole number"), ({"cpu": 0, "groups": [7]}, "groups"),
    ({"cpu": 0, "groups": [{"kind": None}]}, "package_counters"),
    ({"cpu": 0, "model": 7.5, "left_running": 0.5}, "packages")])
def test_what_is_not_as_the_program_writes_it_is_refused(tmp_path, package, why):
    folder = folders.make(tmp_path / "1", change_run=lambda run: run.update(packages=[package]))
    said = query_tool.run(tmp_path / "db", "import", folder)
    assert said.status == 1 and why in said.err
