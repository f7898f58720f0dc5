# SPDX-License-Identifier: BSD-2-Clause
"""The table of scripts/versus, from made-up outputs of each tool, and the reasons for missing rows.
"""
import subprocess
import types

from conftest import TOP
from foreign import nanobench
from foreign import perf
from machine import linux as linux_machine
import pytest
import results
from script import load
from versus import peers
from versus import table
from versus import work

START = {work.INSTRUCTIONS: 5000, work.BRANCHES: 700}  # what the made-up tools add
REPETITIONS = 3


def right(size, start=None):
    """The declared counts of the piece of this size, plus `start`. EMPTY has no piece, so its
    declared counts are 0.
    """
    of_piece = work.declared(size) if size else dict.fromkeys(START, 0)
    return {event: count + (start or {}).get(event, 0) for event, count in of_piece.items()}


def perf_said(size):
    counts = right(size, START)
    return "".join(f"{counts[event]},,{event}:u,1000,100.00,,\n" for event in START)


def likwid_bench_said(counted, declared):
    return f"Cycles:\t\t9000\nInstructions:\t\t{declared}\n" \
           "TABLE,Region bench,Group 1 Raw,Custom,1\nEvent,Counter,HWThread 0\n" \
           f"RETIRED_INSTRUCTIONS,PMC0,{counted}\n"


def nanobench_said(size):
    counts = right(size)
    return f"RETIRED_INSTRUCTIONS: {counts[work.INSTRUCTIONS]}.00\n" \
           f"RETIRED_BRANCH_INSTRUCTIONS: {counts[work.BRANCHES]}.00\n"


class Told:
    """A fake Linux, which prints said(size of the piece) for each repetition of any tool."""

    def __init__(self, said):
        self._said = said
        self._files = {}

    def put(self, path, content):
        self._files[path.rpartition("/")[2]] = content

    def run(self, command, _bound_s=0):
        if command in ("perf --version", "likwid-perfctr -v"):
            return "perf version 6.1" if command.startswith("perf") else "likwid -- Version 5.2 (x)"
        if "likwid-bench" in command:
            return f"{peers.NEXT}\n{self._said}" * REPETITIONS
        if "/proc/nanoBench" in command:
            piece = self._files["code"], self._files["late_init"]
            size = next(size for size in work.SIZES if work.raw(size) == piece)
        elif "piece_" in command:
            size = int(command.split("piece_")[1].split()[0])
        else:  # it only prepares something
            return ""
        return f"{peers.NEXT}\n{self._said(size)}" * REPETITIONS


def test_declarations():
    assert work.declared(1) == {work.INSTRUCTIONS: 1, work.BRANCHES: 0}
    assert work.declared(1000) == {work.INSTRUCTIONS: 1000, work.BRANCHES: 500}


def measured(counts, **changed):
    return table.Measured("tool", "1", counts, 0.5, "a note", **changed)


def same(change=lambda size, counts: None):
    """Two repetitions for each size with the declared counts; `change` alters the second one."""
    counts = {}
    for size in work.SIZES:
        second = right(size)
        change(size, second)
        counts[size] = {event: [count, second[event]] for event, count in right(size).items()}
    return counts


@pytest.mark.parametrize("reader, said, start", [
    (perf, perf_said, START), (nanobench, nanobench_said, None)])
def test_each_tools_output_is_read(reader, said, start):
    for size in work.SIZES:
        assert peers.counts_of(reader, "it", said(size)) == right(size, start)


def test_the_start_of_programs_is_subtracted():
    row = peers.perf(Told(perf_said), REPETITIONS)
    assert (row.version, set(row.counts)) == ("6.1", set(work.SIZES))
    assert table.error(row, work.INSTRUCTIONS) == table.error(row, work.BRANCHES) == 0
    assert table.spread(row) == 0 and table.smallest(row) == 1


def test_nanobench_runs_each_piece(tmp_path):
    row = peers.nanobench(Told(nanobench_said), tmp_path, REPETITIONS)
    assert set(row.counts) == set(work.SIZES) and row.version == "of an unknown commit"
    assert table.error(row, work.INSTRUCTIONS) == table.error(row, work.BRANCHES) == 0
    assert table.smallest(row) == 1


def test_likwid_bench_is_compared_with_its_own_declaration():
    row = peers.likwid_bench(Told(likwid_bench_said(1300, 1000)), REPETITIONS)
    assert (row.version, set(row.counts)) == ("5.2", {1000})
    assert (table.error(row, work.INSTRUCTIONS), table.spread(row)) == (300, 0)
    assert table.error(row, work.BRANCHES) is None
    with pytest.raises(results.Unreadable, match="declares no instructions"):
        peers.likwid_bench(Told("RETIRED_INSTRUCTIONS,PMC0,1\n"), REPETITIONS)


@pytest.mark.parametrize("change, said", [
    (lambda rows: rows.pop(), "pieces or events are missing"),
    (lambda rows: rows[0].update(min="", verdict="noisy", reason="SMIs"), "nop_1: noisy: SMIs")])
def test_results_that_lack_a_count_are_refused(change, said):
    rows = [{"kernel": "nop_1" if size == 1 else "loop_dec_jnz", "n": str(size // 2),
             "event": event, "min": "1", "max": "1", "rejected": "2"}
            for size in work.SIZES for event in work.EVENTS]
    found = types.SimpleNamespace(rows=rows, folder="0001")
    assert peers.of_rows(found)[1] == 2 * len(rows)
    change(rows)
    with pytest.raises(results.Unreadable, match=said):
        peers.of_rows(found)


def test_a_count_that_is_no_count_is_refused():
    with pytest.raises(results.Unreadable, match="not supported"):
        peers.counts_of(perf, "perf", "<not supported>,,instructions:u,0,100.00,,\n"
                                      "1,,branches:u,9,100.00,,\n")
    with pytest.raises(results.Unreadable, match="has no count of each event"):
        peers.counts_of(perf, "perf", "1,,branches:u,9,100.00,,\n")


def test_errors_and_spreads():
    """In the second repetition, the first two pieces lack 3 instructions, and each piece has 2
    branches more."""
    def change(size, counts):
        counts[work.INSTRUCTIONS] -= 3 if size < 100 else 0
        counts[work.BRANCHES] += 2

    row = measured(same(change))
    assert [table.error(row, event) for event in START] == [3, 2]
    assert table.spread(row) == 3 and table.smallest(row) == 100
    heads, line, note = table.lines([row])
    assert line.split() == ["tool", "1", "3", "2", "3", "100", "0.500"]
    assert heads.split() == ["tool", *table.HEADS] and note == "tool: a note"


def test_a_constant_error_is_no_spread():
    """Without subtraction of the empty program, the error is the same for every piece."""
    row = measured({size: {event: [count] * 2 for event, count in right(size, START).items()}
                    for size in work.SIZES})
    assert (table.error(row, work.INSTRUCTIONS), table.spread(row)) == (5000, 0)
    assert table.smallest(row) is None
    assert list(table.lines([row]))[1].split()[2:] == ["5,000", "700", "0", "none", "0.500"]


def test_a_tool_that_declares_its_own_count():
    row = measured({777: {work.INSTRUCTIONS: [777, 779]}},
                   declared=lambda size: {work.INSTRUCTIONS: size})
    assert list(table.lines([row]))[1].split()[2:] == ["2", "-", "2", "none", "0.500"]


def test_what_is_missing_has_a_line():
    assert list(table.lines([table.Missing("nanoBench", "not built: why")])) == \
        ["nanoBench: not built: why"]


def test_checkouts_that_cannot_be_built(tmp_path):
    attempt = load("versus").attempt
    for checkout, why in ((None, "no checkout is given (NANOBENCH=)"),
                          (tmp_path, f"{tmp_path} is no checkout of nanoBench")):
        assert attempt("nanoBench", peers.build_nanobench, checkout, tmp_path).why == \
            f"not built: {why}"


def test_what_linux_says_is_the_reason():
    def measure():
        raise linux_machine.Failed("insmod nb.ko", 1, "first\ninsmod: invalid module format\n")

    assert load("versus").attempt("nanoBench", measure) == \
        table.Missing("nanoBench", "does not run: insmod: invalid module format")


def test_programs_hold_the_piece_and_nothing_else(tmp_path):
    leave = b"\x31\xff\xb8\x3c\0\0\0\x0f\x05"  # xor edi, edi; mov eax, 60; syscall
    made = work.programs(tmp_path)
    assert set(made) == {work.EMPTY, *work.SIZES}
    for size, path in made.items():
        code = work.raw(size)[0] if size else b""
        load = b"\xbf" + (size // 2).to_bytes(4, "little")  # mov edi, size / 2
        assert load + code + leave in path.read_bytes()


@pytest.mark.parametrize("words, status", [(["--repeat", "1"], results.USAGE),
                                           (["--help"], results.PASSED)])
def test_usage(words, status):
    done = subprocess.run([TOP / "scripts/versus", *words], capture_output=True, text=True,
                          timeout=60, check=False)
    assert done.returncode == status
