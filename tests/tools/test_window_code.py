# SPDX-License-Identifier: BSD-2-Clause
"""Earlier instructions end before a window opens, and later ones start after it closes.

The model machine executes in order, so a run on it cannot test the order. See RDPMC, RDTSC and
LFENCE in Intel SDM vol. 2, and "Serializing Instructions" in vol. 3A.
"""
import pathlib
import re
import struct
import subprocess

import pytest

TOP = pathlib.Path(__file__).resolve().parents[2]
# Numbers of RDPMCs and RDTSCs. deltas.asm contains DELTAS_MAX RDPMCs at each of three places. The
# other objects contain one RDTSC before all windows and one after them.
OBJECTS = {"build/efi/boot/cpu/deltas.asm.obj": (3 * 14, 0),
           "build/efi/boot/cpu/window.asm.obj": (0, 2),
           "build/efi/boot/cpu/window_user.asm.obj": (0, 2)}
INSTRUCTION = re.compile(r"^ +[0-9a-f]+:\s+(\w+) *(?:.*<([\w.]+)>)?")


def code_of(name):
    """An object's instructions, [(mnemonic, target)], and {label: index of its instruction}."""
    said = subprocess.run(["objdump", "-d", "-M", "intel", "--no-show-raw-insn",
                           TOP / name], check=True, capture_output=True, text=True)
    code, labels = [], {}
    for line in said.stdout.splitlines():
        if found := INSTRUCTION.match(line):
            code.append(found.groups())
        elif found := re.match(r"^[0-9a-f]+ <(.+)>:$", line):
            labels[found[1]] = len(code)
    return code, labels


@pytest.mark.parametrize("file", OBJECTS)
def test_counters_and_time_stamps_are_read_in_order(file):
    """LFENCE comes before and after RDPMC, and before RDTSC.

    If several paths join at the closing RDTSC, each ends with WRMSR or LFENCE, and LFENCE follows
    the RDTSC.
    """
    code, labels = code_of(file)
    names = [name for name, _ in code]
    assert (names.count("rdpmc"), names.count("rdtsc")) == OBJECTS[file]
    for at, name in enumerate(names):
        if name == "rdpmc":
            assert names[at - 1] == names[at + 1] == "lfence", at
        if name == "rdtsc" and (paths := [way for way, (_, to) in enumerate(code)
                                          if to and labels.get(to) == at]):
            above = [name for name in names[:at] if name != "nop"][-1]  # NOPs align RDTSC
            assert above in ("jmp", "lfence") and names[at + 1] == "lfence", at
            assert {names[way - 1] for way in paths} <= {"wrmsr", "lfence"}, at
        elif name == "rdtsc":
            assert names[at - 1] == "lfence", at
    if "deltas" in file:  # the jump leads to the closing RDTSC, in window.asm
        assert names[-2:] == ["wrmsr", "jmp"]


@pytest.mark.parametrize("file, label, does", [
    ("window", "windows", "wrmsr call mov xor xor wrmsr jmp"),
    ("window_user", "user_windows", "wrmsr iretq mov xor xor wrmsr jmp")])
def test_each_register_has_its_window(file, label, does):
    """Window i begins 32 bytes after window i - 1, and writes the i-th register of the table.

    The registers are the global controls of Intel and AMD, six selects at Intel's addresses, six at
    AMD's addresses, and six at AMD's legacy addresses (Intel SDM vol. 4; AMD APM vol. 2,
    "Performance Counter MSRs").
    """
    msrs = [0x38f, 0xc0000301, *(msr + step * i for i in range(6) for msr, step in (
        (0x186, 1), (0xc0010200, 2), (0xc0010000, 1)))]
    table = section("window", ".rdata")
    assert struct.pack(f"<{len(msrs) + 1}I", *msrs, 0) in table
    said = subprocess.run(["objdump", "-d", "-M", "intel", "--no-show-raw-insn",
                           TOP / f"build/efi/boot/cpu/{file}.asm.obj"],
                          check=True, capture_output=True, text=True).stdout
    start = int(re.search(rf"^(\w+) <{label}>:$", said, re.M)[1], 16)
    for number, msr in enumerate(msrs):
        first = start + 32 * number
        code = [(name, what) for at, name, what in re.findall(
            r"^ +([0-9a-f]+):\s+(\w+) *(.*)$", said, re.M)
            if first <= int(at, 16) < first + 32 and name != "nop"]
        assert [name for name, _ in code] == ["mov", *does.split()], hex(msr)
        assert [what for name, what in code if name == "mov"] == 2 * [f"ecx,{msr:#x}"]


def section(file, name):
    dump = subprocess.run(["objcopy", "-O", "binary", "-j", name, "--dump-section",
                           f"{name}=/dev/stdout", TOP / f"build/efi/boot/cpu/{file}.asm.obj",
                           "/dev/null"], check=True, capture_output=True)
    return dump.stdout
