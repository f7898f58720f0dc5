# SPDX-License-Identifier: BSD-2-Clause
"""The program in the UEFI shell: its arguments, its output, and the status that it returns."""
import re

import conftest
import documents
from events import table
import expect
import pytest
import results
from machine import stick as sticks
from conftest import TOP, plan_text

PROGRAM = r"FS0:\EFI\barecount.efi"
SUCCESS, ABORTED = 0x0, 0x15  # EFI_STATUS without its high bit, as the shell shows it
TABLE = TOP / "build/events/skylakex.csv"  # the events of the machine's CPU
PLANS = sorted((TOP / "scripts/plans").glob("*.cfg"))
PATTERN = "mem_inst"
ONE = "load_store"

GOOD = plan_text(runs=2, kernels="empty,nops", at_end="leave")
BAD = plan_text(runs="many", kernels="empty,nopz", at_end="leave") + "[events e]\nNO.SUCH.EVENT\n"

MANY_ERRORS = 40  # more than the first screen of a run shows
MANY = GOOD + "[events e]\n" + "".join(f"NO.SUCH.EVENT_{i}\n" for i in range(MANY_ERRORS))


def plan_in_docs():
    plan, = [block.text for block in documents.blocks(TOP / "docs/plan.md", "ini")
             if block.text.startswith("version=1\n")]
    return plan


COMMANDS = {
    "help": "--help",
    "kernels": "--list-kernels",
    "some kernels": "--list-kernels LOAD",
    "no kernels": "--list-kernels nosuchthing",
    "events": f"--list-events {PATTERN}",
    "no events": "--list-events nosuchthing",
    "good": r"--check-plan \barecount\good.cfg",
    "bad": r"--check-plan=\barecount\bad.cfg",
    "docs": r"--check-plan \barecount\docs.cfg",
    "no plan": r"--check-plan \barecount\nowhere.cfg",
    "many errors": r"--check-plan \barecount\many.cfg",
    "wrong": "--colour",
    "other": r"--check-plan \barecount\good.cfg --for sapphire-rapids",
    "run": r"--plan \barecount\good.cfg --cpus 1",
    "no such cpu": r"--check-plan \barecount\good.cfg --cpus 7",
    **{f"check {plan.stem}": rf"--check-plan \barecount\plans\{plan.name}" for plan in PLANS},
    **{f"run {plan.stem}": rf"--plan \barecount\short\{plan.name}" for plan in PLANS},
    "damaged events": f"--list-events {PATTERN}",
}
BEFORE = {"damaged events": rf"cp -q FS1:\barecount\damaged.csv FS1:\barecount\events\{TABLE.name}"}


def text_of(plan):
    """A shipped plan without the events that a CPU may lack. The model counts 0 for events that
    have no rule.
    """
    return re.sub(r"^\[events properties\]\n|^.*, none\n", "", plan.read_text("utf-8"), flags=re.M)


def shortened(plan):
    """A shipped plan with the same events, but fewer families and runs, smaller buffers and smaller
    n. One kernel replaces the default kernels, which default_boot runs.
    """
    text = re.sub(r"\bn=\d+(\.\.\S+)?", "n=64", text_of(plan))
    text = re.sub(r"size=(\w+)\.\.\S+", r"size=\1", text)
    text = re.sub(r"size=\d\d+M", "size=2M", text)
    text = re.sub(r"((?:^[a-z0-9_]+\n){2})(?:^[a-z0-9_]+\n)+", r"\1", text, flags=re.M)
    text = re.sub(r"^(kernels=)?default$", lambda found: (found[1] or "") + ONE, text, flags=re.M)
    text = re.sub(r"^(runs|warmup|noise_ms|at_end|cpus)=.*\n", "", text, flags=re.M)
    cpus = "all" if "core_to_core" in text else "boot"
    return text.replace(
        "[run]\n", f"[run]\ncpus={cpus}\nruns=2\nwarmup=1\nnoise_ms=2\nat_end=leave\n")


def startup():
    lines = ["@echo -off"]
    for name, arguments in COMMANDS.items():
        lines += [BEFORE.get(name, ""), f"echo begin: {name};", f"{PROGRAM} {arguments}",
                  "echo end: %lasterror%;"]
    return "\r\n".join([*lines, "echo the shell goes on", "reset -s", ""])


@pytest.fixture(scope="module")
def shell(boot_shared, tmp_path_factory):
    """A boot into the UEFI shell, because the stick has no program at the default path.

    With pmu-rules=off, CPUID does not say which events have rules. Without pmu-rules=off, many of
    the plans' events would be unavailable.
    """
    folder = tmp_path_factory.mktemp("stick")
    stick = sticks.Stick.copy_of(conftest.IMAGE, folder / "shell.img")
    stick.remove("EFI/BOOT/BOOTX64.EFI", part="esp")
    stick.put(TOP / "build/BOOTX64.EFI", "EFI/barecount.efi", part="esp")
    (folder / "startup.nsh").write_text(startup(), newline="")
    stick.put(folder / "startup.nsh", "startup.nsh", part="esp")
    stick.make_folder("barecount/short")
    files = {"barecount/good.cfg": GOOD, "barecount/bad.cfg": BAD,
             "barecount/many.cfg": MANY,
             "barecount/docs.cfg": plan_in_docs(),
             "barecount/damaged.csv": TABLE.read_text() + "half a line\n",
             **{f"barecount/short/{plan.name}": shortened(plan) for plan in PLANS}}
    yield boot_shared(plan=None, stick=stick, files=files, cpus=2, new_runs=1 + len(PLANS),
                      props="pmu-rules=off")
    stick.path.unlink()


def said(shell, name):
    found = re.search(rf"^begin: {name};\n([\s\S]*?)^end: (0x[0-9A-F]+);", shell.console, re.M)
    assert found, f"'{name}' did not come back"
    return found[1], int(found[2], 16)


def test_the_shell_gets_control_back(shell):
    assert "the shell goes on" in shell.console
    assert len(re.findall(r"^end: ", shell.console, re.M)) == len(COMMANDS)


def test_help(shell):
    text, status = said(shell, "help")
    assert status == SUCCESS
    for argument in ("--plan FILE", "--cpus LIST", "--check-plan", "--list-events",
                     "--list-kernels", "--help"):
        assert argument in text


def families(text):
    """{family: [kernel, ...]}, {family: count}, and the last line of --list-kernels."""
    *lines, last = text.splitlines()
    assert all(len(line) <= 80 for line in lines)
    heads = lines.pop(0) if lines else ""
    for line in lines:  # each kernel's default n begins at the header's column n
        if line.startswith("  ") and line[2] != " ":
            assert heads.split() == ["kernel", "n", "buffer", "argument,", "title"]
            assert len(line.split()[0]) > 20 or line.index(" n=") + 1 == heads.index("n  "), line
    listed, _, counts = "\n".join(lines).partition("\nAll families; ")
    found, family = {}, None
    for line in listed.splitlines():
        if line.startswith("      "):
            continue  # the title of the kernel above
        if line.startswith("  "):
            found[family].append(line.split()[0])
        else:
            family = line.strip()
            assert family not in found
            found[family] = []
    return found, {name: int(n) for name, n in re.findall(r"(\w+) (\d+)", counts)}, last


def test_list_kernels(shell):
    text, status = said(shell, "kernels")
    found, counts, last = families(text)
    names = [kernel.name for kernel in expect.all_kernels()]
    assert sorted(sum(found.values(), [])) == sorted(names) and status == SUCCESS
    assert last == f"{len(names)} kernels in {len(found)} families"
    assert counts == {family: len(kernels) for family, kernels in found.items()}
    assert {"load", "store", "load_store"} <= set(found["memory"])
    text, status = said(shell, "some kernels")
    some, counts, last = families(text)
    assert not counts
    assert some == {family: having for family, kernels in found.items() if
                    (having := [k for k in kernels if "load" in k or "load" in family])}
    assert last.startswith(f"{sum(map(len, some.values()))} kernels in {len(some)} families with")
    text, status = said(shell, "no kernels")
    assert text.startswith("0 kernels in 0 families") and status == ABORTED


def test_list_events(shell):
    text, status = said(shell, "events")
    _, rows = table.read(TABLE)
    right = {row.name: f"r{row.select:04x}" for row in rows if PATTERN in row.name.lower()}
    *lines, count = text.splitlines()
    assert dict(line.split()[:2] for line in lines) == right and status == SUCCESS
    assert len(right) > 5 and count.startswith(f"{len(right)} events") and "skylakex.csv" in count
    nothing, status = said(shell, "no events")
    assert nothing.startswith("0 events") and status == ABORTED
    damaged, _ = said(shell, "damaged events")
    number = len(TABLE.read_text().splitlines()) + 1
    assert damaged.startswith(rf"! \barecount\events\{TABLE.name}:{number}: expected"), damaged
    assert damaged.endswith(text)


def test_check_plan(shell):
    text, status = said(shell, "good")
    assert "2 CPUs, 2 kernels, 2 runs in" in text and status == SUCCESS
    text, status = said(shell, "bad")
    lines = BAD.splitlines()
    for line in ("runs=many", "kernels=empty,nopz", "NO.SUCH.EVENT"):
        assert rf"\barecount\bad.cfg:{lines.index(line) + 1}:" in text, line
    assert status == ABORTED
    text, status = said(shell, "no plan")
    assert "nowhere.cfg" in text and "no such file" in text and status == ABORTED
    text, status = said(shell, "no such cpu")
    assert "no usable CPU 7" in text and status == ABORTED


def test_all_errors_are_listed(shell):
    text, status = said(shell, "many errors")
    first = MANY.splitlines().index("NO.SUCH.EVENT_0") + 1
    for i in range(MANY_ERRORS):
        error = rf"^! \\barecount\\many.cfg:{first + i}:\s+NO.SUCH.EVENT_{i}: no event"
        assert len(re.findall(error, text, re.M)) == 1, i
    assert text.endswith(f"! plan errors: {MANY_ERRORS}; the rest of the plan applies\n")
    assert status == ABORTED


def test_the_plan_in_the_docs(shell):
    text, status = said(shell, "docs")
    assert "!" not in text and status == SUCCESS, text
    assert re.search(r"2 CPUs, \d+ kernels, \d+ runs", text), text


def test_a_wrong_argument(shell):
    text, status = said(shell, "wrong")
    assert "--colour" in text and "--help" in text and status == ABORTED
    assert len(text.splitlines()) == 1
    text, status = said(shell, "other")
    assert "'--for' is an option of barecount-linux only" in text and status == ABORTED
    assert len(text.splitlines()) == 1


def test_a_plan_and_cpus(shell):
    text, status = said(shell, "run")
    assert status == SUCCESS and re.search(r"^PASS$", text, re.M)
    found = shell.run("0001")
    assert found.status == results.PASSED and {row["cpu"] for row in found.rows} == {"1"}
    assert {row["kernel"] for row in found.rows} == {"empty", "nops"}


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.stem)
def test_shipped_plans(shell, plan):
    """counters=each adds `@` and the counter's number to an event's name."""
    text, status = said(shell, f"check {plan.stem}")
    assert "!" not in text and status == SUCCESS, text
    text, status = said(shell, f"run {plan.stem}")
    assert status == SUCCESS and re.search(r"^PASS$", text, re.M), text
    found = shell.run(f"{2 + PLANS.index(plan):04}")
    assert found.status == results.PASSED and found.run["errors"] == []
    names = re.findall(r"^(\w+) = ", text_of(plan), re.M)
    counted = {row["event"].partition("@")[0] for row in found.rows
               if row["verdict"] in results.COUNTED}
    assert set(names) <= counted, set(names) - counted
