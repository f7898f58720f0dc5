# SPDX-License-Identifier: BSD-2-Clause
"""`make usb` with a fake sysfs, which describes a disk, and with a file in place of the disk."""
import os
import pathlib
import random
import subprocess
import sys

import pytest
import script
from machine import stick, usb_disk
from conftest import TOP

SCRIPT = TOP / "scripts/write-usb"
IMAGE = TOP / "build/barecount.img"
DISK_BYTES, IMAGE_BYTES = 6_000_128, 4_500_000  # neither is a multiple of the block size
NUMBER = "8:16"
USB = "devices/pci0000:00/0000:00:14.0/usb2/2-1/2-1:1.0/host6/target6:0:0/6:0:0:0/block/sdb"
SATA = "devices/pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0/block/sdb"


class Machine:
    """A sysfs and a /proc with one disk, sdb, whose device node is a file."""

    def __init__(self, folder, place=USB, size=DISK_BYTES, removable="1", kind="0"):
        self.sys, self.proc, self.node = folder / "sys", folder / "proc", folder / "sdb"
        self.disk = self.sys / place
        self.node.write_bytes(random.Random(8).randbytes(size))
        for name, text in {"dev": NUMBER, "size": str(size // 512), "removable": removable,
                           "ro": "0", "device/type": kind, "device/vendor": "Acme    ",
                           "device/model": "Stick 3.0"}.items():
            self.put(name, text)
        (self.disk / "holders").mkdir()
        self.link(NUMBER, self.disk)
        (self.proc / "self").mkdir(parents=True)
        self.mounts("254:0 / / rw - ext4 /dev/vda1 rw")
        (self.proc / "swaps").write_text("Filename Type Size Used Priority\n")

    def put(self, name, text):
        path = self.disk / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n")

    def link(self, number, target):
        at = self.sys / "dev/block"
        at.mkdir(parents=True, exist_ok=True)
        (at / number).symlink_to(os.path.relpath(target, at))

    def partition(self):
        for name, text in {"sdb1/partition": "1", "sdb1/dev": "8:17"}.items():
            self.put(name, text)
        (self.disk / "sdb1/holders").mkdir()
        self.link("8:17", self.disk / "sdb1")

    def mounts(self, *lines):
        (self.proc / "self/mountinfo").write_text(
            "".join(f"{number} 1 {line}\n" for number, line in enumerate(lines, 20)))

    def check(self, number=NUMBER):
        disk = usb_disk.describe(self.node, number, self.sys)
        usb_disk.check_removable(disk)
        usb_disk.check_fits(disk, IMAGE_BYTES)
        usb_disk.check_unused(disk, self.proc)
        return disk

    def refused(self, why, number=NUMBER):
        with pytest.raises(usb_disk.Refused, match=why):
            self.check(number)


def test_a_stick_is_taken(tmp_path):
    disk = Machine(tmp_path).check()
    assert (disk.name, disk.vendor, disk.model) == ("sdb", "Acme", "Stick 3.0")
    assert disk.bytes == DISK_BYTES // 512 * 512


@pytest.mark.parametrize("place, removable, kind, why_not", [
    (USB, "1", "0", None), (USB, "0", "0", None), (SATA, "1", "0", None),
    ("devices/pci0000:00/0000:00:1a.0/mmc_host/mmc0/mmc0:aaaa/block/sdb", "0", "SD", None),
    ("devices/pci0000:00/0000:00:1a.0/mmc_host/mmc0/mmc0:0001/block/sdb", "0", "MMC",
     "is not removable"),
    (SATA, "0", "0", "is not removable"), (SATA, "1", "5", "is a CD drive"),
    (USB, "1", "5", "is a CD drive"), ("devices/virtual/block/sdb", "0", "0", "is not removable"),
    ("devices/pci0000:00/usbfake/block/sdb", "0", "0", "is not removable")])
def test_only_what_is_removable(tmp_path, place, removable, kind, why_not):
    made = Machine(tmp_path, place, removable=removable, kind=kind)
    if why_not:
        made.refused(why_not)
    else:
        made.check()


def test_a_partition(tmp_path):
    made = Machine(tmp_path)
    made.partition()
    made.refused("is a partition; specify the whole disk: /dev/sdb", "8:17")


def test_what_is_gone(tmp_path):
    Machine(tmp_path).refused("no disk 8:99", "8:99")


@pytest.mark.parametrize("name, text, why", [
    ("size", "0", "no medium"), ("ro", "1", "write-protected"),
    ("size", str(IMAGE_BYTES // 512), "has 4.5 MB, but the image needs 4.5 MB")])
def test_what_does_not_fit(tmp_path, name, text, why):
    made = Machine(tmp_path)
    made.put(name, text)
    made.refused(why)


@pytest.mark.parametrize("line, why", [
    (r"8:16 / /media/a\040stick rw - vfat /dev/sdb rw",
     "/dev/sdb is mounted on /media/a stick; umount /dev/sdb"),
    ("8:17 / /mnt rw shared:1 - vfat /dev/sdb1 rw", "/dev/sdb1 is mounted on /mnt;"),
    ("8:17 / /mnt rw - vfat /dev/disk/by-label/STICK rw", "/dev/sdb1 is mounted on /mnt;"),
    ("0:45 /sub /mnt rw - btrfs /dev/sdb1 rw", "/dev/sdb1 is mounted on /mnt;")])
def test_mounted(tmp_path, line, why):
    made = Machine(tmp_path)
    made.partition()
    made.mounts("8:1 / / rw - ext4 /dev/sda1 rw", line)
    made.refused(why)


def test_another_disks_mounts_are_no_reason(tmp_path):
    made = Machine(tmp_path)
    made.partition()
    made.mounts("8:32 / /mnt rw - vfat /dev/sdc rw", "0:5 / /x rw - tmpfs /dev/sdbx rw")
    made.check()


def test_swap(tmp_path):
    made = Machine(tmp_path)
    made.partition()
    with open(made.proc / "swaps", "a", encoding="ascii") as swaps:
        swaps.write("/dev/sdb1 partition 1 0 -2\n")
    made.refused("/dev/sdb1 is swap space in use; swapoff /dev/sdb1")


@pytest.mark.parametrize("at", ["", "sdb1/"])
def test_held_by_another(tmp_path, at):
    made = Machine(tmp_path)
    made.partition()
    (made.disk / at / "holders/dm-0").mkdir()
    made.refused("is part of dm-0")


def test_no_disk_of_this_machine(tmp_path):
    """With the real /sys."""
    (tmp_path / "file").touch()
    for path, why in ((tmp_path / "file", "not a disk, but a file"), (tmp_path, "but a folder"),
                      ("/dev/null", "but another device"), ("/dev/nowhere", "No such file")):
        with pytest.raises(usb_disk.Refused, match=why):
            usb_disk.find(path, "/sys")
    loop = pathlib.Path("/dev/loop0")
    if loop.is_block_device() and (disk := usb_disk.find(loop, "/sys")).bytes == 0:
        done = subprocess.run([SCRIPT, loop, "--erase", "loop0", "--image", SCRIPT],
                              capture_output=True, text=True, check=False, timeout=60)
        assert done.returncode == 1 and "loop0 (0.0 MB) is not removable" in done.stderr
        with pytest.raises(usb_disk.Refused, match="is not removable"):
            usb_disk.check_removable(disk)


@pytest.fixture
def session(tmp_path, monkeypatch, capsys):
    """The fake machine, the image's path, and run(answer), which returns (status, output)."""
    made = Machine(tmp_path)
    image = tmp_path / "image"
    image.write_bytes(random.Random(9).randbytes(IMAGE_BYTES))
    tool = script.load("write-usb")

    def find(path, _):
        disk = usb_disk.describe(path, NUMBER, made.sys)
        disk.number = "0:0"  # the node is a file, not a disk
        return disk

    def run(answer, *more):
        monkeypatch.setattr(usb_disk, "find", find)
        monkeypatch.setattr(sys, "argv", ["write-usb", str(made.node), "--image", str(image),
                                          *more])
        monkeypatch.setattr("builtins.input", lambda _: answer)
        return tool.main(), capsys.readouterr()

    return made, image, run


def test_written_whole_and_nothing_else(session):
    """The disk's end, where a backup GPT may be, is cleared."""
    made, image, run = session
    before = made.node.read_bytes()
    status, said = run("sdb")
    after = made.node.read_bytes()
    assert status == 0 and "Acme Stick 3.0, 6.0 MB" in said.out and "compared" in said.out
    cleared = usb_disk.TAIL
    usable = DISK_BYTES // 512 * 512
    assert after[:IMAGE_BYTES] == image.read_bytes()
    assert after[IMAGE_BYTES : usable - cleared] == before[IMAGE_BYTES : usable - cleared]
    assert after[usable - cleared : usable] == bytes(cleared) and len(after) == DISK_BYTES


def identifiers(path):
    """The GUIDs of a disk and of its partitions, and the serial numbers of its FAT volumes."""
    content = path.read_bytes()
    found = [content[512 + 56 : 512 + 72]]
    for number, at in enumerate(stick.partitions(path).values()):
        entry = 1024 + 128 * number
        found += [content[entry + 16 : entry + 32], content[at + 0x43 : at + 0x47]]
        backup = at + 512 * int.from_bytes(content[at + 0x32 : at + 0x34], "little")
        assert content[backup : backup + 90] == content[at : at + 90]
    return found


def test_two_sticks_have_no_identifier_in_common(tmp_path):
    copies = [tmp_path / name for name in ("one", "two")]
    for copy in copies:
        assert usb_disk.make_unique(IMAGE, copy) is None
        checked = subprocess.run(["sgdisk", "--verify", copy], capture_output=True, text=True,
                                 check=True)
        assert "No problems found" in checked.stdout
        assert stick.Stick(copy).read("barecount/plan.cfg") == \
            stick.Stick(IMAGE).read("barecount/plan.cfg")
    found = [one for path in (IMAGE, *copies) for one in identifiers(path)]
    assert len(found) == len(set(found)) == 3 * 5


def test_what_keeps_its_identifiers(session, tmp_path, monkeypatch):
    _, _, run = session
    assert "The stick gets the same identifiers as the image: it has no GPT" in run("sdb")[1].out
    assert usb_disk.make_unique(TOP / "build/barecount.iso", tmp_path / "iso") == \
        "it is an ISO image"
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "cp").symlink_to("/bin/cp")
    assert "sgdisk is missing" in usb_disk.make_unique(IMAGE, tmp_path / "copy")


@pytest.mark.parametrize("answer, more", [
    ("", []), ("yes", []), ("sda", []), ("sdb", ["--erase", "sdc"])])
def test_nothing_without_its_name(session, answer, more):
    made, _, run = session
    before = made.node.read_bytes()
    status, said = run(answer, *more)
    assert status == 1 and "nothing was written" in said.err
    assert made.node.read_bytes() == before


def test_an_answer_for_scripts_skips_no_check(session):
    made, _, run = session
    assert run("", "--erase", "sdb")[0] == 0
    made.put("ro", "1")
    status, said = run("", "--erase", "sdb")
    assert status == 1 and "write-protected" in said.err


def test_what_reads_back_wrong(session, monkeypatch):
    """A byte may read back wrong on a stick with a false size."""
    made, _, run = session
    kept = usb_disk.write

    def forgetful(*arguments):
        tail = kept(*arguments)
        with open(made.node, "r+b") as disk:
            disk.seek(4_200_001)
            byte = disk.read(1)
            disk.seek(4_200_001)
            disk.write(bytes([byte[0] ^ 1]))
        return tail

    monkeypatch.setattr(usb_disk, "write", forgetful)
    status, said = run("sdb")
    assert status == 3 and "byte 4200001 does not read back" in said.err


def test_the_progress_is_the_sticks(tmp_path, monkeypatch):
    """Progress counts a block when it is on the disk, not when it is only in memory."""
    events = []
    monkeypatch.setattr(os, "fsync", lambda _: events.append("synced"))
    with open(tmp_path / "image", "w+b") as image, open(tmp_path / "disk", "w+b") as disk:
        image.truncate(3 * usb_disk.BLOCK)
        usb_disk.write(disk.fileno(), 3 * usb_disk.BLOCK, image,
                       lambda word, *_: events.append(word))
    assert events[:6] == 3 * ["synced", "written"]


@pytest.mark.parametrize("call, error, status, words", [
    ("fsync", OSError(5, "Input/output error"), 3,  # the stick was removed
     "Input/output error: the stick is now incomplete"),
    ("open", PermissionError(13, "Permission denied"), 1, "needs root: sudo scripts/write-usb")])
def test_calls_that_fail(session, monkeypatch, call, error, status, words):
    def fail(*_):
        raise error

    _, _, run = session
    monkeypatch.setattr(os, call, fail)
    found, said = run("sdb")
    assert found == status and words in said.err


def test_a_larger_stick(tmp_path):
    make = ["make", "-s", "-C", TOP, "-o", "image", "usb", "SIZE_MIB=300", f"DEV={tmp_path}/none"]
    done = subprocess.run(make, capture_output=True, text=True, check=False, timeout=60)
    image = TOP / "build/300-mib.img"
    size = image.stat().st_size
    image.unlink()
    assert size == 300 << 20 and f"{tmp_path}/none" in done.stderr
    # write-usb names a missing image before it looks for the disk.
    write = subprocess.run([*make, "-n"], capture_output=True, text=True, check=True, timeout=60)
    done = subprocess.run(write.stdout.splitlines()[-1], shell=True, cwd=TOP, capture_output=True,
                          text=True, check=False, timeout=60)
    assert done.returncode == 1 and "build/300-mib.img: no such file" in done.stderr


def test_without_a_device():
    done = subprocess.run(["make", "-s", "-C", TOP, "-o", "image", "usb"], capture_output=True,
                          text=True, check=False, timeout=60)
    assert done.returncode != 0 and "DEV=/dev/sdX" in done.stderr
