# SPDX-License-Identifier: BSD-2-Clause
"""Check the spelling of the documents (aspell, British English) and the whole tree (codespell).

Each word of prose must be known to aspell or listed in tests/words.txt. codespell finds common
misspellings anywhere, also in comments and messages.
"""
import ast
import re
import subprocess

import documents

TOP = documents.TOP
WORDS = TOP / "tests/words.txt"
ASPELL = ("aspell", "list", "--lang=en_GB-ise", "--encoding=utf-8", "--home-dir=/")
WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
# Names, numbers, paths and options are not words.
NO_WORD = re.compile(r"[\d_/\\=]|^\W*-|\w\.\w|^\W*[A-F]+[Hh]\b")
# Files that contain other people's words, or the words of MEANT.
NO_TEXT = ("tests/tools/data/", "tests/fuzz/corpus/", "tests/events/fixtures/", "tests/spelling.py")
# A file -> its correct words that codespell takes for misspellings.
MEANT = {
    "boot/cpu/instructions.h": "Nd",  # a constraint of gcc's
    "boot/cpu/space_make.c": "ist",
    "boot/cpu/space_parts.h": "ist",
    "scripts/lib/query/views.sql": "iif",
    # Most of the words below are misspellings that users could type.
    "tests/image/test_build_kernel.py": "agian kernal",
    "tests/tools/test_linux_runner.py": "laod lod",
    "tests/unit/base/test_json.c": "te",
    "tests/unit/base/test_nearest.c": "runns",
    "tests/unit/events/test_event_table.c": "nD",
    "tests/unit/files/test_frames.c": "fo",
    "tests/unit/kernels/test_choose.c": "defaul laod larg memor memroy sise",
    "tests/unit/plan/test_plan.c": "defaul",
    "tests/unit/plan/test_plan_errors.c": "cach defaul paralel raed",
    "tests/unit/plan/test_plan_kernels.c": "nd",
}


def plain(text):
    """A text without code blocks, code spans, targets of links, and NO_WORD's matches."""
    text = re.sub(r"`[^`]*`|\]\([^)]*\)|\w+://\S+", " ", documents.FENCE.sub(" ", text))
    return "\n".join(token for token in text.split() if not NO_WORD.search(token))


def help_of(path):
    text = path.read_text("utf-8")
    if re.match(r"#!.*python3", text):
        return ast.get_docstring(ast.parse(text)) or ""
    return re.sub(r"^# ?", "", re.match(r"#!.*\n((?:#.*\n)*)", text)[1], flags=re.M)


def texts(paths):
    """A file -> its prose: a document, the comments of a plan, or the description of a program."""
    found = {}
    for name in (path.as_posix() for path in paths):
        path = TOP / name
        if path in documents.ALL or name == "scripts/stick-readme.txt":
            found[name] = path.read_text("utf-8")
        elif name.endswith(".cfg") and name.startswith("scripts/"):
            found[name] = "\n".join(re.findall(r"#(.*)", path.read_text("utf-8")))
        elif name.startswith(("scripts/", "tests/")) and path.read_bytes()[:2] == b"#!":
            found[name] = help_of(path)
    return {name: plain(text) for name, text in found.items()}


def forms(word):
    """The word, its base (without 's or an acronym's plural s), and the base in lower case."""
    base = word.removesuffix("'s")
    base = base[:-1] if base.endswith("s") and base[:-1].isupper() else base
    return {word, base, base.lower()}


def unknown(found, listed):
    done = subprocess.run(ASPELL, input="\n".join(found.values()), capture_output=True, text=True,
                          encoding="utf-8", check=True)
    wrong = {word for word in done.stdout.split() if not forms(word) & listed}
    for name, text in found.items():
        for word in sorted(wrong & set(WORD.findall(text))):
            yield f"{name}: neither aspell nor tests/words.txt has '{word}'"


def misspelt(paths):
    """Yield the misspellings that codespell finds, except the words of MEANT.

    Also yield each word of MEANT that does not occur in its file.
    """
    names = [path.as_posix() for path in paths if path.suffix != ".patch" and
             not path.as_posix().startswith(NO_TEXT)]
    done = subprocess.run(["codespell", r"--ignore-regex=\\n", *names], cwd=TOP, check=False,
                          capture_output=True, text=True, encoding="utf-8")
    for line in done.stdout.splitlines():
        name, _, word = line.partition(" ==> ")[0].replace(":", " ").split()
        if word not in MEANT.get(name, "").split():
            yield line
    for name, words in MEANT.items():
        text = (TOP / name).read_text("utf-8")
        for word in words.split():
            if not re.search(rf"(?<![^\W_]){word}(?![^\W_])", text):
                yield f"tests/spelling.py: {name} has no '{word}'"


def complaints(paths):
    found = texts(paths)
    listed = WORDS.read_text("utf-8").split()
    if listed != sorted(set(listed), key=lambda word: (word.lower(), word)):
        yield "tests/words.txt is not as `LC_ALL=C sort -f` sorts it, or has a word twice"
    yield from unknown(found, set(listed))
    used = set().union(*(forms(word) for text in found.values() for word in WORD.findall(text)))
    for word in listed:
        if word not in used:
            yield f"tests/words.txt: '{word}' is in no text any more"
    yield from misspelt(paths)
