# SPDX-License-Identifier: BSD-2-Clause
"""The scripts [msr before] and [msr after] of a plan read, write and restore registers."""
from machine import program
import pytest
from conftest import plan_text
from expect import row_of, said_of_line

PREFETCHERS = 0x1a4  # MSR_MISC_FEATURE_CONTROL: bits 3:0 are writable, 0 at reset
SMI_COUNT = 0x34
ABSENT = 0x2ff1  # neither the model nor QEMU knows it
GLOBAL_CTRL = 0x38f
KERNELS = ("empty", "nops")
REFUSED = f"write {GLOBAL_CTRL:#x} 0"
PLAN = plan_text(cpus="all", kernels=",".join(KERNELS), runs=3) + f"""
[msr before]
nop
rdtsc
read {PREFETCHERS:#x}
write {PREFETCHERS:#x} 0xf
read {PREFETCHERS:#x}
read {SMI_COUNT:#x}
read {ABSENT:#x}
{REFUSED}
[msr after]
rdtsc
read {PREFETCHERS:#x}
stop
read {SMI_COUNT:#x}
"""
CPUS = (0, 1)


@pytest.fixture(scope="module")
def scripts(boot_shared):
    return boot_shared(plan=PLAN, cpus=len(CPUS), traced=True, props="pmu-strict-msr=on")


def test_reads_are_rows(scripts):
    for cpu in CPUS:
        for kernel in KERNELS:
            rows = [r for r in scripts.results.rows
                    if (r["cpu"], r["kernel"]) == (str(cpu), kernel) and (
                        r["event"].startswith("msr:") or r["event"].startswith("rdtsc"))]
            read = [(r["event"].split(":before")[0], r["min"]) for r in rows
                    if "rdtsc" not in r["event"]]
            assert read == [
                (f"msr:{PREFETCHERS:#x}", "0"), (f"msr:{PREFETCHERS:#x}", "15"),
                (f"msr:{SMI_COUNT:#x}", "0"), (f"msr:{ABSENT:#x}", ""),
                (f"msr:{PREFETCHERS:#x}", "15")]
            assert [":before" in r["event"] for r in rows] == [True] * 5 + [False] * 2
            before, after = [int(r["min"]) for r in rows if "rdtsc" in r["event"]]
            assert 0 < before < after
            assert {r["verdict"] for r in rows} == {"measured", "unavailable"}


def test_an_msr_that_is_not_there(scripts):
    for cpu in CPUS:
        for kernel in KERNELS:
            row = row_of(scripts.results, kernel, f"msr:{ABSENT:#x}:before", cpu)
            assert (row["verdict"], row["min"]) == ("unavailable", ""), row
            assert row["reason"], row
            assert f"\n  msr:{ABSENT:#x}:before: {row['reason']}\n" in scripts.console
            assert row_of(scripts.results, kernel, "INST_RETIRED.ANY", cpu)["verdict"] == "exact"
    assert scripts.verdict == "PASS"


def test_nothing_behind_stop(scripts):
    """The script ends at `stop`, before it reads its second register."""
    assert not [r for r in scripts.results.rows if r["event"] == f"msr:{SMI_COUNT:#x}"]


def test_a_write_that_is_not_harmless_is_refused(scripts):
    said_of_line(scripts, PLAN, REFUSED, "safe", "unsafe_msr=yes")
    assert len(scripts.results.run["errors"]) == 1


def test_what_was_written_is_put_back(scripts):
    """The trace shows the value 15 before each kernel, and the old value after it. The counters are
    enabled in between.
    """
    for cpu in CPUS:
        written, opened = [], 0
        for write in program.writes(scripts.trace):
            if write.cpu != cpu:
                continue
            assert not write.refused or write.msr != PREFETCHERS
            if write.msr == GLOBAL_CTRL and write.value:
                opened += 1
            if write.msr == PREFETCHERS:
                written.append((write.value, opened))
        assert [value for value, _ in written] == [15, 0] * len(KERNELS)
        for (_, at_first), (_, at_last) in zip(written[::2], written[1::2]):
            assert at_last - at_first >= 3, "no kernel ran between the write and its undoing"


def test_an_unsafe_write(boot):
    misc_power = 0x1aa  # bit 0 is writable; the list of harmless MSRs lacks it
    plan = plan_text(cpus="boot", kernels="nops", runs=2, unsafe_msr="yes") + \
        f"[msr before]\nwrite {misc_power:#x} 1\nread {misc_power:#x}\n"
    left = boot(plan=plan, cpus=1, traced=True)
    assert left.verdict == "PASS" and left.results.run["errors"] == []
    assert row_of(left.results, "nops", f"msr:{misc_power:#x}:before")["min"] == "1"
    assert [w.value for w in program.writes(left.trace) if w.msr == misc_power] == [1, 0]
