# SPDX-License-Identifier: BSD-2-Clause
"""scripts/new-kernel and scripts/build-kernel."""
import re
import subprocess
import zlib

import expect
import kernel_file
import proofs
import pytest
from conftest import TOP, plan_text
from levels import in_full, thinned

BUILD_S = 300
SCRIPTS = {path.name: path for path in (TOP / "scripts/new-kernel", TOP / "scripts/build-kernel")}


@pytest.fixture
def tool(tmp_path):
    """tool(name, arguments…) runs a program in a temporary folder; returns status and output."""
    def call(name, *arguments):
        done = subprocess.run([SCRIPTS.get(name, name), *arguments], cwd=tmp_path, text=True,
                              capture_output=True, timeout=BUILD_S, check=False)
        print(done.stdout, done.stderr)
        return done.returncode, done.stdout + done.stderr
    return call


def edit(path, *changes):
    """Each old text must occur exactly once."""
    text = path.read_text("ascii")
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    path.write_text(text, "ascii")


@pytest.fixture
def probe(tool, tmp_path):
    assert tool("new-kernel", "probe.asm")[0] == 0
    return tmp_path / "probe.asm"


def test_new_kernel_is_proved_and_sealed(tool, probe, tmp_path):
    status, said = tool("build-kernel", "probe.asm")
    assert status == 0 and "Proved on this host." in said
    assert re.search(r"^probe +1000\b.* 4000 +1000 +999 +1000 +1000 .*\bpassed$", said, re.M)
    blob = (tmp_path / "probe.bin").read_bytes()
    crc_at = kernel_file.CRC_AT
    unsealed = blob[:crc_at] + bytes(4) + blob[crc_at + 4:]
    assert zlib.crc32(unsealed).to_bytes(4, "little") == blob[crc_at : crc_at + 4]
    # exactly the general registers that the code writes
    assert "CLOBBERS r10, rdi" in probe.read_text("ascii")


def test_new_kernel_overwrites_nothing(tool, probe):
    probe.write_text("mine", "ascii")
    status, said = tool("new-kernel", "probe.asm")
    assert status == 1 and "probe.asm exists already" in said
    assert probe.read_text("ascii") == "mine"
    status, said = tool("new-kernel", "probe.asm/other.asm")
    assert status == 4 and "Not a directory" in said


@pytest.mark.parametrize("name, why", [
    ("", "neither"), ("probe", "neither"), ("probe.bin", "neither"), ("Probe.asm", "is not a "
                                                                                   "kernel name"),
    ("a-b.c", "is not a kernel name"), (f"{'a' * 32}.c", "is not a kernel name")])
def test_bad_names(tool, tmp_path, name, why):
    status, said = tool("new-kernel", "--", name)
    assert status == 2 and why in said and not list(tmp_path.iterdir())


def test_another_folder(tool, tmp_path):
    (tmp_path / "mine").mkdir()
    assert tool("new-kernel", f"mine/{'a' * 31}.asm")[0] == 0
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
    ("PREPARE\n", "DECLARE near_call, exact, 0, 0\nPREPARE\n", "DECLARE near_call",
     "near_call: no such event or property"),
    ("PREPARE\n", "NO_OTHERS\n" * 8 + "DECLARE not_taken, exact, 1, 0\nPREPARE\n",
     "DECLARE not_taken", "more than 8 lines declare"),
    ("ENTRY\n", "ENTRY\nNO_OTHERS\n", "NO_OTHERS", "TIMES value"),
], ids=lambda value: value.strip()[:20])
def test_errors_have_their_line(tool, probe, old, new, at, text):
    edit(probe, (old, new))
    status, said = tool("build-kernel", "probe.asm")
    assert status == 1
    found = re.findall(r"^probe\.asm:(\d+): (.*)$", said, re.M)
    assert (str(line_of(probe, at)), True) in [(line, text in what) for line, what in found]
    assert "kernel.inc" not in said and not probe.with_suffix(".bin").exists()


def test_not_as_declared(tool, probe):
    """A failed build deletes the file that the previous build made."""
    assert tool("build-kernel", "probe.asm")[0] == 0
    edit(probe, ("DECLARE loads, exact, 0, 1", "DECLARE loads, exact, 0, 2"))
    status, said = tool("build-kernel", "probe.asm")
    assert status == 1 and "n = 1000: loads: declared 2000, counted 1000" in said
    assert "\nremoved probe.bin, an earlier build\n" in said
    assert not probe.with_suffix(".bin").exists()
    assert "removed" not in tool("build-kernel", "probe.asm")[1]
    status, said = tool("build-kernel", "probe.asm", "--no-proof")
    assert status == 0 and probe.with_suffix(".bin").exists() and "counted" not in said


def test_properties(tool, probe):
    loop = "DECLARE_BRANCH_OF_LOOP\nPREPARE\n"
    edit(probe, ("PREPARE\n    mov", f"{loop}    mov"))
    status, said = tool("build-kernel", "probe.asm")
    assert status == 0 and re.findall(r"^  (\w*(?:cond|call|tak)\w*) +(.*)", said, re.M) == [
        ("taken_branches", "n - 1"), ("conditional_branches", "n"), ("conditional_taken", "n - 1"),
        ("not_taken", "1")]
    edit(probe, (loop, f"DECLARE near_calls, exact, 0, 1\n{loop}"))
    status, said = tool("build-kernel", "probe.asm")
    assert status == 1 and "n = 1000: near_calls: declared 1000, counted 0" in said
    edit(probe, ("near_calls, exact, 0, 1", "not_taken, exact, 1, 0"))
    status, said = tool("build-kernel", "probe.asm")
    assert status == 1 and "declares a property twice" in said


@pytest.mark.parametrize("branch, said_of_it", [
    ("", "Proved by decoding, because this host cannot run it."),
    ("    js .on\n.on:\n", "Not proved, for the reason above"),
], ids=["decoded", "unproved"])
def test_what_the_host_cannot_run_is_not_refused(tool, probe, branch, said_of_it):
    """The host cannot prove privileged code whose branches depend on data."""
    edit(probe, ("CLOBBERS r10, rdi\n", "RING0\nCLOBBERS r10, rdi\n"),
         ("    dec rdi\n", branch + "    dec rdi\n"))
    status, said = tool("build-kernel", "probe.asm")
    assert status == 0 and said_of_it in said and probe.with_suffix(".bin").exists()


@pytest.mark.parametrize("place, text", [
    ("ENTRY+0x0", "add r10, [rsi]"), ("ENTRY+0x2", "add r10, [rsi]"),
    ("entry+0x3", "mov [rsi + 8]"), ("ENTRY+0xa", "TWICE"), ("ENTRY+0xd", "TWICE"),
    ("ENTRY+0x10", "dec rdi"), ("ENTRY+0x15", "ret"), ("PREPARE+0x7", "xor r10d, r10d"),
    ("0x1c0", "mov qword [rsi], 1"), ("at ENTRY+0x3", "mov [rsi + 8]"),
])
def test_the_line_of_a_place(tool, probe, place, text):
    """All code of a macro belongs to the line that uses the macro.

    Sizes of the instructions in bytes (SDM vol. 2): ADD 3, MOV to [rsi + 8] 4, INC 3, DEC 3, JNZ 2,
    NOP 1, RET 1, MOV of an immediate 7.
    """
    edit(probe, ("    dec rdi\n", "    nop\n    nop\n    nop\n    TWICE\n    dec rdi\n"),
         ("FAMILY", "%macro TWICE 0\n    inc r10\n    inc r10\n%endmacro\nFAMILY"))
    status, said = tool("build-kernel", "probe.asm", "--line", place)
    assert status == 0
    number, found = re.fullmatch(r"probe\.asm:(\d+): (.*)\n", said).groups()
    assert found.startswith(text)
    assert probe.read_text("ascii").splitlines()[int(number) - 1].strip() == found


def test_the_line_of_a_place_in_c(tool, tmp_path):
    """The compiler's trap is UD2, 0F 0B (SDM vol. 2)."""
    assert tool("new-kernel", "mine.c")[0] == 0
    source = tmp_path / "mine.c"
    edit(source, ("    uint64_t sum = 0;\n", "    uint64_t sum = 0;\n    if (buffer[2] == 7)\n"
                  "        __builtin_trap();\n"))
    assert tool("build-kernel", "mine.c", "--no-proof")[0] == 0
    blob = (tmp_path / "mine.bin").read_bytes()
    entry = kernel_file.kernel_at(blob).entry
    assert blob.count(b"\x0f\x0b", entry) == 1
    place = f"ENTRY+{blob.index(bytes((0x0f, 0x0b)), entry) - entry:#x}"
    number = line_of(source, "__builtin_trap")
    assert tool("build-kernel", "mine.c", "--line", place) == (
        0, f"mine.c:{number}: __builtin_trap();\n")
    status, said = tool("build-kernel", "mine.c", "--line", "ENTRY+0x8")  # a NOP of the entry
    assert status == 1 and "no line of this file produced the code at that place" in said


@pytest.mark.parametrize("old, new, said_of_it, line", thinned([
    ("    mov [rsi + 8], r10", "    mov [r9], r10", "raises Segmentation fault at ENTRY+0x3",
     "mov [r9], r10"),
    ("    mov [rsi + 8], r10", "    jmp rsi", "jumps out of its code at ENTRY+0x3", "jmp rsi"),
    ("    mov [rsi + 8], r10", "    mov [rsi + r8], r10",
     "writes outside its buffer at ENTRY+0x3", "mov [rsi + r8], r10"),
    ("    xor r10d, r10d", "    ud2", "prepare raises Illegal instruction at PREPARE+0x7",
     "ud2"),
    ("mov qword [rsi], 1", "mov qword [rsi + r8], 1", "prepare writes outside its buffer", None),
], (0, 2), "faults that the proof finds"), ids=[
    "exception", "jump", "write", "prepare's exception", "prepare's write"])
def test_the_proof_says_where(tool, probe, old, new, said_of_it, line):
    """--line finds the place of a fault, even if declarations are wrong.

    The ADD before the faulting instruction has 3 bytes, and the MOV in prepare 7.
    """
    edit(probe, (old, new))
    status, said = tool("build-kernel", "probe.asm")
    assert status == 1 and f"probe, n = 1: {said_of_it}\n" in said
    edit(probe, ("DECLARE loads, exact, 0, 1\n", ""),
         ("stores, exact, 0, 1", "stores, exact, 7, 7"))
    if line:
        at = said_of_it[said_of_it.index("at "):]
        status, said = tool("build-kernel", "probe.asm", "--line", at)
        assert status == 0 and said.rstrip().endswith(f": {line}")


def test_a_place_that_is_not_there(tool, probe, tmp_path):
    for words, status, says in (
            (["ENTRY+0x100"], 1, r"from 0x1c0 to 0x2\w\w, with ENTRY at 0x200; 0x300 is not in"),
            (["0x1bf"], 1, "0x1bf is not in it"), (["SECOND+0x0"], 1, "probe has no SECOND"),
            (["ENTRY+5"], 2, "'ENTRY\\+5' is not a place such as ENTRY\\+0x1c")):
        got, said = tool("build-kernel", "probe.asm", "--line", *words)
        assert got == status and re.search(says, said)
    assert tool("build-kernel", "--code", "nop", "--line", "ENTRY+0x0")[0] == 2
    assert not list(tmp_path.glob("*.bin"))


def test_a_line_of_a_source_that_has_changed(tool, probe):
    assert tool("build-kernel", "probe.asm", "--no-proof")[0] == 0
    assert "built from" not in tool("build-kernel", "probe.asm", "--line", "ENTRY+0x0")[1]
    edit(probe, ("    dec rdi\n", "    nop\n    dec rdi\n"))
    status, said = tool("build-kernel", "probe.asm", "--line", "ENTRY+0x0")
    assert status == 0 and "probe.bin was built from another version of " in said


def test_a_register_that_is_not_declared(tool, probe):
    edit(probe, ("CLOBBERS r10, rdi", "CLOBBERS rdi"))
    status, said = tool("build-kernel", "probe.asm")
    assert status == 1 and re.search(r"r10", said, re.I)


@pytest.mark.parametrize("by, rows, options", [("ran", 4, []), ("both", 3, ["--all"])])
@pytest.mark.parametrize("changes, said_of_it", [
    ([("    add r10, [rsi]\n", "    inc r10\n"), ("    mov [rsi + 8]", "    mov [rsi + 4 * r10]"),
      ("loads, exact, 0, 1", "loads, exact, 0, 0")],
     "n = {n}: writes outside its buffer at ENTRY+0x3"),
    ([("    add r10, [rsi]\n", "    add r10, [rsi]\n    cmp r10, 1010\n    cmovg r12, r10\n"),
      ("instructions, exact, 0, 4", "instructions, exact, 0, 6")],
     "n = {n}: changes r12 and does not declare it"),
    ([], "probe {n} 0 {instructions} {n} {taken} {n} {n} {by} passed"),
], ids=["buffer", "register", "nothing"])
def test_what_goes_wrong_past_the_default_is_seen(tool, probe, changes, said_of_it, by, rows,
                                                  options):
    """The errors occur only at an n above the default."""
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


@pytest.mark.parametrize("name", ["other.asm", "other.c"])
def test_a_source_of_another_name_builds_nothing(tool, probe, tmp_path, name):
    """If other.asm or other.c gives its kernel the name probe, probe.bin does not change."""
    assert tool("build-kernel", "probe.asm", "--no-proof")[0] == 0
    assert tool("new-kernel", name)[0] == 0
    other = tmp_path / name
    edit(other, ("KERNEL other", "KERNEL probe"))
    before = probe.with_suffix(".bin").read_bytes()
    status, said = tool("build-kernel", name)
    assert status == 1 and said == (f"{name}:{line_of(other, 'KERNEL probe')}: the kernel's name "
                                    "is probe, the file's is other: they must be the same\n")
    assert probe.with_suffix(".bin").read_bytes() == before


def test_a_file_that_is_no_kernel_stays(tool, probe):
    probe.with_suffix(".bin").write_text("precious", "ascii")
    status, said = tool("build-kernel", "probe.asm")
    assert status == 1 and "is not a kernel" in said
    assert probe.with_suffix(".bin").read_text("ascii") == "precious"


def test_code_for_a_plan(tool):
    """SDM vol. 2: ADD is 01 /r, IMUL 0F AF /r and MOV C7 /0, all with REX.W."""
    status, said = tool("build-kernel", "--code", "add rax, rbx; imul rcx, rdx", "--name", "mix",
                        "--init", "mov rax, strict dword 1", "--unroll", "1K", "--loop", "10")
    assert status == 0
    lines = [line for line in said.splitlines() if not line.startswith("#")]
    assert lines == ["[code mix]", "code=48 01 d8 48 0f af ca", "init=48 c7 c0 01 00 00 00",
                     "unroll=1024", "loop=10"]


@in_full("a boot with the code that build-kernel prints")
def test_code_in_a_plan(tool, boot):
    _, once = tool("build-kernel", "--code", "add rax, rbx")  # the code's default name: mine
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
    (["--code", "nop", "--name", "No"], "'No' is not a name"),
    (["--code", "nop", "--unroll", "0"], "not a number from 1 to 100000"),
    (["--code", "nop", "--loop", "1000001"], "not a number from 0 to 1000000"),
    ([], "give a FILE, or --code"),
    (["--code", "nop", "--declare"], "--declare takes only a FILE"),
], ids=lambda value: str(value)[:24])
def test_wrong_code(tool, arguments, text):
    status, said = tool("build-kernel", *arguments)
    assert status in (1, 2) and text in said


# The body is assembly, so that all compilers make the same code. It uses RAX, and the registers
# that contain n and the buffer.
IN_C = """// KERNEL made, "of a test"
// DEFAULT_N 100
// BUFFER 4096, 64
#include <stdint.h>
void kernel(uint64_t n, uint64_t *buffer, uint64_t bytes, uint64_t argument)
{
    __asm__ volatile("1: add %%rax, (%%rsi); dec %%rdi; jnz 1b"
                     : "+D"(n) : "S"(buffer), "a"(bytes + 3 * argument) : "memory");
}
"""
# n times an addition to memory, DEC and JNZ. The last JNZ is not taken.
IN_C_DECLARED = {"branches": "exact, 0, 1", "taken_branches": "exact, -1, 1",
                 "loads": "exact, 0, 1", "stores": "exact, 0, 1"}
DECLARED = re.compile(r"^((?:// )?)DECLARE (\w+), (.*)$", re.M)


def declared(said):
    return {event: numbers for _, event, numbers in DECLARED.findall(said)}


def with_lines(path, said):
    lines = [line for line in said.splitlines() if "DECLARE" in line]
    head, _, rest = path.read_text("ascii").partition("\n")
    path.write_text("\n".join([head, *lines, rest]), "ascii")


@pytest.fixture
def made(tmp_path):
    path = tmp_path / "made.c"
    path.write_text(IN_C, "ascii")
    return path


def test_new_kernel_in_c(tool, tmp_path):
    assert tool("new-kernel", "probe.c")[0] == 0
    status, said = tool("build-kernel", "probe.c")
    assert status == 0 and "Proved on this host." in said
    # The template's loop has four instructions; other code may come before it.
    assert re.search(r"^probe +1000\b.* 40\d\d +1000 +999 +1000 +1000 .*\bpassed$", said, re.M)
    status, said = tool("build-kernel", "--declare", "probe.c")
    lines = declared(said)
    assert status == 0 and {f"// DECLARE {event}, {numbers}" for event, numbers in lines.items()} \
        <= set((tmp_path / "probe.c").read_text("ascii").splitlines())
    assert tool("new-kernel", "probe.c")[0] == 1


@in_full("folders whose names have special characters")
def test_folders_of_any_name(tool, made, tmp_path, monkeypatch):
    """A folder's name may contain nasm's special characters."""
    folder = tmp_path / """it's "a" `b`; c"""
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    made = made.rename(folder / "made.c")
    status, said = tool("build-kernel", "--declare", made)
    assert status == 0 and declared(said).items() > IN_C_DECLARED.items()
    edit(made, ("// DEFAULT_N 100\n", "// DEFAULT_N 100\n// DECLARE load, exact, 0, 1\n"))
    status, said = tool("build-kernel", "--declare", made)
    assert status == 1 and f"{made}:3: kernel made: load: no such event" in said


def test_a_kernel_in_c_from_nothing_to_its_counts(tool, made, tmp_path, boot):
    status, said = tool("build-kernel", "made.c")
    assert status == 1 and "loads: neither declared nor" in said
    assert "--declare made.c prints correct lines" in said
    status, said = tool("build-kernel", "--declare", "made.c")
    lines = declared(said)
    instructions = re.fullmatch(r"exact, (\d+), 3", lines.pop("instructions"))
    assert status == 0 and lines == IN_C_DECLARED and int(instructions[1]) >= 3
    assert sorted(path.name for path in tmp_path.iterdir()) == ["made.c"]
    with_lines(made, said)
    status, said = tool("build-kernel", "made.c")
    assert status == 0 and "Proved on this host." in said
    left = boot(plan=plan_text(kernels="made"), cpus=1,
                files={"barecount/kernels/made.bin": (tmp_path / "made.bin").read_bytes()})
    for event, count in (("INST_RETIRED.ANY", 300 + int(instructions[1])),
                         ("BR_INST_RETIRED.ALL_BRANCHES", 100), ("BR_INST_RETIRED.NEAR_TAKEN", 99),
                         ("MEM_INST_RETIRED.ALL_LOADS", 100), ("MEM_INST_RETIRED.ALL_STORES", 100)):
        row = expect.row_of(left.results, "made", event)
        assert (row["median"], row["verdict"]) == (str(count), "exact"), event


@in_full("counts of a kernel in C at 500 values of n")
def test_the_function_has_what_the_kernel_has(tool, made):
    """--declare tries the argument's lowest, default and highest value: 3, 5 and 9. The number of
    loads in each turn of the outer loop is the size plus three times the argument: 64 + 9, 64 + 15
    and 64 + 27.
    """
    edit(made, ("// BUFFER 4096, 64", "// BUFFER 64, 64\n// ARGUMENT count, 5, 3, 9, 2"),
         ("1: add %%rax, (%%rsi); dec %%rdi; jnz 1b",
          "2: mov %%rax, %%r10; 1: mov (%%rsi), %%r11; dec %%r10; jnz 1b; dec %%rdi; jnz 2b"),
         (': "memory"', ': "memory", "r10", "r11"'))
    status, said = tool("build-kernel", "--declare", "made.c")
    low_c0, low_c1, high_c0, high_c1 = map(int, re.fullmatch(
        r"range, (.*), (.*), (.*), (.*)", declared(said)["loads"]).groups())
    assert status == 0
    for n in range(1, 500):
        assert low_c0 + low_c1 * n <= (64 + 9) * n and (64 + 27) * n <= high_c0 + high_c1 * n
    assert (low_c0 + low_c1, high_c0 + high_c1) == (73, 91)


@in_full("constants and vectors in C")
def test_constants_and_vectors_in_c(tool, made):
    """Constants follow the code and are aligned. Floating point works if CLOBBERS names vectors."""
    made.write_text(IN_C.partition("#include")[0] + """// CLOBBERS vectors
#include <stdint.h>
static uint64_t at(uint64_t n)
{
    static const uint64_t order[8] = {5, 0, 3, 1, 7, 2, 6, 4};
    return order[n & 7];
}
void kernel(uint64_t n, volatile double *buffer, uint64_t bytes, uint64_t argument)
{
    do
        buffer[at(n)] = buffer[0] * 1.5 + 0.25;
    while (--n);
}
""", "ascii")
    status, said = tool("build-kernel", "--declare", "made.c")
    lines = declared(said)
    assert status == 0 and lines["branches"] == "exact, 0, 1" and lines["stores"] == "exact, 0, 1"
    with_lines(made, said)
    assert "Proved on this host." in tool("build-kernel", "made.c")[1]


@pytest.mark.parametrize("old, new, text", thinned([
    ("#include", "int puts(const char *);\n#include", None),
    ("    __asm__", "    int puts(const char *);\n    puts(\"n\");\n    __asm__",
     "made.c: puts is not in this file: a kernel has no libc"),
    ("void kernel", "uint64_t total;\nvoid kernel", "made.c: total can be written to"),
    ("void kernel", "void other(void) {}\nvoid kernel", "more functions than `kernel`: other"),
    ("void kernel", "void kernal", "there is no function `kernel`"),
    ("    __asm__", "    *(volatile double *)buffer *= 1.5;\n    __asm__",
     "floating-point code needs vector registers (__muldf3): add a line `// CLOBBERS vectors`"),
    ("void kernel", "int *const volatile here[] = {(int *)&here};\nvoid kernel",
     "the code contains the address of"),
    ("void kernel(uint64_t n,", "void kernel(uint64_t n", "made.c:5:24: error: expected"),
    ("// DEFAULT_N 100\n", "// DEFAULT_N 100\n// DECLARE load, exact, 0, 1\n",
     "made.c:3: kernel made: load: no such event"),
    ("// DEFAULT_N 100\n", "// DEFAULT_N 100\n// RINGO\n",
     "made.c:3: // RINGO: no such word; the nearest is RING0"),
    ("// BUFFER 4096", "// BUFFERS 4096",
     "made.c:3: // BUFFERS: no such word; the nearest is BUFFER"),
    ("    __asm__", "    // MOV and LOOP, NOTE: remarks\n    __asm__", None),
    ("// KERNEL made", "\t // KERNEL made", None),
    ("// DEFAULT_N 100\n", "// DEFAULT_N 100\n  // DECLARE load, exact, 0, 1\n",
     "made.c:3: kernel made: load: no such event"),
    ("// KERNEL made", "// made", 'there is no line `// KERNEL name, "title"`'),
], (*range(11), 13, 14), "errors in C"), ids=[
    "declared only", "libc", "variable", "function", "name", "float", "address", "syntax", "line",
    "near a word", "near another", "remark", "indented record", "indented line", "no record"])
def test_errors_in_c(tool, made, old, new, text):
    edit(made, (old, new))
    status, said = tool("build-kernel", "--declare", "made.c")
    if text is None:
        assert status == 0
    else:
        assert status == 1 and re.search(text.replace("(", r"\(").replace(")", r"\)"), said)
        assert "Traceback" not in said


@pytest.mark.parametrize("declares", thinned(
    ["DECLARE loads, exact, 7, 7\n", ""], (0,), "declarations to correct"))
def test_declare_whatever_is_declared(tool, probe, declares):
    right = declared(re.sub(" ;.*", "", probe.read_text("ascii")))
    text = re.sub(r"^DECLARE .*\n", "", probe.read_text("ascii"), flags=re.M)
    probe.write_text(text.replace("PREPARE\n", declares + "PREPARE\n"), "ascii")
    status, said = tool("build-kernel", "--declare", "probe.asm")
    assert status == 0 and declared(said) == right and len(right) == len(kernel_file.EVENTS)
    assert not probe.with_suffix(".bin").exists()


# LOAD_OF_ODD loads in every other turn. TRIANGLE stores 1 + 2 + … + n times. STRING executes a
# string instruction.
LOAD_OF_ODD = """    test dil, 1
    jz .even
    mov r10, [rsi]
.even:
"""
TRIANGLE = """    mov r10, rdi
.inner:
    mov [rsi + 8], r10
    dec r10
    jnz .inner
"""
STRING = """    xor eax, eax
    mov r10, rdi
    mov rdi, rsi
    mov ecx, 8
    rep stosb
    mov rdi, r10
"""


@pytest.fixture
def body(tool, probe):
    def call(code):
        text = probe.read_text("ascii")
        text = text.replace("    add r10, [rsi]\n    mov [rsi + 8], r10\n", code)
        probe.write_text(text.replace("CLOBBERS r10,", "CLOBBERS rax, rcx, r10,"), "ascii")
        status, said = tool("build-kernel", "--declare", "probe.asm")
        assert status == 0
        return said
    return call


def test_declare_a_range(tool, probe, body):
    said = body(LOAD_OF_ODD)
    found = re.fullmatch(r"range, (-?\d+), (\d+), (-?\d+), (\d+)", declared(said)["loads"])
    low_c0, low_c1, high_c0, high_c1 = map(int, found.groups())
    for n in range(1, 5000):
        assert low_c0 + low_c1 * n <= (n + 1) // 2 <= high_c0 + high_c1 * n
    assert high_c1 == 1 and declared(said)["stores"] == "exact, 0, 0"
    text = re.sub(r"^DECLARE .*\n", "", probe.read_text("ascii"), flags=re.M)
    lines = "\n".join(line for line in said.splitlines() if "DECLARE" in line)
    probe.write_text(text.replace("PREPARE\n", f"{lines}\nPREPARE\n"), "ascii")
    status, said = tool("build-kernel", "probe.asm")
    assert status == 0 and "Proved on this host." in said


@in_full("counts that no declaration fits")
def test_declare_says_why_none_holds(body):
    said = body(TRIANGLE)
    found = re.search(r'^NOT_DECLARED stores, "no line holds: (.*)"$', said, re.M)[1]
    counts = re.findall(r"(\d+) at n = (\d+)", found)
    assert len(counts) == 3 and all(int(count) == int(n) * (int(n) + 1) // 2
                                    for count, n in counts)
    assert declared(said)["loads"] == "exact, 0, 0"


@pytest.mark.parametrize("dec_and_jnz, said_of_it", thinned([
    (40_000, "only n = 1 could be counted"), (24_000, "only n = 1 and 2 could be counted"),
    (10_000, None)], (0,), "lengths of kernels to declare"))
def test_declare_needs_three_n(body, dec_and_jnz, said_of_it):
    """A straight line fits any two counts, so --declare needs counts at three values of n.

    An n above 1 is left out if the kernel would probably take more than 60,000 steps.
    """
    said = body(f"    mov r10, {dec_and_jnz // 2}\n.inner:\n    dec r10\n    jnz .inner\n")
    if said_of_it is None:
        assert declared(said)["instructions"] == f"exact, 0, {dec_and_jnz + 3}"
    else:
        assert not declared(said) and "These lines declare" not in said
        assert said.count(f'"{said_of_it} within 60000 steps') == len(kernel_file.EVENTS)


@in_full("120,000 steps")
def test_declare_says_what_its_bound_is(tool, probe, body):
    """At n = 1, --declare steps at most 120,000 instructions, including the return.

    A longer kernel can be proved if its instructions are declared.
    """
    said = body("    mov r10, 59998\n.inner:\n    dec r10\n    jnz .inner\n")
    assert said.count('"only n = 1 could be counted') == len(kernel_file.EVENTS)
    edit(probe, ("mov r10, 59998", "mov r10, 59999"))
    status, said = tool("build-kernel", "--declare", "probe.asm")
    assert status == 1 and said.strip().endswith(
        "nothing can be declared: probe: n = 1: no return after 120000 steps: it runs away, or "
        "does too much in each n to be counted; do less in each n, or declare its instructions by "
        "hand")
    text = re.sub(r"^DECLARE (?!instructions)(\w+),.*", r'NOT_DECLARED \1, "long"',
                  probe.read_text("ascii"), flags=re.M)
    each = 2 * 59999 + 3
    probe.write_text(re.sub(r"^DECLARE .*", f"DECLARE instructions, exact, 0, {each}", text,
                            flags=re.M), "ascii")
    assert tool("build-kernel", "probe.asm")[0] == 0


@in_full("microcode to declare")
def test_declare_nothing_of_microcode(body):
    said = body(STRING)
    assert re.search(r'^NOT_DECLARED stores, "microcode: ', said, re.M)
    assert declared(said)["instructions"] == "exact, 0, 8"


# With the argument 3, the number of loads depends on seven bits of the TSC.
LOADS_BY_TIME = """    cmp r9, 3
    jne .same
    rdtsc
    shr eax, 5
    and eax, 127
    inc eax
.inner:
    mov r10, [rsi]
    dec eax
    jnz .inner
.same:
"""


@in_full("counts that are not the same twice")
def test_declare_nothing_that_changes_with_one_argument(probe, body):
    """With the argument 3, --declare counts the loads twice. The counts are equal 1 time in 128."""
    edit(probe, ("CLOBBERS r10, rdi", "ARGUMENT count, 5, 3, 9, 2\nCLOBBERS r10, rdx, rdi"))
    for said in (body(LOADS_BY_TIME) for _ in range(8)):
        found = re.search(r'^NOT_DECLARED loads, "not the same twice: (\d+) and (\d+) at n = [1-9]',
                          said, re.M)
        if found:
            break
    assert found and found[1] != found[2]
    assert declared(said) == {"stores": "exact, 0, 0"}


@in_full("a kernel that faults only at times")
def test_declare_names_the_n_that_faults_only_at_times(tool, probe):
    """The kernel faults only at the largest n, and only if a bit of the TSC is 1.

    The prover tries the largest n twice. For a buffer with room for 1000 accesses of 4 bytes, this
    n is 2 * 1000 + 1003 = 3003.
    """
    edit(probe, ("BUFFER 4096, 64", "BUFFER 4000, 64"), ("CLOBBERS r10,", "CLOBBERS rax, rdx,"),
         ("    mov [rsi + 8], r10\n    dec rdi\n    jnz .again\n",
          "    cmp rdi, 3003\n    jb .fine\n    rdtsc\n    test eax, 64\n    jz .fine\n"
          "    mov rax, [r9]\n.fine:\n"),
         ("add r10, [rsi]", "mov rax, [rsi]"), ("    xor r10d, r10d\n", ""))
    assert tool("build-kernel", "probe.asm", "--no-proof")[0] == 0
    faults = [said for status, said in
              (tool(proofs.PROVER, "--declare", "probe.bin") for _ in range(16)) if status]
    assert faults and all("n = 3003: raises Segmentation fault" in said for said in faults)


def test_declare_what_cannot_be_counted(tool, probe):
    edit(probe, ("    mov [rsi + 8], r10", "    mov [rsi + 8 * rdi], r10"))
    status, said = tool("build-kernel", "--declare", "probe.asm")
    assert status == 1 and "nothing can be declared: " in said and "outside its buffer" in said
    assert "DECLARE" not in said.replace("NOT_DECLARED", "")
