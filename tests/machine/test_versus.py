# SPDX-License-Identifier: BSD-2-Clause
"""On the model machine, scripts/versus prints what README's sample shows."""
import pathlib
import re
import subprocess
import sys

import pytest

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "tests")]
sys.dont_write_bytecode = True

import documents  # noqa: E402
from levels import in_full  # noqa: E402

RUN_S = 900
EXACT = ("barecount, bare metal", "barecount-linux", "perf stat")
ROW = re.compile(r"(\D+?) \d\S* +(\S+) +(\S+) +(\S+) +(\S+) +\d\.\d+")


def rows(lines):
    """{tool: (error, branches, spread, smallest)}"""
    return {row[1]: row.groups()[1:] for row in map(ROW.fullmatch, lines) if row}


@pytest.fixture(scope="module", name="lines")
def lines_():
    done = subprocess.run([TOP / "scripts/versus", "--repeat", "2"], capture_output=True, text=True,
                          timeout=RUN_S, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@in_full("four tools on the model machine")
def test_each_piece_has_its_declared_instructions(lines):
    found = rows(lines)
    for tool in EXACT:
        error, _, spread, smallest = found[tool]
        assert (error, spread, smallest) == ("0", "0", "1"), lines
    assert found[EXACT[0]][1] == "0"  # without Linux, no interrupt is counted as a branch
    assert "nanoBench: not built: no checkout is given (NANOBENCH=)" in lines


@in_full("four tools on the model machine")
def test_the_sample_in_readme(lines):
    """Numbers that include interrupts or likwid-bench's own code vary between runs."""
    sample = rows(documents.blocks(TOP / "README.md", "text")[1].text.splitlines())
    measured = rows(lines)
    assert set(measured) == set(sample) - {"nanoBench, kernel module"}
    for tool in EXACT:
        assert (sample[tool][0], *sample[tool][2:]) == ("0", "0", "1")
    assert sample[EXACT[0]] == measured[EXACT[0]]
