# SPDX-License-Identifier: BSD-2-Clause
"""scripts/test-all keeps results and reports failures, in a small tree with one level."""
import os
import pathlib
import re
import select
import shutil
import signal
import subprocess

import pytest

TOP = pathlib.Path(__file__).resolve().parents[2]
FILES = [TOP / "scripts/test-all", TOP / "tests/kept.py", TOP / "tests/running.py",
         TOP / "tests/summary.py", TOP / "tests/ledger.py"]
LEVELS = '''"""One level."""
import collections
import os
Level = collections.namedtuple("Level", "name group least bound_s tests command words inputs")
GROUPS = PRODUCT, = ("the product",)
FULL = "BARECOUNT_FULL" in os.environ
UNIT = FUZZ = None
WHOLE_TREE = ()
LEVELS = (Level("image", PRODUCT, 2, {bound_s}, "tests/test_*.py", (), {words}, ("data.txt",)),)
LANES = (LEVELS,)
'''


END_S = 120  # scripts/test-all takes a second on an idle host


def levels(bound_s=60, words=()):
    return LEVELS.format(bound_s=bound_s, words=words)


HELPER = "ANSWER = 42\n"
ONE = '''import pathlib
import helper
TOP = pathlib.Path(__file__).parents[1]

def test_answer():
    assert helper.ANSWER == 42

def test_file():
    assert (TOP / "scripts/words").read_text() == "words"
    assert (TOP / "scripts/say").exists()
'''
TWO = '''import pytest

@pytest.mark.skip(reason="in test-full: it takes long")
def test_long():
    pass

def test_short():
    pass
'''


def plain():
    return {name: value for name, value in os.environ.items()
            if name not in ("CI", "FORCE", "LEVEL") and not name.startswith("BARECOUNT")}


class Tree:
    """A tree with two files of tests.

    tests/test_one.py imports helper.py, and names scripts/words and a bash script, which names
    another file. tests/test_two.py has a skipped test.
    """

    def __init__(self, folder):
        self.folder = folder
        subprocess.run(["git", "init", "-q", folder], check=True)
        for file in FILES:
            target = folder / file.relative_to(TOP)
            target.parent.mkdir(exist_ok=True)
            shutil.copy(file, target)
        self.write("tests/all_levels.py", levels())
        self.write("tests/helper.py", HELPER)
        self.write("tests/test_one.py", ONE)
        self.write("tests/test_two.py", TWO)
        self.write("scripts/words", "words")
        self.write("scripts/say", '#!/bin/bash\nsource "$(dirname "$0")/said.sh"\n')
        self.write("scripts/said.sh", "")
        self.write("data.txt", "")

    def write(self, name, text):
        (self.folder / name).write_text(text, "ascii")

    def run(self, **environment):
        done = subprocess.run([self.folder / "scripts/test-all"], env={**plain(), **environment},
                              capture_output=True, text=True, timeout=END_S, check=False)
        assert not done.stderr
        return done.returncode, done.stdout


@pytest.fixture
def tree(tmp_path):
    return Tree(tmp_path)


def numbers(said):
    """The table's numbers of passed, kept, failed and skipped tests, as in the last line."""
    passed, kept, failed, skipped = map(int, re.search(
        r"^the product((?: +\d+){4})", said, re.M).group(1).split())
    assert said.splitlines()[-1] == f"{passed} passed, {failed} failed, {skipped} skipped"
    return passed, kept, failed, skipped


def test_what_depends_on_nothing_new_is_kept(tree):
    status, said = tree.run()
    assert (status, *numbers(said)) == (0, 3, 0, 0, 1)
    assert "     1 in test-full: it takes long" in said
    status, said = tree.run()
    assert (status, *numbers(said)) == (0, 0, 3, 0, 1)
    assert "     1 in test-full: it takes long" in said


@pytest.mark.parametrize("name, text, ran", [
    ("tests/test_one.py", ONE + "\n", 2), ("tests/helper.py", HELPER + "\n", 2),
    ("scripts/said.sh", "true\n", 2),
    ("data.txt", "more", 3), ("tests/test_two.py", TWO + "\n", 1), ("scripts/other", "", 0)])
def test_what_depends_on_a_change_runs(tree, name, text, ran):
    tree.run()
    tree.write(name, text)
    status, said = tree.run()
    assert (status, *numbers(said)) == (0, ran, 3 - ran, 0, 1)


@pytest.mark.parametrize("name", ["FORCE", "CI", "BARECOUNT_SEED", "BARECOUNT_FULL"])
def test_who_wants_all_gets_all(tree, name):
    tree.run()
    status, said = tree.run(**{name: "1"})
    assert (status, *numbers(said)) == (0, 3, 0, 0, 1)


def test_what_failed_is_not_kept(tree):
    tree.write("scripts/words", "others")
    for kept in (0, 1):
        status, said = tree.run(FORCE="")
        assert (status, *numbers(said)) == (1, 2 - kept, kept, 1, 1)
        assert re.search(r"^FAILED tests/test_one.py::test_file\n    \S+test_one.py:9\n"
                         r"    AssertionError", said, re.M)
    tree.write("scripts/words", "words")
    assert tree.run()[0] == 0


@pytest.mark.parametrize("when", ["tested", "imported"])
def test_a_file_that_nobody_names(tree, when):
    """If a test does not name a file that it uses, it would not run again when the file changes."""
    hidden = ONE.replace('"scripts/words"', '"/".join(["scripts", "words"])')
    if when == "imported":
        hidden = hidden[: hidden.index("def test_file")] + \
            '(TOP / "scripts" / ("wo" + "rds")).read_text()\n\n\ndef test_file():\n    pass\n'
    tree.write("tests/test_one.py", hidden)
    status, said = tree.run()
    assert status == 1 and "FAILED tests/test_one.py uses scripts/words, which it does not" in said


SLEEPS = "import time\n\ndef test_it():\n    time.sleep(100)\n"


@pytest.mark.parametrize("file, text, told", [
    ("tests/test_two.py", TWO.replace("in test-full: ", ""),
     "tests/test_two.py::test_long is skipped without saying where it runs: it takes long"),
    ("tests/test_two.py", TWO.replace("def test_short", "def short"), None),
    ("tests/test_two.py", TWO.replace("def test_", "def "), "tests/test_two.py has no tests"),
    ("tests/test_one.py", "import nothing\n", "image has fewer than 2 tests that pass"),
    ("tests/test_one.py", "import os\n\ndef test_it():\n    os._exit(0)\n",
     "image ended with status 0 before its tests did"),
    ("tests/test_one.py", SLEEPS, "image took longer than 5 s")])
def test_nothing_passes_by_vanishing(tree, file, text, told):
    tree.write(file, text)
    if text == SLEEPS:
        tree.write("tests/all_levels.py", levels(bound_s=5))
    status, said = tree.run()
    assert (status == 1 and f"FAILED {told}\n" in said) if told else status == 0


def test_of_a_process_that_is_cut_off_nothing_is_kept(tree):
    """Some tests of the current file may not have run."""
    tree.write("tests/test_two.py", TWO.replace("    pass", "    import os; os._exit(0)"))
    for _ in range(2):
        status, said = tree.run()
        assert status == 1 and numbers(said)[:2] == (2, 0)


def test_a_worker_that_dies_is_a_failure(tree):
    tree.write("tests/all_levels.py", levels(words=("-n", "1")))
    tree.write("tests/test_two.py", TWO.replace("    pass", "    import os; os._exit(0)"))
    status, said = tree.run()
    passed, _, _, skipped = numbers(said)
    assert (status, passed, skipped) == (1, 2, 1), said
    assert "FAILED tests/test_two.py::test_short\n    worker 'gw0' crashed" in said, said


def test_what_this_host_cannot_is_tried_again(tree):
    tree.write("tests/test_two.py", TWO.replace("in test-full:", "this host cannot:"))
    for kept in (0, 2):
        status, said = tree.run()
        assert (status, *numbers(said)) == (0, 3 - kept, kept, 0, 1)
        assert "Not possible on this host:\n     1 this host cannot: it takes long" in said


@pytest.mark.parametrize("sent, word", [
    (signal.SIGINT, "Ctrl-C"), (signal.SIGTERM, "SIGTERM"), (signal.SIGHUP, "SIGHUP")])
def test_a_signal_ends_what_runs(tree, sent, word):
    """The child keeps a pipe open until it ends, so the pipe's end shows that it has ended."""
    os.mkfifo(tree.folder / "begun")
    tree.write("tests/test_two.py", """import pathlib, subprocess
def test_long():
    with open(pathlib.Path(__file__).parents[1] / "begun", "wb") as pipe:
        subprocess.run(["sh", "-c", "echo begun; exec sleep 300"], stdout=pipe)
""")
    pipe = os.open(tree.folder / "begun", os.O_RDONLY | os.O_NONBLOCK)
    with subprocess.Popen(["env", "--default-signal", tree.folder / "scripts/test-all"],
                          env=plain(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as process:
        assert select.select([pipe], [], [], END_S)[0] and os.read(pipe, 80) == b"begun\n"
        process.send_signal(sent)
        said, errors = process.communicate(timeout=END_S)
    assert select.select([pipe], [], [], END_S)[0] and os.read(pipe, 80) == b""
    os.close(pipe)
    assert (process.returncode, errors) == (128 + sent, "")
    assert said.splitlines()[-1] == f"test-all: ended by {word}"


def test_a_level_that_is_not_there(tree):
    done = subprocess.run([tree.folder / "scripts/test-all"], env={**os.environ, "LEVEL": "imge"},
                          capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == "test-all: unknown level imge; the levels are: image\n"
