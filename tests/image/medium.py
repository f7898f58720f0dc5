# SPDX-License-Identifier: BSD-2-Clause
"""Media that fail: second volumes, QEMU's blkdebug, and what scripts/capture makes of a log."""
import pathlib
import subprocess

import machine
import program
import results
import stick as sticks
from conftest import BOOT_S, IMAGE, TOP, put_files

OTHER_MIB = 64
EIO = 5


class Other(sticks.Stick):
    """A disk that is one FAT volume without partitions, as many sticks are."""

    def __init__(self, path, folder=True):
        self.path = pathlib.Path(path)
        self._at = {"data": f"{path}@@0"}
        with open(path, "wb") as disk:
            disk.truncate(OTHER_MIB << 20)
        self._mtools("mformat", "-T", str((OTHER_MIB << 20) // sticks.SECTOR), "-h", "16", "-s",
                     "63", "-F", "-v", "OTHER", "::")
        if folder:
            self.make_folder("barecount")

    def run(self, number, folder):
        """A run's results, copied to the host."""
        self.get(f"barecount/results/{number}", folder)
        return results.Results(pathlib.Path(folder) / number)


def beside(other):
    """QEMU's arguments for a second disk."""
    return ("-drive", f"if=none,id=other,format=raw,file={other.path}",
            "-device", "virtio-blk-pci,drive=other")


def pluggable(path, drive="stick", **blkdebug):
    """A USB stick that can be pulled: its drive stays, so that it can be put back.

    blkdebug: its properties, such as inject-error.0.event, with _ for - and __ for the dot.
    """
    below = f"driver=file,filename={path}"
    if blkdebug:
        rules = "".join(f",{key}={value}" for key, value in rules_of(blkdebug))
        below = f"driver=blkdebug,image.driver=file,image.filename={path}{rules}"
    return ("-blockdev", f"{below},node-name=file-{drive}",
            "-blockdev", f"driver=raw,file=file-{drive},node-name=node-{drive}",
            "-device", "qemu-xhci,id=usb",
            "-device", f"usb-storage,id={drive},drive=node-{drive},bus=usb.0")


def rules_of(blkdebug):
    return [(key.replace("__", ".").replace("_", "-"), value) for key, value in blkdebug.items()]


def failing_from(count, event="write_aio"):
    """blkdebug's rules for errors from the count-th access on, for good."""
    rules = {}
    for number in range(1, count):
        rules[f"set_state__{number - 1}__event"] = event
        rules[f"set_state__{number - 1}__state"] = number
        rules[f"set_state__{number - 1}__new_state"] = number + 1
    return {**rules, "inject_error__0__event": event, "inject_error__0__state": count,
            "inject_error__0__iotype": "read" if event == "read_aio" else "write",
            "inject_error__0__errno": EIO}


def new_stick(folder, plan, files=None):
    """A copy of the image with a plan and files: paths as `barecount/kernels/mine.bin`."""
    stick = sticks.Stick.copy_of(IMAGE, folder / "stick.img")
    put_files(stick, folder, {"barecount/plan.cfg": plan, **(files or {})})
    return stick


class Left:
    """What a machine left on its console: text, bytes, and the verdict."""

    def __init__(self, running):
        self.console, self.raw = running.console, running.raw
        self.words = " ".join(self.console.split())  # sentences, wherever they were broken
        found = running.wait_for(program.VERDICT, 0)
        self.verdict = found and found.group(1).strip()


def run(steps=(), **spec):
    """Boot to the end; steps are (a pattern on the console, what is then called with the machine).

    From power-on: the kinds of machines here are all different (see warm.py).
    """
    with machine.Machine(machine.Spec(**{"disk": None, "cpus": 2, **spec})) as running:
        for pattern, action in steps:
            assert running.wait_for(pattern, BOOT_S), f"no '{pattern}':\n{running.console}"
            action(running)
        over = program.wait_over(running, BOOT_S)
        left = Left(running)
    print(left.console)  # pytest shows it when a test fails
    assert over, "not over"
    return left


def pull(running):
    """The stick out of its port; QEMU says when it is gone, and then it is."""
    running.qmp("device_del", id="stick")


def put_back(running):
    running.qmp("device_add", driver="usb-storage", id="again", drive="node-stick", bus="usb.0")


def capture(folder, *logs):
    """scripts/capture of logs, each given as bytes: its status, words, and the folder."""
    folder.mkdir(exist_ok=True)
    paths = []
    for number, log in enumerate(logs):
        paths.append(folder / f"log-{number}")
        paths[-1].write_bytes(log)
    done = subprocess.run([TOP / "scripts/capture", *paths, "-o", folder / "out"],
                          capture_output=True, text=True, timeout=120)
    print(done.stdout, done.stderr)
    return done.returncode, done.stdout, folder / "out"


def recovered(folder, journal):
    """{name: bytes} of what scripts/recover makes of a journal."""
    folder.mkdir()
    (folder / "journal.bin").write_bytes(journal)
    subprocess.run([TOP / "scripts/recover", folder], check=True, capture_output=True, timeout=300)
    return {path.name: path.read_bytes() for path in folder.iterdir()}
