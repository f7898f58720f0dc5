# SPDX-License-Identifier: BSD-2-Clause
"""make test-perfmon PERFMON=dir imports a checkout of perfmon, or the folder in Linux' sources.

This file is not named test_*, because make test has no such checkout.
"""
import os
import pathlib

from conftest import check_import

CORE_REFUSED_MAX = 20


def test_checkout(importer):
    source = pathlib.Path(os.environ["PERFMON"]).resolve()
    done = importer(source)
    imported, refused = check_import(done, source)
    assert imported > refused
    core = [line for line in done.note("refused.txt")
            if not line.split(": ", 2)[2].startswith(("unit ", "Filter ", "runs freely"))]
    print("\n".join(core))
    assert len(core) <= CORE_REFUSED_MAX
