# SPDX-License-Identifier: BSD-2-Clause
"""Good and bad kernel files from a few lines of nasm, and sticks that contain them."""
import pathlib
import struct
import subprocess
import tempfile

import kernel_file
from machine import stick as sticks
from conftest import IMAGE, TOP, put_files

STICK_FOLDER = "barecount/kernels"
NASM_S = 60

SOURCE = """%include "kernel.inc"
FAMILY mine
KERNEL {name}, "{name} of a user"
DEFAULT_N {n}
CLOBBERS {clobbers}
{declared}
ENTRY
{code}
END_KERNEL
"""

UNDECLARED = "".join(f'NOT_DECLARED {event}, "it does not end"\n' for event in kernel_file.EVENTS)
# 1 + 2n instructions and n branches, of which n - 1 are taken.
LOOP = "nop; .again:; dec rdi; jnz .again; ret"
LOOP_DECLARED = """
DECLARE instructions, exact, 1, 2
DECLARE branches, exact, 0, 1
DECLARE taken_branches, exact, -1, 1
DECLARE loads, exact, 0, 0
DECLARE stores, exact, 0, 0
"""
# The declarations do not cover code that a test adds.
BUFFER_LOOP = ".again:; add r10, [rsi]; mov [rsi + 8], r10; dec rdi; jnz .again"
BUFFER_LOOP_DECLARED = """
BUFFER 4096, 64
DECLARE instructions, exact, 0, 4
DECLARE branches, exact, 0, 1
DECLARE taken_branches, exact, -1, 1
DECLARE loads, exact, 0, 1
DECLARE stores, exact, 0, 1
PREPARE
    mov qword [rsi], 1
    xor r10d, r10d
    ret
"""
# Without an IDT, the next exception ends in a triple fault, which resets the machine.
RESET = "push 0; push 0; lidt [rsp]; int3"


def assembled(name, code, declared=UNDECLARED, n=1000, clobbers="rax, rdi"):
    """The bytes of a kernel file. In `code`, semicolons separate lines."""
    text = SOURCE.format(name=name, n=n, clobbers=clobbers, declared=declared,
                         code=code.replace(";", "\n"))
    with tempfile.TemporaryDirectory() as folder:
        source, out = pathlib.Path(folder) / "source.asm", pathlib.Path(folder) / "out"
        source.write_text(text, "ascii")
        subprocess.run(["nasm", "-f", "bin", "-Werror", "-I", f"{TOP / 'kernels'}/", "-o", out,
                        source], check=True, timeout=NASM_S)
        return kernel_file.sealed(out.read_bytes())[0]


def loop(name="probe"):
    return assembled(name, LOOP, LOOP_DECLARED)


def buffered(name, before="", behind="", clobbers="r10, rdi"):
    return assembled(name, f"{before}; {BUFFER_LOOP}; {behind}; ret", BUFFER_LOOP_DECLARED, 20,
                     clobbers)


def killer(name="killer"):
    return assembled(name, RESET, "RING0\n" + UNDECLARED)


def pair_killer(name="killer"):
    return assembled(name, f"{RESET}; SECOND pair; ret", "RING0\n" + UNDECLARED)


def crc_of(blob):
    return "0x%08x" % struct.unpack_from("<I", blob, kernel_file.CRC_AT)


def changed(blob, offset, content):
    return kernel_file.checksummed(blob[:offset] + content + blob[offset + len(content):])


def put(stick, folder, files):
    """`files` is {name: bytes}."""
    if "kernels" not in stick.names("barecount"):
        stick.make_folder(STICK_FOLDER)
    put_files(stick, folder, {f"{STICK_FOLDER}/{name}": blob for name, blob in files.items()})


def new_stick(folder, files):
    stick = sticks.Stick.copy_of(IMAGE, folder / "stick.img")
    put(stick, folder, files)
    return stick


def wrong_rows(found, kernel_name, cpus):
    rows = [row for row in found.rows if row["kernel"] == kernel_name]
    declared = [row for row in rows if row["expected"]]
    wrong = [(row["cpu"], row["event"], row["verdict"], row["reason"]) for row in rows
             if row["verdict"] != ("exact" if row["expected"] else "measured")]
    for cpu in range(cpus):
        events = {row["event"] for row in declared if row["cpu"] == str(cpu)}
        if len(events) < len(kernel_file.EVENTS):
            wrong.append((cpu, "declared events", len(events)))
    return wrong
