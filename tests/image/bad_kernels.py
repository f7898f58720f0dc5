# SPDX-License-Identifier: BSD-2-Clause
"""The program with code of a test's own in the place of built-in kernels, sealed anew."""
import struct
import subprocess
import zlib

import expect
import machine

PREPARE, FLAGS, CLOBBERS, NAME, CRC = 24, 76, 72, 80, 392


def assemble(folder, text):
    """Bytes of position-independent code."""
    source, target = folder / "code.asm", folder / "code.bin"
    source.write_text("bits 64\ndefault rel\n" + text.replace(";", "\n") + "\n")
    subprocess.run(["nasm", "-f", "bin", "-o", target, source], check=True)
    return target.read_bytes()


def patched(folder, codes):
    """The program, and where the instruction behind `|` is: {kernel: offset in its record}.

    `codes`: {kernel: code up to RET, with `|` in front of an instruction}. What is patched has no
    `prepare` and clobbers nothing but RAX, RCX and RDX.
    """
    efi = bytearray((machine.TOP / "build/BOOTX64.EFI").read_bytes())
    table = expect.KERNELS_BIN.read_bytes()
    start, at, offsets = efi.find(table), 0, {}
    assert start > 0 and efi.find(table, start + 1) < 0
    while at < len(table):
        size, entry = (struct.unpack_from("<I", table, at + offset)[0] for offset in (16, 20))
        name = table[at + NAME : at + NAME + 32].rstrip(b"\0").decode()
        if name in codes:
            kernel = bytearray(table[at : at + size])
            before, _, behind = codes[name].partition("|")
            code = assemble(folder, before + ";" + behind)
            offsets[name] = entry + len(assemble(folder, before))
            assert entry + len(code) <= size, (name, size - entry, len(code))
            kernel[entry : entry + len(code)] = code
            for field, value in ((PREPARE, 0), (CLOBBERS, 7), (CRC, 0)):
                struct.pack_into("<I", kernel, field, value)
            struct.pack_into("<I", kernel, CRC, zlib.crc32(kernel))
            efi[start + at : start + at + size] = kernel
        at += size
    assert set(offsets) == set(codes)
    return bytes(efi), offsets
