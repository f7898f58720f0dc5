# SPDX-License-Identifier: BSD-2-Clause
"""16 to 128 CPUs, one after the other: minutes on a host of two, so for `make soak`."""
import os

import expect
import pytest
import results
from conftest import plan_text

pytestmark = pytest.mark.skipif("BARECOUNT_SOAK" not in os.environ, reason="minutes: make soak")
NAMES = ("empty", "nops", "load_store")
BOOT_S = 3600


@pytest.mark.parametrize("cpus", [16, 64, 128])
def test_each_is_measured(boot, cpus):
    left = boot(cpus=cpus, timeout_s=BOOT_S, plan=plan_text(kernels=",".join(NAMES), runs=2))
    expect.check_rows(left.results, cpus, expect.default_counts(), names=NAMES)
    assert [cpu["apic_id"] for cpu in left.results.run["cpus"]] == list(range(cpus))
    assert left.results.run["errors"] == []
    assert left.verdict == "PASS" and left.results.status == results.PASSED
