# SPDX-License-Identifier: BSD-2-Clause
"""Patterns of mapfiles, columns of index.csv, and sets of CPUs."""
import pytest
from events import cpu_sets
from events.cpu_sets import ALL_MODELS, ALL_STEPPINGS, Cpus

# Families in patterns are decimal, as in perf's mapfiles: 23 is 17h, and 18 is 12h.
PATTERNS = [
    ("GenuineIntel-6-2E", 6, {0x2E}, ALL_STEPPINGS),
    ("GenuineIntel-6-55-[01234]", 6, {0x55}, {0, 1, 2, 3, 4}),
    ("GenuineIntel-6-55-[5-9A-F]", 6, {0x55}, set(range(5, 16))),
    ("GenuineIntel-6-55-[56789ABCDEF]", 6, {0x55}, set(range(5, 16))),
    ("GenuineIntel-6-(4E|5E|8E|9E|A5|A6)", 6, {0x4E, 0x5E, 0x8E, 0x9E, 0xA5, 0xA6}, ALL_STEPPINGS),
    ("GenuineIntel-6-9[6C]", 6, {0x96, 0x9C}, ALL_STEPPINGS),
    ("GenuineIntel-6-8[CD]", 6, {0x8C, 0x8D}, ALL_STEPPINGS),
    ("GenuineIntel-6-B[^0-9A-E]", 6, {0xBF}, ALL_STEPPINGS),
    ("GenuineIntel-18-1", 0x12, {1}, ALL_STEPPINGS),
    # The first alternative means models 10h to 2Fh, and the second one models 0h to Fh.
    ("AuthenticAMD-23-([12][0-9A-F]|[0-9A-F])", 0x17, set(range(0x30)), ALL_STEPPINGS),
    ("AuthenticAMD-23-[[:xdigit:]]+", 0x17, ALL_MODELS, ALL_STEPPINGS),
    ("AuthenticAMD-25-.*", 0x19, ALL_MODELS, ALL_STEPPINGS),
]


@pytest.mark.parametrize("pattern, family, models, steppings", PATTERNS, ids=lambda value: "")
def test_pattern(pattern, family, models, steppings):
    cpus = cpu_sets.of_pattern(pattern)
    assert (cpus.family, cpus.models, cpus.steppings) == (family, models, steppings)


BAD_PATTERNS = [
    ("GenuineIntel-6-(55-[0-4]|6A)", "expected a number in hexadecimal"),  # no cell can express it
    ("GenuineIntel-6-5(", "'5\\('"),
    ("GenuineIntel-6-[9-1]", "'\\[9-1\\]'"),
    ("GenuineIntel-6-55\\d", "expected a number in hexadecimal"),
    ("GenuineIntel-6-1FF", "matches no CPU"),
    ("GenuineIntel-6", "expected VENDOR-FAMILY-MODEL"),
    ("GenuineIntel-6-55-4-1", "expected VENDOR-FAMILY-MODEL"),
    ("GenuineIntel-[67]-55", "expected one family"),
    ("GenuineIntel-6-", "expected a number"),
    ("CentaurHauls-6-1", "expected GenuineIntel or AuthenticAMD"),
    ("", "expected GenuineIntel or AuthenticAMD"),
]


@pytest.mark.parametrize("pattern, reason", BAD_PATTERNS, ids=[row[0] for row in BAD_PATTERNS])
def test_bad_pattern(pattern, reason):
    with pytest.raises(cpu_sets.PatternError, match=reason):
        cpu_sets.of_pattern(pattern)


@pytest.mark.parametrize("numbers, text", [
    ({0, 1, 2, 3, 4}, "0-4"), ({5}, "5"), ({1, 2}, "1 2"), ({0xA, 0xB, 0xC, 0xE}, "a-c e"),
    (set(ALL_STEPPINGS), "")])
def test_columns_there_and_back(numbers, text):
    assert cpu_sets.format_set(frozenset(numbers), ALL_STEPPINGS) == text
    assert cpu_sets.parse_set(text, ALL_STEPPINGS) == numbers


def test_index_there_and_back(tmp_path):
    lines = [("skx.csv", Cpus("GenuineIntel", 6, frozenset({0x55}), frozenset(range(5)))),
             ("adlp.csv", Cpus("GenuineIntel", 6, frozenset({0x97, 0x9A}), core_type="core")),
             ("zen2.csv", Cpus("AuthenticAMD", 0x17))]
    path = tmp_path / "index.csv"
    cpu_sets.write_index(path, lines)
    assert path.read_text() == ("barecount-index,1\n"
                                "# file,vendor,family,models,steppings,core_type\n"
                                "skx.csv,GenuineIntel,6,55,0-4,\n"
                                "adlp.csv,GenuineIntel,6,97 9a,,core\n"
                                "zen2.csv,AuthenticAMD,17,,,\n")
    assert cpu_sets.read_index(path) == lines


@pytest.mark.parametrize("text, reason", [
    ("barecount-index,2\n", ":1: expected barecount-index,1"),
    ("barecount-index,1\na.csv,GenuineIntel,6,55\n", ":2: 4 fields, expected 6"),
    ("barecount-index,1\n#\na.csv,GenuineIntel,6,5z,,\n", ":3: '5z': expected a hexadecimal"),
    ("barecount-index,1\na.csv,GenuineIntel,6,100,,\n", ":2: '100': expected a range within 0-ff"),
    ("barecount-index,1\na.csv,GenuineIntel,6,55,9-4,\n", ":2: '9-4': expected a range within 0-f"),
    ("barecount-index,1\na.csv,GenuineIntel,6,55,,big\n",
     ":2: .*unknown vendor, family or core type"),
])
def test_bad_index(tmp_path, text, reason):
    path = tmp_path / "index.csv"
    path.write_text(text)
    with pytest.raises(cpu_sets.PatternError, match=reason):
        cpu_sets.read_index(path)


def test_cells_make_the_sets_they_came_from():
    skx = Cpus("GenuineIntel", 6, frozenset({0x55}), frozenset(range(5)))
    icx = Cpus("GenuineIntel", 6, frozenset({0x6A, 0x6C}))
    assert set(cpu_sets.of_cells(skx.cells() | icx.cells())) == {skx, icx}
    left = icx.cells() - Cpus("GenuineIntel", 6, frozenset({0x6A})).cells()
    assert cpu_sets.of_cells(left) == [Cpus("GenuineIntel", 6, frozenset({0x6C}))]
