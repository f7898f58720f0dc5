# SPDX-License-Identifier: GPL-2.0-or-later
"""Compare formulas.traffic() with counts computed by hand: for the walks of
conform/uncore_nehalem.c, and for the slices and channels of lines."""
import formulas

N = 17  # lines of one set with 16 ways
L2_SPAN, LLC_SPAN = 4096 * formulas.LINE, 16384 * formulas.LINE


def walk(first, span, what, n=N):
    return [(first + i * span, 4, what) for i in range(n)]


def numbers(found, *names):
    return [found[name] for name in names]


def test_lines_that_the_llc_has():
    lines = formulas.Lines()
    formulas.traffic(walk(0x1000, L2_SPAN, "load"), lines)
    found = formulas.traffic(walk(0x1000, L2_SPAN, "load"), lines)
    assert numbers(found, "lookups", "load_lookups", "hits", "clean_hits", "misses",
                   "lines_read", "lines_out") == [N, N, N, N, 0, 0, 0]
    assert numbers(formulas.traffic(walk(0x1000, L2_SPAN, "store"), lines),
                   "store_lookups", "clean_hits", "dirty_hits", "lines_written") == [N, N, 0, 0]
    assert numbers(formulas.traffic(walk(0x1000, L2_SPAN, "load"), lines),
                   "dirty_hits", "misses") == [N, 0]


def test_lines_that_are_written_back():
    lines = formulas.Lines()
    first = formulas.traffic(walk(0x1000, LLC_SPAN, "store"), lines)
    # The set was empty and has 16 ways, so only the 17th line evicts a line: the first line.
    assert numbers(first, "misses", "lines_read", "lines_out", "lines_written") == [N, N, 1, 1]
    again = formulas.traffic(walk(0x1000, LLC_SPAN, "store"), lines)
    assert numbers(again, "store_misses", "lines_out", "lines_written") == [N, N, N]
    read = formulas.traffic(walk(0x1000, LLC_SPAN, "load"), lines)
    assert numbers(read, "load_misses", "lines_out", "lines_written") == [N, N, N - 1]


def test_a_store_that_hits_the_l1d_makes_the_line_dirty():
    lines = formulas.Lines()
    formulas.traffic([(0x1000, 4, "load"), (0x1004, 4, "store")], lines)
    found = formulas.traffic(walk(0x1000 + LLC_SPAN, LLC_SPAN, "load", 16), lines)
    assert numbers(found, "lines_out", "lines_written") == [1, 1]


def test_a_store_to_a_line_that_the_llc_has_lost_costs_nothing():
    lines = formulas.Lines()
    lines.caches[0].touch(0x40)  # only the L1D contains the line
    formulas.traffic([(0x1000, 4, "store")], lines)
    assert not lines.dirty


def test_an_access_across_a_line_looks_up_both():
    assert formulas.traffic([(0x103e, 4, "load")])["lookups"] == 2
    assert formulas.traffic([(0x103c, 4, "load")])["lookups"] == 1


def test_lines_belong_to_slices_and_channels():
    found = formulas.traffic(walk(0, formulas.LINE, "load", 10), slices=4, channels=3)
    assert [part["misses"] for part in found["by_slice"]] == [3, 3, 2, 2]
    assert [part["lines_read"] for part in found["by_channel"]] == [4, 3, 3]
