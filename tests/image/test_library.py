# SPDX-License-Identifier: BSD-2-Clause
"""Every built-in kernel on the model machine, at three values of n."""
import collections

import expect
import pytest
import results
from conftest import plan_text
from levels import FULL, thinned

FAMILIES_MIN, INSTRUCTIONS_MIN = 45, 200
LACKS = "the CPU lacks a feature that the kernel needs: "
ALONE = "the kernel needs further CPUs, but the run has none"
N_MAX = 300 if FULL else 20

# QEMU 7.2 does not emulate these features (TCG_*_FEATURES in target/i386/cpu.c), or its
# Skylake-Server lacks them.
NOT_EMULATED = {text for text in expect.FEATURES.values() if text.startswith("avx512")} | {
    "sha", "gfni", "vaes", "vpclmulqdq", "avx_vnni", "rdseed", "serialize", "movdiri",
    "movdir64b", "rdpid"}


def test_how_much_there_is():
    kernels = expect.all_kernels()
    names = collections.Counter(kernel.name for kernel in kernels)
    assert max(names.values()) == 1
    instructions = [name for name in names if name.startswith(("lat_", "tp_"))]
    assert len(instructions) >= INSTRUCTIONS_MIN
    assert len({kernel.family for kernel in kernels}) >= FAMILIES_MIN


def check_row(kernel, row, n):
    count = expect.DECLARED.get(row["event"])
    lacking = [text for text in kernel.features if text in NOT_EMULATED]
    if lacking:
        assert (row["verdict"], row["reason"]) == (
            "unavailable", LACKS + ", ".join(lacking)), row
    elif not kernel.is_alone:
        assert (row["verdict"], row["reason"]) == ("unavailable", ALONE), row
    elif count not in kernel.ranges:
        assert row["verdict"] == "measured", row
    else:
        low_c0, low_c1, high_c0, high_c1 = kernel.ranges[count]
        assert row["verdict"] == kernel.verdicts[count], list(row.values())
        assert low_c0 + low_c1 * n <= int(row["min"]), row
        assert int(row["max"]) <= high_c0 + high_c1 * n, row


# Every day only the drawn n is tested: the prover already runs n = 1 and the default n.
@pytest.mark.parametrize("which", thinned(
    ["1", "default", "drawn"], (2,), "values of n for every kernel"))
def test_every_kernel(boot, seeded, which):
    drawn = seeded.randint(2, N_MAX)
    given = {"1": {"n": 1}, "default": {}, "drawn": {"n": drawn}}[which]
    left = boot(plan=plan_text(kernels="all", cpus="boot", runs=2, warmup=0, **given), cpus=1)
    found = left.results
    known = {kernel.name: kernel for kernel in expect.all_kernels()}
    places = collections.Counter((row["kernel"], row["event"]) for row in found.rows)
    assert places == {(name, event): 1 for name in known for event in expect.ALL_ROWS}
    for row in found.rows:
        kernel = known[row["kernel"]]
        n = given.get("n", kernel.default_n)
        assert row["n"] == str(n)
        check_row(kernel, row, n)
    has, = [cpu["kernel_features"] for cpu in found.run["cpus"]]
    assert has == [text for text in expect.FEATURES.values() if text not in NOT_EMULATED]
    assert found.status == results.PASSED
