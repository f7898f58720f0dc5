# SPDX-License-Identifier: BSD-2-Clause
"""Event tables contain uncore events of perfmon, Linux and libpfm4."""
import re

import pytest
from conftest import FIXTURES, TOP, make
from test_make_events import listing, rows_for
from events import cpu_sets
from events import table as event_table
from events import libpfm4
from events import perfmon_event
from events import uncore
from events.table import Row

# Bits of a select: event 7:0, unit mask 15:8, E 18, INV 23, CMASK 31:24. The extended unit mask
# begins at bit 32. In IIO's select, the ports begin at bit 36, and the flow class at bit 48.
E, INV = 1 << 18, 1 << 23
SKX = cpu_sets.Cpus("GenuineIntel", 6, frozenset({0x55}))
SPR = cpu_sets.Cpus("GenuineIntel", 6, frozenset({0x8F}))


def units(rows):
    return {name: (row.unit, row.select, row.counters, row.msr, row.value)
            for name, row in rows.items() if row.unit}


def test_perfmon(importer):
    done = importer(FIXTURES / "perfmon")
    alder_lake = {
        "UNC_ARB_FIXTURE": ("arb", 0x80 | 0x01 << 8 | 10 << 24 | E | INV, 1, None, None),
        "UNC_CLOCK.SOCKET": ("clock", 0, 1, None, None)}
    for table in ("goldencove", "gracemont"):
        assert units(done.rows(f"alderlake_{table}.csv")) == alder_lake
    assert units(done.rows("haswell.csv")) == {
        "UNC_CBO_CACHE_LOOKUP.ANY_I": ("cbox", 0x34 | 0x88 << 8, 0b11, None, None),
        "UNC_CBO_CACHE_LOOKUP.READ_MESI": ("cbox", 0x34 | 0x1F << 8, 0b11, None, None)}
    # The default filter of LLC_LOOKUP selects all states: LLC_I (bit 17) to LLC_F (bit 24).
    assert units(done.rows("skylakex.csv")) == {
        "UNC_CHA_LLC_LOOKUP.ANY": ("cha", 0x1134, 0xF, 0xE05, sum(1 << bit for bit in
                                                                  range(17, 25))),
        "UNC_CHA_LLC_LOOKUP.MISS": ("cha", 0x1134, 0xF, 0xE05, 1 << 17),
        "UNC_CHA_TOR_INSERTS.IA": ("cha", 0x3135, 0xF, None, None),
        "UNC_CHA_TOR_INSERTS.IA_MISS": ("cha", 0x2135, 0xF, 0xE06, 0x40433),
        "UNC_M_CAS_COUNT.RD": ("imc", 0x304, 0xF, None, None),
        "UNC_M_CAS_COUNT.WR": ("imc", 0xC04, 0xF, None, None)}
    assert done.rows("skylakex.csv")["UNC_M_CAS_COUNT.WR"].flags == "d"
    assert units(done.rows("sapphirerapids.csv")) == {
        "UNC_CHA_LLC_LOOKUP.DATA_READ_MISS": ("cha", 0x134 | 0x1FC1 << 32, 0xF, None, None),
        "UNC_IIO_DATA_REQ_OF_CPU.MEM_READ.PART1": (
            "iio", 0x483 | 0b10 << 36 | 7 << 48, 0b11, None, None),
        "UNC_M2P_CLOCKTICKS": ("m2pcie", 0x01, 0xF, None, None),
        "UNC_UPI_TXL_FLITS.ALL_DATA": ("upi", 0xF02, 0xF, None, None),
        "UNC_M_CAS_COUNT.RD": ("imc", 0xCF05, 0xF, None, None)}
    assert not units(done.rows("nehalemep.csv"))


def test_reasons(importer):
    notes = dict(line.split(": ", 2)[1:] for line in importer(FIXTURES / "perfmon").note(
        "refused.txt"))
    for name, reason in {
            "UNC_U_FIXTURE": "unit UBO: this program supports no unit of that name",
            "UNC_CHA_FILTERED":
                "Filter 'CHAFilter0[26:17]': this event is not known to use a filter",
            "UNC_M_OTHER_FILTER":
                "Filter 'CBoFilter1[28:20]': the register of this filter is not known",
            "UNC_M_CAS_COUNT.WR": "the name exists already, with another encoding",
            "UNC_CHA_EXTENDED": "ExtSel: a field of the select that this program does not know",
            "UNC_IIO_FIXTURE": "unit IIO: this program supports no such unit on these CPUs",
            "UNC_M_FIXTURE": "unit iMC: this program supports no such unit on these CPUs",
            "UNC_MC0_FIXTURE_FREERUN": "runs freely and counts for one memory controller; "
                                       "dram_read_bytes and dram_write_bytes count for all of them",
            "UNC_M_PORTS": "PortMask or FCMask: only an IIO has them",
            "UNC_M_BAD_COUNTER": "Counter '0,x' is not a number",
            "UNC_M_HIGH_COUNTER": "Counter '16': expected 0 to 15",
            "UNC_CBO_NOBODYS": "this import has no table for its CPUs"}.items():
        assert notes[name] == reason


def test_linux(importer):
    done = importer(FIXTURES / "linux")
    alder_lake = {"UNC_CLOCK.SOCKET": ("clock", 0, 1, None, None),
                  "UNC_ARB_DAT_REQUESTS.RD": ("arb", 0x281, 0b11, None, None)}
    assert units(done.rows("alderlake-core.csv")) == alder_lake
    assert units(done.rows("alderlake-atom.csv")) == alder_lake
    rows = units(done.rows("skylakex.csv"))
    assert rows["UNC_CHA_TOR_INSERTS.IA_MISS_DRD"] == ("cha", 0x2135, 0xF, 0xE06, 0x40433)
    assert rows["UNC_CHA_LLC_LOOKUP.ANY"] == ("cha", 0x1134, 0xF, 0xE05, 0x1FE0000)
    assert rows["UNC_M_FIXTURE"] == ("imc", 0x304, 1, None, None)
    notes = done.note("refused.txt")
    assert any("REMOTE_OUTBOUND: unit DFPMC" in line for line in notes)
    assert any("UNC_MC0_RDCAS_COUNT_FREERUN: runs freely" in line for line in notes)


@pytest.mark.parametrize("cpus, fields, select", [
    # Bits 8 and above of Linux's UMask are perfmon's field UMaskExt.
    (SPR, {"EventCode": "0x34", "UMask": "0x1fc101", "Unit": "CHA"}, 0x134 | 0x1FC1 << 32),
    (SPR, {"EventCode": "0x34", "UMask": "0x01", "UMaskExt": "0x1FC1", "Unit": "CHA"},
     0x134 | 0x1FC1 << 32),
    (SPR, {"EventCode": "0x83", "UMask": "0x4", "PortMask": "0xFFF", "FCMask": "0x07",
           "Unit": "IIO"}, 0x483 | 0xFFF << 36 | 7 << 48),
    (SPR, {"EventCode": "0x02", "UMask": "0xf", "Unit": "UPI LL"}, 0xF02),
])
def test_selects(cpus, fields, select):
    assert uncore.encode({"EventName": "UNC_X", **fields}, cpus).select == select


@pytest.mark.parametrize("fields, unit, counters", [
    ({"Unit": "ARB", "EventCode": "0x81", "Counter": "0-3,5"}, "arb", 0b101111),
    ({"Unit": "ARB", "EventCode": "0x81"}, "arb", 0),
    # The uncore's clock is an event of ARB in the files for Sandy Bridge, and of a CBo in older
    # files of Linux.
    ({"Unit": "ARB", "EventCode": "0x0", "UMask": "0x01", "Counter": "Fixed"}, "clock", 1),
    ({"Unit": "cbox_0", "EventCode": "0xff"}, "clock", 1),
    ({"Unit": "CBOX", "EventCode": "0x34"}, "cbox", 0),
])
def test_units_and_counters(fields, unit, counters):
    cpus = cpu_sets.Cpus("GenuineIntel", 6, frozenset({0x2A, 0x5E}))
    row = uncore.encode({"EventName": "UNC_X", **fields}, cpus)
    assert (row.unit, row.counters) == (unit, counters)
    assert unit != "clock" or row.select == 0


@pytest.mark.parametrize("models, counter, counters", [
    ({0x7D, 0x7E}, "1", 0), ({0x7D, 0xA7}, "0,1", 0), ({0x7E}, "", 0), ({0xA7}, "1", 0b10),
    ({0x7D, 0x7E}, "0", None),
])
def test_the_one_counter_of_ice_lake(models, counter, counters):
    event = {"EventName": "UNC_X", "Unit": "ARB", "EventCode": "0x81", "Counter": counter}
    cpus = cpu_sets.Cpus("GenuineIntel", 6, frozenset(models))
    if counters is None:
        with pytest.raises(perfmon_event.Refused, match="only counter 1"):
            uncore.encode(event, cpus)
    else:
        assert uncore.encode(event, cpus).counters == counters


@pytest.mark.parametrize("fields, reason", [
    ({"EventCode": "0x100"}, "EventCode '0x100': expected one number up to 0xff"),
    ({"EventCode": "0x1", "UMask": "0x10000000000"}, "expected one number up to 0xffffffffff"),
    ({"EventCode": "0x1", "EventName": "A B"}, "name 'A B'"),
    ({"EventCode": "0x1", "Counter": "3-0"}, "Counter '3-0': expected 0 to 15"),
    ({"EventCode": "0x1", "Filter": "na", "FILTER_VALUE": "1"}, "not known to use a filter"),
    ({"EventCode": "0x1", "Unit": "CBO"},
     "unit CBO: this program supports no such unit on these CPUs"),
])
def test_refused(fields, reason):
    with pytest.raises(perfmon_event.Refused) as refused:
        uncore.encode({"EventName": "UNC_X", "Unit": "CHA", **fields}, SKX)
    assert reason in str(refused.value)


# Sources: SDM vol. 3B, the uncore of Core i7 and the CBos of 2nd generation Core; the uncore manual
# of the Xeon Scalable family. Each row: model, name, unit, select, bitmap of counters, extra
# register, its value.
KNOWN = [
    (0x1A, "UNC_LLC_MISS.ANY", "uncore", 0x0309, 0, None, None),
    (0x1A, "UNC_QMC_WRITES.FULL_ANY", "uncore", 0x072F, 0, None, None),
    (0x1A, "UNC_CLK_UNHALTED", "clock", 0, 1, None, None),  # counted by the fixed counter
    (0x2C, "UNC_LLC_HITS.READ", "uncore", 0x0108, 0, None, None),
    (0x2A, "UNC_CBO_CACHE_LOOKUP.STATE_I", "cbox", 0x8834, 0, None, None),
    (0x3A, "UNC_CLOCKTICKS", "clock", 0, 1, None, None),
    (0x55, "UNC_M_CAS_COUNT.RD", "imc", 0x0304, 0, None, None),
    (0x55, "UNC_C_LLC_LOOKUP.STATE_LLC_I", "cha", 0x1134, 0, 0xE05, 1 << 17),
    (0x55, "UNC_C_TOR_INSERTS.ALL_MISS", "cha", 0x2535, 0, None, None),  # filter 1 at its default
]


@pytest.mark.parametrize("model, name, unit, select, counters, msr, value", KNOWN,
                         ids=[f"{row[0]:x} {row[1]}" for row in KNOWN])
def test_libpfm4(tables, model, name, unit, select, counters, msr, value):
    row = rows_for(tables, "GenuineIntel", 6, model)[name]
    assert (row.unit, row.select, row.counters, row.msr, row.value) == (
        unit, select, counters, msr, value)
    assert row.fixed is None


def test_libpfm4_has_its_units_in_the_tables_of_their_cpus(tables):
    has = {path.stem: {row.unit for row in event_table.read(path)[1]} - {""}
           for path in tables.glob("*.csv") if path.name != "index.csv"}
    assert {name for name, kinds in has.items() if kinds} == {
        "nhm", "wsm", "wsm_dp", "snb", "ivb", "skx", "clx"}
    assert has["nhm"] == {"uncore", "clock"} and has["skx"] == {"cha", "imc"}


def test_units_that_libpfm4_encodes_otherwise(tmp_path):
    done = make(tmp_path / "out", listing(tmp_path, "\n".join((
        "pmu\tskx\tIntel Skylake X\t3",
        "event\tINST\tANY\t5300c0\t\tEvent\t",
        "uncore\tskx_unc_ubo\tIntel SkylakeX U-Box uncore\t1",
        "event\tUNC_U_ONE\t\t-\t\tEvent\t",
        "uncore\tskx_unc_cha0\tIntel SkylakeX CHA0 uncore\t0",
        "event\tUNC_C_ONE\t\t500150\t\tEvent\t",  # bits 22 (EN) and 20 (PMI)
        "event\tUNC_C_FIXED\t\tff\t\tEvent\t",
        "event\tUNC_C_TWO\tF1\t2135 0 40433\t\tEvent\t",
        "event\tUNC_C_TWO\tREST\t2135 0 3b\t\tEvent\t",
        "event\tUNC_C_TWO\tBOTH\t2135 20000 40433\t\tEvent\t",
        "event\tUNC_C_TWO\tMORE\t2135 0 0 1\t\tEvent\t",
        "event\tUNC_C_NEEDS_UMASK\t\t-\t\tEvent\t",
        "event\tUNC_C BAD\t\t1\t\tEvent\t", ""))), "--no-perfmon")
    assert done.returncode == 0 and not done.stderr
    rows = {row.name: row for row in event_table.read(tmp_path / "out/skx.csv")[1]}
    assert units(rows) == {
        "UNC_C_ONE": ("cha", 0x150 & ~(1 << 20 | 1 << 22), 0, None, None),
        "UNC_C_TWO.F1": ("cha", 0x2135, 0, 0xE06, 0x40433),
        "UNC_C_TWO.REST": ("cha", 0x2135, 0, None, None)}
    assert rows["INST.ANY"].unit == ""
    refused = (tmp_path / "out/libpfm4-refused.txt").read_text()
    for name in ("UNC_C_FIXED", "UNC_C_TWO.BOTH", "UNC_C_TWO.MORE", "UNC_C_NEEDS_UMASK",
                 "UNC_C BAD"):
        assert f"skx_unc_cha0: {name}: " in refused
    assert "UNC_U_ONE" not in refused


def test_each_model_has_the_kinds_that_the_program_has():
    """uncore.KINDS lists the kinds in docs/uncore-models.md, except imc_free_running.

    KINDS lacks Nehalem to Westmere, whose events come from libpfm4. It also lacks the servers with
    Ice Lake cores, for which perfmon lists the clock as an event of UBOX.
    """
    text = (TOP / "docs/uncore-models.md").read_text()
    kinds = {part.split("\n", 1)[0]: set(re.findall(r"^\| `(\w+)` \(", part, re.M))
             for part in text.split("\n## ")}
    rows = re.findall(r"^\| \[?([^]|]*?)(?:\]\(\S*\))? \| Intel, family 6H, models ([^|]*) \|",
                      text, re.M)
    found = {int(model, 16): kinds.get(name, set()) - {"imc_free_running"}
             for name, models in rows for model in re.findall(r"(\w\w)H", models)}
    assert {model: found.pop(model) for model in uncore.KINDS} == uncore.KINDS
    nehalem, ice_lake_servers = {0x1A, 0x1E, 0x1F, 0x25, 0x2C, 0x2E, 0x2F}, {0x6A, 0x6C}
    assert set(found) == nehalem | ice_lake_servers


def test_the_kinds_are_the_programs():
    text = (TOP / "pmu/uncore/uncore.h").read_text()
    found = re.findall(r'X\(KIND_\w+, "(\w+)"\)', text)
    assert set(event_table.UNITS) == set(found) - {"energy"}
    assert set().union(*uncore.KINDS.values()) <= set(found)


def test_the_list_of_units_is_read(tmp_path):
    path = tmp_path / "units.csv"
    path.write_text("# text\n\nnhm_unc,uncore,nhm wsm\nsnb_unc_cbo0,cbox,snb\n")
    assert libpfm4.read_uncore(path) == (
        {"nhm_unc": "uncore", "snb_unc_cbo0": "cbox"},
        {"nhm": ["nhm_unc"], "wsm": ["nhm_unc"], "snb": ["snb_unc_cbo0"]})
    path.write_text("nhm_unc,gpu,nhm\n")
    with pytest.raises(cpu_sets.PatternError, match="units.csv:1: expected PMU,UNIT,CORE PMUS"):
        libpfm4.read_uncore(path)


@pytest.mark.parametrize("row, wrong", [
    (Row("UNC_X", 0x34, unit="gpu"), "unit 'gpu': expected"),
    (Row("UNC_X", None, unit="cbox"), "unit 'cbox': expected"),
    (Row("UNC_X", 0x34, fixed=1, unit="cbox"), "no fixed counter"),
    (Row("UNC_X", 0x34 | 1 << 22, unit="cbox"), "bits that are not part of an event"),
    (Row("UNC_X", 0x34 | 1 << 40), "ok"),
    (Row("UNC_X", 0x34 | 1 << 50), "bits that are not part of an event"),
    (Row("UNC_X", 0x34 | 1 << 63, unit="cha"), "ok"),
    (Row("UNC_X", 0x34, msr=0xE05, value=1), "expected 1a6"),
    (Row("UNC_X", 0x34, msr=0xE05, value=1, unit="cha"), "ok"),
])
def test_rows_of_a_table(tmp_path, row, wrong):
    path = tmp_path / "table.csv"
    if wrong == "ok":
        event_table.write(path, "test", [row])
        assert event_table.read(path) == ("test", [row])
    else:
        with pytest.raises(event_table.TableError, match=wrong):
            event_table.write(path, "test", [row])
