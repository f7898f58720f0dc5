# SPDX-License-Identifier: BSD-2-Clause
"""scripts/make-events with this machine's libpfm4, and with listings that the tests write."""
import shutil
import subprocess

import pytest
from conftest import FIXTURES, TOP, check_tables, make
from events import cpu_sets
from events import table
from events import libpfm4
from results import HOST_ERROR

def rows_for(folder, vendor, family, model, stepping=0, core_type=""):
    cell = vendor, family, model, stepping, core_type
    file = next(file for file, cpus in cpu_sets.read_index(folder / "index.csv")
                if cell in cpus.cells())
    return {row.name: row for row in table.read(folder / file)[1]}


# Sources: SDM (vol. 3B, tables of performance monitoring events) and AMD's PPRs. Each row: vendor,
# family, model, name, select (unit mask << 8 | event), bitmap of counters (0: all), fixed counter.
KNOWN = [
    ("GenuineIntel", 6, 0x1A, "MEM_INST_RETIRED.LOADS", 0x010B, 0, None),  # Nehalem
    ("GenuineIntel", 6, 0x1A, "L1D_CACHE_LD.MESI", 0x0F40, 0x3, None),
    ("GenuineIntel", 6, 0x2A, "UOPS_DISPATCHED_PORT.PORT_0", 0x01A1, 0, None),  # Sandy Bridge
    ("GenuineIntel", 6, 0x2A, "L1D_PEND_MISS.PENDING", 0x0148, 0x4, None),
    ("GenuineIntel", 6, 0x3C, "MEM_LOAD_UOPS_RETIRED.L3_MISS", 0x20D1, 0xF, None),  # Haswell
    ("GenuineIntel", 6, 0x5E, "MEM_INST_RETIRED.ALL_LOADS", 0x81D0, 0xF, None),  # Skylake
    ("GenuineIntel", 6, 0x5E, "INSTRUCTION_RETIRED", 0x00C0, 0, 0),
    ("GenuineIntel", 6, 0x5E, "UNHALTED_REFERENCE_CYCLES", None, 0, 2),
    # counter mask 4
    ("GenuineIntel", 6, 0x7E, "CYCLE_ACTIVITY.STALLS_TOTAL", 0x4 << 24 | 0x04A3, 0xFF, None),
    ("GenuineIntel", 6, 0x7E, "TOPDOWN.SLOTS", 0x01A4, 0, 3),  # Ice Lake
    ("AuthenticAMD", 0x17, 0x31, "RETIRED_INSTRUCTIONS", 0xC0, 0, None),  # Zen 2
    ("AuthenticAMD", 0x19, 0x21, "RETIRED_BRANCH_INSTRUCTIONS", 0xC2, 0, None),  # Zen 3
    # AMD's name for IC_MISS is PMCx18E. Bits 11:8 of an event are bits 35:32 of the select.
    ("AuthenticAMD", 0x19, 0x21, "IC_TAG_HIT_MISS.IC_MISS", 0x1_0000_188E, 0, None),
]


@pytest.mark.parametrize("vendor, family, model, name, select, counters, fixed", KNOWN,
                         ids=[row[3] for row in KNOWN])
def test_known_events(tables, vendor, family, model, name, select, counters, fixed):
    row = rows_for(tables, vendor, family, model)[name]
    assert (row.select, row.counters, row.fixed) == (select, counters, fixed)


@pytest.mark.parametrize("model, name, select, msr, value", [
    # In MSR 1A6h, bit 0 selects demand data reads, and bit 16 selects any response (SDM, "Off-core
    # Response Performance Monitoring").
    (0x5E, "OFFCORE_RESPONSE_0.DMND_DATA_RD", 0x1B7, 0x1A6, 1 << 16 | 1 << 0),
    (0x5E, "OFFCORE_RESPONSE_1.DMND_DATA_RD", 0x1B7, 0x1A6, 1 << 16 | 1 << 0),
    (0x8F, "OCR.DEMAND_DATA_RD_ANY_RESPONSE", 0x12A, 0x1A6, 1 << 16 | 1 << 0),
    (0x5E, "FRONTEND_RETIRED.DSB_MISS", 0x1C6, 0x3F7, 0x11),
    (0x5E, "MEM_TRANS_RETIRED.LOAD_LATENCY", 0x1CD, 0x3F6, 3),  # the smallest threshold in libpfm4
])
def test_extra_registers(tables, model, name, select, msr, value):
    row = rows_for(tables, "GenuineIntel", 6, model)[name]
    assert (row.select, row.msr, row.value) == (select, msr, value)


def test_no_event_without_its_register(tables):
    assert "MEM_TRANS_RETIRED" not in rows_for(tables, "GenuineIntel", 6, 0x5E)


STICK_BYTES_MAX = 5 << 19  # 2.5 MiB

# Families, models and steppings are from SDM vol. 4, AMD's PPRs and revision guides.
PRODUCTS = [
    ("Core 2 Q6600", "GenuineIntel", 6, 0x0F, 0xB, "core"),
    ("Xeon X5570", "GenuineIntel", 6, 0x1A, 5, "nehalemep"),
    ("Xeon X5690", "GenuineIntel", 6, 0x2C, 2, "westmereep-dp"),
    ("Core i7-2600K", "GenuineIntel", 6, 0x2A, 7, "sandybridge"),
    ("Xeon E5-2690 v2", "GenuineIntel", 6, 0x3E, 4, "ivytown"),
    ("Core i7-4770K", "GenuineIntel", 6, 0x3C, 3, "haswell"),
    ("Xeon E5-2699 v4", "GenuineIntel", 6, 0x4F, 1, "broadwellx"),
    ("Xeon E-2278G", "GenuineIntel", 6, 0x9E, 0xD, "skylake"),
    ("Xeon Platinum 8180", "GenuineIntel", 6, 0x55, 4, "skylakex"),
    ("Xeon Platinum 8280", "GenuineIntel", 6, 0x55, 7, "cascadelakex"),
    ("Xeon Platinum 8380", "GenuineIntel", 6, 0x6A, 6, "icelakex"),
    ("Core i7-1185G7", "GenuineIntel", 6, 0x8C, 1, "tigerlake"),
    ("Xeon Platinum 8480+", "GenuineIntel", 6, 0x8F, 8, "sapphirerapids"),
    ("Atom C3958", "GenuineIntel", 6, 0x5F, 1, "goldmont"),
    ("Atom P5942B", "GenuineIntel", 6, 0x86, 7, "snowridgex"),
    ("Xeon Phi 7250", "GenuineIntel", 6, 0x57, 1, "knightslanding"),
    ("Opteron 2350", "AuthenticAMD", 0x10, 2, 3, "amd64_fam10h_barcelona"),
    ("FX-8350", "AuthenticAMD", 0x15, 2, 0, "amd64_fam15h_interlagos"),
    ("Ryzen 7 1700", "AuthenticAMD", 0x17, 0x01, 1, "amd64_fam17h_zen1"),
    ("Ryzen 7 3700X", "AuthenticAMD", 0x17, 0x71, 0, "amd64_fam17h_zen2"),
    ("Ryzen 9 5950X", "AuthenticAMD", 0x19, 0x21, 0, "amd64_fam19h_zen3"),
    ("Ryzen 9 7950X", "AuthenticAMD", 0x19, 0x61, 2, "amd64_fam19h_zen4"),
]


@pytest.mark.parametrize("product, vendor, family, model, stepping, pmu", PRODUCTS,
                         ids=[row[0] for row in PRODUCTS])
def test_the_table_of_a_cpu(stick, product, vendor, family, model, stepping, pmu):
    cell = vendor, family, model, stepping, ""
    lines = cpu_sets.read_index(stick / "index.csv")
    assert next(file for file, cpus in lines if cell in cpus.cells()) == pmu + ".csv", product


def test_tables_are_valid_and_small(tables, stick):
    made = check_tables(tables)
    assert len(made) >= 40 and sum(len(table.read(path)[1]) for path in made) > 10000
    made = check_tables(stick)
    assert len(made) >= 60 and sum(len(table.read(path)[1]) for path in made) > 30000
    assert sum(path.stat().st_size for path in stick.iterdir()) <= STICK_BYTES_MAX


def test_no_row_has_a_bit_of_the_programs(tables):
    for path in tables.glob("*.csv"):
        if path.name != "index.csv":
            for row in table.read(path)[1]:
                assert not (row.select or 0) & 0x5B0000 & ~(1 << 18), (path.name, row.name)


def test_a_fixed_counters_event_on_a_general_counter(tables):
    """With unit mask 00H, event C0H counts instructions, and event 3CH counts cycles (SDM vol. 3B,
    architectural events).
    """
    architectural = {"INST_RETIRED": (0xC0, 0), "INST_RETIRED.ANY": (0xC0, 0),
                     "CPU_CLK_UNHALTED.THREAD": (0x3C, 1), "CPU_CLK_UNHALTED.CORE": (0x3C, 1)}
    found = set()
    for path in tables.glob("*.csv"):
        if path.name != "index.csv" and not path.name.startswith("amd"):
            for row in table.read(path)[1]:
                if row.name in architectural and not row.unit:
                    assert (row.select, row.fixed) == architectural[row.name], (path.name, row)
                    found.add(row.name)
    assert found == set(architectural)


def test_made_twice_is_the_same(tables, lister, tmp_path):
    for name in ("old.csv", "differs.txt", "old-license.txt"):
        (tmp_path / name).write_text("a file of before")
    assert make(tmp_path, lister, "--no-perfmon").returncode == 0
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == \
        {path.name: path.read_bytes() for path in tables.iterdir()}


def test_every_line_of_the_constraints_is_for_an_event(tables):
    rules = libpfm4.read_counters(TOP / "scripts/libpfm4-counters.csv")
    lines, _ = libpfm4.read_cpus(TOP / "scripts/libpfm4-cpus.csv")
    rows_of = {path.stem: table.read(path)[1] for path in tables.glob("*.csv")
               if path.name != "index.csv"}
    known = {pmu for pmu, _ in lines}
    for pmus, events, umask, counters in rules:
        assert set(pmus) <= known
        selects = {row.select for pmu in pmus for row in rows_of.get(pmu, [])
                   if row.counters == counters and row.select is not None}
        assert any(select & 0xFF in events and umask in (None, select >> 8 & 0xFF)
                   for select in selects), (pmus, events, umask)


def listing(tmp_path, text):
    program = tmp_path / "lister"
    (tmp_path / "listing").write_text(text)
    program.write_text(f"#!/bin/sh\ncat {tmp_path}/listing\n")
    program.chmod(0o755)
    return program


def test_what_is_refused(tmp_path):
    done = make(tmp_path / "out", listing(tmp_path, "\n".join((
        "pmu\tskl\tIntel Skylake\t3",
        "event\tGOOD\tONE\t5301c0\tp\tEvent\tUnit mask",  # bits EN 22, INT 20, OS 17, USR 16
        "event\tGOOD\tONE\t5302c0\t\tEvent\tTwice",
        "event\tNEEDS_UMASK\t\t-\t\tEvent\t",
        "event\tCPU_CLK_UNHALTED\tODD\t530100\t\tEvent 0 by mistake\t",
        "event\tUNKNOWN_REGISTER\t\t5301aa 5\t\tEvent\t",
        "event\tBAD NAME\t\t5301ab\t\tEvent\t",
        "pmu\tnew\tIntel New\t3",
        "event\tEVENT\t\t5300c0\t\tEvent\t", ""))), "--no-perfmon")
    assert done.returncode == 0
    assert "make-events: new: not in libpfm4-cpus.csv, left out" in done.stderr
    assert [line.split(": ", 2)[1] for line in
            (tmp_path / "out/libpfm4-refused.txt").read_text().splitlines()] == [
                "GOOD.ONE", "NEEDS_UMASK", "CPU_CLK_UNHALTED.ODD", "UNKNOWN_REGISTER", "BAD NAME"]
    assert (tmp_path / "out/skl.csv").read_text().splitlines()[2:] == [
        "GOOD.ONE,1c0,2,,p,,,Event: Unit mask"]
    assert [file for file, _ in cpu_sets.read_index(tmp_path / "out/index.csv")] == ["skl.csv"]


@pytest.mark.parametrize("spoil, status, problem", [
    (lambda folder: (folder / "index.csv").unlink(), HOST_ERROR, "No such file or directory"),
    (lambda folder: (folder / "index.csv").write_text("x\n"), 1, "index.csv:1: expected barecount"),
    (lambda folder: (folder / "skylake.csv").write_text("x\n"), 1, "skylake.csv:1: expected barec"),
])
def test_bad_tables_of_perfmon(lister, tmp_path, spoil, status, problem):
    folder = shutil.copytree(TOP / "pmu/events/perfmon", tmp_path / "perfmon")
    spoil(folder)
    done = make(tmp_path / "out", lister, "--perfmon", folder)
    assert done.returncode == status and problem in done.stderr
    assert done.stderr.startswith("make-events: ") and "Traceback" not in done.stderr


def test_tables_with_descriptions(importer, lister, tmp_path):
    folder = shutil.copytree(TOP / "pmu/events/perfmon", tmp_path / "perfmon")
    importer(FIXTURES / "perfmon", out=tmp_path / "imported")
    shutil.copy(tmp_path / "imported/skylakex.csv", folder)
    (folder / "elkhartlake.csv").unlink()
    index = (folder / "index.csv").read_text().splitlines()
    (folder / "index.csv").write_text(
        "\n".join(line for line in index if "elkhartlake" not in line) + "\n")
    done = make(tmp_path / "out", lister, "--perfmon", folder)
    assert done.returncode == 0 and "make-events: elkhartlake.csv: in perfmon-cpus" in done.stderr
    rows = {row.name: row for row in table.read(tmp_path / "out/skylakex.csv")[1]}
    assert rows["BR_INST_RETIRED.ALL_BRANCHES"].description.startswith("All branches.")
    assert rows["UNHALTED_REFERENCE_CYCLES"].description  # only libpfm4 lists it


@pytest.mark.parametrize("lister_text", [None, "#!/bin/sh\nexit 1\n"])
def test_no_lister(tmp_path, lister_text):
    program = tmp_path / "lister"
    if lister_text:
        program.write_text(lister_text)
        program.chmod(0o755)
    done = make(tmp_path / "out", program)
    assert done.returncode == HOST_ERROR and done.stderr.startswith("make-events: ")
    assert "lister" in done.stderr and "Traceback" not in done.stderr
    assert not (tmp_path / "out").exists()


def test_the_scripts_find_what_they_need(tmp_path):
    done = subprocess.run([TOP / "scripts/import-perfmon", "--help"], cwd=tmp_path, check=False,
                          capture_output=True, text=True)
    assert done.returncode == 0 and "EVENTS_DIR" in done.stdout
