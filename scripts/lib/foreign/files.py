# SPDX-License-Identifier: BSD-2-Clause
"""Load a folder of results, or a file of another tool, as a Source."""
import pathlib

from compare import source as sources
from foreign import formats
from foreign import likwid
from foreign import nanobench
from foreign import papi
from foreign import perf
import results

# The first parser that recognizes a file parses it, so the most specific format comes first.
PARSERS = {"likwid": likwid, "papi": papi, "perf": perf,
           "nanobench": nanobench}
FORMATS = ("folder", *PARSERS)


def load(path, subject=formats.Subject(), form="", less=""):
    """If `form` is "", the format is found from the content. `less` is a file with counts of a
    program that only starts and ends; these counts are subtracted.
    """
    if form == "folder" or (not form and pathlib.Path(path).is_dir()):
        if less:
            raise results.Unreadable(f"{path}: --less is only for files of other tools")
        return sources.folder(path)
    source = _file(path, subject, form)
    return formats.less(source, _file(less, subject, form)) if less else source


def _file(path, subject, form):
    text = formats.read_text(path)
    form = form or next((name for name, parser in PARSERS.items() if parser.looks_like(text)), "")
    if not form:
        first = next(line for line in text.splitlines() if line.strip())
        raise results.Unreadable(
            f"{path}: line 1: expected output of perf stat -x or -j, likwid-perfctr -O, nanoBench "
            f"or PAPI, found '{first[:60]}'; specify the format with --format")
    return formats.as_source(path, PARSERS[form].parse(path, text, subject.vendor), subject)


def together(loaded):
    """Join sources from files of the same tool for different kernels."""
    first, *others = loaded
    for other in others:
        first.counts += other.counts
        first.notes += [note for note in other.notes if note not in first.notes]
        if first.brand != other.brand or first.signature != other.signature:
            raise results.Unreadable(f"{first.name} and {other.name} are from different CPUs")
    return first
