# SPDX-License-Identifier: BSD-2-Clause
"""Boot the image on the model machine from a new stick, and return results, console and times."""
import dataclasses
import pathlib

from machine import qemu
from machine import program
import results
from machine import stick as sticks

BOOT_S = 300
RUN = "0001"  # the first run of a new stick


@dataclasses.dataclass
class Boot:
    """The times begin at power-on."""

    results: results.Results
    first_line_s: float
    verdict_s: float
    console: str


def boot(folder, name, plan_text=None, kernels=(), bound_s=BOOT_S, follow=None, **spec):
    """Run a plan (None: the default plan) from a new stick; the results go to folder/name.

    follow() is called with the running machine. After it has returned, the plan must end without a
    key press.
    """
    folder = pathlib.Path(folder)
    stick = sticks.Stick.copy_of(qemu.TOP / "build/barecount.img", folder / f"{name}.img")
    try:
        plan = folder / f"{name}.cfg"
        plan.write_text(plan_text or program.default_plan("shutdown"), "utf-8")
        stick.put(plan, "barecount/plan.cfg")
        stick.put_kernels(kernels)
        with qemu.Machine(qemu.Spec(disk=stick.path, **spec)) as running:
            if follow:
                follow(running)
            if not running.wait_end(bound_s):
                raise qemu.HostError(f"{name}: did not end within {bound_s} s\n{running.log}")
            times = running.seen_at_s(program.FIRST_LINE), running.seen_at_s(program.VERDICT)
            console = running.log
        if None in times or stick.runs() != [RUN]:
            raise qemu.HostError(f"{name}: no results\n{console}")
        stick.get(f"barecount/results/{RUN}", folder / name)
    finally:
        stick.path.unlink()
    return Boot(results.Results(folder / name), *times, console)
