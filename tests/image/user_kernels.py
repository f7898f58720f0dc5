# SPDX-License-Identifier: BSD-2-Clause
"""Kernels as a user writes them, assembled and sealed into files for the stick."""
import struct
import subprocess
import zlib

import machine

FOLDER = "barecount/kernels"
CRC_AT = 392  # kernels/kernel.h: of the record

# Nothing is declared of a kernel that is not to return.
UNDECLARED = "".join(f'NOT_DECLARED {count}, "it does not end"\n' for count in (
    "instructions", "branches", "taken_branches", "loads", "stores"))
SOURCE = """
%include "kernel.inc"
FAMILY mine
KERNEL {name}, "{title}"
{flags}
DEFAULT_N {n}
CLOBBERS rax, rdi
{declared}
ENTRY
{code}
END_KERNEL
"""

# dec and jnz for each of n, and a nop: 1 + 2n instructions, n branches, the last of them not taken.
LOOP = """
    nop
.again:
    dec rdi
    jnz .again
    ret
"""
LOOP_DECLARED = """
DECLARE instructions, exact, 1, 2
DECLARE branches, exact, 0, 1
DECLARE taken_branches, exact, -1, 1
DECLARE loads, exact, 0, 0
DECLARE stores, exact, 0, 0
"""
# No interrupt table: the next exception is a triple fault, which resets the machine.
RESET = """
    push 0
    push 0
    lidt [rsp]
    int3
"""
SPIN = """
    jmp $
"""


def assembled(folder, name, code, declared=UNDECLARED, flags="", n=1000):
    """The bytes of NAME.bin."""
    source, raw, sealed = (folder / f"{name}.{suffix}" for suffix in ("asm", "raw", "bin"))
    source.write_text(SOURCE.format(name=name, title=f"{name} of a user", flags=flags, n=n,
                                    declared=declared, code=code), "ascii")
    subprocess.run(["nasm", "-f", "bin", "-Werror", "-I", f"{machine.TOP}/kernels/", "-o", raw,
                    source], check=True, timeout=60)
    subprocess.run([machine.TOP / "scripts/seal-kernels", raw, sealed], check=True, timeout=60,
                   stdout=subprocess.DEVNULL)
    return sealed.read_bytes()


def loop(folder, name="probe"):
    """A good one."""
    return assembled(folder, name, LOOP, LOOP_DECLARED)


def killer(folder, name="killer"):
    """One that resets the machine."""
    return assembled(folder, name, RESET, flags="RING0")


def crc_of(kernel):
    """As the record has it, for skipped.csv."""
    return "0x%08x" % struct.unpack_from("<I", kernel, CRC_AT)


def changed(kernel, offset, content):
    """Other bytes at an offset, and a CRC that matches."""
    new = bytearray(kernel)
    new[offset : offset + len(content)] = content
    new[CRC_AT : CRC_AT + 4] = bytes(4)
    new[CRC_AT : CRC_AT + 4] = struct.pack("<I", zlib.crc32(new))
    return bytes(new)


def put(stick, folder, files):
    """Files into the folder of kernels on the stick, which is made where there is none."""
    if "kernels" not in stick.names("barecount"):
        stick.make_folder(FOLDER)
    for name, content in files.items():
        source = folder / "kernel-file"
        source.write_bytes(content)
        stick.put(source, f"{FOLDER}/{name}")
