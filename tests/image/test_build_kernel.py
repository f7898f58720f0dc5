# SPDX-License-Identifier: BSD-2-Clause
"""scripts/new-kernel and scripts/build-kernel: what they write, and how they say what is wrong."""
import re
import subprocess
import zlib

import expect
import kernel_file
import proofs
import pytest
from conftest import TOP, plan_text

BUILD_S = 300
SCRIPTS = {path.name: path for path in (TOP / "scripts/new-kernel", TOP / "scripts/build-kernel")}


@pytest.fixture
def tool(tmp_path):
    """tool(name, arguments…) in a folder of the test's own: status, and what it said."""
    def call(name, *arguments):
        done = subprocess.run([SCRIPTS.get(name, name), *arguments], cwd=tmp_path, text=True,
                              capture_output=True, timeout=BUILD_S, check=False)
        print(done.stdout, done.stderr)
        return done.returncode, done.stdout + done.stderr
    return call


def edit(path, *changes):
    """Replace texts of a file, each of which stands there once."""
    text = path.read_text("ascii")
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    path.write_text(text, "ascii")


@pytest.fixture
def probe(tool, tmp_path):
    """What new-kernel writes."""
    assert tool("new-kernel", "probe")[0] == 0
    return tmp_path / "probe.asm"


def test_new_kernel_is_proved_and_sealed(tool, probe, tmp_path):
    status, said = tool("build-kernel", "probe.asm")
    assert status == 0 and "Proved on this host." in said
    assert re.search(r"^probe +1000\b.* 4000 +1000 +999 +1000 +1000 .*\bpassed$", said, re.M)
    blob = (tmp_path / "probe.bin").read_bytes()
    crc_at = kernel_file.CRC_AT
    unsealed = blob[:crc_at] + bytes(4) + blob[crc_at + 4:]
    assert zlib.crc32(unsealed).to_bytes(4, "little") == blob[crc_at : crc_at + 4]
    # Every general register that the code names for writing is declared, no other.
    assert "CLOBBERS r10, rdi" in probe.read_text("ascii")


def test_new_kernel_overwrites_nothing(tool, probe):
    probe.write_text("mine", "ascii")
    status, said = tool("new-kernel", "probe")
    assert status == 1 and "probe.asm is there already" in said
    assert probe.read_text("ascii") == "mine"
    status, said = tool("new-kernel", "other", "--dir", "probe.asm")
    assert status == 4 and "Not a directory" in said


@pytest.mark.parametrize("name", ["", "Probe", "a-b", "../x", "a" * 32])
def test_bad_names(tool, tmp_path, name):
    status, said = tool("new-kernel", "--", name)
    assert status == 2 and "is no name of a kernel" in said and not list(tmp_path.iterdir())


def test_another_folder(tool, tmp_path):
    (tmp_path / "mine").mkdir()
    assert tool("new-kernel", "a" * 31, "--dir", "mine")[0] == 0
    assert tool("build-kernel", f"mine/{'a' * 31}.asm", "-o", "out.bin")[0] == 0
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".bin"] == ["out.bin"]


def line_of(path, text):
    lines = path.read_text("ascii").splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


@pytest.mark.parametrize("old, new, at, text", [
    ("    dec rdi", "    dekr rdi, 1", "dekr", "instruction expected"),
    ("    jnz .again", "    jnz .agian", "jnz", "there is no label .agian"),
    ("END_KERNEL\n", "\n", "KERNEL probe", "END_KERNEL is missing"),
    ("FAMILY user\n", "\n", "KERNEL probe", "FAMILY is missing"),
    ("DEFAULT_N 1000\n", "\n", "END_KERNEL", "DEFAULT_N is missing"),
    ("DECLARE loads, exact, 0, 1\n", "\n", "END_KERNEL", "loads: neither declared nor"),
    ("DECLARE loads, exact, 0, 1\n", "DECLARE loads, exact, 1\n", "DECLARE loads", "3 parameters"),
    ("CLOBBERS r10, rdi", "CLOBBERS r10, rsp", "CLOBBERS", "rsp: no register that may be"),
], ids=lambda value: value.strip()[:20])
def test_errors_have_their_line(tool, probe, old, new, at, text):
    edit(probe, (old, new))
    status, said = tool("build-kernel", "probe.asm")
    assert status == 1
    found = re.findall(r"^probe\.asm:(\d+): (.*)$", said, re.M)
    assert (str(line_of(probe, at)), True) in [(line, text in what) for line, what in found]
    assert "kernel.inc" not in said and not probe.with_suffix(".bin").exists()


def test_not_as_declared(tool, probe):
    """The build from before goes too: it would be taken for this one."""
    assert tool("build-kernel", "probe.asm")[0] == 0
    edit(probe, ("DECLARE loads, exact, 0, 1", "DECLARE loads, exact, 0, 2"))
    status, said = tool("build-kernel", "probe.asm")
    assert status == 1 and "n = 1000: loads: declared 2000, counted 1000" in said
    assert not probe.with_suffix(".bin").exists()
    status, said = tool("build-kernel", "probe.asm", "--no-proof")
    assert status == 0 and probe.with_suffix(".bin").exists() and "counted" not in said


@pytest.mark.parametrize("branch, said_of_it", [
    ("", "Proved on this host, which cannot run it, by decoding."),
    ("    js .on\n.on:\n", "Not proved, for the reason above"),
], ids=["decoded", "unproved"])
def test_what_the_host_cannot_run_is_not_refused(tool, probe, branch, said_of_it):
    """Privileged code whose branches hang on data has no proof here: its rows on the stick are."""
    edit(probe, ("CLOBBERS r10, rdi\n", "RING0\nCLOBBERS r10, rdi\n"),
         ("    dec rdi\n", branch + "    dec rdi\n"))
    status, said = tool("build-kernel", "probe.asm")
    assert status == 0 and said_of_it in said and probe.with_suffix(".bin").exists()


def test_a_register_that_is_not_declared(tool, probe):
    edit(probe, ("CLOBBERS r10, rdi", "CLOBBERS rdi"))
    status, said = tool("build-kernel", "probe.asm")
    assert status == 1 and re.search(r"r10", said, re.I)


@pytest.mark.parametrize("by, rows, options", [("ran", 4, []), ("both", 3, ["--all"])])
@pytest.mark.parametrize("changes, said_of_it", [
    ([("    add r10, [rsi]\n", "    inc r10\n"), ("    mov [rsi + 8]", "    mov [rsi + 4 * r10]"),
      ("loads, exact, 0, 1", "loads, exact, 0, 0")], "n = {n}: writes beside its buffer"),
    ([("    add r10, [rsi]\n", "    add r10, [rsi]\n    cmp r10, 1010\n    cmovg r12, r10\n"),
      ("instructions, exact, 0, 4", "instructions, exact, 0, 6")],
     "n = {n}: changes r12 and does not declare it"),
    ([], "probe {n} 0 {instructions} {n} {taken} {n} {n} {by} passed"),
], ids=["buffer", "register", "nothing"])
def test_what_goes_wrong_past_the_default_is_seen(tool, probe, changes, said_of_it, by, rows,
                                                  options):
    """The last n is past the end of the buffer: there the kernel runs, stepped or not."""
    edit(probe, *changes)
    assert tool("build-kernel", "probe.asm", "--no-proof")[0] == 0
    status, said = tool(proofs.PROVER, *options, "--seed", "1", "probe.bin")
    n, = [int(n) for n in re.findall(r"^probe(?:, n =)? +(\d+)\b", said, re.M) if int(n) > 1000]
    assert said_of_it.format(n=n, by=by, instructions=4 * n, taken=n - 1) in " ".join(said.split())
    assert status == (1 if changes else 0) and f"{rows - bool(changes)} passed" in said


def test_only_one_kernel_and_nothing_beside_it(tool, probe, tmp_path):
    text = probe.read_text("ascii")
    two = text + text[text.index("KERNEL probe"):].replace("KERNEL probe", "KERNEL second")
    probe.write_text(two, "ascii")
    status, said = tool("build-kernel", "probe.asm")
    assert status == 1 and "2 kernels: probe, second" in said
    probe.write_text(text + "\nnop\n", "ascii")
    status, said = tool("build-kernel", "probe.asm")
    assert status == 1 and "probe.asm: at offset 576" in said
    assert tool("build-kernel", "none.asm")[0] == 1
    assert not list(tmp_path.glob("*.bin"))


def test_a_file_that_is_no_kernel_stays(tool, probe):
    probe.with_suffix(".bin").write_text("precious", "ascii")
    status, said = tool("build-kernel", "probe.asm")
    assert status == 1 and "is no kernel" in said
    assert probe.with_suffix(".bin").read_text("ascii") == "precious"


def test_code_for_a_plan(tool):
    """The bytes are those of SDM vol. 2: ADD 01 /r, IMUL 0F AF /r and MOV C7 /0, with REX.W."""
    status, said = tool("build-kernel", "--code", "add rax, rbx; imul rcx, rdx", "--name", "mix",
                        "--init", "mov rax, strict dword 1", "--unroll", "50", "--loop", "10")
    assert status == 0
    lines = [line for line in said.splitlines() if not line.startswith("#")]
    assert lines == ["[code mix]", "code=48 01 d8 48 0f af ca", "init=48 c7 c0 01 00 00 00",
                     "unroll=50", "loop=10"]


def test_code_in_a_plan(tool, boot):
    """What is printed, in a plan: each copy of the code is counted, whatever runs around it."""
    _, once = tool("build-kernel", "--code", "add rax, rbx")  # its name is free for a section
    _, loop = tool("build-kernel", "--code", "mov rax, [rsi]; jmp $ + 2; imul rcx, rdx", "--name",
                   "loop", "--init", "mov rdx, 3", "--unroll", "5", "--loop", "10")
    left = boot(plan=plan_text(kernels="code") + once + loop, cpus=1)
    for name, event, count in (
            ("mine", "INST_RETIRED.ANY", 1), ("mine", "BR_INST_RETIRED.ALL_BRANCHES", 0),
            ("loop", "INST_RETIRED.ANY", 3), ("loop", "BR_INST_RETIRED.ALL_BRANCHES", 1),
            ("loop", "MEM_INST_RETIRED.ALL_LOADS", 1), ("loop", "MEM_INST_RETIRED.ALL_STORES", 0)):
        assert float(expect.row_of(left.results, name, event)["per_iteration"]) == count


@pytest.mark.parametrize("arguments, text", [
    (["--code", "nop; foo rax"], "--code, 'foo rax': parser: instruction expected"),
    (["--code", "nop", "--init", "bar"], "--init, 'bar'"),
    (["--code", ""], "no instruction"),
    (["--code", "times 4097 nop"], "4097 bytes"),
    (["--code", "nop", "--name", "No"], "'No' is none"),
    (["--code", "nop", "--unroll", "0"], "no number from 1 to 100000"),
    (["--code", "nop", "--loop", "1000001"], "no number from 0 to 1000000"),
    ([], "give a FILE.asm, or --code"),
], ids=lambda value: str(value)[:24])
def test_wrong_code(tool, arguments, text):
    status, said = tool("build-kernel", *arguments)
    assert status in (1, 2) and text in said
