# SPDX-License-Identifier: BSD-2-Clause
"""The table of scripts/versus, computed from the counts of each tool."""
import dataclasses

from versus import work


@dataclasses.dataclass
class Measured:
    """`counts` is {size: {event: counts of all repetitions}}; `seconds` is the time of one
    measurement."""

    tool: str
    version: str
    counts: dict
    seconds: float
    note: str
    declared: object = work.declared


@dataclasses.dataclass
class Missing:
    tool: str
    why: str


def _errors(row, size, event):
    return [abs(count - row.declared(size)[event]) for count in row.counts[size][event]]


def error(row, event):
    """The largest difference from the declaration; None if the tool does not count the event."""
    return max((max(_errors(row, size, event)) for size, events in row.counts.items()
                if event in events), default=None)


def spread(row):
    return max(max(events[work.INSTRUCTIONS]) - min(events[work.INSTRUCTIONS])
               for events in row.counts.values())


def smallest(row):
    """The size of the smallest piece whose counts of instructions are all exact, or None."""
    return next((size for size in sorted(row.counts)
                 if not max(_errors(row, size, work.INSTRUCTIONS))), None)


def _number(value, without="-"):
    if value is None:
        return without
    return f"{value:,.0f}" if value == int(value) else f"{value:,.2f}"


HEADS = ("error", "branches", "spread", "smallest", "seconds")


def _line(wide, *cells):
    return f"{cells[0]:<{wide}}" + "".join(f"{cell:>9}" for cell in cells[1:])


def lines(rows):
    measured = [row for row in rows if isinstance(row, Measured)]
    if measured:
        wide = max(len(f"{row.tool} {row.version}") for row in measured)
        yield _line(wide, "tool", *HEADS)
    for row in measured:
        yield _line(wide, f"{row.tool} {row.version}", _number(error(row, work.INSTRUCTIONS)),
                    _number(error(row, work.BRANCHES)), _number(spread(row)),
                    _number(smallest(row), "none"), f"{row.seconds:.3f}")
    for row in rows:
        yield f"{row.tool}: {row.note if isinstance(row, Measured) else row.why}"
