# SPDX-License-Identifier: BSD-2-Clause
"""The work that scripts/versus gives to every tool: pieces of machine code with declared counts.

The pieces are those of the kernels nop_1 and loop_dec_jnz.
"""
import pathlib
import subprocess

from machine import qemu

SIZES = (1, 10, 100, 1_000, 10_000, 100_000)  # instructions
EMPTY = 0
INSTRUCTIONS, BRANCHES = "instructions", "branches"
SOURCE = pathlib.Path(__file__).parent / "piece.asm"
NOP, LOOP = b"\x90", b"\x48\xff\xcf\x75\xfb"
BUILD_S = 60

PLAN = f"""version=1
[run]
cpus=boot
runs={{repetitions}}
at_end=shutdown
[kernels]
nop_1
loop_dec_jnz n={SIZES[1] // 2}..{SIZES[-1] // 2}*10
[events counts]
RETIRED_INSTRUCTIONS
RETIRED_BRANCH_INSTRUCTIONS
"""
EVENTS = {"RETIRED_INSTRUCTIONS": INSTRUCTIONS, "RETIRED_BRANCH_INSTRUCTIONS": BRANCHES}


def declared(size):
    return {INSTRUCTIONS: size, BRANCHES: 0 if size == 1 else size // 2}


def raw(size):
    """The machine code of a piece, and of the instruction that must run before it."""
    return (NOP, b"") if size == 1 else (LOOP, b"\xbf" + (size // 2).to_bytes(4, "little"))


def size_of(row):
    return 1 if row["kernel"] == "nop_1" else 2 * int(row["n"])


def _run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=BUILD_S)
    if done.returncode != 0:
        raise qemu.HostError(f"{command[0]}: {done.stderr.strip()}")


def programs(folder):
    made = {}
    for size in (EMPTY, *SIZES):
        made[size], built = folder / f"piece_{size}", folder / "piece.o"
        which = ("-D", "SIZE=1", "-D", "EMPTY") if size == EMPTY else ("-D", f"SIZE={size}")
        _run("nasm", "-f", "elf64", "-Werror", *which, "-o", built, SOURCE)
        _run("ld", "-o", made[size], built)
    return made
