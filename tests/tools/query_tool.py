# SPDX-License-Identifier: BSD-2-Clause
"""Run scripts/query in this process, which is faster than starting a process for each call."""
import contextlib
import io
import json
import sys

import script

SCRIPTS_MAIN = script.load("query").main


class Said:
    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err


def run(*arguments):
    out, err = io.StringIO(), io.StringIO()
    before, sys.argv = sys.argv, ["query", *map(str, arguments)]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                status = SCRIPTS_MAIN()
            except SystemExit as end:
                status = end.code
    finally:
        sys.argv = before
    return Said(status, out.getvalue(), err.getvalue())


def take(db, *arguments):
    """Run an import that must succeed; returns its last line."""
    said = run(db, "import", *arguments)
    assert said.status == 0, said.err
    return said.out.splitlines()[-1]


def ask(db, sql):
    said = run(db, sql, "--json")
    assert said.status == 0, said.err
    return json.loads(said.out)


def rows(db, sql):
    return [tuple(row.values()) for row in ask(db, sql)]


def value(db, sql):
    row, = ask(db, sql)
    one, = row.values()
    return one
