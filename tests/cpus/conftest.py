# SPDX-License-Identifier: BSD-2-Clause
"""Tests that use the CPUID leaves and MSRs of real machines."""
import pathlib
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "scripts/lib"), str(TOP / "tests")]
sys.dont_write_bytecode = True
