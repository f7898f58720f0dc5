# SPDX-License-Identifier: BSD-2-Clause
"""Run the image on firmware that gives wrong answers.

build/liar.efi starts the program once for each line of lies (tests/image/firmware/liar.h), and
prints how the program ended and which resources were not freed.
"""
import contextlib
import dataclasses
import re

from machine import qemu
from machine import program
import results
from machine import stick as sticks
from conftest import IMAGE, TOP, fill, plan_text

LIAR = TOP / "build/liar.efi"
PROGRAM = TOP / "build/BOOTX64.EFI"
SUCCESS, ABORTED = 0, 1 << 63 | 21  # UEFI specification, "Status Codes"
OF_FILES = ("open", "read", "write", "position", "info", "flush", "remove", "file")
KERNELS = "empty,nops,load"  # the last one has a buffer
PLAN = plan_text(cpus="boot", kernels=KERNELS, runs=2, warmup=0, at_end="leave")

_START = re.compile(r"^liar: start (\d+): ([^\n]*)\n([\s\S]*?)(?=^liar: start|\Z)", re.M)
_END = re.compile(r"^liar: calls(.*)\nliar: acted(.*)\nliar: made (.*)\nliar: left (.*)\n"
                  r"liar: end (\d+) status=(0x[0-9a-f]+)", re.M)
_FOLDER = re.compile(r"(esp|data) barecount\\results\\(\d{4,})$")
_VERDICT = re.compile(program.VERDICT, re.M)


@dataclasses.dataclass
class Start:
    lies: str
    text: str  # wrapped lines are joined
    calls: dict  # service -> number of calls
    acted: dict  # lie -> how often it had an effect
    left: dict  # resource -> how many were not given back
    status: int
    part: str | None  # `esp` or `data`: the partition with the results
    folder: str | None
    found: object = None  # None if the results could not be read

    @property
    def verdict(self):
        said = _VERDICT.findall(self.text)
        return said[-1][0] if said else None

    @property
    def complaints(self):
        return [line for line in self.text.splitlines() if line.startswith("!")]


def numbers(words):
    return {name: int(value) for name, value in re.findall(r"(\w+)=(-?\d+)", words)}


def starts_of(console):
    starts = []
    for number, lies, text in _START.findall(console):
        ended = _END.search(text)
        assert ended and ended.group(5) == number, f"start {number} did not end, {lies}:\n{text}"
        calls, acted, made, left, _, status = ended.groups()
        folder = _FOLDER.match(made.strip())
        place = folder.groups() if folder else (None, None)
        said = re.sub(r"\s*\n {4}\s*", " ", text[:ended.start()])
        starts.append(Start(lies.strip(), said, numbers(calls), numbers(acted), numbers(left),
                            int(status, 16), *place))
    return starts


def idle_of(start):
    """The lies that wrongly had no effect, and the lies with `=0` that had an effect."""
    told_so = {word for word in start.lies.split() if word.endswith("=0")}
    return [name for name, count in start.acted.items()
            if (count == 0) != (f"{name}=0" in told_so)]


def stick_of(path, lines):
    stick = sticks.Stick.copy_of(IMAGE, path)
    listed = path.with_suffix(".txt")
    listed.write_text("".join(f"{line}\n" for line in lines), "ascii")
    stick.put(PROGRAM, "EFI/barecount/BOOTX64.EFI", part="esp")
    stick.put(listed, "lies.txt", part="esp")
    return stick


def told(boot, folder, lines, plan=PLAN, timeout_s=1800, leave_bytes=None, **spec):
    """Start the program once for each line of lies. Returns the boot, and a Start for each line.

    leave_bytes: the free space on the stick, in bytes.
    """
    if not LIAR.exists():
        raise qemu.HostError(f"{LIAR} is missing: run `make build/liar.efi`")
    stick = stick_of(folder / "stick.img", lines)
    if leave_bytes is not None:
        fill(stick, folder, leave_bytes)
    left = boot(plan=plan, stick=stick, program_bytes=LIAR.read_bytes(), new_runs=None,
                timeout_s=timeout_s, **spec)
    starts = starts_of(left.console)
    assert [start.lies for start in starts] == list(lines)
    assert not (idle := {start.lies: idle_of(start) for start in starts if idle_of(start)}), idle
    runs = {part: left.stick.runs(part) for part in ("esp", "data")}
    made = [(start.part, start.folder) for start in starts]
    for number, start in enumerate(starts):
        # a start that failed early removed its folder, and the next start used the same number
        if start.folder in runs.get(start.part, ()) and made[number] not in made[number + 1:]:
            with contextlib.suppress(results.Unreadable):
                start.found = left.run(start.folder, start.part)
    return left, starts


def check_order(start):
    """Check that the program returned SUCCESS or ABORTED, and freed its resources.

    With a lie about files, two root folders and the journal may stay open, since closing may fail.
    The number of unfreed pools may be negative, because the program frees some pools that the
    firmware allocated for it.
    """
    assert start.status in (SUCCESS, ABORTED), start
    assert not any(start.left[what] for what in ("pages", "events", "children")), start
    assert start.left["pools"] <= 0, start
    fails = any(word.split("=")[0] in OF_FILES for word in start.lies.split())
    assert 0 <= start.left["files"] <= 3 * fails, start


def errors_said(start):
    """A start's lines that begin with `!`, except those about errata of the model's CPU."""
    return [line for line in start.complaints if ": erratum " not in line]


def said_in_run(found):
    return found.run["errors"] + found.run["remarks"]
