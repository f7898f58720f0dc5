# SPDX-License-Identifier: BSD-2-Clause
"""scripts/same-objects accepts commits that only move and rename code, and no others."""
import shutil
import subprocess

import pytest

from conftest import TOP

MAKEFILE = """FILES := $(wildcard *.c */*.c)
OBJECTS := $(FILES:%.c=build/of-linux/%.o) $(FILES:%.c=build/efi/%.obj)
build/BOOTX64.EFI build/liar.efi build/barecount-linux build/recover: $(OBJECTS)
build/of-linux/%.o: %.c
\t@mkdir -p $(@D)
\t@gcc -g -O1 -I. -c -o $@ $<
build/efi/%.obj: %.c
\t@mkdir -p $(@D)
\t@clang -target x86_64-unknown-windows -O1 -I. -c -o $@ $<
"""
MORE = "int more(int a)\n{\n    return a + 2;\n}\n"
ASKED = """int more(int), other(int);
const char key[] = "more", *text = "more"; /* strings are not renamed: users read them */
int asked(int a)
{
    return more(a) + other(a) + more(a + 1);
}
"""


class Tree:
    def __init__(self, folder):
        self.folder = folder
        (folder / "scripts").mkdir()
        shutil.copy(TOP / "scripts/same-objects", folder / "scripts")
        self._git("init", "-q")
        self.commit("before", {"Makefile": MAKEFILE, "more.c": MORE, "asked.c": ASKED})

    def _git(self, *words):
        return subprocess.run(["git", "-c", "user.name=A", "-c", "user.email=a@b", *words],
                              cwd=self.folder, check=True, capture_output=True, text=True).stdout

    def commit(self, message, files, gone=()):
        for name in gone:
            (self.folder / name).unlink()
        for name, text in files.items():
            (self.folder / name).parent.mkdir(exist_ok=True)
            (self.folder / name).write_text(text, "ascii")
        self._git("add", "-A")
        self._git("commit", "-q", "-m", message)
        return self._git("rev-parse", "HEAD").strip()

    def same(self, *words):
        done = subprocess.run(["scripts/same-objects", *words], cwd=self.folder,
                              capture_output=True, text=True, timeout=120)
        assert not done.stderr
        return done.returncode, done.stdout


@pytest.fixture
def tree(tmp_path):
    return Tree(tmp_path)


def test_a_move_with_another_name_and_other_lines(tree):
    """The commits in .git-blame-ignore-revs are checked by default."""
    files = {"sub/a_name_of_many_letters.c": "/* More. */\n\n" + MORE}
    move = tree.commit("Move it", files, ["more.c"])
    (tree.folder / ".git-blame-ignore-revs").write_text(f"# moves\n{move}\n", "ascii")
    assert tree.same() == (0, f"ok   4 objects: {move[:7]} Move it\n1 passed, 0 failed\n")


CHANGES = ({"more.c": MORE.replace("2", "3")}, {"more.c": MORE + "int second;\n"},
           {"asked.c": ASKED.replace("more(a + 1)", "other(a + 1)")})


@pytest.mark.parametrize("files", CHANGES)
def test_what_changes_code_is_named(tree, files):
    commit = tree.commit("Do more", files)
    status, said = tree.same(commit)
    name = next(iter(files)).replace(".c", ".o")
    assert status == 1 and said.endswith("\n0 passed, 1 failed\n")
    assert f"FAIL build/of-linux/{name}: only before\n" in said
    assert f"FAIL build/of-linux/{name}: only after\n" in said


def test_a_copy_more(tree):
    commit = tree.commit("Copy it", {"sub/more.c": MORE})
    status, said = tree.same(commit)
    both = "build/of-linux/more.o build/of-linux/sub/more.o"
    assert status == 1 and f"FAIL {both}: only after\n" in said


def test_symbols_are_renamed_as_the_message_says(tree):
    files = {"more.c": MORE.replace("more", "added"), "asked.c": ASKED.replace("more(", "added(")}
    commit = tree.commit("Rename it\n\nmore -> added\n", files)
    assert tree.same(commit)[0] == 0
    commit = tree.commit("Rename it again", {"more.c": MORE, "asked.c": ASKED})
    assert tree.same(commit)[0] == 1


def test_one_name_becomes_several(tree):
    text = "static int %s(int a)\n{\n    return a;\n}\nint (*%s)(int) = %s;\n"

    def commit(message, first, second):
        files = {"a.c": text % (first, "a", first), "b.c": text % (second, "b", second)}
        return tree.commit(f"Name them\n\n{message}\n", files)

    commit("none", "inner", "inner")
    assert tree.same(commit("inner -> here or there", "here", "there"))[0] == 0
    assert tree.same(commit("here -> inner", "inner", "inner"))[0] == 1


def test_a_commit_that_does_not_build(tree):
    commit = tree.commit("Break it", {"more.c": "int more(int a)\n"})
    done = subprocess.run(["scripts/same-objects", commit], cwd=tree.folder, capture_output=True,
                          text=True, timeout=120)
    assert done.returncode == 1 and not done.stdout
    assert done.stderr.endswith(f"\nsame-objects: {commit} does not build\n")
