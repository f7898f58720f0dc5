# SPDX-License-Identifier: BSD-2-Clause
"""Change a plan, wait for the end of a run, and parse the MSR accesses in a run's trace."""
import dataclasses
import re
import time

from machine.qemu import TOP, HostError

DEFAULT_PLAN = TOP / "scripts/plans/default.cfg"
FIRST_LINE = r"^barecount "
# The groups are the verdict, the noisy rows of time, and the plan errors. Noisy rows of time do not
# fail the run.
VERDICT = (r"^\s*(PASS|FAIL \d+|NOT MEASURED .+?)(, \d+ rows? of time noisy \(.+?\))?"
           r"(, \d+ plan errors?)?\s*$")
MENU = b"S shut down"
MENU_KEY = b"s"
FIRMWARE_FAULT = b"!!!! X64 Exception"
# U-Boot does not always power off. A run under U-Boot therefore also ends when the console has been
# silent for this many seconds after the verdict.
SILENCE_S = 10

_WRMSR = re.compile(r"pmu_model_wrmsr cpu (\d+) msr 0x([0-9a-f]+) value 0x([0-9a-f]+) "
                    r"retired (\d+) refused ([01])")
_RDMSR = re.compile(r"pmu_model_rdmsr cpu (\d+) msr 0x([0-9a-f]+) retired (\d+)")


def with_key(plan, section, key, value):
    line, lines = f"{key}={value}", plan.split("\n")
    is_inside, head, is_done = False, None, False
    for at, text in enumerate(lines):
        text = text.partition("#")[0].strip()
        if text.startswith("["):
            is_inside = text.endswith("]") and text[1:-1].split() == [section]
            head = at if is_inside and head is None else head
        elif is_inside and text.partition("=")[0].strip() == key:
            lines[at], is_done = line, True
    if head is None:
        lines += [f"[{section}]", line, ""]
    elif not is_done:
        lines.insert(head + 1, line)
    return "\n".join(lines)


def ending(plan, at_end):
    return with_key(plan, "run", "at_end", at_end)


def default_plan(at_end):
    return ending(DEFAULT_PLAN.read_text("utf-8"), at_end)


def wait_over(running, timeout_s, leave_menu=False):
    """Wait until the machine is off, its firmware crashes, or U-Boot is silent after the verdict.

    Returns False on a timeout. If `leave_menu` is true, powers off from the menu at the end of a
    run.
    """
    deadline = time.monotonic() + timeout_s
    while not running.wait_end(1):
        if "internal error" in running.errors():
            raise HostError(f"QEMU: {running.errors()}")
        if FIRMWARE_FAULT in running.raw:
            return True
        if leave_menu and MENU in running.raw:
            running.send(MENU_KEY)
            leave_menu = False
        if running.spec.firmware == "u-boot" and running.quiet_for_s() > SILENCE_S and \
                re.search(VERDICT, running.console, re.M):
            return True
        if time.monotonic() > deadline:
            return False
    return True


@dataclasses.dataclass
class Write:
    """A write to an MSR in the model machine's trace; a refused write raised #GP."""

    cpu: int
    msr: int
    value: int
    retired: int
    refused: bool


@dataclasses.dataclass
class Read:
    cpu: int
    msr: int
    retired: int


def accesses(trace):
    """Yield the reads and writes in a trace; the accesses of one CPU are in order."""
    with open(trace, encoding="ascii") as file:
        for line in file:
            if found := _WRMSR.search(line):
                cpu, msr, value, retired, refused = found.groups()
                yield Write(int(cpu), int(msr, 16), int(value, 16), int(retired), refused == "1")
            elif found := _RDMSR.search(line):
                cpu, msr, retired = found.groups()
                yield Read(int(cpu), int(msr, 16), int(retired))


def writes(trace):
    return (access for access in accesses(trace) if isinstance(access, Write))
