# SPDX-License-Identifier: BSD-2-Clause
"""scripts/test-hardware without a PMU. The counts are computed here, not by perf."""
import pytest

import script

tool = script.load("test-hardware")

SLOPES = {"instructions": 6, "branches": 3}
START_UP = 81_234


def table(off=0):
    """Each count is wrong by `off`."""
    rows = [{"kernel": kernel, "event": event, "expected": str(slope * tool.N),
             "median": str(slope * tool.N + off)}
            for kernel in tool.KERNELS for event, slope in SLOPES.items()]
    declared = {event: slope * tool.N for event, slope in SLOPES.items()}
    return rows, {kernel: declared for kernel in tool.KERNELS}


@pytest.mark.parametrize("off, factor, more, wrong", [
    (0, 1, 0, 0),  # exact
    (0, 1, 300, 0),  # start-up and interrupts: 300 in 240,000,000
    (1, 1, 0, 10),  # barecount-linux is off by one
    (0, 1.01, 0, 10),  # perf counts 1 % more
    (0, 0, 0, 10),  # perf counts only the start-up
])
def test_differences_are_told(monkeypatch, capsys, off, factor, more, wrong):
    monkeypatch.setattr(tool, "perf", lambda _kernel, n, event: START_UP + round(
        factor * n * SLOPES[event.split(":")[0]]) + (more if n == tool.HIGH else 0))
    assert tool.compare(*table(off)) == wrong
    assert capsys.readouterr().out.count("DIFFERS") == wrong


def test_perf_that_does_not_count(monkeypatch, capsys):
    monkeypatch.setattr(tool, "perf", lambda *_: None)
    assert tool.compare(*table()) == 10
    assert " -  DIFFERS" in capsys.readouterr().out
