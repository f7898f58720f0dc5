# SPDX-License-Identifier: BSD-2-Clause
"""Merge imported events into the existing tables, CPU by CPU.

A CPU gets the imported rows, and the existing rows whose names were not imported.
"""
import pathlib

from events import cpu_sets
from events import table


class Base:
    def __init__(self, folder):
        self.folder = folder
        index = folder / "index.csv"
        self.lines = cpu_sets.read_index(index) if index.exists() else []
        self.tables = {file: table.read(folder / file) for file, _ in self.lines}
        self._file_of = {}
        for file, cpus in self.lines:
            for cell in cpus.cells():
                self._file_of.setdefault(cell, file)

    def file_of(self, cell):
        """Prefer the table for a CPU's core type to the table for any core type."""
        return self._file_of.get(cell) or self._file_of.get(cell[:4] + ("",))

    def rows_of(self, file):
        return self.tables[file][1] if file else []

    def lines_beside(self, taken):
        for file, cpus in self.lines:
            left = {cell for cell in cpus.cells() if not cpu_sets.covers(taken, cell)}
            same = len(left) == len(cpus.cells())
            for rest in [cpus] if same else cpu_sets.of_cells(left):
                yield file, rest


class Merge:
    """Call add() in the order of the mapfile, then call write()."""

    def __init__(self, base):
        self.base = base
        self.taken = set()  # CPUs that an imported table covers
        self.tables = {}  # (stem, existing file) -> CPUs that get the rows of both
        self.sources = {}  # stem -> the source named in line 1
        self.rows = {}  # stem -> rows
        self.differences = []  # (stem, existing row, imported row)

    def add(self, stem, source, cpus):
        """Assign to the table `stem` the CPUs of `cpus` that no earlier imported table covers.
        Return false if there are no such CPUs.
        """
        free = {cell for cell in cpus.cells() if not cpu_sets.covers(self.taken, cell)}
        for cell in sorted(free):
            self.tables.setdefault((stem, self.base.file_of(cell)), set()).add(cell)
        self.taken |= free
        if free:
            self.sources.setdefault(stem, source)
        return bool(free)

    def _names(self):
        """Return {(stem, existing file): new file}."""
        names, used = {}, set()
        for key, cells in sorted(self.tables.items(), key=lambda item: -len(item[1])):
            stem, file = key
            names[key] = stem if stem not in used else f"{stem}-{pathlib.Path(file or 'new').stem}"
            used.add(stem)
        return {key: name + ".csv" for key, name in names.items()}

    def _merged(self, stem, file):
        rows = {row.name: row for row in self.base.rows_of(file)}
        by_libpfm4 = file and self.base.tables[file][0].startswith("libpfm4")
        for row in self.rows[stem]:
            old = rows.get(row.name)
            differs = old and old.encoding() != row.encoding()
            if differs:
                self.differences.append((stem, old, row))
            if old and (differs and by_libpfm4 or "o" in old.flags):
                row = row._replace(flags=table.with_flag(row.flags, "o"))
            rows[row.name] = row
        return rows.values()

    def write(self, describe=True):
        lines, names = [], self._names()
        self.differences.clear()
        for (stem, file), cells in self.tables.items():
            sources = [self.sources[stem]]
            if file:
                sources += self.base.tables[file][0].split(" and ")
            source = " and ".join(dict.fromkeys(sources))
            name = names[stem, file]
            rows = self._merged(stem, file)
            if not describe:
                rows = [row._replace(description="") for row in rows]
            table.write(self.base.folder / name, source, rows)
            lines += [(name, cpus) for cpus in cpu_sets.of_cells(cells)]
        lines += self.base.lines_beside(self.taken)
        cpu_sets.write_index(self.base.folder / "index.csv", lines)
        for file in set(self.base.tables) - {file for file, _ in lines}:
            (self.base.folder / file).unlink()
        self.differences = list(dict.fromkeys(self.differences))
        with (self.base.folder / "differs.txt").open("w", encoding="ascii") as file:
            for name, old, new in self.differences:
                file.write(f"{name}: {','.join(table.fields(new)[:7])} replaces "
                           f"{','.join(table.fields(old)[:7])}\n")
