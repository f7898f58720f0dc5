# SPDX-License-Identifier: BSD-2-Clause
"""import-perfmon imports the events of Intel and AMD from Debian's Linux sources."""
import pathlib
import shutil
import subprocess

import pytest
from conftest import TOP, check_import
from events import table as event_table
from levels import host_cannot

FETCH_S = 900
CANNOT_BE_FETCHED = 4


@pytest.fixture(scope="module")
def linux():
    done = subprocess.run([TOP / "tests/events/linux_events.sh"], capture_output=True, text=True,
                          timeout=FETCH_S, check=False)
    if done.returncode == CANNOT_BE_FETCHED:
        host_cannot("no network: " + done.stderr.strip().splitlines()[-1])
    assert done.returncode == 0, done.stderr
    return pathlib.Path(done.stdout.strip())


def names_of(folder):
    return [(path.name, {row.name for row in event_table.read(path)[1]})
            for path in folder.glob("*.csv") if path.name != "index.csv"]


def test_alone(importer, linux):
    done = importer(linux)
    imported, _ = check_import(done, linux)
    refused = [line for line in done.note("refused.txt")
               if not line.split(": ", 2)[2].startswith(("unit ", "runs freely"))]
    assert imported > 16000 and len(refused) < imported / 100
    rows = done.rows("skylakex.csv")
    assert (rows["UNC_M_CAS_COUNT.RD"].unit, rows["UNC_M_CAS_COUNT.RD"].select) == ("imc", 0x304)
    assert done.rows("alderlake-atom.csv")["UNC_CLOCK.SOCKET"].unit == "clock"


def test_with_libpfm4(importer, linux, tables, tmp_path):
    folder = shutil.copytree(tables, tmp_path / "events")
    done = importer(linux, out=folder)
    check_import(done, linux)
    differs = done.note("differs.txt")
    assert f"; {len(differs)} of the imported ones disagreed" in done.last and len(differs) > 10
    # The unit mask of L2_RQSTS.L2_PF_MISS is 30h in perfmon, and 38h in libpfm4 4.13.
    assert "haswell: L2_RQSTS.L2_PF_MISS,3024,ff,,,, replaces L2_RQSTS.L2_PF_MISS,3824,,,,," \
        in differs
    rows = done.rows("skylakex.csv")
    assert rows["MEM_INST_RETIRED.ALL_LOADS"].select == 0x81D0
    assert rows["UNHALTED_REFERENCE_CYCLES"].fixed == 2
    after = [names for _, names in names_of(folder)]
    for name, names in names_of(tables):
        assert any(names <= more for more in after), name


# Each row: libpfm4's PMU, and Linux's table for the same CPU.
SAME_CPU = [("nhm", "nehalemep"), ("wsm", "westmereep-sp"), ("snb", "sandybridge"),
            ("ivb", "ivybridge"), ("hsw", "haswell"), ("bdw", "broadwell"), ("skl", "skylake"),
            ("skx", "skylakex"), ("clx", "cascadelakex"), ("icl", "icelake"), ("icx", "icelakex"),
            ("spr", "sapphirerapids")]
LOW_COUNTERS = 0xF  # counters 4 to 7 exist only without Hyper-Threading
PRECISE_ALONE = 0xA8001C0  # INST_RETIRED.TOTAL_CYCLES of Skylake: PEBS excludes counter 1


def test_libpfm4_counters(importer, linux, tables):
    """If perfmon excludes one of counters 0 to 3 for an event, libpfm4-counters.csv does too."""
    done = importer(linux)
    for pmu, table in SAME_CPU:
        allowed = {}
        for row in done.rows(f"{table}.csv").values():
            if row.select is not None and not row.unit:
                counters = row.counters or LOW_COUNTERS  # 0: the event also has a fixed counter
                allowed[row.select] = allowed.get(row.select, 0) | counters & LOW_COUNTERS
        compared = 0
        for row in event_table.read(tables / f"{pmu}.csv")[1]:
            if row.select in allowed and row.select != PRECISE_ALONE and not row.unit:
                compared += 1
                counters = (row.counters or LOW_COUNTERS) & LOW_COUNTERS
                assert not counters & ~allowed[row.select], (pmu, row)
        assert compared > 250, pmu
