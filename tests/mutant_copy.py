# SPDX-License-Identifier: BSD-2-Clause
"""A copy of the tree in which one file at a time is changed, built and tested."""
import json
import pathlib
import shutil
import subprocess
import sys
import threading

import kept
import kernel_file
import running

TOP = pathlib.Path(__file__).resolve().parents[1]
SEEN, LIVED, SAME, BROKEN = "seen", "lived", "the same program", "does not compile"
NOT_REACHED = "no test reaches it"
NO_SUCH_TEST = 4  # pytest's exit status
BUILD_S = 900
ENOUGH_S = 240  # CPU seconds of tests after which a mutant counts as alive
NOT_COPIED = {"mutants", "test", "results", "coverage", "demo", "conform"}


def object_of(name):
    """The smallest make target that depends on a file, or None for a script."""
    suffix = pathlib.PurePath(name).suffix
    if name.startswith("kernels/") and suffix != ".c":
        return "build/kernels.bin"
    if suffix in (".h", ".inc"):
        return "build/BOOTX64.EFI"
    return f"build/efi/{name}.obj" if suffix in (".c", ".asm") else None


def compiled(text):
    """A script's bytecode without line numbers, or None if the script does not compile."""
    try:
        code = compile(text, "", "exec", dont_inherit=True, optimize=0)
    except (SyntaxError, ValueError):
        return None
    return _plain(code)


def _plain(code):
    constants = tuple(_plain(one) if hasattr(one, "co_code") else (type(one), one)
                      for one in code.co_consts)
    return code.co_code, constants, code.co_names, code.co_varnames, code.co_exceptiontable


def kernels_of(content):
    """{name: bytes} for each kernel in a table."""
    return {kernel.name: content[at : at + kernel.size]
            for at, kernel in kernel_file.kernels(content)}


def differing(before, after):
    before, after = kernels_of(before), kernels_of(after)
    return {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}


class Copy:
    """A copy of the tree and its build; `cpu_s` is the CPU time of commands in it."""

    def __init__(self, folder):
        self.folder, self.cpu_s = folder, 0
        self._lock, self._passes = threading.Lock(), {}
        shutil.rmtree(folder, ignore_errors=True)
        for name in kept.tree():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(TOP / name, target)  # keeps the file's time, for make
        (folder / "build").mkdir(exist_ok=True)
        subprocess.run(["cp", "-a", *(path for path in sorted((TOP / "build").glob("*"))
                                      if path.name not in NOT_COPIED), folder / "build"],
                       check=True)

    def read(self, name):
        return (self.folder / name).read_text("utf-8")

    def _run(self, command, bound_s, environment=None):
        ended = running.run(f"mutants-{self.folder.name}", command, bound_s, environment,
                            self.folder)
        self.cpu_s += ended.cpu_s
        return ended

    def _trouble(self, targets):
        if not targets:
            return ""
        ended = self._run(("make", "-s", "WERROR=-Werror=return-type", *targets), BUILD_S)
        errors = [line for line in ended.output.splitlines() if "error:" in line]
        return "" if ended.status == 0 else (errors or [f"status {ended.status}"])[0][:160]

    def _ledger(self):
        """The lines that tests/ledger.py wrote, even if pytest was ended early."""
        path = self.folder / "build/ledger"
        lines = path.read_text("utf-8").splitlines() if path.exists() else []
        return [one for one in map(json.loads, lines) if one]

    def _failing(self, step):
        """The part of a step that failed, and how it failed; None if the step passed."""
        (self.folder / "build/ledger").unlink(missing_ok=True)
        ended = self._run(step.command, step.bound_s,
                          {"BARECOUNT_LEDGER": str(self.folder / "build/ledger")})
        if not step.tests:
            how = {0: "", None: "hangs"}.get(ended.status, "fails")
            return (step, how) if how else None
        ran = self._ledger()
        failed = [one["test"] for one in ran if one["outcome"] == "failed"]
        if failed:
            return step.only(failed[:1]), "fails"
        if ended.status is None:
            return step, "hangs"
        if ended.status == NO_SUCH_TEST:
            sys.exit("mutants: tests were renamed: run `make coverage`")
        return None if ended.status == 0 else (step, f"ends with status {ended.status}")

    def passes(self, step):
        with self._lock:
            if step.command not in self._passes:
                self._passes[step.command] = not self._trouble(step.targets) and \
                    not self._failing(step)
            return self._passes[step.command]

    def _try(self, batches, clean):
        """Run batches of tests until one detects the change, or the CPU time is used up."""
        tried = 0
        for batch in batches:
            if self.cpu_s > ENOUGH_S:
                return LIVED, f"{tried} tests or files passed, and more reach it"
            if why := self._trouble({target for step in batch for target in step.targets}):
                return BROKEN, why
            for step in batch:
                while step and (failing := self._failing(step)):
                    one, how = failing
                    if clean.passes(one):
                        return SEEN, f"{one.name} {how}"
                    running.say(f"     {one.name[:200]} {how} without the change, too")
                    step = step.without(one.tests)
                tried += step.count if step else 0
        return LIVED, f"{tried} tests or files passed" if tried else NOT_REACHED

    def judge(self, name, text, is_nothing, clean, tests_of):
        """Replace a file's text, test it, and restore the file.

        tests_of({names of the kernels that changed}) yields batches of tests.
        """
        path, target = self.folder / name, object_of(name)
        original = path.read_text("utf-8")
        if target is None and compiled(text) is None:
            return BROKEN, "by Python"
        if target is None and compiled(text) == compiled(original) and not is_nothing:
            return SAME, "by Python's bytecode"
        if target and (why := self._trouble([target])):
            sys.exit(f"mutants: {self.folder}: the unchanged file does not build: {why}")
        before = target and (self.folder / target).read_bytes()
        try:
            path.write_text(text, "utf-8")
            if target and (why := self._trouble([target])):
                return BROKEN, why
            after = target and (self.folder / target).read_bytes()
            if target and after == before and not is_nothing:
                return SAME, f"by {target}"
            changed = differing(before, after) if target == "build/kernels.bin" else set()
            return self._try(tests_of(changed), clean)
        finally:
            path.write_text(original, "utf-8")
