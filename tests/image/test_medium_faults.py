# SPDX-License-Identifier: BSD-2-Clause
"""Where the results go if the medium is read-only, fails, or disappears during a run."""
import random
import re

import expect
import liars
from machine import program
import results
import run_schema
from conftest import SEED, SHORT, SHORT_MENU, plan_text, put_files
from levels import in_full, in_soak
from medium import (Other, beside, capture, debugged, failing, failing_from, in_a_reader, new_stick,
                    pluggable, pull, put_back, read_late, recovered, run)

PLAN = plan_text(kernels="empty,nops,load,store", runs=3)
# Noise measurements are long here, so that a test has time to act after a kernel's line.
SLOW_PLAN = PLAN.replace("noise_ms=2\n", "noise_ms=2000\n")
KERNELS = {"empty", "nops", "load", "store"}
SENT = r"sent: \d+ lines; F in the menu sends them again\n[\s\S]*R run again"


def is_whole(found, cpus=2):
    assert found.status == results.PASSED
    assert {(row["cpu"], row["kernel"]) for row in found.rows} == {
        (str(cpu), kernel) for cpu in range(cpus) for kernel in KERNELS}
    return True


def test_a_stick_that_cannot_be_written(tmp_path):
    """The results go over the serial line twice, because lines may be lost."""
    stick = new_stick(tmp_path, plan_text(kernels=",".join(KERNELS), runs=40, at_end="menu"))
    left = run([(program.FIRST_LINE, read_late), (r"R run again", lambda m: m.send(b"f")),
                (SENT + r"[\s\S]*" + SENT, lambda m: m.send(b"s"))],
               disk=stick.path, read_only=True, cpus=1)
    assert left.verdict == "PASS" and stick.runs() == []
    assert "! results cannot be written to volume 'BARECOUNT'" in left.words
    assert "EFI_WRITE_PROTECTED" in left.console
    assert "Results   sent over the serial line, not on a volume" in left.console
    assert left.console.count("over 1 serial port; ") == 2
    assert left.console.count("Frames    summary.txt, results.csv, summary.html, ") == 2
    assert not re.search(rb"[^\r]\n", left.raw), "LF without CR: the next line begins below its end"
    status, _, out = capture(tmp_path / "both", left.raw)
    files = {path.name: path.read_bytes() for path in (out / "0001").iterdir()}
    assert status == 0 and is_whole(run_schema.read(out / "0001"), cpus=1)
    assert recovered(tmp_path / "recovered", files["journal.bin"]) == files
    at = left.raw.index(b"R run again")
    chance = random.Random(SEED)
    first, second = ([line for line in log.split(b"\n") if chance.random() > 0.1]
                     for log in (left.raw[:at], left.raw[at:]))
    status, said, out = capture(tmp_path / "one", b"\n".join(first))
    assert status == 1 and " missing: " in said
    for path in out.glob("0001/*"):
        assert files[path.name.removesuffix(".partial")].startswith(path.read_bytes())
    status, _, out = capture(tmp_path / "two", b"\n".join(first), b"\n".join(second))
    for path in out.glob("0001/*"):
        assert files[path.name.removesuffix(".partial")].startswith(path.read_bytes())


def test_another_volume_takes_them(tmp_path):
    """Results on another volume continue that volume's numbers and index. The next boot writes the
    files of a run that was interrupted there.
    """
    stick = new_stick(tmp_path, SLOW_PLAN)
    other = Other(tmp_path / "other.img")
    other.make_run("0007")
    cut = run([(r"^nops ", lambda m: m.qmp("quit"))], disk=stick.path, read_only=True,
              more=beside(other))
    assert r"Results   \barecount\results\0008 on volume 'OTHER'" in cut.console
    put_files(stick, tmp_path, {"barecount/plan.cfg": PLAN})
    left = run(disk=stick.path, read_only=True, more=beside(other))
    assert stick.runs() == [] and other.runs() == ["0007", "0008", "0009"]
    assert "Run 0008 was cut off" in left.console and left.verdict == "PASS"
    assert "results cannot be written to volume 'BARECOUNT'" in left.words
    found = other.run("0009", tmp_path)
    assert is_whole(found) and found.run["number"] == 9
    errors = " ".join(found.run["errors"])
    assert "volume 'BARECOUNT'" in errors and "EFI_WRITE_PROTECTED" in errors
    assert "results go to volume 'OTHER' (PciRoot" in errors
    assert other.run("0008", tmp_path).status == results.INCOMPLETE
    lines = other.read("barecount/results/index.csv").decode("ascii").splitlines()
    assert [line.split(",")[0] for line in lines] == ["number", "0008", "0009"]
    assert "@BC" not in left.console


@in_full("a card that is removed during a run")
def test_a_card_is_taken_out(tmp_path):
    stick = new_stick(tmp_path, SLOW_PLAN)
    left = run([(r"^nops ", lambda m: m.qmp("eject", id="stick", force=True))],
               more=in_a_reader(stick.path))
    assert left.verdict == "PASS" and "journal.bin could not be written: EFI_NO" in left.words
    assert "no other volume" not in left.words  # only reported before a run
    assert "no file there can record that the machine went on" in left.words
    status, _, out = capture(tmp_path / "log", left.raw)
    assert status == 0 and is_whole(run_schema.read(out / "0001"))


@in_full("a stick that is removed during a run")
def test_a_stick_is_pulled_and_another_is_there(tmp_path):
    """The other volume gets the whole run, and the stick keeps the interrupted part."""
    stick, other = new_stick(tmp_path, SLOW_PLAN), Other(tmp_path / "other.img")
    other.make_run("0004")
    left = run([(r"^nops ", pull)], more=(*pluggable(stick.path), *beside(other)))
    assert left.verdict == "PASS" and other.runs() == ["0004", "0005"]
    found = other.run("0005", tmp_path)
    assert is_whole(found) and found.run["number"] == 5
    told = " ".join(found.run["errors"] + found.run["remarks"])
    assert "journal.bin could not be written" in told and "all of run 0001 goes to volume" in told
    names = [f"barecount/results/0001/{name}" for name in ("run.json", "results.csv")]
    assert [stick.read(name) for name in names] == [None, None]


@in_soak("a stick that is removed and put back, which takes minutes")
def test_a_stick_is_pulled_and_put_back(tmp_path):
    """The next run finds the stick as another volume, and writes the interrupted run's files there.

    No kernel is suspected of stopping the machine, since the machine went on.
    """
    stick = new_stick(tmp_path, SLOW_PLAN.replace("shutdown", "menu"))
    left = run([(r"^nops ", pull), (r"R run again", put_back),
                (r"^Medians of 100 runs", lambda m: m.send(b"q")),
                (r"ended early by a key[\s\S]*R run again", lambda m: m.send(b"s"))],
               more=pluggable(stick.path))
    assert "the plan cannot be read: EFI_" in left.words
    assert "results go to volume 'BARECOUNT'" in left.words and stick.runs() == ["0001", "0002"]
    assert "Run 0001 was cut off; its finished kernels are written" in left.words
    assert "was cut off in kernel" not in left.words
    assert stick.read("barecount/skipped.csv") is None
    stick.get("barecount/results/0002", tmp_path)
    assert run_schema.read(tmp_path / "0002").run["complete"] is True


@in_full("write errors from a random moment on")
def test_write_errors_at_any_moment(tmp_path):
    """All writes to the stick fail from the first write on, or from a random write on. A run needs
    70 to 100 writes.

    The firmware lists the other volume after the stick, or before it.
    """
    for order, count in ((1, 1), (-1, random.Random(SEED).randrange(2, 61))):
        folder = tmp_path / str(count)
        folder.mkdir()
        stick, other = new_stick(folder, PLAN), Other(folder / "other.img")
        disks = [pluggable(stick.path, failing_from(count)), beside(other)][::order]
        left = run(more=sum(disks, ()))
        print(f"writes fail from number {count} on")
        assert left.verdict == "PASS"
        assert "EFI_DEVICE_ERROR" in left.console and is_whole(other.run("0001", folder))


def sector_of(stick, content):
    at = stick.path.read_bytes().index(content)
    assert at % 512 == 0
    return at // 512


@in_full("bad sectors")
def test_files_that_cannot_be_read(tmp_path):
    """A plan, an event table and a kernel are on bad sectors, so the built-in plan runs.

    The firmware reads 64 KiB at once, so the files are far from each other and from the folders.
    The plan begins near the folders, so its first part is comments. The disk is a virtio disk,
    because a USB driver would retry for minutes. After a read error, the firmware's FAT driver
    writes nothing more.
    """
    apart = bytes(256 << 10)
    plan = "#\n" * (24 << 10) + SHORT
    table = b"# events of mine, on a bad sector\n" * 40
    kernel = b"no kernel, but it need not be read to be named" + bytes(2000)
    stick = new_stick(tmp_path, "", {
        "barecount/a": apart, "barecount/plan.cfg": plan, "barecount/b": apart,
        "barecount/kernels/bad.bin": kernel, "barecount/c": apart,
        "barecount/events/mine.csv": table, "barecount/d": apart})
    rules = {}
    for number, content in enumerate((table[:512], kernel[:512], SHORT.encode("ascii"))):
        rules.update(failing(number, "read", sector=sector_of(stick, content)))
    left = run([(r"^nop_1 ", lambda m: m.send(b"q")), (r"R run again", lambda m: m.send(b"s"))],
               cpus=1, more=debugged(stick.path, rules))
    assert "the plan cannot be read: EFI_DEVICE_ERROR; the built-in plan is run" in left.words
    assert "bad.bin" in left.words and "EFI_DEVICE_ERROR" in left.words
    assert left.verdict == "PASS" and "plan errors: 2; the rest of the plan applies" in left.words
    status, _, out = capture(tmp_path / "log", left.raw)
    assert status == 0
    rows = run_schema.read(out / "0001").rows
    assert {row["verdict"] for row in rows if row["kernel"] == "empty"} == {"exact", "measured"}


def test_a_file_with_the_name_of_the_folder(tmp_path):
    """The stick contains a file named results; the other volume contains a file named barecount."""
    stick, other = new_stick(tmp_path, SHORT), Other(tmp_path / "other.img", folder=False)
    stick.remove_folder("barecount/results")
    (tmp_path / "file").write_bytes(b"mine")
    stick.put(tmp_path / "file", "barecount/results")
    other.put(tmp_path / "file", "barecount")
    left = run(disk=stick.path, more=beside(other))
    assert left.verdict == "PASS" and "a file has the folder's name" in left.words
    assert stick.read("barecount/results") == b"mine" and other.read("barecount") == b"mine"
    status, _, out = capture(tmp_path / "log", left.raw)
    assert status == 0 and len(run_schema.read(out / "0001").rows) == 2 * len(expect.ALL_ROWS)


@in_full("frames= on other machines")
def test_frames_as_the_plan_has_them(tmp_path):
    """frames=never sends nothing even if the stick is read-only. frames=always sends the results
    over the console if the firmware has no serial port.
    """
    stick = new_stick(tmp_path, SHORT + "[results]\nframes=never\n")
    left = run(disk=stick.path, read_only=True, cpus=1)
    assert "@BC" not in left.console and "not written completely" in left.console
    stick = new_stick(tmp_path, SHORT_MENU + "[results]\nframes=always\n")
    left = run(disk=stick.path, firmware="u-boot", cpus=1,
               steps=[(r"R run again", lambda m: m.send(b"s"))])
    assert "over this console" in left.console and stick.runs() == ["0001"]
    status, _, out = capture(tmp_path / "log", left.raw)
    assert status == 0
    for path in (out / "0001").iterdir():
        assert path.read_bytes() == stick.read(f"barecount/results/0001/{path.name}")[
            :path.stat().st_size]


@in_full("time-outs of a serial port")
def test_a_serial_port_that_takes_nothing(boot, tmp_path):
    """The port takes no line, stops after some lines, or is missing. A run that can write its files
    does not use the port.
    """
    lost, serial = "write=1+ by_hand", "! Frames  ended at line {} of "
    lines = [f"{lost} serial=1+", f"{lost} serial=41+", f"{lost} no_serial", f"{lost} serial=0",
             "serial=0 by_hand"]
    _, starts = liars.told(boot, tmp_path, lines, cpus=1, screen=True)
    nothing, some, no_port, all_of_it, whole = starts
    assert serial.format(0) in nothing.text and "no serial port accepts lines" in nothing.text
    assert serial.format(20) in some.text  # a line is two writes: its text and its end
    assert "There is no serial line to send the results over" in no_port.text
    assert "F in the menu sends them again" in all_of_it.text
    assert "Results   sent over the serial line, not on a volume" in all_of_it.text
    for start in starts[:3]:
        assert "Results   not written completely; see the lines with '!'" in start.text
    assert [start.status for start in starts] == [liars.ABORTED] * 4 + [liars.SUCCESS]
    assert [start.verdict for start in starts] == ["PASS"] * 5
    assert "serial" not in whole.calls and whole.found.status == results.PASSED


@in_full("a serial port without a terminal")
def test_a_serial_port_without_a_terminal(boot, tmp_path):
    """The program uses no serial port without a terminal: the port may serve another purpose."""
    _, (start,) = liars.told(boot, tmp_path, ["no_terminal write=1+ by_hand"], cpus=1, screen=True)
    assert "There is no serial line to send the results over" in start.text
    assert "serial" not in start.calls


def test_a_run_that_cannot_begin_leaves_no_folder(boot, tmp_path):
    """Without memory for its records, a run does not begin."""
    lines = [f"pages={number} by_hand" for number in (9, 10, 11, 12, 0)]
    left, starts = liars.told(boot, tmp_path, lines, cpus=1)
    not_begun = [start for start in starts if "KiB for its records" in start.text]
    assert not_begun and starts[-1].verdict == "PASS" and starts[-1] not in not_begun
    begun = [f"{number:04}" for number in range(1, 1 + len(starts) - len(not_begun))]
    assert left.stick.runs() == begun and starts[-1].folder == begun[-1]
    assert all(left.stick.names(f"barecount/results/{number}") for number in begun)
