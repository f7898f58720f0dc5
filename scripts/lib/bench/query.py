# SPDX-License-Identifier: BSD-2-Clause
"""How long scripts/query takes for a folder of results, and whether that grows with their number.

What is compared is the time on a CPU, not that of the clock, in which others run as well. All
sizes are taken in turn, several times, so that a busy minute meets each of them; of each the least
counts, as what disturbs only adds.
"""
import json
import pathlib
import resource
import subprocess
import time

FOLDERS = (40, 80, 160)
REPEATED = 5
OFF_LINE_MAX = 10  # per cent; what is timed is less even than what is counted
QUERY = pathlib.Path(__file__).resolve().parents[2] / "query"


def put_fleet(top, folder, number):
    """So many folders beside each other, alike but for the number in their run.json."""
    run = json.loads((folder / "run.json").read_text("ascii"))
    for at in range(number):
        copy = top / f"{at:04}"
        copy.mkdir(parents=True)
        (copy / "results.csv").hardlink_to(folder / "results.csv")
        (copy / "run.json").write_text(json.dumps({**run, "number": at}), "ascii")


def _import(database, folders):
    """Seconds on a CPU and by the clock of one import."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run([QUERY, database, "import", *folders], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
            time.monotonic() - started)


def seconds(top, fleet):
    """{folders: (seconds on a CPU, by the clock)} of imports into new databases."""
    folders, database = sorted(fleet.iterdir()), top / "bench.sqlite"
    taken = {number: [] for number in FOLDERS}
    for number in FOLDERS * REPEATED:
        taken[number].append(_import(database, folders[:number]))
        database.unlink()
    return {number: (min(cpu_s for cpu_s, _ in times), min(clock_s for _, clock_s in times))
            for number, times in taken.items()}
