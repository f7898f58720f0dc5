# SPDX-License-Identifier: BSD-2-Clause
"""A plugin of pytest's: says at once which test failed, and why; the whole comes at the end.

A run that is cut off never gets to its end.
"""
import pytest

LINES_MAX = 6


def reason_of(report):
    """The first lines of what was raised, and where."""
    crash = getattr(report.longrepr, "reprcrash", None)
    if crash is None:
        return str(report.longrepr).splitlines()[:LINES_MAX]
    return [f"{crash.path}:{crash.lineno}", *crash.message.splitlines()][:LINES_MAX]


class Teller:
    """Of the process that pytest-xdist's workers report to, or of the only one."""

    def __init__(self, terminal):
        self._terminal = terminal

    @pytest.hookimpl(trylast=True)  # behind the letter that the terminal shows for it
    def pytest_runtest_logreport(self, report):
        if report.failed:
            self._terminal.write_line(f"\nFAILED {report.nodeid} ({report.when})")
            for line in reason_of(report):
                self._terminal.write_line(f"    {line}")


@pytest.hookimpl(trylast=True)  # once there is a terminal to write to
def pytest_configure(config):
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Teller(config.pluginmanager.get_plugin("terminalreporter")))
