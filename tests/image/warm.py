# SPDX-License-Identifier: BSD-2-Clause
"""Resume machines from the firmware's first output, which saves most of a short boot's time.

The state is saved once for each kind of machine, at the first byte on the console. Machines boot
from power-on if kind_of() excludes them, if their firmware has already accessed a drive, or if QEMU
cannot save a device. The tests' firmware uses no counters, so machines of one kind may differ in
most properties of the PMU model.

The machine's memory is in a file beside the state. A resumed machine maps this file privately, so
QEMU reads no page that the machine does not use.
"""
import contextlib
import dataclasses
import fcntl
import hashlib
import os
import pathlib
import shlex
import time

from machine import qemu

STATES = "BARECOUNT_STATES"  # folder of the states
FIRST_S = 180   # on a busy host
STATE_S = 60
TRIES = 3       # the host may be late in pausing the machine
POLL_S = 0.02
# These properties set registers of the PMU model at reset, and a saved state lacks the model's
# registers.
COLD = ("pmu-left-running", "pmu-old-error")
# The firmware accesses an SD card before its first output, and drive statistics do not show this.
COLD_MEDIA = "sd"
DRIVES = ("-drive", "-blockdev")
# The saved state does not contain memory that is a shared file.
IGNORE_SHARED = {"capability": "x-ignore-shared", "state": True}


def plain(spec):
    """A copy of the spec without the options that make no difference to the firmware."""
    props = ",".join(one for one in spec.props.split(",") if not one.startswith("pmu-"))
    pairs = zip(spec.more[::2], spec.more[1::2])
    more = [word for option, value in pairs if option != "-trace" for word in (option, value)]
    return dataclasses.replace(spec, props=props, more=tuple(more), trace=None,
                               block_log=None, reboots=False)


def kind_of(spec):
    """A name for all machines whose firmware behaves the same; None if they start at power-on.

    The name does not depend on a drive's contents, since the firmware has not read the drive when
    the state is saved.
    """
    has_drive = spec.disk or any(option in DRIVES for option in spec.more[::2])
    if (spec.machine, spec.firmware, spec.icount) != ("model", "ovmf", None) or \
            any(cold in spec.props for cold in COLD) or spec.media == COLD_MEDIA or \
            "-numa" in spec.more or not has_drive or not spec.serial or len(spec.more) % 2:
        return None
    what = plain(spec)
    more = [(option, None if option in DRIVES else value)
            for option, value in zip(what.more[::2], what.more[1::2])]
    what = dataclasses.replace(what, disk=bool(spec.disk), read_only=False, more=more)
    return hashlib.sha256(repr(what).encode("utf-8")).hexdigest()[:16]


def is_untouched(running):
    return not any(drive["stats"][what] for drive in running.qmp("query-blockstats")
                   for what in ("rd_operations", "wr_operations"))


def with_memory(spec, state, share):
    """The spec, with the machine's memory in the file that belongs to `state`."""
    path = str(memory_of(state)).replace(",", ",,")
    memory = f"memory-backend-file,id=ram,size={spec.memory_mib}M,mem-path={path},share={share}"
    return dataclasses.replace(spec, more=(
        *spec.more, "-object", memory, "-machine", "memory-backend=ram"))


def memory_of(state):
    return state.with_suffix(".memory")


def save(spec, path):
    """Save the machine's state. Returns None if the machine was paused too late, and False on
    failure."""
    memory_of(path).unlink(missing_ok=True)
    with qemu.Machine(with_memory(spec, path, "on")) as running:
        if not running.wait_for(r"[\s\S]", FIRST_S):
            return False
        running.qmp("stop")
        if not is_untouched(running):
            return None
        with contextlib.suppress(qemu.HostError):
            running.qmp("migrate-set-capabilities", capabilities=[IGNORE_SHARED])
            running.qmp("migrate", uri=f"exec:cat >{shlex.quote(str(path))}")
        deadline = time.monotonic() + STATE_S
        while time.monotonic() < deadline:
            status = running.qmp("query-migrate").get("status", "failed")
            if status in ("completed", "failed", "cancelled"):
                return status == "completed"
            time.sleep(POLL_S)
    return False


def save_in_time(spec, path):
    for _ in range(TRIES):
        if (saved := save(spec, path)) is not None:
            return saved
    return False


def state_of(spec, folder):
    """The file with the state to resume from, made if needed; None if there is no state."""
    kind = kind_of(spec)
    if kind is None:
        return None
    state, none, new = (folder / f"{kind}.{what}" for what in ("state", "none", "new"))
    with open(folder / f"{kind}.lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # the workers share the folder
        if not state.exists() and not none.exists():
            if save_in_time(plain(spec), new):
                new.rename(state)
            else:
                none.touch()
                for part in (new, memory_of(new)):
                    part.unlink(missing_ok=True)
    return state if state.exists() else None


class Resumed(qemu.Machine):
    def __init__(self, spec, state):
        spec = with_memory(spec, state, "off")
        super().__init__(dataclasses.replace(spec, more=(*spec.more, "-incoming", "defer")))
        self._state = state

    def __enter__(self):
        super().__enter__()
        try:
            self._go_on()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _go_on(self):
        self._wait_for("inmigrate")
        self.qmp("migrate-set-capabilities", capabilities=[IGNORE_SHARED])
        self.qmp("migrate-incoming", uri=f"exec:cat {shlex.quote(str(self._state))}")
        self._wait_for("paused")
        self.qmp("cont")

    def _wait_for(self, status):
        deadline = time.monotonic() + STATE_S
        while self._status() != status:
            if time.monotonic() > deadline:
                raise qemu.HostError(f"QEMU has not read the saved state after {STATE_S} s: "
                                        f"{self.errors()}")
            time.sleep(POLL_S)

    def _status(self):
        try:
            return self.qmp("query-status")["status"]
        except qemu.HostError:
            return None


def begin(spec, cold=False):
    """The machine as a context manager; starts at power-on if `cold`, or if no state is saved."""
    folder = os.environ.get(STATES)
    state = None if cold or not folder else state_of(spec, pathlib.Path(folder))
    return Resumed(spec, state) if state else qemu.Machine(spec)
