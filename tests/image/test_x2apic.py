# SPDX-License-Identifier: BSD-2-Clause
"""A CPU with an APIC ID above 255, for which firmware must switch all CPUs to x2APIC mode.

The test needs Debian 13's QEMU. tests/unit/boot/test_apic.c tests the registers of both APIC modes.
"""
import expect
import patched
import pytest
import results
import test_hangs
from conftest import HANG_MS, plan_text
from levels import in_soak

pytestmark = in_soak("an APIC ID above 255, which needs Debian 13's QEMU")
# A package of 129 cores needs eight bits of the APIC ID, so the second package begins at 256.
PLACES = {"cpus": "1,sockets=2,cores=129,threads=1,maxcpus=258", "more": (
    "-device", "Skylake-Server-x86_64-cpu,pmu=on,x2apic=on,socket-id=1,core-id=0,thread-id=0")}
MACHINE = {"machine": "newest", "props": "x2apic=on", **PLACES}
NAMES = ("empty", "nops", "load_store")


@pytest.mark.parametrize("mode", ["serial", "parallel"])
def test_a_cpu_above_255(boot, mode):
    left = boot(plan=plan_text(kernels=",".join(NAMES), mode=mode), **MACHINE)
    assert [cpu["apic_id"] for cpu in left.results.run["cpus"]] == [0, 256]
    if mode == "serial":
        expect.check_rows(left.results, 2, expect.default_counts(), names=NAMES)
    assert left.verdict == "PASS" and left.results.status == results.PASSED


def test_what_hangs_there_is_ended(boot, tmp_path):
    """An NMI reaches a nine-bit APIC ID only in x2APIC mode."""
    patches = {"nop_1": (patched.ENTRY, test_hangs.HALT)}
    plan = plan_text(kernels=",".join(test_hangs.KERNELS), timeout_ms=HANG_MS)
    left = boot(plan=plan, stick=patched.stick(tmp_path, patches), **MACHINE)
    assert {row["cpu"] for row in left.results.rows} == {"0", "1"}
    test_hangs.check(left.results.rows, patches, range(2))
    assert left.results.run["complete"] is True
