# SPDX-License-Identifier: BSD-2-Clause
"""What a run must say, from sources other than the program: the kernels' records and the prover."""
import collections
import csv
import dataclasses
import io
import re
import struct
import subprocess

import machine

KERNELS_BIN = machine.TOP / "build/kernels.bin"
PROVER = machine.TOP / "build/prove_kernels"

FIXED = ("INST_RETIRED.ANY", "CPU_CLK_UNHALTED.THREAD", "CPU_CLK_UNHALTED.REF_TSC")
# Not modelled by the machine, which says so in CPUID.0AH:EBX.
ABSENT = ("BR_MISP_RETIRED.ALL_BRANCHES", "LONGEST_LAT_CACHE.REFERENCE", "LONGEST_LAT_CACHE.MISS")
DECLARED = {
    "INST_RETIRED.ANY": "instructions",
    "INST_RETIRED.ANY_P": "instructions",
    "BR_INST_RETIRED.ALL_BRANCHES": "branches",
    "BR_INST_RETIRED.NEAR_TAKEN": "taken_branches",
    "MEM_INST_RETIRED.ALL_LOADS": "loads",
    "MEM_INST_RETIRED.ALL_STORES": "stores",
}
CYCLES = ("CPU_CLK_UNHALTED.THREAD", "CPU_CLK_UNHALTED.THREAD_P")
REFERENCE = ("CPU_CLK_UNHALTED.REF_TSC", "CPU_CLK_UNHALTED.REF_XCLK")
EVENTS = (*DECLARED, *CYCLES, *REFERENCE, *ABSENT)
ALL_ROWS = (*EVENTS, "TSC")
assert len(EVENTS) == 13

# kernels/kernel.h: kind of each declaration, and the verdict that a right count gets.
COUNTS = ("instructions", "branches", "taken_branches", "loads", "stores")
VERDICT_OF_KIND = {0: "measured", 1: "exact", 2: "within"}


@dataclasses.dataclass
class Kernel:
    name: str
    default_n: int
    verdicts: dict  # count -> the verdict that its row gets when the count is right


def kernels():
    """The built-in kernels, in their order."""
    table, found, at = KERNELS_BIN.read_bytes(), [], 0
    while at < len(table):
        size, = struct.unpack_from("<I", table, at + 16)
        default_n, = struct.unpack_from("<Q", table, at + 40)
        name = table[at + 80 : at + 112].rstrip(b"\0").decode("ascii")
        kinds = [struct.unpack_from("<I", table, at + 192 + 40 * i)[0] for i in range(len(COUNTS))]
        found.append(Kernel(name, default_n, {
            count: VERDICT_OF_KIND[kind] for count, kind in zip(COUNTS, kinds)}))
        at += size
    assert found
    return found


def unavailable(version):
    """Events that a PMU of this version does not have."""
    return set(ABSENT) | (set(FIXED) if version == 1 else set())


def verdicts(cpus, version=4, names=None):
    """How many rows of each verdict a faultless run has."""
    tally = collections.Counter()
    for kernel in kernels():
        if names and kernel.name not in names:
            continue
        for event in ALL_ROWS:
            if event in unavailable(version):
                tally["unavailable"] += cpus
            else:
                tally[kernel.verdicts.get(DECLARED.get(event), "measured")] += cpus
    return tally


def proved(n):
    """What the single-stepper counted on the host: kernel -> count -> number, declared ones."""
    done = subprocess.run([PROVER, "--csv", "--n", str(n), KERNELS_BIN], capture_output=True,
                          check=True, text=True, timeout=120)
    return {row["kernel"]: {count: int(row[count]) for count in COUNTS if row[count]}
            for row in csv.DictReader(io.StringIO(done.stdout))}


@dataclasses.dataclass
class Write:
    """One write of an MSR, from the model machine's trace."""

    cpu: int
    msr: int
    value: int
    retired: int


def trace(path):
    pattern = re.compile(r"pmu_model_wrmsr cpu (\d+) msr 0x([0-9a-f]+) value 0x([0-9a-f]+) "
                         r"retired (\d+)")
    with open(path, encoding="ascii") as file:
        for line in file:
            if found := pattern.search(line):
                cpu, msr, value, retired = found.groups()
                yield Write(int(cpu), int(msr, 16), int(value, 16), int(retired))
