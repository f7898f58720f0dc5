# SPDX-License-Identifier: BSD-2-Clause
"""Bad kernels are reported, and good kernels beside them are exact."""
import dataclasses
import json
import re
import struct
import subprocess

import documents
import expect
import own_kernels
import patched
import pytest
from conftest import HANG_MS, TOP, plan_text
from proofs import KERNELS_BIN
from levels import thinned
from report.folder import numbers_of

# After LEAD, the faulting instruction is not the kernel's first.
LEAD, LEAD_BYTES = "nop; nop; ", 2
TOO_LARGE_BYTES = (1 << 20) + 64
TOOL_S = 120
FAILED_CELLS = 8  # number of cells in a line of the report's table of failures


@dataclasses.dataclass
class Bad:
    before: str = ""        # code before its loop
    behind: str = ""
    says: str = ""          # a pattern of the reason; OFFSET stands for an offset
    verdict: str = "fault"
    later: int = 0          # the offset in `before` of the instruction that the reason names


def raised(name, vector, more=""):
    code = more or "0x0"
    return rf"raised an exception: {name} \({vector}\), error code {code}, at OFFSET"


def changed(words):
    return rf"changed what it must leave alone: {words}$"


HANG = r"did not return within its time limit; an NMI ended it, at OFFSET"
UNMAPPED = 0x7FFFFFFFF000  # the last page below the non-canonical hole: unmapped
BAD = {
    "de": Bad("xor ecx, ecx; div ecx", says=raised("#DE", 0), later=2),
    "ud": Bad("ud2", says=raised("#UD", 6)),
    "gp": Bad("mov rax, 0x8000000000000000; mov rax, [rax]", says=raised("#GP", 13), later=10),
    "pf_read": Bad(f"mov rax, {UNMAPPED:#x}; mov rax, [rax]", later=10,
                   says=raised("#PF", 14) + f", address {UNMAPPED:#x}"),
    # The return address is in the program's code, which is read-only.
    "pf_write": Bad("mov rax, [rsp]; mov [rax], al", says=raised("#PF", 14, "0x3"), later=4),
    "pf_own_code": Bad("lea rax, [rel .again]; mov byte [rax], 0xc3", says=raised("#PF", 14, "0x3"),
                       later=7),
    # QEMU 7.2 raises no SSE exceptions, so the kernel raises #XM by INT 13H.
    "xm": Bad("int 19", says=raised("#XM", 19), later=2),
    "xm_unmasked": Bad("push 0x1d80; ldmxcsr [rsp]; pop rax; xorps xmm0, xmm0; divss xmm0, xmm0",
                       says=r"#XM \(19\)|" + changed("MXCSR")),
    "int_pf": Bad("int 14", says=r"raised an exception: #PF"),
    "bp": Bad("int3", says=r"raised an exception: #BP"),
    "smashed": Bad("xor esp, esp; push rax", says=r"raised an exception: #PF \(14\)"),
    "no_stack": Bad("sub rsp, 0x10000000; push rax", says=r"raised an exception: #PF \(14\)"),
    "jumps": Bad("mov rax, 0x1000; jmp rax",
                 says=r"#PF \(14\), error code 0x11, at address 0x1000, outside the kernel"),
    "sti": Bad("sti; jmp $", says=HANG, verdict="timeout", later=1),
    "hang": Bad("jmp $", says=HANG, verdict="timeout"),
    "rbx": Bad("mov ebx, 5", says=changed("RBX")),
    "two": Bad("mov ebx, 5; mov r15d, 6", says=changed("RBX, R15")),
    "rsp": Bad(behind="pop rax; pop rcx; push rax; push rax; mov [rsp + 8], rcx; ret 8",
               says=changed("RSP")),
    "flags": Bad(behind="std", says=changed("RFLAGS")),
    "mxcsr": Bad("push 0x5f80; ldmxcsr [rsp]; pop rax", says=changed("MXCSR")),
    "fcw": Bad("push 0x27f; fldcw [rsp]; pop rax", says=changed("the x87 control word")),
    "cr4": Bad("mov rax, cr4; xor eax, 4; mov cr4, rax", says=changed("CR4")),
    "dr7": Bad("mov eax, 0x401; mov dr7, rax", says=changed("DR7")),
    "idt": Bad("sub rsp, 16; xor eax, eax; mov [rsp], rax; mov [rsp + 8], rax; lidt [rsp]; "
               "add rsp, 16", says=changed("IDTR")),
}


def bad_files():
    """{file name: (bytes, expected message)}"""
    blob = own_kernels.buffered("file")
    other = own_kernels.changed(blob, 8, struct.pack("<I", 2))
    flipped = blob[:-1] + bytes([blob[-1] ^ 1])
    large = own_kernels.buffered("file", behind=f"jmp .end; times {TOO_LARGE_BYTES} nop; .end:")
    return {
        "z0_short.bin": (blob[:-64], "truncated: the data ends before the kernel does"),
        "z1_stub.bin": (blob[:100], "fewer bytes than a kernel record"),
        "z2_crc.bin": (flipped, "the CRC does not match"),
        "z3_abi.bin": (other, "another version of the kernel ABI, 2"),
        "z4_text.bin": (b"hello" * 200, "no kernel starts here"),
        "z5_large.bin": (large, "too large: a file may have at most 1 MiB"),
        "z6_more.bin": (blob + bytes(64), "bytes follow the kernel"),
    }


def kernels_of(bad):
    """{name: bytes} of the bad kernels, with a good kernel before and after each."""
    blobs = {}
    for number, (name, what) in enumerate(bad.items()):
        good, named = f"k{2 * number:02}_good", f"k{2 * number + 1:02}_{name}"
        blobs[good] = own_kernels.buffered(good)
        before = LEAD + what.before if what.before else ""
        blobs[named] = own_kernels.buffered(named, before, what.behind,
                                            "rax, rcx, r10, rdi, vectors")
    last = f"k{2 * len(bad):02}_good"
    return {**blobs, last: own_kernels.buffered(last)}


def wrong_of_bad(found, blobs, cpus):
    wrong = []
    for name, blob in blobs.items():
        if name.endswith("_good"):
            continue
        what = BAD[name[4:]]
        pattern = what.says.replace("OFFSET", rf"ENTRY\+{LEAD_BYTES + what.later:#x}(?=,|$)")
        for cpu in range(cpus):
            rows = [row for row in found.rows
                    if row["kernel"] == name and row["cpu"] == str(cpu)]
            said = sorted({(row["verdict"], row["reason"]) for row in rows})
            if len(said) != 1 or said[0][0] != what.verdict or not re.search(pattern, said[0][1]):
                wrong.append((name, cpu, said, what.verdict, pattern))
    return wrong


def wrong_of_good(found, blobs, cpus):
    return {name: wrong for name in blobs if name.endswith("_good")
            if (wrong := own_kernels.wrong_rows(found, name, cpus))}


def lines_of_report(folder, out):
    """Yield (kernel, CPUs, verdict, number of rows) of each line in the report's table of failures.
    """
    subprocess.run([TOP / "scripts/report", folder, "-o", out], check=True, timeout=TOOL_S,
                   stdout=subprocess.DEVNULL)
    verdicts = out.read_text("utf-8").split('id="verdicts"')[1].split("</section>")[0]
    for line in re.findall("<tr>.*?</tr>", verdicts):
        cells = [re.sub("<[^>]*>", "", cell) for cell in re.findall("<t[hd].*?</t[hd]>", line)]
        if len(cells) == FAILED_CELLS and cells[1] != "Verdict":
            yield cells[0].partition("n=")[0], cells[4], cells[1], int(cells[5])


def faults_of(found, alike):
    """(kernel, CPUs, verdict, number of rows) of each fault or timeout.

    Faults of a kernel count as one if their verdict and the text alike(reason) are the same.
    """
    events, faults = len({row["event"] for row in found.rows}), {}
    for row in found.rows:
        if row["verdict"] in ("fault", "timeout"):
            key = row["kernel"], row["verdict"], alike(row["reason"])
            faults.setdefault(key, set()).add(int(row["cpu"]))
    return sorted((kernel, numbers_of(cpus), verdict, events * len(cpus))
                  for (kernel, verdict, _), cpus in faults.items())


def check_told_once(left, blobs):
    """A bad kernel gets one line per reason and verdict. The console also merges reasons that
    differ only in their numbers.
    """
    found, db = left.results, left.folder / "db"
    expected = faults_of(found, lambda reason: reason)
    assert {kernel for kernel, *_ in expected} == {
        name for name in blobs if not name.endswith("_good")}
    told = re.findall(r"(?m)^! (k\w+) on CPUs? (\S+): (\w+), all (\d+) rows\r?$", left.console)
    assert sorted((*words, int(rows)) for *words, rows in told) == faults_of(
        found, lambda reason: re.sub("0x[0-9a-f]+|[0-9]+", "#", reason))
    assert sorted(lines_of_report(found.folder, left.folder / "report.html")) == expected
    subprocess.run([TOP / "scripts/query", db, "import", found.folder], check=True, timeout=TOOL_S,
                   stdout=subprocess.DEVNULL)
    done = subprocess.run([TOP / "scripts/query", db, "failures", "--json"], check=True,
                          timeout=TOOL_S, stdout=subprocess.PIPE)
    assert sorted((line["kernel"], line["cpus"], line["verdict"], line["rows"])
                  for line in json.loads(done.stdout)) == expected


def check_sample(console):
    """The console shows a fault as in docs/kernels.md; kernel, CPUs, rows and offset may differ."""
    sample, = [re.escape(block.text) for block in documents.blocks(TOP / "docs/kernels.md", "text")]
    for told, pattern in (("probe", r"k\d+_ud"), (r"CPUs\ 0\-2", r"CPUs?\ \S+"), ("42", r"\d+"),
                          (r"\+0x1", rf"\+{LEAD_BYTES:#x}")):
        assert sample.count(told) == 1
        sample = sample.replace(told, pattern)
    assert re.search(sample, console.replace("\r", "")), sample


def short_plan(names, count, **keys):
    """Without a second CPU, a counter's overflow ends a kernel that hangs. The counter overflows
    after five cycles for each tick of the TSC in the timeout. Emulated cycles are slow, so the
    timeout is short.
    """
    return plan_text(kernels=",".join(names), runs=2, n=10, timeout_ms=HANG_MS if count > 1 else 5,
                     **keys)


@pytest.mark.parametrize("cpus, mode, dies", thinned([
    (1, "serial", False), (2, "serial", True), (3, "parallel", False)],
    (0,), "numbers of CPUs with bad kernels"))
def test_bad_kernels_beside_good_ones(boot, tmp_path, cpus, mode, dies):
    """With mode=parallel, all measured CPUs hang at once, and another CPU ends their kernels.

    After a kernel has reset the machine, the next boot names it and runs all others.
    """
    blobs = kernels_of(BAD)
    unread = bad_files()
    files = {**{f"{name}.bin": blob for name, blob in blobs.items()},
             **{file: blob for file, (blob, _) in unread.items()}}
    if dies:
        files["k01_resets.bin"] = own_kernels.killer("k01_resets")
    stick = own_kernels.new_stick(tmp_path, files)
    names = sorted([*blobs, "k01_resets"] if dies else blobs)
    left = boot(plan=short_plan(names, cpus, mode=mode, cpus=f"0-{cpus - 1}"), stick=stick,
                cpus=cpus + (mode == "parallel"), reboots=dies, new_runs=1 + dies)
    found = left.results
    assert wrong_of_good(found, blobs, cpus) == {}
    assert wrong_of_bad(found, blobs, cpus) == []
    if not dies:
        check_told_once(left, blobs)
        check_sample(left.console)
    errors = found.run["errors"]
    for file, (_, pattern) in unread.items():
        named = [error for error in errors if file in error]
        assert len(named) == 1 and re.search(pattern, named[0]), (file, errors)
        assert file in left.console
    assert found.run["complete"] and found.missing == 0
    assert len(found.run["cpus"]) == cpus
    if dies:
        check_left_out(left, stick, "k01_resets")


def test_a_program_that_was_damaged(boot):
    """A bit of a built-in kernel is wrong."""
    at, record = patched.record_of("nops")
    table = bytearray(KERNELS_BIN.read_bytes())
    table[at + len(record) - 1] ^= 1
    before = [kernel.name for kernel in expect.all_kernels()].index("nops")
    left = boot(cpus=1, program_bytes=patched.with_table(bytes(table), at), new_runs=0,
                cut_at="Returns to the firmware")
    assert (f"The built-in kernel after number {before} cannot be used: damaged: the CRC does not "
            "match. The image is damaged: write it again.") in re.sub(r"\s+", " ", left.console)


def test_kernels_that_cannot_be_unpacked(boot):
    """The type of the packed kernels' first block (RFC 1951, 3.2.3) is wrong."""
    efi = patched.with_packed(lambda packed: packed[:4] + bytes((packed[4] ^ 6,)) + packed[5:])
    left = boot(cpus=1, program_bytes=efi, new_runs=0, cut_at="Returns to the firmware")
    assert ("The built-in kernels cannot be unpacked. The image is damaged: write it again."
            ) in re.sub(r"\s+", " ", left.console)


def check_left_out(left, stick, name):
    first = left.run(stick.runs()[0])
    assert not first.run["complete"] and name in " ".join(first.run["errors"])
    said = {(row["verdict"], row["reason"]) for row in left.results.rows if row["kernel"] == name}
    assert said == {("fault", "left out: the machine stopped in this kernel earlier, in run 0001")}
    assert name in stick.read("barecount/skipped.csv").decode("ascii")
