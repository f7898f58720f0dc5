# SPDX-License-Identifier: BSD-2-Clause
"""The report's plots show the values that formulas put into the folders."""
import dataclasses
import fractions
import pathlib

import folders
import pages
import pytest
from report import document
from report.folder import Folder

# r00c5 is Intel's usual encoding of mispredicted branches. On a CPU with another encoding, such as
# Nehalem, the event is found by its name.
MISPREDICTED = folders.Event("Mispredicted", "r00c5", "mispredicted", "pmc1")
MISPREDICTED_NEHALEM = folders.Event("BR_MISP_EXEC.ANY", "r7f89", "mispredicted", "pmc1")
EVENTS = (*folders.EVENTS, MISPREDICTED)
AMD_CYCLES = folders.Event("CYCLES_NOT_IN_HALT", "r0076", "cycles", "pmc1", "cycles")
AMD_EVENTS = (folders.Event("RETIRED_INSTRUCTIONS", "r00c0", "instructions"), AMD_CYCLES,
              folders.Event("RETIRED_TAKEN_BRANCH_INSTRUCTIONS_MISPREDICTED", "r00c5", "other"),
              folders.Event("RETIRED_BRANCH_INSTRUCTIONS_MISPREDICTED", "r00c3", "mispredicted"))
SIZES = (16384, 65536, 262144, 1048576)


def kernel(name, family, cycles, n=1000, mispredicted=(0, 0), **other):
    return folders.Kernel(name, {"instructions": (0, 3), "cycles": cycles,
                                 "mispredicted": mispredicted}, n, family, **other)


def ns_of_cycles(row):
    """Times at 2,000 MHz."""
    if row["unit"] == "cycles":
        row["mhz"], row["ns"] = "2000", folders.number(int(row["median"]) / 2)


def made(tmp_path, kernels, cpus=1, change=ns_of_cycles, name="0001", events=EVENTS, **other):
    return Folder(folders.make(tmp_path / name, cpus, kernels, events, change=change, **other))


def page_of(*found, **other):
    return pages.Page(document.make(list(found), **other))


def chases(size):
    return kernel("chase_random", "chase", (0, size // 4096), param=f"page=4096;size={size}",
                  buffer_bytes=size)


def test_staircase(tmp_path):
    page = page_of(made(tmp_path, [chases(size) for size in SIZES], 2))
    figures = page.figures("latency")
    title = "Latency of a load: chase_random"
    for what, per_cycle in (("core cycles per load", 1), ("ns per load", 0.5)):
        head, *lines = figures[title, what].table()
        assert head == ["buffer, bytes", f"page=4K, {what}"]
        assert lines == [[name, folders.number(size / 4096 * per_cycle)]
                         for name, size in zip(("16K", "64K", "256K", "1M"), SIZES)]
    drawn = pages.line_of(figures[title, "core cycles per load"], len(SIZES))
    across = [x for x, _ in drawn]
    assert across == sorted(across) and len(set(b - a > 1 for a, b in zip(across, across[1:]))) == 1
    steps = [(drawn[0][1] - y) / (size - SIZES[0]) for (_, y), size in zip(drawn[1:], SIZES[1:])]
    assert steps == pytest.approx([steps[0]] * 3, rel=1e-3) and steps[0] > 0


def test_cpus_are_a_line_and_their_range(tmp_path):
    def change(row):
        if row["cpu"] != "0" and row["unit"] == "cycles":
            row["per_copy"] = str(int(row["per_copy"]) * (1 + int(row["cpu"])))

    head, first, _ = page_of(made(tmp_path, [chases(16384), chases(65536)], 3, change)).figures(
        "latency")["Latency of a load: chase_random", "core cycles per load"].table()
    assert first == ["16K", "8 (4 to 12)"] and len(head) == 2


def test_core_types_and_machines_are_lines_of_their_own(tmp_path):
    def change(row):
        row["core_type"] = "efficiency" if row["cpu"] == "1" else "performance"

    kernels = [chases(16384), chases(65536)]
    page = page_of(made(tmp_path, kernels, 2, change), made(tmp_path, kernels, 1, name="0002"))
    head = page.figures("latency")[
        "Latency of a load: chase_random", "core cycles per load"].table()[0]
    assert head[1:] == [f"{words}, core cycles per load" for words in (
        "0001 page=4K performance", "0001 page=4K efficiency", "0002 page=4K")]


def test_several_n_are_lines_of_their_own(tmp_path):
    """A label names n only if the kernel ran with several n."""
    kernels = [dataclasses.replace(one, n=n, counts={**one.counts, "cycles": (0, cycles)})
               for n, cycles in ((1000, 4), (100000, 5)) for one in map(chases, SIZES[:2])]
    kernels += [kernel("targets_16_256", "branch_targets", (0, 7), 256),
                kernel("targets_16_256", "branch_targets", (0, 8), 512)]
    kernels += [kernel("loaded_none", "loaded_latency", (0, 180), n) for n in (1000, 2000)]
    page = page_of(made(tmp_path, kernels + [kernel("loaded_read", "loaded_latency", (0, 9))]))
    head, *lines = page.figures("latency")[
        "Latency of a load: chase_random", "core cycles per load"].table()
    assert head[1:] == [f"page=4K n={n}, core cycles per load" for n in (1000, 100000)]
    assert lines == [["16K", "4", "5"], ["64K", "4", "5"]]
    grids = {title: figure.table()[1] for (title, what), figure in page.figures("branches").items()
             if what == "core cycles per branch"}
    assert grids == {f"Targets of branches, core cycles per branch: 0001, n={n}":
                     ["16 bytes apart", cycles] for n, cycles in ((256, "7"), (512, "8"))}
    (figure,) = page.figures("loaded").values()
    assert [line[0] for line in figure.table()[1:]] == [
        "all others wait, n=1000", "all others wait, n=2000", "all others read"]


def test_rows_that_failed_are_not_drawn(tmp_path):
    def change(row):
        if row["param"].endswith("=65536") and row["event"] == "INST_RETIRED.ANY":
            row["verdict"], row["reason"] = "off", "seeded"

    figure = page_of(made(tmp_path, [chases(size) for size in SIZES], 1, change)).figures(
        "latency")["Latency of a load: chase_random", "core cycles per load"]
    assert [line[0] for line in figure.table()[1:]] == ["16K", "256K", "1M"]
    assert "Of 4 measurements (a kernel on a CPU), these are left out: 1 with a row that failed." \
        in figure.one("figcaption").text


def test_what_is_cold_is_not_drawn(tmp_path):
    """If no points remain, a reason replaces the figure."""
    def change(row):
        cold = row["param"].endswith("=1048576") or name == "0002"
        row["cold"] = "yes" if cold else "no"

    title = "Latency of a load: chase_random"
    for name, sizes in (("0001", ["16K", "64K", "256K"]), ("0002", [])):
        page = page_of(made(tmp_path, [chases(size) for size in SIZES], 2, change, name))
        figure = page.figures("latency").get((title, "core cycles per load"))
        assert [line[0] for line in figure.table()[1:]] == sizes if sizes else figure is None
        why = ("Of 8 measurements (a kernel on a CPU), these are left out: "
               f"{8 - 2 * len(sizes)} cold (did not cover the whole buffer or pattern).")
        assert why in (figure.one("figcaption") if sizes else page.section("latency")).text


def patterns(*names, sizes=SIZES, counts=None, **other):
    """Each of these kernels takes 200 + n * size / 4096 cycles."""
    return [folders.Kernel(name, {"cycles": (200, size // 4096), **(counts or {})}, 1000, "chase",
                           param=f"size={size}", buffer_bytes=size, **other)
            for name in names for size in sizes]


def test_what_stands_around_the_copies_is_not_drawn(tmp_path):
    """Plots and tables leave out the cycles of the code around the loads.

    Older programs did not write per_copy. For their results, the values include these cycles, and
    the captions say so.
    """
    drawn = []
    for name, change in (("0001", ns_of_cycles),
                         ("0002", lambda row: (ns_of_cycles(row), before_copies(row)))):
        page = page_of(made(tmp_path, patterns("chase_random"), 2, change, name))
        figures = page.figures("latency")
        drawn.append([[float(line[1]) for line in figure.table()[1:]]
                      for figure in figures.values()])
        for figure in figures.values():
            told = figure.one("figcaption").text
            assert ("median / n, which includes the code around" in told) == (name == "0002"), told
            assert ("the median of (sample at 2n" in told) == (name == "0001"), told
    slope = [size / 4096 for size in SIZES]
    assert drawn[0] == [slope, [cycles / 2 for cycles in slope]]  # ns at 2,000 MHz, from the median
    assert drawn[1] == [[cycles + 200 / 1000 for cycles in slope],
                        [(cycles + 200 / 1000) / 2 for cycles in slope]]


def test_a_caption_says_what_is_drawn(tmp_path):
    def change(row):
        ns_of_cycles(row)
        row["core_type"] = "atom" if row["cpu"] == "3" else "core"
        if row["cpu"] == "2" and row["param"].endswith("=65536"):
            row["cold"] = "yes"
        if row["cpu"] == "1" and row["param"].endswith("=16384") and row["unit"] == "cycles":
            row["verdict"], row["median"], row["per_copy"] = "unavailable", "", ""
        if row["cpu"] == "0":
            row["runs"] = "4"

    page = page_of(made(tmp_path, patterns("chase_random"), 4, change))
    told = page.figures("latency")["Latency of a load: chase_random", "core cycles per load"].one(
        "figcaption").text
    assert told == (
        "core cycles per load = core cycles of one n / its loads. From CPU_CLK_UNHALTED.THREAD: "
        "the median of (sample at 2n - median at n) / n (per_copy). 4 to 5 samples each, on "
        "CPUs 0-2 core; CPU 3 atom. Of 16 measurements (a kernel on a CPU), these are left out: 1 "
        "cold (did not cover the whole buffer or pattern), 1 without this number. run.json "
        "does not have the sizes of the caches.")


def test_patterns_over_the_same_sizes_share_a_plot(tmp_path):
    """Patterns that ran with different sizes are in separate plots.

    If a plot would have too many lines, each of its patterns gets a separate plot.
    """
    kernels = patterns("chase_random", "chase_ascending") + patterns("chase_descending",
                                                                     sizes=SIZES[:2])
    figures = page_of(made(tmp_path, kernels)).figures("latency")
    both = "Latency of a load: chase_ascending, chase_random"
    assert {title for title, _ in figures} == {both, "Latency of a load: chase_descending"}
    head, *lines = figures[both, "core cycles per load"].table()
    assert head[1:] == [f"{name}, core cycles per load"
                        for name in ("chase_random", "chase_ascending")]
    assert lines == [[name, *[folders.number(size / 4096)] * 2]
                     for name, size in zip(("16K", "64K", "256K", "1M"), SIZES)]
    for machines, titles in ((4, {both}), (5, {"Latency of a load: chase_random",
                                               "Latency of a load: chase_ascending"})):
        many = [made(tmp_path, kernels[:8], name=f"{machines}-{number}")
                for number in range(machines)]
        assert {title for title, _ in page_of(*many).figures("latency")} == titles


def test_a_stride_over_sizes_is_a_pattern_too(tmp_path):
    kernels = patterns("chase_random") + [
        folders.Kernel("chase_stride", {"cycles": (0, 7)}, family="chase_stride",
                       param=f"size={size};stride=256", buffer_bytes=size) for size in SIZES]
    head, first, *_ = page_of(made(tmp_path, kernels)).figures("latency")[
        "Latency of a load: chase_random, chase_stride", "core cycles per load"].table()
    assert head[1:] == ["chase_random, core cycles per load",
                        "chase_stride stride=256, core cycles per load"]
    assert first == ["16K", "4", "7"]


CACHES = [("data", 1, 32768), ("code", 1, 65536), ("unified", 2, 131072), ("unified", 3, 2**24)]


def with_caches(*caches_of_cpus):
    def change(run):
        for cpu, caches in zip(run["cpus"], caches_of_cpus):
            cpu["caches"] = [dict(zip(("type", "level", "bytes"), cache)) for cache in caches]
    return change


def test_caches_are_marked(tmp_path):
    """Each data or unified cache is marked at its size on the logarithmic x axis.

    32K is half way between 16K and 64K, and 128K is half way between 64K and 256K.
    """
    folder = made(tmp_path, patterns("chase_random"), 2, change_run=with_caches(CACHES, CACHES))
    page = page_of(folder)
    for what in ("core cycles per load", "ns per load"):
        figure = page.figures("latency")["Latency of a load: chase_random", what]
        across = [x for x, _ in pages.line_of(figure, len(SIZES))]
        marks = [x for x in sorted(pages.uprights(figure))]
        assert marks == pytest.approx([sum(across[:2]) / 2, sum(across[1:3]) / 2])
        words = [text.text for text in figure.all("text") if text.text.startswith("L")]
        assert words == ["L1d 32K", "L2 128K"]
        assert "marked if the x axis includes them: L1d 32K, L2 128K, L3 16M." in \
            figure.one("figcaption").text
    cpus, = (table for table in page.section("machine").all("table")
             if "Caches" in [head.text for head in table.all("th")])
    assert [cell.text for cell in cpus.all("td")][-1] == "L1d 32K, L2 128K, L3 16M"


def test_caches_of_types_of_cores(tmp_path):
    def change(row):
        row["core_type"] = "atom" if row["cpu"] == "1" else "core"

    small = [("data", 1, 65536)]
    page = page_of(made(tmp_path, patterns("chase_random"), 2, change,
                        change_run=with_caches(CACHES, small)))
    figure = page.figures("latency")["Latency of a load: chase_random", "core cycles per load"]
    assert ("L1d 32K, L2 128K, L3 16M (0001 core); L1d 64K (0001 atom)."
            in figure.one("figcaption").text)
    assert len(pages.uprights(figure)) == 3


@pytest.mark.parametrize("others, words", [
    ([], "The CPUs' caches differ, so none is marked."),
    ([CACHES], "axis includes them: the CPUs' caches differ, so none is marked (0001); L1d 32K, "
     "L2 128K, L3 16M (0002).")])
def test_caches_that_differ_are_not_marked(tmp_path, others, words):
    found = [made(tmp_path, patterns("chase_random"), 2, name=name,
                  change_run=with_caches(*caches))
             for name, caches in (("0001", (CACHES, CACHES[:1])),
                                  *(("0002", (other, other)) for other in others))]
    figure = page_of(*found).figures("latency")[
        "Latency of a load: chase_random", "core cycles per load"]
    assert figure.one("figcaption").text.endswith(words)


# Each iteration executes 16 loads: 1/4 of the loads miss L1, and 1/8 miss L2. The events of a row
# count misses or hits; "other" counts neither.
@pytest.mark.parametrize("model, core_type, last, events", [
    (85, "", "L3", (("r08d1", "missed"), ("r10d1", "missed_2"), ("r20d1", "missed_3"),
                    ("r412e", "other"))),
    (85, "", "last-level", (("r01d1", "hit"), ("r02d1", "hit_2"), ("r412e", "missed_3"))),
    (92, "", "last-level", (("r08d1", "missed"), ("r10d1", "missed_2"), ("r412e", "missed_3"),
                            ("r20d1", "other"))),
    (151, "atom", "last-level", (("r08d1", "missed"), ("r10d1", "missed_2"),
                                 ("r412e", "missed_3"), ("r20d1", "other"))),
    (26, "", "L3", (("r01cb", "hit"), ("r02cb", "hit_2"), ("r10cb", "missed_3"),
                    ("r01d1", "other")))])
def test_misses_of_a_load(tmp_path, model, core_type, last, events):
    counts = {"missed": (3, 4), "missed_2": (5, 2), "missed_3": (9, 0), "hit": (1, 12),
              "hit_2": (2, 2), "other": (0, 1)}
    kernels = [kernel("chase_random", "chase", (0, 16), param=f"size={size}", buffer_bytes=size)
               for size in SIZES]
    kernels = [dataclasses.replace(one, counts={**one.counts, **counts}) for one in kernels]
    seen = [folders.Event(f"Event{number}", code, what)
            for number, (code, what) in enumerate(events)]

    def of_16_loads(row):
        ns_of_cycles(row)
        row["copies"], row["per_copy"] = "1", folders.number(float(row["per_copy"]) / 16)

    page = page_of(made(tmp_path, kernels, change=of_16_loads, events=(*EVENTS, *seen),
                        change_run=lambda run: [cpu.update(model=model, core_type=core_type)
                                                for cpu in run["cpus"]]))
    title = "Latency of a load: chase_random"
    first, second = (page.figures("latency")[title, what]
                     for what in ("core cycles per load", "ns per load"))
    head, *lines = first.table()
    assert head[2:] == [f"chase_random, {level} misses per load" for level in ("L1d", "L2", last)]
    assert [line[2:] for line in lines] == [["0.25", "0.125", "0"]] * len(SIZES)
    assert (f"The lower plot shows L1d misses, L2 misses, {last} misses per load, computed in the "
            "same way from Event0, Event1, Event2." in first.one("figcaption").text)
    assert len(second.table()[0]) == 2 and "lower plot" not in second.one("figcaption").text


@pytest.mark.parametrize("told, beneath", [
    ({"model": 55}, ["last-level misses"]), ({"model": 15}, ["last-level misses"]),
    ({"vendor": "AMD", "family": 25, "model": 97}, []), ({"family": 15, "model": 6}, [])])
def test_misses_where_codes_are_other_events(tmp_path, told, beneath):
    """On Silvermont and Core 2, only the code of the architectural event counts misses. On AMD and
    Pentium 4, none of the codes counts misses.
    """
    codes = ("r08d1", "r10d1", "r20d1", "r01cb", "r412e", "r0e08", "r0208")
    seen = [folders.Event(f"Event{number}", code, "missed") for number, code in enumerate(codes)]
    cycles = AMD_CYCLES if told.get("vendor") == "AMD" else EVENTS[1]
    page = page_of(made(tmp_path, patterns("chase_random", counts={"missed": (0, 1)}),
                        events=(EVENTS[0], cycles, *seen),
                        change_run=lambda run: [cpu.update(told) for cpu in run["cpus"]]))
    head = page.figures("latency")[
        "Latency of a load: chase_random", "core cycles per load"].table()[0]
    assert head[2:] == [f"chase_random, {what} per load" for what in beneath]


def test_rings_side_by_side_are_several_loads(tmp_path):
    kernels = [kernel(f"chase_parallel_{rings}", "chase_parallel", (0, 8 * rings),
                      buffer_bytes=65536) for rings in (1, 2, 4)]
    figure = page_of(made(tmp_path, kernels)).figures("latency")[
        "Loads side by side", "core cycles per load"]
    assert figure.table()[1:] == [["1", "8"], ["2", "8"], ["4", "8"]]


# In each iteration, a kernel moves a cache line, or a block of `argument` bytes. A block is at most
# as large as the buffer, or as half of the buffer if the kernel copies (kernels/bandwidth.asm).
@pytest.mark.parametrize("name, argument, each", [
    ("read_32", 0, (64, 64)), ("copy_nt_16", 0, (64, 64)), ("stosb_block", 1024, (256, 1024)),
    ("movsq_block", 1024, (128, 1024))])
def test_bandwidth(tmp_path, name, argument, each):
    kernels = [kernel(name, "bandwidth", (0, 16), 1000, param=f"size={size}", buffer_bytes=size,
                      argument=argument) for size in (256, 4096)]
    group = next(word for word in ("copy_nt", "read", "stos", "movs") if name.startswith(word))
    head, *lines = page_of(made(tmp_path, kernels)).figures("bandwidth")[
        f"Bandwidth: {group}", "GB/s (10⁹ bytes a second)"].table()
    assert head[1].startswith(name)
    ns = 8  # per n: 16 cycles at 2,000 MHz
    assert lines == [[size, folders.number(size_bytes / ns)]
                     for size, size_bytes in zip(("256", "4K"), each)]


def test_bandwidth_in_parallel(tmp_path):
    """Each of 3 CPUs moves 64 bytes in 8 ns. There is no total for a size at which a row failed."""
    def change(row):
        ns_of_cycles(row)
        row["mode"] = "parallel"
        if row["param"] == "size=4096" and row["cpu"] == "2":
            row["verdict"] = "off"

    kernels = [kernel("read_32", "bandwidth", (0, 16), 1000, param=f"size={size}",
                      buffer_bytes=size) for size in SIZES[:2] + (4096,)]
    captions = [figure.one("figcaption").text for figure in
                page_of(made(tmp_path, kernels, 3, change)).figures("bandwidth").values()]
    words = " With mode=parallel each number is for one CPU while all CPUs run the kernel"
    assert f"{words}; the sum of all CPUs is 24 GB/s." in captions[0]
    assert words not in captions[1]


def test_pairs_are_a_matrix(tmp_path):
    def change(row):
        if row["unit"] == "cycles":
            row["ns"] = str(1000 * (10 * int(row["cpu"]) + int(row["partner"])))

    kernels = [kernel(name, "core_to_core", (0, 1), 100, pairs=True)
               for name in ("core_to_core", "core_to_core_write")]
    figures = page_of(made(tmp_path, kernels, 3, change)).figures("cores")
    both, one = figures.values()
    assert both.table() == [["CPU", "with 0", "with 1", "with 2"], ["CPU 0", "", "10", "20"],
                            ["CPU 1", "100", "", "120"], ["CPU 2", "200", "210", ""]]
    assert [line[1:] for line in one.table()[1:]] == [["", "10", "20"], ["", "", "120"],
                                                      ["", "", ""]]
    assert "ns per round trip" in both.one("figcaption").text
    assert "ns per store" in one.one("figcaption").text
    assert [text.text for text in one.all("text")].count("120") == 1


def test_pairs_are_one_line_but_for_their_verdicts(tmp_path):
    def change(row):
        if row["unit"] == "cycles":
            row["median"] = str(1000 * (10 * int(row["cpu"]) + int(row["partner"])))
            if (row["cpu"], row["partner"]) == ("2", "0"):
                row["verdict"], row["reason"] = "noisy", "seeded"

    kernels = [kernel("core_to_core", "core_to_core", (0, 1), 100, pairs=True)]
    lines = page_of(made(tmp_path, kernels, 3, change)).section("results").table()[2:]
    assert [(line[1], line[2], line[4]) for line in lines] == [
        ("0 with 1, 1 with 0, 0 with 2, 1 with 2, 2 with 1", "exact", "11000 to 21000 in all"),
        ("2 with 0", "noisy", "120000 in allnoisy")]


def test_loaded_latency(tmp_path):
    def change(row):
        if row["unit"] == "cycles":
            row["ns"] = str({"loaded_none": 90_000, "loaded_write": 250_000}[row["kernel"]]
                            + 1000 * int(row["cpu"]))

    kernels = [kernel(name, "loaded_latency", (0, 180), param=param) for name, param in (
        ("loaded_none", "delay=0;size=65536"), ("loaded_write", "delay=100;memory=wt;size=65536"))]
    (figure,) = page_of(made(tmp_path, kernels, 3, change)).figures("loaded").values()
    assert figure.table()[1:] == [["all others wait, size=64K", "91 (90 to 92)"],
                                  ["all others write, delay=100, memory=wt, size=64K",
                                   "251 (250 to 252)"]]


@pytest.mark.parametrize("name, family, values, title", [
    ("branch_period", "branch_patterns", "period", "A branch taken once in a period"),
    ("branch_table", "branch_patterns", "length", "A repeated random pattern"),
    ("indirect_jmp_random", "branch_indirect", "targets", "Indirect branches")])
def test_branches(tmp_path, name, family, values, title):
    kernels = [kernel(name, family, (0, 4), 1000, (7, step), param=f"{values}={2 ** step}")
               for step in (1, 2, 3)]
    figure = page_of(made(tmp_path, kernels)).figures("branches")[title, "mispredicted per branch"]
    assert figure.table()[1:] == [["2", "1"], ["4", "2"], ["8", "3"]]


@pytest.mark.parametrize("vendor", ["AMD", "Hygon"])
def test_branches_on_amd(tmp_path, vendor):
    """On Intel, event C5H counts all mispredicted branches; on AMD, only those that are taken."""
    kernels = [dataclasses.replace(one, counts={**one.counts, "other": (0, 9)}) for one in (
        kernel("branch_table", "branch_patterns", (0, 4), 1000, (7, step),
               param=f"length={2 ** step}") for step in (1, 2, 3))]
    figure = page_of(made(tmp_path, kernels, events=AMD_EVENTS, change_run=lambda run: [
        cpu.update(vendor=vendor) for cpu in run["cpus"]])).figures("branches")[
            "A repeated random pattern", "mispredicted per branch"]
    assert figure.table()[1:] == [["2", "1"], ["4", "2"], ["8", "3"]]


def test_calls_are_as_many_branches_as_deep(tmp_path):
    kernels = [kernel(f"call_depth_{depth}", "call_depth", (0, depth), 100, (0, depth // 4))
               for depth in (4, 8)]
    events = (*folders.EVENTS, MISPREDICTED_NEHALEM)
    figure = page_of(made(tmp_path, kernels, events=events)).figures("branches")[
        "Nested calls", "mispredicted per branch"]
    assert figure.table()[1:] == [["4", "0.25"], ["8", "0.25"]]


# `other` gives fields of a row that comes before the correct rows. The row of `other` resembles the
# correct ones, but does not count the kernel's cycles or mispredictions, and must not be drawn.
@pytest.mark.parametrize("of, other", [
    ("cycles", {"encoding": "r18000c0", "event": "Stalled"}),
    ("cycles", {"encoding": "r003c", "event": "CPU_CLK_UNHALTED.THREAD_P:u", "ring": "usr"}),
    ("mispredicted", {"encoding": "r18000c5", "event": "BR_MISP_RETIRED.ALL_BRANCHES:cmask=1:inv"}),
    ("mispredicted", {"encoding": "r00c5", "event": "BR_MISP_RETIRED.ALL_BRANCHES:u",
                      "ring": "usr"})])
def test_what_is_not_of_the_kernel_is_not_drawn(tmp_path, of, other):
    seeded = folders.Event("seeded", "", of, "pmc2", "cycles" if of == "cycles" else "count")

    def change(row):
        if row["event"] == "seeded":
            row |= {"median": "4", "ns": "2" if of == "cycles" else "", **other}
        else:
            ns_of_cycles(row)

    kernels = [kernel(f"call_depth_{depth}", "call_depth", (0, depth), 100, (0, depth // 4))
               for depth in (4, 8)] + [chases(16384), chases(65536)]
    page = page_of(made(tmp_path, kernels, change=change, events=(seeded, *EVENTS)))
    latency = page.figures("latency")
    title = "Latency of a load: chase_random"
    assert latency[title, "core cycles per load"].table()[1:] == [["16K", "4"], ["64K", "16"]]
    assert latency[title, "ns per load"].table()[1:] == [["16K", "2"], ["64K", "8"]]
    assert page.figures("branches")["Nested calls", "mispredicted per branch"].table()[1:] == [
        ["4", "0.25"], ["8", "0.25"]]


def test_targets_are_a_grid(tmp_path):
    kernels = [kernel(f"targets_{distance}_{ring}", "branch_targets", (0, distance + ring), ring)
               for distance, ring in ((16, 256), (16, 512), (32, 256))]
    figure = page_of(made(tmp_path, kernels)).figures("branches")[
        "Targets of branches, core cycles per branch: 0001", "core cycles per branch"]
    assert figure.table() == [["", "256 branches", "512 branches"],
                              ["16 bytes apart", "272", "528"], ["32 bytes apart", "288", ""]]


def before_copies(row):
    """Empty the row's columns `copies` and `per_copy…`, which older versions did not write."""
    row |= dict.fromkeys(("copies", "per_copy", "per_copy_min", "per_copy_max"), "")


@pytest.mark.parametrize("change, of_100", [(None, 0), (before_copies, 20 / 100)])
def test_instructions(tmp_path, change, of_100):
    """20 cycles of a kernel do not depend on n. Values include the 20 only if per_copy is empty."""
    kernels = [kernel("lat_add", "int_alu", (20, 8), 100, copies=8,
                      title="n times: 8 dependent add r64, r64"),
               kernel("tp_add", "int_alu", (20, 3), 100, copies=12,
                      title="n times: 12 independent add r64, r64"),
               kernel("tp_div", "int_divide", (20, 240), 100, copies=12,
                      title="n times: 12 independent div"),
               kernel("mine", "code", (20, 3), 100, title="code of the plan")]
    table = page_of(made(tmp_path, kernels, change=change)).section("instructions").table()
    wanted = [folders.number((cycles + of_100) / copies)
              for cycles, copies in ((8, 8), (3, 12), (240, 12), (3, 1))]
    assert table == [["Kernel", "Copies of", "latency, cycles", "throughput, cycles",
                      "code of the plan, cycles"],
                     ["int_alu"], ["add", "add r64, r64", wanted[0], wanted[1], ""],
                     ["int_divide"], ["div", "div", "", wanted[2], ""],
                     ["code"], ["mine", "code of the plan", "", "", wanted[3]]]


def in_parallel(row):
    ns_of_cycles(row)
    if row["kernel"] == "lat_sub":
        row["mode"] = "parallel"


def test_instructions_with_parameters(tmp_path):
    """Each combination of n, parameter and mode has a line; the combination is below the name."""
    alike = {"copies": 1, "title": "n times: 1 dependent mov"}
    kernels = [kernel("lat_mov", "memory", (0, 4), param="size=4096", **alike),
               kernel("lat_mov", "memory", (0, 9), param="size=65536", **alike),
               kernel("tp_mov", "memory", (0, 2), param="size=65536", **alike),
               kernel("lat_add", "alu", (20, 1), 100, **alike),
               kernel("lat_add", "alu", (20, 3), 200, **alike),
               kernel("lat_sub", "alu", (20, 5), 200, **alike)]
    table = page_of(made(tmp_path, kernels, change=in_parallel)).section("instructions").table()
    assert table[1:] == [
        ["memory"], ["movsize=4096", "mov", "4", ""], ["movsize=65536", "mov", "9", "2"],
        ["alu"], ["addn=100", "mov", "1", ""], ["addn=200", "mov", "3", ""],
        ["subparallel", "mov", "5", ""]]


def unsteady(row):
    if row["unit"] == "cycles" and row["kernel"] == "load":
        row["modes"], row["stable"], row["mad"] = str(1 + int(row["cpu"])), "no", "9"


def seed_samples(folder):
    """Reject the third attempt of `load` on CPU 1, and make its count 7 higher."""
    path = pathlib.Path(folder) / "samples.csv"
    lines = path.read_text("ascii").splitlines(keepends=True)
    seeded = [number for number, line in enumerate(lines)
              if line.startswith("1,load,") and ",CPU_CLK_UNHALTED.THREAD,0,2,1,," in line]
    assert len(seeded) == 1
    lines[seeded[0]] = lines[seeded[0]].replace(",0,2,1,,", ",0,2,0,smi,").replace("2015", "2022")
    path.write_text("".join(lines), "ascii")


def test_samples_of_what_is_not_steady(tmp_path):
    folder = folders.make(tmp_path / "0001", 2, change=unsteady, samples=True)
    seed_samples(folder)
    (figure,) = pages.Page(document.make([Folder(folder)])).section("samples").all("figure")
    assert figure.one("h3").text == "0001: load, CPU 1"
    assert figure.table()[1:] == [["accepted", "4", "2015", "2015", "2015", ""],
                                  ["rejected", "1", "2022", "2022", "2022", "smi: 1"]]


def test_samples_that_are_asked_for(tmp_path):
    folder = folders.make(tmp_path / "0001", 2, samples=True)
    page = pages.Page(document.make([Folder(folder)], samples="loop_*"))
    assert [figure.one("h3").text for figure in page.section("samples").all("figure")] == [
        "0001: loop_dec_jnz, CPU 0", "0001: loop_dec_jnz, CPU 1"]


NOTHING = "steady: there is nothing to look into."
TIME = ("cycles", "tsc ticks")
TOO_FEW = "have fewer than five clean samples on a CPU, too few to tell."


def unsteady_stamps(row):
    if row["unit"] == "tsc ticks" and row["kernel"] == "load":
        row["stable"] = "no"


def with_runs(runs, units, kernels=("empty", "loop_dec_jnz", "load"), cpus="01"):
    """Returns a function that gives some rows only `runs` clean samples, which are too few."""
    def change(row):
        if row["unit"] in units and row["kernel"] in kernels and row["cpu"] in cpus:
            row.update(runs=runs, stable="", median=row["median"] if runs != "0" else "")
    return change


@pytest.mark.parametrize("change, told", [
    (None, f"The core cycles of every kernel were {NOTHING}"),
    (unsteady_stamps, f"The core cycles of every kernel were {NOTHING} "
                      "The time stamp was unsteady in 2 of 6 rows."),
    (with_runs("0", ("cycles",)), f"The time stamp of every kernel was {NOTHING}"),
    (with_runs("0", ("cycles",), ("load",)),
     f"The core cycles, or else the time stamp, of every kernel were {NOTHING}"),
    *((with_runs(runs, TIME), "No kernel has the five clean samples on each CPU that are needed to "
                              "tell whether its time was steady.") for runs in ("0", "4")),
    *((with_runs(runs, TIME, ("load",), cpus), "The core cycles of 2 of 3 kernels were steady; "
       f"the others {TOO_FEW}") for runs in ("0", "4") for cpus in ("01", "1")),
    (lambda row: row.update(mad="", stable=""), "The version of the program that measured this "
                                                "does not say whether times were steady.")])
def test_what_is_steady(tmp_path, change, told):
    """Rows of cycles show whether a kernel is steady, or rows of the time stamp if the rows of
    cycles have no samples.
    """
    folder = folders.make(tmp_path / "0001", 2, change=change, samples=True)
    page = pages.Page(document.make([Folder(folder)]))
    assert page.section("samples").text.endswith(told)


def test_one_value_is_no_plot(tmp_path):
    page = page_of(made(tmp_path, [chases(16384), *folders.KERNELS]))
    assert page.sections() == ["verdicts", "machine", "noise", "results", "samples"]


def test_against_linux(tmp_path):
    kernels = [kernel(f"kernel_{step}", "loops", (0, step), 1000 * step) for step in range(1, 9)]

    def change(row):
        if row["event"] == "INST_RETIRED.ANY":
            more = 5 + 1000 * (row["kernel"] == "kernel_4")
            row |= {name: str(int(row[name]) + more)
                    for name in ("min", "median", "max", "q1", "q3")}
        if row["event"] != "TSC":
            row["ring"] = "usr"

    def change_run(run):
        run |= {"source": "linux", "linux": {"kernel": "6.1.0-50", "read_by": "ioctl"}}

    reference = made(tmp_path, kernels, 2)
    linux = made(tmp_path, kernels, 2, change=change, name="linux", change_run=change_run)
    page = page_of(reference, linux=linux)
    section = page.section("linux")
    assert dict(line[:2] for line in section.table()[1:])["tax"] == "14"
    assert dict(line[:2] for line in section.table()[1:])["high"] == "2"
    *_, every_count = section.all("table")
    (name, *_, bare, measured, more, _, verdict, _), = (
        line for line in ([cell.text for cell in line.children] for line in every_count.all("tr"))
        if line[0].startswith("kernel_4") and line[1:4] == ["INST_RETIRED.ANY", "usr", "0, 1"])
    assert name == "kernel_4n=4000 " and verdict == "high"
    assert int(measured) - int(bare) == int(more) == 1005
    figure = section.one("figure")
    assert figure.one("h3").text == "INST_RETIRED.ANY (usr): Linux minus bare metal"
    assert {line[0]: fractions.Fraction(line[1]) for line in figure.table()[1:]} == {
        f"kernel_{step}": 5 + 1000 * (step == 4) for step in range(1, 9)}
    assert ["Linux: kernel", "unknown", "6.1.0-50"] in page.section("machine").table()
