# SPDX-License-Identifier: BSD-2-Clause
"""Turn another tool's counts into a Source."""
import dataclasses
import pathlib
import re

from compare import source as sources
from events import codes
import results

SIZE_MAX = 64 << 20
NUMERAL = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?")


class Malformed(results.Unreadable):
    def __init__(self, path, line, expected, hint=""):
        super().__init__(f"{path}: line {line}: expected {expected}{'; ' * bool(hint)}{hint}")


@dataclasses.dataclass(frozen=True)
class Value:
    """A count as a tool printed it. A text field is "" if the tool printed no such text.

    `where` names the CPU, core, thread, socket or other part of the machine. `region` is the tool's
    name for a part of the program. `trouble` says why the count is not valid. `margin` is the
    spread over several runs. `step` is half a unit of the last printed digit if the tool rounds the
    count, else 0.
    """

    event: str
    encoding: str
    ring: str
    value: float | None
    where: str = ""
    region: str = ""
    trouble: str = ""
    margin: float = 0
    step: float = 0
    seconds: float | None = None
    is_per_iteration: bool = False
    scope: str = ""


@dataclasses.dataclass
class File:
    """`brand` and `signature` (family, model, stepping) describe the CPU, if the file names it."""

    tool: str
    values: list
    notes: list = dataclasses.field(default_factory=list)
    brand: str = ""
    signature: tuple = ()


@dataclasses.dataclass(frozen=True)
class Subject:
    """What a file contains, according to the user.

    `row` selects a CPU or thread. `ring` is the ring of all counts for which the file does not name
    a ring. `vendor` is the CPU's vendor.
    """

    kernel: str = ""
    param: str = ""
    n: int = 0
    row: str = ""
    ring: str = ""
    vendor: codes.Vendor = codes.INTEL


def number(text, comma=False):
    """Return None if the text is not a number. `comma` allows a decimal comma."""
    text = text.replace(",", ".") if comma else text
    return float(text) if NUMERAL.fullmatch(text) else None


def read_text(path):
    try:
        if pathlib.Path(path).stat().st_size > SIZE_MAX:
            raise results.Unreadable(f"{path}: over {SIZE_MAX >> 20} MiB; is it a tool's output?")
        text = pathlib.Path(path).read_text("utf-8")
    except UnicodeDecodeError:
        raise results.Unreadable(f"{path}: is not UTF-8 text; is it a tool's output?") from None
    except OSError as why:
        raise results.Unreadable(f"{path}: {why.strerror}") from None
    if "\0" in text:
        raise results.Unreadable(f"{path}: contains NUL bytes; is it a tool's output?")
    if not text.strip():
        raise results.Unreadable(f"{path}: is empty; did the tool run?")
    if not text.endswith("\n"):
        raise results.Unreadable(f"{path}: line {len(text.splitlines())}: expected a newline at "
                                 "the end; is the file complete? If so, add one")
    return text


def _chosen(path, values, row):
    places = sorted({value.where for value in values})
    if row:
        if row not in places:
            raise results.Unreadable(f"{path}: has no row {row}; it has: "
                                     f"{', '.join(filter(None, places)) or 'a nameless row'}")
        return [value for value in values if value.where == row]
    if len(places) > 1:
        raise results.Unreadable(f"{path}: rows of several CPUs or threads; specify which one ran "
                                 f"the kernel: --row {places[-1]} (has: {', '.join(places)})")
    return values


def as_source(path, file, subject):
    """A region's name is used as the kernel's name."""
    counts = []
    for value in _chosen(path, file.values, subject.row):
        kernel = value.region or subject.kernel
        if not kernel:
            raise results.Unreadable(f"{path}: {file.tool} does not say which kernel it counted; "
                                     "specify --kernel NAME, or NAME=FILE")
        ring = value.ring or subject.ring or "usr"
        counts.append(sources.Count(
            place=sources.Place(None, kernel, subject.param, subject.n), cpu="", event=value.event,
            encoding=value.encoding, ring=ring, claim=sources.claim_of(ring, "usr"),
            value=None if value.trouble else value.value, trouble=value.trouble,
            low=(value.value or 0) - value.margin, high=(value.value or 0) + value.margin,
            is_per_iteration=value.is_per_iteration, step=value.step, seconds=value.seconds,
            scope=value.scope, vendor=subject.vendor))
    if not counts:
        raise results.Unreadable(f"{path}: contains no count")
    return sources.Source(name=str(path), kind=sources.FOREIGN, counts=counts, kernel_cpl=3,
                          notes=[f"{path}: {note}" for note in file.notes],
                          brand=file.brand, signature=file.signature)


def _identity(count):
    """Return a key; in two files, counts of the same kernel, event and ring have equal keys."""
    return count.place, codes.canonical(count.encoding, count.vendor), count.event, count.ring


def less(source, start):
    before = {_identity(count): count for count in start.counts}
    counts = []
    for count in source.counts:
        other = before.get(_identity(count))
        trouble = count.trouble
        if not trouble and (not other or other.trouble):
            trouble = f"{start.name}: {other.trouble if other else 'no such count to subtract'}"
        if trouble:
            counts.append(dataclasses.replace(count, value=None, trouble=trouble))
            continue
        margin = (count.high - count.low + other.high - other.low) / 2
        value = count.value - other.value
        seconds = None if None in (count.seconds, other.seconds) else \
            max(count.seconds - other.seconds, 0)
        counts.append(dataclasses.replace(count, value=value, low=value - margin, seconds=seconds,
                                          high=value + margin, step=count.step + other.step))
    return dataclasses.replace(source, counts=counts, notes=source.notes + [
        note for note in start.notes if note not in source.notes])
