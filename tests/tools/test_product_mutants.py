# SPDX-License-Identifier: BSD-2-Clause
"""The rules of tests/product_mutants.py, its random draws, and its output for a small tree."""
import json
import os
import pathlib
import re
import subprocess
import sys

import kernel_file
import mutant_copy
import mutant_tests
import mutate
import product_mutants as mutants
import pytest
from levels import in_full
from machine import reached_by
from mutate import IGNORED, OFF, OUT, TURNED

TOP = pathlib.Path(__file__).resolve().parents[2]
C = """/* a < b */
bool f(int a, const char *text)
{
    int sum = 0;

    if (a < 3 && text[0] == '<')
        return false;
    if (!text)
        sum += add(a,
                   "1 < 2; 3");
    for (int i = 0x1f; i >= a; i--)
        sum--;
    return STATUS_TSC;
}
"""
PYTHON = '''"""1 < 2."""
import re


def f(a, b):
    """No change."""
    if not a:
        raise ValueError("1 < 2")
    return sum(
        (a, 10))
'''
ASM = """; 1
KERNEL nops, "2"
DECLARE loads, exact, 0, 1
KNOWN
.again:
    mov rax, 16 ; 17
    jne .again
    ret
DECLARE_LOOP 0, 2
    {PAIR {cmp r10, rbx}, {sbb r10, r10}}, 0, 2
"""


@pytest.mark.parametrize("name, text, line, expected", [
    ("a.c", C, 1, []), ("a.c", C, 2, []), ("a.c", C, 3, []),
    ("a.c", C, 4, [(OFF, "    int sum = 1;")]),
    ("a.c", C, 6, [(TURNED, "    if (a >= 3 && text[0] == '<')"),
                   (TURNED, "    if (a < 3 || text[0] == '<')"),
                   (TURNED, "    if (a < 3 && text[0] != '<')"),
                   (OFF, "    if (a < 4 && text[0] == '<')"),
                   (OFF, "    if (a < 2 && text[0] == '<')"),
                   (OFF, "    if (a < 3 && text[1] == '<')"),
                   (IGNORED, "    if ((a < 3 && text[0] == '<') && 0)")]),
    ("a.c", C, 7, [(OUT, "        { }"), (IGNORED, "        return true;")]),
    ("a.c", C, 8, [(TURNED, "    if (text)")]),
    ("a.c", C, 9, [(OUT, "        { }\n")]), ("a.c", C, 10, []),
    ("a.c", C, 11, [(TURNED, "    for (int i = 0x1f; i < a; i--)"),
                    (OFF, "    for (int i = 0x20; i >= a; i--)"),
                    (OFF, "    for (int i = 0x1e; i >= a; i--)")]),
    ("a.c", C, 12, [(OUT, "        { }")]),
    ("a.c", C, 13, [(OUT, "    { }"), (IGNORED, "    return STATUS_OK;")]),
    ("a.py", PYTHON, 1, []), ("a.py", PYTHON, 2, []), ("a.py", PYTHON, 6, []),
    ("a.py", PYTHON, 7, [(TURNED, "    if a:"), (IGNORED, "    if (not a) and False:")]),
    ("a.py", PYTHON, 8, [(IGNORED, "        pass")]),
    ("a.py", PYTHON, 9, [(OFF, "        (a, 11))"), (OFF, "        (a, 9))"),
                         (OUT, "    pass\n")]),
    ("a.asm", ASM, 1, []), ("a.asm", ASM, 2, []), ("a.asm", ASM, 5, []),
    ("a.asm", ASM, 3, [(OFF, "DECLARE loads, exact, 1, 1"), (OFF, "DECLARE loads, exact, 0, 2"),
                       (OFF, "DECLARE loads, exact, 0, 0")]),
    ("a.asm", ASM, 4, [(OUT, "")]),
    ("a.asm", ASM, 6, [(OFF, "    mov rax, 17 ; 17"), (OFF, "    mov rax, 15 ; 17"), (OUT, "")]),
    ("a.asm", ASM, 7, [(TURNED, "    je .again"), (OUT, "")]), ("a.asm", ASM, 8, [(OUT, "")]),
    ("a.asm", ASM, 10, [(OFF, "    {PAIR {cmp r10, rbx}, {sbb r10, r10}}, 1, 2"),
                        (OFF, "    {PAIR {cmp r10, rbx}, {sbb r10, r10}}, 0, 3"),
                        (OFF, "    {PAIR {cmp r10, rbx}, {sbb r10, r10}}, 0, 1")]),
    ("a.asm", ASM, 9, [(OFF, "DECLARE_LOOP 1, 2"), (OFF, "DECLARE_LOOP 0, 3"),
                       (OFF, "DECLARE_LOOP 0, 1")])])
def test_rules(name, text, line, expected):
    changes = mutate.changes(name, text, line)
    assert {change.of(text).count("\n") for change in changes} <= {text.count("\n")}
    found = [(change.rule, mutants.Mutant(1, name, line, change, 0).lines(text)[2])
             for change in changes]
    assert sorted(found) == sorted(expected)


def test_executable_lines():
    assert mutate.executable("a.py", PYTHON) == [7, 8, 9]
    assert mutate.executable("a.asm", ASM) == [3, 4, 6, 7, 8, 9, 10]


def drawn(seed, count):
    drawing = mutants.Drawing(seed, {"a.c": range(4, 14), "a.asm": [3, 6]},
                              {"a.c": C, "a.asm": ASM}.get)
    return [drawing.next() for _ in range(count)]


def test_a_seed_draws_the_same_each_time():
    assert drawn(7, 12) == drawn(7, 12) != drawn(8, 12)
    assert drawn(7, 5) == drawn(7, 12)[:5]
    assert len({(one.file, one.change) for one in drawn(7, 12)}) == 12


FILES = ["scripts/lib/kernel_file.py", "scripts/lib/machine/reached.py",
         "scripts/lib/machine/reached_by.py",
         *(f"tests/{name}.py" for name in ("kept", "ledger", "mutant_copy",
                                           "mutant_tests", "mutate", "product_mutants",
                                           "running"))]
SOURCE = """int least(int a, int b)
{
    if (a < b)
        return a;
    return b;
}

int nobody_looks(int a)
{
    return a + 5;
}

int same(int a)
{
    return a * 0 + 0 * 7;
}
"""
UNIT = """#include <unistd.h>
int least(int a, int b);
int nobody_looks(int a);
int same(int a);

int main(void)
{
    alarm(60);
    nobody_looks(same(1));
    return least(1, 2) == 1 && least(2, 1) == 1 ? 0 : 1;
}
"""
MAKEFILE = """build/test_a: pmu/a.c tests/unit/test_a.c
\tgcc -Wall -Werror -o $@ $^
build/efi/pmu/a.c.obj: pmu/a.c
\tmkdir -p $(@D)
\tgcc -Wall -Werror -O2 -c -o $@ $<
"""
SCRIPT = """#!/usr/bin/python3
def double(number):
    return number * 2
"""
OF_SCRIPT = """import pathlib
PATH = pathlib.Path(__file__).parents[2] / "scripts/compare"

def test_double():
    found = {}
    exec(PATH.read_text(), found)
    assert found["double"](3) == 6
"""
FAILS = 'PATH = "scripts/compare"\n\ndef test_it():\n    assert False\n'
LINES = [3, 4, 5, 10, 15]


class Tree:
    def __init__(self, folder):
        self.folder = folder
        subprocess.run(["git", "init", "-q", folder], check=True)
        for name in FILES:
            self.path(name).write_bytes((TOP / name).read_bytes())
        for name, text in (
                ("pmu/a.c", SOURCE), ("tests/unit/test_a.c", UNIT), ("Makefile", MAKEFILE),
                ("scripts/compare", SCRIPT), ("tests/tools/test_compare.py", OF_SCRIPT),
                ("tests/tools/test_a_fails.py", FAILS), ("tests/mutants_that_live.txt", ""),
                (".gitignore", "build/\n"), ("build/list", "")):
            self.path(name).write_text(text, "ascii")
        self.map()

    def path(self, name):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def map(self, lines=LINES, units=None):
        digest = subprocess.run(
            [sys.executable, "-c", "from machine import reached_by; print(reached_by.sources())"],
            cwd=self.folder / "scripts/lib", check=True, capture_output=True,
            text=True).stdout.strip()
        self.path("build/coverage/by_test.json").write_text(json.dumps({
            "sources": digest, "lines": {"pmu/a.c": lines}, "image": {},
            "units": {"test_a": {"pmu/a.c": lines}} if units is None else units}), "ascii")

    def run(self, *words, status=0):
        """Returns the program's output, and {number: result} from its file of results."""
        done = subprocess.run(
            [sys.executable, self.folder / "tests/product_mutants.py", "--seed", "4", *words],
            env={name: value for name, value in os.environ.items()
                 if not name.startswith(("BARECOUNT", "MAKE"))},
            capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == status, done.stdout + done.stderr
        known = {}
        for path in self.folder.glob("build/mutants/*.jsonl"):
            known |= {one["number"]: one for one in map(json.loads, path.open())}
        return done.stdout, known

    def fates(self, known):
        return {(one["line"], one["rule"], one["new"].strip()): (one["fate"], one["by"])
                for one in known.values()}


MORE = in_full("more defects in a copy of a small tree")


@pytest.fixture
def tree(tmp_path):
    return Tree(tmp_path)


ALL_C = ("--count", "7", "pmu/")
SEEN = ("seen", "build/test_a fails")


def test_what_tests_see_and_what_lives(tree):
    said, known = tree.run(*ALL_C, status=1)
    fates = tree.fates(known)
    assert fates[3, TURNED, "if (a >= b)"] == fates[3, IGNORED, "if ((a < b) && 0)"] == SEEN
    assert fates[10, OFF, "return a + 6;"] == fates[10, OFF, "return a + 4;"] == \
        ("lived", "1 tests or files passed")
    assert fates[15, OFF, "return a * 1 + 0 * 7;"][0] == "lived"
    same = [fates.get((15, OFF, f"return a * 0 + 0 * {number};")) for number in (6, 8)]
    assert any(same) and set(same) <= {("the same program", "by build/efi/pmu/a.c.obj"), None}
    # Without the second return, the file does not compile.
    assert fates[4, OUT, "{ }"] == SEEN
    fate, why = fates[5, OUT, "{ }"]
    assert fate == "does not compile" and "-Werror=return-type" in why
    assert re.search(r"^pmu/ +3 +7 ", said, re.M)
    assert said.splitlines()[-1] == "3 passed, 4 failed"


@MORE
@pytest.mark.parametrize("above", ["", " {\n", " }\n"])
def test_what_is_explained_passes(tree, above):
    """An explanation names its mutant by the lines that differ, and optionally the line above."""
    tree.path("tests/mutants_that_live.txt").write_text(
        f"# why\n\npmu/a.c\n{above}-return a + 5;\n+return a + 6;\nNobody looks.\n", "ascii")
    said, _ = tree.run(*ALL_C, status=1)
    is_there = "}" not in above
    assert ("explained: Nobody looks." in said) == is_there
    assert ("explains lines that pmu/a.c has 0 times: } return a + 5;" in said) != is_there
    assert said.splitlines()[-1] == ("4 passed, 3 failed" if is_there else "3 passed, 5 failed")


@MORE
def test_it_goes_on_where_it_was_cut_off(tree):
    _, known = tree.run(*ALL_C, status=1)
    path, = tree.folder.glob("build/mutants/*.jsonl")
    lines = path.read_text("ascii").splitlines(keepends=True)
    path.write_text("".join(lines[:3]) + lines[3][:10], "ascii")
    said, again = tree.run(*ALL_C, status=1)
    assert tree.fates(again) == tree.fates(known)
    assert len(re.findall(r"^ +\d+ (?:seen|lived|does|the)", said, re.M)) == len(lines) - 3


@MORE
def test_those_that_lived_once_more(tree):
    tree.run(*ALL_C, status=1)
    tree.path("tests/unit/test_a.c").write_text(
        UNIT.replace("nobody_looks(same(1));", "if (nobody_looks(1) != 6)\n        return 1;"),
        "ascii")
    said, known = tree.run(*ALL_C, "--lived", status=1)
    assert tree.fates(known)[10, OFF, "return a + 6;"] == SEEN
    assert len(re.findall(r"^ +\d+ (?:seen|lived)", said, re.M)) == 4
    tree.path("tests/mutants_that_live.txt").write_text(
        "pmu/a.c\n-return a * 0 + 0 * 7;\n+return a * 1 + 0 * 7;\nNobody looks.\n", "ascii")
    said, again = tree.run(*ALL_C, "--lived", status=1)
    assert tree.fates(again) == tree.fates(known)
    assert len(re.findall(r"^ +\d+ (?:seen|lived)", said, re.M)) == 1


@MORE
def test_nothing_is_seen_by_nobody(tree):
    said, _ = tree.run("--nothing", *ALL_C)
    assert said.splitlines()[-1] == "7 passed, 0 failed"
    tree.map(units={})
    said, _ = tree.run("--nothing", *ALL_C, "--seed", "5", status=1)
    assert said.splitlines()[-1] == "0 passed, 7 failed"


@MORE
def test_fewer_lines_than_are_asked_for(tree):
    said, known = tree.run("--count", "1000", "pmu/", status=1)
    judged = sum(fate in ("seen", "lived") for fate, _ in tree.fates(known).values())
    assert re.search(rf"^in all +\d+ +{judged} ", said, re.M) and judged < 1000


KNOWN = {
    "units": {"test_a": {"pmu/a.c": [1, 2]},
              "test_b": {"pmu/a.c": [2], "pmu/b.c": [1], "kernels/check.c": [5]}},
    "image": {
        name: {"tests": [f"tests/image/{name}.py::test"], "cpu_s": cost, "wall_s": 1,
               "lines": lines, "words": words}
        for name, cost, lines, words in (
            ("dear", 9, {"boot/a.c": [1], "boot/c.c": [1]}, ["nops"]),
            ("cheap", 1, {"boot/a.c": [1, 2], "boot/c.c": [1]}, []),
            ("third", 2, {"boot/b.c": [7], "boot/c.c": [1, 9]}, ["load"]))}}
SPEAK = {"tests/image/dear.py": "timer, memory", "tests/image/cheap.py": "timer",
         "tests/image/third.py": "clock_of()", "boot/a.c": "MEMORY;\n" + "\n" * 20 + "timer",
         "boot/a.asm": "clock, timer, memory", "boot/c.c": "", "pmu/a.c": "\n" * 3,
         "pmu/b.c": "f(1,\n  g(x)\n  ? 2 : 3);\n}", "kernels/a.asm": ""}


@pytest.mark.parametrize("file, line, kernels, expected", [
    ("pmu/a.c", 1, (), ["build/test_a"]),
    ("pmu/a.c", 2, (), ["build/test_a", "build/test_b"]), ("pmu/a.c", 3, (), []),
    ("pmu/b.c", 3, (), ["build/test_b"]), ("pmu/b.c", 4, (), []),
    ("boot/a.c", 1, (), ["dear", "cheap"]), ("boot/a.c", 2, (), ["cheap"]),
    ("boot/a.asm", 1, (), [*mutant_tests.OF_WINDOWS, "third", "cheap", "dear"]),
    ("boot/c.c", 1, (), ["cheap", "third", "dear"]), ("kernels/a.asm", 1, (), []),
    ("kernels/a.asm", 1, {"nops"},
     ["the proofs of nops", *mutant_tests.OF_KERNELS, "build/test_b", "dear"])])
def test_who_may_see_a_line(tmp_path, monkeypatch, file, line, kernels, expected):
    """The image's tests are taken in turn from two rankings: one by words, one by nearby lines."""
    for name, text in SPEAK.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "ascii")
    monkeypatch.setattr(mutant_tests, "TOP", tmp_path)
    tests = mutant_tests.Tests(KNOWN)
    steps = [step for batch in tests.of(file, line, SPEAK[file], kernels) for step in batch]
    names = [word.removeprefix("tests/image/").removesuffix(".py::test")
             for step in steps for word in step.name.split()]
    assert names == " ".join(expected).split()


def test_a_test_that_was_renamed(tmp_path, monkeypatch):
    monkeypatch.setattr(mutant_tests, "TOP", tmp_path)
    with pytest.raises(SystemExit, match="is gone: run `make coverage`"):
        mutant_tests.Tests(KNOWN)


def test_the_others_of_a_step_go_on():
    step = mutant_tests.pytest_step(("a.py", "b.py", "c.py::one"), 1)
    assert step.without(("a.py::two",)).tests == ("b.py", "c.py::one")
    assert step.without(("c.py::one",)).tests == ("a.py", "b.py")
    assert step.without(("d.py::one",)) is None


def test_kernels_that_differ():
    table = (TOP / "build/kernels.bin").read_bytes()
    at, kernel = next((at, kernel) for at, kernel in kernel_file.kernels(table)
                      if kernel.name == "nops")
    last = at + kernel.record_bytes + kernel.code_bytes - 1
    changed = table[:last] + bytes([table[last] ^ 1]) + table[last + 1 :]
    assert mutant_copy.differing(table, table) == set()
    assert mutant_copy.differing(table, changed) == {"nops"}


@MORE
def test_a_test_that_fails_anyway_sees_nothing(tree):
    said, known = tree.run("--count", "2", "scripts/")
    assert "tests/tools/test_a_fails.py::test_it fails without the change, too" in said
    assert {by for fate, by in tree.fates(known).values() if fate == "seen"} == \
        {"tests/tools/test_compare.py::test_double fails"}
    assert said.splitlines()[-1] == "2 passed, 0 failed"


@MORE
def test_what_hangs_is_seen(tree):
    bound = tree.path("tests/mutant_tests.py")
    text, times = re.subn(r"UNIT_S, (.*) = \d+,", r"UNIT_S, \1 = 10,", bound.read_text())
    assert times == 1
    bound.write_text(text)
    tree.path("pmu/a.c").write_text(SOURCE.replace(
        "    return a * 0 + 0 * 7;", "    while (a < 5)\n        a++;\n    return a;"), "ascii")
    tree.map([*LINES, 16])
    _, known = tree.run("--count", "9", "pmu/", status=1)
    assert tree.fates(known)[16, OUT, "{ }"] == ("seen", "build/test_a hangs")


@MORE
def test_what_only_far_tests_could_see_lives(tree):
    bound = tree.path("tests/mutant_copy.py")
    text, times = re.subn(r"ENOUGH_S = \d+", "ENOUGH_S = 0", bound.read_text())
    assert times == 1
    bound.write_text(text)
    _, known = tree.run(*ALL_C, status=1)
    assert tree.fates(known)[3, TURNED, "if (a >= b)"] == \
        ("lived", "0 tests or files passed, and more reach it")


@MORE
def test_a_map_of_other_sources_is_refused(tree):
    tree.path("pmu/a.c").write_text(SOURCE + "\n", "ascii")
    done = subprocess.run([sys.executable, tree.folder / "tests/product_mutants.py"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == "mutants: build/coverage/by_test.json was made from other sources: run " \
        "`make coverage`\n"


def test_what_a_program_reached(tmp_path, monkeypatch):
    """The lines with counts in gcov's files, in the folder that GCOV_PREFIX names."""
    objects = tmp_path / "objects"
    monkeypatch.setattr(reached_by, "OBJECTS", objects)
    monkeypatch.setattr(reached_by, "TOP", tmp_path)
    (objects / "pmu").mkdir(parents=True)
    (tmp_path / "pmu").mkdir()
    (tmp_path / "pmu/a.c").write_text(SOURCE.replace("a < b", "a < b + 1"), "ascii")
    (tmp_path / "main.c").write_text(UNIT.replace("least(2, 1)", "least(1, 1)"), "ascii")
    subprocess.run(["gcc", "--coverage", "-c", "-o", objects / "pmu/a.c.o", "pmu/a.c"],
                   cwd=tmp_path, check=True)
    subprocess.run(["gcc", "--coverage", "-o", "test_a", "main.c", objects / "pmu/a.c.o"],
                   cwd=tmp_path, check=True)
    subprocess.run([tmp_path / "test_a"], check=True,
                   env={"GCOV_PREFIX": str(tmp_path / "reached/units/test_a")})
    (name, folder), = reached_by.programs(tmp_path / "reached").items()
    assert name == "test_a"
    lines = reached_by.of_program(folder)["pmu/a.c"]
    assert {number: lines[number] for number in LINES[:3]} == {3: True, 4: True, 5: False}
