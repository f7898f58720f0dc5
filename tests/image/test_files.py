# SPDX-License-Identifier: BSD-2-Clause
"""The stick's files: images, several runs, lack of space, power cuts, recovery and summaries."""
import csv
import hashlib
import io
import os
import re
import subprocess

import expect
import results
import summaries
from machine import stick as sticks
from conftest import IMAGE, SHORT, TOP, fill, plan_text
from levels import in_full


def make_image(path, *options):
    subprocess.run([TOP / "scripts/make-image", TOP / "build/BOOTX64.EFI", "-o", path,
                    "--events", TOP / "build/events",
                    "--built-with", TOP / "build/built-with.txt", *options],
                   check=True, cwd="/", timeout=60)
    return path


def index_of(stick):
    text = stick.read("barecount/results/index.csv").decode("ascii")
    return list(csv.DictReader(io.StringIO(text)))


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def all_files(left):
    run = left.folder / "whole"
    run.mkdir(exist_ok=True)
    left.stick.get("barecount/results/0001", run)
    return {path.name: digest(path) for path in sorted((run / "0001").iterdir())}


@in_full("images that are made twice")
def test_two_images_are_identical(tmp_path):
    first, second = make_image(tmp_path / "a.img"), make_image(tmp_path / "b.img")
    assert digest(first) == digest(second) == digest(IMAGE)


@in_full("a second build of the image")
def test_two_builds_are_identical(tmp_path):
    """The other build has another directory, time zone and umask."""
    place = tmp_path / "another/place"
    place.mkdir(parents=True)
    listed = subprocess.run(["git", "-c", f"safe.directory={TOP}", "ls-files", "-z", "--cached",
                             "--others", "--exclude-standard"],
                            cwd=TOP, capture_output=True, check=True)
    subprocess.run(["xargs", "-0", "cp", "--parents", "-t", str(place)], cwd=TOP,
                   input=listed.stdout, check=True)
    subprocess.run(["make", "-s", "image"], cwd=place, check=True, timeout=1200,
                   env={**os.environ, "TZ": "Asia/Kathmandu"}, umask=0o077)
    for name in ("build/BOOTX64.EFI", "build/barecount.img"):
        assert digest(place / name) == digest(TOP / name), name


def test_image_is_sparse():
    assert IMAGE.stat().st_size == 256 << 20
    assert IMAGE.stat().st_blocks * 512 < 4 << 20


def test_second_boot_leaves_the_first_run_alone(boot):
    first = boot(plan=SHORT)
    before = all_files(first)
    assert set(before) == {"results.csv", "summary.txt", "summary.html", "samples.csv", "run.json",
                           "journal.bin"}
    second = boot(plan=SHORT, stick=first.stick)
    assert second.stick.runs() == ["0001", "0002"]
    assert all_files(second) == before
    index = index_of(second.stick)
    assert [line["number"] for line in index] == ["0001", "0002"]
    assert {line["verdict"] for line in index} == {"PASS"}
    assert "Skylake" in index[1]["model"]


def test_only_barecount_is_written(boot):
    left = boot(plan=SHORT)
    fresh = sticks.Stick(IMAGE)
    assert left.stick.names("") == fresh.names("")
    assert left.stick.names("barecount") == fresh.names("barecount")
    assert left.stick.read("README.TXT") == fresh.read("README.TXT")
    assert left.stick.names("barecount/results") == ["0001", "index.csv"]


def test_read_only_volume(boot):
    left = boot(plan=SHORT, read_only=True, new_runs=0)
    assert "! results cannot be written to volume 'BARECOUNT'" in left.console
    assert "Results   in memory" in left.console
    assert left.verdict == "PASS"
    assert left.stick.runs() == []


@in_full("a volume without room for a file")
def test_full_volume(boot, tmp_path):
    stick = sticks.Stick(make_image(tmp_path / "small.img", "--size-mib", "84"))
    fill(stick, tmp_path, 32 << 10)
    left = boot(plan=plan_text(cpus="boot"), stick=stick, new_runs=None)
    said = r"journal.bin could not be written: EFI_VOLUME_FULL. A power cut would lose this run"
    assert said in re.sub(r"\s+", " ", left.console)
    assert left.verdict == "PASS"


@in_full("a volume without room for samples.csv")
def test_short_volume_drops_the_samples_first(boot, tmp_path):
    stick = sticks.Stick(make_image(tmp_path / "small.img", "--size-mib", "84"))
    fill(stick, tmp_path, 2 << 20)
    left = boot(cpus=1, plan=plan_text(runs=100), stick=stick)
    about = int(re.search(r"about (\d+) KiB", left.console)[1])
    said = re.search(r"the volume has (\d+) KiB free, samples.csv would need (\d+): it is left "
                     r"out; delete old results, or make a larger stick \(make usb SIZE_MIB=\)",
                     re.sub(r"\s+", " ", left.console))
    free, need = map(int, said.groups())
    assert free < need == about
    found = left.results
    assert found.status == results.PASSED and found.run["samples_dropped"] is True
    names = stick.names("barecount/results/0001")
    assert "samples.csv" not in names and {"summary.html", "summary.txt"} <= set(names)
    expect.check_rows(found, 1, expect.default_counts())


@in_full("a volume without room for the summaries")
def test_a_shorter_volume_drops_the_summaries_too(boot, tmp_path):
    """There is room for the journal, but not for all other files, even without samples.csv."""
    screen = boot(cpus=1, plan=SHORT, cut_at="Esc ends", new_runs=None).console
    need_kib = int(re.search(r"about (\d+) KiB", screen)[1])
    stick = sticks.Stick(make_image(tmp_path / "small.img", "--size-mib", "84"))
    fill(stick, tmp_path, (need_kib << 10) - (96 << 10))
    left = boot(cpus=1, plan=SHORT, stick=stick)
    said = re.sub(r"\s+", " ", left.console)
    assert "summary.txt and summary.html would need" in said and "they are left out" in said
    names = stick.names("barecount/results/0001")
    assert names == ["journal.bin", "results.csv", "run.json"]
    assert left.results.status == results.PASSED


@in_full("a samples.csv that exceeds its estimate")
def test_samples_that_do_not_fit_after_all(boot, tmp_path):
    """The second CPU's results are larger than the estimate, which is made for the boot CPU. The
    second CPU has only one counter. From its 500th window on, every other window gets an NMI.
    """
    second = "pmu-gp=1,pmu-inject=nmi,pmu-inject-cpu=1,pmu-inject-open=500,pmu-inject-period=2"
    small = {"cpus": "1,sockets=2,cores=1,threads=1,maxcpus=2", "props": "pmu-gp=8", "more": (
        "-device", f"Skylake-Server-x86_64-cpu,pmu=on,{second},"
        "socket-id=1,core-id=0,thread-id=0")}
    kernels = [kernel.name for kernel in expect.kernels()][:8]
    plan = plan_text(runs=100, kernels=",".join(kernels))
    screen = boot(plan=plan, cut_at="Esc ends", new_runs=None, **small).console
    estimate_kib = int(re.search(r"about (\d+) KiB", screen).group(1))
    stick = sticks.Stick(make_image(tmp_path / "small.img", "--size-mib", "110"))
    fill(stick, tmp_path, (estimate_kib << 10) + (128 << 10))
    left = boot(plan=plan, stick=stick, **small)
    assert re.search(r"samples\.csv could not be written: EFI_VOLUME_FULL", left.console)
    found = left.results
    assert found.status == results.PASSED and found.run["samples_dropped"] is True
    assert any("samples.csv" in text for text in found.run["errors"])
    assert "samples.csv" not in stick.names("barecount/results/0001")
    assert [line["verdict"] for line in index_of(stick)] == ["PASS"]
    expect.check_rows(found, 2, expect.default_counts(), names=kernels)


@in_full("a power cut in a longer run than those of test_power_cuts.py")
def test_power_cut(boot):
    cut = boot(plan=plan_text(runs=100), cpus=2, cut_at=r"CPU 1  loop_dec_jnz")
    assert cut.stick.runs() == ["0001"]
    after = boot(plan=SHORT, stick=cut.stick)
    assert "Run 0001 was cut off" in after.console
    assert after.stick.runs() == ["0001", "0002"]
    found = after.run("0001")
    assert found.status == results.INCOMPLETE and found.run["complete"] is False
    finished = {(r["cpu"], r["kernel"]) for r in found.rows}
    names = [k.name for k in expect.kernels()]
    before = names[: names.index("loop_dec_jnz")]
    assert {*(("0", name) for name in names), *(("1", name) for name in before)} <= finished
    (cpu, kernel), = {(r["cpu"], r["kernel"]) for r in found.rows if r["verdict"] == "fault"}
    assert cpu == "1" and kernel not in before  # the kernel that ran at the cut
    assert {r["verdict"] for r in found.rows if (r["cpu"], r["kernel"]) != (cpu, kernel)} <= {
        "exact", "within", "measured", "unavailable"}
    assert after.run("0002").status == results.PASSED


@in_full("an empty run.json")
def test_power_cut_while_the_last_file_is_written(boot, tmp_path):
    left = boot(plan=SHORT)
    before = all_files(left)
    (tmp_path / "empty").write_bytes(b"")
    left.stick.put(tmp_path / "empty", "barecount/results/0001/run.json")
    after = boot(plan=SHORT, stick=left.stick)
    assert "Run 0001 was cut off" in after.console
    assert all_files(after) == before
    assert [line["number"] for line in index_of(after.stick)] == ["0001", "0002"]


@in_full("a journal of zeros")
def test_a_journal_that_holds_nothing_costs_nothing(boot, tmp_path):
    """A power cut before the first flush leaves a journal of zeros."""
    left = boot(plan=SHORT)
    size = len(left.stick.read("barecount/results/0001/journal.bin"))
    for name, content in (("journal.bin", bytes(size)), ("run.json", b"{"),
                          ("../index.csv", b"")):
        (tmp_path / "file").write_bytes(content)
        left.stick.put(tmp_path / "file", f"barecount/results/0001/{name}")
    before = all_files(left)
    after = boot(plan=SHORT, stick=left.stick)
    assert "Run 0001 was cut off" in after.console and "first record" in after.console
    assert "EFI_SUCCESS" not in after.console
    assert all_files(after) == before
    assert [line["number"] for line in index_of(after.stick)] == ["0002"]


@in_full("a folder with a long name")
def test_a_folder_with_a_long_name_hides_no_run(boot, tmp_path):
    """The first entry of the folder `results` has a long name."""
    stick = sticks.Stick.copy_of(IMAGE, tmp_path / "stick.img")
    stick.make_folder("barecount/results/" + "x" * 230)
    first = boot(plan=SHORT, stick=stick)
    before = all_files(first)
    second = boot(plan=SHORT, stick=stick)
    assert stick.runs() == ["0001", "0002"]
    assert all_files(second) == before


@in_full("files that scripts/recover makes again")
def test_recover_on_a_workstation(boot, tmp_path):
    left = boot(cpus=2).results.folder
    names = ("results.csv", "summary.txt", "summary.html", "samples.csv", "run.json")
    before = {name: (left / name).read_bytes() for name in names}
    for name in names:
        (left / name).unlink()
    recover = [TOP / "scripts/recover"]
    done = subprocess.run([*recover, left], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.strip() == f"{left}: PASS", done.stderr
    assert {name: (left / name).read_bytes() for name in names} == before
    (tmp_path / "journal.bin").write_bytes(bytes(4096))
    done = subprocess.run([*recover, tmp_path], capture_output=True, text=True)
    assert done.returncode == 1 and "it contains no" in done.stderr


LABEL = "<b class=x>&\"'"
BEGINS = "CPU 0, boot CPU, counts"
ON_CONSOLE = re.compile(r"CPU \d+  |Writing|Results |Time ")  # lines of progress, places, times


def told(text):
    """The words that the console and summary.txt share, and the last line.

    The words begin with the first CPU's part. Line breaks are left out, since the texts may wrap
    differently. Notes about a CPU are left out, since their order may differ.
    """
    lines = [line.rstrip() for line in text[text.index(BEGINS):].splitlines()]
    told_by_both = [line for line in lines if not ON_CONSOLE.match(line)]
    words = re.sub(r"(?m)^- CPU .*\n(?:    .*\n)*", "", "\n".join(told_by_both))
    return words.split(), lines[-1]


def test_the_summaries(boot):
    """summary.html escapes a label that looks like markup."""
    kernels = "empty,nops,load,chase_random,core_to_core"
    plan = plan_text(cpus="all", kernels=kernels, label=LABEL, mistake=1)
    left = boot(plan=plan, cpus=3)
    folder = left.results.folder
    text = (folder / "summary.txt").read_text("ascii")
    assert told(text) == told(left.console) and len(told(text)[0]) > 200
    assert told(text)[1] == "PASS, 1 plan error"
    assert "unknown key 'mistake'" in text and LABEL not in (folder / "summary.html").read_text()
    page = summaries.read(folder)
    assert page.heading == f"Run 0001: {LABEL}" and page.verdict == told(text)[1]
    columns = {"INST_RETIRED.ANY_P": 2, "MEM_INST_RETIRED.ALL_LOADS": 4}
    shown = {row[0].split()[0]: row for row in page.rows if len(row) == 9}
    medians = [row for row in left.results.rows if row["cpu"] == "0" and row["event"] in columns
               and not row["partner"]]
    assert len(medians) == 4 * len(columns)
    for row in medians:
        assert shown[row["kernel"]][columns[row["event"]]] == row["median"]


@in_full("a journal in the folder of another run")
def test_a_journal_in_another_runs_folder(boot, tmp_path):
    """scripts/recover refuses a journal in a folder whose name is the number of another run."""
    journal = (boot(plan=SHORT).results.folder / "journal.bin").read_bytes()
    for name, status in (("0005", 1), ("00005", 1), ("1", 0), ("0001-2", 0), ("copied", 0)):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "journal.bin").write_bytes(journal)
        done = subprocess.run([TOP / "scripts/recover", "."], cwd=folder, capture_output=True,
                              text=True)
        assert done.returncode == status, (name, done.stderr)
        said = "it is the journal of run 0001, not of this folder's run"
        assert (said in done.stderr) == (status == 1)
        assert (folder / "run.json").exists() == (status == 0)
