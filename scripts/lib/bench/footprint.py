# SPDX-License-Identifier: BSD-2-Clause
"""Measure what the program touches between a kernel's `prepare` and its window.

Touched cache lines and pages may displace what `prepare` has put into the caches and the TLB. QEMU
single-steps and logs each instruction. Accesses to page tables and descriptor tables are not
counted.
"""
import dataclasses
import re
import subprocess
import tempfile
import time

GLOBAL_CTRL, WRMSR = 0x38F, b"\x0f\x30"
SPACE = 0x7F8000000000  # kernels run above it (pmu/cpu/page_map.h)
INSTRUCTIONS_MAX = 1000  # from `prepare` to the window
LINE, PAGE = 64, 4096
LOG_BYTES, LOG_S = 12 << 20, 60  # about 1 KB per instruction
PADDED = 16  # bytes; no instruction is longer
SIZES = {"BYTE": 1, "WORD": 2, "DWORD": 4, "QWORD": 8, "XMMWORD": 16}
OTHER_SIZES = dict.fromkeys(("lgdt", "lidt", "sgdt", "sidt"), 10)
PUSHES, POPS = re.compile("push|call"), re.compile("pop(?!cnt)|ret")
CODE = re.compile(r"^IN: \n0x([0-9a-f]+):.*\nOBJD-T: ([0-9a-f]+)", re.M)
STEP = re.compile(r"^RAX=.*\n.*\n.*\n.*\nRIP=.*", re.M)
REGISTER = re.compile(r"(R[A-Z0-9]{1,2}) ?=([0-9a-f]{16})")


@dataclasses.dataclass
class Footprint:
    """`code` and `data` contain numbers of cache lines (address // LINE). `pages` contains page
    numbers (address // PAGE).
    """

    code: set
    data: set
    pages: set


def log(running, path):
    def monitor(words):
        running.qmp("human-monitor-command", **{"command-line": words})

    monitor("log in_asm,cpu")
    monitor("singlestep on")
    deadline = time.monotonic() + LOG_S
    while path.stat().st_size < LOG_BYTES and time.monotonic() < deadline:
        time.sleep(0.05)
    monitor("log none")
    monitor("singlestep off")


def disassembled(code):
    """Return {address: instruction in Intel's syntax} for {address: bytes}."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(b"".join(code[at].ljust(PADDED, b"\x90") for at in code))
        file.flush()
        listing = subprocess.run(
            ["objdump", "-D", "-b", "binary", "-mi386:x86-64", "-Mintel", "--no-show-raw-insn",
             file.name], capture_output=True, text=True, check=True).stdout
    at = {int(offset, 16): words for offset, words in
          re.findall(r"^ *([0-9a-f]+):\t(.*?) *$", listing, re.M)}
    return {address: at[PADDED * i] for i, address in enumerate(code)}


def accessed(words, registers, size):
    """Yield (address, number of bytes) for each memory access of an instruction.

    The instruction itself is `size` bytes long.
    """
    name = words.split()[0]
    if PUSHES.match(name):
        yield registers["RSP"] - 8, 8
    elif POPS.match(name):
        yield registers["RSP"], 8
    found = re.search(r"(?:(\w+) PTR )?\[([^]]*)\]", words)
    if not found or name in ("lea", "nop"):
        return
    address = 0
    for sign, term in re.findall(r"([+-]?)([^+-]+)", found[2]):
        register, _, scale = term.upper().partition("*")
        value = int(term, 0) if term[0].isdigit() else registers[register] * int(scale or 1)
        address += -value if sign == "-" else value
    address += size if "rip" in found[2] else 0
    yield address, SIZES[found[1]] if found[1] else OTHER_SIZES[name]


def footprints(text):
    code = {int(at, 16): bytes.fromhex(content) for at, content in CODE.findall(text)}
    steps = [{name: int(value, 16) for name, value in REGISTER.findall(block)}
             for block in STEP.findall(text)]
    words = disassembled(code)
    for i, step in enumerate(steps):
        if code.get(step["RIP"]) != WRMSR or step["RCX"] != GLOBAL_CTRL or \
                not (step["RAX"] | step["RDX"]) & 0xFFFFFFFF:
            continue
        first = i
        while first > 0 and steps[first - 1]["RIP"] < SPACE and i - first < INSTRUCTIONS_MAX:
            first -= 1
        if first == 0 or i - first == INSTRUCTIONS_MAX:
            continue  # the log lacks the end of `prepare`
        touched = Footprint(set(), set(), set())
        for before in steps[first:i + 1]:
            at = before["RIP"]
            touched.code |= {at // LINE, (at + len(code[at]) - 1) // LINE}
            touched.pages.add(at // PAGE)
            for address, size in accessed(words[at], before, len(code[at])):
                touched.data |= {address // LINE, (address + size - 1) // LINE}
                touched.pages |= {address // PAGE, (address + size - 1) // PAGE}
        yield touched
