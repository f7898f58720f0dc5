# SPDX-License-Identifier: BSD-2-Clause
"""For each run of the current program, check run.json by the schema, and check the summaries."""
import functools
import json
import pathlib

import jsonschema

import results
import summaries

SCHEMA = pathlib.Path(__file__).resolve().parents[1] / "scripts/lib/run.schema.json"
WHOLE = b"\n}\n"  # the last bytes of a complete file; the next boot checks them too
SHOWN_MAX, CHARACTERS_MAX = 5, 300


@functools.cache
def validator():
    return jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text("ascii")))


@functools.lru_cache(maxsize=16)  # tests read a run several times
def misfits(text):
    try:
        run = json.loads(text)
    except ValueError as why:
        return [f"$: no JSON: {why}"]
    return [f"{error.json_path}: {error.message[:CHARACTERS_MAX]}"
            for error in validator().iter_errors(run)]


def hold(text, where):
    if text.endswith(WHOLE) and (wrong := misfits(text)):
        raise AssertionError("\n".join([
            f"{where} is not as {SCHEMA.name} says:", *wrong[:SHOWN_MAX]]))


def hold_below(folder):
    """Check each run.json in a folder and its subfolders, and the summaries of its run."""
    for path in sorted(pathlib.Path(folder).rglob("run.json")):
        hold(path.read_bytes(), path)
        if path.read_bytes().endswith(WHOLE):
            summaries.hold(path.parent)


def read(folder):
    hold_below(folder)
    return results.Results(folder)
