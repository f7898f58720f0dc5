# SPDX-License-Identifier: BSD-2-Clause
"""Start and end a QEMU machine that boots the image; use its serial console and monitor."""
import contextlib
import dataclasses
import fcntl
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

import frames
from machine import cpus
from machine import state as machine_state
from machine import reached
from machine.media import SD_ROM, drive_arguments

TOP = pathlib.Path(__file__).resolve().parents[3]
MODEL_QEMU = TOP / "build/machine/qemu-system-x86_64"
NEWEST_QEMU = TOP / "build/machine-newest/qemu-system-x86_64"
NEWEST_LINUX = TOP / "build/machine-newest/linux"
NEWEST_FIRMWARE = TOP / "build/machine-newest/firmware"  # a folder for each of Debian's suites
STOCK_QEMU = pathlib.Path("/usr/bin/qemu-system-x86_64")
OVMF = pathlib.Path("/usr/share/OVMF")
OVMF_CODE, OVMF_SMM_CODE = OVMF / "OVMF_CODE_4M.fd", OVMF / "OVMF_CODE_4M.secboot.fd"
OVMF_VARS = OVMF / "OVMF_VARS_4M.fd"
U_BOOT_ROM = pathlib.Path("/usr/lib/u-boot/qemu-x86_64/u-boot.rom")

MACHINES = ("model", "newest", "stock", "kvm")
FIRMWARES = ("ovmf", "ovmf-smm", "u-boot")
KILL_TIMEOUT_S, QMP_TIMEOUT_S = 60, 60
# If this pipe is full, the firmware drops output. Linux allows users no larger pipe by default.
PIPE_BYTES = 1 << 20

# U-Boot asks for the size of the terminal and waits for the answer.
CURSOR_QUESTION, CURSOR_ANSWER = b"\x1b[6n", b"\x1b[24;80R"

_MOVE = re.compile(r"\x1b\[\d*;?\d*[Hf]")
_ESCAPE = re.compile(r"\x1b(\[[0-9;?=]*[A-Za-z]|[=>()][0-9A-B]?)")

_LACKED = re.compile(r"TCG doesn't support requested feature: ([^ .]+\.[^ .]+)(?:\.(\S+))? "
                     r"\[bit (\d+)\]")

_FRAME = re.compile(frames.MARK.encode() + rb"[^\n]*\n")
_FRAME_BEGUN = re.compile(rb"(@(B(C(2(:[^\n]*)?)?)?)?)?\Z")


class HostError(Exception):
    """An error of this host, a tool, a file or QEMU, but not of the program under test."""


@dataclasses.dataclass
class Spec:
    """`props` are further properties of -cpu, such as pmu-version=2. The firmware "seabios" can
    only boot a Linux kernel that QEMU loads."""

    disk: pathlib.Path | None  # None: no stick
    machine: str = "model"
    cpu: str = "Skylake-Server"  # see machine/cpus.py
    props: str = ""
    cpus: int | str = 4  # the value of -smp
    memory_mib: int = 1024
    firmware: str = "ovmf"
    firmware_file: pathlib.Path | None = None  # replaces the installed firmware
    variables: pathlib.Path = OVMF_VARS  # OVMF's initial variables
    media: str = "usb"
    read_only: bool = False
    trace: pathlib.Path | None = None
    block_log: pathlib.Path | None = None
    screen: bool = False
    serial: bool = True
    more: tuple = ()
    reboots: bool = False  # false: QEMU exits when the machine resets
    icount: int | None = None  # only with one CPU; an instruction takes 2^icount ns of virtual time
    one_thread: bool = False


def _without_escapes(raw):
    return _ESCAPE.sub("", _MOVE.sub("\n", raw.decode("ascii", "replace")))


def plain(raw):
    """The text from a serial port, without escape sequences or empty lines."""
    return re.sub(r"\n\s*\n+", "\n", _without_escapes(raw).replace("\r", "\n"))


def settled(raw):
    """The text from a serial port, with only the last version of each rewritten line."""
    lines = []
    for line in _without_escapes(raw).split("\n"):
        states = [state.rstrip() for state in line.split("\r") if state.strip()]
        lines.append(states[-1] if states else "")
    return re.sub(r"\n\n+", "\n", "\n".join(lines))


def _need(path, hint):
    if not path.exists():
        raise HostError(f"{path} is missing: {hint}")


def qemu_of(spec):
    if spec.machine == "model":
        _need(MODEL_QEMU, "run `make machine`")
        return MODEL_QEMU
    if spec.machine == "newest":
        _need(NEWEST_QEMU, "run `make machine-newest`")
        return NEWEST_QEMU
    _need(STOCK_QEMU, "run `scripts/setup machine`")
    if spec.machine == "kvm" and not os.access("/dev/kvm", os.R_OK | os.W_OK):
        raise HostError("MACHINE=kvm: /dev/kvm does not exist, or you may not use it; use "
                        "MACHINE=model")
    return STOCK_QEMU


def cpu_argument(spec):
    if spec.machine == "kvm":
        parts = ["host", "pmu=on"]
    else:
        parts = [cpus.base_of(spec.cpu), "" if spec.machine == "stock" else "pmu=on",
                 cpus.props_of(spec.cpu)]
    return ",".join(part for part in (*parts, spec.props) if part)


def firmware_arguments(spec, folder):
    if spec.firmware == "u-boot":
        rom = spec.firmware_file or U_BOOT_ROM
        _need(rom, "run `scripts/setup test`")
        return ["-machine", "pc", "-bios", str(rom)]
    if spec.firmware == "seabios":
        return ["-machine", "q35"]
    # No Secure Boot keys are enrolled, so that unsigned programs boot.
    smm = spec.firmware == "ovmf-smm"
    code = spec.firmware_file or (OVMF_SMM_CODE if smm else OVMF_CODE)
    _need(code, "run `scripts/setup machine`")
    variables = pathlib.Path(folder) / "vars.fd"
    shutil.copyfile(spec.variables, variables)
    flash = "if=pflash,format=raw,unit="
    return ["-machine", "q35,smm=on" if smm else "q35",
            *(["-global", "driver=cfi.pflash01,property=secure,value=on"] if smm else []),
            "-drive", f"{flash}0,readonly=on,file={code}", "-drive", f"{flash}1,file={variables}"]


def command(spec, folder):
    accelerator = "kvm" if spec.machine == "kvm" else "tcg,thread=multi"
    if spec.icount is not None or spec.one_thread:
        accelerator = "tcg,thread=single"
    arguments = [str(qemu_of(spec)), "-nodefaults", "-accel", accelerator]
    if not spec.reboots:
        arguments.append("-no-reboot")
    if spec.icount is not None:
        # With sleep=off, an idle machine skips to its next timer immediately.
        arguments += ["-icount", f"shift={spec.icount},sleep=off"]
    arguments += ["-L", "/usr/share/qemu", "-L", "/usr/share/seabios", "-L", "/usr/lib/ipxe/qemu"]
    arguments += firmware_arguments(spec, folder)
    arguments += ["-cpu", cpu_argument(spec), "-smp", str(spec.cpus), "-m", str(spec.memory_mib)]
    arguments += ["-display", "none", "-nic", "none"]
    arguments += ["-serial", "stdio" if spec.serial else "none"]
    arguments += ["-qmp", f"unix:{folder}/qmp,server=on,wait=off"]
    if spec.disk:
        media = "virtio" if spec.firmware == "u-boot" else spec.media
        if media == "sd":
            _need(SD_ROM, "run `make build/sd/built`")
        arguments += drive_arguments(spec.disk, media, spec.read_only, spec.block_log)
    arguments += spec.more
    if spec.screen:
        arguments += ["-device", "VGA"]
    if spec.trace:
        arguments += ["-trace", "pmu_model_*", "-D", str(spec.trace)]
    return arguments


class Machine:
    def __init__(self, spec, live=None):
        self.spec = spec
        self._live = live
        self._raw = b""
        self._marks = []  # (seconds since QEMU was started, bytes of output so far)
        self._changed = threading.Condition()

    def __enter__(self):
        self._folder = tempfile.TemporaryDirectory(prefix="barecount-")
        try:
            self._start()
        except BaseException:
            self._folder.cleanup()
            raise
        return self

    def _start(self):
        self._errors = open(f"{self._folder.name}/errors", "w+b")
        # pdeathsig kills QEMU if this program is killed. QEMU runs in a new session, so that Ctrl-C
        # does not reach it.
        guard = ["setpriv", "--pdeathsig", "KILL"]
        self._blocks = reached.log_of(self.spec, self._folder.name)
        logging = ["-d", "in_asm", "-D", str(self._blocks)] if self._blocks else []
        self._begun = time.monotonic()
        self._process = subprocess.Popen(
            guard + command(self.spec, self._folder.name) + logging, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=self._errors, start_new_session=True)
        with contextlib.suppress(OSError):  # the host may allow less
            fcntl.fcntl(self._process.stdout, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait(KILL_TIMEOUT_S)
        self._reader.join(KILL_TIMEOUT_S)
        self._process.stdin.close()
        self._process.stdout.close()
        self._errors.close()
        if self._blocks:
            reached.take(self._blocks, self.spec.trace, self.console)
        self._folder.cleanup()

    def _read(self):
        answered = 0
        while chunk := self._process.stdout.read1(65536):
            with self._changed:
                self._raw += chunk
                self._marks.append((time.monotonic() - self._begun, len(self._raw)))
                self._changed.notify_all()
            if self._live:
                self._live(chunk)
            asked = self._raw.count(CURSOR_QUESTION) if self.spec.firmware == "u-boot" else 0
            for _ in range(asked - answered):
                self.send(CURSOR_ANSWER)
            answered = asked
        with self._changed:
            self._changed.notify_all()

    @property
    def console(self):
        return plain(self._raw)

    @property
    def raw(self):
        return self._raw

    @property
    def log(self):
        return settled(self._raw)

    def send(self, keys):
        try:
            self._process.stdin.write(keys)
            self._process.stdin.flush()
        except (BrokenPipeError, ValueError):
            pass

    def press(self, *names):
        """Press the named keys at the same time; `names` are QEMU's names of keys."""
        self.qmp("send-key", keys=[{"type": "qcode", "data": name} for name in names])

    def wait_for(self, pattern, timeout_s):
        deadline = time.monotonic() + timeout_s
        with self._changed:
            while not (match := re.search(pattern, self.console, re.M)):
                left = deadline - time.monotonic()
                if left <= 0 or not self._reader.is_alive():
                    return None
                self._changed.wait(min(left, 1))
        return match

    def wait_end(self, timeout_s):
        try:
            status = self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            return False
        self._reader.join(KILL_TIMEOUT_S)
        if status != 0:
            raise HostError(f"QEMU ended with status {status}: {self.errors()}")
        return True

    def quiet_for_s(self):
        last = self._marks[-1][0] if self._marks else 0
        return time.monotonic() - self._begun - last

    def seen_at_s(self, pattern):
        """Seconds from power-on; None if the console never showed the pattern."""
        for seconds, size in self._marks:
            if re.search(pattern, plain(self._raw[:size]), re.M):
                return seconds
        return None

    def errors(self):
        """The first three lines of QEMU's error output that lacked() does not parse."""
        self._errors.seek(0)
        lines = self._errors.read().decode("utf-8", "replace").splitlines()
        return " / ".join([line for line in lines if not _LACKED.search(line)][:3])

    def lacked(self):
        """The features of the CPU that QEMU lacks, such as avx512f or CPUID.07H:EDX[13]."""
        self._errors.seek(0)
        found = _LACKED.findall(self._errors.read().decode("utf-8", "replace"))
        return list(dict.fromkeys(name or f"{register}[{bit}]" for register, name, bit in found))

    def qmp(self, execute, **arguments):
        with socket.socket(socket.AF_UNIX) as monitor:
            monitor.settimeout(QMP_TIMEOUT_S)
            try:
                monitor.connect(f"{self._folder.name}/qmp")
            except OSError:
                raise HostError(f"QEMU: {execute}: QEMU has already ended") from None
            stream = monitor.makefile("rw")
            for request in ({"execute": "qmp_capabilities"},
                            {"execute": execute, "arguments": arguments}):
                stream.write(json.dumps(request) + "\n")
                stream.flush()
                while "return" not in (reply := json.loads(stream.readline())):
                    if "error" in reply:
                        raise HostError(f"QEMU: {execute}: {reply['error'].get('desc')}")
        return reply["return"]

    def registers(self):
        return machine_state.registers(self.qmp)

    def where(self):
        try:
            return machine_state.where(self.qmp)
        except (HostError, OSError) as error:
            return str(error)

    def pci_commands(self):
        return machine_state.pci_commands(self.qmp)

    def screenshot(self, path):
        self.qmp("screendump", filename=str(pathlib.Path(path).resolve()), format="png")


class Show:
    """Shows a machine's output live, without the lines that carry files (scripts/lib/frames.py).

    A terminal gets the raw bytes, a log gets whole lines.
    """

    def __init__(self):
        self._rest = self._held = b""

    def _without_frames(self, chunk):
        text = _FRAME.sub(b"", self._held + chunk)
        at = _FRAME_BEGUN.search(text).start()
        self._held = text[at:]
        return text[:at]

    def __call__(self, chunk):
        chunk = self._without_frames(chunk)
        if sys.stdout.isatty():
            sys.stdout.buffer.write(chunk)
        else:
            whole, newline, self._rest = (self._rest + chunk).rpartition(b"\n")
            sys.stdout.write(settled(whole + newline).lstrip("\n"))
        sys.stdout.flush()
