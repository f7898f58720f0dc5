# SPDX-License-Identifier: BSD-2-Clause
"""The tables in pmu/events/perfmon and pmu/events/libpfm4, and those of the stick."""
import shutil
import subprocess

import pytest
from conftest import FIXTURES, TOP
from events import cpu_sets
from events import table

# For each of perfmon's files of core events: its CPUs according to mapfile.csv of 2026-08-13, as
# family-model. After the model, "a" means efficiency cores, and "c" performance cores. A native
# model ID follows ":", and a stepping follows "/". Families are decimal, models hexadecimal.
MAPFILE = {
    "nehalemex": "6-2E", "nehalemep": "6-1E 6-1F 6-1A", "westmereex": "6-2F",
    "westmereep-sp": "6-25", "westmereep-dp": "6-2C", "silvermont": "6-37 6-4A 6-4D 6-4C 6-5A",
    "goldmont": "6-5C 6-5F", "bonnell": "6-1C 6-26 6-27 6-36 6-35", "sandybridge": "6-2A",
    "jaketown": "6-2D", "ivybridge": "6-3A", "ivytown": "6-3E", "haswell": "6-3C 6-45 6-46",
    "haswellx": "6-3F", "broadwell": "6-3D 6-47", "broadwellx": "6-4F", "broadwellde": "6-56",
    "skylake": "6-4E 6-5E 6-8E 6-9E 6-A5 6-A6", "knightslanding": "6-57 6-85",
    "skylakex": "6-55/0 6-55/1 6-55/2 6-55/3 6-55/4", "cascadelakex": "6-55/5 6-55/7 6-55/F",
    "goldmontplus": "6-7A", "icelake": "6-7D 6-7E", "rocketlake": "6-A7", "snowridgex": "6-86",
    "tigerlake": "6-8C 6-8D", "sapphirerapids": "6-8F", "emeraldrapids": "6-CF",
    "icelakex": "6-6A 6-6C", "elkhartlake": "6-96 6-9C",
    "alderlake_gracemont": "6-97a 6-9Aa 6-B7a 6-BAa 6-BFa 6-BE",
    "alderlake_goldencove": "6-97c 6-9Ac 6-B7c 6-BAc 6-BFc",
    "meteorlake_crestmont": "6-AAa 6-ACa 6-B5a", "meteorlake_redwoodcove": "6-AAc 6-ACc 6-B5c",
    "graniterapids": "6-AD 6-AE", "sierraforest": "6-AF", "grandridge": "6-B6",
    "lunarlake_skymont": "6-BDa", "lunarlake_lioncove": "6-BDc",
    "arrowlake_skymont": "6-C5a:3 6-C6a", "arrowlake_crestmont": "6-C5a:2",
    "arrowlake_lioncove": "6-C5c 6-C6c", "pantherlake_darkmont": "6-CCa 6-D5a 6-E5a",
    "pantherlake_cougarcove": "6-CCc 6-D5c 6-E5c", "clearwaterforest": "6-DD",
    "novalake_arcticwolf": "18-01a 18-03a", "novalake_coyotecove": "18-01c 18-03c",
}
# CPUs that the mapfile lacks use a table for the same cores (scripts/perfmon-cpus.csv).
ALIKE = {"skylake": "6-66", "icelake": "6-9D 6-8Ac", "elkhartlake": "6-8Aa",
         "alderlake_goldencove": "6-D7"}


def cell(cpu):
    family, model = cpu.split("-")
    model, _, stepping = model.partition("/")
    model, _, native = model.partition(":")
    core_type = {"a": "atom", "c": "core"}.get(model[2:], "") + (f":{native}" if native else "")
    return "GenuineIntel", int(family), int(model[:2], 16), int(stepping or "0", 16), core_type


def tables_of(folder, cpu):
    return [file for file, cpus in cpu_sets.read_index(folder / "index.csv")
            if cell(cpu) in cpus.cells()]


CPUS = [(cpu, stem) for found in (MAPFILE, ALIKE) for stem, cpus in found.items()
        for cpu in cpus.split()]


@pytest.mark.parametrize("cpu, stem", CPUS, ids=[cpu for cpu, _ in CPUS])
def test_each_line_of_the_mapfile_has_its_table(stick, cpu, stem):
    found = tables_of(stick, cpu)
    # The file is STEM-OTHER.csv if libpfm4 lists several tables for the CPUs of STEM.
    assert found and found[0].removesuffix(".csv").split("-")[0] in (stem, stem.split("-")[0])
    ours = {row.name: row.encoding() for row in table.read(stick / found[0])[1]}
    theirs = {row.name: row.encoding()
              for row in table.read(TOP / f"pmu/events/perfmon/{stem}.csv")[1]}
    assert theirs.items() <= ours.items()


def test_a_core_that_no_list_has(stick):
    """Diamond Rapids (family 19) is in no table."""
    assert tables_of(stick, "19-01") == []
    assert not [cpus for _, cpus in cpu_sets.read_index(stick / "index.csv")
                if cpus.vendor == "GenuineIntel" and cpus.family not in (6, 18)]


# Events of Zen 5, and their selects. Source: AMD PPRs for family 1AH (57896 and 57238).
ZEN_5 = {"RETIRED_INSTRUCTIONS": 0xc0, "RETIRED_CONDITIONAL_BRANCH_INSTRUCTIONS": 0xd1,
         "LS_DISPATCH.LD_ST_DISPATCH": 0x429, "SMI_RECEIVED": 0x2b,
         "ANY_DATA_CACHE_FILLS_FROM_SYSTEM.LCL_L2": 0x144,
         "L2_PREFETCH_MISS_L3.L1_DC_L2_HW_PF": 0xff72,
         "L2_FILL_RESPONSE_SRC.DRAM_IO_NEAR": 0x100000865,
         "RETIRED_BRANCH_MISPREDICTED_DIRECTION_MISMATCH": 0x1000000c7}


def test_zen_5_has_a_table(stick):
    """Debian's libpfm4 lists no events of Zen 5."""
    tables = {model: [file for file, cpus in cpu_sets.read_index(stick / "index.csv")
                      if ("AuthenticAMD", 26, model, 0, "") in cpus.cells()]
              for model in (0x02, 0x11, 0x24, 0x44, 0x60, 0x70, 0x50, 0x80)}
    zen_5 = ["amd64_fam1ah_zen5.csv"]
    assert list(tables.values()) == [zen_5] * 6 + [[]] * 2
    rows = {row.name: row.select for row in table.read(stick / zen_5[0])[1]}
    assert ZEN_5.items() <= rows.items()


# Events of perfmon's files. Most were drawn at random from the events whose encoding has other
# fields besides the event code and the unit mask. Each line: table, name, event code, unit mask,
# counters (including CounterHTOff), other fields. Numbers are hexadecimal. The event code "-" means
# that only a fixed counter counts the event. The counters "-" mean that the table lists none.
ENCODINGS = """\
nehalemep OFFCORE_RESPONSE_0.PF_DATA.REMOTE_DRAM b7 1 2 1a6=2030
nehalemep OFFCORE_RESPONSE_0.DATA_IN.LLC_HIT_OTHER_CORE_HIT b7 1 2 1a6=233
nehalemep OFFCORE_RESPONSE_0.DATA_IN.REMOTE_CACHE b7 1 2 1a6=1833
nehalemep RAT_STALLS.REGISTERS d2 2 0123
haswellx L1D_PEND_MISS.FB_FULL 48 2 01234567 cmask=1
haswellx L1D_PEND_MISS.PENDING_CYCLES 48 1 2 cmask=1
haswellx UOPS_EXECUTED.STALL_CYCLES b1 1 0123 cmask=1 inv=1 errata=HSD144+HSD30+HSM31
haswellx HLE_RETIRED.ABORTED_MISC4 c8 40 01234567 errata=HSD65
broadwellx UOPS_EXECUTED.CORE_CYCLES_GE_4 b1 2 01234567 cmask=4
broadwellx CYCLE_ACTIVITY.CYCLES_MEM_ANY a3 2 0123 cmask=2
broadwellx INST_RETIRED.PREC_DIST c0 1 1 errata=BDM11+BDM55
broadwellx DSB2MITE_SWITCHES.PENALTY_CYCLES ab 2 01234567
skylakex CYCLE_ACTIVITY.STALLS_L1D_MISS a3 c 01234567 cmask=c
skylakex INST_RETIRED.PREC_DIST c0 1 1 errata=SKL091+SKL044
skylakex OFFCORE_RESPONSE.ALL_RFO.L3_HIT.HITM_OTHER_CORE b7 1 0123 1a6=10003c0122
skylakex ICACHE_64B.IFTAG_STALL 83 4 01234567
cascadelakex OCR.PF_L2_DATA_RD.L3_MISS_REMOTE_DRAM.SNOOP_MISS_OR_NO_FWD b7 1 0123 1a6=63b800010
cascadelakex OCR.DEMAND_CODE_RD.L3_MISS.SNOOP_MISS b7 1 0123 1a6=23c000004
cascadelakex OCR.PF_L2_DATA_RD.L3_HIT_S.HIT_OTHER_CORE_FWD b7 1 0123 1a6=800100010
cascadelakex OCR.PF_L3_RFO.L3_HIT_S.ANY_SNOOP b7 1 0123 1a6=3f80100100
goldmont OFFCORE_RESPONSE.PF_L2_RFO.L2_MISS.SNOOP_MISS_OR_NO_SNOOP_NEEDED b7 1 0123 1a6=200000020
goldmont OFFCORE_RESPONSE.ANY_RFO.L2_MISS.HITM_OTHER_CORE b7 1 0123 1a6=1000000022
goldmont OFFCORE_RESPONSE.PF_L2_DATA_RD.L2_MISS.HITM_OTHER_CORE b7 1 0123 1a6=1000000010
goldmont OFFCORE_RESPONSE.ANY_READ.L2_MISS.HIT_OTHER_CORE_NO_FWD b7 1 0123 1a6=4000032b7
sapphirerapids OFFCORE_REQUESTS_OUTSTANDING.CYCLES_WITH_DEMAND_DATA_RD 20 1 0123 cmask=1
sapphirerapids OCR.DEMAND_RFO.DRAM 2a 1 0123 1a6=73c000002
sapphirerapids FRONTEND_RETIRED.L1I_MISS c6 1 01234567 3f7=12
sapphirerapids CORE_SNOOP_RESPONSE.I_HIT_FSE 27 2 0123
alderlake_gracemont MEM_UOPS_RETIRED.LOAD_LATENCY_GT_32 d0 5 01 3f6=20
alderlake_gracemont OCR.DEMAND_RFO.L3_HIT.SNOOP_HITM b7 1 012345 1a6=10003c0002
alderlake_gracemont MEM_UOPS_RETIRED.LOAD_LATENCY_GT_8 d0 5 01 3f6=8
alderlake_gracemont TOPDOWN_FE_BOUND.FRONTEND_LATENCY 71 72 012345
lunarlake_lioncove MEM_TRANS_RETIRED.LOAD_LATENCY_GT_128 cd 1 23456789 3f6=80
lunarlake_lioncove BR_MISP_RETIRED.COND_TAKEN_FWD_COST c5 40 0123456789 umask2=1
lunarlake_lioncove OCR.COREWB_M.L3_HIT 2a 1 0123456789 1a6=7e001e00008
novalake_coyotecove MEM_LOAD_L2_MISS_RETIRED.L3_HIT_SAME_CBB d6 1 0123 3e0=ed000400000001
sapphirerapids TOPDOWN.SLOTS a4 1 - fixed=3
skylakex INST_RETIRED.ANY - 0 - fixed=0
skylakex MEM_LOAD_RETIRED.L1_MISS d1 8 0123 flags=p
cascadelakex MEM_TRANS_RETIRED.LOAD_LATENCY_GT_8 cd 1 0123 3f6=8 flags=ap
arrowlake_skymont FP_VINT_UOPS_EXECUTED.ALL b2 1f 01234567
arrowlake_crestmont FP_VINT_UOPS_EXECUTED.ALL b2 f 01234567
lunarlake_lioncove L2_RQSTS.MISS 24 3f 0123456789
novalake_coyotecove BR_MISP_RETIRED.NEAR_INDIRECT_CALL_TPEBS c5 10 01234567 umask2=80
novalake_coyotecove CPU_CLK_UNHALTED.PAUSE_INST ec 40 01234567 cmask=1 edge=1
novalake_coyotecove UOPS_RETIRED.STALLS c2 2 01234567 cmask=1 inv=1
novalake_coyotecove DTLB_LOAD_MISSES.WALK_COMPLETED_2M_4M 12 4 01234567
"""


@pytest.mark.parametrize("line", ENCODINGS.splitlines(), ids=lambda line: line.split()[1])
def test_encodings(line):
    """In IA32_PERFEVTSELx, E is bit 18, INV 23, CMASK bits 31:24, UMASK2 bits 47:40 (SDM)."""
    stem, name, event, umask, counters, *more = line.split()
    fields = dict(field.split("=") for field in more)
    errata = fields.pop("errata", "").replace("+", ", ")
    flags, fixed = fields.pop("flags", None), fields.pop("fixed", None)
    numbers = {field: int(number, 16) for field, number in fields.items()}
    extra = [(int(field, 16), numbers[field]) for field in numbers if field[0] in "13"]
    shifts = {"edge": 18, "inv": 23, "cmask": 24, "umask2": 40}
    row, = [row for row in table.read(TOP / f"pmu/events/perfmon/{stem}.csv")[1]
            if row.name == name]
    select = sum(numbers[field] << shift for field, shift in shifts.items() if field in numbers)
    assert row.select == (None if event == "-" else
                          int(event, 16) | int(umask, 16) << 8 | select)
    general = sum(1 << int(counter) for counter in counters.strip("-"))
    assert (row.counters, row.errata) == (general, errata)
    assert flags in (None, row.flags) and row.fixed == (int(fixed) if fixed else None)
    assert (row.msr, row.value) == (extra[0] if extra else (None, None))


def test_licences_and_disagreements_are_beside_the_tables(stick):
    licence = (TOP / "pmu/events/perfmon/LICENSE").read_text("ascii")
    assert "Intel Corporation" in licence and "BSD 3-Clause" in licence
    assert (stick / "perfmon-license.txt").read_text("ascii") == licence
    assert "Permission is hereby granted" in (stick / "libpfm4-license.txt").read_text("ascii")
    differs = (stick / "differs.txt").read_text("ascii").splitlines()
    # The unit mask of L2_RQSTS.L2_PF_MISS is 30h in perfmon, and 38h in libpfm4 4.13.
    assert "haswell: L2_RQSTS.L2_PF_MISS,3024,ff,,,, replaces L2_RQSTS.L2_PF_MISS,3824,,,,," \
        in differs
    flagged = {(path.stem, row.name) for path in stick.glob("*.csv") if path.name != "index.csv"
               for row in table.read(path)[1] if "o" in row.flags}
    assert flagged == {(line.split(": ")[0], line.split(": ")[1].split(",")[0])
                       for line in differs}


def update(source, folder):
    return subprocess.run([TOP / "scripts/update-events", source, "--out", folder],
                          capture_output=True, text=True, check=False)


def test_an_update_prints_what_it_changes(tmp_path):
    source, folder = shutil.copytree(FIXTURES / "perfmon", tmp_path / "source"), tmp_path / "out"
    (source / "LICENSE").write_text("A licence")
    first = update(source, folder)
    assert first.returncode == 0 and (folder / "LICENSE").read_text() == "A licence"
    lines = first.stdout.splitlines()
    assert "+ skylakex.csv: MEM_INST_RETIRED.ALL_LOADS: 81d0,f,,p,,,,," in lines
    assert "+ index.csv: GenuineIntel 6 85 4: skylakex.csv" in lines
    assert (folder / "SOURCE").read_text() == "https://github.com/intel/perfmon unknown commit\n"
    assert not [row for row in table.read(folder / "skylakex.csv")[1] if row.description]
    again = update(source, folder)
    assert again.returncode == 0 and again.stdout.startswith("update-events: ")
    file = source / "SKX/events/skylakex_core.json"
    file.write_text(file.read_text("utf-8-sig").replace('"0x81"', '"0x82"'), "utf-8")
    assert "~ skylakex.csv: MEM_INST_RETIRED.ALL_LOADS: 81d0,f,,p,,,,, -> 82d0,f,,p,,,,," in \
        update(source, folder).stdout.splitlines()


def test_an_update_needs_a_checkout(tmp_path):
    done = update(tmp_path, tmp_path / "out")
    assert done.returncode == 1 and "LICENSE: no such file; expected a checkout" in done.stderr
    assert not (tmp_path / "out").exists()
