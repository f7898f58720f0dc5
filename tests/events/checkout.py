# SPDX-License-Identifier: BSD-2-Clause
"""make test-perfmon PERFMON=dir imports a checkout of perfmon, or the folder in Linux' sources.

This file is not named test_*, because make test has no such checkout.
"""
import os
import pathlib

from conftest import check_import


def test_checkout(importer):
    source = pathlib.Path(os.environ["PERFMON"]).resolve()
    imported, refused = check_import(importer(source), source)
    assert imported > refused
