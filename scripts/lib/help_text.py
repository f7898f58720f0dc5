# SPDX-License-Identifier: BSD-2-Clause
"""Parse the --help of a program, for manual pages and completion.

argparse prints it: usage, description, a section of arguments and one of options. One of its
paragraphs begins with "Exit status".
"""
import os
import pathlib
import re
import subprocess

PREFIX = "barecount-"  # prefix of a program's name in a package


def of(program):
    """The paragraphs of --help, with lines of any length."""
    done = subprocess.run([os.path.abspath(program), "--help"], capture_output=True, check=True,
                          text=True, env={**os.environ, "COLUMNS": "10000"})
    return done.stdout.strip("\n").split("\n\n")


def installed(program):
    """The name of a program, and of its manual page, in a package."""
    return PREFIX + pathlib.Path(program).name.removeprefix(PREFIX)


def usage(paragraphs):
    """The ways to call a program, one per line, without the program's name."""
    lines = re.sub(r"\n {8,}", " ", paragraphs[0].removeprefix("usage:")).splitlines()
    return [line.split(maxsplit=1)[1] if " " in line.strip() else "" for line in lines]


def section(paragraphs, title):
    """The entries of a section: pairs of the first column and its explanation."""
    text = next((text for text in paragraphs if text.startswith(f"{title}:\n")), "")
    return re.findall(r"^  (\S.*?)(?:  +|\n {3,}|$)(.*(?:\n {3,}.*)*)", text, re.M)
