# SPDX-License-Identifier: BSD-2-Clause
"""Read kernel files, whose layout kernels/kernel.h defines, and fill in their checksums.

kernels/check.c checks a kernel completely. The module kernel_file checks only the magic number, the
name, the ABI version and the sizes.
"""
import dataclasses
import pathlib
import re
import struct
import zlib

TOP = pathlib.Path(__file__).resolve().parents[2]

MAGIC = b"BCKERNEL"
ABI = 1
ALIGN = 64
RECORD_BYTES, LIST_MAX = 448, 8  # the record without its list, and the list's longest
FILE_BYTES_MAX = 1 << 20  # the program reads no larger file
NAME_BYTES = 32
NAME = re.compile(r"[a-z0-9_]{1,31}")
CRC_AT = 392
EVENTS = ("instructions", "branches", "taken_branches", "loads", "stores")
NOT_DECLARED, EXACT, RANGE, NO_OTHERS = range(4)

_HEAD = struct.Struct("<8s3I")  # magic, abi, record_bytes, size_bytes
_FRONT = struct.Struct("<4I")   # at offset 20: entry, prepare, second, code_bytes
_COUNT = struct.Struct("<II4q")
_NAME_AT, _DECLARED_AT, _DEFAULT_N_AT = 80, 192, 40


def properties():
    """{number: name}, in the order of their numbers, without sums of properties."""
    text = (TOP / "pmu/counters/property.h").read_text("utf-8").split("#define PROPERTY_SUMS")[0]
    return {int(number): name for number, name in re.findall(r'X\((\d+), \w+, "(\w+)"', text)}


class Malformed(Exception):
    """A table of kernels is malformed."""


@dataclasses.dataclass
class Kernel:
    """Offsets are counted from the start of the record."""

    name: str
    record_bytes: int
    size: int
    entry: int
    prepare: int
    second: int
    code_bytes: int
    default_n: int
    declared: dict  # event: (kind, low_c0, low_c1, high_c0, high_c1)
    properties: dict  # the same for properties


def _linear(constant, factor):
    """c0 + c1 * n, such as `3n + 1`."""
    if factor == 0:
        return str(constant)
    text = "n" if factor == 1 else f"{factor}n"
    return text if constant == 0 else f"{text} {'+' if constant > 0 else '-'} {abs(constant)}"


def declared_text(declared):
    kind, low_c0, low_c1, high_c0, high_c1 = declared
    if kind == NOT_DECLARED:
        return "not declared"
    low = _linear(low_c0, low_c1)
    return low if kind == EXACT else f"{low} to {_linear(high_c0, high_c1)}"


def kernel_at(table, offset=0):
    where = f"at offset {offset}"
    left = len(table) - offset
    if left < RECORD_BYTES:
        raise Malformed(f"{where}: too few bytes left for a kernel record: {left}")
    magic, abi, record_bytes, size = _HEAD.unpack_from(table, offset)
    if magic != MAGIC:
        raise Malformed(f"{where}: no kernel starts here")
    name_at = offset + _NAME_AT
    name = bytes(table[name_at : name_at + NAME_BYTES]).rstrip(b"\0").decode("latin-1")
    if not NAME.fullmatch(name):
        raise Malformed(f"{where}: bad name {name!r}")
    where = f"kernel {name} {where}"
    listed, rest = divmod(record_bytes - RECORD_BYTES, _COUNT.size)
    if abi != ABI or rest or not 0 <= listed <= LIST_MAX:
        raise Malformed(f"{where}: ABI {abi} and record size {record_bytes}: expected {ABI} and "
                        f"{RECORD_BYTES}, plus {_COUNT.size} for each of up to {LIST_MAX} "
                        "properties")
    if size % ALIGN or size <= record_bytes:
        raise Malformed(f"{where}: size {size} is not a multiple of {ALIGN} above {record_bytes}")
    if size > left:
        raise Malformed(f"{where}: its size is {size}, but the table has only {left} bytes left")
    entry, prepare, second, code_bytes = _FRONT.unpack_from(table, offset + _HEAD.size)
    declared = {}
    for index, event in enumerate(EVENTS):
        fields = _COUNT.unpack_from(table, offset + _DECLARED_AT + index * _COUNT.size)
        declared[event] = (fields[0], *fields[2:])
    default_n, = struct.unpack_from("<Q", table, offset + _DEFAULT_N_AT)
    return Kernel(name, record_bytes, size, entry, prepare, second, code_bytes, default_n, declared,
                  _properties_of(table[offset + RECORD_BYTES:offset + record_bytes]))


def _properties_of(entries):
    names, listed, others = properties(), {}, 0
    for kind, number, *counts in _COUNT.iter_unpack(entries):
        if kind == NO_OTHERS:
            others = number
        elif number in names:
            listed[names[number]] = kind, *counts
        else:
            raise Malformed(f"property {number} is not known; the largest is {max(names)}")
    zero = {name: (EXACT, 0, 0, 0, 0) for number, name in names.items() if number < others}
    return zero | listed


def kernels(table):
    offset = 0
    while offset < len(table):
        kernel = kernel_at(table, offset)
        yield offset, kernel
        offset += kernel.size


def checksummed(blob):
    blob = bytearray(blob)
    struct.pack_into("<I", blob, CRC_AT, 0)
    struct.pack_into("<I", blob, CRC_AT, zlib.crc32(blob))
    return bytes(blob)


def packed(table):
    """The image contains the table's size, then the table in raw DEFLATE (RFC 1951) with fixed
    Huffman codes.
    """
    stream = zlib.compressobj(9, zlib.DEFLATED, -15, 9, zlib.Z_FIXED)
    return struct.pack("<I", len(table)) + stream.compress(table) + stream.flush()


def renamed(blob, name):
    """The checksum is not updated."""
    return blob[:_NAME_AT] + name.encode().ljust(NAME_BYTES, b"\0") + \
        blob[_NAME_AT + NAME_BYTES:]


def sealed(raw):
    """Return (the table with checksums filled in, [Kernel]). In `raw`, the checksums must be 0."""
    table = bytearray(raw)
    found = {}
    for offset, kernel in kernels(raw):
        where = f"kernel {kernel.name} at offset {offset}"
        if kernel.name in found:
            raise Malformed(f"{where}: another kernel has this name")
        if any(raw[offset + CRC_AT : offset + CRC_AT + 4]):
            raise Malformed(f"{where}: already sealed")
        found[kernel.name] = kernel
        table[offset : offset + kernel.size] = checksummed(raw[offset : offset + kernel.size])
    if not found:
        raise Malformed("the table contains no kernel")
    return bytes(table), list(found.values())
