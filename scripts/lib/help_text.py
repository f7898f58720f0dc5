# SPDX-License-Identifier: BSD-2-Clause
"""The --help of a program, as manual pages and completion read it.

It has the shape that argparse gives it: usage, the description, a section of arguments and one of
options, with a paragraph that begins with "Exit status" among them.
"""
import os
import pathlib
import re
import subprocess

PREFIX = "barecount-"  # of a program's name where a package has installed it


def of(program):
    """What --help prints when lines may be as long as they like, in paragraphs."""
    done = subprocess.run([os.path.abspath(program), "--help"], capture_output=True, check=True,
                          text=True, env={**os.environ, "COLUMNS": "10000"})
    return done.stdout.strip("\n").split("\n\n")


def installed(program):
    """The name of a program in a package, and of its manual page."""
    return PREFIX + pathlib.Path(program).name.removeprefix(PREFIX)


def usage(paragraphs):
    """The ways to call a program, each in a line without the program's name."""
    lines = re.sub(r"\n {8,}", " ", paragraphs[0].removeprefix("usage:")).splitlines()
    return [line.split(maxsplit=1)[1] if " " in line.strip() else "" for line in lines]


def section(paragraphs, title):
    """What a section lists: pairs of the first column and its explanation."""
    text = next((text for text in paragraphs if text.startswith(f"{title}:\n")), "")
    return re.findall(r"^  (\S.*?)(?:  +|\n {3,}|$)(.*(?:\n {3,}.*)*)", text, re.M)
