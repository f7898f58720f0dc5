# SPDX-License-Identifier: BSD-2-Clause
"""A machine's writes and flushes to its disk, and which writes survive a power cut.

QEMU's block driver `blklogwrites` makes the log, in the format of Linux's dm-log-writes
(Documentation/admin-guide/device-mapper/log-writes.rst). An entry is a sector that describes a
write or a flush, followed by the written sectors.

Everything written before the last flush survives a power cut. The medium is assumed to have a
volatile cache: each sector written after the last flush survives entirely or not at all.
"""
import contextlib
import dataclasses
import random
import struct
import subprocess

from machine import stick as sticks

SECTOR = 512
MAGIC, VERSION = 0x6a736677736872, 1
SUPER, ENTRY = struct.Struct("<QQQI"), struct.Struct("<QQQQ")
FLUSH = 1  # the flag of a flush; no other flag occurs
KEPT = (0, 0.25, 0.5, 0.75, 1)  # the share of unflushed writes that survives a cut
TORN = 0.25                     # the share of these writes that survive only in part
FSCK = "/usr/sbin/fsck.vfat"
FSCK_S = 60
PIECE = 1 << 20


@dataclasses.dataclass(frozen=True)
class Write:
    at: int  # byte offset on the disk
    data: bytes


class Log:
    """`entries` contains a Write for each write, and None for each flush."""

    def __init__(self, path):
        with open(path, "rb") as file:
            magic, version, count, size = SUPER.unpack(file.read(SUPER.size))
            assert (magic, version, size) == (MAGIC, VERSION, SECTOR), path
            file.seek(size)
            self.entries = [self._next(file) for _ in range(count)]

    @staticmethod
    def _next(file):
        sector, sectors, flags, _ = ENTRY.unpack(file.read(SECTOR)[:ENTRY.size])
        assert flags in (0, FLUSH) and (flags == FLUSH) == (sectors == 0), (flags, sectors)
        data = file.read(sectors * SECTOR)
        assert len(data) == sectors * SECTOR
        return Write(sector * SECTOR, data) if sectors else None

    @property
    def flushes(self):
        return [at for at, entry in enumerate(self.entries) if entry is None]

    def durable(self, moment):
        """How many of the first `moment` entries surely survive a power cut."""
        return max((at + 1 for at in range(moment) if self.entries[at] is None), default=0)

    def periods(self):
        edges = [-1, *self.flushes, len(self.entries)]
        return [(before + 1, end) for before, end in zip(edges, edges[1:]) if before + 1 < end]


@dataclasses.dataclass(frozen=True)
class Cut:
    """A power cut just before the entry with index `moment`.

    Writes before `durable` survive. Later writes survive only if they are in `kept`.
    """

    name: str
    durable: int
    moment: int
    kept: tuple  # of Write, in log order

    def __str__(self):
        sectors = sum(len(write.data) for write in self.kept) // SECTOR
        return (f"cut {self.name}: entries before {self.durable} are there, and {sectors} sectors "
                f"of those before {self.moment}")


def torn(numbers, write):
    return [Write(write.at + at, write.data[at:at + SECTOR])
            for at in range(0, len(write.data), SECTOR) if numbers.random() < 0.5]


def cut(log, seed, first, end, cached=True):
    """A cut after a random entry of [first, end), determined by the seed and the log.

    Without a cache, a write is on the medium when the next write begins, so only the last write
    before the cut may be torn.
    """
    numbers = random.Random(seed)
    moment = numbers.randrange(first, end) + 1
    durable = log.durable(moment) if cached else moment - 1
    part = numbers.choice(KEPT) if cached else 1
    kept = []
    for write in log.entries[durable:moment]:
        if write and numbers.random() < part:
            whole = numbers.random() >= (TORN if cached else 0.5)
            kept += [write] if whole else torn(numbers, write)
    return Cut(str(seed), durable, moment, tuple(kept))


def cuts(log, seed, count, first=0, end=None, cached=True):
    size = (len(log.entries) if end is None else end) - first
    edges = [first + size * i // count for i in range(count + 1)]
    return [cut(log, f"{seed}-{i}", low, max(low + 1, high), cached)
            for i, (low, high) in enumerate(zip(edges, edges[1:]))]


def dropping(log):
    """For each write, a cut that comes before the next flush and loses only this write."""
    return [Cut(f"without-{at}", first, end, tuple(
                write for write in log.entries[first:end] if write is not log.entries[at]))
            for first, end in log.periods() for at in range(first, end)]


class Volume(sticks.Stick):
    def __init__(self, path):
        self.path = path
        self._at = {"data": str(path)}

    def faults(self):
        done = subprocess.run([FSCK, "-n", str(self.path)], capture_output=True, text=True,
                              errors="replace", timeout=FSCK_S, check=False)
        return "" if done.returncode == 0 else f"status {done.returncode}:\n{done.stdout}"

    def mend(self):
        subprocess.run([FSCK, "-a", str(self.path)], capture_output=True, timeout=FSCK_S,
                       check=False)


def take_out(image, path):
    """Copy a stick's data partition to a sparse file; returns its offset on the stick."""
    start = sticks.partitions(image)[sticks.NAMES["data"]]
    with open(image, "rb") as disk, open(path, "wb") as file:
        disk.seek(start)
        while piece := disk.read(PIECE):
            if any(piece):
                file.write(piece)
            else:
                file.seek(len(piece), 1)
        file.truncate()
    return start


class Medium:
    """The data partition after power cuts, which must come in ascending order of `durable`."""

    def __init__(self, image, path, log):
        self._log = log
        self._start = take_out(image, path)
        self._done = 0
        self._file = open(path, "r+b", buffering=0)
        self.volume = Volume(path)

    def close(self):
        self._file.close()

    def _swap(self, write):
        at = write.at - self._start
        assert at >= 0, f"a write to byte {write.at} of the disk, before the data partition"
        self._file.seek(at)
        before = Write(write.at, self._file.read(len(write.data)))
        assert len(before.data) == len(write.data), f"byte {write.at}: after the partition"
        self._file.seek(at)
        self._file.write(write.data)
        return before

    def forward(self, durable):
        assert durable >= self._done
        for write in self._log.entries[self._done:durable]:
            if write:
                self._swap(write)
        self._done = durable

    @contextlib.contextmanager
    def after(self, a_cut):
        """A context manager that gives the volume after a cut, and then undoes the cut."""
        self.forward(a_cut.durable)
        before = [self._swap(write) for write in a_cut.kept]
        try:
            yield self.volume
        finally:
            for write in reversed(before):
                self._swap(write)


def stick_after(image, path, log, a_cut):
    stick = sticks.Stick.copy_of(image, path)
    with open(path, "r+b") as file:
        for write in (*filter(None, log.entries[:a_cut.durable]), *a_cut.kept):
            file.seek(write.at)
            file.write(write.data)
    return stick
