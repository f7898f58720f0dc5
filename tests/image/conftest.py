# SPDX-License-Identifier: BSD-2-Clause
"""Boots the image that ships on machines of QEMU's and hands over what it left."""
import os
import pathlib
import random
import subprocess
import sys
import time

import pytest

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "scripts/lib"), str(pathlib.Path(__file__).resolve().parent)]
sys.dont_write_bytecode = True

import machine  # noqa: E402
import results  # noqa: E402
import stick as sticks  # noqa: E402

IMAGE = TOP / "build/barecount.img"
BOOT_S = 180  # a boot takes about 6 s; the rest is for a busy host
SILENCE_S = 10  # of firmware that cannot power off
VERDICT = r"^\s*(PASS|FAIL \d+|NOT MEASURED .+)$"
SEED = int(os.environ.get("BARECOUNT_SEED") or random.SystemRandom().randrange(1 << 32))


def pytest_report_header():
    return f"seed: {SEED} (BARECOUNT_SEED={SEED} repeats it)"


@pytest.fixture(scope="session")
def seeded():
    """Random numbers that the printed seed repeats."""
    return random.Random(SEED)


def plan_text(**keys):
    """A plan that powers off at its end, short unless it says otherwise."""
    keys = {"runs": 5, "warmup": 1, "at_end": "shutdown", **keys}
    return "version=1\n[run]\n" + "".join(f"{key}={value}\n" for key, value in keys.items())


class Boot:
    """What one boot left: the console's text, the stick, results, the trace of MSR writes."""

    def __init__(self, folder, stick):
        self.folder = folder
        self.stick = stick
        self.trace = folder / "trace.log"
        self.console = ""
        self.verdict = None
        self.seconds = None

    def run(self, number):
        """The results of a run on the stick, copied to the host afresh."""
        target = self.folder / f"run-{number}"
        target.mkdir(exist_ok=True)
        self.stick.get(f"barecount/results/{number}", target)
        return results.Results(target / number)

    @property
    def results(self):
        """Those of the latest run."""
        return self.run(self.stick.runs()[-1])


def wait_for_the_end(running, firmware):
    deadline = time.monotonic() + BOOT_S
    while not running.wait_end(1):
        if firmware == "u-boot" and running.quiet_for_s() > SILENCE_S and \
                running.wait_for(VERDICT, 0):
            return
        assert time.monotonic() < deadline, f"not over in {BOOT_S} s:\n{running.console}"


def boot_once(folder, plan=None, stick=None, keys=(), cut_at=None, traced=False, **spec):
    """Boot a stick (a new one when none is given) to its end, or cut the power at a pattern."""
    folder = pathlib.Path(folder)
    stick = stick or sticks.Stick.copy_of(IMAGE, folder / "stick.img")
    if plan is not None:
        (folder / "plan.cfg").write_text(plan)
        stick.put(folder / "plan.cfg", "barecount/plan.cfg")
    left = Boot(folder, stick)
    what = machine.Spec(disk=stick.path, trace=left.trace if traced else None, **spec)
    with machine.Machine(what) as running:
        for pattern, typed in keys:
            assert running.wait_for(pattern, BOOT_S), f"no '{pattern}':\n{running.console}"
            running.send(typed)
        if cut_at:
            assert running.wait_for(cut_at, BOOT_S), f"no '{cut_at}':\n{running.console}"
        else:
            wait_for_the_end(running, what.firmware)
        left.seconds = running.seen_at_s(VERDICT)
        left.console = running.console
        found = running.wait_for(VERDICT, 0)
    left.verdict = found and found.group(1).strip()
    print(left.console)  # pytest shows it when a test fails
    return left


@pytest.fixture
def boot(tmp_path):
    """boot(plan=…, cpus=…, …) as boot_once(); everything is under the test's own folder."""
    def call(**arguments):
        arguments.setdefault("plan", plan_text())
        folder = tmp_path / f"boot-{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        return boot_once(folder, **arguments)
    yield call
    subprocess.run(["find", str(tmp_path), "-name", "*.img", "-delete"], check=True)


@pytest.fixture(scope="session")
def default_boot(tmp_path_factory):
    """The default plan on 4 CPUs, with its trace: booted once, looked at by many tests."""
    text = (TOP / "scripts/plans/default.cfg").read_text()
    folder = tmp_path_factory.mktemp("default")
    return boot_once(folder, plan=text.replace("at_end=menu", "at_end=shutdown"), traced=True)
