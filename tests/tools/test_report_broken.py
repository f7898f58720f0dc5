# SPDX-License-Identifier: BSD-2-Clause
"""The report on folders that are incomplete or not written by the program."""
import json

import folders
import pages
import pytest
from report import machine
from report import packages
from report import svg
from report import tables as report_tables
import results
from report.folder import Folder
from test_report import cards, lines_of, page_of, report


@pytest.mark.parametrize("seed, said", [
    (lambda run: run.update(complete=False), "did not finish"),
    (lambda run: run.update(stopped_by_user=True), "The user stopped the run"),
    (lambda run: run.update(stopped_by_machine_check=True), "A machine check ended the run"),
    (lambda run: run["plan"].update(cpus=3), "The plan has 3 pairs of CPU and kernel without rows"),
    (lambda run: run.update(samples_dropped=True), "Samples were dropped"),
    (lambda run: run.update(left_out=[{"name": "load", "param": "", "n": 1}]),
     "max_time left out 1 kernel of the plan"),
])
def test_what_is_not_whole_is_said_first(tmp_path, seed, said):
    page = page_of(folders.make(tmp_path / "0001", 2, change_run=seed))
    assert said in cards(page)[0]
    is_whole = any(word in said for word in ("Samples", "stopped", "ended the run", "max_time"))
    assert is_whole or "INCOMPLETE" in cards(page)[0]
    assert lines_of(page.section("results"), "load")


def test_without_run_json(tmp_path):
    folder = folders.make(tmp_path / "0001")
    (folder / "run.json").unlink()
    page = page_of(folder)
    assert "INCOMPLETE" in cards(page)[0] and "run.json is missing" in cards(page)[0]
    assert lines_of(page.section("results"), "load")


def test_a_table_that_was_cut_off(tmp_path):
    folder = folders.make(tmp_path / "0001")
    path = folder / "results.csv"
    text = path.read_text("ascii").rstrip()
    path.write_text(text[:-40], "ascii")
    page = page_of(folder)
    assert f"line {text.count(chr(10)) + 1} is cut off" in cards(page)[0]
    tables = list(page.section("results").all("table"))
    assert "2075 in all" not in tables[0].text and "2015 in all" in tables[0].text


def test_a_verdict_that_contradicts_its_rows(tmp_path):
    def change(row):
        row["verdict"] = "off"

    folder = folders.make(tmp_path / "0001", change=change,
                          change_run=lambda run: run["verdict"].update(line="PASS"))
    assert "The file's own verdict, PASS, contradicts its rows" in cards(page_of(folder))[0]


def test_another_bare_metal_is_not_linux(tmp_path):
    one, other = (folders.make(tmp_path / name) for name in ("0001", "0002"))
    output = tmp_path / "report.html"
    assert report(one, "--linux", other, output=output).returncode == 0
    section = pages.Page(output.read_text("utf-8")).section("linux")
    assert "0002 is from bare metal; --linux takes a folder that barecount-linux" in section.text
    assert not list(section.all("table"))


@pytest.mark.parametrize("file, seed, said", [
    ("run.json", lambda text: text[:200], "run.json"),
    ("run.json", lambda text: text.replace('"cpus_usable": 1', '"tsc_hz": "fast"'),
     "machine.tsc_hz: expected a number, found str fast"),
    ("run.json", lambda text: text.replace('"loop_dec_jnz"', "7"),
     "kernels[1].name: expected a text, found int 7"),
    ("run.json", lambda text: text.replace('"argument": 0', '"argument": true', 1),
     "kernels[0].argument: expected a whole number, found bool True"),
    ("run.json", lambda text: text.replace('"from_ns": 8000,', ""),
     "histogram[0]: 'from_ns' is missing"),
    ("results.csv", lambda text: text.replace("apic_id", "apic"),
     "column 2 is 'apic', expected 'apic_id'"),
    ("results.csv", lambda text: text.replace("6000", "six", 1),
     "'six' in the column min: expected a number"),
    ("results.csv", lambda text: text.replace("0,0,,loop", "0,,loop", 1),
     f"line 6 has {len(results.HEADER) - 1} fields, expected {len(results.HEADER)}"),
    ("results.csv", lambda text: text.replace(",2015,", ",nan,", 1), "'nan' in the column"),
    ("results.csv", lambda text: text.replace(",cycles,1000,", ",cycles,0,", 1),
     "'0' in the column n: expected 1 or more"),
    ("results.csv", lambda text: text.replace("loop_dec_jnz,,", "loop_dec_jnz,size=4K,", 1),
     "'size=4K' in the column param: expected a whole number"),
])
def test_what_cannot_be_read_is_named_and_the_rest_reported(tmp_path, file, seed, said):
    good, bad = (folders.make(tmp_path / name) for name in ("good", "bad"))
    text = (bad / file).read_text("ascii")
    (bad / file).write_text(seed(text), "ascii")
    assert (bad / file).read_text("ascii") != text
    with pytest.raises(results.Unreadable) as error:
        Folder(bad)
    assert said in str(error.value) and str(bad) in str(error.value)
    if file == "run.json" and "kernels" in said:
        done = report(good, bad, output=tmp_path / "r.html")
        assert done.returncode == results.HOST_ERROR and said in done.stderr
        page = pages.Page((tmp_path / "r.html").read_text("utf-8"))
        assert said in page.root.text and len(cards(page)) == 1


def test_nothing_is_written_half(tmp_path):
    folder = folders.make(tmp_path / "0001")
    output = tmp_path / "out" / "r.html"
    done = report(folder, output=output)
    assert done.returncode == results.HOST_ERROR and str(output) in done.stderr
    output.parent.mkdir()
    output.write_text("before", "ascii")
    done = report(tmp_path / "nowhere", output=output)
    assert done.returncode == results.HOST_ERROR and "nowhere" in done.stderr
    assert output.read_text("ascii") == "before"
    assert report(folder, output=output).returncode == 0
    assert output.read_text("utf-8").endswith("</html>\n")
    assert [path.name for path in output.parent.iterdir()] == ["r.html"]


def test_types_of_run_json_that_nobody_expects(tmp_path, monkeypatch):
    """A value of a wrong type is either accepted, or an error names the file."""
    monkeypatch.setattr(svg, "bars", lambda *_: "<svg viewBox=\"0 0 1 1\"></svg>")
    folder = folders.make(tmp_path / "0001", 1, samples=True, change_run=lambda run: run.update(
        packages=[folders.package_of(0, 0, ("imc", 2, 4, 48))]))
    path = folder / "run.json"
    whole = path.read_text("ascii")

    def places(found, way=()):
        for key, inner in found.items() if isinstance(found, dict) else enumerate(found):
            yield (*way, key)
            if isinstance(inner, (dict, list)):
                yield from places(inner, (*way, key))

    refused = 0
    for *way, last in places(json.loads(whole)):
        for other in (None, "x", 7, [], {}):
            run = found = json.loads(whole)
            for key in way:
                found = found[key]
            found[last] = other
            path.write_text(json.dumps(run), "ascii")
            try:
                read = Folder(folder)
            except results.Unreadable as why:
                refused += 1
                assert str(path) in str(why)
                continue
            read.name = "0001"
            machine.card(read)
            machine.machine_table([read], True)
            machine.machine_details(read, packages.counters_table(read))
            machine.noise_section(read, "noise-1")
            report_tables.failed_section([read])
            report_tables.results_section(read, report_tables.Details())
    assert refused > 100
