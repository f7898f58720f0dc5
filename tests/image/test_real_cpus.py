# SPDX-License-Identifier: BSD-2-Clause
"""Boots on CPUs like those of real machines (tests/cpus). There is a machine of each generation.

A second decoder (tests/cpus/decoder.py) reads the real machine's file, and says what the program
must find.
"""
import re
import tarfile

import expect
import pytest
from conftest import TOP, plan_text
from levels import in_full, in_soak, thinned
from machine import imitate
from machine.imitate import decoder
from machine import linux, qemu
import machine_file
import test_amd
from test_linux import expected, perf_counts

cores = decoder.cores
MACHINES = TOP / "tests/cpus/machines.tar.xz"
METEOR_LAKE, ARROW_LAKE = "00A06A4_MeteorLake_10", "00C0662_ArrowLake_07"
LOW_POWER = 20  # a CPU of this Meteor Lake: a Crestmont without L3
# The built-in events in the order of their bits in CPUID.0AH:EBX.
ARCHITECTURAL = ("CPU_CLK_UNHALTED.THREAD_P", "INST_RETIRED.ANY_P", expect.BUS,
                 "LONGEST_LAT_CACHE.REFERENCE", "LONGEST_LAT_CACHE.MISS",
                 "BR_INST_RETIRED.ALL_BRANCHES", "BR_MISP_RETIRED.ALL_BRANCHES")
ARROW_LAKE_H = "made up: Arrow Lake-H"
# The cores of these files: Zen, Zen, Zen+, Zen 2, Zen 2, Zen 3, Zen 3, Zen 4, Zen 4, Zen 4c, Zen 5,
# Zen 5, Hygon's Zen
ZENS = (
    "AuthenticAMD0800F11_K17_Zen3", "AuthenticAMD0800F12_K17_Zen", "AuthenticAMD0800F82_K17_ZenP",
    "AuthenticAMD0870F10_K17_Matisse_01", "AuthenticAMD0830F10_K17_CastlePeak",
    "AuthenticAMD0A00F11_K19_Milan_02", "AuthenticAMD0A20F12_K19_Vermeer_02",
    "AuthenticAMD0A10F11_K19_Genoa_02", "AuthenticAMD0A60F12_K19_Raphael_05",
    "AuthenticAMD0AA0F02_K19_Bergamo_04", "AuthenticAMD0B00F21_K20_Turin_01",
    "AuthenticAMD0B40F40_K20_GraniteRidge_02", "HygonGenuine0910F00_Hygon_01")
# Each machine, and how many kinds of cores it has.
GENERATIONS = (
    ("00106A2_Nehalem-EP", 1), ("00206C2_Gulftown", 1), ("00206A7_SandyBridge2", 1),
    ("00306E4_IvyBridgeE", 1), ("00306F2_HaswellEP_02", 1), ("00306D4_Broadwell", 1),
    ("00506E3_Skylake_02", 1), ("00606A6_ICX_04", 1), ("00906A2_AlderLakeP_00", 2),
    (METEOR_LAKE, 2), ("00C06F2_EmeraldRapids_01", 1), ("00C06C3_PantherLakeL_01", 2),
    (ARROW_LAKE_H, 3))
# The leaves whose values come from the machine file (tests/machine/PROPERTIES.md).
LEAVES = (5, 6, 0xa, 0x15, 0x16, 0x18, 0x1a, 0x23, *range(0x80000002, 0x80000008))
# MSRs that the model computes (clocks, temperature, energy), or that belong to QEMU or the PMU.
NOT_THE_FILES = {0x10, 0xe7, 0xe8, 0x198, 0x19c, 0x1a0, 0x1b1, 0x611, 0x619, 0x621, 0x639, 0x641,
                 0x64f, 0x690, *expect.PMU_MSRS}
# AMD's: counters, PerfMonV2, energy, P-state, and HWCR (TscFreqSel reads 1, SmmLock reads 0).
NOT_THE_FILES |= {0xc0010015, 0xc0010063, 0xc001029a, 0xc001029b, *range(0xc0000300, 0xc0000304),
                  *range(0xc00000e7, 0xc00000ea), *range(0xc0010000, 0xc0010008),
                  *range(0xc0010200, 0xc001020c)}


def member(name):
    with tarfile.open(MACHINES) as archive:
        vendor = "" if name in ZENS else "GenuineIntel"
        return archive.extractfile(f"{vendor}{name}_CPUID.txt").read().decode("ascii")


def with_crestmonts(arrow_lake, meteor_lake):
    """Arrow Lake's Lion Coves and Skymonts, and two of Meteor Lake's low-power Crestmonts. The
    Crestmonts keep their own CPUID leaves, but all CPUs get Arrow Lake-H's family and model.
    """
    told, theirs = (machine_file.read_loose(text) for text in (arrow_lake, meteor_lake))
    ours = {(leaf, sub): "absent" for leaf, sub in told.cpus[0].leaves}
    for leaves in (theirs.cpus[0].leaves, theirs.cpus[LOW_POWER].leaves):
        ours |= {place: " ".join(f"{register:x}" for register in registers)
                 if registers else "absent" for place, registers in leaves.items()}
    head, _, msrs = arrow_lake.partition("\nmsrs ")
    for number in (len(told.cpus), len(told.cpus) + 1):
        head += f"\ncpu {number}\n" + "\n".join(
            f"{leaf:x} {sub:x} {registers}" for (leaf, sub), registers in ours.items())
    signature = re.compile(r"^1 0 [0-9a-f]+ ", re.M)
    return "# Made up for a test; there is no such dump of a real machine.\n" + signature.sub(
        "1 0 c0652 ", head) + (f"\nmsrs {msrs}" if msrs else "\n")


def file_of(name, folder):
    path = folder / "machine.txt"
    path.write_text(with_crestmonts(member(ARROW_LAKE), member(METEOR_LAKE))
                    if name == ARROW_LAKE_H else member(name))
    return path


def unavailable(cpu):
    taken_loads_stores = zip(expect.OF_SKYLAKE, cores.retired(cpu))
    eax, ebx, *_ = cpu.leaf(0xa)
    listed = decoder.extended(cpu, 3)[0] or (1 << decoder.bits(eax, 31, 24)) - 1 & ~ebx
    return {event for event, select in taken_loads_stores if select == "-"} | {
        event for bit, event in enumerate(ARCHITECTURAL) if not listed >> bit & 1}


def check_cpu(cpu, rows, described):
    version, general, width, fixed, fixed_width = decoder.counters(cpu)
    pmu = described["pmu"]
    assert [described["family"], described["model"], described["stepping"]] == [
        cpu.family, cpu.model, cpu.stepping]
    assert described["core_type"] == decoder.kind(cpu)[0].strip("-")
    assert [pmu["version"], pmu["general_counters"], pmu["general_width_bits"],
            int(pmu["fixed_counters"], 16), pmu["fixed_width_bits"]] == [
        int(version), int(general, 16).bit_count(), int(width), int(fixed, 16), int(fixed_width)]
    if microcode := cpu.msr(0x8b):
        assert int(described["microcode"], 16) == microcode >> 32
    lost, counts = unavailable(cpu), expect.default_counts()
    known = {kernel.name: kernel for kernel in expect.kernels()}
    assert len(rows) == len(known) * len(expect.ALL_ROWS)
    for row in rows:
        kernel, event = known[row["kernel"]], row["event"]
        is_clock = event.startswith("CPU_CLK_UNHALTED.REF") and event != expect.REFERENCE
        if (expect.BUS if is_clock else event) in lost or \
                not set(kernel.features) <= set(decoder.instructions(cpu)):
            assert row["verdict"] == "unavailable", row
            continue
        count = expect.DECLARED.get(event)
        assert row["verdict"] == kernel.verdicts.get(count, "measured"), row
        if count in counts[kernel.name]:
            right = str(counts[kernel.name][count])
            assert [row["min"], row["median"], row["max"], row["expected"]] == [right] * 4, row


def first_msrs(cpu):
    return set(next(iter(cpu.file.cpus.values())).msrs)


def check_written(cpu, text):
    written = decoder.Cpu(machine_file.read(text), 0)
    for leaf in LEAVES:
        assert written.leaf(leaf) == cpu.leaf(leaf), hex(leaf)
    both = (first_msrs(written) & first_msrs(cpu)) - NOT_THE_FILES
    for msr in 0xce, 0xc0010064:  # the TSC's ratio, Intel's and AMD's
        assert msr in both or msr not in first_msrs(cpu)
    assert {msr: written.msr(msr) for msr in both} == {msr: cpu.msr(msr) for msr in both}


@in_full("four CPUs of each generation")
@pytest.mark.parametrize("name, kinds", GENERATIONS)
def test_a_generation(boot, tmp_path, name, kinds):
    path = file_of(name, tmp_path)
    told, spec, _ = imitate.imitation(path, 4, "hypervisor=off")
    file = machine_file.read_loose(path.read_text())
    numbers = [int(number) for number in re.findall(r"pmu-machine-cpu=(\d+)", " ".join(
        (spec["props"], *spec["more"])))]
    numbers = numbers if len(numbers) > 1 else numbers * 4
    print(told)
    left = boot(plan=plan_text() + "[results]\nmachine=yes\n", **spec)
    run = left.results.run
    assert left.verdict == "PASS" and run["errors"] == []
    assert len({cores.core_of_type(decoder.Cpu(file, number)) for number in numbers}) == kinds
    check_written(decoder.Cpu(file, numbers[0]), left.results.folder.joinpath(
        "machine.txt").read_text("ascii"))
    if rate := decoder.clock(decoder.Cpu(file, numbers[0])):
        assert [str(run["machine"]["tsc_hz"]), run["machine"]["tsc_source"]] == [
            rate[0], f"from {rate[1]}"]
    assert run["machine"]["tsc_measured_hz"] == pytest.approx(run["machine"]["tsc_hz"], rel=0.01)
    assert [described["cpu"] for described in run["cpus"]] == list(range(len(numbers)))
    for number, described in zip(numbers, run["cpus"]):
        rows = [row for row in left.results.rows if row["cpu"] == str(described["cpu"])]
        check_cpu(decoder.Cpu(file, number), rows, described)


@pytest.mark.parametrize("name", thinned(ZENS, (11,), "Zens"))
def test_a_zen(boot, tmp_path, name):
    path = file_of(name, tmp_path)
    cpu = decoder.Cpu(machine_file.read_loose(path.read_text()), 0)
    _, spec, _ = imitate.imitation(path, 2, "hypervisor=off")
    kernels = ",".join(kernel.name for kernel in expect.kernels())
    left = boot(plan=plan_text(runs=3, kernels=kernels) + "[results]\nmachine=yes\n", **spec)
    run, (version, general, *_) = left.results.run, decoder.counters(cpu)
    test_amd.check_rows(left, int(version), 2)
    check_written(cpu, left.results.folder.joinpath("machine.txt").read_text("ascii"))
    rate, measured = decoder.clock(cpu) or ["0", "-"], run["machine"]["tsc_measured_hz"]
    if rate[1] == "PStateDef0":
        p0 = int(rate[0])
        assert measured == pytest.approx(p0, rel=0.01)
        is_p0 = abs(p0 - measured) <= measured // 20_000  # 50 ppm, as in test_statistics.py
        assert [run["machine"]["tsc_hz"], run["machine"]["tsc_source"]] == (
            [p0, "from PStateDef0"] if is_p0 else [measured, "measured against the ACPI timer"])
    for described in run["cpus"]:
        assert [described["family"], described["model"], described["stepping"]] == [
            cpu.family, cpu.model, cpu.stepping]
        assert described["core_name"] == decoder.name(cpu)[0].replace("_", " ")
        assert [described["pmu"]["version"], described["pmu"]["general_counters"]] == [
            int(version), int(general, 16).bit_count()]


@in_soak("Debian 13's Linux on a Lion Cove and a Skymont")
def test_linux_on_version_6(tmp_path):
    """Debian 13's driver knows these cores. Conditional branches are event C4H, unit mask 11H, with
    UMASK2 1; without UMASK2, that event counts nothing.
    """
    _, spec, _ = imitate.imitation(file_of(ARROW_LAKE, tmp_path), 2, "hypervisor=off")
    with linux.booted(tmp_path, machine="newest", system=qemu.NEWEST_LINUX, memory_mib=768,
                      **spec) as running:
        log = running.run("dmesg")
        assert re.search(r"Performance Events: Lunarlake Hybrid events, .*Intel PMU driver", log)
        assert "Failed to access" not in log and "virtualization" not in log
        counts = expected("linux_loop", 1000)
        for cpu, pmu in ((1, "cpu_core"), (2, "cpu_atom")):
            events = {f"{pmu}/event=0xc0/u": counts["instructions:u"],
                      f"{pmu}/event=0xc4/u": counts["branches:u"]}
            said = running.run(f"taskset {cpu} perf stat -x, -e {','.join(events)} linux_loop "
                               "00001000")
            assert perf_counts(said) == events
        conditional, none = "cpu_core/config=0x100000011c4/u", "cpu_core/config=0x11c4/u"
        said = running.run(f"taskset 1 perf stat -x, -e {conditional},{none} linux_loop 00001000")
        # SYSCALL is the loop's only branch that is not conditional.
        assert perf_counts(said) == {conditional: counts["branches:u"] - 1, none: 0}
