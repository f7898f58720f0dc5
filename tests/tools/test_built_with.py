# SPDX-License-Identifier: BSD-2-Clause
"""What the image says of its making, and which machines the cache keeps."""
import os
import re
import shutil
import subprocess

import pytest
from conftest import TOP

GIT = ("git", "-c", "user.name=nobody", "-c", "user.email=nobody@localhost")


@pytest.fixture(name="checkout")
def _checkout(tmp_path):
    """A repository with one file of the image and one other; git(), and what built-with prints."""
    def git(*words):
        return subprocess.run([*GIT, *words], cwd=tmp_path, check=True, capture_output=True,
                              text=True, timeout=60).stdout.strip()

    def said():
        return subprocess.run([tmp_path / "scripts/built-with"], check=True, capture_output=True,
                              text=True, timeout=60).stdout.splitlines()

    for name in ("scripts", "pmu"):
        (tmp_path / name).mkdir()
    shutil.copy(TOP / "scripts/built-with", tmp_path / "scripts")
    (tmp_path / "pmu/a.c").write_text("1", "ascii")
    return tmp_path, git, said


def test_names_the_last_commit_that_changed_the_image(checkout):
    folder, git, said = checkout
    assert said()[0] == "barecount of an unknown commit"
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "the image")
    first = git("rev-parse", "HEAD")
    assert said()[0] == f"barecount {first}"
    for tool, line in zip(("clang", "lld", "nasm", "libpfm4"), said()[1:], strict=True):
        assert re.search(rf"(?i)\b{tool}\b.* \d+\.\d+", line)
    (folder / "README.md").write_text("other", "ascii")
    git("add", ".")
    git("commit", "-qm", "not the image")
    assert said()[0] == f"barecount {first}"
    (folder / "pmu/a.c").write_text("2", "ascii")
    assert said()[0] == f"barecount {first}, with changes"
    git("commit", "-qam", "the image again")
    assert said()[0] == f"barecount {git('rev-parse', 'HEAD')}" != f"barecount {first}"


def test_the_cache_keeps_the_two_used_last(tmp_path):
    """And nothing of another name, nor a folder that is not such a machine."""
    for age, name in enumerate(("qemu-a", "qemu-b", "qemu-c", "qemu-d", "sd-a")):
        (tmp_path / name).mkdir()
        file = tmp_path / name / "qemu-system-x86_64"
        file.touch()
        os.utime(file, (1e9 - age, 1e9))
    (tmp_path / "qemu-unfinished").mkdir()
    subprocess.run(["bash", "-c", f"source {TOP}/tests/machine/apt_lib.sh; cache=$PWD; "
                    "keep_two qemu $PWD/qemu-d/qemu-system-x86_64"], cwd=tmp_path, check=True,
                   timeout=60)
    assert {path.name for path in tmp_path.iterdir()} == {"qemu-a", "qemu-d", "sd-a",
                                                         "qemu-unfinished"}
