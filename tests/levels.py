# SPDX-License-Identifier: BSD-2-Clause
"""Marks for tests that run only in the full run or only in the soak, and the reasons for skips.

BARECOUNT_FULL=1 also runs the tests of the full run; BARECOUNT_SOAK=1 runs all tests.
"""
import os

import pytest

SOAK = "BARECOUNT_SOAK" in os.environ
FULL = SOAK or "BARECOUNT_FULL" in os.environ


def in_full(why):
    return pytest.mark.skipif(not FULL, reason=f"in test-full: {why}")


def in_soak(why):
    return pytest.mark.skipif(not SOAK, reason=f"in soak: {why}")


def host_cannot(why):
    pytest.skip(f"this host cannot: {why}")


def thinned(rows, every_day, what):
    """Rows for parametrize: those in `every_day` run every day, the others in the full run."""
    assert all(0 <= index < len(rows) for index in every_day)
    return [row if index in every_day else pytest.param(
        *(row if isinstance(row, tuple) else (row,)), marks=in_full(f"the other {what}"))
        for index, row in enumerate(rows)]
