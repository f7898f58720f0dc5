# SPDX-License-Identifier: BSD-2-Clause
"""Parse the --help output of a program, for manual pages and completion.

The output has argparse's form. One paragraph begins with "Exit status".
"""
import os
import pathlib
import re
import subprocess

PREFIX = "barecount-"  # of a program's name in a package


def of(program):
    """Return the paragraphs of a program's help; COLUMNS prevents line breaks within them."""
    done = subprocess.run([os.path.abspath(program), "--help"], capture_output=True, check=True,
                          text=True, env={**os.environ, "COLUMNS": "10000"})
    return done.stdout.strip("\n").split("\n\n")


def installed(program):
    return PREFIX + pathlib.Path(program).name.removeprefix(PREFIX)


def usage(paragraphs):
    lines = re.sub(r"\n {8,}", " ", paragraphs[0].removeprefix("usage:")).splitlines()
    return [line.split(maxsplit=1)[1] if " " in line.strip() else "" for line in lines]


def section(paragraphs, title):
    text = next((text for text in paragraphs if text.startswith(f"{title}:\n")), "")
    return re.findall(r"^  (\S.*?)(?:  +|\n {3,}|$)(.*(?:\n {3,}.*)*)", text, re.M)
