# SPDX-License-Identifier: BSD-2-Clause
"""The program with other code in its built-in kernels, and with correct checksums.

The last kernels are left out if the packed table would otherwise become larger than before.
"""
import struct
import subprocess

import conftest
import kernel_file
from machine import qemu
import proofs
from machine import stick as sticks

ENTRY, PREPARE, CLOBBERS = 20, 24, 72  # kernels/kernel.h: offsets in a record
VOLATILE = 7                           # bits 0 to 2 of CLOBBERS: RAX, RCX, RDX


def record_of(name):
    table = proofs.KERNELS_BIN.read_bytes()
    return next((at, bytearray(table[at : at + kernel.size]))
                for at, kernel in kernel_file.kernels(table) if kernel.name == name)


def field(record, offset):
    return struct.unpack_from("<I", record, offset)[0]


def with_packed(change):
    """The program with its packed table replaced by change(packed table).

    The new table must not be longer.
    """
    efi = (qemu.TOP / "build/BOOTX64.EFI").read_bytes()
    before = kernel_file.packed(proofs.KERNELS_BIN.read_bytes())
    assert efi.count(before) == 1
    return efi.replace(before, change(before).ljust(len(before), b"\0"))


def with_table(table, last):
    """The program with another table of kernels. Kernels after offset `last` may be left out."""
    offsets = [at for at, _ in kernel_file.kernels(table)]

    def pack(before):
        nonlocal table
        while len(packed := kernel_file.packed(table)) > len(before):
            table = table[:offsets.pop()]
        assert last < len(table)
        return packed
    return with_packed(pack)


def with_records(records):
    """`records` is {offset in the table: the new record}."""
    table = bytearray(proofs.KERNELS_BIN.read_bytes())
    for at, record in records.items():
        table[at : at + len(record)] = kernel_file.checksummed(record)
    return with_table(bytes(table), max(records))


def put_code(record, offset, code):
    assert offset > 0 and offset + len(code) <= len(record), (len(record) - offset, len(code))
    record[offset : offset + len(code)] = code


def program(patches):
    """`patches` is {kernel's name: (ENTRY or PREPARE, bytes to write there)}."""
    records = {}
    for name, (where, code) in patches.items():
        at, record = record_of(name)
        put_code(record, field(record, where), code)
        records[at] = record
    return with_records(records)


def assembled(folder, text):
    source, target = folder / "code.asm", folder / "code.bin"
    source.write_text("bits 64\ndefault rel\n" + text.replace(";", "\n") + "\n")
    subprocess.run(["nasm", "-f", "bin", "-o", target, source], check=True)
    return target.read_bytes()


def program_of_text(folder, texts):
    """The patched program, and {kernel: the offset from ENTRY of the instruction after `|`}.

    `texts`: {kernel: its new code, with `|` before one instruction}. The new record has no
    `prepare`. The new record declares that the code clobbers only RAX, RCX and RDX, whatever the
    code does.
    """
    records, offsets = {}, {}
    for name, text in texts.items():
        at, record = record_of(name)
        before, _, behind = text.partition("|")
        entry = field(record, ENTRY)
        put_code(record, entry, assembled(folder, before + ";" + behind))
        offsets[name] = len(assembled(folder, before))
        struct.pack_into("<I", record, PREPARE, 0)
        struct.pack_into("<I", record, CLOBBERS, VOLATILE)
        records[at] = record
    return with_records(records), offsets


def stick(folder, patches):
    found = sticks.Stick.copy_of(conftest.IMAGE, folder / "stick.img")
    (folder / "patched.efi").write_bytes(program(patches))
    found.put(folder / "patched.efi", "EFI/BOOT/BOOTX64.EFI", part="esp")
    return found
