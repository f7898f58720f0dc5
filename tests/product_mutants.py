#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Seed defects into the product, one at a time, and check that its tests fail.

A changed program is called a mutant. For each mutant, this program draws an executable line at
random from pmu/, boot/, kernels/, scripts/compare, scripts/report and scripts/query, and from the
modules of these scripts. Then it draws one of the changes that tests/mutate.py can make. With
WORDs, only files whose paths begin with a WORD are used. The seed determines what is drawn. Without
--seed or BARECOUNT_SEED, the seed is always the same, so the mutants change only when an executable
line does. A change that does not compile, or that gives the same program, is replaced by another.

Each mutant is built in a copy of the tree. The everyday tests that reach the changed line are run
until one fails. If the line is in a script or a kernel, all tests that use the script or kernel are
run. `make coverage` finds these tests, and must have run before. A test counts only if it passes in
a copy without the change. The tests that are likeliest to detect the change are run first. A mutant
counts as alive if no test detects it in four minutes of CPU time.

Each result is a line of build/mutants/SEED-SOURCES.jsonl. A mutant that has a result is not tried
again. With --lived, mutants that lived and are not explained are tried again. With --nothing, no
line is changed, so every mutant must live. tests/mutants_that_live.txt explains mutants that no
everyday test detects. The last line is `N passed, N failed`. Mutants that were detected or
explained have passed.

Exit status: 0; 1 some failed; 2 wrong usage.
"""
import argparse
import collections
import concurrent.futures
import dataclasses
import hashlib
import json
import os
import pathlib
import random
import signal
import sys
import tempfile
import threading

TOP = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TOP / "tests"), str(TOP / "scripts/lib")]
sys.dont_write_bytecode = True

import kept  # noqa: E402
import mutant_tests  # noqa: E402
import mutate  # noqa: E402
from machine import reached_by  # noqa: E402
import running  # noqa: E402
from mutant_copy import BROKEN, LIVED, NOT_REACHED, SAME, SEEN, Copy  # noqa: E402
from running import say  # noqa: E402

SEED = 1080261504  # drawn once at random
OUT = TOP / "build/mutants"
EXPLAINED = TOP / "tests/mutants_that_live.txt"
JUDGES = ("scripts/compare", "scripts/report", "scripts/query")
ASM = ("kernels/", "boot/")
NOTHING = "nothing"
DRAWN_BY = ("tests/mutate.py", "tests/product_mutants.py")
JUDGED = (SEEN, LIVED)
WAITING = 1  # copies beyond one per CPU, since a boot does not always use its CPU
DRAWS_MAX = 1000  # some lines have no rule or were drawn before


@dataclasses.dataclass(frozen=True)
class Mutant:
    number: int
    file: str
    line: int
    change: mutate.Change
    redrawn: int  # how many lines without a rule were drawn just before

    def lines(self, text):
        """(the line above the changed lines, the old lines, the new lines)"""
        before, after = text.splitlines(), self.change.of(text).splitlines()
        differ = [at for at, both in enumerate(zip(before, after)) if both[0] != both[1]]
        span = slice(differ[0], differ[-1] + 1) if differ else slice(0, 0)
        above = before[span.start - 1] if span.start else ""
        return above, "\n".join(before[span]), "\n".join(after[span])


class Drawing:
    """The mutants of a seed, always in the same order."""

    def __init__(self, seed, lines, read, nothing=False):
        self._random, self._read, self._nothing = random.Random(seed), read, nothing
        self._places = [(file, line) for file in sorted(lines) for line in lines[file]]
        self._drawn, self._number = set(), 0

    def next(self):
        """The next mutant, or None if DRAWS_MAX attempts found none."""
        redrawn = 0
        for _ in range(DRAWS_MAX):
            file, line = self._random.choice(self._places)
            of_rule = collections.defaultdict(list)
            for change in mutate.changes(file, self._read(file), line):
                of_rule[change.rule].append(change)
            if not of_rule:
                redrawn += 1
                continue
            change = self._random.choice(of_rule[self._random.choice(sorted(of_rule))])
            if self._nothing:
                change = mutate.Change(NOTHING, change.begin, change.begin, "")
            if (file, change) not in self._drawn:
                self._drawn.add((file, change))
                self._number += 1
                return Mutant(self._number, file, line, change, redrawn)
        return None


def executable(known, words):
    """{file: lines that can be changed}, only of files whose paths begin with one of `words`.

    If `words` is empty, all files are included.
    `known` is the map that `make coverage` wrote.
    """
    lines = dict(known["lines"])
    listed = [name for name in kept.tree()
              if name.startswith(ASM) and name.endswith((".asm", ".inc"))]
    listed += [name for name in kept.depends(JUDGES)
               if name in JUDGES or name.startswith("scripts/") and name.endswith(".py")]
    for name in listed:
        lines[name] = mutate.executable(name, (TOP / name).read_text("utf-8"))
    return {file: numbers for file, numbers in sorted(lines.items())
            if not words or file.startswith(tuple(words))}


class Results:
    def __init__(self, path):
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "a+", encoding="utf-8") as file:
            file.seek(0)
            lines, _, cut_off = file.read().rpartition("\n")
            if cut_off:
                file.truncate(len((lines + "\n").encode("utf-8")) if lines else 0)
        self.known = {one["number"]: one for one in map(json.loads, lines.splitlines())}
        self._lock = threading.Lock()

    def add(self, result):
        with self._lock:
            self.known[result["number"]] = result
            with open(self.path, "a", encoding="utf-8") as file:
                file.write(json.dumps(result) + "\n")


class Trial:
    """Draws mutants and collects their results, until `count` mutants are judged."""

    def __init__(self, options, drawing, results, tests, clean):
        self._options, self._drawing, self._results = options, drawing, results
        self._tests, self._clean = tests, clean
        self._explained = explanations()
        self._turn = threading.Condition()
        self._busy, self._taken = 0, []

    def _judged(self):
        return sum(self._results.known[number]["fate"] in JUDGED for number in self._taken
                   if number in self._results.known)

    def _next(self):
        with self._turn:
            while True:
                while self._judged() + self._busy >= self._options.count:
                    if not self._busy:
                        return None
                    self._turn.wait()
                if (mutant := self._drawing.next()) is None:
                    return None
                self._taken.append(mutant.number)
                known = self._results.known.get(mutant.number)
                if known is None or self._options.lived and self._is_puzzling(known):
                    self._results.known.pop(mutant.number, None)
                    self._busy += 1
                    return mutant

    def _is_puzzling(self, known):
        return known["fate"] == LIVED and not why_lived(known, self._explained)

    def work(self, copy):
        while mutant := self._next():
            try:
                result = self._judge(copy, mutant)
                self._results.add(result)
                say("{number:4} {fate:16} {file}:{line} {rule}; {by}, {cpu_s:.0f} s".format(
                    **result))
            finally:
                with self._turn:
                    self._busy -= 1
                    self._turn.notify_all()

    def _judge(self, copy, mutant):
        text = self._clean.read(mutant.file)
        above, before, after = mutant.lines(text)
        copy.cpu_s = 0
        fate, by = copy.judge(mutant.file, mutant.change.of(text), self._options.nothing,
                              self._clean,
                              lambda changed: self._tests.of(mutant.file, mutant.line, text,
                                                                     changed))
        return {"number": mutant.number, "file": mutant.file, "line": mutant.line,
                "rule": mutant.change.rule, "above": above, "old": before, "new": after,
                "fate": fate, "by": by, "redrawn": mutant.redrawn, "cpu_s": round(copy.cpu_s, 1)}

    def found(self):
        return [self._results.known[number] for number in sorted(self._taken)
                if number in self._results.known]


def explanations():
    """{(file, line above or none, old lines, new lines): why no test detects the mutant}"""
    found = {}
    for block in EXPLAINED.read_text("utf-8").split("\n\n"):
        lines = [line for line in block.splitlines() if not line.startswith("#")]
        if lines:
            above, old, new = (tuple(line[1:].strip() for line in lines[1:] if line[:1] == sign)
                               for sign in " -+")
            found[lines[0], above, old, new] = " ".join(line for line in lines[1:]
                                                        if line[:1] not in " -+")
    return found


def why_lived(result, explained):
    above, old, new = (tuple(line.strip() for line in result[which].splitlines())
                       for which in ("above", "old", "new"))
    file = result["file"]
    return explained.get((file, above, old, new)) or explained.get((file, (), old, new))


def stale(explained):
    """Complaints about explanations of lines that no longer exist, or that exist more than once."""
    for file, above, old, _ in explained:
        lines = above + old
        text = [line.strip() for line in (TOP / file).read_text("utf-8").splitlines()] \
            if (TOP / file).exists() else []
        times = sum(tuple(text[at : at + len(lines)]) == lines for at in range(len(text)))
        if times != 1:
            yield (f"{EXPLAINED.name} explains lines that {file} has {times} times: "
                   f"{' '.join(lines)}")


def table(found):
    yield f"{'':30} {'seen':>6} {'of':>6} {'CPU s':>8}"
    judged = [one for one in found if one["fate"] in JUDGED]
    for of in (lambda one: one["file"].rpartition("/")[0] + "/", lambda one: one["rule"],
               lambda one: "in all"):
        for name in sorted({of(one) for one in judged}):
            rows = [one for one in judged if of(one) == name]
            yield (f"{name:30} {sum(one['fate'] == SEEN for one in rows):6} {len(rows):6} "
                   f"{sum(one['cpu_s'] for one in rows):8.0f}")


def tell(found):
    explained = explanations()
    bad = list(stale(explained))
    passed = sum(one["fate"] == SEEN for one in found)
    print("\n".join(["", *table(found)]))
    fates = collections.Counter(one["fate"] for one in found)
    print(f"Drawn again: {fates[BROKEN]} {BROKEN}, {fates[SAME]} are {SAME}, to "
          f"{sum(one['redrawn'] for one in found)} lines no rule applies")
    for one in found:
        if one["fate"] == LIVED:
            why = why_lived(one, explained)
            passed += why is not None
            bad += [] if why else [f"{one['file']}:{one['line']} lived; {one['by']}"]
            print(f"\nlived: {one['file']}:{one['line']}, {one['rule']}; {one['by']}")
            print("\n".join([f"-{line}" for line in one["old"].splitlines()] +
                            [f"+{line}" for line in one["new"].splitlines()]))
            print(f"explained: {why}" if why else "not explained")
    print("\n".join(["", *(f"FAIL {line}" for line in bad)]))
    print(f"{passed} passed, {len(bad)} failed")
    return 1 if bad or not passed else 0


def options_of(arguments):
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, metavar="N", help="draw these mutants",
                        default=int(os.environ.get("BARECOUNT_SEED") or SEED))
    parser.add_argument("--count", type=int, default=60, metavar="N",
                        help="how many mutants to test (default 60)")
    parser.add_argument("--lived", action="store_true",
                        help="try again the mutants that lived and are not explained")
    parser.add_argument("--nothing", action="store_true",
                        help="change nothing, so that all mutants must live")
    parser.add_argument("words", nargs="*", metavar="WORD",
                        help="the beginning of the path of files to draw from")
    return parser.parse_args(arguments)


def main(arguments):
    options = options_of(arguments)
    try:
        known = reached_by.read()
    except reached_by.NoMap as why:
        sys.exit(f"mutants: {why}")
    lines = executable(known, options.words)
    sources = hashlib.sha256(repr([known["sources"], lines, options.nothing, [
        (TOP / name).read_bytes() for name in (*lines, *DRAWN_BY)
        if name.startswith(("scripts/", "tests/"))]]).encode())
    running.LOGS.mkdir(parents=True, exist_ok=True)
    os.environ |= mutant_tests.ENVIRONMENT | {"BARECOUNT_SEED": str(options.seed)}
    results = Results(OUT / f"{options.seed}-{sources.hexdigest()[:8]}.jsonl")
    say(f"seed: {options.seed} (--seed {options.seed} goes on where this ends); results are in "
        f"{results.path.relative_to(TOP)}")
    say(f"{sum(map(len, lines.values()))} lines of {len(lines)} files")
    clean = Copy(OUT / "clean")
    drawing = Drawing(options.seed, lines, clean.read, options.nothing)
    copies = [Copy(OUT / str(number)) for number in range((os.cpu_count() or 1) + WAITING)]
    trial = Trial(options, drawing, results, mutant_tests.Tests(known), clean)
    with concurrent.futures.ThreadPoolExecutor(len(copies)) as pool:
        ends = [pool.submit(trial.work, copy) for copy in copies]
        try:
            for end in concurrent.futures.as_completed(ends):
                end.result()
        except BaseException:
            running.end_all()
            raise
    if options.nothing:
        good = [one for one in trial.found() if one["fate"] == LIVED and one["by"] != NOT_REACHED]
        bad = len(trial.found()) - len(good)
        print(f"{len(good)} passed, {bad} failed")
        return 1 if bad or not good else 0
    return tell(trial.found())


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("mutants: ended"))  # its children end too
    with tempfile.TemporaryDirectory(prefix="barecount-states-") as states:
        os.environ["BARECOUNT_STATES"] = states  # all mutants share the firmware's states
        sys.exit(main(sys.argv[1:]))
