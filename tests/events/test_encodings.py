# SPDX-License-Identifier: BSD-2-Clause
"""Encodings of events of seven cores, computed by hand from the fields of the fixtures."""
import pytest
from conftest import FIXTURES
from events import perfmon_dir
from events import perfmon_event

# The bits of IA32_PERFEVTSELx (SDM vol. 3B, "Performance Monitoring"): event 7:0, unit mask 15:8,
# edge 18 (4_0000), any 21 (20_0000), invert 23 (80_0000), counter mask 31:24, equal 36
# (10_0000_0000), unit mask 2 47:40.
SKX = "perfmon/SKX/events/skylakex_core.json"
GLC = "perfmon/ADL/events/alderlake_goldencove_core.json"
GRT = "perfmon/ADL/events/alderlake_gracemont_core.json"
SKT = "perfmon/LNL/events/lunarlake_skymont_core.json"
NHM = "perfmon/NHM-EP/events/NehalemEP_core.json"
HSW = "perfmon/HSW/events/haswell_core.json"
ZEN3 = "linux/amdzen3/cache.json"
BY_HAND = [  # file, event, (select, counters, fixed, flags, MSR, value)
    (SKX, "INST_RETIRED.ANY", (None, 0, 0, "", None, None)),
    (SKX, "CPU_CLK_UNHALTED.THREAD", (None, 0, 1, "", None, None)),
    # The cycles of all threads need a general counter: event 3Ch with the bit any, 20_0000.
    (SKX, "CPU_CLK_UNHALTED.THREAD_ANY", (0x20003C, 0, None, "", None, None)),
    # No general counter counts at the rate of the TSC.
    (SKX, "CPU_CLK_UNHALTED.REF_TSC", (None, 0, 2, "", None, None)),
    # 81h << 8 | D0h. Only counters 0-3 (Fh) count this event, even without Hyper-Threading.
    (SKX, "MEM_INST_RETIRED.ALL_LOADS", (0x81D0, 0xF, None, "p", None, None)),
    # 1 << 24 | invert 80_0000 | 02h << 8 | C2h. CounterHTOff lists 0-7: FFh.
    (SKX, "UOPS_RETIRED.STALL_CYCLES", (0x18002C2, 0xFF, None, "", None, None)),
    # any 20_0000 | 01h << 8 | 0Dh
    (SKX, "INT_MISC.RECOVERY_CYCLES_ANY", (0x20010D, 0xFF, None, "", None, None)),
    # 1 << 24 | edge 4_0000 | 3Ch. Event 3Ch has a fixed counter only without modifiers.
    (SKX, "CPU_CLK_UNHALTED.RING0_TRANS", (0x104003C, 0xFF, None, "", None, None)),
    # 01h << 8 | C6h with MSR 3F7h. The flags: a (counted alone) and p (PEBS).
    (SKX, "FRONTEND_RETIRED.LATENCY_GE_16", (0x1C6, 0xF, None, "ap", 0x3F7, 0x401006)),
    # 01h << 8 | CDh with MSR 3F6h = 80h = 128 cycles
    (SKX, "MEM_TRANS_RETIRED.LOAD_LATENCY_GT_128", (0x1CD, 0xF, None, "ap", 0x3F6, 128)),
    # The fixture lists event B7h with MSR 1A6h, and event BBh with MSR 1A7h. The first pair is
    # used: 01h << 8 | B7h.
    (SKX, "OCR.DEMAND_DATA_RD.L3_MISS.ANY_SNOOP",
     (0x1B7, 0xF, None, "", 0x1A6, 0x3FBC000001)),
    # The counter mask is hexadecimal here: 1 << 24 | 30h << 8 | 79h.
    (SKX, "IDQ.MS_CYCLES_OLD", (0x1003079, 0xFF, None, "d", None, None)),
    # Fixed counter 3 counts slots, as event A4h with unit mask 01h does.
    (GLC, "TOPDOWN.SLOTS", (0x1A4, 0, 3, "", None, None)),
    # 5 << 24 | 21h << 8 | A6h
    (GLC, "EXE_ACTIVITY.BOUND_ON_LOADS", (0x50021A6, 0xFF, None, "", None, None)),
    # Counters 1 to 7: FFh - 1. Newer files say "Precise" instead of "PEBS".
    (GLC, "MEM_TRANS_RETIRED.LOAD_LATENCY_GT_4", (0x1CD, 0xFE, None, "ap", 0x3F6, 4)),
    # From Golden Cove on, events 2Ah and 2Bh count off-core responses.
    (GLC, "OCR.DEMAND_RFO.ANY_RESPONSE", (0x12A, 0xFF, None, "", 0x1A6, 0x10002)),
    # Fixed counter 0 counts the same event. Counters 0-5: 3Fh.
    (GRT, "INST_RETIRED.ANY_P", (0xC0, 0x3F, 0, "", None, None)),
    (SKT, "TOPDOWN_FE_BOUND.ALL", (0x19C, 0, 5, "", None, None)),
    # UMaskExt 3 << 40 | equal 1 << 36 | 2 << 24 | 02h << 8 | E4h
    (SKT, "FIXTURE.UMASK_EXT", (0x031002_0002E4, 0xFF, None, "", None, None)),
    # Unit mask 01h goes with MSR 1A6h, and 02h with 1A7h. The first pair is used: 01h << 8 | B7h.
    # MSRValue ends with a blank, as in perfmon's files for Goldmont.
    (SKT, "OFFCORE_RESPONSE.FIXTURE", (0x1B7, 0xFF, None, "", 0x1A6, 0x1000002000)),
    # Two events list two unit masks but one register, as in perfmon's file for Xeon Phi.
    (SKT, "OFFCORE_RESPONSE.FIRST", (0x1B7, 0xFF, None, "", 0x1A6, 0x1000002000)),
    (SKT, "OFFCORE_RESPONSE.SECOND", (0x2B7, 0xFF, None, "", 0x1A7, 0x1000002000)),
    # In files for Nehalem, the numbers of fixed counters begin at 1, and the unit mask is 0.
    (NHM, "CPU_CLK_UNHALTED.REF", (None, 0, 2, "", None, None)),
    # 1 << 24 | invert 80_0000 | edge 4_0000 | 01h << 8 | 14h
    (NHM, "ARITH.DIV", (0x1840114, 0xF, None, "", None, None)),
    # 10h << 8 | 0Bh; counter 3 only: 8
    (NHM, "MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD_4", (0x100B, 8, None, "p", 0x3F6, 4)),
    # 12 << 24 | 0Ch << 8 | A3h; counter 2 only: 4
    (HSW, "CYCLE_ACTIVITY.STALLS_L1D_PENDING", (0xC000CA3, 4, None, "", None, None)),
    (HSW, "MEM_LOAD_UOPS_RETIRED.L3_MISS", (0x20D1, 0xF, None, "p", None, None)),
    # Bits 11:8 of an AMD event are bits 35:32 of the select: 1_0000_0000 | 18h << 8 | 8Eh.
    (ZEN3, "IC_TAG_HIT_MISS.INSTRUCTION_CACHE_MISS", (0x10000188E, 0, None, "", None, None)),
    (ZEN3, "OP_CACHE_HIT_MISS.OP_CACHE_MISS", (0x20000048F, 0, None, "", None, None)),
    (ZEN3, "FPU_PIPE_ASSIGNMENT.TOTAL0", (0x100, 0, None, "", None, None)),
]


def encode(file, name):
    vendor = "AuthenticAMD" if file == ZEN3 else "GenuineIntel"
    events = perfmon_dir.load(FIXTURES / file)
    event, = [event for event in events if event["EventName"].upper() == name]
    return perfmon_event.encode(event, vendor)


@pytest.mark.parametrize("file, name, expected", BY_HAND, ids=[row[1] for row in BY_HAND])
def test_encoding(file, name, expected):
    row = encode(file, name)
    assert (row.select, row.counters, row.fixed, row.flags, row.msr, row.value) == expected


REFUSED = [
    (SKX, "OFFCORE_RESPONSE", "needs an extra register, whose value the file does not give"),
    (SKT, "FIXTURE.UNKNOWN_MSR", "needs MSR 3f8h, which this program does not write"),
    (GLC, "TOPDOWN.RETIRING_METRIC", "event 0 on general counters: only PERF_METRICS uses it"),
]


@pytest.mark.parametrize("file, name, reason", REFUSED, ids=[row[1] for row in REFUSED])
def test_refused(file, name, reason):
    with pytest.raises(perfmon_event.Refused, match=reason):
        encode(file, name)


BAD_FIELDS = [
    ({"EventCode": "0x1C0"}, "EventCode 0x1c0: expected at most 0xff"),
    ({"EventCode": "C0h"}, "EventCode 'C0h' is not a number"),
    ({"UMask": "0x10000"}, "UMask '0x10000': expected one number up to 0xffff"),
    ({"UMask": "0x1,0x2"}, "UMask '0x1,0x2': expected one number"),
    ({"UMask": "0x1,0x3", "MSRIndex": "0x1a6", "MSRValue": "1"}, "UMask .*: expected one number"),
    ({"CounterMask": "256"}, "CounterMask '256': expected one number up to 0xff"),
    ({"EdgeDetect": "2"}, "EdgeDetect '2': expected one number up to 0x1"),
    ({"Counter": "0,16"}, "Counter '0,16': expected 0 to 15"),
    ({"MSRIndex": "0x1a6"}, "MSRIndex without MSRValue"),
    ({"Counter": "Fixed counter 0", "EventCode": "0x00", "UMask": "0x1", "CounterMask": "1"},
     "a fixed counter has no CounterMask"),
    ({"Counter": "Fixed counter 2", "EventCode": "0x00", "UMask": "0x3", "AnyThread": "1"},
     "AnyThread on a fixed counter"),
    ({"Counter": "Fixed counter 9", "EventCode": "0x00", "UMask": "0x0a"},
     "UMask 0xa of event 0 is not a known fixed counter"),
    ({"EventCode": "9" * 5000}, "EventCode '9+' is not a number"),
    ({"EventCode": "-1"}, "EventCode '-1' is not a number"),
    ({"Counter": "0,1_0"}, "Counter '0,1_0' is not a number"),
    ({"MSRIndex": "0x3F7", "MSRValue": "0x1" + "0" * 16}, "value '1.*': expected a hexadecimal"),
    ({"EventName": "NO, NAME"}, "name 'NO, NAME': expected 1 to 95 of A-Z 0-9 _ . -"),
    ({"EventName": "N" * 96}, "name 'N.*': expected 1 to 95"),
    ({"EventName": ["LIST"]}, "expected 1 to 95"),
]


@pytest.mark.parametrize("fields, reason", BAD_FIELDS, ids=[row[1][:40] for row in BAD_FIELDS])
def test_bad_fields(fields, reason):
    event = {"EventName": "EVENT", "EventCode": "0xC0", "UMask": "0x01", "Counter": "0", **fields}
    with pytest.raises(perfmon_event.Refused, match=reason):
        perfmon_event.encode(event, "GenuineIntel")


def test_umask_of_16_bits_is_the_extended_one():
    """In newer Linux, UMask includes UMaskExt."""
    event = {"EventName": "EVENT", "EventCode": "0xe4", "UMask": "0x102", "Counter": "0"}
    assert perfmon_event.encode(event, "GenuineIntel").select == 1 << 40 | 0x2E4


@pytest.mark.parametrize("code, umask, select", [
    ("0xB7", "0x1", 0x2B7),  # Linux keeps only the first part of perfmon's "0x01,0x02"
    ("0xB7,0xBB", "0x01", 0x1BB)])  # the second event needs the second register
def test_second_offcore_register(code, umask, select):
    event = {"EventName": "EVENT", "EventCode": code, "UMask": umask, "Counter": "0,1",
             "MSRIndex": "0x1a7", "MSRValue": "0x1"}
    row = perfmon_event.encode(event, "GenuineIntel")
    assert (row.select, row.msr) == (select, 0x1A7)


def test_numbers_that_are_no_texts():
    event = {"EventName": "EVENT", "EventCode": "0xC4", "UMask": 4, "CounterMask": 2,
             "Counter": "0,1"}
    row = perfmon_event.encode(event, "GenuineIntel")
    assert (row.select, row.counters) == (0x20004C4, 3)
