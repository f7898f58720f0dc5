# SPDX-License-Identifier: BSD-2-Clause
"""Kernels for the stick, good and bad, from a few lines of nasm."""
import pathlib
import subprocess
import tempfile

import kernel_file
import stick as sticks
from conftest import IMAGE, TOP, put_files

STICK_FOLDER = "barecount/kernels"
NASM_S = 60

SOURCE = """%include "kernel.inc"
FAMILY user
KERNEL {name}, "n times: a load, an addition, a store"
DEFAULT_N 20
BUFFER 4096, 64
CLOBBERS {clobbers}
{flags}
DECLARE instructions, exact, 0, 4
DECLARE branches, exact, 0, 1
DECLARE taken_branches, exact, -1, 1
DECLARE loads, exact, 0, 1
DECLARE stores, exact, 0, 1
PREPARE
    mov qword [rsi], 1
    xor r10d, r10d
    ret
ENTRY
{before}
.again:
    add r10, [rsi]
    mov [rsi + 8], r10
    dec rdi
    jnz .again
{behind}
    ret
END_KERNEL
"""


def kernel(name, before="", behind="", clobbers="r10, rdi", flags=""):
    """The file of a kernel that counts as declared, but for what stands beside its loop."""
    text = SOURCE.format(name=name, before=before.replace(";", "\n"),
                         behind=behind.replace(";", "\n"), clobbers=clobbers, flags=flags)
    with tempfile.TemporaryDirectory() as folder:
        source, out = pathlib.Path(folder) / "source.asm", pathlib.Path(folder) / "out"
        source.write_text(text, "ascii")
        subprocess.run(["nasm", "-f", "bin", "-Werror", "-I", f"{TOP / 'kernels'}/", "-o", out,
                        source], check=True, timeout=NASM_S)
        return kernel_file.sealed(out.read_bytes())[0]


def entry_of(blob):
    """The offset of a kernel's first instruction, as reports have it: from its record's start."""
    return kernel_file.kernel_at(blob).entry


def good(name):
    """One that does just what it declares."""
    return kernel(name)


def on_stick(blobs):
    """{path: bytes} for boot(files=…) from {file name: bytes}."""
    return {f"{STICK_FOLDER}/{file}": blob for file, blob in blobs.items()}


def stick_with(path, blobs):
    """A new stick that has these files, {name: bytes}, in its folder of kernels."""
    stick = sticks.Stick.copy_of(IMAGE, path)
    if "kernels" not in stick.names("barecount"):
        stick.make_folder(STICK_FOLDER)
    put_files(stick, path.parent, on_stick(blobs))
    return stick


def wrong_rows(found, kernel_name, cpus):
    """What is not as it must be of a good kernel: each declared count exact on each CPU."""
    rows = [row for row in found.rows if row["kernel"] == kernel_name]
    declared = [row for row in rows if row["expected"]]
    wrong = [(row["cpu"], row["event"], row["verdict"], row["reason"]) for row in rows
             if row["verdict"] != ("exact" if row["expected"] else "measured")]
    for cpu in range(cpus):
        events = {row["event"] for row in declared if row["cpu"] == str(cpu)}
        if len(events) < len(kernel_file.EVENTS):
            wrong.append((cpu, "declared events", len(events)))
    return wrong
