# SPDX-License-Identifier: BSD-2-Clause
"""What scripts/machine-file says about a whole machine file, and about files with errors."""
import re
import subprocess
import zlib

import pytest

from conftest import TOP

MSRS = "34 0\n1a0 fault\n"
# Two enabled local APICs, a disabled one, and an enabled local x2APIC (ACPI specification, MADT).
MADT = b"APIC".ljust(44, b"\1") + b"\0\x08\0\0\1\0\0\0" * 2 + b"\0\x08\2\2\0\0\0\0" + \
    b"\x09\x10\0\0\3\0\0\0\1\0\0\0\3\0\0\0"
SECOND = f"20 {MADT[32:64].hex()}"
WHOLE = f"""barecount machine file 1
program 0.1.0
cpus 3
tsc 2000000000 from CPUID.15H
tsc_measured 2000001000
firmware vendor A Maker
firmware version 1.2
machine maker Another
machine product Server 9
memory
0 a0000 usable f
100000 100100000 usable f
b0000000 c0000000 mmio 1
pci
0000:00:1f.0 8086:2918 060100
acpi APIC {len(MADT)} 1
0 {MADT[:32].hex()}
{SECOND}
40 {MADT[64:].hex()}
acpi MSDM 85 3
cpu 0
0 0 b 756e6547 6c65746e 49656e69
1 0 50654 0 0 0
7 0 0 0 0 0
80000002 0 65746e49 6558206c 6e6f 0
msrs 0
{MSRS}uncore 0
msr 396 8 fault
pci f3000 4 20838086
cpu 1
1 0 50654 1000000 0 0
7 0 absent
msrs 1
cpu 2
msrs 2
"""
SHOWN = """Machine   Another Server 9
Firmware  A Maker 1.2
CPUs      3 of 3: Intel Xeon, family 6, model 85
CPUID     4 leaves and subleaves of the first CPU, and how the others differ
MSRs      2 of the first CPU, of which 1 raised #GP, and how the others differ
Uncore    2 registers, read while units were looked for
ACPI      APIC with its 84 bytes, MSDM
Memory    4096 MiB usable, in a map of 3 ranges
PCI       the IDs and classes of 1 function
"""


def ended(text):
    return f"{text}end {zlib.crc32(text.encode()):08x}\n"


def check(folder, text):
    """Returns the script's exit status, its output with wrapped lines joined, and its errors."""
    path = folder / "machine.txt"
    path.write_text(text, "ascii")
    done = subprocess.run([TOP / "scripts/machine-file", path], capture_output=True, text=True,
                          check=False, timeout=60)
    return done.returncode, re.sub(r"\n {10}", " ", done.stdout), done.stderr


def test_a_whole_file_is_shown(tmp_path):
    status, said, errors = check(tmp_path, ended(WHOLE))
    assert (status, errors) == (0, "")
    assert said == SHOWN + (
        "File      whole, as barecount wrote it. It has no UUID, no MAC address and no processor's "
        "serial number. Machine and Firmware above are the maker's own words: check whether they "
        "name you or the machine.\n")


WRONG = {
    "! File    its last line, `end`, is missing: the file was cut off\n": WHOLE,
    "! File    it was changed after barecount wrote it: ":
        ended(WHOLE).replace("Server 9", "Server 8"),
    "! File    it has 1 of 3 CPUs: the others were not measured, ":
        ended(WHOLE[:WHOLE.index("cpu 1")]),
    "! File    it has 3 of 4 CPUs: the others were not measured, ":
        ended(WHOLE.replace(f"\n40 {MADT[64:].hex()}", f"\n40 01{MADT[65:].hex()}")),
    "! File    CPU 2 has no section msrs\n": ended(WHOLE.replace("msrs 2\n", "")),
    f"! File    line {WHOLE.splitlines().index('cpu 1') + 1}: barecount had no room for 12 lines ":
        ended(WHOLE.replace("cpu 1\n", "lost 12\ncpu 1\n")),
    "! File    table APIC has 64 of its 84 bytes\n":
        ended(WHOLE.replace(f"40 {MADT[64:].hex()}\n", "")),
    f"! File    line {WHOLE.splitlines().index(SECOND) + 1}: expected offset 20 of table APIC\n":
        ended(WHOLE.replace(SECOND, SECOND.replace("20 ", "21 ", 1))),
    f"! File    line {WHOLE.splitlines().index('1a0 fault') + 1} is not understood: 1a0 fail\n":
        ended(WHOLE.replace("fault\nunc", "fail\nunc")),
    "not be here: MSR 4fH (IA32_PPIN) of CPU 0\n": ended(WHOLE.replace(MSRS, f"{MSRS}4f 123\n")),
    "not be here: CPUID leaf 3 of CPU 0\n": ended(WHOLE.replace("7 0 0 0", "3 0 0 0 1 2\n7 0 0 0")),
    "not be here: a UUID: 6ba7b810-9dad-11d1-80b4-00c04fd430c8\n":
        ended(WHOLE.replace("Server 9", "6ba7b810-9dad-11d1-80b4-00c04fd430c8")),
    "not be here: a MAC address: 52:54:00:FA:CE:0D\n":
        ended(WHOLE.replace("Server 9", "52:54:00:FA:CE:0D")),
}


@pytest.mark.parametrize("said", WRONG)
def test_what_is_wrong_is_named(tmp_path, said):
    status, shown, errors = check(tmp_path, WRONG[said])
    assert (status, errors) == (1, "") and said in shown
    assert shown.count("\n! ") == 1 and "\nFile " not in shown


@pytest.mark.parametrize("text, said", [
    ("", "its first line is not `barecount machine file 1`"),
    (WHOLE.replace("file 1", "file 2"), "it has version 2, and this script knows version 1"),
])
def test_what_is_no_machine_file(tmp_path, text, said):
    status, shown, errors = check(tmp_path, text)
    assert (status, shown) == (4, "") and said in errors


def test_a_file_that_cannot_be_read(tmp_path):
    done = subprocess.run([TOP / "scripts/machine-file", tmp_path / "absent"], check=False,
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 4 and "No such file or directory" in done.stderr
