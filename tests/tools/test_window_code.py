# SPDX-License-Identifier: BSD-2-Clause
"""When a window opens, earlier instructions have ended. Later instructions start after its end.

The model machine executes in order, so it cannot show this. See RDPMC, RDTSC and LFENCE in Intel
SDM vol. 2, and "Serializing Instructions" in vol. 3A.
"""
import pathlib
import re
import subprocess

import pytest

TOP = pathlib.Path(__file__).resolve().parents[2]
# How many RDPMCs and RDTSCs each object has. deltas.asm has DELTAS_MAX RDPMCs at three places. All
# windows begin with the same RDTSC, and end with the same one.
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

    If several paths join at the closing RDTSC, each path ends with WRMSR or LFENCE, and LFENCE
    follows the RDTSC.
    """
    code, labels = code_of(file)
    names = [name for name, _ in code]
    assert (names.count("rdpmc"), names.count("rdtsc")) == OBJECTS[file]
    for at, name in enumerate(names):
        if name == "rdpmc":
            assert names[at - 1] == names[at + 1] == "lfence", at
        if name == "rdtsc" and (paths := [way for way, (_, to) in enumerate(code)
                                          if to and labels.get(to) == at]):
            above = [name for name in names[:at] if name != "nop"][-1]  # NOPs align it
            assert above in ("jmp", "lfence") and names[at + 1] == "lfence", at
            assert {names[way - 1] for way in paths} <= {"wrmsr", "lfence"}, at
        elif name == "rdtsc":
            assert names[at - 1] == "lfence", at
    if "deltas" in file:  # window.asm has its closing RDTSC
        assert names[-2:] == ["wrmsr", "jmp"]
