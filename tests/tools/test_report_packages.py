# SPDX-License-Identifier: BSD-2-Clause
"""The report shows uncore counts in a table and plots of their own, apart from core counts."""
import folders
import pages
import pytest
from report import document
import results
from report.folder import Folder

EVENTS = (*folders.EVENTS, folders.DRAM_READ, folders.DRAM_WRITE)
SIZES = (65536, 1048576)
N, CYCLES = 1000, 32  # CYCLES: per n
READ, WRITTEN = 64, 16  # bytes per n
NS = (N * CYCLES + 60) / 2  # at 2,000 MHz


def copies(size):
    """A copy kernel that reads more bytes from memory if its buffer is larger."""
    return folders.Kernel("copy_32", {
        "instructions": (0, 3), "cycles": (0, CYCLES), "lines_read": (0, READ * size // SIZES[0]),
        "lines_write": (0, WRITTEN)}, N, "bandwidth", f"size={size}", size)


def page_of(folder, **other):
    return pages.Page(document.make([Folder(folder)], **other))


@pytest.fixture(name="kernels")
def _kernels():
    return [copies(size) for size in SIZES]


def test_a_row_for_each_kernel_and_event(tmp_path, kernels):
    """The rate in GB/s is bytes per ns."""
    def two_packages(run):
        for cpu in run["cpus"]:
            cpu["package"] = cpu["cpu"] // 2

    page = page_of(folders.make(tmp_path / "0001", 4, kernels, EVENTS, package_cpus=(0, 2),
                                change_run=two_packages))
    head, *lines = page.section("packages").table()
    assert head[1:7] == ["Event", "CPU", "Package", "Mean", "Unit", "Rate"]
    expected = [["copy_32n=1000, size=" + str(size), event, str(cpu), str(cpu // 2),
                 str(count), "bytes", f"{folders.number(count / NS)} GB/s", counter, "measured", ""]
                for size in SIZES for cpu in (0, 2) for event, count, counter in (
                    ("dram_read_bytes", N * READ * size // SIZES[0], "imc0"),
                    ("dram_write_bytes", N * WRITTEN, "imc1"))]
    assert sorted(lines) == sorted(expected)


def test_the_cores_tables_have_nothing_of_it(tmp_path, kernels):
    """All CPUs share a line, although one CPU also has uncore rows, which are `off`."""
    def off(row):
        if row["scope"] == results.PACKAGE:
            row |= {"verdict": "off", "reason": "the counter stands still"}
        elif row["unit"] == "cycles":
            row["ns"] = folders.number(int(row["median"]) / 2)

    page = page_of(folders.make(tmp_path / "0001", 4, kernels, EVENTS, change=off))
    head, _, *lines = page.section("results").table()
    assert head[3:] == ["INST_RETIRED.ANY", "CPU_CLK_UNHALTED.THREADcycles", "TSCtsc ticks"]
    assert [line[1:3] for line in lines] == [["0-3", "exact"]] * len(SIZES)
    assert "Bandwidth in GB/s: copy" in page.section("bandwidth").text
    assert "Left out" not in page.section("bandwidth").text
    failed = [[cell.text for cell in line.children]
              for line in page.section("verdicts").all("tr") if "stands still" in line.text]
    assert [line[1:5] for line in failed] == [
        ["off", "the counter stands still", "dram_read_bytes, dram_write_bytes", "0"]
        for _ in SIZES]


def test_traffic_by_size(tmp_path, kernels):
    figures = page_of(folders.make(tmp_path / "0001", 2, kernels, EVENTS)).figures("packages")
    for what, counts in (("read", [N * READ * size // SIZES[0] for size in SIZES]),
                         ("written", [N * WRITTEN] * len(SIZES))):
        lines = figures["Traffic of the memory: copy",
                        f"GB/s {what} (10⁹ bytes a second)"].table()[1:]
        assert lines == [[size, folders.number(count / NS)]
                         for size, count in zip(("64K", "1M"), counts)]


def test_what_failed_is_no_point_of_the_plot(tmp_path):
    def off(row):
        if row["param"] == f"size={SIZES[1]}" and row["event"] == "dram_write_bytes":
            row |= {"verdict": "off", "reason": "seeded"}

    kernels = [copies(size) for size in (*SIZES, 2 * SIZES[1])]
    page = page_of(folders.make(tmp_path / "0001", 2, kernels, EVENTS, change=off))
    figure = next(iter(page.figures("packages").values()))
    assert [line[0] for line in figure.table()[1:]] == ["64K", "2M"]
    assert "Of 3 measurements (a kernel on a CPU), these are left out: 1 with a row that failed." \
        in figure.one("figcaption").text


def test_what_there_is_and_what_is_wrong_with_it(tmp_path):
    def change(run):
        run["packages"] = [
            folders.package_of(0, 0, ("cha", 28, 4, 48), ("imc", 6, 4, 48, "does not count")),
            folders.package_of(1, 2, model="", status="what it counts is not known"),
            folders.package_of(2, 4, ("energy", 1, 4, 32, "not tested"), left_running=3,
                               error="MSR 391h raised #GP")]
        del run["packages"][0]["left_running"]  # a missing key counts as 0

    lines = [[cell.text for cell in line.children] for line in page_of(
        folders.make(tmp_path / "0001", change_run=change)).section("machine").all("tr")]
    place = lines.index(["Package", "Counted by CPU", "Model", "Kind", "Units", "Counters of each",
                         "Bits", "Status"])
    assert lines[place + 1:place + 6] == [
        ["0", "0", "Skylake-SP", "cha", "28", "4", "48", "ok"],
        ["0", "0", "Skylake-SP", "imc", "6", "4", "48", "does not count"],
        ["1", "2", "not known", "", "", "", "", "what it counts is not known"],
        ["2", "4", "Skylake-SP", "", "", "", "",
         "MSR 391h raised #GP; 3 counters had been left running"],
        ["2", "4", "Skylake-SP", "energy", "1", "4", "32", "not tested"]]


def test_without_it_there_is_no_section(tmp_path):
    page = page_of(folders.make(tmp_path / "0001"))
    assert "packages" not in page.sections()
    assert "Counted by CPU" not in page.section("machine").text


def test_many_lines_are_on_demand(tmp_path):
    kernels = [folders.Kernel(f"k{i}", {"cycles": (0, 1), "lines_read": (0, i)}) for i in range(43)]
    section = page_of(folders.make(tmp_path / "0001", 1, kernels, EVENTS)).section("packages")
    assert len(section.table()) == 1 + 40
    assert [line[0] for line in section.one("details").table()[1:]] == [
        f"k{i}n=1000" for i in (40, 41, 42)]
