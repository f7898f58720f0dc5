#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Seed defects into the model machine, one at a time, and check that its conformance suite fails.

The defects are those of mutants/*.txt. Each defect is built with a tree of QEMU in the cache. A
defect passes if the suite runs to its end and a check of the suite fails, or if a scenario ends
early and the defect says `ends early`. The form of a check is its name without the parts that
differ between counters, kernels and the like. Without WORD, for each form there must also be a
defect that makes a check of this form fail. MUTANTS_TREE names another tree, made by `build.sh
--tree`. The last line of the output is `N passed, N failed`.

Exit status: 0; 1 some failed, or WORD is neither a list's name nor part of a defect's name; 2 wrong
usage.

A defect is listed as

    its name: what is wrong with the machine
    in SCENARIO|SCENARIO                    the scenarios of conform.sh to run
    ends early                              if a scenario is expected to end early
    -old text, which must be in the file once; white space may differ
    +new text

below a line `file NAME|NAME`. A NAME is the end of a path in QEMU's tree. If there is more than one
NAME, because QEMU's versions differ, the first file that contains the old text is changed. A block
`never fails` names a form of check, and says why no defect makes it fail.
"""
import argparse
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
EMULATOR = "qemu-system-x86_64"
SUITE_S = 1800

# QEMU's exit statuses at a scenario's normal end.
ENDS = ("1", "3")

# An included file -> the compiled file that includes it.
INCLUDED_BY = {name: "i386/tcg/translate.c"
               for name in ("translate.c", "emit.c.inc", "pmu_model_translate.h.inc",
                            "pmu_model_kinds.h.inc", "pmu_model_uses.h.inc")}

# Parts of a check's name that vary: kernels, counters, selects, encodings, other numbers.
VARIES = re.compile(r'"[^"]*"|\bIA32_(A_PMC|PMC|FIXED_CTR)[0-9]\b|(?<=IA32_PERFEVTSEL)[0-9]'
                    r'|\b[0-9a-f]{2}/[0-9a-f]{2}\b|\bf{7}d\b|\b[0-9a-f]*[0-9][0-9a-f]*h?\b')


@dataclasses.dataclass
class Defect:
    list: str
    name: str
    files: str
    scenarios: str
    ends_early: bool
    old: str
    new: str


@dataclasses.dataclass
class Outcome:
    failures: list  # lines of single checks
    passes: list
    ended: bool     # each scenario ended normally
    last: str       # the suite's last line


def read_lists():
    defects, never = [], set()
    for path in sorted(HERE.glob("mutants/*.txt")):
        file = None
        text = re.sub(r"^#.*\n", "", path.read_text("utf-8"), flags=re.M)
        for block in re.split(r"\n\n+", text.strip()):
            lines = block.splitlines()
            if lines[0].startswith("file "):
                file = lines[0].removeprefix("file ")
            elif lines[0] == "never fails":
                never.add(lines[1])
            else:
                assert lines[1].startswith("in "), f"{path.name}: {lines[0]}"
                defects.append(Defect(
                    path.stem, lines[0], file,
                    lines[1].removeprefix("in "), "ends early" in lines[2:3],
                    "\n".join(line[1:] for line in lines if line.startswith("-")),
                    "\n".join(line[1:] for line in lines if line.startswith("+"))))
    return defects, never


class Tree:
    """QEMU's tree, configured and built; nothing here changes it."""

    def __init__(self, path):
        self.build = path / "build"
        commands = json.loads((self.build / "compile_commands.json").read_text("utf-8"))
        self.commands = {entry["file"]: entry["command"] for entry in commands}
        listed = subprocess.run(["ninja", "-t", "commands", EMULATOR], cwd=self.build, check=True,
                                capture_output=True, text=True)
        self.link = shlex.split(listed.stdout.splitlines()[-1])

    def seed(self, defect, folder):
        """Returns an error, or None."""
        old = re.compile(r"\s+".join(map(re.escape, defect.old.split())))
        for name in defect.files.split("|"):
            unit = INCLUDED_BY.get(name, name)
            units = [file for file in self.commands if file.endswith("/" + unit)]
            if len(units) != 1:
                return f"QEMU has {len(units)} files {unit}, not one"
            source = (self.build / units[0]).parent / pathlib.Path(name).name
            text = source.read_text("utf-8")
            if len(found := old.findall(text)) == 1:
                shutil.copy(self.build / units[0], folder)
                for part in source.parent.glob("pmu_model_*.h.inc"):  # one includes the other
                    shutil.copy(part, folder)
                (folder / source.name).write_text(old.sub(lambda _: defect.new, text), "utf-8")
                return self.build_with(units[0], folder)
        return f"its old text appears {len(found)} times in {defect.files}, not once"

    def build_with(self, unit, folder):
        """Returns an error, or None."""
        command = shlex.split(self.commands[unit])
        good = command[command.index("-o") + 1]
        if good not in self.link:
            return f"{good} is not linked by itself"
        ours = {unit: folder / pathlib.Path(unit).name, good: folder / "bad.o",
                good + ".d": folder / "bad.d", EMULATOR: folder / EMULATOR,
                "-g": "-g0", "-O2": "-O1"}
        # The copy must find the headers in the folder of the original.
        command[1:1] = ["-iquote", (self.build / unit).parent]
        fast = ["-fuse-ld=gold"] if shutil.which("ld.gold") else []
        for words in (command + ["-w"], self.link + fast + ["-Wl,-s"]):
            done = subprocess.run([ours.get(word, word) for word in words], cwd=self.build,
                                  capture_output=True, text=True, check=False)
            if done.returncode:
                return f"it does not build: {done.stderr[:500]}"
        return None


def run_suite(emulator, scenarios, folder):
    done = subprocess.run(
        [HERE / "conform.sh", emulator, f"^({scenarios})$" if scenarios else ""], text=True,
        capture_output=True, timeout=SUITE_S, check=False,
        env={**os.environ, "CONFORM_DIR": str(folder)})
    lines = (folder / "checks").read_text("utf-8").splitlines()
    statuses = re.findall(r"^FAIL .* status (\d+),", done.stdout, flags=re.M)
    # FAIL lines without "got" are scenarios that end early
    return Outcome([line for line in lines if line.startswith("FAIL ") and ": got " in line],
                   [line for line in lines if line.startswith("ok ")],
                   all(status in ENDS for status in statuses),
                   (done.stdout.splitlines() or [done.stderr[-500:]])[-1])


def form_of(line):
    name = re.sub(r"^(ok|FAIL) +", "", line)
    return VARIES.sub("…", re.sub(r": got .*$", "", name)).strip()


def judge(tree, defect, folders):
    """Returns why the defect is not caught (None if it is), and the forms of the failed checks."""
    folder = folders.pop()
    try:
        if trouble := tree.seed(defect, folder):
            return trouble, set()
        outcome = run_suite(folder / EMULATOR, defect.scenarios, folder)
    finally:
        folders.append(folder)
    forms = set(map(form_of, outcome.failures))
    if not outcome.ended and not defect.ends_early:
        return f"QEMU hangs or dies, {len(outcome.failures)} checks failed before that", forms
    if outcome.ended and defect.ends_early:
        return "QEMU comes to its end, which was not expected", forms
    if outcome.ended and not forms:
        return f"no check failed; {outcome.last}", forms
    return None, forms


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("word", nargs="?", default="", metavar="WORD",
                        help="only the defects of mutants/WORD.txt, or with WORD in their names")
    word = parser.parse_args().word
    defects, never = read_lists()
    chosen = ([defect for defect in defects if word == defect.list] or
              [defect for defect in defects if word in defect.name])
    if not chosen:
        sys.exit(f"mutants.py: no list of defects is '{word}', and no defect's name contains it")
    tree_path = pathlib.Path(os.environ.get("MUTANTS_TREE") or CACHE / "barecount/mutants")
    if "MUTANTS_TREE" not in os.environ:
        subprocess.run([HERE / "build.sh", "--tree", tree_path], check=True)
    tree = Tree(tree_path)
    workers = os.cpu_count() or 1
    passed = failed = 0
    seen = set()

    def tell(name, why):
        nonlocal passed, failed
        print(f"ok   {name}" if why is None else f"FAIL {name}: {why}", flush=True)
        passed, failed = passed + (why is None), failed + (why is not None)

    with (tempfile.TemporaryDirectory(prefix="mutants-") as base,
          concurrent.futures.ThreadPoolExecutor(workers) as pool):
        folders = [pathlib.Path(base, str(i)) for i in range(workers)]
        for folder in folders:
            folder.mkdir()
        for defect, (why, forms) in zip(
                chosen, pool.map(lambda defect: judge(tree, defect, folders), chosen)):
            tell(defect.name, why)
            seen |= forms
        if not word:
            good = run_suite(tree.build / EMULATOR, "", folders[0])
            tell(f"the suite on the model itself: {good.last}",
                 None if good.last.endswith(" 0 failed") else "it must pass")
            for form in sorted(set(map(form_of, good.passes)) - never):
                tell(f"a defect makes this fail: {form}", None if form in seen else "none does")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
