# SPDX-License-Identifier: BSD-2-Clause
"""The commands of docs/own-kernel.md work in a copy of the checkout."""
import re
import subprocess

import documents
import pytest
from conftest import TOP
from levels import in_full
import run_schema

PAGE = TOP / "docs/own-kernel.md"
STEP_S = 600
# The copy leaves out git's data, results, and what only tests need.
NOT_COPIED = ("./.git", "./results", "./build/*fuzz*", "./build/test*", "./build/host",
              "./build/coverage", "./build/tidy", "./build/stick.img*", "./build/linux",
              "./build/conform")
RESULT = re.compile(r"probe +(\S+) +(\d+) +(\d+) +(\d+) +(\d+) +(\d+) +(\w+)$", re.M)


def blocks(language):
    return [block.text for block in documents.blocks(PAGE, language)]


@pytest.fixture
def checkout(tmp_path):
    copy = tmp_path / "barecount"
    copy.mkdir()
    without = [f"--exclude={pattern}" for pattern in NOT_COPIED]
    with subprocess.Popen(["tar", "-C", TOP, "-S", "-cf", "-", *without, "."],
                          stdout=subprocess.PIPE) as tar:
        subprocess.run(["tar", "-C", copy, "-xf", "-"], stdin=tar.stdout, check=True,
                       timeout=STEP_S)
    assert tar.returncode == 0
    yield copy
    for image in copy.rglob("*.img"):
        image.unlink()


def sh(command, folder):
    done = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, text=True,
                          timeout=STEP_S, check=False)
    print(f"$ {command}\n{done.stdout}{done.stderr}")
    assert done.returncode == 0, f"{command}: {done.returncode}"
    return done.stdout


def lines_of(text):
    return re.findall(r"^(?:// )?(DECLARE .*?)(?: *;.*)?$", text, re.M)


@in_full("a build of a copy of the checkout")
def test_as_the_page_has_it(checkout):
    commands = [line for block in blocks("sh") for line in block.splitlines()
                if "--code" not in line and "--line" not in line]
    source, = blocks("nasm")
    shown = RESULT.search("\n".join(blocks("text")))
    assert [command.split()[0] for command in commands] == [
        "scripts/new-kernel", *["scripts/build-kernel"] * 2, "make",
        "scripts/new-kernel", *["scripts/build-kernel"] * 2]
    sh(commands[0], checkout)
    assert (checkout / "probe.asm").exists()
    (checkout / "probe.asm").write_text(source, "ascii")
    assert lines_of(sh(commands[1], checkout)) == lines_of(source)
    assert "Proved on this host." in sh(commands[2], checkout)
    printed = RESULT.search(sh(commands[3], checkout))
    # The total of cycles may differ by one misprediction, because of kernels that ran before.
    assert printed.groups()[:5] == shown.groups()[:5] and printed.group(7) == shown.group(7)
    assert abs(int(printed.group(6)) - int(shown.group(6))) <= 20
    found = run_schema.read(checkout / "results/latest")
    rows = [row for row in found.rows if row["kernel"] == "probe" and row["expected"]]
    assert {row["cpu"] for row in rows} == {"0", "1"}
    assert {row["verdict"] for row in rows} == {"exact"} and len(rows) >= 2 * 5
    declared = dict(re.findall(r"DECLARE (\w+), exact, -?\d+, (\d+)", source))
    per_n = {event: int(number) * 1000 for event, number in declared.items()}
    instructions = [row for row in rows if row["event"] == "INST_RETIRED.ANY"]
    assert {row["median"] for row in instructions} == {str(per_n["instructions"])}
    # The C template's declarations must fit clang's code.
    sh(commands[4], checkout)
    said = sh(commands[5], checkout)
    template = (checkout / "probe_c.c").read_text("ascii")
    assert lines_of(said) == lines_of(template)
    assert re.sub(r"\s+", " ", blocks("c")[0]) in re.sub(r"\s+", " ", template)
    assert "Proved on this host." in sh(commands[6], checkout)
