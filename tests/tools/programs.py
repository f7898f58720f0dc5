# SPDX-License-Identifier: BSD-2-Clause
"""The programs with a manual page and completion, and the options in their --help."""
import functools
import os
import re
import subprocess

import kept
from conftest import TOP

PROGRAMS = [name for name in kept.tree()
            if re.fullmatch("scripts/[^/]+", name) and os.access(TOP / name, os.X_OK)]
PROGRAMS.append("build/barecount-linux")


@functools.cache
def listed(name):
    """The first column of the options in --help, such as `-o FILE, --out FILE`."""
    text = subprocess.run([TOP / name, "--help"], capture_output=True, check=True, text=True,
                          env={**os.environ, "COLUMNS": "1000"}).stdout
    options = text.partition("\noptions:\n")[2].partition("\n\n")[0]
    found = [line.strip().split("  ")[0] for line in options.splitlines()
             if line.startswith("  -")]
    assert found
    return found
