# SPDX-License-Identifier: BSD-2-Clause
"""A run whose writes are logged, power cuts in this run, and checks of the medium."""
import contextlib
import csv
import dataclasses
import io
import json
import pathlib
import re
import shutil
import struct
import subprocess
import zlib

import block_log
import run_schema
from machine import stick as sticks
from conftest import SEED, TOP, fill

SIZE_MIB = 84  # the smallest image, whose free space is quickly filled with old files
RECOVER = TOP / "build/recover"
RECOVER_S = 60
KEPT = TOP / "build/test/power-cuts"
TEXTS = ("results.csv", "summary.txt", "summary.html", "samples.csv", "run.json")
JOURNAL = "journal.bin"
RUN_JSON_END = b"\n}\n"  # how run.json of a complete run ends
FIRST, RUN = "0001", "0002"  # an earlier run, and the run that is cut off

# From pmu/journal/journal.h and pmu/journal/record.h.
HEAD = struct.Struct("<IIQIIII")
HEAD_MAGIC = 0x314a4342
RUN_RECORD, KERNEL, RESULT, NOTE, END, NEXT, PHASE = 1, 3, 5, 6, 7, 14, 18
CALIBRATION = 0xffffffff

ENTRY_BYTES, ENTRY_SIZE_AT = 32, 28  # a FAT entry: its length, and where the file size is
ENTRY_NAMES = b"0002       ", b"JOURNAL BIN"


@dataclasses.dataclass
class Journal:
    """What a journal's complete records say.

    `done`: (CPU, kernel, parameters) of each result, without calibrations; `announced`: the number
    of announced kernels; `last`: the type of the last record that is not a note.
    """

    records: int
    done: list
    announced: int
    last: int | None
    ended: bool


def _text(field):
    return field.split(b"\0")[0].decode("ascii")


def read_journal(content, number=int(RUN)):
    """Parse a journal up to the first record that is damaged or belongs to another run."""
    at, kernels, found, run_id = 0, [], Journal(0, [], 0, None, False), None
    while at + HEAD.size <= len(content):
        magic, kind, run, sequence, size, payload_crc, head_crc = HEAD.unpack_from(content, at)
        payload = content[at + HEAD.size:at + HEAD.size + size]
        if (magic, sequence) != (HEAD_MAGIC, found.records) or run_id not in (None, run) or \
                zlib.crc32(content[at:at + HEAD.size - 4]) != head_crc or len(payload) < size or \
                zlib.crc32(payload) != payload_crc:
            break
        if kind == RUN_RECORD and struct.unpack_from("<I", payload, 4)[0] != number:
            break
        if kind == KERNEL:
            kernels.append((_text(payload[:32]), _text(payload[112:192])))
        elif kind == RESULT:
            cpu, kernel = struct.unpack_from("<II", payload)
            if kernel != CALIBRATION:
                found.done.append((str(cpu), *kernels[kernel]))
        found.announced += kind == NEXT
        found.last = found.last if kind == NOTE else kind
        found.ended |= kind == END
        found.records += 1
        run_id = run
        at += HEAD.size + (size + 7) // 8 * 8
    return found


def recover(folder):
    done = subprocess.run([RECOVER, folder], capture_output=True, text=True, timeout=RECOVER_S,
                          check=False)
    assert done.returncode == 0 or "it contains no" in done.stderr, done.stderr
    run_schema.hold_below(folder)
    return done.returncode == 0


def small_stick(path):
    subprocess.run([TOP / "scripts/make-image", TOP / "build/BOOTX64.EFI", "-o", path, "--events",
                    TOP / "build/events", "--size-mib", str(SIZE_MIB)], check=True, timeout=60)
    return sticks.Stick(path)


def litter(stick, folder, journal):
    fill(stick, folder, 0)
    remains = (folder / "filler").stat().st_size // len(journal) * journal
    (folder / "litter").write_bytes(remains)
    stick.remove("filler")
    stick.put(folder / "litter", "litter")
    stick.remove("litter")
    for name in ("filler", "litter"):
        (folder / name).unlink()


def write_over(stick, old, new):
    """Overwrite a file's text in place, without changing its clusters."""
    content = pathlib.Path(stick.path).read_bytes()
    found = [match.start() for match in re.finditer(re.escape(old.encode("ascii")), content)
             if match.start() % block_log.SECTOR == 0]
    assert len(found) == 1 and len(new) == len(old), found
    with open(stick.path, "r+b") as disk:
        disk.seek(found[0])
        disk.write(new.encode("ascii"))


def lengthen(stick, name, content):
    """Write into a file's folder entry a size that is larger than the file's clusters."""
    disk = pathlib.Path(stick.path).read_bytes()
    size = struct.pack("<I", len(content))
    found = [at for at in map(re.Match.start, re.finditer(name.encode("ascii"), disk))
             if at % ENTRY_BYTES == 0 and disk.startswith(size, at + ENTRY_SIZE_AT)]
    assert len(found) == 1, found
    with open(stick.path, "r+b") as file:
        file.seek(found[0] + ENTRY_SIZE_AT)
        file.write(struct.pack("<I", len(content) + (64 << 10)))


def files_of(folder):
    return {str(path.relative_to(folder)): path.read_bytes()
            for path in sorted(pathlib.Path(folder).rglob("*")) if path.is_file()}


def get_results(stick, folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    stick.get("barecount/results", folder, check=False)
    return folder / "results"


class Logged:
    """A boot without a cut: the stick before it, the log of its writes, and its results.

    `before` and `uncut` contain the files of \\barecount\\results before and after the boot:
    {"0001/run.json": bytes, …}.
    """

    def __init__(self, folder, base, log_path, after, plan):
        self.folder = folder
        self.plan = plan
        self.base = base
        self.log_path = log_path
        self.log = block_log.Log(log_path)
        self.before = files_of(get_results(sticks.Stick(base), folder / "before"))
        self.uncut = files_of(get_results(after, folder / "uncut"))
        self._info_at, self._fat = self._find_tables()
        self._allocating = [(first, end) for first, end in self.log.periods()
                            if any(map(self.is_in_fat, self.log.entries[first:end]))]

    def _find_tables(self):
        """The disk offset of FSInfo, which names a free cluster, and the FATs' range of offsets."""
        start = sticks.partitions(self.base)[sticks.NAMES["data"]]
        with open(self.base, "rb") as disk:
            disk.seek(start)
            boot = disk.read(block_log.SECTOR)
        reserved, fats = struct.unpack_from("<HB", boot, 14)
        sectors, = struct.unpack_from("<I", boot, 36)  # sectors of a FAT32 table
        info, = struct.unpack_from("<H", boot, 48)
        return start + block_log.SECTOR * info, range(
            start + reserved * block_log.SECTOR,
            start + (reserved + fats * sectors) * block_log.SECTOR)

    def is_in_fat(self, write):
        return write.at in self._fat

    def is_allocating(self, moment):
        """Whether a write to the FAT is not yet flushed, so that the volume may need repair."""
        return any(first < moment <= end for first, end in self._allocating)

    def _lose(self, name, keeps):
        """Cuts that keep only the writes for which keeps() is true. There is one cut for each
        interval between two flushes that contains writes to the FAT.
        """
        return [block_log.Cut(f"{name}-{first}", first, end,
                              tuple(filter(keeps, self.log.entries[first:end])))
                for first, end in self._allocating]

    def _is_of_tables(self, write):
        return self.is_in_fat(write) or write.at == self._info_at

    def without_tables(self):
        """Cuts after which used clusters look free."""
        return self._lose("tables", lambda write: not self._is_of_tables(write))

    def without_contents(self):
        """Cuts after which the files exist, with the old contents of their clusters."""
        return self._lose("contents", lambda write: self._is_of_tables(write) or any(
            name in write.data for name in ENTRY_NAMES))

    def medium(self):
        return block_log.Medium(self.base, self.folder / "medium", self.log)

    @contextlib.contextmanager
    def explaining(self, one):
        """If a check of a cut fails, print the cut's name, and keep the stick and the log."""
        try:
            yield
        except AssertionError as why:
            raise AssertionError(f"{one}; {self.keep()}\n{why}") from why

    def keep(self):
        KEPT.mkdir(parents=True, exist_ok=True)
        shutil.copy(self.log_path, KEPT / "log")
        subprocess.run(["cp", "--sparse=always", str(self.base), str(KEPT / "base.img")],
                       check=True, timeout=60)
        return f"BARECOUNT_SEED={SEED}; the log and the stick before it are in {KEPT}"


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text.decode("ascii"), newline="")))


def place(row):
    return row["cpu"], row["kernel"], row["param"]


def check_recovered(found, whole, journal):
    """Check that the uncut run begins with the cut run's recovered rows and samples.

    found, whole: {name: bytes} of the cut and of the uncut run; journal: the part of the journal
    that is certainly on the medium.
    """
    rows, all_rows = rows_of(found["results.csv"]), rows_of(whole["results.csv"])
    cut_off = [row for row in rows if row["verdict"] == "fault"]
    finished = rows[:len(rows) - len(cut_off)]
    assert finished == all_rows[:len(finished)]
    assert len({place(row) for row in cut_off}) <= 1
    assert not {place(row) for row in cut_off} & {place(row) for row in finished}
    counts = [sum(place(row) == done for row in finished) for done in journal.done]
    assert counts == [sum(place(row) == done for row in all_rows) for done in journal.done]
    lines = found["results.csv"].splitlines(True)[:len(finished) + 1]
    assert lines == whole["results.csv"].splitlines(True)[:len(lines)]
    assert whole["samples.csv"].startswith(found["samples.csv"])
    run = json.loads(found["run.json"])
    if run["complete"]:
        assert {name: found[name] for name in TEXTS} == {name: whole[name] for name in TEXTS}
    else:
        assert not journal.ended


def check_before(logged, found):
    for name, content in logged.before.items():
        if name == "index.csv":
            assert found.get(name, b"").startswith(content)
        else:
            assert found.get(name) == content, name


def check_after(logged, one, medium, surely):
    """`surely`: the part of the journal that certainly survives."""
    folder = logged.folder / "cut"
    whole = {name: logged.uncut[f"{RUN}/{name}"] for name in (*TEXTS, JOURNAL)}
    with medium.after(one) as volume:
        faults = volume.faults()
        assert logged.is_allocating(one.moment) or not faults, faults
        found = files_of(get_results(volume, folder))
    check_before(logged, found)
    found = {name.removeprefix(f"{RUN}/"): content for name, content in found.items()
             if name.startswith(f"{RUN}/")}
    if found.get("run.json", b"").endswith(RUN_JSON_END):  # the next boot treats it as complete
        assert found == whole
    if not surely.records and JOURNAL not in found:
        return
    run = folder / "results" / RUN
    if not recover(run):
        assert surely.records == 0
    elif is_own(run):
        check_recovered(files_of(run), whole, surely)
    else:
        assert surely.records == 0


def is_own(folder):
    """Whether the run in a folder has the folder's number.

    If no write to a new journal survives, its clusters may still contain an old run's journal.
    """
    return json.loads((folder / "run.json").read_text("ascii"))["number"] == int(folder.name)
