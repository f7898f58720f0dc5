# SPDX-License-Identifier: BSD-2-Clause
"""The rings in which a counter counts, and kernels at CPL 3."""
import expect
import pytest
import windows
from conftest import plan_text
from expect import row_of
from levels import thinned

FIXED_CYCLES = expect.FIXED[1:]  # cycle events; fixed counter 0 counts instructions
RINGS = {"k": "os", "u": "usr", "uk": "both"}
# The events whose counts the kernels declare, except the events of fixed counters.
GENERAL = [event for event in expect.DECLARED if event not in expect.FIXED]
EVENTS = (*expect.FIXED, *GENERAL)
MATRIX = "[events matrix]\n" + "".join(
    f"{event}:{ring}\n" for event in EVENTS for ring in RINGS)
WRITTEN_DOWN = tuple(windows.BODIES)


def counts_in(ring, cpl):
    return ring == "uk" or ring == ("u" if cpl == 3 else "k")


def check_matrix(left, cpl):
    """Counters that count at this CPL have the declared count, and all other counters are 0."""
    found, looked_at = left.results, 0
    assert left.verdict == "PASS" and found.run["errors"] == []
    counts = expect.default_counts()
    for kernel in expect.kernels():
        for event in expect.DECLARED:
            for ring, name in RINGS.items():
                row = row_of(found, kernel.name, f"{event}:{ring}")
                right = counts[kernel.name].get(expect.DECLARED[event])
                if not counts_in(ring, cpl):
                    right = 0
                assert row["ring"] == name and row["verdict"] != "unavailable", row
                if right is not None:
                    assert (row["min"], row["max"]) == (str(right), str(right)), row
                    looked_at += 1
    assert looked_at >= len(RINGS) * 5 * (len(expect.kernels()) - 1)


def check_cycles(left, cpl):
    """Counters that count at this CPL have the model's count, and all other counters are 0."""
    for kernel in WRITTEN_DOWN:
        own = windows.known(kernel, windows.cycle_count)
        for event in FIXED_CYCLES:
            found = {ring: row_of(left.results, kernel, f"{event}:{ring}")["median"]
                     for ring in RINGS}
            assert found == {ring: str(own if counts_in(ring, cpl) else 0) for ring in RINGS}, \
                (kernel, event)


@pytest.fixture(scope="module", params=thinned([0, 3], (1,), "CPL of every kernel"))
def matrix(request, boot_shared):
    plan = plan_text(cpus="boot", runs=4, warmup=2, cpl=request.param) + MATRIX
    return boot_shared(plan=plan, cpus=1), request.param


def test_every_kernel_counts_in_its_ring_only(matrix):
    check_matrix(*matrix)


def test_fixed_counters_of_cycles_in_each_ring(matrix):
    check_cycles(*matrix)


def test_controls_of_the_matrix(matrix):
    """OS and USR are bits 17 and 16 of a select, and bits 0 and 1 of a fixed counter's control."""
    left, _ = matrix
    of_general, of_fixed = {"k": 2, "u": 1, "uk": 3}, {"k": 1, "u": 2, "uk": 3}
    seen = set()
    for slot in sum(left.results.run["cpus"][0]["passes"], []):
        event, _, ring = slot["event"].partition(":")
        control = int(slot["control"], 16)
        if slot["counter"].startswith("fixed"):
            assert control == of_fixed[ring or "k"], slot
        else:
            assert control >> 16 & 3 == of_general[ring or "k"], slot
        seen.add((event, ring))
    assert seen >= {(event, ring) for event in EVENTS for ring in RINGS}


def test_a_plan_for_ring_3(boot):
    """The empty window counts exactly the declared cost of the window."""
    left = boot(cpus=2, plan=plan_text(ring="usr"))
    assert left.verdict == "PASS" and left.results.run["errors"] == []
    expect.check_rows(left.results, 2, expect.default_counts())
    assert {row["ring"] for row in left.results.rows if row["event"] != "TSC"} == {"usr"}
    cost = left.results.run["window_cost"]["usr"]
    for cpu in left.results.run["cpus"]:
        for slot in sum(cpu["passes"], []):
            if slot["event"] in expect.DECLARED:
                assert slot["empty_window_min"] == slot["empty_window_max"] == \
                    cost[expect.DECLARED[slot["event"]]], slot
