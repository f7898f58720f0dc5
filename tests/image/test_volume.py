# SPDX-License-Identifier: BSD-2-Clause
"""The program on a user's FAT volume, next to other files."""
import pathlib
import subprocess

import expect
import results
from machine import stick as sticks
from conftest import TOP, plan_text
from levels import in_full

MIB = 1 << 20


class OneVolume(sticks.Stick):
    """A disk with one FAT partition for everything."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self._at = {part: f"{path}@@{MIB}" for part in ("esp", "data")}
        with open(path, "wb") as disk:
            disk.truncate(80 * MIB)
        subprocess.run(["sgdisk", "-a", "2048", "-n", "1:2048:0", "-t", "1:EF00", path],
                       check=True, capture_output=True, timeout=60)
        self._mtools("mformat", "-T", str(78 * MIB // sticks.SECTOR), "-h", "16", "-s", "63",
                     "-H", "2048", "-F", "::")
        for folder in ("EFI", "EFI/BOOT"):
            self.make_folder(folder)
        self.put(TOP / "build/BOOTX64.EFI", "EFI/BOOT/BOOTX64.EFI")


def test_one_volume_for_everything(boot, tmp_path):
    disk = OneVolume(tmp_path / "one.img")
    disk.make_folder("barecount")
    left = boot(plan=plan_text(cpus="boot", kernels="nops"), stick=disk)
    assert left.stick.runs() == ["0001"] and left.verdict == "PASS"
    assert len(left.results.rows) == len(expect.ALL_ROWS)


@in_full("a volume without the program's folder")
def test_a_volume_without_our_folder(boot, tmp_path):
    disk = OneVolume(tmp_path / "one.img")
    left = boot(plan=None, stick=disk, cpus=1, keys=[(r"R run again", b"s")])
    assert "Plan      built in: 1 CPU, " in left.console
    assert left.stick.runs() == ["0001"] and left.results.status == results.PASSED
