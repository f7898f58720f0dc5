# SPDX-License-Identifier: BSD-2-Clause
"""Keep test results as long as nothing that the tests depend on has changed.

A test file depends on itself, on the modules that it imports, on the files and folders that any of
these name in a string, and on the inputs of its level. If this rule for dependencies missed a file,
an outdated result would be kept. So tests/ledger.py records each file of the tree that a test opens
or starts, and `unnamed()` returns the files that the rule misses.
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
# The folders that are searched for imported modules, after the folder of the importing file.
MODULES = ("scripts/lib", "tests", "tests/image", "tests/machine", "tests/tools")
# Tests make these files themselves, so no outcome depends on the files' earlier contents.
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
    """The file at a path from the top, or the files in a folder, or none if the path is missing."""
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
    """The paths that a node of a module's syntax tree may name. None: another project's module."""
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
    """Whether a path in a text is a dependency.

    These are not dependencies: files that tests make, paths that begin with a dot, folders that are
    only searched for modules, folders at the top, and common beginnings of paths, which end with /.
    """
    return path not in MODULES and not path.startswith((".", *MADE_BY_TESTS)) and \
        not path.endswith("/") and \
        ("/" in path or (TOP / path).is_file())


@functools.cache
def named_by(name):
    """The files that a Python or bash file names directly."""
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
    """These files and all files that they name, directly or indirectly, as paths from the top."""
    known, new = set(), set().union(*map(files_of, names))
    while new:
        known |= new
        new = set().union(*map(named_by, (one for one in new if not one.startswith("build/"))))
        new -= known
    return known


def unnamed(used, known):
    """The used files that are not among the known dependencies."""
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
    """A digest of all that a result depends on: files, the host, and words such as a command."""
    files = [(name, digest_of(name)) for name in sorted(known)]
    return hashlib.sha256(repr((SCHEMA, files, host(), words)).encode("utf-8")).hexdigest()


def place_of(level, name):
    return STORE / level / f"{name.replace('/', '+')}.json"


def load(level, name, key):
    """The kept result of a test file, or None if no valid result is kept."""
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
