# SPDX-License-Identifier: BSD-2-Clause
"""The image under a firmware that lies: build/liar.efi starts the program that ships, a line of
lies each time (tests/image/firmware/liar.h), and tells how it ended and what it left."""
import contextlib
import dataclasses
import re

import machine
import results
import stick as sticks
from conftest import IMAGE, TOP, plan_text

LIAR = TOP / "build/liar.efi"
PROGRAM = TOP / "build/BOOTX64.EFI"
SUCCESS, ABORTED = 0, 1 << 63 | 21  # UEFI specification, "Status Codes"
KERNELS = "empty,nops,load"  # the last one has a buffer
PLAN = plan_text(cpus="boot", kernels=KERNELS, runs=2, warmup=0, at_end="leave")

_START = re.compile(r"^liar: start (\d+): ([^\n]*)\n([\s\S]*?)(?=^liar: start|\Z)", re.M)
_END = re.compile(r"^liar: calls(.*)\nliar: made (.*)\nliar: left (.*)\n"
                  r"liar: end (\d+) status=(0x[0-9a-f]+)", re.M)
_FOLDER = re.compile(r"barecount\\results\\(\d{4,})$")
_VERDICT = re.compile(r"^\s*(PASS|FAIL \d+|NOT MEASURED .+?)\s*$", re.M)


@dataclasses.dataclass
class Start:
    """One start of the program, as the console has it."""

    lies: str
    text: str  # whole sentences: what goes on below is put behind
    calls: dict  # what was called how often
    left: dict  # what was taken and not given back
    status: int
    folder: str | None  # that it made for its results
    found: object = None  # the results, where they are whole

    @property
    def verdict(self):
        """The last one that was said; None without."""
        said = _VERDICT.findall(self.text)
        return said[-1] if said else None

    @property
    def complaints(self):
        return [line for line in self.text.splitlines() if line.startswith("!")]


def numbers(words):
    return {name: int(value) for name, value in re.findall(r"(\w+)=(-?\d+)", words)}


def starts_of(console):
    """All starts; one that did not come to an end fails the test."""
    starts = []
    for number, lies, text in _START.findall(console):
        ended = _END.search(text)
        assert ended and ended.group(4) == number, f"no end of start {number}, {lies}:\n{text}"
        calls, made, left, _, status = ended.groups()
        folder = _FOLDER.match(made.strip())
        said = re.sub(r"\s*\n {4}\s*", " ", text[:ended.start()])
        starts.append(Start(lies.strip(), said, numbers(calls), numbers(left), int(status, 16),
                            folder and folder.group(1)))
    return starts


def stick_of(path, lines):
    """A stick whose firmware lies: the program that ships stands beside."""
    stick = sticks.Stick.copy_of(IMAGE, path)
    listed = path.with_suffix(".txt")
    listed.write_text("".join(f"{line}\n" for line in lines), "ascii")
    stick.make_folder("EFI/barecount", part="esp")
    stick.put(PROGRAM, "EFI/barecount/BOOTX64.EFI", part="esp")
    stick.put(listed, "lies.txt", part="esp")
    return stick


def told(boot, folder, lines, plan=PLAN, timeout_s=1800, **spec):
    """A start for each line of lies; those that left results have them."""
    if not LIAR.exists():
        raise machine.HostError(f"{LIAR} is missing: run `make build/liar.efi`")
    stick = stick_of(folder / "stick.img", lines)
    left = boot(plan=plan, stick=stick, program_bytes=LIAR.read_bytes(), new_runs=None,
                timeout_s=timeout_s, **spec)
    starts = starts_of(left.console)
    assert [start.lies for start in starts] == list(lines)
    runs, made = left.stick.runs(), [start.folder for start in starts]
    for number, start in enumerate(starts):
        # One that could not begin took its folder away, and the next got the number.
        if start.folder in runs and start.folder not in made[number + 1:]:
            with contextlib.suppress(results.Unreadable):
                start.found = left.run(start.folder)
    return left, starts
