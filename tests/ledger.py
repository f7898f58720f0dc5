# SPDX-License-Identifier: BSD-2-Clause
"""A pytest plugin that records each test's outcome, its cost, and the files that it used.

The plugin appends a line of JSON to the file BARECOUNT_LEDGER for each test, and `null` after the
last test. CPU seconds include child processes that were waited for; a shared boot is charged to the
first test that uses it.
"""
import json
import os
import pathlib
import sys

import pytest

TOP = f"{pathlib.Path(__file__).resolve().parents[1]}/"
CPU, IMPORTED = pytest.StashKey[float](), pytest.StashKey[set]()
USED = set()  # the files used since a test or an import began
NOT_OURS = {".git", "__pycache__"}
LINES_MAX = 6


def cpu_s():
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def note(event, arguments):
    """An audit hook that notes opened files and arguments of commands, if they are in the tree."""
    if event == "open":
        words = arguments[:1]
    elif event == "subprocess.Popen":
        words = (arguments[0], *(arguments[1] if isinstance(arguments[1], (list, tuple)) else ()))
    else:
        return
    for word in words:
        if isinstance(word, (str, bytes, os.PathLike)):
            path = os.path.normpath(os.path.join(os.getcwd(), os.fsdecode(word)))
            if path.startswith(TOP) and not NOT_OURS.intersection(path.split("/")):
                USED.add(path[len(TOP):])


def used():
    return {name for name in USED if os.path.isfile(TOP + name)}


@pytest.hookimpl(hookwrapper=True)
def pytest_make_collect_report(collector):
    """Files that a module uses while it is imported count as used by each of its tests."""
    USED.clear()
    yield
    if isinstance(collector, pytest.Module):
        collector.stash[IMPORTED] = used()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    item.stash[CPU] = cpu_s()
    USED.clear()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(item, call):
    if call.when == "teardown":
        of_all = used() | item.getparent(pytest.Module).stash[IMPORTED]
        item.user_properties += [("cpu_s", cpu_s() - item.stash[CPU]), ("used", sorted(of_all))]


def reason_of(report):
    """The place and the first lines of an exception, or the reason of a skip."""
    if isinstance(report.longrepr, tuple):
        return [report.longrepr[2].removeprefix("Skipped: ")]
    crash = getattr(report.longrepr, "reprcrash", None)
    if crash is None:
        return str(report.longrepr).splitlines()[:LINES_MAX]
    return [f"{crash.path}:{crash.lineno}", *crash.message.splitlines()][:LINES_MAX]


class Ledger:
    """Writes the ledger; with pytest-xdist, only the process that controls the workers writes."""

    def __init__(self, path):
        self._file = open(path, "w", encoding="utf-8")
        self._running = {}

    def pytest_runtest_logreport(self, report):
        test = self._running.setdefault(report.nodeid, {
            "test": report.nodeid, "outcome": "passed", "why": [], "wall_s": 0, "cpu_s": 0,
            "used": []})
        test["wall_s"] += report.duration
        if report.failed or report.skipped and test["outcome"] == "passed":
            test["outcome"] = report.outcome
            test["why"] += reason_of(report)
        test.update(report.user_properties)
        if report.when == "teardown":
            self._write(self._running.pop(report.nodeid))

    def pytest_sessionfinish(self):
        for test in self._running.values():
            self._write({**test, "outcome": "failed",
                         "why": [*test["why"], "it did not end"]})
        self._write(None)

    def _write(self, test):
        self._file.write(json.dumps(test) + "\n")
        self._file.flush()


def pytest_configure(config):
    path = os.environ.get("BARECOUNT_LEDGER")
    if path:
        sys.addaudithook(note)
    if path and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Ledger(path))
