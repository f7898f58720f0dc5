# SPDX-License-Identifier: BSD-2-Clause
"""Every run.json that a test gets from today's program is held against its schema, and the run's
summaries are looked at."""
import functools
import json
import pathlib

import jsonschema

import results
import summaries

SCHEMA = pathlib.Path(__file__).resolve().parents[1] / "scripts/lib/run.schema.json"
WHOLE = b"\n}\n"  # the end of one that was written to its end: the next boot looks for it, too
SHOWN_MAX, CHARACTERS_MAX = 5, 300


@functools.cache
def validator():
    return jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text("ascii")))


@functools.lru_cache(maxsize=16)  # tests look at a run several times
def misfits(text):
    """What is not as the schema says, each with its place."""
    try:
        run = json.loads(text)
    except ValueError as why:
        return [f"$: no JSON: {why}"]
    return [f"{error.json_path}: {error.message[:CHARACTERS_MAX]}"
            for error in validator().iter_errors(run)]


def hold(text, where):
    """Fails when a run.json of bytes is not as the schema says, unless it has no end."""
    if text.endswith(WHOLE) and (wrong := misfits(text)):
        raise AssertionError("\n".join([
            f"{where} is not as {SCHEMA.name} says:", *wrong[:SHOWN_MAX]]))


def hold_below(folder):
    """The same of each run.json in a folder, and in those in it; and summaries.hold()."""
    for path in sorted(pathlib.Path(folder).rglob("run.json")):
        hold(path.read_bytes(), path)
        if path.read_bytes().endswith(WHOLE):
            summaries.hold(path.parent)


def read(folder):
    """The results of a run, once its run.json is as it should be."""
    hold_below(folder)
    return results.Results(folder)
