# SPDX-License-Identifier: BSD-2-Clause
"""Create and open the SQLite file of scripts/query, and read the descriptions of its tables.

SQLite stores a statement with its comments, which contain the descriptions.
"""
import pathlib
import re
import sqlite3

HERE = pathlib.Path(__file__).resolve().parent
APPLICATION = 0x62636E74  # "bcnt" marks the program's own files
SCHEMA = 10
BUSY_S = 60
NAME = re.compile(r"CREATE (?:TABLE|VIEW) (\w+)")


class NotOurs(Exception):
    """The file is missing or empty, or not a database of this program with this schema."""


def _statements(file):
    statement = ""
    for line in (HERE / file).read_text("utf-8").splitlines(keepends=True):
        if not statement and (line.startswith("--") or not line.strip()):
            continue
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement.strip().removesuffix(";")
            statement = ""


def _check(base, path):
    """True for a database of this program, false for an empty file; else raises NotOurs."""
    try:
        application, = base.execute("PRAGMA application_id").fetchone()
        schema, = base.execute("PRAGMA user_version").fetchone()
        empty = not base.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    except sqlite3.DatabaseError as why:
        if isinstance(why, sqlite3.OperationalError):
            raise
        raise NotOurs(f"{path}: not an SQLite file: {why}") from None
    if empty and not application:
        return False
    if application != APPLICATION:
        raise NotOurs(f"{path}: a database of another program; specify a new file")
    if schema > SCHEMA:
        raise NotOurs(f"{path}: from a newer barecount: its schema is {schema}, not {SCHEMA}; use "
                      "that version, or import the folders into a new file")
    if schema < SCHEMA:
        raise NotOurs(f"{path}: from an older barecount: its schema is {schema}, not {SCHEMA}; "
                      "import the folders into a new file")
    return True


def _renew_views(base):
    had = dict(base.execute("SELECT name, sql FROM sqlite_master WHERE type = 'view'"))
    for statement in _statements("views.sql"):
        name = NAME.match(statement)[1]
        if had.get(name) != statement:
            base.execute(f"DROP VIEW IF EXISTS {name}")
            base.execute(statement)


def open_to_import(path):
    """Open or create the database; the caller begins and ends transactions."""
    base = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None)
    try:
        ours = _check(base, path)
        base.execute("PRAGMA foreign_keys = ON")
        # A commit does not wait for the disk, so a power cut may lose the last commits.
        base.execute("PRAGMA journal_mode = WAL")
        base.execute("PRAGMA synchronous = NORMAL")
        base.execute("BEGIN IMMEDIATE")
        if not ours and not _check(base, path):
            for statement in _statements("tables.sql"):
                base.execute(statement)
            base.execute(f"PRAGMA application_id = {APPLICATION}")
            base.execute(f"PRAGMA user_version = {SCHEMA}")
        _renew_views(base)
        base.execute("COMMIT")
    except BaseException:
        base.close()
        raise
    return base


def close(base):
    """Close the database and leave a single file, which can be read from a read-only medium."""
    try:
        base.execute("PRAGMA journal_mode = DELETE")
    except sqlite3.OperationalError:
        pass  # another process has the database open, and will do this when it closes the database
    base.close()


def open_to_read(path):
    if not pathlib.Path(path).is_file():
        raise NotOurs(f"{path}: no such file; `scripts/query {path} import FOLDER` makes it")
    base = sqlite3.connect(f"{pathlib.Path(path).resolve().as_uri()}?mode=ro", timeout=BUSY_S,
                           uri=True)
    try:
        if not _check(base, path):
            raise NotOurs(f"{path}: empty; `scripts/query {path} import FOLDER` fills it")
    except BaseException:
        base.close()
        raise
    return base


def names(base):
    return dict(base.execute("SELECT name, sql FROM sqlite_master WHERE type IN ('table', 'view') "
                             "AND name NOT LIKE 'sqlite_%' ORDER BY type, rowid"))


def about(statement):
    """The description of a table or view: the comment below the first line of its statement."""
    lines = statement.splitlines()[1:]
    said = []
    while lines and lines[0].startswith("-- "):
        said.append(lines.pop(0)[3:])
    return " ".join(said)
