# SPDX-License-Identifier: BSD-2-Clause
"""Parse the --help output of a program, for manual pages and completion.

The output has the form of argparse's: usage, description, a section of arguments and a section of
options. One paragraph of the output begins with "Exit status".
"""
import os
import pathlib
import re
import subprocess

PREFIX = "barecount-"  # prefix of a program's name in a package


def of(program):
    """The paragraphs of a program's --help output, without line breaks for a narrow terminal."""
    done = subprocess.run([os.path.abspath(program), "--help"], capture_output=True, check=True,
                          text=True, env={**os.environ, "COLUMNS": "10000"})
    return done.stdout.strip("\n").split("\n\n")


def installed(program):
    """The name that a program and its manual page have in a package."""
    return PREFIX + pathlib.Path(program).name.removeprefix(PREFIX)


def usage(paragraphs):
    """The ways to call a program, as a list, without the program's name."""
    lines = re.sub(r"\n {8,}", " ", paragraphs[0].removeprefix("usage:")).splitlines()
    return [line.split(maxsplit=1)[1] if " " in line.strip() else "" for line in lines]


def section(paragraphs, title):
    """The entries of a section: pairs of the first column and its explanation."""
    text = next((text for text in paragraphs if text.startswith(f"{title}:\n")), "")
    return re.findall(r"^  (\S.*?)(?:  +|\n {3,}|$)(.*(?:\n {3,}.*)*)", text, re.M)
