# SPDX-License-Identifier: BSD-2-Clause
"""Measure whether the time of an import by scripts/query is linear in the number of folders.

The shortest CPU time of several imports is used, because other processes only add time.
"""
import json
import pathlib
import resource
import subprocess
import time

FOLDERS = (40, 80, 160)
REPEATED = 5
OFF_LINE_MAX = 10  # per cent; times scatter more than counts of instructions
QUERY = pathlib.Path(__file__).resolve().parents[2] / "query"


def put_fleet(top, folder, number):
    """Make `number` copies of a folder of results, with different run numbers in run.json."""
    run = json.loads((folder / "run.json").read_text("ascii"))
    for at in range(number):
        copy = top / f"{at:04}"
        copy.mkdir(parents=True)
        (copy / "results.csv").hardlink_to(folder / "results.csv")
        (copy / "run.json").write_text(json.dumps({**run, "number": at}), "ascii")


def _import(database, folders):
    """Return (CPU seconds, wall-clock seconds)."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run([QUERY, database, "import", *folders], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
            time.monotonic() - started)


def seconds(top, fleet):
    """Return {number of folders: (CPU seconds, wall-clock seconds)}."""
    folders, database = sorted(fleet.iterdir()), top / "bench.sqlite"
    taken = {number: [] for number in FOLDERS}
    for number in FOLDERS * REPEATED:
        taken[number].append(_import(database, folders[:number]))
        database.unlink()
    return {number: (min(cpu_s for cpu_s, _ in times), min(clock_s for _, clock_s in times))
            for number, times in taken.items()}
