# SPDX-License-Identifier: BSD-2-Clause
"""What a level of scripts/test-all says as soon as a test fails."""
import pathlib
import subprocess

import pytest

TOP = pathlib.Path(__file__).resolve().parents[2]
TESTS = """import pytest

@pytest.fixture
def broken():
    raise ValueError("one\\ntwo")

def test_right(): pass
def test_wrong(): assert 1 == 2
def test_set_up(broken): pass
def test_lacks(no_such): pass
"""
SAID = """\
FAILED {file}::test_wrong (call)
    {path}:8
    assert 1 == 2
FAILED {file}::test_set_up (setup)
    {path}:5
    ValueError: one
    two
FAILED {file}::test_lacks (setup)
    file {path}, line 10
      def test_lacks(no_such): pass
    E       fixture 'no_such' not found
"""


@pytest.mark.parametrize("workers", ["0", "1"])
def test_each_failure_is_told_in_lines_of_its_own(tmp_path, workers):
    path = tmp_path / "test_some.py"
    path.write_text(TESTS, "ascii")
    done = subprocess.run(
        ["/usr/bin/python3", "-m", "pytest", "-p", "no:cacheprovider", "-p", "tests.tell_failures",
         "--rootdir", tmp_path, "--tb=no", "-n", workers, path],
        cwd=TOP, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 1 and " 1 passed" in done.stdout
    at = 0
    for line in SAID.format(file=path.name, path=path).splitlines():
        assert f"\n{line}\n" in done.stdout[at:], line
        at = done.stdout.index(f"\n{line}\n", at) + len(line)
