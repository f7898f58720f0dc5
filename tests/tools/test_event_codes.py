# SPDX-License-Identifier: BSD-2-Clause
"""Finds the encodings of event names of perf and other tools (IA32_PERFEVTSELx, SDM vol. 3B)."""
import pytest

from events import codes

EDGE, ANY, INV, CMASK = 1 << 18, 1 << 21, 1 << 23, 24


def code(event, umask=0, more=0):
    return f"r{event | umask << 8 | more:04x}"


@pytest.mark.parametrize("text, encoding, ring", [
    ("r412e", code(0x2E, 0x41), "both"), ("rC0:u", code(0xC0), "usr"),
    ("cpu/event=0x2e,umask=0x41/k", code(0x2E, 0x41), "os"),
    ("cpu/event=0xc0,cmask=1,inv/u", code(0xC0, 0, INV | 1 << CMASK), "usr"),
    ("cpu/event=0xc0,cmask=0x2,edge=1,any/", code(0xC0, 0, EDGE | ANY | 2 << CMASK), "both"),
    ("cpu/config=0x1c4/uk", code(0xC4, 1), "both"),
    ("cpu/event=0xb7,umask=1,offcore_rsp=0x10001/u", f"{code(0xB7, 1)}:0x1a6=0x10001", "usr"),
    ("cpu/event=0xbb,umask=1,offcore_rsp=0x2/u", f"{code(0xBB, 1)}:0x1a7=0x2", "usr"),
    ("cpu/event=0xcd,umask=1,ldlat=3/", f"{code(0xCD, 1)}:0x3f6=0x3", "both"),
    ("cpu/event=0xc6,umask=1,frontend=0x11/", f"{code(0xC6, 1)}:0x3f7=0x11", "both"),
    ("cpu/event=0xb7,umask=2,offcore_rsp=0x2/u", f"{code(0xB7, 2)}:0x1a7=0x2", "usr"),
    ("cpu/event=0x2a,umask=1,offcore_rsp=0x4/", f"{code(0x2A, 1)}:0x1a6=0x4", "both"),
    ("cpu/event=0x2b,umask=1,offcore_rsp=0x4/", f"{code(0x2B, 1)}:0x1a7=0x4", "both"),
    ("r5300c0:u", code(0xC0), "usr"), ("cpu/config=0x5341c4/", code(0xC4, 0x41), "both"),
    ("cpu_core/r01c4/k", code(0xC4, 1), "os"),
    ("cpu_core/instructions/u", "r00c0", "usr"), ("branch-misses", "r00c5", "both"),
    ("INST_RETIRED.ANY:u", "", "usr")])
def test_what_perf_writes(text, encoding, ring):
    assert codes.of_perf(text)[::2] == (encoding, ring)


@pytest.mark.parametrize("text, encoding", [
    ("instructions:u", "r00c0"), ("cycles", "r0076"), ("branches:u", "r00c2"),
    ("branch-misses", "r00c3"), ("ref-cycles", "r100000120"), ("cpu/cache-misses/", "r0964"),
    ("rd1:u", "r00d1"), ("r1000001c7", code(0xC7, 1, 1 << 32)),
    ("cpu/event=0x1c7/", code(0xC7, 0, 1 << 32)),
    ("cpu/event=0x120,umask=0x1/u", code(0x20, 1, 1 << 32)),
    ("cpu/event=0x29,umask=5,cmask=1,inv,edge/", code(0x29, 5, EDGE | INV | 1 << CMASK)),
    ("bus-cycles", "")])
def test_what_perf_writes_on_amd(text, encoding):
    """Bits 35:32 of PERF_CTL are the high four bits of the event number (AMD APM vol. 2)."""
    assert codes.of_perf(text, codes.AMD)[0] == encoding


@pytest.mark.parametrize("text, words", [
    ("cpu/event=0x1c7/", "more than 8 bits"), ("cpu/event=0xc0,any/", "")])
def test_fields_of_one_vendor(text, words):
    """Intel's event numbers have 8 bits, and AMD's have 12. AMD's selects contain no ANY bit."""
    vendor, other = (codes.INTEL, codes.AMD) if words else (codes.AMD, codes.INTEL)
    assert codes.of_perf(text, other)[0]
    with pytest.raises(codes.Unknown, match=words or "any is not known"):
        codes.of_perf(text, vendor)


@pytest.mark.parametrize("text, words", [
    ("instructions:pp", "precise"), ("instructions:x", "unknown modifiers"),
    ("instructions:G", "guests"), ("instructions:hu", "hypervisor"),
    ("uncore_imc/clockticks/", "a core's counters"),
    ("cpu/event=0xc0,umask=0x100/", "more than 8 bits"),
    ("cpu/event=0xc0,what=1/", "what is not known"), ("cpu/event=zero/", "not a number"),
    ("cpu/event=0xc0,offcore_rsp=1/", "0xb7, 0xbb"), ("a:u:k", "one colon")])
def test_what_has_no_known_meaning(text, words):
    with pytest.raises(codes.Unknown, match=words):
        codes.of_perf(text)


def test_the_same_event_in_another_spelling():
    """Intel's r0100, a fixed counter's event, is the same as r00c0. No other code is the same as
    r0300 (REF_TSC).
    """
    same = [("r0100", "r00c0"), ("r0200", "r3c"), ("r0400", "r01A4"), ("R0300", "r300")]
    assert all(codes.canonical(a) == codes.canonical(b) for a, b in same)
    assert codes.canonical("r0300") != codes.canonical("r013c")
    assert codes.canonical("r01b7:0x1a6=0x1") != codes.canonical("r01b7:0x1a6=0x2")
    assert not codes.canonical("rdtsc") and not codes.canonical("")
    assert all(codes.canonical(a, codes.AMD) != codes.canonical(b, codes.AMD) for a, b in same[:3])


def test_names_of_other_tools():
    names = {"INSTR_RETIRED_ANY": "r0100", "PAPI_TOT_INS": "r00c0", "Instructions retired": "r0100",
             "cpu-cycles": "r003c", "PAPI_BR_MSP": ""}
    assert {name: codes.of_name(name) for name in names} == names
    names = {"CPU_CLOCKS_UNHALTED": "r0076", "PAPI_TOT_CYC": "r0076", "PAPI_BR_MSP": "r00c3",
             "ExRetInstr": "r00c0", "ex_ret_brn_tkn": "r00c4", "Instructions retired": ""}
    assert {name: codes.of_name(name, codes.AMD) for name in names} == names
    assert [codes.of_vendor(name) for name in ("Intel", "AMD", "Hygon", "VIA VIA VIA ", None)] == \
        [codes.INTEL, codes.AMD, codes.AMD, codes.INTEL, codes.INTEL]
