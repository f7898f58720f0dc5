# SPDX-License-Identifier: BSD-2-Clause
"""scripts/compare reads and compares the output of likwid, PAPI and nanoBench."""
import dataclasses
import re

import pytest

from compare import rows as compare
from compare import source
import folders
from foreign import formats
from foreign import files as foreign_files
import results
from recorded import (
    BRANCHES, COUNTS, DATA, INSTRUCTIONS, LIKWID, N, PAPI, PERF, SUBJECT, compared,
    reference, verdicts)


SKYLAKE_CLIENT = "Intel Core Processor (Skylake)"


def test_likwid_regions_are_kernels(tmp_path):
    """likwid also counts instructions of its marker API, so its counts exceed those of the loop."""
    kernels = [folders.Kernel(name, {"instructions": (0, 2), "branches": (0, 1), "cycles": (0, 1)},
                              n) for name, n in (("loop_dec_jnz", 1000), ("again", 500_000))]
    known = reference(tmp_path, *kernels, brand=SKYLAKE_CLIENT)
    result = compare.compare(known, foreign_files.load(LIKWID / "marker.csv"))
    found = {(row.kernel, row.event): row for row in result.rows if row.verdict != "missing"}
    row = found["again", "INST_RETIRED.ANY"]
    assert (row.reference, row.other, row.verdict) == (1_000_000, 1_003_398, "high")
    assert found["loop_dec_jnz", "BR_INST_RETIRED.ALL_BRANCHES"].difference == 1917 - 1000
    assert {kernel for kernel, _ in found} == {"loop_dec_jnz", "again"}
    assert not [note for note in result.notes if note.startswith("only ")]


def test_a_kernel_that_the_reference_lacks_is_named(tmp_path):
    kernels = [folders.Kernel(name, {"instructions": (0, 2), "branches": (0, 1), "cycles": (0, 1)})
               for name in ("loop_dec_jnz", "nops")]
    known, path = reference(tmp_path, *kernels, brand=SKYLAKE_CLIENT), LIKWID / "marker.csv"
    result = compare.compare(known, foreign_files.load(path))
    assert [note for note in result.notes if note.startswith("only ")] == [
        f"only {path} has again"]


@pytest.mark.parametrize("name", ["one.csv", "group.csv", "o-option.csv"])
def test_likwid_without_regions(tmp_path, name):
    _, rows = compared(tmp_path, LIKWID / name, brand=SKYLAKE_CLIENT)
    row, = rows["INST_RETIRED.ANY"]
    assert row.verdict == "high" and row.ring == "usr" and 5000 < row.difference < 10_000


def test_likwid_with_kernel_counts_both_rings(tmp_path):
    _, rows = compared(tmp_path, LIKWID / "kernel.csv", brand=SKYLAKE_CLIENT)
    row, = rows["INST_RETIRED.ANY"]
    assert row.verdict == "refused" and "of both rings" in row.reason
    assert verdicts(rows)["BR_INST_RETIRED.ALL_BRANCHES"] == {"refused", "high"}


def test_likwid_groups_in_turn_are_refused(tmp_path):
    result, rows = compared(tmp_path, LIKWID / "rotated.csv", brand=SKYLAKE_CLIENT)
    assert result.status == compare.NOTHING
    assert {row.reason for some in rows.values() for row in some} == {
        "multiplexed: likwid measured several groups in turn; use one -g"}


def test_likwid_of_another_cpu_is_refused(tmp_path):
    result, rows = compared(tmp_path, LIKWID / "one.csv")
    assert not rows and "another CPU" in result.refused[0] and result.status == compare.NOTHING


def test_likwid_for_people_and_of_two_threads(tmp_path):
    with pytest.raises(results.Unreadable, match="-O"):
        foreign_files.load(LIKWID / "plain.txt", SUBJECT)
    with pytest.raises(results.Unreadable, match="--row HWThread 1"):
        foreign_files.load(LIKWID / "two.csv", SUBJECT)


def test_likwid_region_called_twice_is_refused(tmp_path):
    twice = tmp_path / "twice.csv"
    text = (LIKWID / "marker.csv").read_text()
    twice.write_text(text.replace("call count,1", "call count,2", 1))
    counts = foreign_files.load(twice).counts
    assert {(count.place.kernel, count.trouble) for count in counts} == {
        ("loop_dec_jnz", "the region was called 2 times, but must be called once"), ("again", "")}


def test_papi_command_line_counts_its_own_work(tmp_path):
    result, rows = compared(tmp_path, PAPI / "command-line.txt")
    row, = rows["BR_INST_RETIRED.ALL_BRANCHES"]
    assert row.verdict == "refused" and "work of its own" in row.reason
    assert result.status == compare.NOTHING


def test_papi_avail_says_what_papi_has(tmp_path):
    result, rows = compared(tmp_path, PAPI / "avail.txt")
    row, = rows["INST_RETIRED.ANY"]
    assert row.reason == "PAPI can count it; papi_avail counts nothing"
    assert result.status == compare.NOTHING


def test_papi_avail_says_what_papi_lacks(tmp_path):
    lacks = tmp_path / "avail.txt"
    text = (PAPI / "avail.txt").read_text()
    assert re.search(r"^PAPI_TOT_INS +0x80000032 +Yes", text, re.M)
    lacks.write_text(re.sub(r"(?m)^(PAPI_TOT_INS +0x80000032 +)Yes", r"\1No ", text))
    _, rows = compared(tmp_path, lacks)
    assert rows["INST_RETIRED.ANY"][0].reason == "PAPI has no such event"


def test_a_file_is_compared_with_its_kernel_alone(tmp_path):
    other = folders.Kernel("another", COUNTS, N)
    known = source.folder(folders.make(tmp_path / "two", kernels=[
        dataclasses.replace(kernel, counts={"cycles": (0, 1), **COUNTS})
        for kernel in (other, folders.Kernel("linux_loop", COUNTS, N))], events=folders.EVENTS))
    result = compare.compare(known, foreign_files.load(PERF / "x-tab.csv", SUBJECT))
    missing = {(row.kernel, row.event) for row in result.rows if row.verdict == "missing"}
    assert missing == {("linux_loop", "CPU_CLK_UNHALTED.THREAD")}


def test_cores_of_several_types_want_a_choice(tmp_path):
    def types(row):
        row["core_type"] = "performance" if row["cpu"] == "0" else "efficiency"

    result, rows = compared(tmp_path, PERF / "x-tab.csv", change=types)
    assert result.status == compare.NOTHING
    assert all("--cpu N" in row.reason for some in rows.values() for row in some)
    known = reference(tmp_path / "again", change=types)
    result = compare.compare(known, foreign_files.load(PERF / "x-tab.csv", SUBJECT),
                             compare.Options(cpu="1"))
    assert result.status == compare.SAME


def test_papi_avail_of_another_cpu_is_refused(tmp_path):
    def other_model(run):
        run["cpus"][0]["model"] = 94

    result, _ = compared(tmp_path, PAPI / "avail.txt", change_run=other_model)
    assert "another CPU" in result.refused[0]


def test_a_program_that_prints_as_papi_does(tmp_path):
    """The numbers are printed as in papi_command_line's source, in decimal and in hexadecimal."""
    text = tmp_path / "papi.txt"
    text.write_text(f"PAPI_TOT_INS : \t{INSTRUCTIONS[0] + INSTRUCTIONS[1] * N}\n"
                    f"PAPI_BR_INS : \t{BRANCHES[0] + BRANCHES[1] * N:#X}\n"
                    "perf::INSTRUCTIONS:u=1:k=1 : \t1234(u)\n")
    _, rows = compared(tmp_path, text)
    assert verdicts(rows) == {"INST_RETIRED.ANY": {"same", "refused"},
                              "BR_INST_RETIRED.ALL_BRANCHES": {"same"}}


def test_nanobench_compares_per_iteration(tmp_path):
    """The file was written by hand, in the form that nanoBench's README shows."""
    loop = folders.Kernel("loop_dec_jnz", {"instructions": (0, 2), "branches": (0, 1),
                                           "cycles": (0, 1)})
    known = reference(tmp_path, loop)
    path = DATA / "nanobench/user.txt"
    subject = formats.Subject("loop_dec_jnz")
    result = compare.compare(known, foreign_files.load(path, subject))
    same = {row.event: row.other for row in result.rows if row.verdict == "same"}
    assert same == {"INST_RETIRED.ANY": 2.0, "BR_INST_RETIRED.ALL_BRANCHES": 1.0}
    wrong = tmp_path / "wrong.txt"
    wrong.write_text(path.read_text().replace("retired: 2.00", "retired: 2.02"))
    result = compare.compare(known, foreign_files.load(wrong, subject))
    row, = [row for row in result.rows if row.verdict == "high"]
    assert row.event == "INST_RETIRED.ANY" and abs(row.per_iteration - 0.02) < 1e-9


def test_nanobench_has_no_tax(tmp_path):
    kernels = [folders.Kernel(f"k{i}", {"instructions": (0, 2 + i), "branches": (0, 1),
                                        "cycles": (0, 1)}) for i in range(4)]
    files = []
    for i, kernel in enumerate(kernels):
        path = tmp_path / kernel.name
        path.write_text(f"Instructions retired: {2 + i}.02\n")
        files.append(foreign_files.load(path, formats.Subject(kernel.name)))
    result = compare.compare(reference(tmp_path, *kernels), foreign_files.together(files))
    high = [row for row in result.rows if row.verdict == "high"]
    assert len(high) == len(kernels) and result.status == compare.DIFFERENT
    assert all("per iteration" in row.reason for row in high)


def test_a_ring_is_asked_for_where_a_file_does_not_say(tmp_path):
    """--ring applies only if a file does not say in which ring it counted."""
    path = tmp_path / "rings.csv"
    path.write_text("100,,instructions:k,5,100.00,,\n100,,branches,5,100.00,,\n")
    subject = dataclasses.replace(SUBJECT, ring="usr")
    assert [count.ring for count in foreign_files.load(path, subject).counts] == ["os", "both"]
    path = DATA / "nanobench/user.txt"
    for ring in ("usr", "both", ""):
        counts = foreign_files.load(path, dataclasses.replace(SUBJECT, ring=ring)).counts
        assert {count.ring for count in counts} == {ring or "usr"}
    path = tmp_path / "papi.txt"
    path.write_text("PAPI_TOT_INS : \t5\nperf::INSTRUCTIONS:u=1:k=0 : \t5\n")
    subject = dataclasses.replace(SUBJECT, ring="both")
    assert [count.ring for count in foreign_files.load(path, subject).counts] == ["both", "usr"]
