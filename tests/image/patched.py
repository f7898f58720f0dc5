# SPDX-License-Identifier: BSD-2-Clause
"""The program with other bytes in its built-in kernels, sealed anew."""
import struct
import zlib

import conftest
import expect
import machine
import stick as sticks

# kernels/kernel.h: offsets in a record
SIZE, ENTRY, PREPARE, NAME, CRC = 16, 20, 24, 80, 392


def kernel_at(name):
    """Where a kernel's record stands in the table."""
    table, at = expect.KERNELS_BIN.read_bytes(), 0
    while table[at + NAME : at + NAME + 32].rstrip(b"\0").decode() != name:
        at += struct.unpack_from("<I", table, at + SIZE)[0]
    return at


def program(patches):
    """The program with `patches`: name of a kernel -> (where: ENTRY or PREPARE, bytes)."""
    efi = bytearray((machine.TOP / "build/BOOTX64.EFI").read_bytes())
    table = expect.KERNELS_BIN.read_bytes()
    start = efi.find(table)
    assert start > 0 and efi.find(table, start + 1) < 0
    for name, (where, code) in patches.items():
        at = kernel_at(name)
        size, offset = (struct.unpack_from("<I", table, at + field)[0] for field in (SIZE, where))
        kernel = bytearray(table[at : at + size])
        assert offset > 0 and offset + len(code) <= size
        kernel[offset : offset + len(code)] = code
        struct.pack_into("<I", kernel, CRC, 0)
        struct.pack_into("<I", kernel, CRC, zlib.crc32(kernel))
        efi[start + at : start + at + size] = kernel
    return bytes(efi)


def offset_of(name, where):
    """Of a kernel's entry or prepare, from its record."""
    return struct.unpack_from("<I", expect.KERNELS_BIN.read_bytes(), kernel_at(name) + where)[0]


def stick(folder, patches):
    """A new stick with that program."""
    found = sticks.Stick.copy_of(conftest.IMAGE, folder / "stick.img")
    (folder / "patched.efi").write_bytes(program(patches))
    found.put(folder / "patched.efi", "EFI/BOOT/BOOTX64.EFI", part="esp")
    return found
