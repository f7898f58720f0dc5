# SPDX-License-Identifier: BSD-2-Clause
"""Choose the tests that may detect a change in a line of the product, the nearest tests first."""
import collections
import dataclasses
import itertools
import pathlib
import re
import sys

import kept
import mutate

TOP = pathlib.Path(__file__).resolve().parents[1]
# With this MAKELEVEL, make runs one job at a time, as if another make had called it. Python writes
# no bytecode: bytecode stores its source's time only in whole seconds, so Python could miss a
# change.
ENVIRONMENT = {"MAKELEVEL": "1", "MAKEFLAGS": "", "MFLAGS": "", "PYTHONDONTWRITEBYTECODE": "1"}
PYTEST = ("/usr/bin/python3", "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider",
          "-p", "tests.ledger")
IMAGE = ("build/barecount.img", "build/barecount.iso", "build/recover")
# Tests of coverage and mutants.
LEFT_OUT = ("tests/image/test_coverage.py", "tests/tools/test_product_mutants.py")
OF_SCRIPTS = ("tests/tools/test_*.py", "tests/events/test_*.py")
OF_WINDOWS = ("tests/tools/test_window_code.py",)
OF_KERNELS = ("tests/tools/test_kernel_features.py", "tests/tools/test_kernel_titles.py",
              "tests/machine/test_independent.py")
UNIT_S, PROVE_S, FILE_S = 120, 600, 300
START_S, TIMES_LONGER = 90, 10  # limit: START_S + 10 times the test's time in `make coverage`
AT_ONCE_MAX = 16
AROUND = 12  # lines before and after a change whose words are compared
NEAR = 40  # lines before and after a change, for the ranking by lines that few boots reach
BEGIN_S = 3  # CPU seconds that each boot costs in addition


@dataclasses.dataclass(frozen=True)
class Step:
    name: str
    command: tuple
    bound_s: int
    targets: tuple = ()
    tests: tuple = ()  # for pytest: arguments after the command

    @property
    def count(self):
        return len(self.tests) or 1

    def only(self, tests):
        return dataclasses.replace(self, name=" ".join(tests), tests=tuple(tests),
                                   command=(*PYTEST, *tests))

    def without(self, tests):
        """A copy without these tests. None if the step has none of them, or if no test remains."""
        left = [one for one in self.tests
                if not any(test == one or test.startswith(f"{one}::") for test in tests)]
        return self.only(left) if left and len(left) < len(self.tests) else None


def pytest_step(tests, bound_s, targets=()):
    return Step("", (), bound_s, targets, ()).only(tests)


def growing(things):
    """Batches of 1, 1, 2, 4, … items of `things`, but of at most AT_ONCE_MAX.

    The first batches are small, because the nearest tests detect most changes. Later batches are
    larger, because each start of pytest costs time.
    """
    things, at, size = list(things), 0, 1
    while at < len(things):
        yield things[at : at + size]
        at += size
        size = min(at, AT_ONCE_MAX)


def words(text):
    return set(re.findall("[a-z]{4,}", text.lower()))


def around(file, line, text):
    lines = text.splitlines()
    return words("\n".join([file, *lines[max(line - 1 - AROUND, 0) : line + AROUND]]))


class Tests:
    """Chooses tests with the map of the lines that each test reaches, which `make coverage` writes.

    Nearly every boot reaches most lines of boot/, so the map alone does not rank the tests. Tests
    come first if their files share rare words with the changed lines, or if they reach nearby lines
    that few other tests reach.
    """

    def __init__(self, known):
        self._units, self._image = known["units"], known["image"]
        files = {name: {test.partition("::")[0] for test in group["tests"]}
                 for name, group in self._image.items()}
        try:
            texts = {file: words((TOP / file).read_text("utf-8"))
                     for file in set().union(*files.values())}
        except FileNotFoundError as why:
            sys.exit(f"mutants: {why.filename} is gone: run `make coverage`")
        self._words = {name: set().union(*map(texts.get, of)) for name, of in files.items()}
        self._times = collections.Counter(word for text in texts.values() for word in text)

    def of(self, file, line, text, kernels):
        """`kernels` names the kernels that change, if the file is a nasm source of kernels."""
        about = around(file, line, text)
        language = mutate.language(file)
        if language == "Python":
            yield from self._of_script(file, about)
        elif language == "asm" and file.startswith("kernels/"):
            yield from self._of_kernels(kernels)
        else:
            yield from self._of_line(file, line, text, about)

    def _programs(self, names):
        def size(name):
            return sum(map(len, self._units[name].values()))
        for some in growing(sorted(names, key=lambda name: (size(name), name))):
            programs = [f"build/{name}" for name in some]
            yield [Step(name, (name,), UNIT_S, (name,)) for name in programs]

    def _boots(self, groups, about, file="", line=0):
        """Batches of boots, taken in turn from two rankings.

        One ranking is by the words that a test shares with the change. The other ranking is by the
        nearby lines that the test's boot reaches and that few other boots reach.
        """
        lines = {name: [at for at in self._image[name]["lines"].get(file, ())
                        if abs(at - line) <= NEAR] for name in groups}
        times = collections.Counter(itertools.chain.from_iterable(lines.values()))

        def ordered(things, times):
            def far(group):
                rare = sum(1 / times[thing] for thing in things(group))
                return -rare / (self._image[group]["cpu_s"] + BEGIN_S), group
            return sorted(lines, key=far)
        orders = [ordered(lambda group: about & self._words[group], self._times)]
        if times:
            orders.append(ordered(lines.get, times))
        for some in growing(dict.fromkeys(itertools.chain.from_iterable(zip(*orders)))):
            tests = [test for group in some for test in self._image[group]["tests"]
                     if not test.startswith(LEFT_OUT)]
            wall_s = sum(self._image[group]["wall_s"] for group in some)
            if tests:
                yield [pytest_step(tests, START_S + TIMES_LONGER * int(wall_s + 1), IMAGE)]

    def _of_line(self, file, line, text, about):
        """Programs and boots of the image that reach a statement.

        A line of assembler gets the tests that read the assembled code, and then every boot.
        """
        is_asm = mutate.language(file) == "asm"
        statement = range(line if is_asm else mutate.first_line(text, line), line + 1)

        def reaches(lines):
            return any(number in statement for number in lines.get(file, ()))
        yield from self._programs(name for name, lines in self._units.items() if reaches(lines))
        if is_asm:
            yield [pytest_step(OF_WINDOWS, FILE_S, IMAGE)]
        yield from self._boots((name for name, group in self._image.items()
                                if is_asm or reaches(group["lines"])), about, file, line)

    def _of_kernels(self, names):
        if not names:
            return
        made, listed = ("build/prove_kernels", "build/kernels.bin"), ",".join(sorted(names))
        yield [Step(f"the proofs of {listed}", (made[0], "--whole", "--kernels", listed, made[1]),
                    PROVE_S, made)]
        yield [pytest_step(OF_KERNELS, FILE_S * len(OF_KERNELS), (*IMAGE, "build/prove_kernels"))]
        yield from self._programs(  # which read the table
            name for name, lines in self._units.items()
            if any(file.startswith("kernels/") for file in lines))
        yield from self._boots((name for name, group in self._image.items()
                                if names.intersection(group["words"])), words(" ".join(names)))

    def _of_script(self, file, about):
        """Test files that depend on a script; also all boots if the image's tests depend on it."""
        names = [str(path.relative_to(TOP)) for pattern in OF_SCRIPTS
                 for path in sorted(TOP.glob(pattern))]
        depends = {name: kept.depends([name]) for name in names if name not in LEFT_OUT}
        chosen = [name for name, known in depends.items() if file in known]
        for some in growing(sorted(chosen, key=lambda name: len(depends[name]))):
            yield [pytest_step(some, FILE_S * len(some))]
        if file in kept.depends(["tests/image/conftest.py"]):
            yield from self._boots(self._image, about)
