# SPDX-License-Identifier: BSD-2-Clause
"""Random mutations of good kernels: the run ends, and good kernels are exact.

The test resets a machine that freezes. Mutants seldom stop the machine, so one stick also contains
a kernel that resets the machine and a kernel that freezes it.
"""
import collections
import csv
import re
import time

import expect
import kernel_file
from machine import qemu
import own_kernels
from machine import program
import proofs
import pytest
import warm
from conftest import BOOT_S, HANG_MS, SEED, hold_runs, plan_text, put_files
from levels import in_full
from random import Random
from results import Results

MUTANTS, STICKS = 200, 4
NEIGHBOURS = 5
CPUS = 2
SILENT_S = 30   # a machine counts as frozen after this time without output (first output: BOOT_S)
KNOWN_S = 3     # instead of SILENT_S, in the kernel that certainly freezes the machine
STICK_S = 1800   # each kernel that stops the machine costs another boot, of about 6 s
BYTES_MAX = 4   # the most bytes of code that differ in one mutant
EMULATED = {"ssse3", "sse4_1", "avx", "avx2", "bmi1", "bmi2"}  # features that mutants may need

# Clears CR0.WP, which protects the APIC's page, and sends INIT to all other CPUs. No CPU is left to
# end the loop, which runs with interrupts off.
STANDS_STILL = """
cli
mov rax, cr0
btr rax, 16
mov cr0, rax
mov eax, 0xfee00300
mov dword [rax], 0xc4500
jmp $
"""
KILLERS_ON = 0  # the stick with the kernels that reset or freeze the machine
STANDS = "_stands"


def originals():
    runs = {kernel.name for kernel in expect.all_kernels()
            if kernel.is_alone and set(kernel.features) <= EMULATED}
    table = proofs.KERNELS_BIN.read_bytes()
    return [table[offset : offset + kernel.size] for offset, kernel in kernel_file.kernels(table)
            if kernel.name in runs and kernel.code_bytes <= 4096]


def mutant(random, number, blobs):
    blob = bytearray(random.choice(blobs))
    kernel = kernel_file.kernel_at(blob)
    code = range(kernel.record_bytes, kernel.record_bytes + kernel.code_bytes)
    for at in random.sample(code, min(random.randint(1, BYTES_MAX), len(code))):
        blob[at] ^= random.randint(1, 255)
    return kernel_file.checksummed(kernel_file.renamed(bytes(blob), f"m{number:03}"))


def stick_files(which):
    random, blobs = Random(SEED), originals()
    mutants = {f"m{i:03}": mutant(random, i, blobs) for i in range(MUTANTS)}
    names = sorted(mutants)[which * MUTANTS // STICKS : (which + 1) * MUTANTS // STICKS]
    files = {name: mutants[name] for name in names}
    for at in range(NEIGHBOURS):
        name = f"{names[at * len(names) // NEIGHBOURS + len(names) // NEIGHBOURS - 1]}_good"
        files[name] = own_kernels.buffered(name)
    return dict(sorted(files.items()))


def killers_of(names):
    """{name: bytes} of two kernels: one resets the machine, and the other freezes it. Each kernel's
    name sorts after one of `names`.
    """
    resets, stands = f"{names[1]}_resets", f"{names[-2]}{STANDS}"
    return {resets: own_kernels.killer(resets),
            stands: own_kernels.assembled(stands, STANDS_STILL, "RING0\n" + own_kernels.UNDECLARED)}


def run_to_its_end(stick):
    """Boot until the machine powers off; returns the number of manual resets.

    An assertion in QEMU's translator fails for a few undefined instructions, such as VPINSR* with
    VEX.L = 1. This ends QEMU, and the stick is then as after a power cut.
    """
    by_hand, deadline = [], time.monotonic() + STICK_S
    while True:
        try:
            boot_to_the_end(stick, deadline, by_hand)
            return len(by_hand)
        except qemu.HostError as why:
            if not re.search(r"/target/i386/tcg/.* Assertion", str(why)):
                raise


def boot_to_the_end(stick, deadline, by_hand):
    """Adds manual resets to by_hand; raises an error if QEMU ends."""
    with warm.begin(qemu.Spec(disk=stick.path, cpus=CPUS, reboots=True)) as running:
        since, at = time.monotonic(), 0
        while not running.wait_end(1):
            quiet_s, after_reset_s = running.quiet_for_s(), time.monotonic() - since
            begun = re.findall(r"^CPU \d  (\w+)  \d+ of", running.console[at:], re.M)
            silent_s = KNOWN_S if begun and begun[-1].endswith(STANDS) else SILENT_S
            if quiet_s > silent_s and (quiet_s < after_reset_s or after_reset_s > BOOT_S):
                running.qmp("system_reset")
                by_hand.append(begun)
                since, at = time.monotonic(), len(running.console)
            assert time.monotonic() < deadline, \
                f"did not end within {STICK_S} s:\n{running.console}"
        print(running.console[-BOOT_S * 100:])
        assert running.wait_for(program.VERDICT, 0), running.console


def tally(found, killers):
    verdicts = collections.defaultdict(set)
    for row in found.rows:
        verdicts[row["kernel"]].add(row["verdict"])
    ends = collections.Counter()
    for name, said in verdicts.items():
        if name.endswith("_good"):
            continue
        order = ("killed the machine",) if name in killers else \
            [verdict for verdict in ("fault", "timeout", "noisy", "off", "unavailable", "within",
                                     "exact", "measured") if verdict in said]
        ends[order[0]] += 1
    return dict(ends)


@in_full("randomly changed kernels")
@pytest.mark.parametrize("which", range(STICKS))
def test_neighbours_stay_exact(tmp_path, which):
    files = stick_files(which)
    known = killers_of(list(files)) if which == KILLERS_ON else {}
    files = dict(sorted({**files, **known}.items()))
    stick = own_kernels.new_stick(tmp_path, {f"{name}.bin": blob for name, blob in files.items()})
    plan = plan_text(kernels=",".join(files), runs=2, n=10, timeout_ms=HANG_MS)
    put_files(stick, tmp_path, {"barecount/plan.cfg": plan})
    by_hand = run_to_its_end(stick)
    hold_runs(stick, {})
    runs = stick.runs()
    stick.get(f"barecount/results/{runs[-1]}", tmp_path)
    found = Results(tmp_path / runs[-1])
    listed = (stick.read("barecount/skipped.csv") or b"").decode("ascii").splitlines()
    killers = {row["kernel"] for row in csv.DictReader(listed)}
    print(f"stick {which}: {tally(found, killers)}; {len(runs)} boots, {by_hand} resets by hand, "
          f"left out: {sorted(killers)}")
    stick.path.unlink()
    assert found.run["complete"] and found.missing == 0
    assert len(runs) == len(killers) + 1  # each interrupted boot named one kernel
    assert killers >= set(known) and by_hand >= bool(known)
    assert {row["kernel"] for row in found.rows} == set(files)
    wrong = {name: what for name in files if name.endswith("_good")
             if (what := own_kernels.wrong_rows(found, name, CPUS))}
    assert wrong == {} and not any(name.endswith("_good") for name in killers)
