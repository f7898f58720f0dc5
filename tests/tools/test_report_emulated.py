# SPDX-License-Identifier: BSD-2-Clause
"""The report on an emulated machine marks all cycles and times."""
import folders
import pages
import pytest
from report import document
from report.folder import Folder

EMULATED = {"emulated": "by formula"}
MARK = "emulated: by formula"
BY_FORMULA = " Emulated times are computed from emulated cycles."
OF_HOST = "emulated: the host's time"  # gaps, and times from the time stamp
HOSTS = " Emulated times are the host's, from its time stamp."
NOTE = f"Cycles: {MARK}. The time stamp, gaps and rates of an emulated machine are the host's time."
BANDWIDTH = "These rates use the host's time, and are not a machine's bandwidth."
SIZES = (16384, 65536, 262144)
COUNTS = {"instructions": (0, 3), "cycles": (0, 2)}
KERNELS = (
    *(folders.Kernel("chase_random", COUNTS, family="chase", param=f"page=4096;size={size}",
                     buffer_bytes=size) for size in SIZES),
    folders.Kernel("core_to_core", COUNTS, family="cores", pairs=True),
    folders.Kernel("lat_add", COUNTS, family="add", title="n times: 4 dependent ADD"))


def unsteady(row):
    """Set 2,000 MHz, so that rows have times, and stable=no, so that samples are drawn."""
    row["stable"] = "no"
    if row["unit"] == "cycles":
        row.update(mhz="2000", ns=folders.number(int(row["median"]) / 2))


def page_of(tmp_path, *machines):
    """The report has figures of latencies, CPU pairs and samples, and a table of instructions."""
    made = [folders.make(tmp_path / f"machine-{number}", 2, KERNELS, machine=machine, samples=True,
                         change=unsteady)
            for number, machine in enumerate(machines)]
    return pages.Page(document.make([Folder(folder) for folder in made]))


def notes(section):
    return [text.text for text in section.all("p") if text.text.startswith("Cycles: ")]


def marks(page):
    return [[words.text for words in figure.one("svg").all("text") if "emulated" in words.text]
            for figure in page.root.all("figure")]


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    return [page_of(tmp_path_factory.mktemp("one"), machine) for machine in (EMULATED, {})]


def test_every_section_and_picture_is_marked(both):
    marked, plain = both
    sections = [section for section in marked.root.all("section")
                if section.attributes["id"] != "verdicts"]
    assert {section.attributes["id"] for section in sections} >= {
        "machine", "noise", "results", "latency", "cores", "instructions", "samples"}
    for section in sections:
        assert notes(section)[0] == NOTE, section.attributes
    found = marks(marked)
    assert len(found) > 4 and set(map(tuple, found)) == {(MARK,), (OF_HOST,)}
    assert found.count([OF_HOST]) == 1  # the noise plot
    assert len(marks(plain)) == len(found) and not any(marks(plain))
    assert "emulated" not in plain.root.text


def test_the_mark_stands_below_what_is_drawn(both):
    for with_mark, without in zip(*(page.root.all("figure") for page in both)):
        marked, plain = with_mark.one("svg"), without.one("svg")
        boxes = [[float(word) for word in svg.attributes["viewbox"].split()]
                 for svg in (marked, plain)]
        assert boxes[0][:3] == boxes[1][:3] and boxes[0][3] > boxes[1][3]
        words = next(text for text in marked.all("text") if text.text in (MARK, OF_HOST))
        assert boxes[1][3] < float(words.attributes["y"]) < boxes[0][3]
        told = marked.attributes["aria-label"].replace(BY_FORMULA, "")
        assert told == f"{plain.attributes['aria-label']} {words.text}."


def test_times_say_how_they_came_about(tmp_path):
    """Captions say that times from cycles are computed, and that other times are the host's."""
    def without_cycles(row):
        unsteady(row)
        if row["unit"] == "cycles":
            row["verdict"], row["median"], row["ns"] = "unavailable", "", ""
        if row["event"] == "TSC":
            row["ns"] = folders.number(int(row["median"]) / 2)

    for name, change, words in (("cycles", unsteady, BY_FORMULA), ("tsc", without_cycles, HOSTS)):
        folder = folders.make(tmp_path / name, 2, KERNELS, machine=EMULATED, change=change)
        page = pages.Page(document.make([Folder(folder)]))
        told = {figure.one("figcaption").text for figure in page.root.all("figure")}
        of_time = {text for text in told if " ns " in text or "ns per" in text}
        assert len(of_time) >= 2 and all(words in text for text in of_time), of_time
        marked = {figure.attributes["id"] for figure in page.root.all("figure")
                  if OF_HOST in [text.text for text in figure.all("text")]}
        assert marked == {"noise-1"} | ({"latency-1", "pairs-1"} if words == HOSTS else set())
        assert not any("Emulated times" in text for text in told - of_time)


def test_card_machine_and_columns_of_cycles(both):
    marked, plain = both
    card = next(one for one in marked.root.all("div")
                if "card " in one.attributes.get("class", ""))
    assert notes(card) == [NOTE]
    facts = dict(line[:2] for line in marked.section("machine").table()[1:])
    assert facts["Cycles"] == MARK
    for page, is_marked in ((marked, True), (plain, False)):
        heads = [head.text for head in page.section("results").all("th")]
        assert any(head.startswith("INST_RETIRED.ANY") and MARK not in head for head in heads)
        rows = [head.text for head in page.section("results").all("th")
                if head.attributes.get("scope") == "row"]
        for event, unit, words in (("CPU_CLK_UNHALTED.THREAD", "cycles", MARK),
                                   ("TSC", "tsc ticks", OF_HOST)):
            assert f"{event}{unit}{', ' + words if is_marked else ''}" in heads
            assert f"{event}{words if is_marked else ''}" in rows
    assert facts["Time stamp"].endswith(f", {OF_HOST}")


@pytest.mark.parametrize("event", ["CPU_CLK_UNHALTED.THREAD", "TSC"])
def test_bandwidth_of_the_host_is_not_the_machines(tmp_path, event):
    """If rates in GB/s use the host's time, the caption of their figure says so. The figure in
    bytes per core cycle (64 / 2) never mentions the host's time.
    """
    def change(row):
        if row["event"] == event:
            row["ns"] = folders.number(int(row["median"]) / 2)

    kernels = [folders.Kernel("read_8", COUNTS, family="bandwidth", param=f"size={size}",
                              buffer_bytes=size) for size in SIZES]
    for machine, is_marked in ((EMULATED, event == "TSC"), ({}, False)):
        folder = folders.make(tmp_path / str(bool(machine)), 1, kernels, machine=machine,
                              change=change)
        figures = pages.Page(document.make([Folder(folder)])).figures("bandwidth")
        rates, per_cycle = figures.values()
        assert (BANDWIDTH in rates.one("figcaption").text) == is_marked
        assert BANDWIDTH not in per_cycle.one("figcaption").text
        assert [figure.one("h3").text for figure in (rates, per_cycle)] == [
            "Bandwidth in GB/s: read", "Bandwidth in bytes per core cycle: read"]
        assert [line[1] for line in per_cycle.table()[1:]] == ["32", "32", "32"]


def test_of_several_machines_the_emulated_one_is_named(tmp_path):
    page = page_of(tmp_path, {}, EMULATED)
    assert notes(page.section("results"))[0] == NOTE.replace(MARK, f"machine-1 is {MARK}")
    assert any(words == [f"machine-1 is {MARK}"] for words in marks(page))
    assert any(words == [MARK] for words in marks(page)) and [] in marks(page)
