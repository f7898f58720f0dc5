# SPDX-License-Identifier: BSD-2-Clause
"""For every program that a user can call: its output for --help and for wrong usage."""
import os
import re
import subprocess

import kept
import pytest
import results
from conftest import TOP
from machine import cpus

# Programs in scripts/ and tests/, including those that git does not track yet.
PROGRAMS = [name for name in kept.tree()
            if name.startswith(("scripts/", "tests/")) and os.access(TOP / name, os.X_OK)]
BUILT = ["build/barecount-linux", "build/prove_kernels", "build/recover", "build/uncore_table"]
TOOLS = ("sudo", "apt-get", "apt-cache", "make", "git", "gcc", "nasm", "xorriso", "mformat")


@pytest.fixture(name="call")
def fixture_call(tmp_path):
    """call(name, words…) calls a program in an empty folder, which is also its home.

    Fails if the folder does not stay empty, or if one of TOOLS is started.
    """
    (tmp_path / "tools").mkdir()
    (tmp_path / "home").mkdir()
    for name in TOOLS:
        tool = tmp_path / "tools" / name
        tool.write_text(f"#!/bin/sh\necho {name} >>{tmp_path}/started\n", "ascii")
        tool.chmod(0o755)

    def call(name, *words):
        done = subprocess.run(
            [TOP / name, *words], cwd=tmp_path / "home", capture_output=True, text=True,
            timeout=120, check=False, stdin=subprocess.DEVNULL,
            env={"PATH": f"{tmp_path}/tools:/usr/bin:/bin", "HOME": str(tmp_path / "home")})
        assert not list((tmp_path / "home").iterdir())
        assert not (tmp_path / "started").exists(), (tmp_path / "started").read_text()
        assert "Traceback" not in done.stderr
        return done

    return call


def test_some_are_found():
    assert {"scripts/run", "scripts/setup", "tests/machine/build.sh",
            "tests/product_mutants.py"} <= set(PROGRAMS)


@pytest.mark.parametrize("name", PROGRAMS + BUILT)
def test_help_and_nothing_else(call, name):
    done = call(name, "--help")
    assert (done.returncode, done.stderr) == (results.PASSED, "")
    own = name.rpartition("/")[2]
    assert re.search(rf"^(usage: | *){re.escape(own)}\b", done.stdout, re.M), done.stdout
    assert "Exit status" in done.stdout
    assert call(name, "-h").stdout == done.stdout


@pytest.mark.parametrize("name", PROGRAMS + BUILT)
def test_wrong_usage_is_2(call, name):
    done = call(name, "--no-such-option")
    assert done.returncode == results.USAGE
    assert "usage: " in done.stderr or f"{name.rpartition('/')[2]} --help" in done.stderr


@pytest.mark.parametrize("name, words, why", [
    ("scripts/make-image", ("BOOTX64.EFI",), "expected -o"),
    ("scripts/make-iso", ("-o", "out.iso"), "expected one program"),
    ("scripts/make-netboot", ("BOOTX64.EFI", "--plan"), "requires an argument"),
    ("scripts/sign", ("key", "cert", "-o", "out"), "expected a key"),
    ("scripts/setup", ("browsers",), "unknown group 'browsers'; the groups are: program "),
    ("scripts/built-with", ("it",), "unexpected 'it'"),
    ("tests/machine/build.sh", ("out",), "unexpected 'out'"),
    ("tests/fuzz/run", ("fast", "fuzz_plan"), "found 'fast'"),
    ("build/recover", (), "usage: "),
    ("build/prove_kernels", ("--n", "0", "kernels.bin"), "usage: "),
    ("build/uncore_table", ("it",), "usage: ")])
def test_says_what_was_expected(call, name, words, why):
    done = call(name, *words)
    assert done.returncode == results.USAGE and why in done.stderr, done.stderr


@pytest.mark.parametrize("name", ["scripts/run", "scripts/demo"])
@pytest.mark.parametrize("word", ["list", "?"])
def test_cpus_are_listed_and_nothing_else(call, name, word):
    """The help recommends `list`, because `?` needs quotes in some shells."""
    done = call(name, "--cpu", word)
    assert (done.returncode, done.stderr) == (results.PASSED, "")
    assert [line.split()[0] for line in done.stdout.splitlines()] == \
        [cpu.name for cpu in cpus.CPUS] + ["and"]
    assert "`list`" in " ".join(call(name, "--help").stdout.split())
