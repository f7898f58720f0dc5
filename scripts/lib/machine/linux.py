# SPDX-License-Identifier: BSD-2-Clause
"""Boot Debian's Linux on the model machine and run commands in it.

    with linux_machine.booted(folder, files={"/plan.cfg": path}, cpus=2) as linux:
        linux.run("uname -r")
        linux.fetch("/results", folder / "results")

QEMU itself loads the kernel and the initrd, without a disk or a boot loader. The root file system
is in the initrd, and stays in memory. Files reach Linux in a second archive, which follows Debian's
archive in the initrd. Folders are copied out of Linux over a second serial port.
"""
import base64
import contextlib
import hashlib
import io
import pathlib
import re
import shlex
import shutil
import subprocess
import tarfile
import tempfile
import time

from machine import qemu

SYSTEM = qemu.TOP / "build/linux"  # vmlinuz and initrd
# An idle host boots Linux in 9 s and runs most commands in under 1 s; a busy host needs longer.
BOOT_S, COMMAND_S, ARCHIVE_S = 600, 600, 600
ARRIVAL_S = 60  # ample: QEMU writes the port's output to a file at once
PORT = "/dev/ttyS1"
LINE_CHARACTERS = 3000  # the terminal accepts lines of up to 4095 characters
READY = "^linux is ready$"  # tests/machine/linux_init.sh


class Failed(qemu.HostError):
    """A command failed in Linux."""

    def __init__(self, command, status, said):
        super().__init__(f"Linux: status {status} of: {command}\n{said}")
        self.status, self.said = status, said


def _stage(files, folder):
    """Put files into `folder`, from {path in Linux: a file or folder of the host, or bytes}."""
    for name, content in files.items():
        place = folder / name.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            place.write_bytes(content)
        elif pathlib.Path(content).is_dir():
            shutil.copytree(content, place)
        else:
            shutil.copy(content, place)  # copies the mode too, so that programs stay executable


def archive(files):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        _stage(files, folder)
        names = sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))
        done = subprocess.run(["cpio", "-o", "-H", "newc", "-R", "0:0", "--quiet"], cwd=folder,
                              input="\n".join(names).encode() + b"\n", capture_output=True,
                              timeout=ARCHIVE_S)
    if done.returncode != 0:
        raise qemu.HostError(f"cpio: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout


def root_with(files, folder, initrd):
    if not files:
        return initrd
    root = pathlib.Path(folder) / "initrd"
    with open(root, "wb") as out:
        with open(initrd, "rb") as debian:
            shutil.copyfileobj(debian, out)
        out.write(archive(files))
    return root


class Linux:
    def __init__(self, running, port_file):
        self.machine = running
        self._port_file = port_file
        self._arrived = 0
        self._commands = 0

    def tell(self, command, bound_s=COMMAND_S):
        before = self.machine.console
        self._commands += 1
        self.machine.send(command.encode("utf-8") + b"\n")
        end = self.machine.wait_for(rf"^linux did {self._commands} status (\d+)$", bound_s)
        said = self.machine.console[len(before):]
        if not end:
            raise qemu.HostError(f"Linux: within {bound_s} s this did not end: {command}\n{said}\n"
                                 f"{self.machine.where()}\n{self.machine.errors()}")
        return int(end.group(1)), said[:said.rindex("linux did")].strip("\n")

    def run(self, command, bound_s=COMMAND_S):
        status, said = self.tell(command, bound_s)
        if status != 0:
            raise Failed(command, status, said)
        return said

    def ready_at_s(self):
        return self.machine.seen_at_s(READY)

    def ended_at_s(self):
        return self.machine.seen_at_s(rf"^linux did {self._commands} status")

    def put(self, path, content):
        text = base64.b64encode(content).decode("ascii")
        self.run(f": >{shlex.quote(path)}.base64")
        for at in range(0, len(text), LINE_CHARACTERS):
            self.run(f"echo {text[at:at + LINE_CHARACTERS]} >>{shlex.quote(path)}.base64")
        self.run(f"base64 -d {shlex.quote(path)}.base64 >{shlex.quote(path)}")

    def fetch(self, path, target, bound_s=COMMAND_S):
        said = self.run(f"tar -c -z -f /tmp/fetched -C {shlex.quote(path)} . && "
                        "wc -c </tmp/fetched && sha256sum </tmp/fetched && "
                        f"stty -F {PORT} raw && cat /tmp/fetched >{PORT} && rm /tmp/fetched",
                        bound_s)
        found = re.search(r"^(\d+)\n([0-9a-f]{64})  -$", said, re.M)
        if not found:
            raise qemu.HostError(f"Linux: no size or checksum of {path}: {said}")
        _unpack(self._received(int(found[1]), found[2], path), target)

    def _received(self, size, checksum, path):
        deadline = time.monotonic() + ARRIVAL_S
        while self._port_file.stat().st_size < self._arrived + size:
            if time.monotonic() > deadline:
                raise qemu.HostError(
                    f"Linux: only {self._port_file.stat().st_size - self._arrived} of {size} bytes "
                    f"of {path} arrived over the serial port")
            time.sleep(0.05)
        with open(self._port_file, "rb") as port:
            port.seek(self._arrived)
            content = port.read(size)
        self._arrived += size
        if hashlib.sha256(content).hexdigest() != checksum:
            raise qemu.HostError(f"Linux: {path} was damaged on the serial port: its checksum "
                                 "differs")
        return content


def _unpack(content, target):
    target = pathlib.Path(target)
    with tarfile.open(fileobj=io.BytesIO(content), mode="r:gz") as members:
        for member in members:
            place = (target / member.name).resolve()
            if not place.is_relative_to(target.resolve()):
                raise qemu.HostError(f"Linux: sent a file for another folder: {member.name}")
            if member.isdir():
                place.mkdir(parents=True, exist_ok=True)
            elif member.isfile():
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(members.extractfile(member).read())


@contextlib.contextmanager
def booted(folder, files=None, watchdog=False, live=None, system=SYSTEM, more=(), **spec):
    """Yield a running Linux that contains the given files; `spec` are fields of qemu.Spec.

    The NMI watchdog is off by default, because it occupies a counter. QEMU runs all CPUs in one
    thread. With several threads, a CPU of QEMU 7.2 may raise #BP forever, because it executes an
    INT3 that Linux has already overwritten.
    """
    kernel, initrd = system / "vmlinuz", system / "initrd"
    for path in (kernel, initrd):
        if not path.exists():
            target = "build/linux/built" if system == SYSTEM else "machine-newest"
            raise qemu.HostError(f"{path} is missing: run `make {target}`")
    folder = pathlib.Path(folder)
    port_file = folder / "port"
    port_file.write_bytes(b"")
    more = (*more, "-serial", f"file:{port_file}", "-kernel", str(kernel),
            "-initrd", str(root_with(files, folder, initrd)),
            "-append", f"console=ttyS0 quiet nmi_watchdog={int(watchdog)}")
    what = qemu.Spec(disk=None, firmware="seabios", one_thread=True, more=more, **spec)
    with qemu.Machine(what, live) as running:
        if not running.wait_for(READY, BOOT_S):
            raise qemu.HostError(f"Linux: not ready in {BOOT_S} s\n{running.console}\n"
                                 f"{running.where()}\n{running.errors()}")
        yield Linux(running, port_file)
