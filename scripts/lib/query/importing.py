# SPDX-License-Identifier: BSD-2-Clause
"""Import a folder of results into the database of scripts/query, in one transaction."""
import dataclasses
import hashlib
import json
import re
import sqlite3

from query import folder as query_folder
import results

IMPORTED, REPLACED, THERE, SAMPLED = "imported", "replaced", "there already", "samples added"
FILES = ("run.json", "results.csv", "samples.csv")
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
# Some makers put one of these UUIDs into all of their boards.
UUIDS_OF_NOBODY = {"00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff",
                   "03000200-0400-0500-0006-000700080009"}
# Python and SQLite raise these if a value does not fit its column.
NOT_FITTING = (sqlite3.IntegrityError, sqlite3.InterfaceError, sqlite3.ProgrammingError,
               OverflowError, UnicodeEncodeError)


@dataclasses.dataclass
class Outcome:
    """`what` is IMPORTED, REPLACED, SAMPLED (only its samples were added) or THERE (nothing was
    added)."""

    what: str
    samples_missing: bool = False


@dataclasses.dataclass
class Had:
    """A run that is already in the database. `replaced` is true if the folder differs from the run
    and is at least as complete."""

    run_id: int
    machine_id: int
    same: bool
    replaced: bool


def _told(path, why):
    if why.startswith(str(path)):
        return why
    return f"{path}/{why}" if why.startswith(FILES) else f"{path}: {why}"


def _text(path):
    return str(path).encode("utf-8", "replace").decode()


def _content(folder):
    checksum = hashlib.sha256()
    try:
        for name in ("run.json", "results.csv"):
            checksum.update((folder / name).read_bytes())
    except OSError as why:
        raise results.Unreadable(f"{folder}: {why}") from None
    return checksum.hexdigest()


def _insert(base, table, run_id):
    columns = ", ".join(["run_id", *table.columns])
    marks = ", ".join("?" * (1 + len(table.columns)))
    at = table.first

    def numbered():
        nonlocal at
        for at, record in enumerate(table.records, table.first):
            yield run_id, *record

    try:
        return base.executemany(f"INSERT INTO {table.name} ({columns}) VALUES ({marks})",
                                numbered()).rowcount
    except NOT_FITTING as why:
        raise results.Unreadable(f"{table.place(at)}: {why}") from None


class Import:
    def __init__(self, base, samples=False, machine=None):
        self.base = base
        self.samples = samples
        self.machine = machine

    def take(self, path):
        """Import a folder; on results.Unreadable, nothing is imported."""
        self.base.execute("BEGIN IMMEDIATE")
        try:
            outcome = self._take(path)
            self.base.execute("COMMIT")
            return outcome
        except results.Unreadable as why:
            raise results.Unreadable(_told(path, str(why))) from None
        finally:
            if self.base.in_transaction:
                self.base.execute("ROLLBACK")

    def _take(self, path):
        if not (path / "run.json").exists() or not (path / "results.csv").exists():
            raise results.Unreadable(f"{path}: no run.json or no results.csv: the run was cut off; "
                                     f"`scripts/recover {path}` makes them from its journal.bin")
        content = _content(path)
        if not self.samples and not self.machine and self.base.execute(
                "SELECT 1 FROM runs WHERE content = ?", (content,)).fetchone():
            return Outcome(THERE)
        found = results.Results(path)
        folder = query_folder.Folder(found)
        run = {**folder.run_columns, "content": content, "folder": _text(path.resolve()),
               "run_json": json.dumps(found.run, separators=(",", ":"))}
        journal = results.journal_id(path)
        uuid = str(query_folder.pick(found.run, "machine.uuid") or "").lower()
        run["identity"] = "|".join(str(part) for part in (
            run["source"], uuid, run["number"], run["started"], journal)) \
            if run["started"] or journal else f"content|{run['content']}"
        had = self._had(run, journal, path)
        machine = query_folder.pick(found.run, "machine")
        if had and not had.replaced:
            if self.machine:
                self.base.execute("UPDATE runs SET machine_id = ? WHERE run_id = ?",
                                  (self._machine_of(machine, uuid, folder.brand), had.run_id))
            return self._add_samples(had.run_id, path, folder) if had.same else Outcome(THERE)
        if had:
            self.base.execute("DELETE FROM runs WHERE run_id = ?", (had.run_id,))
        run["machine_id"] = had.machine_id if had and not self.machine else \
            self._machine_of(machine, uuid, folder.brand)
        return self._put(run, path, folder, REPLACED if had else IMPORTED)

    def _had(self, run, journal, path):
        try:
            row = self.base.execute(
                "SELECT run_id, machine_id, content, complete, folder "
                "FROM runs WHERE content = ? OR identity = ? ORDER BY content <> ?",
                (run["content"], run["identity"], run["content"])).fetchone()
        except NOT_FITTING as why:
            raise results.Unreadable(f"{path}/run.json: {why}") from None
        if not row:
            return None
        run_id, machine_id, content, complete, folder = row
        same = content == run["content"]
        if not same and complete == run["complete"] and not journal:
            raise results.Unreadable(f"{path}: another run with this machine, number and time "
                                     f"was imported from {folder}; without journal.bin the "
                                     "runs cannot be told apart")
        return Had(run_id, machine_id, same, not same and complete <= run["complete"])

    def _put(self, run, path, folder, what):
        try:
            run_id = self.base.execute(
                f"INSERT INTO runs ({', '.join(run)}) VALUES ({', '.join('?' * len(run))})",
                list(run.values())).lastrowid
        except NOT_FITTING as why:
            raise results.Unreadable(f"{path}/run.json: {why}") from None
        for table in folder.tables():
            _insert(self.base, table, run_id)
        return Outcome(what, not self._put_samples(run_id, path, folder))

    def _put_samples(self, run_id, path, folder):
        """Return False if the user wants the samples and they are missing."""
        if not self.samples:
            return True
        if not (path / "samples.csv").exists():
            return False
        lines = _insert(self.base, folder.samples(), run_id)
        self.base.execute("UPDATE runs SET sample_lines = ? WHERE run_id = ?",
                          (max(lines, 0), run_id))
        return True

    def _add_samples(self, run_id, path, folder):
        had = self.base.execute("SELECT sample_lines FROM runs WHERE run_id = ?",
                                (run_id,)).fetchone()[0]
        if not self.samples or had is not None:
            return Outcome(THERE)
        there = self._put_samples(run_id, path, folder)
        return Outcome(SAMPLED if there else THERE, not there)

    def _machine_of(self, machine, uuid, brand):
        """The id of the run's machine. If the database lacks the machine, it is added.

        The machine is found by its UUID, else by the user's name for it, else by its description.
        """
        like = {name: (machine or {}).get(name) for name in ("maker", "product", "cpus_found")}
        like["brand"] = brand
        known = uuid if UUID.fullmatch(uuid) and uuid not in UUIDS_OF_NOBODY else None
        by_uuid = known and self._machine("uuid = ?", known)
        by_name = self.machine and self._machine("name = ?", self.machine)
        if by_name and known and by_name[1] not in (None, known):
            raise results.Unreadable(f"machine '{self.machine}' has the UUID {by_name[1]}, but "
                                     f"this folder has {known}; use another name")
        if by_name and by_uuid and by_name != by_uuid:
            raise results.Unreadable(f"in the database, machine '{self.machine}' is not the "
                                     f"machine with the UUID {known}; use another name")
        there = by_uuid or by_name
        if not there and not known and not self.machine:
            there = self._machine_like(like)
        try:
            if there:
                self.base.execute("UPDATE machines SET uuid = coalesce(uuid, ?), "
                                  "name = coalesce(?, name), brand = coalesce(brand, ?) "
                                  "WHERE machine_id = ?", (known, self.machine, brand, there[0]))
                return there[0]
            return self.base.execute(
                "INSERT INTO machines (uuid, name, maker, product, cpus_found, brand) "
                "VALUES (?, ?, ?, ?, ?, ?)", (known, self.machine, *like.values())).lastrowid
        except NOT_FITTING as why:
            raise results.Unreadable(f"run.json: machine: {why}") from None

    def _machine_like(self, like):
        """The machine that has this description, and neither UUID nor name; None if there is none.

        A run that was refused because of strict=yes does not record the brand. Therefore a missing
        brand matches any brand, but only if one machine alone has this maker, product and number of
        CPUs.
        """
        alike = "uuid IS NULL AND name IS NULL AND maker IS ? AND product IS ? AND cpus_found IS ?"
        *but_brand, brand = like.values()
        there = self._machine(f"{alike} AND brand IS ?", *but_brand, brand)
        of_brand = "brand IS NULL" if brand is not None else "TRUE"
        return there or self._machine(
            f"{alike} AND {of_brand} AND (SELECT count(*) FROM machines WHERE {alike}) = 1",
            *but_brand, *but_brand)

    def _machine(self, condition, *values):
        try:
            return self.base.execute(f"SELECT machine_id, uuid FROM machines WHERE {condition}",
                                     values).fetchone()
        except NOT_FITTING as why:
            raise results.Unreadable(f"run.json: machine: {why}") from None
