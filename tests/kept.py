# SPDX-License-Identifier: BSD-2-Clause
"""Keep test results as long as nothing that the tests depend on has changed.

A test file depends on itself, on the modules that it imports, on the files and folders that the
test file or one of these modules names in a string, and on the inputs of its level. tests/ledger.py
records each file that a test opens or starts. `unnamed()` returns the recorded files that this rule
misses.
"""
import ast
import functools
import hashlib
import json
import pathlib
import platform
import re
import subprocess

TOP = pathlib.Path(__file__).resolve().parents[1]
STORE = TOP / "build/test/kept"
# Folders that are searched for imported modules, after the folder of the importing file.
MODULES = ("scripts/lib", "tests", "tests/image", "tests/machine", "tests/tools")
MADE_BY_TESTS = ("build/test", "build/conform", "build/mutants",
                 "build/coverage/host", "build/coverage/by_test.json")
SCHEMA = 1
WORD = re.compile(r"[\w.+-]+(?:/[\w.+-]+)*")  # a word or path in bash
PATH = re.compile(r"[\w.+-][\w.+/-]{1,200}\Z")


@functools.cache
def tree():
    """Every file that git tracks or would add, as a path from the top."""
    listed = subprocess.run(
        ["git", "-c", f"safe.directory={TOP}", "ls-files", "-z", "--cached", "--others",
         "--exclude-standard"], cwd=TOP, capture_output=True, check=True, text=True).stdout
    return [name for name in sorted(set(listed.split("\0")) - {""}) if (TOP / name).is_file()]


@functools.cache
def files_of(name):
    path = TOP / name
    if path.is_file():
        return frozenset([name])
    if not path.is_dir():
        return frozenset()
    if name.startswith("build"):
        return frozenset(str(one.relative_to(TOP)) for one in path.rglob("*") if one.is_file())
    return frozenset(one for one in tree() if one.startswith(f"{name}/"))


def module_path(word, folder):
    """The file that `import word` finds in this project, or None for another project's module."""
    for place in (folder, *MODULES):
        if (TOP / place / f"{word}.py").is_file():
            return f"{place}/{word}.py"
    return None


def names_in(node, folder):
    """The paths that a node of a syntax tree may name; None stands for another project's module."""
    if isinstance(node, ast.Import):
        return {module_path(alias.name, folder) for alias in node.names}
    if isinstance(node, ast.ImportFrom):
        module = (node.module or "").replace(".", "/")
        return {module_path(name, folder)
                for name in (module, *(f"{module}/{alias.name}" for alias in node.names))}
    if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "load":
        words = [one.value for one in node.args[:1] if isinstance(one, ast.Constant)]
        return {f"scripts/{word}" for word in words}  # tests/tools/script.py
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and PATH.match(node.value):
        beside = f"{folder}/{node.value}"
        return {node.value, beside if (TOP / beside).is_file() else None}
    return set()


def is_ours(path):
    """Whether a path is a dependency.

    Folders at the top and paths that end with `/` are no dependencies.
    """
    return path not in MODULES and not path.startswith((".", *MADE_BY_TESTS)) and \
        not path.endswith("/") and \
        ("/" in path or (TOP / path).is_file())


@functools.cache
def named_by(name):
    text = (TOP / name).read_text("utf-8", errors="replace")
    folder = str(pathlib.PurePath(name).parent)
    if name.endswith(".py") or text.startswith("#!/usr/bin/python3"):
        paths = set().union(*(names_in(node, folder) for node in ast.walk(ast.parse(text))))
    elif name.endswith(".sh") or text.startswith("#!/bin/bash"):
        words = set(WORD.findall(text))
        paths = words | {f"{folder}/{word}" for word in words if (TOP / folder / word).is_file()}
    else:
        paths = set()
    return frozenset().union(*(files_of(path) for path in paths - {None} if is_ours(path)))


def depends(names):
    known, new = set(), set().union(*map(files_of, names))
    while new:
        known |= new
        new = set().union(*map(named_by, (one for one in new if not one.startswith("build/"))))
        new -= known
    return known


def unnamed(used, known):
    return sorted(one for one in used if one not in known and not one.startswith(MADE_BY_TESTS))


@functools.cache
def digest_of(name):
    return hashlib.sha256((TOP / name).read_bytes()).hexdigest()


@functools.cache
def host():
    """What else a result depends on: installed packages, Linux's release, the CPU and its features.
    """
    packages = subprocess.run(["dpkg-query", "-W"], capture_output=True, text=True,
                              check=False).stdout
    cpu = [line for line in pathlib.Path("/proc/cpuinfo").read_text("ascii").splitlines()
           if line.startswith(("model name", "flags"))]
    return packages, platform.release(), *sorted(set(cpu))


def key_of(known, words):
    files = [(name, digest_of(name)) for name in sorted(known)]
    return hashlib.sha256(repr((SCHEMA, files, host(), words)).encode("utf-8")).hexdigest()


def place_of(level, name):
    return STORE / level / f"{name.replace('/', '+')}.json"


def load(level, name, key):
    try:
        kept = json.loads(place_of(level, name).read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return kept["result"] if kept["key"] == key else None


def keep(level, name, key, result):
    place = place_of(level, name)
    place.parent.mkdir(parents=True, exist_ok=True)
    new = place.with_suffix(".new")
    new.write_text(json.dumps({"key": key, "result": result}), "utf-8")
    new.rename(place)
