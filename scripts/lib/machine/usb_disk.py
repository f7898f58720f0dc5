# SPDX-License-Identifier: BSD-2-Clause
"""Check in sysfs and /proc that a disk is an unused stick, and write to the stick."""
import contextlib
import dataclasses
import errno
import fcntl
import os
import pathlib
import re
import secrets
import stat
import struct
import subprocess

from machine import stick

SECTOR = 512  # the unit of sizes in sysfs, even if the disk has larger sectors
BLOCK = 4 << 20
BLKRRPART, BLKFLSBUF = 0x125F, 0x1261  # linux/fs.h
# The last TAIL bytes of a disk may contain the backup of an earlier GPT.
TAIL = 1 << 20
ISO_MAGIC, ISO_MAGIC_AT = b"CD001", 32769
CD_DRIVE, SD_CARD = "5", "SD"  # device/type of a SCSI device, and of an MMC card


class Refused(Exception):
    """The disk must not be written to."""


@dataclasses.dataclass
class Disk:
    name: str
    path: pathlib.Path  # its node in /dev, as the caller named it
    number: str  # major:minor
    folder: pathlib.Path  # its folder in sysfs, without symbolic links
    vendor: str
    model: str
    bytes: int

    @property
    def title(self):
        name = " ".join(part for part in (self.vendor, self.model) if part)
        return ", ".join(part for part in (name, size_text(self.bytes)) if part)


def _text(path):
    try:
        return path.read_text("utf-8", "replace").strip()
    except OSError:
        return ""


def size_text(count):
    """A size in decimal units, which the makers of sticks use."""
    for unit, step in (("TB", 10**12), ("GB", 10**9)):
        if count >= step:
            return f"{count / step:.1f} {unit}"
    return f"{count / 10**6:.1f} MB"


def find(path, sys):
    try:
        found = os.stat(path)
    except OSError as why:
        raise Refused(f"{path}: {why.strerror}; `lsblk` shows the disks") from None
    if not stat.S_ISBLK(found.st_mode):
        raise Refused(f"{path} is not a disk, but {_kind(found.st_mode)}; `lsblk` shows the disks")
    return describe(path, _number(found), sys)


def _number(found):
    return f"{os.major(found.st_rdev)}:{os.minor(found.st_rdev)}"


def _kind(mode):
    if stat.S_ISDIR(mode):
        return "a folder"
    return "a file" if stat.S_ISREG(mode) else "another device"


def describe(path, number, sys):
    folder = (pathlib.Path(sys) / "dev/block" / number).resolve()
    if not folder.is_dir():
        raise Refused(f"{path}: sysfs knows no disk {number}; is it still plugged in?")
    if (folder / "partition").exists():
        raise Refused(f"{path} is a partition; specify the whole disk: "
                      f"/dev/{folder.parent.name}")
    return Disk(folder.name, pathlib.Path(path), number, folder,
                _text(folder / "device/vendor"),
                _text(folder / "device/model") or _text(folder / "device/name"),
                int(_text(folder / "size") or 0) * SECTOR)


def check_removable(disk):
    kind = _text(disk.folder / "device/type")
    if kind == CD_DRIVE:
        raise Refused(f"{disk.path} is a CD drive; burn the ISO image with a program for CDs")
    removable = _text(disk.folder / "removable") == "1"
    usb = any(re.fullmatch(r"usb\d+", part) for part in disk.folder.parts)
    if not (removable or usb or kind == SD_CARD):
        raise Refused(f"{disk.path} ({disk.title}) is not removable: it is neither marked as such "
                      "nor on USB. This program does not write to built-in disks")


def check_fits(disk, image_bytes):
    if disk.bytes == 0:
        raise Refused(f"{disk.path} has no medium in it")
    if _text(disk.folder / "ro") == "1":
        raise Refused(f"{disk.path} is write-protected; it may have a switch")
    if disk.bytes < image_bytes:
        raise Refused(f"{disk.path} has {size_text(disk.bytes)}, but the image needs "
                      f"{size_text(image_bytes)}")


# Offsets in a FAT32 boot sector: of the serial number, and of the backup boot sector's number.
FAT32_SERIAL, FAT32_BACKUP = 0x43, 0x32


def make_unique(image, copy):
    """Copy an image with new identifiers, so that a machine can tell two sticks apart.

    Returns None, or the reason why no copy was made.
    """
    with open(image, "rb") as source:
        source.seek(ISO_MAGIC_AT)
        if source.read(len(ISO_MAGIC)) == ISO_MAGIC:
            return "it is an ISO image"
    try:
        offsets = stick.partitions(image).values()
    except (stick.HostError, struct.error):
        return "it has no GPT"
    try:
        for command in (["cp", "--sparse=always", image, copy],
                        ["sgdisk", "--randomize-guids", copy]):
            subprocess.run(command, check=True, capture_output=True, text=True)
    except FileNotFoundError:
        return "sgdisk is missing; install: apt-get install gdisk"
    except subprocess.CalledProcessError as why:
        return f"{command[0]} failed: {why.stderr.strip()}"
    with open(copy, "r+b") as disk:
        for at in offsets:
            disk.seek(at)
            boot = disk.read(SECTOR)
            if boot[0x52:0x5a] != b"FAT32   ":
                continue
            serial = secrets.token_bytes(4)
            for sector in (0, struct.unpack_from("<H", boot, FAT32_BACKUP)[0]):
                disk.seek(at + sector * SECTOR + FAT32_SERIAL)
                disk.write(serial)
    return None


def _numbers(disk):
    folders = [disk.folder, *(entry.parent for entry in sorted(disk.folder.glob("*/partition")))]
    return {_text(folder / "dev"): folder.name for folder in folders}


def _unescaped(path):
    return re.sub(r"\\(\d{3})", lambda found: chr(int(found[1], 8)), path)


def check_unused(disk, proc):
    numbers = _numbers(disk)
    names = set(numbers.values())
    for line in _text(pathlib.Path(proc) / "self/mountinfo").splitlines():
        fields = line.split()
        source = fields[fields.index("-") + 2]
        if fields[2] in numbers or source in {f"/dev/{name}" for name in names}:
            name = numbers.get(fields[2], source.removeprefix("/dev/"))
            raise Refused(f"/dev/{name} is mounted on {_unescaped(fields[4])}; "
                          f"umount /dev/{name}, and retry")
    for line in _text(pathlib.Path(proc) / "swaps").splitlines()[1:]:
        name = pathlib.Path(_unescaped(line.split()[0])).name
        if name in names:
            raise Refused(f"/dev/{name} is swap space in use; swapoff /dev/{name}, and retry")
    for name in sorted(names):
        folder = disk.folder if name == disk.name else disk.folder / name
        if (folder / "holders").is_dir() and \
                (held := sorted(entry.name for entry in (folder / "holders").iterdir())):
            raise Refused(f"/dev/{name} is part of {', '.join(held)} (LVM, RAID, encryption?), "
                          "which must be closed first")


def open_disk(disk):
    root = f"writing to it needs root: sudo scripts/write-usb {disk.path}"
    hints = {errno.EACCES: root, errno.EPERM: root,
             errno.EBUSY: "a program uses it; close the program, and retry",
             errno.EROFS: "it is write-protected; it may have a switch",
             errno.ENOMEDIUM: "it has no medium in it"}
    try:
        opened = os.open(disk.path, os.O_RDWR | os.O_EXCL | os.O_CLOEXEC)
    except OSError as why:
        raise Refused(f"{disk.path}: {hints.get(why.errno, why.strerror)}") from None
    if _number(os.fstat(opened)) != disk.number:
        os.close(opened)
        raise Refused(f"{disk.path} is now another disk; retry")
    return opened


def _read_whole(disk, count):
    data = b""
    while len(data) < count and (part := os.read(disk, count - len(data))):
        data += part
    return data


def _write_whole(disk, data):
    while data:
        data = data[os.write(disk, data):]


def _forget(disk):
    """Drop the disk's pages from the page cache, so that later reads come from the disk."""
    if stat.S_ISBLK(os.fstat(disk).st_mode):
        fcntl.ioctl(disk, BLKFLSBUF)
    os.posix_fadvise(disk, 0, 0, os.POSIX_FADV_DONTNEED)


def _blocks(image, count, told, word):
    image.seek(0)
    at = 0
    while data := image.read(BLOCK):
        yield at, data
        at += len(data)
        told(word, at, count)


def write(disk, disk_bytes, image, told):
    """Write the image, and clear the disk's end, which may contain an earlier GPT.

    Returns the number of bytes cleared. May raise an OSError whose text does not name the disk.
    """
    count = os.fstat(image.fileno()).st_size
    for at, data in _blocks(image, count, told, "written"):
        os.lseek(disk, at, os.SEEK_SET)
        _write_whole(disk, data)
        os.fsync(disk)  # after every block, so that only stored bytes count as progress
    tail = min(TAIL, disk_bytes - count)
    os.lseek(disk, disk_bytes - tail, os.SEEK_SET)
    _write_whole(disk, bytes(tail))
    os.fsync(disk)
    _forget(disk)
    return tail


def first_difference(disk, disk_bytes, tail, image, told):
    """Read back what write() wrote; return the offset of the first difference, or None.

    If the cleared end of the disk differs, return the offset of the end's first byte.
    """
    count = os.fstat(image.fileno()).st_size
    for at, data in _blocks(image, count, told, "compared"):
        os.lseek(disk, at, os.SEEK_SET)
        if (found := _read_whole(disk, len(data))) != data:
            return at + next((i for i, (a, b) in enumerate(zip(found, data)) if a != b),
                             len(found))
    os.lseek(disk, disk_bytes - tail, os.SEEK_SET)
    return disk_bytes - tail if _read_whole(disk, tail) != bytes(tail) else None


def read_tables(disk):
    with contextlib.suppress(OSError):
        fcntl.ioctl(disk, BLKRRPART)
