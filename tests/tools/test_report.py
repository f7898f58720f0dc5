# SPDX-License-Identifier: BSD-2-Clause
"""The report on complete folders, and scripts/report on the command line."""
import dataclasses
import functools
import pathlib
import re
import subprocess

import folders
import pages
import pytest
from report import document
from report.folder import Folder
import results

TOP = pathlib.Path(__file__).resolve().parents[2]
UUID = "00112233-4455-6677-8899-aabbccddeeff"
EVIL = "</title><script>alert(1)</script><img src=x onerror=alert(2)>'\"&"


def report(*words, output):
    return subprocess.run([TOP / "scripts/report", *words, "-o", output], capture_output=True,
                          text=True, timeout=120, check=False)


def page_of(*found, **other):
    return pages.Page(document.make([Folder(folder) for folder in found], **other))


def cards(page):
    return [card.text for card in page.root.all("div") if "card " in card.attributes.get(
        "class", "")]


def lines_of(section, kernel):
    """A kernel's lines in the section's first table that contains cells of the class `words`."""
    tables = [table for table in section.all("table") if "words" in str(
        [cell.attributes for cell in table.all("td")])]
    return [[cell.text for cell in line.children] for line in tables[0].all("tr")
            if line.children[0].text.startswith(kernel)]


def test_without_matplotlib(tmp_path):
    (tmp_path / "matplotlib.py").write_text("raise ModuleNotFoundError(name='matplotlib')", "ascii")
    done = subprocess.run([TOP / "scripts/report", folders.make(tmp_path / "0001"), "-o",
                           tmp_path / "report.html"], env={"PYTHONPATH": str(tmp_path)},
                          capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == results.HOST_ERROR
    assert f"matplotlib is missing; run: {TOP}/scripts/setup report\n" in done.stderr
    assert not (tmp_path / "report.html").exists()


@pytest.mark.parametrize("vendor, version, fixed, words", [
    ("Intel", 4, "0x7", "version 4: 4 + 3"), ("Intel", 1, "0x0", "version 1: 4 + 0"),
    ("AMD", 2, "0x0", "PerfMonV2: 4"), ("Hygon", 1, "0x0", "without PerfMonV2: 4"),
    ("AMD", 0, "0x0", "version 0: 4 + 0")])
def test_what_a_pmu_is(tmp_path, vendor, version, fixed, words):
    page = page_of(folders.make(tmp_path / "0001", change_run=lambda run: run["cpus"][0].update(
        vendor=vendor, pmu={"version": version, "general_counters": 4, "fixed_counters": fixed})))
    table, = [table for table in page.section("machine").all("table")
              if "PMU: general + fixed counters" in table.text]
    assert words in [cell.text for cell in table.all("td")]


def test_a_run_that_passed(tmp_path):
    page = page_of(folders.make(tmp_path / "0001", 2))
    (card,) = cards(page)
    assert "PASS" in card and "count that could be measured on this machine is as declared" in card
    # On 2 CPUs, 3 kernels declare instructions and branches, but not cycles and the time stamp.
    counts = {line[0]: line[1] for line in page.section("verdicts").table()[1:]}
    assert (counts["exact"], counts["measured"], counts["off"]) == ("12", "12", "0")
    assert "no row failed" in page.section("verdicts").text


def test_time_that_heat_spoilt_is_no_failure(tmp_path):
    def spoil(row):
        if row["event"] == "TSC":
            row |= {"verdict": "noisy", "noisy_by": "heat", "reason": "too hot", "runs": "0"}

    page = page_of(folders.make(tmp_path / "0001", 2, change=spoil))
    card, = (card for card in page.root.all("div") if "card good" in card.attributes.values())
    assert "PASS, 6 rows of time noisy (heat)" in card.text
    assert "were disturbed, which does not fail the run (heat)." in card.text
    failed = page.section("verdicts").text
    assert "no row failed" in failed
    assert "what was unavailable, or noisy without failing the run, and why" in failed
    assert "too hot" in failed


def test_errors_in_the_plan(tmp_path):
    def as_off(row):
        row["verdict"] = "off"

    rows = len(folders.KERNELS) * (len(folders.EVENTS) + 1)  # and the time stamp
    for errors, words, change, verdict in ((1, "1 error", None, "PASS, 1 plan error"),
                                           (18, "18 errors", None, "PASS, 18 plan errors"),
                                           (2, "2 errors", as_off, f"FAIL {rows}, 2 plan errors")):
        page = page_of(folders.make(
            tmp_path / str(errors), change=change,
            change_run=functools.partial(folders.add_plan_errors, count=errors)))
        card, = (card for card in page.root.all("div") if "card bad" in card.attributes.values())
        assert verdict in card.text and ("every declared count" in card.text) is (change is None)
        assert f"The plan has {words}, listed under 'Errors' in 'Machine and state'." in card.text
        assert page.section("machine").text.count("unknown key 'bogus'") == errors


def test_a_plan_that_was_refused(tmp_path):
    card, = cards(page_of(folders.make_refused(tmp_path / "0001", 3, cpus=2)))
    assert "NOT MEASURED strict=yes, 3 plan errors" in card
    assert "Rows: no rows." in card and "The plan has 3 errors" in card
    assert "the plan has errors, and strict=yes" in card and "every declared count" not in card
    assert "INCOMPLETE" not in card and "have no rows" not in card


def test_nothing_measured_is_no_praise(tmp_path):
    def change(row):
        if row["event"] != "TSC":
            row |= {"verdict": "unavailable", "reason": "no performance monitor", "median": "",
                    "min": "", "max": "", "q1": "", "q3": "", "per_iteration": "", "runs": "0"}

    line = "NOT MEASURED CPUID.0AH reports no performance monitor (version 0)"
    page = page_of(folders.make(tmp_path / "0001", change=change,
                                change_run=lambda run: run["verdict"].update(line=line)))
    (card,) = (card for card in page.root.all("div") if "card " in card.attributes.get("class", ""))
    assert line in card.text and "No counter counted anything" in card.text
    assert card.attributes["class"] == "card unmeasured"
    assert "every declared count" not in card.text
    unavailable = page.section("verdicts").one("details")
    assert unavailable.table()[1:] == [["no performance monitor", "empty, loop_dec_jnz, load", "0"]]


def test_what_is_off_under_linux_is_not_blamed_on_the_counters(tmp_path):
    def change(row):
        row["verdict"] = "off"

    make = [folders.make(tmp_path / source, change=change, change_run=lambda run: run.update(
        source=source)) for source in ("linux", "bare metal")]
    linux, bare = cards(page_of(*make))
    assert "they include what the operating system adds" in linux and "Do not use" not in linux
    assert linux.startswith("linux, Linux: ") and bare.startswith("bare metal: ")
    assert "Do not use them" in bare and "operating system" not in bare


def test_one_is_not_many(tmp_path):
    def change(row):
        if row["event"] == "INST_RETIRED.ANY":
            row |= {"verdict": "off", "reason": "as asked"}

    made = folders.make(tmp_path / "0001", 1, folders.KERNELS[1:2], change=change)
    page = page_of(made)
    assert "0001: 1 row failed" in page.section("verdicts").text
    assert ": 1 kernel, " in page.section("machine").text
    done = report(made, output=tmp_path / "report.html")
    assert done.stdout.endswith(" MiB, 1 run\n"), done


def test_more_than_a_dozen_failed_lines_are_on_demand(tmp_path):
    kernels = [dataclasses.replace(folders.KERNELS[1], name=f"loop_{i}") for i in range(7)]

    def change(row):
        if row["expected"]:  # rows of instructions and branches
            row |= {"verdict": "off", "reason": f"of {row['kernel']}, {row['event']}"}

    verdicts = page_of(folders.make(tmp_path / "0001", kernels=kernels, change=change)).section(
        "verdicts")
    more = next(one for one in verdicts.all("details") if "2 more lines" in one.text)
    assert [line[2] for line in more.table()[1:]] == [
        f"of loop_6, {event}" for event in ("INST_RETIRED.ANY", "BR_INST_RETIRED.ALL_BRANCHES")]
    shown = [line[2] for table in verdicts.all("table") for line in [
        [cell.text for cell in line.children] for line in table.all("tr")] if len(line) == 8]
    assert sum(reason.startswith("of loop_") for reason in shown) == 14


def test_medians_of_cpus_that_are_alike_are_one_line(tmp_path):
    section = page_of(folders.make(tmp_path / "0001", 4)).section("results")
    # One iteration has 6 instructions, including 1 branch, and takes 2 cycles. The kernel takes
    # 15 further cycles, and the time stamp counts 60 ticks more than there are cycles.
    assert lines_of(section, "load") == [[
        "loadn=1000", "0-3", "exact", "66000 in all", "22015 in all", "11000 in all",
        "22075 in all"]]


def test_an_event_that_the_cpu_lacks_is_not_the_kernel_s_verdict(tmp_path):
    """As on the console, a kernel is unavailable only if it has no count at all."""
    def change(row):
        if row["event"].startswith("BR_") or row["kernel"] == "load":
            row |= {"verdict": "unavailable", "reason": "seeded", "median": "", "per_copy": ""}

    section = page_of(folders.make(tmp_path / "0001", change=change)).section("results")
    assert [lines_of(section, kernel)[0][2] for kernel in ("loop_dec_jnz", "load")] == [
        "exact", "unavailable"]


def test_a_cpu_that_differs_has_its_own_line(tmp_path):
    def change(row):
        if row["cpu"] == "2" and row["kernel"] == "load" and row["event"] == "INST_RETIRED.ANY":
            row |= {"median": "6001", "verdict": "off", "reason": "not as declared: 6001"}

    page = page_of(folders.make(tmp_path / "0001", 4, change=change))
    assert [line[1:4] for line in lines_of(page.section("results"), "load")] == [
        ["0-1,3", "exact", "66000 in all"], ["2", "off", "66001 in alloff"]]
    assert page.section("verdicts").all("table")
    failed = list(page.section("verdicts").all("table"))[1]
    assert [cell.text for cell in list(failed.all("tr"))[1].children] == [
        "loadn=1000", "off", "not as declared: 6001", "INST_RETIRED.ANY", "2", "1", "6001", "6000"]
    assert "FAIL 1" in cards(page)[0]


def test_a_fault_is_one_line(tmp_path):
    def change(row):
        if row["kernel"] == "load" and row["cpu"] != "2":
            row |= {"verdict": "fault", "reason": "#UD", "runs": "0", "median": ""}
        elif row["kernel"] == "loop_dec_jnz" and row["expected"]:
            row |= {"verdict": "off", "reason": "one more"}

    verdicts = page_of(folders.make(tmp_path / "0001", 4, change=change)).section("verdicts")
    rows = len(folders.EVENTS) + 1  # and the time stamp
    lines = list(list(verdicts.all("table"))[1].all("tr"))
    assert [[cell.text for cell in line.children][1:] for line in lines[1:]] == [
        ["off", "one more", "INST_RETIRED.ANY, BR_INST_RETIRED.ALL_BRANCHES", "0-3", "8", "", ""],
        ["fault", "#UD", "all", "0-1,3", str(3 * rows), "", ""]]
    assert f"{8 + 3 * rows} rows failed" in verdicts.text


def test_cycles_are_alike_within_the_resolution(tmp_path):
    def change(row):  # 1 % of 2015 cycles is 20.15
        if row["kernel"] == "load" and row["unit"] == "cycles" and row["cpu"] != "0":
            row["median"] = row["q1"] = row["q3"] = str(2015 + {"1": 20, "2": 21}[row["cpu"]])

    lines = lines_of(page_of(folders.make(tmp_path / "0001", 3, change=change)).section("results"),
                     "load")
    assert [line[1] for line in lines] == ["0-1", "2"]
    assert lines[0][4] == "22015 to 2035 in all"


def test_core_types_are_named(tmp_path):
    def change(row):
        row["core_type"] = "efficiency" if row["cpu"] in "23" else "performance"

    lines = lines_of(page_of(folders.make(tmp_path / "0001", 4, change=change)).section("results"),
                     "load")
    assert [line[1] for line in lines] == ["0-1 performance", "2-3 efficiency"]


def test_many_cpus_that_differ_stay_few_lines(tmp_path):
    def change(row):
        if row["unit"] == "cycles":
            row["median"] = row["q1"] = row["q3"] = str(10_000 * (1 + int(row["cpu"])))

    lines = lines_of(page_of(folders.make(tmp_path / "0001", 12, change=change)).section("results"),
                     "load")
    assert [line[1] for line in lines] == [*map(str, range(8)), "4 more, each different from all "
                                                                "others"]
    assert lines[-1][4] == "290000 to 120000 in all"


def test_a_declared_range_is_shown_as_it_is(tmp_path):
    def change(row):
        if row["event"] == "INST_RETIRED.ANY" and row["kernel"] == "load":
            row |= {"expected": "0..6000", "verdict": "within",
                    "median": str(6000 - int(row["cpu"]))}

    page = page_of(folders.make(tmp_path / "0001", 2, change=change))
    assert lines_of(page.section("results"), "load")[0][1:4] == [
        "0-1", "within", "65999 to 6000 in all"]
    assert any("0..6000" in line for table in page.section("results").all("details")
               for line in table.text.split("\n"))


def test_further_events_stand_in_a_further_table(tmp_path):
    events = [folders.Event(f"E{number}", f"r{number:02x}c4", "branches") for number in range(20)]
    section = page_of(folders.make(tmp_path / "0001", events=events)).section("results")
    heads = [[cell.text for cell in table.one("tr").children] for table in section.all("table")]
    names = [*(f"E{number}" for number in range(20)), "TSCtsc ticks"]  # 10 columns at most
    assert [head[3:] for head in heads[:3]] == [names[:7], names[7:14], names[14:]]
    assert "Events 15 to 21 of 21:" in section.text


def test_everything_of_a_user_is_text(tmp_path):
    def change(row):
        row |= {"reason": EVIL, "verdict": "off" if row["kernel"] == "load" else row["verdict"]}

    def change_run(run):
        run |= {"label": EVIL, "errors": [EVIL], "remarks": [EVIL], "source": "linux",
                "linux": {"governor": EVIL}}
        run["plan"]["text"] = run["machine"]["product"] = EVIL
        for kernel in run["kernels"]:
            kernel["title"], kernel["family"] = EVIL, EVIL
        for cpu in run["cpus"]:
            cpu["brand"] = cpu["core_type"] = cpu["microcode"] = EVIL

    kernels = [folders.Kernel("load", {"instructions": (0, 6), "cycles": (0, size)},
                              param=f"a={EVIL};size={size}", family="chase") for size in (64, 128)]
    events = (folders.Event(EVIL, EVIL, "cycles", unit=EVIL), *folders.EVENTS)
    folder = folders.make(tmp_path / EVIL.replace("/", "-"), 1, kernels, events, change=change,
                          change_run=change_run, samples=True)
    text = document.make([Folder(folder)], samples="*", unreadable=[EVIL])
    page = pages.Page(text)
    for name in ("script", "img", "iframe", "object", "b"):
        assert not list(page.root.all(name)), name
    assert "onerror" not in str([e.attributes for e in page.root.all("svg")]).replace(
        "img src=x onerror=alert(2)", "")
    assert page.root.text.count("<script>alert(1)</script>") > 20
    assert "default-src 'none'" in text


def test_serials_only_on_request(tmp_path):
    def change_run(run):
        run |= {"source": "linux", "linux": {"hostname": "somewhere", "board_serial": "S123"}}

    folder = Folder(folders.make(tmp_path / "0001", change_run=change_run))
    without, having = (document.make([folder], with_serials=wanted)
                       for wanted in (False, True))
    for secret in (UUID, "somewhere", "S123"):
        assert secret not in without and secret in having


def test_the_same_input_gives_the_same_bytes(tmp_path):
    folder = folders.make(tmp_path / "0001", 2, samples=True)
    texts = []
    for name in ("a.html", "b.html"):
        done = report(folder, "--samples", "load", output=tmp_path / name)
        assert done.returncode == 0, done.stderr
        texts.append((tmp_path / name).read_bytes())
    assert texts[0] == texts[1] and b"<svg" in texts[0]


def test_machines_side_by_side(tmp_path):
    one = folders.make(tmp_path / "a/0001", machine={"product": "First"})
    two = folders.make(tmp_path / "b/0001", machine={"product": "Second"})
    page = page_of(one, two)
    table = page.section("machine").table()
    assert table[0] == ["", "a/0001", "b/0001"]
    assert ["Machine", "QEMU First", "QEMU Second"] in table
    assert len(cards(page)) == 2


def test_state_and_noise(tmp_path):
    def change_run(run):
        run["state"] = [{"cpu": cpu, "setting": "turbo", "register": "0x1a0", "found": "0x850089",
                         "asked": "0x4000850089", "set": True, "status": "ok",
                         "read_back": "0x4000850089" if cpu < 2 else "0x850089"}
                        for cpu in range(3)]
        run["noise_certificates"][3] |= {"max_single_us": 99.5, "available_percent": 97.25}

    page = page_of(folders.make(tmp_path / "0001", 3, change_run=change_run))
    states = [[cell.text for cell in line.children]
              for line in page.section("machine").all("tr") if "turbo" in line.text]
    assert states == [["turbo", "0-1", "0x1a0", "0x850089", "0x4000850089", "yes", "0x4000850089",
                       "ok"], ["turbo", "2", "0x1a0", "0x850089", "0x4000850089", "yes",
                               "0x850089", "ok"]]
    noise = page.section("noise")
    assert "The longest gap lasted 99.5 us, on CPU 1 after its kernels. " in noise.text
    assert ("CPU 1 was disturbed the most, after its kernels: it was undisturbed for 97.25 % of "
            "its time.") in noise.text
    assert noise.one("figure").table() == [["At least", "Before", "After"], ["8 us", "6", "6"]]


def test_histogram_of_gaps(tmp_path):
    """Each bin begins at twice the start of the previous bin; empty bins are shown too."""
    def change_run(run):
        run["noise_certificates"][0] |= {"max_single_us": 39883.103, "histogram": [
            {"from_ns": 8003, "gaps": 1}, {"from_ns": 64022, "gaps": 2},
            {"from_ns": 1024350, "gaps": 4}]}
        run["noise_certificates"][1]["histogram"] = []

    noise = page_of(folders.make(tmp_path / "0001", 1, change_run=change_run)).section("noise")
    assert "The longest gap lasted 39.9 ms, on CPU 0 before its kernels. " in noise.text
    figure = noise.one("figure")
    names = ["8 us", "16 us", "32 us", "64 us", "128 us", "256 us", "512 us", "1.02 ms"]
    assert [line[:2] for line in figure.table()[1:]] == [
        *map(list, zip(names, ("1", "0", "0", "2", "0", "0", "0", "4")))]
    assert [text.text for text in figure.one("svg").all("text") if text.text in names] == names
    assert "certificates of CPU 0, made before and after the kernels." in figure.text
    bars = [min(float(y) for y in re.findall(r"[ML] [\d.]+ ([\d.]+)", path.attributes["d"]))
            for path in figure.all("path") if "clip-path" in path.attributes
            and path.attributes["d"].rstrip().endswith("z")]
    legend = next(text for text in figure.all("text") if text.text == "before")
    assert 0 < height_of(legend) < min(bars)


def height_of(text):
    placed = re.search(r"translate\([\d.]+ ([\d.]+)\)", text.attributes.get("transform", ""))
    return float(placed.group(1) if placed else text.attributes["y"])
