# SPDX-License-Identifier: BSD-2-Clause
"""scripts/walks prints the files on a path of calls, and reports a walk without a path."""
import re
import subprocess

from conftest import TOP


def walks(*legs):
    done = subprocess.run([TOP / "scripts/walks", *legs], capture_output=True, text=True)
    assert not done.stderr
    return done.returncode, done.stdout.splitlines()


def test_files_of_a_leg():
    assert walks("crc32_ieee:crc32_ieee", "measured_cpu_task:space_load") == (0, [
        "ok   crc32_ieee:crc32_ieee: 1 files: pmu/base/bytes.c",
        "ok   measured_cpu_task:space_load: 3 files: "
        "boot/cpu/space.c boot/measure/measure.c boot/run/measured_cpu.c",
        "2 passed, 0 failed"])


def test_no_path():
    for leg in ("space_load:measured_cpu_task", "space_load:nothing_here"):
        status, lines = walks(leg)
        assert status == 1 and lines[-1] == "0 passed, 1 failed"
        assert lines[0] == f"FAIL {leg}: no path of calls from {leg.replace(':', ' to ')}"


def test_the_documents_files_are_the_walks():
    text = (TOP / "docs/architecture.md").read_text("utf-8")
    section = text.split("\n## Three walks\n")[1].split("\n## ")[0]
    _, lines = walks()
    for part, line in zip(section.split("\n### ")[1:], lines[:-1], strict=True):
        name, files = re.match(r"ok   (.*): \d+ files of at most \d+: (.*)", line).groups()
        assert part.splitlines()[0].lower() == name
        assert {file.rsplit("/", 1)[1] for file in files.split()} == \
            {file.rsplit("/", 1)[-1] for file in re.findall(r"`([\w/]+\.(?:c|asm))`", part)}
