# SPDX-License-Identifier: BSD-2-Clause
"""scripts/check-duplicates finds duplicates, and listed duplicates that no longer exist."""
import re
import shutil
import subprocess

import pytest

from conftest import TOP

SUM = """int sum(const int *from, int count)
{
    int all = 0, most = 0;

    for (int i = 0; i < count; i++)
        all += from[i] * from[i];
    most = all > limit(count) ? limit(count) : all; /* at the most */
    report("sum", most, count);
    return most + first(from, count);
}
"""
OTHER = re.sub(r"\b(sum|all|from|count|most)\b", r"\1_2", SUM).replace("0;", "7;")
CASES = {
    "to the letter": (SUM, SUM, ["FAIL a.c:1 ~ b.c:1: six lines alike", "0 passed, 1 failed"]),
    "names and numbers": (SUM, OTHER, ["FAIL a.c:1 ~ b.c:1: six lines alike",
                                       "0 passed, 1 failed"]),
    "comments and space": (SUM, SUM.replace("\n    ", "\n\n  /* here */  "),
                           ["FAIL a.c:1 ~ b.c:1: six lines alike", "0 passed, 1 failed"]),
    "five lines": (SUM, SUM.replace("    report", "    if (most)\n        return 1;\n    report"),
                   ["0 passed, 0 failed"]),
    "other operators": (SUM, SUM.replace(" * from", " + from").replace("* ", "**"),
                        ["0 passed, 0 failed"]),
    "rows of a table": ("".join(f'    {{"{i}", {i}, {i} * 2, 0, 0}},\n' for i in range(12)), "",
                        ["0 passed, 0 failed"]),
    "a reason": (SUM, SUM, ["1 passed, 0 failed"], "a.c ~ b.c: two programs"),
    "twice in a file": (SUM + OTHER, "", ["1 passed, 0 failed"], "a.c ~ itself: two programs"),
    "a reason for nothing": (SUM, "", [
        "FAIL a.c ~ b.c: no six lines are alike any more, but duplicates.txt lists this pair",
        "0 passed, 1 failed"], "a.c ~ b.c: two programs"),
    "no reason": (SUM, SUM, ["FAIL duplicates.txt:2: expected `FILE ~ FILE: reason`",
                             "FAIL a.c:1 ~ b.c:1: six lines alike", "0 passed, 2 failed"],
                  "a.c ~ b.c:"),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_alike(tmp_path, case):
    first, second, lines, *reason = CASES[case]
    (tmp_path / "scripts").mkdir()
    (tmp_path / "tests").mkdir()
    shutil.copy(TOP / "scripts/check-duplicates", tmp_path / "scripts")
    (tmp_path / "tests/duplicates.txt").write_text("\n".join(["# reasons", *reason, ""]))
    (tmp_path / "a.c").write_text(first)
    (tmp_path / "b.c").write_text(second)
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    done = subprocess.run([tmp_path / "scripts/check-duplicates"], capture_output=True, text=True)
    assert done.stdout.splitlines() == lines and not done.stderr
    assert done.returncode == (" 0 failed" not in lines[-1])
