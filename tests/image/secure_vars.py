# SPDX-License-Identifier: BSD-2-Clause
"""Make OVMF's variables with Secure Boot keys, as if the keys had been enrolled in its setup.

The store follows a firmware volume's header (PI specification vol. 3). Its layout is EDK II's
(MdeModulePkg, Guid/VariableFormat.h, authenticated variables). UEFI specification, "Signature
Database", defines the signature list.
"""
import struct
import uuid

GLOBAL = uuid.UUID("8be4df61-93ca-11d2-aa0d-00e098032b8c")  # PK, KEK
SECURITY = uuid.UUID("d719b2cb-3d3a-4596-a3bc-dad00e67656f")  # db
SHIM = uuid.UUID("605dab50-e046-4300-abb6-3dd810dd8b23")  # SbatLevel
X509 = uuid.UUID("a5c059a1-94e4-4aa7-87b5-ab155c2bf072")
STORE = uuid.UUID("aaf32c78-947b-439a-a180-2e144ec37792")

HEADER_BYTES_AT = 48  # in the volume's header
STORE_BYTES, FORMATTED_HEALTHY = 28, 0x5A | 0xFE << 8
START, ADDED = 0x55AA, 0x3F
NON_VOLATILE, BOOT, RUNTIME, SIGNED_WITH_TIME = 0x1, 0x2, 0x4, 0x20
WRITTEN = struct.pack("<HBBBBBBIhBB", 2026, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0)  # EFI_TIME
VARIABLE = struct.Struct("<HBBIQ16sIII16s")


def signature_list(certificate):
    """The owner's GUID does not matter."""
    data = bytes(16) + certificate
    return struct.pack("<16sIII", X509.bytes_le, 28 + len(data), 0, len(data)) + data


def variable(name, vendor, data, attributes=NON_VOLATILE | BOOT | RUNTIME | SIGNED_WITH_TIME):
    """A UEFI variable in the store's format, padded to a multiple of four bytes."""
    text = (name + "\0").encode("utf-16-le")
    header = VARIABLE.pack(START, ADDED, 0, attributes, 0, WRITTEN, 0, len(text), len(data),
                           vendor.bytes_le)
    whole = header + text + data
    return whole + b"\xff" * (-len(whole) % 4)


def enrolled(empty, certificate, sbat=None):
    """The bytes of a store in which a DER certificate is enrolled as PK, as KEK and in db.

    empty: the empty store's bytes; sbat: the generations that shim accepts, as text.
    """
    at = struct.unpack_from("<H", empty, HEADER_BYTES_AT)[0]
    signature, size, state = struct.unpack_from("<16sIH", empty, at)
    assert signature == STORE.bytes_le and state == FORMATTED_HEALTHY
    keys = signature_list(certificate)
    variables = b"".join(variable(name, vendor, keys) for name, vendor in (
        ("PK", GLOBAL), ("KEK", GLOBAL), ("db", SECURITY)))
    if sbat:
        variables += variable("SbatLevel", SHIM, sbat.encode(), NON_VOLATILE | BOOT)
    begin = at + STORE_BYTES
    end = begin + len(variables)
    assert end < at + size and set(empty[begin:end]) == {0xFF}
    return empty[:begin] + variables + empty[end:]
