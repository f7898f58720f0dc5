# SPDX-License-Identifier: BSD-2-Clause
"""The final summary of a test run: the levels, the tests that were left out, and the cost."""
import collections
import dataclasses
import os
import pathlib

SLOWEST, NAME_MAX = 20, 90
# The reason of each skipped test begins with one of these texts.
LATER, CANNOT = ("in test-full: ", "in soak: "), "this host cannot: "
CLOCK_HZ = os.sysconf("SC_CLK_TCK")


@dataclasses.dataclass
class Counts:
    """The result of a level.

    `kept` is the number of tests that did not run because they passed in an earlier run; `passed`
    does not include them.
    """

    passed: int = 0
    kept: int = 0
    failed: int = 0
    skipped: int = 0
    cpu_s: float = 0
    wall_s: float = 0

    def __add__(self, other):
        return Counts(*map(sum, zip(dataclasses.astuple(self), dataclasses.astuple(other))))


def has_place(reason):
    """Whether the reason of a skip says which target runs the test, or what this host lacks."""
    return reason.startswith((*LATER, CANNOT))


def row(name, counts):
    return (f"{name:<30} {counts.passed:>6} {counts.kept:>6} {counts.failed:>6} "
            f"{counts.skipped:>7} {counts.cpu_s:>7.0f} {counts.wall_s:>7.0f}")


def table(groups):
    """groups: {group: {level: Counts}}."""
    words = ("passed", "kept", "failed", "skipped", "CPU s", "wall s")
    yield "{:<30} {:>6} {:>6} {:>6} {:>7} {:>7} {:>7}".format("", *words)
    for group, levels in groups.items():
        yield row(group, sum(levels.values(), Counts()))
        if len(levels) > 1:
            yield from (row(f"    {level}", counts) for level, counts in levels.items())


def left_out(skips):
    """skips: [(test, reason)]."""
    tests = collections.Counter(reason for _, reason in skips)
    for title, begin in (("Left for another run", LATER), ("Not possible on this host", CANNOT)):
        chosen = sorted(reason for reason in tests if reason.startswith(begin))
        if chosen:
            yield f"{title}:"
            yield from (f"{tests[reason]:>6} {reason}" for reason in chosen)


def costliest(tests):
    """`tests` are dictionaries with a test's name as "test", and its "cpu_s" and "wall_s"."""
    yield f"The {SLOWEST} tests that cost most:"
    for test in sorted(tests, key=lambda test: -test["cpu_s"])[:SLOWEST]:
        yield f"{test['cpu_s']:>7.1f} s of CPU {test['wall_s']:>7.1f} s  {test['test'][:NAME_MAX]}"


def spent_by_make():
    """The CPU seconds of make's children so far, and the wall-clock seconds since make began.

    Returns 0, 0 if make did not start this process. See proc(5).
    """
    stat = pathlib.Path(f"/proc/{os.getppid()}/stat").read_text("utf-8")
    name, fields = stat[stat.index("(") + 1 : stat.rindex(")")], stat[stat.rindex(")"):].split()
    if name != "make":
        return 0, 0
    of_user, of_system, started = (int(fields[i]) / CLOCK_HZ for i in (14, 15, 20))
    up_s = float(pathlib.Path("/proc/uptime").read_text("ascii").split()[0])
    return of_user + of_system, up_s - started
