# SPDX-License-Identifier: BSD-2-Clause
"""The built-in kernels, disassembled by llvm-mc."""
import functools
import pathlib
import re
import subprocess

import kernel_file

TOP = pathlib.Path(__file__).resolve().parents[2]
# At least this many HLTs separate two kernels, and no kernel contains as many in a row. Twice as
# many are inserted, because the decoder may take a kernel's last bytes and the first HLTs for one
# instruction.
APART = ["hlt"] * 20


def _disassembled(blobs):
    """The instructions of each blob, in Intel syntax that GNU as accepts."""
    text = "".join(" ".join(f"{octet:#x}" for octet in blob + b"\xf4" * 2 * len(APART)) + "\n"
                   for blob in blobs)
    told = subprocess.run(["llvm-mc", "--disassemble", "-triple=x86_64", "-output-asm-variant=1"],
                          input=text, check=True, capture_output=True, text=True).stdout
    told = re.sub(r"[ \t]*#.*", "", told).replace("zmmword ptr ", "")
    found, halts = [[]], 0
    for line in (" ".join(line.split()) for line in told.replace("\tlock\n", "lock").splitlines()):
        halts = halts + 1 if line == "hlt" else 0
        if halts == len(APART):
            found.append([])
        elif line and not line.startswith((".", "hlt")):
            found[-1].append(line)
    return found[:-1]


@functools.cache
def kernels():
    """(kernel, its record and code, its instructions) for each kernel."""
    table = (TOP / "build/kernels.bin").read_bytes()
    found = [(kernel, table[at : at + kernel.size]) for at, kernel in kernel_file.kernels(table)]
    codes = _disassembled([blob[kernel.record_bytes :][: kernel.code_bytes]
                           for kernel, blob in found])
    assert len(codes) == len(found) and all(codes)
    return [(*one, code) for one, code in zip(found, codes)]
