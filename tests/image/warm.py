# SPDX-License-Identifier: BSD-2-Clause
"""Machines that go on from where firmware first spoke: it takes most of a short boot's time.

The state of a machine is saved at the first byte on its console, once for each kind of machine,
and every boot of that kind goes on from there. By then the firmware must not have touched the
stick or its variables, so that neither is in the state; where it has, or where QEMU cannot save a
device, the kind is booted from power-on each time. Properties of the PMU model are not of the
kind: they matter from a reset on to who uses counters, and this firmware does not.
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

STATES = "BARECOUNT_STATES"  # the folder for all workers, or for many runs of pytest
FIRST_S = 180   # until the firmware speaks, on a busy host
STATE_S = 60    # to save a state, or to go on from it
TRIES = 3       # the host may be late in stopping the machine
POLL_S = 0.02
# The state has QEMU's own registers, not the model's: a counter that runs from a reset on is lost.
COLD = "pmu-left-running"
# By the first byte on the console its card has been asked already, which no drive's numbers tell.
COLD_MEDIA = "sd"
DRIVES = ("-drive", "-blockdev")


def plain(spec):
    """The kind's machine: without what only the program and the test see."""
    props = ",".join(one for one in spec.props.split(",") if not one.startswith("pmu-"))
    pairs = zip(spec.more[::2], spec.more[1::2])
    more = [word for option, value in pairs if option != "-trace" for word in (option, value)]
    return dataclasses.replace(spec, props=props, more=tuple(more), trace=None,
                               block_log=None, reboots=False)


def kind_of(spec):
    """A name for machines whose firmware does the same; None: this one starts at power-on.

    A drive's contents, size and write protection are not part of the kind: the firmware has asked
    about none of them by then.
    """
    has_drive = spec.disk or any(option in DRIVES for option in spec.more[::2])
    if (spec.machine, spec.firmware, spec.icount) != ("model", "ovmf", None) or \
            COLD in spec.props or spec.media == COLD_MEDIA or not has_drive or \
            not spec.serial or len(spec.more) % 2:
        return None
    what = plain(spec)
    more = [(option, None if option in DRIVES else value)
            for option, value in zip(what.more[::2], what.more[1::2])]
    what = dataclasses.replace(what, disk=bool(spec.disk), read_only=False, more=more)
    return hashlib.sha256(repr(what).encode("utf-8")).hexdigest()[:16]


def is_untouched(running):
    """Nothing has been read from a drive, or written to one."""
    return not any(drive["stats"][what] for drive in running.qmp("query-blockstats")
                   for what in ("rd_operations", "wr_operations"))


def save(spec, path):
    """The machine's state into a file. False: it cannot be; None: the host stopped it too late."""
    with qemu.Machine(spec) as running:
        if not running.wait_for(r"[\s\S]", FIRST_S):
            return False
        running.qmp("stop")
        if not is_untouched(running):
            return None
        with contextlib.suppress(qemu.HostError):
            running.qmp("migrate", uri=f"exec:cat >{shlex.quote(str(path))}")
        deadline = time.monotonic() + STATE_S
        while time.monotonic() < deadline:
            status = running.qmp("query-migrate").get("status", "failed")
            if status in ("completed", "failed", "cancelled"):
                return status == "completed"
            time.sleep(POLL_S)
    return False


def save_in_time(spec, path):
    """The same, tried again where it was too late."""
    for _ in range(TRIES):
        if (saved := save(spec, path)) is not None:
            return saved
    return False


def state_of(spec, folder):
    """The file with the state to go on from, made when it is not there; None: there is none."""
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
    return state if state.exists() else None


class Resumed(qemu.Machine):
    """One that goes on from a state."""

    def __init__(self, spec, state):
        more = (*spec.more, "-incoming", f"exec:cat {shlex.quote(str(state))}")
        super().__init__(dataclasses.replace(spec, more=more))

    def __enter__(self):
        super().__enter__()
        try:
            self._go_on()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _go_on(self):
        deadline = time.monotonic() + STATE_S
        while self._status() in (None, "inmigrate"):
            if time.monotonic() > deadline:
                raise qemu.HostError(f"QEMU: its state is not read after {STATE_S} s: "
                                        f"{self.errors()}")
            time.sleep(POLL_S)
        self.qmp("cont")

    def _status(self):
        """None: its monitor does not listen yet."""
        try:
            return self.qmp("query-status")["status"]
        except qemu.HostError:
            return None


def begin(spec, cold=False):
    """The machine for a `with`: from power-on when it must be, or when nothing else can be.

    Without a folder for states there are none.
    """
    folder = os.environ.get(STATES)
    state = None if cold or not folder else state_of(spec, pathlib.Path(folder))
    return Resumed(spec, state) if state else qemu.Machine(spec)
