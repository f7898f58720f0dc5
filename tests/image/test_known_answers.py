# SPDX-License-Identifier: BSD-2-Clause
"""Known answers that need a size: buffers in and beyond the caches, the byte mask over 20 MB."""
import collections

import expect
from conftest import plan_text
from levels import in_full

# Kernel, bytes of its buffer, n. The masks go once through 20 MB.
WALKS = [*((f"{width}_byte_mask", 20 << 20, (20 << 20) // 64) for width in ("sse", "avx")),
         *(("chase_random", size, 5000) for size in (16 << 10, 512 << 10, 64 << 20)),
         ("store", 64 << 10, 16384)]
SPUN = 1_000_000
# What the empty window takes is subtracted, and on an emulated clock that is not always the same.
SPUN_LEAST = SPUN * 9 // 10


@in_full("buffers of 64 MiB")
def test_counts_do_not_depend_on_the_size(boot):
    lines = [f"{name} n={n} size={size}" for name, size, n in WALKS]
    left = boot(cpus=1, plan=plan_text(cpus="boot", runs=2, warmup=0) +
                "\n".join(["[kernels]", *lines, f"spin_tsc n={SPUN}", "[events retired]",
                           *expect.DECLARED]) + "\n")
    rows = {(r["kernel"], r["param"], r["event"]): r for r in left.results.rows}
    known = {kernel.name: kernel for kernel in expect.all_kernels()}
    checked = collections.Counter()
    for name, size, n in WALKS:
        for event, count in expect.DECLARED.items():
            c0, c1 = known[name].declared[count]
            row = rows[name, f"size={size}", event]
            assert (row["verdict"], row["min"], row["max"]) == (
                "exact", str(c0 + c1 * n), str(c0 + c1 * n)), row
            checked[name] += 1
    assert checked.total() == len(WALKS) * len(expect.DECLARED)
    assert int(rows["spin_tsc", "", "TSC"]["min"]) >= SPUN_LEAST
    assert left.verdict == "PASS"
