# SPDX-License-Identifier: BSD-2-Clause
"""Which code of the program a machine reached, by QEMU's log of the blocks that it translates.

The program is the one that ships: nothing is built into it. QEMU logs each block of instructions
with its address and bytes before it runs for the first time; where the program was loaded is where
the block of its entry stands, and a block is one of its own when its bytes are there too. What was
reached is kept as a file with a byte for each byte of .text: 1 when it was.
"""
import collections
import json
import mmap
import os
import pathlib
import re
import struct
import subprocess

TOP = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = TOP / "build/BOOTX64.EFI"
WITH_LINES = TOP / "build/coverage/BOOTX64.EFI"  # linked again, with debug information
FILE = "BARECOUNT_COVERAGE"  # in the environment: the file that every machine adds to

# An instruction with its bytes where QEMU disassembles, else a block with all of them.
_BYTES = re.compile(r"^IN: |^0x([0-9a-f]+):  ((?:[0-9a-f]{2} )*)|^OBJD-T: ([0-9a-f]+)", re.M)
_LOGGED = re.compile(r"^(?:-{8,}|IN: .*|0x[0-9a-f]{8,}: .*|OBJD-T: .*|)\n", re.M)


class Text:
    """The .text of a PE file: its bytes, its address, and where in it the entry is."""

    def __init__(self, path):
        data = pathlib.Path(path).read_bytes()
        pe, = struct.unpack_from("<I", data, 0x3c)
        sections, = struct.unpack_from("<H", data, pe + 6)
        size_of_header, = struct.unpack_from("<H", data, pe + 20)
        entry, = struct.unpack_from("<I", data, pe + 40)
        base, = struct.unpack_from("<Q", data, pe + 48)
        for number in range(sections):
            name, size, address, _, at = struct.unpack_from(
                "<8sIIII", data, pe + 24 + size_of_header + 40 * number)
            if name.rstrip(b"\0") == b".text":
                self.bytes, self.address = data[at:at + size], base + address
                self.entry = entry - address


def blocks(log):
    """{(address, bytes)} of a log's text."""
    found, address, data = set(), None, b""
    for match in _BYTES.finditer(log):
        at, spaced, whole = match.groups()
        if at is None and whole is None:
            found.add((address, data))
            address, data = None, b""
        else:
            address = int(at, 16) if address is None else address
            data += bytes.fromhex(spaced or whole or "")
    return (found | {(address, data)}) - {(None, b"")}


def mark(found, text, reached):
    """Mark in `reached` what of a program's .text these blocks are; it may be loaded often."""
    loads = {address - text.entry for address, data in found
             if data and text.bytes.startswith(data, text.entry)}
    for load in loads:
        for address, data in found:
            at = address - load
            if 0 <= at < len(text.bytes) and text.bytes.startswith(data, at):
                reached[at:at + len(data)] = b"\1" * len(data)


def log_of(spec, folder):
    """Where a machine is to log its blocks, if it is to: a trace goes to the same file."""
    return (spec.trace or pathlib.Path(folder) / "blocks") if FILE in os.environ else None


def take(log, trace):
    """Add a machine's log to what is reached, and leave a trace without it."""
    if not log.exists():
        return  # QEMU did not start
    logged, text = log.read_text("ascii", "replace"), Text(PROGRAM)
    if trace:
        trace.write_text(_LOGGED.sub("", logged), "ascii")
    file = os.open(os.environ[FILE], os.O_RDWR | os.O_CREAT, 0o644)
    try:
        os.ftruncate(file, len(text.bytes))
        with mmap.mmap(file, len(text.bytes)) as reached:
            mark(blocks(logged), text, reached)
    finally:
        os.close(file)


def _run(*command, **more):
    return subprocess.run(command, capture_output=True, check=True, text=True, **more).stdout


def sources(reached):
    """{file: ({function: [line, whether it was reached]}, {line: whether it was})}, of C files.

    A function that was put into others is reached wherever it was.
    """
    text = Text(WITH_LINES)
    if text.bytes != Text(PROGRAM).bytes:
        raise ValueError(f"{WITH_LINES} is not {PROGRAM} with debug information")
    listed = _run("objdump", "-d", "-j", ".text", "--no-show-raw-insn", WITH_LINES)
    addresses = re.findall(r"^ +([0-9a-f]+):", listed, re.M)
    named = _run("llvm-symbolizer", f"--obj={WITH_LINES}", "--output-style=JSON",
                 input="".join(f"0x{address}\n" for address in addresses))
    found = collections.defaultdict(lambda: ({}, {}))
    for line in named.splitlines():
        place = json.loads(line)
        was = bool(reached[int(place["Address"], 16) - text.address])
        for frame in place["Symbol"]:  # none has a file in assembler and between functions
            if frame["StartLine"]:
                functions, _ = found[os.path.normpath(frame["StartFileName"])]
                functions.setdefault(frame["FunctionName"], [frame["StartLine"], False])[1] |= was
            if frame["Line"]:
                _, lines = found[os.path.normpath(frame["FileName"])]
                lines[frame["Line"]] = lines.get(frame["Line"], False) or was
    return found
