# SPDX-License-Identifier: BSD-2-Clause
"""Completion in bash (make completion) offers the options in --help, and their values."""
import re
import shlex
import subprocess
import sys

import pytest
from conftest import TOP
from programs import PROGRAMS, listed
from machine import media, network, qemu

COMPLETE = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
called=$(complete -p "$1") || exit
[[ $called == *" -F _barecount "* ]] || exit
_barecount "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
((${#COMPREPLY[@]} == 0)) || printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture(scope="module", name="complete")
def fixture_complete(tmp_path_factory):
    path = tmp_path_factory.mktemp("completion") / "barecount"
    subprocess.run([TOP / "scripts/make-completion", *PROGRAMS, "-o", path], cwd=TOP, check=True)

    def complete(*words):
        done = subprocess.run(["bash", "--norc", "-c", COMPLETE, "bash", path, *words], cwd=TOP,
                              capture_output=True, text=True, check=True)
        assert done.stderr == ""
        return done.stdout.splitlines()

    return complete


@pytest.mark.parametrize("name", PROGRAMS)
def test_options_are_those_of_help(name, complete):
    options = [word for column in listed(name)
               for word in re.findall(r"(?:^|, )(-[\w-]+)", column)]
    assert complete(name, "-") == options
    assert complete(f"./{name}", "--") == [word for word in options if word.startswith("--")]


@pytest.mark.parametrize("line, found", [
    ("scripts/run --machine ''", qemu.MACHINES),
    ("scripts/run --machine = ne", ["newest"]),
    ("scripts/run --machine =", qemu.MACHINES),
    ("scripts/run --media ''", (*media.MEDIA, *network.MEDIA)),
    ("barecount-run --firmware u", ["u-boot"]),
    ("scripts/run --cpus ''", []),
    ("scripts/run --fresh --plan scripts/plans/qu", ["scripts/plans/quick.cfg"]),
    ("scripts/report scripts/pl", ["scripts/plans"]),
    ("scripts/report -o READ", ["README.md"]),
    ("scripts/query README.md im", ["import"]),
    ("scripts/setup bro", ["browser"]),
    ("scripts/import-perfmon --vendor A", ["AuthenticAMD"]),
    ("build/barecount-linux --once loop_dec", ["loop_dec_jnz"]),
    ("build/barecount-linux --list-kernels loop_dec", ["loop_dec_jnz"])])
def test_what_may_follow(line, found, complete):
    assert complete(*shlex.split(line)) == list(found)


def test_a_program_without_help(tmp_path):
    done = subprocess.run([sys.executable, TOP / "scripts/make-completion", "/bin/false", "-o",
                           tmp_path / "out"], check=False, capture_output=True, text=True)
    assert done.returncode == 4 and "make-completion: " in done.stderr
    assert not (tmp_path / "out").exists()
