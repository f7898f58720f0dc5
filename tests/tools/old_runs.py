# SPDX-License-Identifier: BSD-2-Clause
"""Runs of older images (tests/tools/data/old), and their files as the current program renders
them."""
import pathlib
import shutil
import subprocess
import tarfile

import run_schema

TOP = pathlib.Path(__file__).resolve().parents[2]
DATA = TOP / "tests/tools/data/old"
SCHEMAS = (1, 2, 3, 4, 5, 6)
OLDEST_JOURNAL = 2  # older journals cannot be read: pmu/journal/renew.h


def unpack(schema, folder):
    """A complete run is in the folder "run"; from schema 2 on, an interrupted run is in "cut"."""
    with tarfile.open(DATA / f"schema-{schema}.tar.xz") as archive:
        archive.extractall(folder)
    return folder


def recover(folder):
    done = subprocess.run([TOP / "scripts/recover", folder], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def recovered(folder, tmp_path):
    """A new folder with the files that the current program renders from the journal of `folder`."""
    anew = tmp_path / "anew"
    anew.mkdir()
    shutil.copy(folder / "journal.bin", anew)
    status, said = recover(anew)
    assert status == 0, said
    assert (anew / "journal.bin").read_bytes() == (folder / "journal.bin").read_bytes()
    run_schema.hold_below(anew)
    return anew
