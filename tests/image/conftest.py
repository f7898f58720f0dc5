# SPDX-License-Identifier: BSD-2-Clause
"""Fixtures that boot the released image on QEMU machines."""
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

import pytest

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "scripts/lib"), str(pathlib.Path(__file__).resolve().parent),
                str(TOP / "tests/machine"), str(TOP / "tests")]
sys.dont_write_bytecode = True

from machine import qemu  # noqa: E402
from machine import program  # noqa: E402
from machine import reached  # noqa: E402
import run_schema  # noqa: E402
from machine import stick as sticks  # noqa: E402
import warm  # noqa: E402
from levels import FULL  # noqa: E402

IMAGE = TOP / "build/barecount.img"
BOOT_S = 600  # a boot takes about 6 s, and took 30 times as long on a busy host
# A kernel that runs for longer than HANG_MS is assumed to hang. On a busy host, 200 other threads
# may run for about 10 ms each before a kernel goes on, so HANG_MS is more than 2 s.
HANG_MS = 2500
OWN_STATES = pytest.StashKey[str]()
# The environment passes the seed to the workers of pytest-xdist.
SEED = int(os.environ.setdefault("BARECOUNT_SEED", str(random.SystemRandom().randrange(1 << 32))))


def pytest_configure(config):
    if warm.STATES not in os.environ:
        os.environ[warm.STATES] = config.stash[OWN_STATES] = tempfile.mkdtemp(
            prefix="barecount-states-")


def pytest_unconfigure(config):
    if OWN_STATES in config.stash:
        shutil.rmtree(os.environ.pop(warm.STATES), ignore_errors=True)


def pytest_report_header():
    return f"seed: {SEED} (BARECOUNT_SEED={SEED} repeats it)"


# The longest tests come first and the shortest last, so that all workers end at about the same
# time.
LONGEST = ("test_thousand", "default_boot", "test_power_cuts", "test_mutations", "test_files",
           "test_library", "test_shell", "test_stick_kernels", "test_space", "test_bad_kernels")
SHORTEST = "test_build_kernel"


def group_of(item):
    """The group of tests that share a boot with this test, or None."""
    if "default_boot" in item.fixturenames:
        return "default_boot"
    return item.path.stem if "boot_shared" in item.fixturenames else None


def place_of(item):
    """A test's sort key. Tests with equal keys keep their order."""
    for name in (group_of(item), item.path.stem):
        if name in LONGEST:
            return LONGEST.index(name)
    return len(LONGEST) + (item.path.stem == SHORTEST)


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist reads the marks
def pytest_collection_modifyitems(items):
    """Sort the tests, and mark the groups for `--dist loadgroup`: one worker runs a whole group."""
    for item in items:
        if group := group_of(item):
            item.add_marker(pytest.mark.xdist_group(group))
    items.sort(key=place_of)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    """Record which test starts a machine, for scripts/lib/machine/reached.py."""
    os.environ[reached.TEST] = group_of(item) or item.nodeid
    item.user_properties.append(("group", os.environ[reached.TEST]))


@pytest.fixture
def seeded(request):
    return random.Random(f"{SEED} {request.node.name}")


RUNS = 3


def plan_text(**keys):
    """A plan with these keys. By default, the run is short and ends with a shutdown."""
    keys = {"runs": RUNS, "warmup": 0, "noise_ms": 2, "at_end": "shutdown", **keys}
    return "version=1\n[run]\n" + "".join(f"{key}={value}\n" for key, value in keys.items())


SHORT = plan_text(cpus="boot", kernels="empty,nops", runs=2)
SHORT_MENU = SHORT.replace("shutdown", "menu")


class Boot:
    def __init__(self, folder, stick):
        self.folder = folder
        self.stick = stick
        self.trace = folder / "trace.log"
        self.console, self.raw = "", b""
        self.verdict = None

    def run(self, number, part="data"):
        target = self.folder / f"run-{part}-{number}"
        target.mkdir(exist_ok=True)
        self.stick.get(f"barecount/results/{number}", target, part=part)
        return run_schema.read(target / number)

    @property
    def results(self):
        return self.run(self.stick.runs()[-1])


def follow(running, keys, cut_at, timeout_s):
    """After each pattern appears on the console, type bytes on the serial line or press a key.

    Each item of `keys` is a pattern and what follows it: the bytes, the key, or a function that
    gets the pattern's match and returns the bytes or the key. At the end, wait for cut_at. Without
    cut_at, wait until program.wait_over() returns.
    """
    for pattern, typed in keys:
        found = running.wait_for(pattern, timeout_s)
        assert found, f"no '{pattern}':\n{running.console}"
        typed = typed(found) if callable(typed) else typed
        if isinstance(typed, bytes):
            running.send(typed)
        else:
            running.press(typed)
    if cut_at:
        assert running.wait_for(cut_at, timeout_s), f"no '{cut_at}':\n{running.console}"
    else:
        over = program.wait_over(running, timeout_s)
        assert over, f"did not end within {timeout_s} s:\n{running.console}"


def put_files(stick, folder, files):
    for path, content in files.items():
        source = folder / "file"
        source.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        stick.put(source, path)


def fill(stick, folder, leave_bytes):
    with open(folder / "filler", "wb") as file:
        file.truncate(stick.free_bytes() - leave_bytes)
    stick.put(folder / "filler", "filler")


def run_files(stick):
    paths = [(part, f"barecount/results/{number}/run.json")
             for part in sticks.NAMES for number in stick.runs(part)]
    return {f"{stick.path}, {part}: {path}": stick.read(path, part) or b"" for part, path in paths}


def hold_runs(stick, before):
    for where, text in run_files(stick).items():
        if text != before.get(where):
            run_schema.hold(text, where)


def boot_once(folder, plan=None, stick=None, files=None, keys=(), cut_at=None, traced=False,
              new_runs=1, timeout_s=BOOT_S, program_bytes=None, cold=False, **spec):
    """Boot a stick (by default a new one), and wait for the end of its run.

    The power is cut when the console shows cut_at. If `cold` is true, the boot starts at power-on.
    A boot that is not cold may resume from a state saved at the firmware's first output (warm.py).
    QEMU exits at a reset, unless `reboots` is given. `new_runs` is the number of results folders
    that the boot must make; None allows any number.
    """
    folder = pathlib.Path(folder)
    stick = stick or sticks.Stick.copy_of(IMAGE, folder / "stick.img")
    put_files(stick, folder, files or {})
    if program_bytes:
        (folder / "file").write_bytes(program_bytes)
        stick.put(folder / "file", "EFI/BOOT/BOOTX64.EFI", part="esp")
    if plan is not None:
        put_files(stick, folder, {"barecount/plan.cfg": plan})
    runs_before, files_before = stick.runs(), run_files(stick)
    left = Boot(folder, stick)
    what = qemu.Spec(disk=stick.path, trace=left.trace if traced else None, **spec)
    with warm.begin(what, cold) as running:
        follow(running, keys, cut_at, timeout_s)
        left.console, left.raw = running.console, running.raw
        found = running.wait_for(program.VERDICT, 0)
    left.verdict = found and found.group(1).strip()
    print(left.console)  # pytest shows it if the test fails
    assert program.FIRMWARE_FAULT not in left.raw
    if new_runs is not None:
        assert len(stick.runs()) == len(runs_before) + new_runs, f"{runs_before}: {stick.runs()}"
    hold_runs(stick, files_before)
    return left


def booting(top):
    def call(**arguments):
        arguments.setdefault("plan", plan_text())
        folder = top / f"boot-{len(list(top.iterdir()))}"
        folder.mkdir()
        return boot_once(folder, **arguments)
    yield call
    subprocess.run(["find", str(top), "-name", "*.img", "-delete"], check=True)


@pytest.fixture
def boot(tmp_path):
    yield from booting(tmp_path)


@pytest.fixture(scope="module")
def boot_shared(tmp_path_factory):
    yield from booting(tmp_path_factory.mktemp("shared"))


DEFAULT_CPUS = 4 if FULL else 2


@pytest.fixture(scope="session")
def default_boot(tmp_path_factory):
    folder = tmp_path_factory.mktemp("default")
    return boot_once(folder, plan=program.default_plan("shutdown"), traced=True, cold=True,
                     cpus=DEFAULT_CPUS)
