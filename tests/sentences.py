#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Print random sentences from documents, comments and messages, for a reader to judge.

    tests/sentences.py                  print 40 sentences; the seed is the number of commits
    tests/sentences.py --seed 7 pmu     print sentences of one folder

A reader who is at home in English and in the field says which sentences need reading twice. At most
1 of 40 sentences may need a second reading.

Exit status: 0; 2 wrong usage; 4 git or a file cannot be read.
"""
import argparse
import io
import pathlib
import random
import re
import subprocess
import sys
import tokenize

TOP = pathlib.Path(__file__).resolve().parents[1]
WORDS_MIN = 5
C_COMMENT = re.compile(r'"(?:[^"\\\n]|\\.)*"|/\*(.*?)\*/|//([^\n]*)', re.S)
C_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"(?:\s*(?:PRI\w+\s*)?"(?:[^"\\\n]|\\.)*")*')
ITEM = re.compile(r"^[ \t]*(?:-|\d+\.) (?=[A-Z`*])", re.M)
SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")


def said(text, line):
    """The sentences of a text, as (number of the line where the text begins, sentence)."""
    for item in ITEM.split(text):
        for sentence in SENTENCE.split(re.sub(r"\s+", " ", item).strip()):
            if len(re.findall(r"[A-Za-z]{2,}", sentence)) >= WORDS_MIN:
                yield line, sentence


def of_c(text, messages):
    for found in C_COMMENT.finditer(text):
        comment = found[1] or found[2]
        if comment and "SPDX" not in comment:
            yield from said(re.sub(r"^\s*\*", "", comment, flags=re.M),
                            text.count("\n", 0, found.start()) + 1)
    if not messages:
        return
    code = C_COMMENT.sub(lambda found: found[0] if found[0][0] == '"' else "\n" *
                         found[0].count("\n"), text)
    for found in C_STRING.finditer(code):
        message = "".join(re.findall(r'"((?:[^"\\\n]|\\.)*)"', found[0]))
        yield from said(message.replace(r"\n", " "), code.count("\n", 0, found.start()) + 1)


def of_lines(text, mark):
    """The sentences of comments that begin with a mark; adjacent comment lines are one text."""
    begin, held = 0, []
    for number, line in enumerate([*text.splitlines(), ""], 1):
        comment = re.match(rf"\s*{mark}+ ?(.*)", line)
        if comment and not re.search(r"SPDX|^#!|shellcheck|noqa|pylint", line):
            begin = begin or number
            held.append(comment[1])
        elif held:
            yield from said("\n".join(held), begin)
            begin, held = 0, []


def of_python(text, messages):
    yield from of_lines(text, "#")
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.STRING and (messages or '"""' in token.string):
            yield from said(token.string.lstrip("rbf").strip("\"'"), token.start[0])


def of_document(text):
    prose = re.sub(r"^```.*?^```$", lambda found: "\n" * found[0].count("\n"), text,
                   flags=re.M | re.S)
    for found in re.finditer(r"(?:^(?!#|\s*$|\|).*\n?)+|^\|.*$", prose, re.M):
        line = prose.count("\n", 0, found.start()) + 1
        for cell in re.split(r"(?<!\\)\|", found[0]) if found[0][0] == "|" else [found[0]]:
            yield from said(cell, line)


def sentences_of(name):
    text = (TOP / name).read_text("utf-8", errors="replace")
    kind = pathlib.PurePath(name).suffix
    messages = not name.startswith("tests/")  # expected messages in tests are copies
    if kind == ".md":
        return of_document(text)
    if kind in (".c", ".h"):
        return of_c(text, messages)
    if kind in (".asm", ".inc"):
        return of_lines(text, ";")
    if kind == ".py" or text.startswith("#!/usr/bin/python3"):
        return of_python(text, messages)
    if kind in (".sh", ".mk", ".cfg") or text.startswith("#!") or name == "Makefile":
        return of_lines(text, "#")
    return iter(())


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, help="default: the number of commits")
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("path", nargs="*", help="files or folders (default: the whole tree)")
    options = parser.parse_args()
    try:
        def git(*words):
            return subprocess.run(["git", *words], cwd=TOP, check=True, text=True,
                                  capture_output=True).stdout
        seed = int(git("rev-list", "--count", "HEAD")) if options.seed is None else options.seed
        names = git("ls-files", "--", *options.path).splitlines()
        found = [(name, *sentence) for name in names if "/data/" not in name
                 for sentence in sentences_of(name)]
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"sentences.py: {error}", file=sys.stderr)
        return 4
    drawn = random.Random(seed).sample(found, min(options.count, len(found)))
    print(f"{len(drawn)} of {len(found)} sentences, seed {seed}")
    for name, line, sentence in drawn:
        print(f"{name}:{line}: {sentence}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
