# SPDX-License-Identifier: BSD-2-Clause
"""make test-perfmon PERFMON=dir: a user's checkout of perfmon, or Linux' folder, imports whole.

Its name is not that of a test, because make test has no checkout to give it.
"""
import os
import pathlib

from conftest import check_import


def test_checkout(importer):
    source = pathlib.Path(os.environ["PERFMON"]).resolve()
    imported, refused = check_import(importer(source), source)
    assert imported > refused
