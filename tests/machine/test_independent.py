# SPDX-License-Identifier: GPL-2.0-or-later
"""Count kernels' events with three independent tools: the model PMU, QEMU's plugin, and the prover.

bare.asm runs one kernel on a machine without firmware. A plugin of QEMU (tests/plugin/insn.c)
counts all instructions from reset until QEMU exits. A second run executes the same PREPARE code,
and then the kernel `empty`, which is only RET. The kernel's count is the difference between the two
runs.

The plugin counts an instruction whenever QEMU begins it. The plugin's count differs from the number
of retired instructions in two cases:

REP: QEMU 7.2 begins a repeated string instruction once per repetition, and once more when it finds
RCX = 0 (target/i386/tcg/translate.c), so r repetitions count as r + 1. REPETITIONS gives r for each
kernel. QEMU 10 begins a repeated string instruction once per 65,536 repetitions, which is only once
in these kernels.

Restarts: QEMU begins an instruction again if the instruction writes to its own page or faults. No
instruction of these kernels writes to its own page or faults. The plugin of QEMU 7.2 reports
instructions that begin twice in a row; all of them must be repeated string instructions.
"""
import concurrent.futures
import dataclasses
import functools
import itertools
import os
import pathlib
import re
import struct
import subprocess
import sys

import pytest

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "scripts/lib"), str(TOP / "tests"), str(TOP / "tests/image")]
sys.dont_write_bytecode = True

import expect  # noqa: E402
import levels  # noqa: E402
from machine import qemu  # noqa: E402
import proofs  # noqa: E402

SOURCE = TOP / "tests/machine/bare.asm"
PLUGIN = TOP / "build/machine/libinsn.so"
RUN_S = 30  # a run takes 0.1 s

# With n = 1, no loop's branch is taken. With n = 1201, a kernel that walks through its buffer
# reaches the end and starts again.
OTHER_NS = (1, 1201)
# One kernel for each kind of computation, in addition to the kernels with known answers.
SAMPLE = ("lat_div_r64", "tp_popcnt_r64", "lat_push_pop", "lat_fadd", "tp_pmullw_mm", "tp_pmulld",
          "lat_vfmadd213pd_ymm", "tp_vpermd_ymm", "tp_lock_xadd_m64", "tp_rep_stosq",
          "chase_random", "copy_16", "sf_s8_l4", "cross_forward", "indirect_call_random",
          "call_depth_16", "stosb_block")
REPETITIONS = {"rep_movsb": lambda layout, n: min(n, layout.buffer_bytes // 2),
               "stosb_block": lambda layout, n: layout.argument * n,
               "tp_rep_stosq": lambda layout, n: 12 * 64 * n}

# As in bare.asm.
KERNELS_ADDRESS = 0xf8000
BUFFER_ADDRESS, BUFFER_BYTES_MAX = 0x10000, 0x80000
WINDOW = {"instructions": 6, "branches": 2, "taken_branches": 2, "loads": 2, "stores": 1}
CYCLES, FIXED_INSTRUCTIONS = 5, 6  # indices in Run.lines, after those of expect.COUNTS
LINES = 7
CYCLES_SELECT = 0x43003c
AFTER_MARK = 2  # instructions from the last WRMSR on, including it


@dataclasses.dataclass
class Layout:
    entry: int  # addresses in the ROM
    prepare: int  # 0: none
    buffer_bytes: int
    argument: int
    record: bytes


@dataclasses.dataclass(frozen=True)
class Mode:
    """How a run is made.

    plugin: with QEMU's plugin. detail: with a counter that puts the model into detail mode.
    threads: the value of QEMU's option thread=.
    """

    plugin: bool = True
    detail: bool = False
    threads: str = "multi"


@dataclasses.dataclass
class Run:
    lines: list  # output of bare.asm
    executed: int | None = None  # instructions, from the plugin
    repeated: int | None = None  # immediate repetitions of an instruction, from the plugin
    retired: int | None = None  # from the model's trace, before the last WRMSR

    def counts(self):
        return {count: self.lines[i] - WINDOW[count] for i, count in enumerate(expect.COUNTS)}


MODES = [Mode(*each) for each in itertools.product((True, False), (False, True),
                                                   ("single", "multi"))]
# Together, these two modes have both values of each field.
TWO_MODES = [Mode(), Mode(plugin=False, detail=True, threads="single")]
EVERY_MODE = (*REPETITIONS, "load_store", "indirect_call_random", "lat_fadd")


def modes_of(name):
    return MODES if levels.FULL or name in EVERY_MODE else TWO_MODES


def layouts():
    """The records of the chosen kernels, one after the other in the ROM."""
    table, found, at, here = proofs.KERNELS_BIN.read_bytes(), {}, 0, KERNELS_ADDRESS
    while at < len(table):
        size, entry, prepare, second = struct.unpack_from("<4I", table, at + 16)
        buffer_bytes, align, page = struct.unpack_from("<QII", table, at + 48)
        name = table[at + 80 : at + 112].rstrip(b"\0").decode("ascii")
        record = table[at : at + size]
        at += size
        if name not in KERNELS:
            continue
        assert second == 0 and page == 0, f"{name}: bare.asm has no second CPU and no large pages"
        assert buffer_bytes <= BUFFER_BYTES_MAX and (not align or BUFFER_ADDRESS % align == 0), name
        found[name] = Layout(here + entry, prepare and here + prepare, buffer_bytes,
                             KERNELS[name].argument, record)
        here += size
    return found


KERNELS = {kernel.name: kernel for kernel in expect.all_kernels()
           if kernel.flags & expect.KNOWN or kernel.name in SAMPLE}
LAYOUTS = layouts()
CASES = [(name, n) for name, kernel in KERNELS.items()
         for n in sorted({kernel.default_n, *(OTHER_NS if name not in SAMPLE else ())})]


def proved(name, n):
    """One run of the prover covers all kernels that are tested at this n."""
    return proofs.proved(tuple(other for other, at in CASES if at == n), n)[name]


@functools.cache
def qemu_version():
    done = subprocess.run([qemu.MODEL_QEMU, "--version"], capture_output=True, check=True,
                          text=True, timeout=RUN_S)
    return int(re.match(r"QEMU emulator version (\d+)\.", done.stdout).group(1))


def begun_again(name, n):
    """How many more instructions the plugin counts in the kernel than the kernel executes."""
    if name not in REPETITIONS or qemu_version() >= 10:
        return 0
    return REPETITIONS[name](LAYOUTS[name], n)


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    rom = tmp_path_factory.mktemp("rom") / "bare.rom"
    (rom.parent / "chosen.bin").write_bytes(b"".join(each.record for each in LAYOUTS.values()))
    subprocess.run(["nasm", "-f", "bin", "-Werror", "-I", f"{rom.parent}/", "-o", rom, SOURCE],
                   check=True, timeout=RUN_S)
    return rom.read_bytes()


def command(rom, mode, log):
    arguments = [qemu.MODEL_QEMU, "-nodefaults", "-no-reboot", "-display", "none", "-m", "16",
                 "-L", "/usr/share/qemu", "-machine", "q35", "-bios", rom,
                 "-accel", f"tcg,thread={mode.threads}", "-cpu", "Skylake-Server,pmu=on,pmu-gp=8",
                 "-debugcon", "stdio"]
    if mode.plugin:
        arguments += ["-plugin", PLUGIN, "-d", "plugin", "-trace", "pmu_model_wrmsr", "-D", log]
    return arguments


def run(folder, bare, name, n, entry_of, mode):
    layout, lone_ret = LAYOUTS[name], LAYOUTS["empty"].entry
    folder.mkdir()
    rom, log = folder / "rom", folder / "log"
    parameters = struct.pack("<6Q", LAYOUTS[entry_of].entry, layout.prepare or lone_ret, n,
                             layout.buffer_bytes, layout.argument,
                             CYCLES_SELECT if mode.detail else 0)
    rom.write_bytes(parameters + bare[len(parameters) :])
    done = subprocess.run(command(rom, mode, log), capture_output=True, text=True, timeout=RUN_S,
                          stdin=subprocess.DEVNULL)
    assert done.returncode == 0, f"{name}, {mode}: {done.returncode}: {done.stderr}"
    lines = [int(line, 16) for line in done.stdout.split()]
    assert len(lines) == LINES, f"{name}, {mode}: {done.stdout}"
    if not mode.plugin:
        return Run(lines)
    told = log.read_text("ascii")
    (executed,) = re.findall(r"^total insns: (\d+)$", told, re.M)
    retired = re.findall(r"^pmu_model_wrmsr cpu 0 msr 0x38f value 0x0 retired (\d+) ", told, re.M)
    repeated = len(re.findall(r"^detected repeat execution @ ", told, re.M))
    return Run(lines, int(executed), repeated, int(retired[-1]))


@dataclasses.dataclass
class Runs:
    name: str
    n: int
    base: Run  # the run with the kernel `empty`
    by_mode: dict

    def with_plugin(self):
        return [(mode, ran) for mode, ran in self.by_mode.items() if mode.plugin]


@pytest.fixture(scope="module", params=CASES, ids=[f"{name}-{n}" for name, n in CASES])
def runs(request, bare, tmp_path_factory):
    name, n = request.param
    folder = tmp_path_factory.mktemp(name)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        base = pool.submit(run, folder / "base", bare, name, n, "empty", Mode())
        each = {mode: pool.submit(run, folder / str(i), bare, name, n, name, mode)
                for i, mode in enumerate(modes_of(name))}
        return Runs(name, n, base.result(), {mode: ran.result() for mode, ran in each.items()})


def test_prover_counts_what_is_declared(runs):
    counted, verdicts = proved(runs.name, runs.n), KERNELS[runs.name].verdicts
    assert counted.keys() == {c for c in verdicts if verdicts[c] != "measured"}
    for count, (c0, c1) in KERNELS[runs.name].declared.items():
        assert counted[count] == c0 + c1 * runs.n, count


def test_plugin_counts_what_the_prover_counts(runs):
    added = proved(runs.name, runs.n)["instructions"]
    again = begun_again(runs.name, runs.n)
    for mode, ran in runs.with_plugin():
        assert ran.executed - runs.base.executed == added + again, mode
        assert ran.repeated - runs.base.repeated == again, mode


def test_plugin_counts_what_the_model_counts(runs):
    again = begun_again(runs.name, runs.n)
    for mode, ran in runs.with_plugin():
        assert ran.counts()["instructions"] == ran.executed - runs.base.executed - again, mode
        assert ran.executed - ran.repeated == ran.retired + AFTER_MARK, mode
    assert runs.base.executed - runs.base.repeated == runs.base.retired + AFTER_MARK


def test_model_counts_what_the_prover_counts(runs):
    counts = proved(runs.name, runs.n)
    assert counts
    assert set(runs.base.counts().values()) == {0}
    for mode, ran in runs.by_mode.items():
        counted = ran.counts()
        assert {count: counted[count] for count in counts} == counts, mode
        fixed = ran.lines[FIXED_INSTRUCTIONS] - WINDOW["instructions"]
        assert fixed == counts["instructions"], mode


def test_model_counts_the_same_in_every_mode(runs):
    plain = {tuple(ran.lines) for mode, ran in runs.by_mode.items() if not mode.detail}
    detailed = {tuple(ran.lines) for mode, ran in runs.by_mode.items() if mode.detail}
    assert len(plain) == len(detailed) == 1
    (plain,), (detailed,) = plain, detailed
    assert plain[CYCLES] == 0 and detailed[CYCLES] > 0
    assert plain[:CYCLES] + plain[CYCLES + 1 :] == detailed[:CYCLES] + detailed[CYCLES + 1 :]
