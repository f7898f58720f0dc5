# SPDX-License-Identifier: BSD-2-Clause
"""Files of other tools (tests/tools/data/README.md says what each is), read and compared."""
import dataclasses
import pathlib
import re

import pytest

import compare
import compare_source
import folders
import foreign
import foreign_files
import results

DATA = pathlib.Path(__file__).resolve().parent / "data"
PERF, LIKWID, PAPI = DATA / "perf-6.1", DATA / "likwid-5.2", DATA / "papi-7.0"
LOOP_SOURCE = pathlib.Path(__file__).resolve().parents[1] / "machine/linux_loop.asm"
N = 100_000
# What linux_loop.asm declares of itself: instructions 55 + 5n, branches 9 + 2n.
(INSTRUCTIONS, BRANCHES), = [
    ((int(a), int(b)), (int(c), int(d))) for a, b, c, d in re.findall(
        r"^; linux_loop: instructions (\d+) \+ (\d+)n, branches (\d+) \+ (\d+)n$",
        LOOP_SOURCE.read_text("ascii"), re.M)]
COUNTS = {"instructions": INSTRUCTIONS, "branches": BRANCHES}
SUBJECT = foreign.Subject("linux_loop")
EVENTS = tuple(event for event in folders.EVENTS if event.counts != "cycles")
ALL = sorted(path for folder in (PERF, LIKWID, PAPI, DATA / "nanobench")
             for path in folder.iterdir())


def reference(tmp_path, *kernels, brand="", change=None, change_run=None):
    """A bare-metal folder of kernels, by default of linux_loop at its n."""
    kernels = kernels or (folders.Kernel("linux_loop", COUNTS, N),)

    def of_brand(run):
        for cpu in run["cpus"]:
            cpu["brand"] = brand or cpu["brand"]
        if change_run:
            change_run(run)

    # The time stamp's row is made of cycles, which are of no matter here.
    kernels = [dataclasses.replace(kernel, counts={"cycles": (0, 1), **kernel.counts})
               for kernel in kernels]
    return compare_source.folder(folders.make(tmp_path / "reference", 2, kernels, EVENTS,
                                              change=change, change_run=of_brand))


def compared(tmp_path, path, subject=SUBJECT, less="", options=compare.Options(), **how):
    """Event -> the rows of it that are not missing."""
    result = compare.compare(reference(tmp_path, **how), foreign_files.load(path, subject,
                                                                            less=less), options)
    rows = {}
    for row in result.rows:
        if row.verdict != "missing":
            rows.setdefault(row.event, []).append(row)
    return result, rows


def verdicts(rows):
    return {event: {row.verdict for row in some} for event, some in rows.items()}


@pytest.mark.parametrize("name, events", [
    ("x.csv", 4), ("x-semicolon.csv", 4), ("x-r.csv", 4), ("j.json", 4), ("j-r.json", 4),
    ("x-tab.csv", 2), ("x-de-semicolon.csv", 2), ("x-group.csv", 1), ("j-group.json", 1)])
def test_perf_counts_what_is_declared(tmp_path, name, events):
    """By generic names, raw codes and terms, with each separator; those of ring 0 are refused."""
    result, rows = compared(tmp_path, PERF / name)
    same = [row for some in rows.values() for row in some if row.verdict == "same"]
    assert len(same) == events and result.status == compare.SAME
    assert all(row.other == row.reference and row.ring == "usr" for row in same)
    for row in (row for some in rows.values() for row in some if row.verdict == "refused"):
        assert row.ring == "os" and "other ring" in row.reason


def test_one_percent_high_is_named_and_the_right_one_is_not(tmp_path):
    wrong = tmp_path / "wrong.csv"
    wrong.write_text((PERF / "x.csv").read_text().replace(
        "500055,,instructions:u", f"{500055 * 101 // 100},,instructions:u"))
    result, rows = compared(tmp_path, wrong)
    assert result.status == compare.DIFFERENT
    high = [row for some in rows.values() for row in some if row.verdict == "high"]
    assert [row.event for row in high] == ["INST_RETIRED.ANY"] and "+1.00%" in high[0].reason
    assert verdicts(rows)["BR_INST_RETIRED.ALL_BRANCHES"] == {"same"}


@pytest.mark.parametrize("name", ["x-multiplexed.csv", "j-multiplexed.json"])
def test_multiplexed_counts_are_refused(tmp_path, name):
    result, rows = compared(tmp_path, PERF / name)
    assert result.status == compare.NOTHING and rows
    for row in (row for some in rows.values() for row in some):
        assert row.verdict == "refused" and re.match(r"multiplexed: counted \d\d % of", row.reason)


def test_both_rings_are_refused_against_one(tmp_path):
    """cycles and others are both without :u; so is the ring of events without a modifier."""
    result, rows = compared(tmp_path, PERF / "x-d.csv")
    assert result.status == compare.NOTHING
    row, = rows["INST_RETIRED.ANY"]
    assert "other ring: this count is of both rings" in row.reason and ":u" in row.reason


def test_the_start_of_the_program_is_subtracted(tmp_path):
    """What linux_loop costs at n=1 is taken off at n=100000, on both sides."""
    kernels = [folders.Kernel("linux_loop", {"cycles": (0, 1), **COUNTS}, n) for n in (1, N)]
    known = compare_source.folder(folders.make(tmp_path / "0001", 1, kernels, EVENTS))
    other = foreign_files.load(PERF / "x.csv", foreign.Subject("linux_loop", n=N),
                               less=PERF / "x-n1.csv")
    result = compare.compare(known, other, compare.Options(less_n=1))
    same = {row.event: row.reference for row in result.rows if row.verdict == "same"}
    assert same == {"INST_RETIRED.ANY": INSTRUCTIONS[1] * (N - 1),
                    "BR_INST_RETIRED.ALL_BRANCHES": BRANCHES[1] * (N - 1)}
    assert result.status == compare.SAME


def test_less_of_another_event_is_refused(tmp_path):
    _, rows = compared(tmp_path, PERF / "x.csv", less=PERF / "x-tab.csv")
    reasons = {row.reason for some in rows.values() for row in some if row.verdict == "refused"}
    assert any("no such count to subtract" in reason for reason in reasons)


@pytest.mark.parametrize("name", ["x-A.csv", "x-per-core.csv", "j-A.json"])
def test_rows_of_several_cpus_want_a_choice(tmp_path, name):
    with pytest.raises(results.Unreadable, match="--row"):
        foreign_files.load(PERF / name, SUBJECT)
    row = "S0-D0-C1" if "core" in name else "CPU1"
    source = foreign_files.load(PERF / name, dataclasses.replace(SUBJECT, row=row))
    # taskset and the start of the program are in it: more than the loop alone, of both events.
    values = {count.event: count.value for count in source.counts}
    assert values["instructions"] > 500055 and values["branches"] > 200009
    with pytest.raises(results.Unreadable, match="has no row CPU7"):
        foreign_files.load(PERF / name, dataclasses.replace(SUBJECT, row="CPU7"))


@pytest.mark.parametrize("name, words", [
    ("x-interval.csv", "line 1: .*intervals"), ("j-interval.json", "line 1: .*intervals"),
    ("x-de.csv", "line 1: .*decimal commas.*LC_ALL=C"),
    ("j-de.json", "line 1: .*decimal commas.*LC_ALL=C"),
    ("host-de.csv", "line 3: .*decimal commas.*LC_ALL=C"),
    ("host-de.json", "line 3: .*decimal commas.*LC_ALL=C"),
    ("plain.txt", "-x, or -j"), ("host-plain.txt", "-x, or -j")])
def test_what_cannot_be_read_is_refused_by_its_line(name, words):
    with pytest.raises(results.Unreadable, match=words):
        foreign_files.load(PERF / name, SUBJECT)


@pytest.mark.parametrize("name", ["host-not-supported.csv", "host-not-supported.json",
                                  "host-per-thread.csv"])
def test_what_perf_did_not_count_is_refused(tmp_path, name):
    result, rows = compared(tmp_path, PERF / name)
    (row,), = rows.values()
    assert row.verdict == "refused" and row.reason == "perf says it is not supported"
    assert result.status == compare.NOTHING


def test_newer_json_of_perf(tmp_path):
    """Of perf 6.8 and later, by tools/perf's documentation: metrics are objects of their own, and
    numbers may be numbers."""
    newer = tmp_path / "newer.json"
    newer.write_text(
        '{"counter-value" : 500055, "unit" : "", "event" : "cpu_core/instructions/u", '
        '"event-runtime" : 12345, "pcnt-running" : 100.00}\n'
        '{"metric-value" : "2.490177", "metric-unit" : "insn per cycle"}\n'
        '{"metricgroup" : "TopdownL1"}\n')
    _, rows = compared(tmp_path, newer)
    assert verdicts(rows) == {"INST_RETIRED.ANY": {"same"}}


SKYLAKE_CLIENT = "Intel Core Processor (Skylake)"


def test_likwid_regions_are_kernels(tmp_path):
    """The marker API's own instructions are counted: more than two an iteration, not fewer."""
    kernels = [folders.Kernel(name, {"instructions": (0, 2), "branches": (0, 1), "cycles": (0, 1)},
                              n) for name, n in (("loop_dec_jnz", 1000), ("again", 500_000))]
    known = reference(tmp_path, *kernels, brand=SKYLAKE_CLIENT)
    result = compare.compare(known, foreign_files.load(LIKWID / "marker.csv"))
    found = {(row.kernel, row.event): row for row in result.rows if row.verdict != "missing"}
    row = found["again", "INST_RETIRED.ANY"]
    assert (row.reference, row.other, row.verdict) == (1_000_000, 1_003_398, "high")
    assert found["loop_dec_jnz", "BR_INST_RETIRED.ALL_BRANCHES"].difference == 1917 - 1000
    assert {kernel for kernel, _ in found} == {"loop_dec_jnz", "again"}


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
        ("loop_dec_jnz", "the region was called 2 times; a kernel is one call"), ("again", "")}


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


def test_papi_avail_of_another_cpu_is_refused(tmp_path):
    def other_model(run):
        run["cpus"][0]["model"] = 94

    result, _ = compared(tmp_path, PAPI / "avail.txt", change_run=other_model)
    assert "another CPU" in result.refused[0]


def test_a_program_that_prints_as_papi_does(tmp_path):
    """In the form of papi_command_line, whose source prints so; in decimal and hexadecimal."""
    text = tmp_path / "papi.txt"
    text.write_text(f"PAPI_TOT_INS : \t{INSTRUCTIONS[0] + INSTRUCTIONS[1] * N}\n"
                    f"PAPI_BR_INS : \t{BRANCHES[0] + BRANCHES[1] * N:#X}\n"
                    "perf::INSTRUCTIONS:u=1:k=1 : \t1234(u)\n")
    _, rows = compared(tmp_path, text)
    assert verdicts(rows) == {"INST_RETIRED.ANY": {"same", "refused"},
                              "BR_INST_RETIRED.ALL_BRANCHES": {"same"}}


def test_nanobench_compares_per_iteration(tmp_path):
    """The file was written by hand, in the form of nanoBench's README."""
    loop = folders.Kernel("loop_dec_jnz", {"instructions": (0, 2), "branches": (0, 1),
                                           "cycles": (0, 1)})
    known = reference(tmp_path, loop)
    path = DATA / "nanobench/user.txt"
    subject = foreign.Subject("loop_dec_jnz")
    result = compare.compare(known, foreign_files.load(path, subject))
    same = {row.event: row.other for row in result.rows if row.verdict == "same"}
    assert same == {"INST_RETIRED.ANY": 2.0, "BR_INST_RETIRED.ALL_BRANCHES": 1.0}
    wrong = tmp_path / "wrong.txt"
    wrong.write_text(path.read_text().replace("retired: 2.00", "retired: 2.02"))
    result = compare.compare(known, foreign_files.load(wrong, subject))
    row, = [row for row in result.rows if row.verdict == "high"]
    assert row.event == "INST_RETIRED.ANY" and abs(row.per_iteration - 0.02) < 1e-9


@pytest.mark.parametrize("text, words", [
    ("INST_RETIRED: 2,00\n", "line 1: .*a number with a point"),
    ("INST_RETIRED: 2.00\nwhatever\n", "line 2: .*nanoBench"),
    ("", "empty"), ("hello\n", "line 1: .*found 'hello'"), ("INST_RETIRED: 2.0", "end of the line"),
    ("500055,,instructions:u,1,100.00,,\n200009,,branches:u,\n", "line 2: .*file whole"),
    ("\0\n", "zeros"),
    ('{"counter-value" : "5", "event" : "instructions:u"}\n', "line 1: .*event-runtime"),
    ('{"counter-value" : "5", "event" : \n', "line 1: .*file whole")])
def test_broken_files_are_named(tmp_path, text, words):
    path = tmp_path / "broken"
    path.write_text(text)
    with pytest.raises(results.Unreadable, match=words):
        foreign_files.load(path, SUBJECT)


def _counts(source):
    return {(count.place.kernel, count.event, count.ring, count.encoding, count.value)
            for count in source.counts if count.value is not None}


@pytest.mark.parametrize("path", ALL, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_file_cut_anywhere_tells_no_count_that_the_whole_does_not(tmp_path, path):
    """It is refused or holds fewer counts; nothing but Unreadable is raised."""
    subject = foreign.Subject("k", row={"x-A.csv": "CPU1", "j-A.json": "CPU1",
                                        "x-per-core.csv": "S0-D0-C1", "host-A.csv": "CPU1",
                                        "two.csv": "HWThread 1"}.get(path.name, ""))
    text = path.read_text("utf-8")
    try:
        whole = _counts(foreign_files.load(path, subject))
    except results.Unreadable:
        whole = set()
    part = tmp_path / "part"
    for end in range(0, len(text), max(1, len(text) // 30)):
        part.write_text(text[:end])
        try:
            found = _counts(foreign_files.load(part, subject))
        except results.Unreadable:
            continue
        assert found <= whole, text[:end][-60:]
