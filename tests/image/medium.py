# SPDX-License-Identifier: BSD-2-Clause
"""Sticks that fail (QEMU's blkdebug), second volumes, sticks for the shell, and scripts/capture."""
import array
import fcntl
import pathlib
import subprocess
import termios
import time

from machine import qemu
from machine import program
import run_schema
from machine import stick as sticks
import warm
from conftest import BOOT_S, IMAGE, TOP, put_files

OTHER_MIB = 64
SEEN_AGAIN_S = 20  # until the firmware notices that the stick was pulled or put back
EIO = 5
DEFAULT_PIPE_BYTES = 64 << 10  # pipe(7)

PAUSED = r"""@echo -off
echo before it
pause
FS0:\EFI\barecount.efi
echo after it: %lasterror%;
pause
reset -s
"""


def shell_stick(folder, plan, script, efi=None):
    """A stick without \\EFI\\BOOT\\BOOTX64.EFI, so that the firmware starts the UEFI shell."""
    stick = sticks.Stick.copy_of(IMAGE, folder / "stick.img")
    stick.remove("EFI/BOOT/BOOTX64.EFI", part="esp")
    for name, content, part in (
            ("EFI/barecount.efi", efi or (TOP / "build/BOOTX64.EFI").read_bytes(), "esp"),
            ("startup.nsh", script.replace("\n", "\r\n").encode(), "esp"),
            ("barecount/plan.cfg", plan.encode(), "data")):
        (folder / "file").write_bytes(content)
        stick.put(folder / "file", name, part=part)
    return stick


class Other(sticks.Stick):
    """A disk that is a single FAT volume without partitions."""

    def __init__(self, path, folder=True):
        self.path = pathlib.Path(path)
        self._at = {"data": f"{path}@@0"}
        with open(path, "wb") as disk:
            disk.truncate(OTHER_MIB << 20)
        self._mtools("mformat", "-T", str((OTHER_MIB << 20) // sticks.SECTOR), "-h", "16", "-s",
                     "63", "-F", "-v", "OTHER", "::")
        if folder:
            self.make_folder("barecount")

    def make_run(self, number):
        """Make a folder that is not empty, because the program ignores empty ones."""
        for folder in ("results", f"results/{number}", f"results/{number}/kept"):
            self.make_folder(f"barecount/{folder}")

    def run(self, number, folder):
        self.get(f"barecount/results/{number}", folder)
        return run_schema.read(pathlib.Path(folder) / number)


def beside(other):
    return ("-drive", f"if=none,id=other,format=raw,file={other.path}",
            "-device", "virtio-blk-pci,drive=other")


def drive(path, rules):
    """QEMU's arguments for a drive that stays when its device is removed.

    rules: blkdebug's rules, such as {inject-error.0.event: …}.
    """
    below = f"driver=file,filename={path}"
    if rules:
        rules = "".join(f",{key}={value}" for key, value in rules.items())
        below = f"driver=blkdebug,image.driver=file,image.filename={path}{rules}"
    return ("-blockdev", f"{below},node-name=file-stick",
            "-blockdev", "driver=raw,file=file-stick,node-name=node-stick")


def pluggable(path, rules=None):
    return (*drive(path, rules), "-device", "qemu-xhci,id=usb",
            "-device", "usb-storage,id=stick,drive=node-stick,bus=usb.0")


def in_a_reader(path):
    """QEMU's arguments for a card in a USB reader. `eject` removes the card."""
    return (*drive(path, None), "-device", "qemu-xhci,id=usb", "-device", "usb-bot,id=reader",
            "-device", "scsi-hd,bus=reader.0,removable=on,id=stick,drive=node-stick")


def debugged(path, rules):
    """A disk with errors from blkdebug. The firmware's virtio driver reports the errors at once."""
    return (*drive(path, rules), "-device", "virtio-blk-pci,drive=node-stick")


def failing(number, access, **where):
    """A blkdebug rule that makes each "read" or "write" fail, in a state or at a sector."""
    rule = {"event": f"{access}_aio", "iotype": access, "errno": EIO, **where}
    return {f"inject-error.{number}.{key}": value for key, value in rule.items()}


def failing_from(count):
    rules = failing(0, "write", state=count)
    for number in range(1, count):
        rules.update({f"set-state.{number - 1}.event": "write_aio",
                      f"set-state.{number - 1}.state": number,
                      f"set-state.{number - 1}.new_state": number + 1})
    return rules


def new_stick(folder, plan, files=None):
    stick = sticks.Stick.copy_of(IMAGE, folder / "stick.img")
    put_files(stick, folder, {"barecount/plan.cfg": plan, **(files or {})})
    return stick


class Left:
    def __init__(self, running):
        self.console, self.raw = running.console, running.raw
        self.words = " ".join(self.console.split())  # one line, because sentences may wrap anywhere
        found = running.wait_for(program.VERDICT, 0)
        self.verdict = found and found.group(1).strip()


def run(steps=(), **spec):
    """Boot a machine and wait until it ends.

    steps: pairs of a pattern on the console and a function to call with the machine.
    """
    what = qemu.Spec(**{"disk": None, "cpus": 2, **spec})
    with warm.begin(what) as running:
        for pattern, action in steps:
            assert running.wait_for(pattern, BOOT_S), f"no '{pattern}':\n{running.console}"
            action(running)
        over = program.wait_over(running, BOOT_S)
        left = Left(running)
    print(left.console)  # pytest shows it if the test fails
    assert over, "not over"
    return left


def read_late(running):
    """Read no output until a pipe of the default size would overflow."""
    waiting = array.array("i", [0])
    deadline = time.monotonic() + BOOT_S
    with running._changed:  # blocks the reader
        while waiting[0] <= DEFAULT_PIPE_BYTES:
            assert time.monotonic() < deadline, f"{waiting[0]} bytes wait, and no more come"
            fcntl.ioctl(running._process.stdout, termios.FIONREAD, waiting)
            time.sleep(0.1)


def pull(running):
    running.qmp("device_del", id="stick")


def put_back(running):
    """Insert the stick, wait until the firmware has found it, and press R.

    The keys before R keep the menu from powering the machine off.
    """
    running.qmp("device_add", driver="usb-storage", id="stick-again", drive="node-stick",
                bus="usb.0")
    for _ in range(SEEN_AGAIN_S // 5):
        running.send(b"x")
        time.sleep(5)
    running.send(b"r")


def capture(folder, *logs):
    """Run scripts/capture on logs. Returns its status, its output and the folder that it made."""
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
    """{name: bytes} of a journal and of the files that scripts/recover makes from it."""
    folder.mkdir()
    (folder / "journal.bin").write_bytes(journal)
    subprocess.run([TOP / "scripts/recover", folder], check=True, capture_output=True, timeout=300)
    return {path.name: path.read_bytes() for path in folder.iterdir()}
