# SPDX-License-Identifier: BSD-2-Clause
"""What all parsers of other tools' files share, and how their counts become a Source."""
import dataclasses
import pathlib
import re

from compare import source as sources
from events import codes
import results

SIZE_MAX = 64 << 20
NUMERAL = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?")


class Malformed(results.Unreadable):
    """A line is not as its tool prints it."""

    def __init__(self, path, line, expected, hint=""):
        super().__init__(f"{path}: line {line}: expected {expected}{'; ' * bool(hint)}{hint}")


@dataclasses.dataclass(frozen=True)
class Value:
    """A count as a tool printed it; a text is empty if the tool does not print it. `where` is the
    CPU, core or thread of its row; `region` is the tool's name for a part of the program. `trouble`
    says why it is no valid count. `margin` is the spread of several runs. `scope` is PACKAGE for
    uncore counts."""

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
    """What a parser returns. `brand` and `signature` (family, model, stepping) are those of the
    file's CPU, if the file has them."""

    tool: str
    values: list
    notes: list = dataclasses.field(default_factory=list)
    brand: str = ""
    signature: tuple = ()


@dataclasses.dataclass(frozen=True)
class Subject:
    """What a file counted. `row` chooses among the rows of several CPUs or threads; `ring` is for
    counts whose ring the file does not tell."""

    kernel: str = ""
    param: str = ""
    n: int = 0
    row: str = ""
    ring: str = ""


def number(text, comma=False):
    """A number as tools print it, or None. `comma` allows a decimal comma."""
    text = text.replace(",", ".") if comma else text
    return float(text) if NUMERAL.fullmatch(text) else None


def read_text(path):
    """The text of a file, which must be UTF-8 and not empty."""
    try:
        if pathlib.Path(path).stat().st_size > SIZE_MAX:
            raise results.Unreadable(f"{path}: over {SIZE_MAX >> 20} MiB; is it a tool's output?")
        text = pathlib.Path(path).read_text("utf-8")
    except UnicodeDecodeError:
        raise results.Unreadable(f"{path}: not text in UTF-8; is it a tool's output?") from None
    except OSError as why:
        raise results.Unreadable(f"{path}: {why.strerror}") from None
    if "\0" in text:
        raise results.Unreadable(f"{path}: holds zeros; is it a tool's output?")
    if not text.strip():
        raise results.Unreadable(f"{path}: empty; did the tool run?")
    if not text.endswith("\n"):
        raise results.Unreadable(f"{path}: line {len(text.splitlines())}: expected an end of the "
                                 "line; is the file complete? If so, add one")
    return text


def _chosen(path, values, row):
    """One row's values of each event, where a tool prints several rows."""
    places = sorted({value.where for value in values})
    if row:
        if row not in places:
            raise results.Unreadable(f"{path}: has no row {row}; it has: "
                                     f"{', '.join(filter(None, places)) or 'one for all'}")
        return [value for value in values if value.where == row]
    if len(places) > 1:
        raise results.Unreadable(f"{path}: rows of several CPUs or threads; say which one ran the "
                                 f"kernel: --row {places[-1]} (has: {', '.join(places)})")
    return values


def as_source(path, file, subject):
    """A parsed file as a Source, in which regions are kernels."""
    counts = []
    for value in _chosen(path, file.values, subject.row):
        kernel = value.region or subject.kernel
        if not kernel:
            raise results.Unreadable(f"{path}: {file.tool} does not say which kernel it counted; "
                                     "say --kernel NAME, or NAME=FILE")
        ring = value.ring or subject.ring or "usr"
        counts.append(sources.Count(
            place=sources.Place(None, kernel, subject.param, subject.n), cpu="", event=value.event,
            encoding=value.encoding, ring=ring, claim=sources.claim_of(ring, "usr"),
            value=None if value.trouble else value.value, trouble=value.trouble,
            low=(value.value or 0) - value.margin, high=(value.value or 0) + value.margin,
            is_per_iteration=value.is_per_iteration, step=value.step, seconds=value.seconds,
            scope=value.scope))
    if not counts:
        raise results.Unreadable(f"{path}: holds no count")
    return sources.Source(name=str(path), kind=sources.FOREIGN, counts=counts, kernel_cpl=3,
                          notes=[f"{path}: {note}" for note in file.notes],
                          brand=file.brand, signature=file.signature)


def _identity(count):
    """A key that is equal for the same count in two files of a tool."""
    return count.place, codes.canonical(count.encoding), count.event, count.ring


def less(source, start):
    """The counts of a source minus those of the program's start alone."""
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
