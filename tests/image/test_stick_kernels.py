# SPDX-License-Identifier: BSD-2-Clause
"""Files in \\barecount\\kernels: good kernels, invalid files, and kernels that crash the machine.
"""
import re
import struct
import zlib

import pytest

import expect
import own_kernels
import power_cuts
from machine import program
import results
from machine import stick as sticks
from conftest import BOOT_S, IMAGE, plan_text
from levels import in_full, thinned

REASON_LEFT_OUT = "left out: the machine stopped in this kernel earlier, in run 0001"
REASON_CUT_OFF = "the machine stopped in this kernel or lost power"
HEADER = "kernel,crc32,file,cpu,run,started,uptime_s,ran_s"
FEW = {"runs": 3}


def rows_of(found, kernel):
    return [row for row in found.rows if row["kernel"] == kernel]


def is_exact(found, kernel, cpus=1, n=1000):
    """The loop has 1 + 2n instructions and n branches, n - 1 of them taken."""
    for cpu in range(cpus):
        for event, count in (("INST_RETIRED.ANY", 1 + 2 * n), ("INST_RETIRED.ANY_P", 1 + 2 * n),
                             ("BR_INST_RETIRED.ALL_BRANCHES", n),
                             ("BR_INST_RETIRED.NEAR_TAKEN", n - 1),
                             ("MEM_INST_RETIRED.ALL_LOADS", 0)):
            row = expect.row_of(found, kernel, event, cpu)
            assert (row["verdict"], row["min"], row["max"]) == ("exact", str(count), str(count)), \
                (kernel, event, cpu, row)


def others_are_as_ever(found, cpus, *but):
    others = [row for row in found.rows if row["kernel"] not in but]
    assert expect.tally(others) == expect.verdicts(cpus)


def skipped_lines(stick):
    text = stick.read("barecount/skipped.csv")
    return None if text is None else text.decode("ascii").split("\r\n")


def test_kernels_of_the_stick(boot, tmp_path):
    good = own_kernels.loop()
    files = {
        "zeta.bin": good,
        "ALPHA.BIN": own_kernels.loop("alpha"),
        "notes.txt": b"no kernel",
        "cut.bin": good[:-1],
        "head.bin": good[:100],
        "empty.bin": b"",
        "crc.bin": good[:-1] + bytes([good[-1] ^ 1]),
        "old.bin": own_kernels.changed(good, 8, struct.pack("<I", 7)),
        "large.bin": good + bytes((1 << 20) + 1 - len(good)),
        "two.bin": good + own_kernels.loop("second"),
        "text.bin": b"This is a text, and as long as a record would be. " * 10,
        "twin.bin": own_kernels.loop("alpha"),
        "built.bin": own_kernels.loop("nops"),
        "a name of 40 characters and more to read.bin": good,
    }
    anew = "build it again with scripts/build-kernel"
    expected = {
        "cut.bin": f"truncated: the data ends before the kernel does; {anew}",
        "head.bin": f"truncated: fewer bytes than a kernel record has; {anew}",
        "empty.bin": f"truncated: fewer bytes than a kernel record has; {anew}",
        "crc.bin": f"damaged: the CRC does not match; {anew}",
        "old.bin": "made for another version of the kernel ABI, 7; this program takes version 1; "
                   + anew,
        "large.bin": f"too large: a file may have at most 1 MiB; {anew}",
        "two.bin": f"bytes follow the kernel, but a file holds exactly one; {anew}",
        "text.bin": f"no kernel starts here (magic); {anew}",
        "twin.bin": "a kernel 'alpha' is in ALPHA.BIN already; give this one another name",
        "built.bin": "a kernel 'nops' is built in already; give this one another name",
        "a name of 40 characters and more to read.bin":
            "its name is too long: expected 39 characters or fewer",
    }
    stick = own_kernels.new_stick(tmp_path, files)
    own_kernels.put_files(stick, tmp_path, {"barecount/skipped.csv": b"nops,of some day\n"})
    left = boot(plan=plan_text(**FEW), stick=stick, cpus=2)
    found = left.results
    said = [f"\\barecount\\kernels\\{name}: {what}" for name, what in expected.items()]
    said.append(f"\\barecount\\skipped.csv:1: expected {HEADER}; the line is left out")
    assert sorted(found.run["errors"]) == sorted(said)
    shown = [line for line in expect.complaints(left) if ": erratum " not in line]
    assert sorted(shown) == sorted(f"! {text}" for text in said)
    assert left.verdict == "PASS" and found.status == results.PASSED
    for kernel in ("alpha", "probe"):
        is_exact(found, kernel, cpus=2)
    others_are_as_ever(found, 2, "alpha", "probe")
    listed = found.run["kernels"]
    assert [k["name"] for k in listed[-2:]] == ["alpha", "probe"]
    assert [k["file"] for k in listed[-2:]] == ["ALPHA.BIN", "zeta.bin"]
    assert [k["family"] for k in listed[-2:]] == ["mine", "mine"]
    assert listed[-1]["crc32"] == own_kernels.crc_of(good)
    assert {k["file"] for k in listed[:-2]} == {""}
    assert [k["name"] for k in listed[:-2]] == [k.name for k in expect.kernels()]


@in_full("256 kernels that are wrong")
def test_more_is_wrong_than_is_listed(boot, tmp_path):
    """At most EARLY_NOTES_MAX errors are listed. A folder may contain 256 kernels."""
    stick = own_kernels.new_stick(tmp_path, {f"bad{number}.bin": b"" for number in range(256)})
    own_kernels.put_files(stick, tmp_path, {"barecount/skipped.csv": b"no line\n" * 45})
    errors = boot(plan=plan_text(kernels="nops", runs=2), stick=stick, cpus=1).results.run["errors"]
    assert len(errors) == len(set(errors)) == 300
    assert errors[-1] == "there are more errors than are listed"


@pytest.mark.parametrize("cpus", thinned([1, 2], (0,), "number of CPUs and a reset"))
def test_a_kernel_that_resets_the_machine(boot, tmp_path, cpus):
    """The kernel is left out until its line in skipped.csv is removed."""
    killer = own_kernels.killer()
    stick = own_kernels.new_stick(tmp_path, {"killer.bin": killer,
                                             "probe.bin": own_kernels.loop()})
    dead = boot(plan=plan_text(**FEW), stick=stick, cpus=cpus)
    assert dead.verdict is None and skipped_lines(stick) is None
    after = boot(plan=plan_text(**FEW), stick=stick, cpus=cpus)
    said = " ".join(after.console.split())
    assert "- Run 0001 was cut off in kernel killer (killer.bin) on CPU 0: the machine stopped " \
        "there, its power failed, or this volume failed. It is left out from now on; delete its " \
        "line in \\barecount\\skipped.csv to try it again." in said
    header, line, end = skipped_lines(stick)
    first = after.run("0001")
    assert (header, end) == (HEADER, "")
    line, uptime_s, ran_s = line.rsplit(",", 2)
    assert line == f"killer,{own_kernels.crc_of(killer)},killer.bin,0,0001,{first.run['started']}"
    assert 0 <= int(ran_s) < int(uptime_s) < BOOT_S
    assert first.status == results.INCOMPLETE
    assert "the run was cut off while CPU 0 ran killer (killer.bin)" in first.run["errors"]
    assert {(row["cpu"], row["verdict"], row["reason"]) for row in rows_of(first, "killer")} == {
        ("0", "fault", REASON_CUT_OFF)}
    others_are_as_ever(first, 1, "killer")  # killer runs after built-in kernels and before probe
    found = after.results
    assert {(row["verdict"], row["reason"]) for row in rows_of(found, "killer")} == {
        ("fault", REASON_LEFT_OUT)}
    assert len(rows_of(found, "killer")) == cpus * len(expect.ALL_ROWS)
    is_exact(found, "probe", cpus)
    others_are_as_ever(found, cpus, "killer", "probe")
    assert after.verdict == f"FAIL {cpus * len(expect.ALL_ROWS)}"
    assert found.run["complete"] is True and not found.run["errors"]
    if cpus == 1:
        return
    stick.remove("barecount/skipped.csv")
    again = boot(plan=plan_text(**FEW), stick=stick, cpus=cpus)
    assert again.verdict is None and "cut off" not in again.console


def set_uptime(journal, uptime_s, ran_s):
    """A journal in which kernels start uptime_s after the machine's reset, and ran_s after the
    run's start.
    """
    content, at = bytearray(journal), 0
    while at + power_cuts.HEAD.size < len(content):
        _, kind, _, _, size, _, _ = power_cuts.HEAD.unpack_from(content, at)
        payload = at + power_cuts.HEAD.size
        if kind in (power_cuts.NEXT, power_cuts.PHASE):
            struct.pack_into("<I", content, payload + 12,
                             uptime_s if kind == power_cuts.NEXT else uptime_s - ran_s)
            sealed = zlib.crc32(content[payload:payload + size])
            struct.pack_into("<I", content, payload - 8, sealed)
            struct.pack_into("<I", content, payload - 4, zlib.crc32(content[at:payload - 4]))
        at = payload + (size + 7) // 8 * 8
    return bytes(content)


@pytest.mark.parametrize("other_s, ran_s, is_likely", thinned(
    [(603, 60, True), (640, 60, False), (603, 59, False)], (0,), "times of a watchdog"))
def test_a_watchdog_of_the_board(boot, tmp_path, other_s, ran_s, is_likely):
    """If the machine stops in two kernels about ten minutes after a reset, neither is blamed. If
    the times differ, or if the run had just begun, the second kernel is left out.
    """
    stick = own_kernels.new_stick(tmp_path, {"killer.bin": own_kernels.killer()})
    boot(plan=plan_text(kernels="killer", runs=2), stick=stick, cpus=1)
    path = "barecount/results/0001/journal.bin"
    own_kernels.put_files(stick, tmp_path, {
        path: set_uptime(stick.read(path), 600, ran_s),
        "barecount/skipped.csv": f"{HEADER}\r\nnops,0x1,,0,0007,,{other_s},300\r\n"})
    said = " ".join(boot(plan=plan_text(kernels="nops", runs=2), stick=stick,
                         cpus=1).console.split())
    line = skipped_lines(stick)[2]
    assert line.startswith("killer,") and line.endswith(f",600,{ran_s}")
    assert ("It will be run once more. That was 600 s after the machine's reset, and run 0007 "
            "stopped in 'nops' 603 s after a reset: a watchdog of the board or its BMC is likely."
            in said) == is_likely
    assert ("It is left out from now on" in said) != is_likely


@in_full("a pair that resets the machine")
def test_a_pair_that_resets_the_machine(boot, tmp_path):
    """The pair of CPUs runs `killer` after all other kernels of all CPUs."""
    stick = own_kernels.new_stick(tmp_path, {"killer.bin": own_kernels.pair_killer()})
    plan = plan_text(kernels="nop_1,killer", **FEW)
    boot(plan=plan, stick=stick, cpus=2)
    after = boot(plan=plan, stick=stick, cpus=2)
    assert "Run 0001 was cut off in kernel killer (killer.bin) on CPUs 0 and 1" in \
        " ".join(after.console.split())
    assert {(row["cpu"], row["partner"], row["reason"])
            for row in rows_of(after.run("0001"), "killer")} == {("0", "1", REASON_CUT_OFF)}
    assert {(row["cpu"], row["partner"], row["reason"])
            for row in rows_of(after.results, "killer")} == {
        ("0", "1", REASON_LEFT_OUT), ("1", "0", REASON_LEFT_OUT)}
    assert after.verdict == f"FAIL {2 * len(expect.ALL_ROWS)}"


@in_full("a kernel that resets the machine, with no help")
def test_by_itself(boot, tmp_path):
    stick = own_kernels.new_stick(tmp_path, {"killer.bin": own_kernels.killer(),
                                             "probe.bin": own_kernels.loop()})
    left = boot(plan=plan_text(mode="parallel", **FEW), stick=stick, cpus=2, reboots=True,
                new_runs=2)
    assert len(re.findall(program.FIRST_LINE, left.console, re.M)) == 2
    assert "Run 0001 was cut off in kernel killer (killer.bin) on all CPUs" in left.console
    first, found = left.run("0001"), left.run("0002")
    assert "the run was cut off while all CPUs ran killer (killer.bin)" in first.run["errors"]
    others_are_as_ever(first, 2, "killer")
    is_exact(found, "probe", 2)
    others_are_as_ever(found, 2, "killer", "probe")
    assert left.verdict == f"FAIL {2 * len(expect.ALL_ROWS)}"


@in_full("a power cut in a built-in kernel, over three boots")
def test_power_cut_in_a_built_in_kernel(boot, tmp_path):
    """A built-in kernel is left out only after a second power cut. Other lines of skipped.csv are
    kept.
    """
    plan = plan_text(runs=10000, kernels="nop_1,loop_dec_jnz,nops")
    cut_at = r"CPU 0  loop_dec_jnz"
    stick = sticks.Stick.copy_of(IMAGE, tmp_path / "stick.img")
    boot(plan=plan, stick=stick, cpus=1, cut_at=cut_at)
    mine = f"{HEADER}\r\nnobody's line\r\nnops,0x0"
    second = boot(plan=plan, stick=stick, cpus=1, cut_at=cut_at,
                  files={"barecount/skipped.csv": mine})
    said = " ".join(second.console.split())
    assert "- Run 0001 was cut off in kernel loop_dec_jnz on CPU 0: the machine stopped there, " \
        "its power failed, or this volume failed. It is built in, so it will be run once more." \
        in said
    assert f"! \\barecount\\skipped.csv:2: expected {HEADER}; the line is left out" in \
        expect.complaints(second)
    assert skipped_lines(stick)[:3] == mine.split("\r\n")
    third = boot(plan=plan.replace("10000", "3"), stick=stick, cpus=1)
    assert "It is left out from now on" in " ".join(third.console.split())
    lines = skipped_lines(stick)
    assert [line.split(",")[0] for line in lines[3:]] == ["loop_dec_jnz", "loop_dec_jnz", ""]
    assert [line.split(",")[2:5] for line in lines[3:-1]] == [["", "0", "0001"], ["", "0", "0002"]]
    found = third.results
    assert {row["reason"] for row in rows_of(found, "loop_dec_jnz")} == {
        REASON_LEFT_OUT.replace("0001", "0002")}
    assert expect.tally(row for row in found.rows if row["kernel"] != "loop_dec_jnz") == \
        expect.verdicts(1, names=("nop_1", "nops"))


def test_outside_a_kernel_none_is_named(boot, tmp_path):
    """The power is cut while noise is measured."""
    stick = own_kernels.new_stick(tmp_path, {"probe.bin": own_kernels.loop()})
    boot(plan=plan_text(noise_ms=5000, kernels="nop_1,probe"), stick=stick, cpus=1,
         cut_at=r"CPU 0  noise")
    after = boot(plan=plan_text(kernels="probe", **FEW), stick=stick, cpus=1)
    said = " ".join(after.console.split())
    assert "- Run 0001 was cut off while measuring the noise of CPU 0: " in said
    assert "It will be tried once more." in said and "in kernel" not in said
    assert skipped_lines(stick)[1].startswith("phase noise boot,0x00000000,,0,0001,")
    assert after.verdict == "PASS"


@in_full("a kernel that resets the machine, from a read-only stick")
def test_a_stick_that_cannot_be_written(boot, tmp_path):
    """The stick cannot be written, so each boot finds the kernel's name in the journal again."""
    stick = own_kernels.new_stick(tmp_path, {"killer.bin": own_kernels.killer()})
    plan = plan_text(kernels="nop_1,killer", **FEW)
    boot(plan=plan, stick=stick, cpus=1)
    for _ in range(2):
        after = boot(plan=plan, stick=stick, cpus=1, read_only=True, new_runs=0)
        said = " ".join(expect.complaints(after))
        assert "skipped.csv could not be written: EFI_WRITE_PROTECTED" in said
        assert after.verdict == f"FAIL {len(expect.ALL_ROWS)}"
    assert skipped_lines(stick) is None
