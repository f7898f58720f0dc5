# SPDX-License-Identifier: BSD-2-Clause
"""Write and read a map of the executed lines of C, by unit test and by group of image tests."""
import collections
import hashlib
import json
import pathlib
import shutil
import subprocess

from machine import reached

TOP = pathlib.Path(__file__).resolve().parents[3]
OBJECTS = TOP / "build/coverage/host"
LEDGER = TOP / "build/test/image.ledger"
MAP = TOP / "build/coverage/by_test.json"
LOOKED_AT = ("pmu/", "boot/", "kernels/")


class NoMap(Exception):
    """There is no map, or the map was made from other sources."""


def sources():
    known = hashlib.sha256()
    for folder in LOOKED_AT:
        for path in sorted((TOP / folder).rglob("*")):
            if path.is_file():
                known.update(f"{path.relative_to(TOP)}\0".encode("utf-8") + path.read_bytes())
    return known.hexdigest()


def programs(folder):
    return {path.name: pathlib.Path(f"{path}{OBJECTS}")
            for path in sorted((pathlib.Path(folder).resolve() / "units").iterdir())}


def merge(folder):
    first, *others = programs(folder).values()
    for path in first.rglob("*.gcda"):  # gcov-tool needs each file in both folders
        shutil.copy(path, OBJECTS / path.relative_to(first))
    for counted in others:
        subprocess.run(["gcov-tool", "merge", OBJECTS, counted, "-o", OBJECTS], check=True,
                       capture_output=True)


def of_program(folder):
    counted = sorted(folder.rglob("*.gcda"))
    for path in counted:
        notes = path.with_suffix(".gcno")
        notes.unlink(missing_ok=True)
        notes.symlink_to(OBJECTS / notes.relative_to(folder))
    told = subprocess.run(["gcov", "-j", "-t", *counted], cwd=TOP, capture_output=True, check=True,
                          text=True).stdout
    found = collections.defaultdict(dict)
    for document in map(json.loads, told.splitlines()):
        for file in document["files"]:
            for line in file["lines"] if file["file"].startswith(LOOKED_AT) else ():
                number = line["line_number"]
                found[file["file"]][number] = found[file["file"]].get(number) or line["count"] > 0
    return found


def only_reached(lines):
    return {file: sorted(number for number, was in of_file.items() if was)
            for file, of_file in lines.items()
            if file.startswith(LOOKED_AT) and any(of_file.values())}


def of_image(by_test, places):
    """Yield (group, {passed tests, their cost, lines of C and console words of the group's boot}).
    """
    groups = collections.defaultdict(list)
    for test in map(json.loads, LEDGER.read_text("utf-8").splitlines()):
        if test and "group" in test and test["outcome"] == "passed":
            groups[test["group"]].append(test)
    for name, tests in groups.items():
        if name in by_test:
            marks, words = by_test[name]
            lines = {file: known for file, (_, known) in reached.sources(marks, places).items()}
            # pytest-xdist appends the group to the test's name
            yield name, {"tests": [test["test"].removesuffix(f"@{name}") for test in tests],
                         "cpu_s": sum(test["cpu_s"] for test in tests),
                         "wall_s": sum(test["wall_s"] for test in tests),
                         "lines": only_reached(lines), "words": sorted(words)}


def write(folder, by_test, places):
    units = {name: of_program(counted) for name, counted in programs(folder).items()}
    lines = {file: set(known) for file, (_, known) in
             reached.sources(reached.together(by_test), places).items()
             if file.startswith(LOOKED_AT)}
    for program in units.values():
        for file, known in program.items():
            lines.setdefault(file, set()).update(known)
    MAP.write_text(json.dumps({
        "sources": sources(),
        "lines": {file: sorted(numbers) for file, numbers in sorted(lines.items())},
        "units": {name: only_reached(lines) for name, lines in units.items()},
        "image": dict(of_image(by_test, places))}), "utf-8")


def read():
    try:
        known = json.loads(MAP.read_text("utf-8"))
    except OSError:
        raise NoMap(f"{MAP.relative_to(TOP)} is missing: run `make coverage`") from None
    if known["sources"] != sources():
        raise NoMap(f"{MAP.relative_to(TOP)} was made from other sources: run `make coverage`")
    return known


def holds():
    try:
        return bool(read())
    except NoMap:
        return False
