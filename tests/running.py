# SPDX-License-Identifier: BSD-2-Clause
"""Run each test process in its own session, with a time limit, and end all its children."""
import contextlib
import dataclasses
import json
import os
import pathlib
import re
import signal
import subprocess
import threading
import time

TOP = pathlib.Path(__file__).resolve().parents[1]
LOGS = TOP / "build/test"
TELL_S = 60  # interval of progress messages of a large level
POLL_S = 0.5
OURS = re.compile(r"^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$", re.M)
CMOCKA = re.compile(r"^\[\s+(PASSED|FAILED|SKIPPED)\s+\] (\d+) test\(s\)", re.M)

_running = set()
_over = threading.Event()
_saying = threading.Lock()


@dataclasses.dataclass
class Ended:
    """If status is None, the process exceeded its time limit."""

    output: str
    status: int | None
    cpu_s: float
    wall_s: float


def say(text):
    with _saying:
        print(text, flush=True)


def _end(process):
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    _running.discard(process)


class Interrupted(Exception):
    """Raised when no further process may start."""


def end_all():
    _over.set()
    for process in list(_running):
        _end(process)


def log_of(name):
    return LOGS / f"{name.replace('/', '+')}.log"


def run(name, command, bound_s, environment=None, folder=TOP):
    if _over.is_set():
        raise Interrupted
    begun, log, late = time.monotonic(), log_of(name), threading.Event()
    with open(log, "wb") as file:
        try:
            process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=file,
                                       stderr=subprocess.STDOUT, start_new_session=True,
                                       env={**os.environ, **(environment or {})})
        except OSError as why:
            return Ended(f"{name}: {why}\n", 127, 0, 0)
    _running.add(process)
    if _over.is_set():
        _end(process)
        raise Interrupted
    timer = threading.Timer(bound_s, lambda: (late.set(), _end(process)))
    timer.start()
    try:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    finally:
        timer.cancel()
        _end(process)
    if _over.is_set():
        raise Interrupted  # it may have been killed
    return Ended(log.read_text("utf-8", errors="replace"),
                 None if late.is_set() else process.returncode,
                 usage.ru_utime + usage.ru_stime, time.monotonic() - begun)


def counts_of(output):
    """The numbers of passed, failed and skipped tests in the output's last summary, or None."""
    output = re.sub(r"\x1b\[[0-9;]*m", "", output)
    if found := list(CMOCKA.finditer(output)):
        totals = {word: int(number) for word, number in (match.groups() for match in found)}
        return [totals.get(word, 0) for word in ("PASSED", "FAILED", "SKIPPED")]
    if found := OURS.findall(output):
        return [int(number or 0) for number in found[-1]]
    return None


def trouble_of(ended, ran, failed, bound_s, is_whole=True):
    if ended.status is None:
        return f"took longer than {bound_s} s"
    if not is_whole:
        return f"ended with status {ended.status} before its tests did"
    if not ran:
        return f"ended with status {ended.status} and ran nothing"
    if ended.status != 0 and not failed:
        return f"ended with status {ended.status} although nothing failed"
    return None


class Follower(threading.Thread):
    """Follows a ledger (tests/ledger.py), and reports progress and each failure immediately."""

    def __init__(self, name, path):
        super().__init__(daemon=True)
        self._name, self._path, self._over = name, path, threading.Event()
        self.tests = []
        self.is_whole = False  # the last line was read
        self.start()

    def end(self):
        self._over.set()
        self.join()

    def run(self):
        told, at = time.monotonic(), 0
        while True:
            is_last = self._over.wait(POLL_S)
            if self._path.exists():
                with open(self._path, encoding="utf-8") as file:
                    file.seek(at)
                    while (line := file.readline()).endswith("\n"):
                        at = file.tell()
                        self._take(json.loads(line))
            if is_last:
                return
            if time.monotonic() - told >= TELL_S:
                told = time.monotonic()
                say(f"    {self._name}: {len(self.tests)} tests are done")

    def _take(self, test):
        if test is None:
            self.is_whole = True
            return
        self.tests.append(test)
        if test["outcome"] == "failed":
            say("\n    ".join([f"FAILED {test['test']}", *test["why"]]))
