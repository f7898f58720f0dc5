# SPDX-License-Identifier: BSD-2-Clause
"""Cache lines and pages that a sample accesses before its window, counted from a made-up log."""
from bench import footprint

ORDER = ("RAX RBX RCX RDX", "RSI RDI RBP RSP", "R8 R9 R10 R11", "R12 R13 R14 R15", "RIP RFL")


def step(address, code="", **registers):
    """An instruction as QEMU logs it: its bytes if `code` is given, and the registers before it."""
    registers["RIP"] = address
    lines = (" ".join(f"{name:3}={registers.get(name, 0):016x}" for name in line.split())
             for line in ORDER)
    text = "\n".join(lines).replace("RFL=0000000000000000", "RFL=00000046 [---Z-P-] CPL=0")
    new = f"----------------\nIN: \n0x{address:016x}:  \nOBJD-T: {code}\n\n" if code else ""
    return f"{new}{text}\nES =0030 0000000000000000 ffffffff 00cf9300\n"


WINDOW = step(0x1080, "0f30", RCX=0x38f, RAX=1)
SAMPLE = (step(footprint.SPACE + 0x2000, "c3", RSP=footprint.SPACE + 0x1ff8)  # prepare's RET
          + step(0x1000, "53", RSP=0x5000)                 # push rbx
          + step(0x103e, "488b4138", RCX=0x6005)           # mov rax, [rcx+0x38], across lines
          + step(0x1042, "488d4138", RCX=0x9005)           # lea rax, [rcx+0x38]: no access
          + step(0x1046, "8b0534000000")                   # mov eax, [rip+0x34]
          + step(0x104c, "0f0118", RAX=0x7ffc)             # lidt [rax], across pages
          + step(0x1050, "f3480fb8c1", RSP=0xb000)         # popcnt rax, rcx: no access
          + step(0x1056, "5b", RSP=0xc000)                 # pop rbx
          + WINDOW)


def test_lines_and_pages():
    (found,) = footprint.footprints(SAMPLE)
    assert {line * footprint.LINE for line in found.code} == {0x1000, 0x1040, 0x1080}
    assert {line * footprint.LINE for line in found.data} == {
        0x4fc0, 0x6000, 0x6040, 0x1080, 0x7fc0, 0x8000, 0xc000}
    assert {page * footprint.PAGE for page in found.pages} == {
        0x1000, 0x4000, 0x6000, 0x7000, 0x8000, 0xc000}


def test_other_windows():
    """A log may lack the beginning of a sample, or show the WRMSR that closes a window."""
    assert not list(footprint.footprints(WINDOW + WINDOW))
    assert len(list(footprint.footprints(SAMPLE + step(0x1080, RCX=0x38f)))) == 1
