# SPDX-License-Identifier: BSD-2-Clause
"""What older images left: tests/tools/data/old, unpacked."""
import pathlib
import tarfile

DATA = pathlib.Path(__file__).resolve().parents[2] / "tests/tools/data/old"
SCHEMAS = (1, 2, 3, 4, 5)
OLDEST_JOURNAL = 2  # before it a journal cannot be read: pmu/journal/renew.h


def unpack(schema, folder):
    """The folders run and cut (from schema 2 on) of a schema, in a folder; returns it."""
    with tarfile.open(DATA / f"schema-{schema}.tar.xz") as archive:
        archive.extractall(folder)
    return folder
