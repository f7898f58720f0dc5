# SPDX-License-Identifier: BSD-2-Clause
"""The image's record of its build, and the emulators that the cache keeps."""
import os
import re
import shutil
import subprocess

from conftest import TOP


def test_says_which_sources_and_tools_made_the_image(tmp_path):
    def said():
        return subprocess.run([tmp_path / "scripts/built-with"], check=True, capture_output=True,
                              text=True, timeout=60).stdout.splitlines()

    sources = subprocess.run(
        ["bash", "-c", """eval "$(sed -n '/^sources=/,/)$/p' scripts/built-with)"
                          echo "${sources[@]}" """],
        cwd=TOP, check=True, capture_output=True, text=True).stdout.split()
    makers = re.search(r"^EVENT_MAKERS := ((?:.*\\\n)*.*)", (TOP / "Makefile").read_text("utf-8"),
                       re.M)[1]
    for name in re.findall(r"[\w.-]+\.(?:py|csv)\b", makers):
        assert any(source.endswith("/" + name) for source in sources), name
    for name in sources:
        file = tmp_path / name / "file" if (TOP / name).is_dir() else tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    for name in ("scripts/built-with", "scripts/lib/options.sh"):
        shutil.copy(TOP / name, tmp_path / name)
    first = said()
    for tool, line in zip(("clang", "lld", "nasm", "zlib", "libpfm4"), first[1:], strict=True):
        assert re.search(rf"(?i)\b{tool}\b.* \d+\.\d+", line)
    for name in ("README.md", "scripts/report"):
        (tmp_path / name).write_text("other", "ascii")
        assert said() == first
    last = first
    for name in ("pmu/file", "kernels/new.asm", "scripts/plans/new.cfg"):
        (tmp_path / name).write_text("other", "ascii")
        assert said()[1:] == first[1:] and said()[0] != last[0]
        last = said()


def test_the_cache_keeps_the_two_used_last(tmp_path):
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
