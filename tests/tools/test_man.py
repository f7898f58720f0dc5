# SPDX-License-Identifier: BSD-2-Clause
"""Each program has a manual page (make man) with the content of its --help."""
import os
import subprocess

import pytest
from conftest import TOP
from programs import PROGRAMS, listed

SECTIONS = ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS"]


@pytest.fixture(scope="module", name="pages")
def fixture_pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("man") / "man1"
    subprocess.run([TOP / "scripts/make-man", *PROGRAMS, "-o", folder], cwd=TOP, check=True)
    return folder


def page_of(name):
    return f"barecount-{name.rpartition('/')[2].removeprefix('barecount-')}.1"


def shown(page):
    """A page's lines as man prints them, and man's warnings."""
    done = subprocess.run(["man", "--warnings=w", "-Tutf8", "-l", page], capture_output=True,
                          text=True, check=True,
                          env={**os.environ, "LC_ALL": "C.UTF-8", "MANWIDTH": "1000",
                               "GROFF_NO_SGR": "1"})
    plain = subprocess.run(["col", "-bx"], input=done.stdout, capture_output=True, text=True,
                           check=True, env={**os.environ, "LC_ALL": "C.UTF-8"}).stdout
    return plain.splitlines(), done.stderr


def test_every_program_has_a_page(pages):
    assert sorted(path.name for path in pages.iterdir()) == sorted(map(page_of, PROGRAMS))


@pytest.mark.parametrize("name", PROGRAMS)
def test_page_holds_each_option_and_has_no_warning(name, pages):
    lines, complaints = shown(pages / page_of(name))
    assert complaints == ""
    heads = [line for line in lines[1:-1] if line[:1].strip()]
    assert [head for head in heads if head != "ARGUMENTS"] == SECTIONS
    options = [line.strip() for line in lines[lines.index("OPTIONS"):]]
    for column in listed(name):
        assert any(f"{line} ".startswith(f"{column} ") for line in options), column


def test_recover_is_one_program():
    """A package installs build/recover, but the page is made from the --help of scripts/recover."""
    assert len({subprocess.run([TOP / name, "--help"], capture_output=True, check=True).stdout
                for name in ("scripts/recover", "build/recover")}) == 1


def test_a_program_without_help(tmp_path):
    done = subprocess.run([TOP / "scripts/make-man", "/bin/false", "-o", tmp_path], check=False,
                          capture_output=True, text=True)
    assert done.returncode == 4 and "make-man: " in done.stderr and "/bin/false" in done.stderr
