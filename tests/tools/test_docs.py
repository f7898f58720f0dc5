# SPDX-License-Identifier: BSD-2-Clause
"""README and docs/ match the code in their keys, columns, verdicts, options and statuses.

Their links lead to targets that exist, and the sizes of the pages are limited.
"""
import os
import re
import subprocess

import documents
import kept
import pytest
import results
from conftest import TOP

DOCS = "docs"
README_LINES, README_BYTES = 150, 8192
PAGE_LINES, LINE_COLUMNS, SCREEN_LINES = 200, 100, 60
GENERATED = ("docs/uncore-models.md", "docs/evidence.md")
# A section of plan.md -> the file with its keys, and the name of their array in that file.
KEYS = {"## [run]": ("pmu/plan/run.c", "KEYS"), "## [state]": ("pmu/plan/sections.c", "KEYS"),
        "## [results]": ("pmu/plan/sections.c", "RESULTS_KEYS"),
        "## [code NAME]": ("pmu/plan/code.c", "KEYS")}
NAMES = [str(page.relative_to(TOP)) for page in documents.ALL]


def text_of(name):
    return (TOP / name).read_text("utf-8")


def first_cells(page, heading):
    table = documents.tables(documents.section(TOP / page, heading))[0]
    return [word for row in table for word in documents.coded(row[0])]


@pytest.mark.parametrize("name", NAMES)
def test_links_lead_somewhere(name):
    page = TOP / name
    for path, anchor in documents.links(page):
        to = (page.parent / path).resolve() if path else page
        assert to.exists(), f"{name}: {path}"
        if anchor:
            assert anchor in documents.anchors(to), f"{name}: {path}#{anchor}"


def test_readme_is_short_and_leads_to_every_page():
    readme = TOP / "README.md"
    size = len(readme.read_bytes())
    assert text_of("README.md").count("\n") <= README_LINES and size <= README_BYTES
    linked = {path for path, _ in documents.links(readme)}
    assert {str(page.relative_to(TOP)) for page in documents.PAGES} - {"README.md"} <= linked
    inside = {f"docs/{path}" for path, _ in documents.links(TOP / "docs/architecture.md")}
    assert {name for name in NAMES if name.startswith("docs/internals/")} <= inside


@pytest.mark.parametrize("name", [name for name in NAMES
                                  if name.startswith(DOCS) and name not in GENERATED])
def test_pages_have_a_form(name):
    lines = text_of(name).splitlines()
    assert len(lines) <= PAGE_LINES and lines[0].startswith("# ")
    back = "../architecture.md" if "internals" in name else "../README.md"
    assert lines[-1].startswith("[Back to ") and lines[-1].endswith(f"]({back})")
    headings = [line for line in documents.prose(TOP / name).splitlines()
                if line.startswith("## ")]
    if len(lines) > SCREEN_LINES and len(headings) > 1:
        inside = [anchor for path, anchor in documents.links(TOP / name) if not path]
        assert len(set(inside)) >= len(headings), "no contents"
    for block in documents.blocks(TOP / name, "text"):  # the output of a program
        lines = [line for line in lines if line not in block.text.splitlines()]
    assert not [line for line in lines if len(line) > LINE_COLUMNS and not line.startswith("|")]


@pytest.mark.parametrize("heading", KEYS)
def test_keys_of_the_plan(heading):
    path, array = KEYS[heading]
    rows = re.search(rf"plan_key {array}\[\] = {{(.*?)^}};", text_of(path), re.M | re.S)[1]
    keys = re.findall(r'^    {"(\w+)",', rows, re.M)
    assert len(keys) >= 2 and sorted(first_cells("docs/plan.md", heading)) == sorted(keys)
    table = documents.tables(documents.section(TOP / "docs/plan.md", heading))[0]
    for key, row in re.findall(r'^    {"(\w+)",(.*?)(?=^    {"|\Z)', rows, re.M | re.S):
        values, = [cells[1] for cells in table if cells[0] == f"`{key}`"]
        words = re.findall(r'"(\w+)"', row) if "PLAN_WORD" in row else []
        assert set(words) <= set(documents.coded(values)), key


def test_the_plan_that_ships_has_every_key():
    """default.cfg shows all keys except those of [code NAME], so readers need no other page."""
    shown = re.findall(r"^#?(\w+)=", text_of("scripts/plans/default.cfg"), re.M)
    keys = [key for heading in KEYS if heading != "## [code NAME]"
            for key in first_cells("docs/plan.md", heading)]
    assert sorted(shown) == sorted([*keys, "version"])


@pytest.mark.parametrize("page, file, known", [
    ("docs/results.md", "results.csv", results.HEADER),
    ("docs/results.md", "samples.csv", results.SAMPLES_HEADER),
    ("docs/trust-map.md", "trust.csv", results.TRUST_HEADER)])
def test_columns(page, file, known):
    source = f"render_{file.removesuffix('.csv')}.c"
    defined = re.search(r"#define \w+_HEADER((?:.*\\\n)+.*)", text_of(f"pmu/files/{source}"))[1]
    header = "".join(re.findall(r'"(.*?)"', defined)).removesuffix(r"\r\n").split(",")
    assert first_cells(page, f"## {file}") == header == known
    table = documents.tables(documents.section(TOP / page, f"## {file}"))[0]
    assert all(len(cells) == len(table[0]) and all(cells) for cells in table)


def test_verdicts():
    """results.md lists the verdicts in order of precedence, and marks those that fail a run."""
    words = re.findall(r'X\(VERDICT_\w+, "(\w+)"\)', text_of("pmu/verdicts/rows.h"))
    table = documents.tables(documents.section(TOP / "docs/results.md", "## Verdicts"))[0]
    assert [cells[0].strip("`") for cells in table] == words
    assert {cells[0].strip("`") for cells in table if cells[2] == "FAIL"} == set(results.FAILING)


def test_exit_statuses():
    table = documents.tables(documents.section(TOP / "docs/scripts.md", "## Exit statuses"))[0]
    assert [int(cells[0]) for cells in table] == [results.PASSED, *sorted(results.MEANS)]


def test_views_of_query():
    views = re.findall(r"^CREATE VIEW (\w+)", text_of("scripts/lib/query/views.sql"), re.M)
    words = [word for row in documents.tables(text_of("docs/query.md"))[0]
             for word in documents.coded(row[0])]
    assert sorted(words) == sorted(views)


def help_of(name):
    done = subprocess.run([TOP / name, "--help"], capture_output=True, text=True, timeout=60,
                          check=True)
    return done.stdout


def options_of(name):
    return set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", help_of(name)))


def test_options_of_the_program():
    rows = re.search(r"OPTIONS\[\] = {(.*?)^};", text_of("pmu/plan/arguments.c"), re.M | re.S)[1]
    told = {f"--{name}" for name in re.findall(r'{"([a-z-]+)",', rows)}
    words = " ".join(first_cells("docs/boot.md", "## From the UEFI shell"))
    assert told and set(re.findall(r"--[a-z-]+", words)) == told
    words = " ".join(first_cells("docs/linux.md", "## Options"))
    assert set(re.findall(r"--?[a-z][a-z-]*", words)) == options_of("build/barecount-linux")


def calls():
    """(page, program, options) of all commands and inline code in the documents."""
    for page in documents.ALL:
        pieces = [line for block in documents.blocks(page, "sh")
                  for line in block.text.splitlines()]
        for piece in pieces + documents.coded(documents.prose(page)):
            for found in re.finditer(r"(scripts/[a-z-]+|build/barecount-linux)\b([^|&;]*)", piece):
                if (TOP / found[1]).is_file():
                    yield page.name, found[1], set(re.findall(r"(?<!\S)--[a-z-]+", found[2]))


def test_options_that_are_used_exist():
    used = list(calls())
    assert len(used) >= 40
    for page, name, options in used:
        assert not options or options <= options_of(name), f"{page}: {name} {options}"


def test_targets_and_variables_of_make_exist():
    makefile = text_of("Makefile") + "".join(text_of(name) for name in kept.tree()
                                             if name.endswith(".mk"))
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.M))
    for page in documents.ALL:
        pieces = [line for block in documents.blocks(page, "sh")
                  for line in block.text.splitlines()] + documents.coded(documents.prose(page))
        for piece in pieces:
            words = piece.split()
            if words[:1] != ["make"] or len(words) < 2:
                continue
            for word in words[1:]:
                name, assigned, _ = word.partition("=")
                if not assigned and re.fullmatch(r"[a-z][a-z-]*", word):
                    assert word in targets, f"{page.name}: make {word}"
                elif re.fullmatch(r"[A-Z_]+", name):
                    assert re.search(rf"\b{name}\b", makefile), f"{page.name}: {piece}"


def test_paths_exist():
    folders = {name.partition("/")[0] for name in kept.tree() if "/" in name}
    for page in documents.ALL:
        for word in documents.coded(documents.prose(page)):
            path = word.partition("#")[0].rstrip("/")
            if path.partition("/")[0] in folders and re.fullmatch(r"[\w./-]+", path):
                near = [TOP / path, page.parent / path]
                assert any(os.path.exists(one) for one in near), f"{page.name}: {word}"


def test_what_is_copied_has_a_language():
    for page in documents.PAGES:
        for block in documents.blocks(page):
            assert block.language in ("sh", "text", "ini", "nasm", "c", "sql"), \
                f"{page.name}:{block.line}"
