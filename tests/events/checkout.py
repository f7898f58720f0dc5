# SPDX-License-Identifier: BSD-2-Clause
"""The test of `make test-perfmon PERFMON=dir`: import a checkout of perfmon, or Linux's copy of it.

The file is not named test_*, so that `make test` does not run it.
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
