# SPDX-License-Identifier: BSD-2-Clause
"""Add variables to OVMF's variable file, for example to make OVMF boot over the network.

Layout: UEFI PI specification vol. 3, "Firmware Volume Header"; EDK II's VariableFormat.h; UEFI
specification, section 3.1.3 "Load Options".
"""
import struct
import uuid

GLOBAL = uuid.UUID("8be4df61-93ca-11d2-aa0d-00e098032b8c")
AUTHENTICATED_STORE = uuid.UUID("aaf32c78-947b-439a-a180-2e144ec37792")
FV_HEADER_LENGTH_AT = 0x30
STORE_HEADER = struct.Struct("<16sIBBHI")
VARIABLE_HEADER = struct.Struct("<HBBIQ16sIII16s")
START, ADDED, NOT_ERASED = 0x55aa, 0x3f, b"\xff"
NON_VOLATILE, BOOT, RUNTIME = 1, 2, 4
OPTION_ACTIVE = 1
NODE_MESSAGING, NODE_URI = 3, 24
END_OF_PATH = struct.pack("<BBH", 0x7f, 0xff, 4)


class Unusable(Exception):
    """The variable file is malformed or full."""


def _aligned(at):
    return (at + 3) & ~3


def add(path, variables):
    """Append variables, given as {name: bytes}, with the EFI_GLOBAL_VARIABLE GUID."""
    store = bytearray(path.read_bytes())
    at = struct.unpack_from("<H", store, FV_HEADER_LENGTH_AT)[0]
    guid, size, *_ = STORE_HEADER.unpack_from(store, at)
    if uuid.UUID(bytes_le=guid) != AUTHENTICATED_STORE:
        raise Unusable(f"{path}: no store of authenticated variables at {at:#x}")
    end, at = at + size, at + STORE_HEADER.size
    while struct.unpack_from("<H", store, at)[0] == START:
        *_, name_bytes, data_bytes, _ = VARIABLE_HEADER.unpack_from(store, at)
        at = _aligned(at + VARIABLE_HEADER.size + name_bytes + data_bytes)
    for name, data in variables.items():
        wide = (name + "\0").encode("utf-16-le")
        header = VARIABLE_HEADER.pack(START, ADDED, 0, NON_VOLATILE | BOOT | RUNTIME, 0, bytes(16),
                                      0, len(wide), len(data), GLOBAL.bytes_le)
        whole = header + wide + data
        if at + len(whole) > end or store[at:at + len(whole)].strip(NOT_ERASED):
            raise Unusable(f"{path}: no room for {name}")
        store[at:at + len(whole)] = whole
        at = _aligned(at + len(whole))
    path.write_bytes(store)


def boot_first_from(path, uri):
    text = uri.encode("ascii")
    node = struct.pack("<BBH", NODE_MESSAGING, NODE_URI, 4 + len(text)) + text
    devices = node + END_OF_PATH
    option = struct.pack("<IH", OPTION_ACTIVE, len(devices))
    option += "HTTP\0".encode("utf-16-le") + devices
    add(path, {"Boot0000": option, "BootOrder": struct.pack("<H", 0)})
