# SPDX-License-Identifier: BSD-2-Clause
"""Tests of the programs for workstations, mainly of the scripts that read results."""
import pathlib
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "scripts/lib"), str(TOP / "tests"),
                str(pathlib.Path(__file__).resolve().parent)]
sys.dont_write_bytecode = True
