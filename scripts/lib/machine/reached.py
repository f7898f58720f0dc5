# SPDX-License-Identifier: BSD-2-Clause
"""Find out which code of the program a machine executed, from QEMU's log of translated blocks.

QEMU logs the address and bytes of each block before its first execution. The block at the program's
entry gives the load address. A block belongs to the program if .text has the same bytes at the
block's offset from the load address. Each test has a file. The file contains the ranges of .text
that the test executed, and the first word of each console line, which may be a kernel's name.
"""
import collections
import fcntl
import functools
import hashlib
import json
import operator
import os
import pathlib
import re
import struct
import subprocess

TOP = pathlib.Path(__file__).resolve().parents[3]
PROGRAM = TOP / "build/BOOTX64.EFI"
WITH_LINES = TOP / "build/coverage/BOOTX64.EFI"  # the same code, with debug information
# Environment variables: the folder of the tests' files, and the name of the current test.
FOLDER, TEST = "BARECOUNT_COVERAGE", "BARECOUNT_TEST"

# QEMU logs each instruction with its bytes, or only the bytes of a block that QEMU cannot
# disassemble.
_BYTES = re.compile(r"^IN: |^0x([0-9a-f]+):  ((?:[0-9a-f]{2} )*)|^OBJD-T: ([0-9a-f]+)", re.M)
_RUNS = re.compile(b"\1+")
_FIRST_WORDS = re.compile(r"^(?:CPU \d+  )?(\w+)", re.M)
_LOGGED = re.compile(r"^(?:-{8,}|IN: .*|0x[0-9a-f]{8,}: .*|OBJD-T: .*|)\n", re.M)


class Text:
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
    """{(address, bytes)} of all blocks in a log."""
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
    """Mark the bytes of .text in these blocks; a machine may load .text several times."""
    loads = {address - text.entry for address, data in found
             if data and text.bytes.startswith(data, text.entry)}
    for load in loads:
        for address, data in found:
            at = address - load
            if 0 <= at < len(text.bytes) and text.bytes.startswith(data, at):
                reached[at:at + len(data)] = b"\1" * len(data)


def log_of(spec, folder):
    """The file for QEMU's log of blocks; None: no log."""
    return (spec.trace or pathlib.Path(folder) / "blocks") if FOLDER in os.environ else None


def _marks(runs, size):
    reached = bytearray(size)
    for begin, end in runs:
        reached[begin:end] = b"\1" * (end - begin)
    return reached


def take(log, trace, console):
    if not log.exists():
        return  # QEMU did not start
    logged, text = log.read_text("ascii", "replace"), Text(PROGRAM)
    if trace:
        trace.write_text(_LOGGED.sub("", logged), "ascii")
    test = os.environ.get(TEST, "")
    name = hashlib.sha256(test.encode("utf-8")).hexdigest()[:16]
    path = pathlib.Path(os.environ[FOLDER], f"{name}.json")
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "a+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # a test may run two machines
        file.seek(0)
        before = json.loads(file.read() or '{"runs": [], "words": []}')
        reached = _marks(before["runs"], len(text.bytes))
        mark(blocks(logged), text, reached)
        file.truncate(0)
        json.dump({"test": test, "runs": [match.span() for match in _RUNS.finditer(reached)],
                   "words": sorted({*before["words"], *_FIRST_WORDS.findall(console)})}, file)


def by_test(folder):
    """{test: (marks, first words of console lines)}; marks has a 1 for each executed byte of .text.
    """
    size = len(Text(PROGRAM).bytes)
    found = [json.loads(path.read_text("utf-8")) for path in pathlib.Path(folder).glob("*.json")]
    return {one["test"]: (_marks(one["runs"], size), set(one["words"])) for one in found}


def together(tests):
    marks = [int.from_bytes(one, "big") for one, _ in tests.values()]
    return functools.reduce(operator.or_, marks).to_bytes(len(Text(PROGRAM).bytes), "big")


def _run(*command, **more):
    return subprocess.run(command, capture_output=True, check=True, text=True, **more).stdout


def places():
    """[(offset of an instruction in .text, its frames according to llvm-symbolizer)]."""
    text = Text(WITH_LINES)
    if text.bytes != Text(PROGRAM).bytes:
        raise ValueError(f"the code in {WITH_LINES} differs from that in {PROGRAM}")
    listed = _run("objdump", "-d", "-j", ".text", "--no-show-raw-insn", WITH_LINES)
    addresses = re.findall(r"^ +([0-9a-f]+):", listed, re.M)
    named = _run("llvm-symbolizer", f"--obj={WITH_LINES}", "--output-style=JSON",
                 input="".join(f"0x{address}\n" for address in addresses))
    found = []
    for place in map(json.loads, named.splitlines()):
        frames = place["Symbol"]
        for frame in frames:
            for key in ("StartFileName", "FileName"):
                frame[key] = os.path.normpath(frame[key])
        found.append((int(place["Address"], 16) - text.address, frames))
    return found


def sources(reached, known):
    """{C file: ({function: [line, executed]}, {line: executed})}; `known` is from places()."""
    found = collections.defaultdict(lambda: ({}, {}))
    for at, frames in known:
        was = bool(reached[at])
        for frame in frames:  # assembly code between functions has no frame with a file
            if frame["StartLine"]:
                functions, _ = found[frame["StartFileName"]]
                functions.setdefault(frame["FunctionName"], [frame["StartLine"], False])[1] |= was
            if frame["Line"]:
                _, lines = found[frame["FileName"]]
                lines[frame["Line"]] = lines.get(frame["Line"], False) or was
    return found
