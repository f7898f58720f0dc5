# SPDX-License-Identifier: BSD-2-Clause
"""Convert mapfile patterns and lines of index.csv to sets of CPUs, and sets to lines of index.csv.

A mapfile contains perf's VENDOR-FAMILY-MODEL[-STEPPING], with POSIX extended regular expressions.
The family is decimal; the model and the stepping are upper-case hexadecimal. index.csv lists all
matching numbers.
"""
import re
from typing import NamedTuple

MAGIC = "barecount-index,1"
HEADER = "# file,vendor,family,models,steppings,core_type"
FAMILIES, MODELS, STEPPINGS = 256, 256, 16
ALL_MODELS, ALL_STEPPINGS = frozenset(range(MODELS)), frozenset(range(STEPPINGS))
VENDORS = ("GenuineIntel", "AuthenticAMD")
CORE_TYPE = re.compile("|(?:core|atom)(?::[0-9a-f]{1,4})?")  # with a native model ID, if any
TOKEN = re.compile(r"\[\[:xdigit:\]\]|\[\^?[0-9A-Fa-f-]+\]|\(|\)|\||[0-9A-Fa-f]|\+|\*|\?|\.")


class PatternError(Exception):
    """A mapfile pattern or a line of index.csv is invalid."""


class Cpus(NamedTuple):
    vendor: str
    family: int
    models: frozenset = ALL_MODELS
    steppings: frozenset = ALL_STEPPINGS
    core_type: str = ""

    def cells(self):
        return {(self.vendor, self.family, model, stepping, self.core_type)
                for model in self.models for stepping in self.steppings}


def split_pattern(pattern):
    parts, depth = [""], 0
    for char in pattern:
        depth += (char in "[(") - (char in "])")
        if char == "-" and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    return parts


def matching(pattern, count, text_of):
    """Return the numbers below `count` whose text_of() matches the pattern."""
    if not pattern or TOKEN.sub("", pattern):
        raise PatternError(f"'{pattern}': expected a number in hexadecimal, [...], (...|...), +, *")
    try:
        expression = re.compile(pattern.replace("[[:xdigit:]]", "[0-9A-Fa-f]"))
    except re.error as error:
        raise PatternError(f"'{pattern}': {error}") from None
    found = frozenset(number for number in range(count) if expression.fullmatch(text_of(number)))
    if not found:
        raise PatternError(f"'{pattern}' matches no CPU")
    return found


def of_pattern(pattern, core_type=""):
    """Return the Cpus that a mapfile's pattern matches, or raise PatternError."""
    vendor, *parts = split_pattern(pattern.strip())
    if vendor not in VENDORS:
        raise PatternError(f"'{vendor}': expected {' or '.join(VENDORS)}")
    if len(parts) not in (2, 3):
        raise PatternError(f"'{pattern}': expected VENDOR-FAMILY-MODEL[-STEPPING]")
    families = matching(parts[0], FAMILIES, str)
    if len(families) != 1:
        raise PatternError(f"'{parts[0]}': expected one family")
    steppings = matching(parts[2], STEPPINGS, "{:X}".format) if len(parts) == 3 else ALL_STEPPINGS
    return Cpus(vendor, min(families), matching(parts[1], MODELS, "{:X}".format), steppings,
                core_type)


def format_set(numbers, everything):
    """Return hexadecimal numbers and ranges, such as `0-4 9 b`, or "" for all numbers."""
    if numbers == everything:
        return ""
    words, left = [], sorted(numbers)
    while left:
        end = 1
        while end < len(left) and left[end] == left[0] + end:
            end += 1
        words += [f"{left[0]:x}-{left[end - 1]:x}"] if end > 2 else [f"{n:x}" for n in left[:end]]
        left = left[end:]
    return " ".join(words)


def parse_set(text, everything):
    numbers = set()
    for word in text.split():
        ends = word.split("-")
        try:
            first, last = int(ends[0], 16), int(ends[-1], 16)
        except ValueError:
            raise PatternError(f"'{word}': expected a hexadecimal number or a range") from None
        if len(ends) > 2 or first > last or last > max(everything):
            raise PatternError(f"'{word}': expected a range within 0-{max(everything):x}")
        numbers.update(range(first, last + 1))
    return frozenset(numbers) if numbers else everything


def parse_line(texts):
    """Return (file, Cpus), or raise PatternError."""
    if len(texts) != 6:
        raise PatternError(f"{len(texts)} fields, expected 6")
    file, vendor, family, models, steppings, core_type = (text.strip() for text in texts)
    if vendor not in VENDORS or not CORE_TYPE.fullmatch(core_type) or \
            not re.fullmatch("[0-9a-fA-F]{1,2}", family):
        raise PatternError(f"'{','.join(texts)}': unknown vendor, family or core type")
    return file, Cpus(vendor, int(family, 16), parse_set(models, ALL_MODELS),
                      parse_set(steppings, ALL_STEPPINGS), core_type)


def read_index(path):
    """Return [(file, Cpus)], or raise PatternError with the line's number."""
    lines = path.read_text("ascii").splitlines()
    if not lines or lines[0] != MAGIC:
        raise PatternError(f"{path}:1: expected {MAGIC}")
    found = []
    for number, line in enumerate(lines[1:], 2):
        if line and not line.startswith("#"):
            try:
                found.append(parse_line(line.split(",")))
            except PatternError as error:
                raise PatternError(f"{path}:{number}: {error}") from None
    return found


def write_index(path, lines):
    texts = [MAGIC, HEADER]
    for file, cpus in lines:
        texts.append(",".join((file, cpus.vendor, f"{cpus.family:x}",
                               format_set(cpus.models, ALL_MODELS),
                               format_set(cpus.steppings, ALL_STEPPINGS), cpus.core_type)))
    path.write_text("\n".join(texts) + "\n", "ascii")


def of_cells(cells):
    """Return [Cpus], in which models with the same steppings share an element."""
    steppings_of = {}
    for vendor, family, model, stepping, core_type in cells:
        steppings_of.setdefault((vendor, family, core_type, model), set()).add(stepping)
    models_of = {}
    for (vendor, family, core_type, model), steppings in steppings_of.items():
        key = (vendor, family, core_type, frozenset(steppings))
        models_of.setdefault(key, set()).add(model)
    return [Cpus(vendor, family, frozenset(models), steppings, core_type)
            for (vendor, family, core_type, steppings), models in
            sorted(models_of.items(), key=lambda item: (item[0][:3], sorted(item[0][3])))]


def covers(cells, cell):
    """Whether `cells` contains `cell`, or `cell` without its native model ID or core type."""
    return any(cell[:4] + (core_type,) in cells for core_type in
               {cell[4], cell[4].split(":")[0], ""})
