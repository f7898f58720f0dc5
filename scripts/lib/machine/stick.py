# SPDX-License-Identifier: BSD-2-Clause
"""Access the files on a stick's image with mtools, which needs neither a mount nor root."""
import os
import pathlib
import re
import shutil
import struct
import subprocess

from machine.qemu import HostError

SECTOR = 512
TOOL_S = 120
NAMES = {"esp": "EFI System", "data": "BARECOUNT"}
ENVIRONMENT = {**os.environ, "MTOOLSRC": "/dev/null", "MTOOLS_SKIP_CHECK": "1", "TZ": "UTC"}


def partitions(image):
    """{name of a partition: its offset in bytes} of a disk with a GPT."""
    with open(image, "rb") as disk:
        disk.seek(SECTOR)
        header = disk.read(SECTOR)
        if header[:8] != b"EFI PART":
            raise HostError(f"{image}: no GPT; start over with FRESH=1")
        table_sector, count, size = struct.unpack_from("<QII", header, 72)
        disk.seek(table_sector * SECTOR)
        table = disk.read(count * size)
    offsets = {}
    for at in range(0, count * size, size):
        first_sector = struct.unpack_from("<Q", table, at + 32)[0]
        if first_sector:
            name = table[at + 56 : at + 128].decode("utf-16-le").rstrip("\0")
            offsets[name] = first_sector * SECTOR
    return offsets


class Stick:
    """The image of a stick. Paths on the stick have the form `barecount/plan.cfg`."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        offsets = partitions(self.path)
        try:
            self._at = {part: f"{self.path}@@{offsets[name]}" for part, name in NAMES.items()}
        except KeyError as name:
            raise HostError(f"{path}: no partition {name}; start over with FRESH=1") from None

    @classmethod
    def copy_of(cls, image, path):
        subprocess.run(["cp", "--sparse=always", str(image), str(path)], check=True,
                       timeout=TOOL_S)
        return cls(path)

    def _mtools(self, tool, *arguments, part="data", check=True):
        if not shutil.which(tool):
            raise HostError(f"{tool} is missing: run `scripts/setup program`")
        done = subprocess.run([tool, "-i", self._at[part], *arguments], env=ENVIRONMENT,
                              stdin=subprocess.DEVNULL, capture_output=True, check=False,
                              timeout=TOOL_S)
        if check and done.returncode != 0:
            raise HostError(f"{tool} {' '.join(arguments)}: {done.stderr.decode().strip()}")
        return done

    def put(self, source, target, part="data"):
        self._mtools("mcopy", "-o", str(source), f"::/{target}", part=part)

    def get(self, source, target, check=True, part="data"):
        self._mtools("mcopy", "-s", "-n", "-m", f"::/{source}", str(target), part=part,
                     check=check)

    def remove(self, path, part="data"):
        self._mtools("mdel", f"::/{path}", part=part)

    def make_folder(self, path, part="data"):
        self._mtools("mmd", f"::/{path}", part=part)

    def remove_folder(self, path):
        self._mtools("mrd", f"::/{path}")

    def put_kernels(self, files, part="data"):
        if files and part == "data" and "kernels" not in self.names("barecount"):
            self.make_folder("barecount/kernels")
        for file in files:
            if file.suffix.lower() != ".bin":
                raise HostError(f"{file}: not a .bin file; scripts/build-kernel makes one from it")
            self.put(file, f"barecount/kernels/{file.name}", part)

    def read(self, path, part="data"):
        done = self._mtools("mtype", f"::/{path}", part=part, check=False)
        return done.stdout if done.returncode == 0 else None

    def names(self, folder, part="data"):
        """The names in a folder; [] if the folder cannot be read."""
        done = self._mtools("mdir", "-b", f"::/{folder}", part=part, check=False)
        lines = done.stdout.decode("ascii", "replace").splitlines() if not done.returncode else []
        return sorted(line.rstrip("/").rsplit("/", 1)[-1] for line in lines)

    def free_bytes(self):
        listing = self._mtools("mdir", "::/").stdout.decode("ascii", "replace")
        return int(re.search(r"([\d ]+) bytes free", listing).group(1).replace(" ", ""))

    def runs(self, part="data"):
        return [name for name in self.names("barecount/results", part) if name.isdigit()]
