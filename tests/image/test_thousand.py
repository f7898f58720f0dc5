# SPDX-License-Identifier: BSD-2-Clause
"""In 1,000 runs of each default kernel on 8 CPUs, each retired event has the same count every time.

One CPU measures at a time: eight CPUs would wait for each other on the host's two CPUs. `make soak`
runs each kernel at its default n with all events of the default plan. Outside `make soak`, the
kernels are short, one pass counts only the retired events, and samples.csv is not written.
"""
import expect
import results
from machine import stick as sticks
from conftest import IMAGE, fill, plan_text
from levels import SOAK, in_full

CPUS, RUNS = 8, 1000
N = None if SOAK else 20
RETIRED = [event for event in expect.DECLARED if event not in expect.FIXED]
# With eight counters the retired events take one pass. samples.csv does not fit on the stick.
MACHINE = {} if SOAK else {"props": "pmu-gp=8"}
ROOM_BYTES = (1 << 20) + RUNS * (47 << 10)
BOOT_S = 3600


def plan():
    keys = {"runs": RUNS, "at_end": "shutdown"}
    if SOAK:
        return plan_text(**keys)
    return plan_text(**keys, n=N) + "[events retired]\n" + "\n".join(RETIRED)


@in_full("eight CPUs")
def test_a_thousand_runs_on_eight_cpus(boot, tmp_path):
    stick = sticks.Stick.copy_of(IMAGE, tmp_path / "stick.img")
    if not SOAK:
        fill(stick, tmp_path, ROOM_BYTES)
    left = boot(plan=plan(), cpus=CPUS, stick=stick, timeout_s=BOOT_S, **MACHINE)
    counts = expect.default_counts() if SOAK else expect.proved(N)
    known = {kernel.name: kernel for kernel in expect.kernels()}
    seen = 0
    for row in left.results.rows:
        count = expect.DECLARED.get(row["event"])
        if count not in counts[row["kernel"]]:
            continue
        right = str(counts[row["kernel"]][count])
        assert [row["min"], row["max"], row["stddev"]] == [right, right, "0"], row
        assert (row["runs"], row["verdict"]) == (
            str(RUNS), known[row["kernel"]].verdicts[count]), row
        seen += 1
    assert seen == CPUS * len(expect.DECLARED) * len(counts) - CPUS * sum(
        count not in of for of in counts.values() for count in expect.DECLARED.values())
    assert left.results.status == results.PASSED
    assert SOAK or "samples.csv" not in stick.names("barecount/results/0001")
