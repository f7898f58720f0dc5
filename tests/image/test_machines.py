# SPDX-License-Identifier: BSD-2-Clause
"""Machines without a PMU, of another vendor, with little memory, or with other firmware."""
import collections

import expect
import pytest
import results
import test_amd
from conftest import DEFAULT_CPUS, RUNS, plan_text
from levels import in_full, in_soak
from machine import qemu

SHORT_ALL = plan_text(kernels="empty", runs=2)


def check_only_time_stamps(left, cpus, reason, names=expect.EVENTS):
    found = left.results
    stamps = [r for r in found.rows if r["event"] == "TSC"]
    events = [r for r in found.rows if r["event"] != "TSC"]
    assert len(stamps) == cpus * len(expect.kernels())
    assert len(events) == len(stamps) * len(names)
    assert {r["event"] for r in events} == set(names)
    assert {r["verdict"] for r in stamps} == {"measured"}
    assert {r["runs"] for r in stamps} == {str(RUNS)}
    assert {r["verdict"] for r in events} == {"unavailable"}
    assert all(reason in r["reason"] for r in events)
    assert left.verdict.startswith("NOT MEASURED ") and reason in left.verdict
    assert found.verdict_line == left.verdict
    assert found.status == results.PASSED
    samples = collections.Counter((s["cpu"], s["kernel"]) for s in found.samples)
    assert len(samples) == len(stamps) and min(samples.values()) >= RUNS
    shown = {line.split()[0]: line.split()[1:] for line in left.console.splitlines()
             if line.endswith(("unavailable", "verdict"))}
    assert shown["kernel"] == ["tsc/copy", "ticks", "verdict"]
    for row in stamps:
        if row["cpu"] == "0":
            copy, *values = shown[row["kernel"]]
            assert values == [row["median"].partition(".")[0], "unavailable"]
            assert (copy == "-") == (row["per_copy"] == "")
            assert copy == "-" or float(copy) == pytest.approx(float(row["per_copy"]), abs=0.0051)


def test_no_pmu(boot):
    check_only_time_stamps(boot(machine="stock", cpus=2), 2, "no performance monitor")


@in_full("kernels on a machine without a PMU")
@pytest.mark.parametrize("kernels", ["avx_byte_mask,empty", "avx_byte_mask"])
def test_no_pmu_and_a_kernel_that_cannot_run(boot, kernels):
    left = boot(machine="stock", cpu="Nehalem", cpus=1, plan=plan_text(kernels=kernels, runs=2))
    assert left.verdict.startswith("NOT MEASURED ") and "performance monitor" in left.verdict
    assert left.results.verdict_line == left.verdict and left.results.status == results.PASSED
    stamps = {r["kernel"]: r for r in left.results.rows if r["event"] == "TSC"}
    assert set(stamps) == set(kernels.split(","))
    assert stamps["avx_byte_mask"]["verdict"] == "unavailable"
    assert "feature" in stamps["avx_byte_mask"]["reason"]


@in_full("version 0 of the PMU")
def test_model_of_version_0_is_the_same(boot):
    check_only_time_stamps(boot(props="pmu-version=0", cpus=1), 1, "no performance monitor")


@in_full("CPUs of other vendors and families")
@pytest.mark.parametrize("props, vendor, family, names", [
    ("family=22", "AMD", 22, test_amd.EVENTS - {"TSC"}),
    ("vendor=CentaurHauls", "CentaurHauls", 23,
     {"CPU_CLK_UNHALTED.REF_TSC_P", *expect.EVENTS} - {expect.BUS})],
    ids=["an old AMD", "another vendor"])
def test_another_vendor_or_an_old_amd(boot, props, vendor, family, names):
    left = boot(cpu="EPYC", props=props, cpus=2)
    check_only_time_stamps(left, 2, "of this vendor and family", names)
    cpus = left.results.run["cpus"]
    assert [(c["vendor"], c["family"]) for c in cpus] == [(vendor, family)] * 2
    assert all(c["brand"] for c in cpus)
    assert f"{vendor}, family {family}" in left.console


@in_full("events that another core lacks")
def test_another_core_says_what_it_lacks(boot):
    left = boot(cpu="Haswell-noTSX", cpus=1)
    expect.check_rows(left.results, 1, expect.default_counts(), lost=expect.OF_SKYLAKE[1:])
    assert left.verdict == "PASS"


@in_full("a machine with 256 MiB of memory")
def test_256_mib(boot):
    left = boot(memory_mib=256, cpus=4)
    assert left.verdict == "PASS"
    expect.check_rows(left.results, 4, expect.default_counts())


def test_u_boot(boot):
    """Without MP services only the boot CPU is measured."""
    left = boot(firmware="u-boot", cpus=2)
    assert left.verdict == "PASS"
    expect.check_rows(left.results, 1, expect.default_counts())
    assert "MP" in left.console and "boot CPU" in left.console
    assert "U-Boot" in left.results.run["machine"]["firmware_vendor"]


def ovmf_of(suite, kind="", firmware="ovmf"):
    folder = qemu.NEWEST_FIRMWARE / suite / "usr/share/OVMF"
    return {"firmware": firmware, "firmware_file": folder / f"OVMF_CODE_4M{kind}.fd",
            "variables": folder / "OVMF_VARS_4M.fd"}


@in_soak("the firmware of other Debian releases")
@pytest.mark.parametrize("spec", [
    ovmf_of("trixie"), ovmf_of("trixie", ".secboot", "ovmf-smm"),
    ovmf_of("trixie", ".secboot.strictnx", "ovmf-smm"), ovmf_of("unstable"),
    ovmf_of("unstable", ".secboot.strictnx", "ovmf-smm"),
    {"firmware": "u-boot", "firmware_file":
     qemu.NEWEST_FIRMWARE / "trixie/usr/lib/u-boot/qemu-x86_64/u-boot.rom"},
], ids=lambda spec: "-".join(spec["firmware_file"].parts[-5:]))
def test_firmware_of_other_releases(boot, spec):
    names = ("empty", "nops", "load_store")
    left = boot(cpus=2, plan=plan_text(kernels=",".join(names)), **spec)
    cpus = 1 if spec["firmware"] == "u-boot" else 2  # U-Boot has no MP services
    expect.check_rows(left.results, cpus, expect.default_counts(), names=names)
    assert left.verdict == "PASS" and left.results.run["errors"] == []
    year = left.results.run["machine"]["firmware_version"].partition(".")[0]
    assert spec["firmware"] == "u-boot" or int(year) >= 2025  # Debian 12's OVMF is from 2022


def test_inventory(default_boot):
    run = default_boot.results.run
    assert run["machine"]["maker"] == "QEMU"
    assert (run["machine"]["cpus_found"], run["machine"]["cpus_usable"]) == (DEFAULT_CPUS,) * 2
    assert run["machine"]["tsc_hz"] > 10**8 and run["machine"]["tsc_source"] != "unknown"
    assert [c["apic_id"] for c in run["cpus"]] == list(range(DEFAULT_CPUS))
    assert [c["boot_cpu"] for c in run["cpus"]] == [True] + [False] * (DEFAULT_CPUS - 1)
    for cpu in run["cpus"]:
        assert (cpu["vendor"], cpu["family"], cpu["model"]) == ("Intel", 6, 85)
        assert (cpu["pmu"]["version"], cpu["pmu"]["general_counters"]) == (4, 4)
        assert cpu["pmu"]["general_width_bits"] == 48


@in_full("eight CPUs in two packages")
def test_topology_and_microcode(boot):
    left = boot(cpus="8,sockets=2,cores=2,threads=2", props=f"ucode-rev={0xab << 32}",
                plan=SHORT_ALL)
    cpus = left.results.run["cpus"]
    assert sorted(c["apic_id"] for c in cpus) == list(range(8))
    for cpu in cpus:
        place = cpu["apic_id"] >> 2, cpu["apic_id"] >> 1 & 1, cpu["apic_id"] & 1
        assert (cpu["package"], cpu["core"], cpu["thread"]) == place
        assert cpu["siblings"] == 1 and int(cpu["microcode"], 16) == 0xab
    assert left.verdict == "PASS"


@in_full("CPUs that differ")
def test_cpus_that_differ(boot):
    """The first CPU has 4 counters and the second has 1."""
    names = expect.some()
    left = boot(cpus="1,sockets=2,cores=1,threads=1,maxcpus=2", plan=plan_text(
        kernels=",".join(names)), more=(
        "-device", "Skylake-Server-x86_64-cpu,pmu=on,pmu-gp=1,socket-id=1,core-id=0,thread-id=0"))
    assert left.verdict == "PASS"
    assert [len(cpu["passes"]) for cpu in left.results.run["cpus"]] == [
        expect.passes(4), expect.passes(1)]
    expect.check_rows(left.results, 2, expect.default_counts(), names=names)
