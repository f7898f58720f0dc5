# SPDX-License-Identifier: BSD-2-Clause
"""What runs every day, what only in the full run or the soak, and how each says why it was skipped.

BARECOUNT_FULL=1 is the full run. BARECOUNT_SOAK=1 is the soak: it also runs the full run's tests in
its own files.
"""
import os

import pytest

SOAK = "BARECOUNT_SOAK" in os.environ
FULL = SOAK or "BARECOUNT_FULL" in os.environ


def in_full(why):
    """The mark of a test that the full run has."""
    return pytest.mark.skipif(not FULL, reason=f"in test-full: {why}")


def in_soak(why):
    """The mark of a test that the soak has."""
    return pytest.mark.skipif(not SOAK, reason=f"in soak: {why}")


def host_cannot(why):
    """Skip the test that runs: the host lacks what it needs."""
    pytest.skip(f"this host cannot: {why}")


def thinned(rows, every_day, what):
    """Rows of an axis for parametrize: these indices run every day, all of them in the full run."""
    assert all(0 <= index < len(rows) for index in every_day)
    return [row if index in every_day else pytest.param(
        *(row if isinstance(row, tuple) else (row,)), marks=in_full(f"the other {what}"))
        for index, row in enumerate(rows)]
