# SPDX-License-Identifier: BSD-2-Clause
"""Turn a kernel's source, in nasm or C, into the bytes of its record and code.

A C file has a function `kernel`, which is compiled to position-independent code without writable
data. A few lines of nasm put the record before the code. Comments that begin with a macro of
kernels/kernel.inc, such as `// DECLARE loads, exact, 0, 1`, fill in the record.
"""
import difflib
import pathlib
import re
import subprocess

TOP = pathlib.Path(__file__).resolve().parents[2]
TOOL_S = 60
# These options compile C without libc, and keep clang from replacing a loop by a call.
C_FLAGS = ("-std=c11", "-O2", "-Wall", "-ffreestanding", "-fpie", "-fvisibility=hidden",
           "-ffunction-sections", "-falign-loops=1", "-fno-unroll-loops", "-fno-stack-protector",
           "-mno-red-zone", "-fno-asynchronous-unwind-tables", "-fcf-protection=none")
# Comments in C files may use these macros of kernel.inc.
C_WORDS = ("FAMILY", "KERNEL", "DEFAULT_N", "BUFFER", "ARGUMENT", "ROUND", "MOVES", "COPIES",
           "NEEDS", "RING0", "CLOBBERS", "DECLARE", "NOT_DECLARED", "DECLARE_LOOP", "NO_OTHERS",
           "DECLARE_BRANCH_OF_LOOP")
# Source: System V ABI, AMD64 supplement, "Registers".
C_CLOBBERS = "rax, rcx, rdx, rsi, rdi, r8, r9, r10, r11"
# These features of kernels/kernel.h need only general registers.
GENERAL = {"popcnt", "lzcnt", "bmi1", "bmi2", "adx", "movbe", "cx16", "rdrand", "rdseed",
           "clflushopt", "clwb", "prefetchw", "serialize", "movdiri", "movdir64b", "rdtscp",
           "rdpid"}
# The names of features in clang. Features that are not listed have the same name in clang, but
# without underscores. None means that clang has no option for the feature.
CLANG_NAMES = {"sse4_1": "sse4.1", "sse4_2": "sse4.2", "bmi1": "bmi", "pclmulqdq": "pclmul",
               "prefetchw": "prfchw", "rdrand": "rdrnd", "rdtscp": None}
# A kernel gets the buffer's size in R8 and its argument in R9; a C function expects them in RDX and
# RCX. The NOP pads the entry to 16 bytes, so that the function is aligned.
C_ENTRY = """section .text.entry progbits alloc exec nowrite align=64
    mov rdx, r8
    mov rcx, r9
    db 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0
"""
LINKED = """SECTIONS {
    .code 0 : { *(.text.entry) *(.text.kernel) *(.text .text.*) *(.rodata .rodata.*) }
    /DISCARD/ : { *(.comment .note* .eh_frame* .llvm_addrsig) }
}
"""

_C_LINE = re.compile(r"\s*//\s*([A-Z][A-Z0-9_]+)\b(.*)")
# This name replaces the C file's path, which may contain characters that nasm does not accept.
_IN_C = "source.in.c"
_NEAR = 0.8  # difflib's cutoff: RINGO and NEED resemble a macro, MOV and LOOP do not
_SECTION = re.compile(r"\s*\[ *(\d+)\] (\S+) +\S+ +\S+ \S+ ([0-9a-f]+) \S+ +(\w*) ")
_SYMBOL_ROW = re.compile(r" *\d+: [0-9a-f]+ +\S+ (\w+) +(\w+) +\w+ +(\w+) (\S+)$")
_RELOCATION = re.compile(r"[0-9a-f]{16}  [0-9a-f]{16} (R_X86_64_\w+) +(?:[0-9a-f]+ (\S+))?")
# Relocations that put no address into the code.
_RELATIVE = {"R_X86_64_PC32", "R_X86_64_PLT32", "R_X86_64_PC64", "R_X86_64_NONE"}
# clang calls these functions if floating-point code must not use vector registers.
_FLOAT_CALL = re.compile(r"__(add|sub|mul|div|neg|float|fix|extend|trunc|eq|ne|lt|le|gt|ge|unord)"
                         r"\w*[sdxth]f\w*")
# nasm writes `file:line: error: text`. After an error in a macro, nasm adds a line about the
# macro's definition.
_SAID = re.compile(r"(.+?):(\d+): (?:error|warning|fatal): (.*)(\n.*\.\.\. from macro `KERNEL')?")
# A line of nasm's listing contains its number, an offset, bytes, and the nesting depth of macros.
_LISTED = re.compile(r"^ *(\d+) (?:([0-9A-F]{8}) (\S+))? *(<\d+>)?", re.M)
# If the macro KERNEL uses an undefined symbol, another macro is missing from the source.
_SYMBOL = re.compile(r"symbol `(kernel_\w*)(\.\w+)?' not defined")


class Wrong(Exception):
    """The user's source is wrong."""


class HostError(Exception):
    """A tool on this host is missing or hangs."""


def run(command, bound_s, **more):
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=bound_s,
                              check=False, stdin=subprocess.DEVNULL, **more)
    except FileNotFoundError:
        raise HostError(f"{command[0]} is missing: run `scripts/setup program`") from None
    except subprocess.TimeoutExpired:
        raise HostError(f"{command[0]}: did not end within {bound_s} s") from None


def open_field(symbol):
    if symbol == "kernel_family":
        return "FAMILY is missing: add a line `FAMILY user` above KERNEL"
    return "END_KERNEL is missing, or precedes a macro that KERNEL needs"


def errors_of(stderr):
    said, fields = [], []
    for file, line, text, in_kernel in _SAID.findall(stderr):
        symbol = _SYMBOL.match(text)
        if symbol and in_kernel:
            fields.append((file, int(line), open_field(symbol.group(1))))
        elif symbol and symbol.group(2):
            said.append((file, int(line), f"there is no label {symbol.group(2)}"))
        else:
            said.append((file, int(line), text))
    # An error in another line may be the only reason why a field is undefined. Undefined fields are
    # therefore reported only if there is no other error.
    return sorted(set(said or fields[:1]), key=lambda error: error[1:])


def assembled(source, out, *flags):
    done = run(["nasm", "-f", "bin", "-Werror", *flags, "-I", f"{TOP / 'kernels'}/",
                "-I", f"{source.parent}/", "-o", str(out), str(source)], TOOL_S)
    if done.returncode != 0:
        found = errors_of(done.stderr)
        raise Wrong("\n".join(f"{file}:{line}: {text}" for file, line, text in found)
                    or done.stderr.strip())
    return out.read_bytes()


def c_lines(source):
    lines = [(number, *found.groups())
             for number, line in enumerate(source.read_text("utf-8").splitlines(), 1)
             if (found := _C_LINE.match(line))]
    for number, word, _ in lines:
        near = difflib.get_close_matches(word, C_WORDS, 1, _NEAR)
        if near and word not in C_WORDS:
            raise Wrong(f"{source}:{number}: // {word}: no such word; the nearest is {near[0]} "
                        "(begin all other comments with a lower-case letter)")
    return [line for line in lines if line[1] in C_WORDS]


def words_of(lines, macro):
    return {word.strip() for _, name, rest in lines if name == macro
            for word in rest.partition(";")[0].split(",")}


def uses_vectors(lines):
    return "vectors" in words_of(lines, "CLOBBERS") or bool(words_of(lines, "NEEDS") - GENERAL)


def compiled(source, lines, out, *flags):
    names = [CLANG_NAMES.get(word, word.replace("_", "")) for word in words_of(lines, "NEEDS")]
    done = run(["clang", *C_FLAGS, *([] if uses_vectors(lines) else ["-mgeneral-regs-only"]),
                *(f"-m{name}" for name in names if name), *flags, "-c", "-o", str(out),
                str(source)], TOOL_S)
    if done.returncode != 0:
        raise Wrong(done.stderr.strip())
    print(done.stderr, end="", flush=True)


def read_object(path):
    """Return {section number: (name, size, flags)}, [(type, binding, section number, name)] of
    symbols, and [(type, symbol)] of relocations.
    """
    said = run(["readelf", "-W", "-S", "-s", "-r", str(path)], TOOL_S).stdout
    sections = {number: (name, int(size, 16), flags) for number, name, size, flags
                in (found.groups() for found in map(_SECTION.match, said.splitlines()) if found)}
    symbols = [found.groups() for found in map(_SYMBOL_ROW.match, said.splitlines()) if found]
    return sections, symbols, _RELOCATION.findall(said)


def check_object(source, path):
    """Refuse an object that cannot be a kernel, which is copied before it runs."""
    sections, symbols, relocations = read_object(path)
    functions = {name for kind, binding, _, name in symbols
                 if kind == "FUNC" and binding == "GLOBAL"}
    if "kernel" not in functions:
        raise Wrong(f"{source}: there is no function `kernel`: expected\nvoid kernel(uint64_t n, "
                    "void *buffer, uint64_t bytes, uint64_t argument)")
    if len(functions) > 1:
        raise Wrong(f"{source}: more functions than `kernel`: "
                    f"{', '.join(sorted(functions - {'kernel'}))}; declare helper functions "
                    "`static`")
    for _, _, number, name in symbols:
        if number == "UND" and _FLOAT_CALL.fullmatch(name):
            raise Wrong(f"{source}: floating-point code needs vector registers ({name}): add a "
                        "line `// CLOBBERS vectors`, or one such as `// NEEDS avx2`")
        if number == "UND":
            raise Wrong(f"{source}: {name} is not in this file: a kernel has no libc, and is not "
                        "linked with other files")
    writable = {number for number, (section, size, flags) in sections.items()
                if size and "W" in flags and not section.startswith(".data.rel.ro")}
    if writable:
        names = [name for kind, _, number, name in symbols
                 if kind == "OBJECT" and number in writable]
        raise Wrong(f"{source}: {', '.join(names) or 'something'} can be written to: a kernel has "
                    "no writable data other than its buffer and its stack")
    for kind, symbol in relocations:
        if kind not in _RELATIVE:
            raise Wrong(f"{source}: the code contains the address of "
                        f"{symbol.removeprefix('.text.')} ({kind}): a kernel is copied to another "
                        "address")


def of_c(source, folder, *flags):
    lines = c_lines(source)
    if not any(word == "KERNEL" for _, word, _ in lines):
        raise Wrong(f'{source}: there is no line `// KERNEL name, "title"`; '
                    f"scripts/new-kernel writes an example")
    paths = {name: folder / name for name in ("code.o", "entry.asm", "entry.o", "linked.ld",
                                              "code.bin", "kernel.asm", "raw")}
    compiled(source, lines, paths["code.o"])
    check_object(source, paths["code.o"])
    paths["entry.asm"].write_text(C_ENTRY, "ascii")
    paths["linked.ld"].write_text(LINKED, "ascii")
    for command in (["nasm", "-f", "elf64", "-o", paths["entry.o"], paths["entry.asm"]],
                    ["ld.lld", "-T", paths["linked.ld"], "--oformat", "binary", "-o",
                     paths["code.bin"], paths["entry.o"], paths["code.o"]]):
        done = run(list(map(str, command)), TOOL_S)
        if done.returncode != 0:
            raise Wrong(f"{source}: {done.stderr.strip()}")
    clobbers = C_CLOBBERS + (", vectors" if uses_vectors(lines) else "")
    paths["kernel.asm"].write_text(
        '%include "kernel.inc"\nFAMILY user\n' +
        "".join(f"%line {number}+0 {_IN_C}\n{word}{rest}\n" for number, word, rest in lines) +
        f"CLOBBERS {clobbers}\nENTRY\ndb {', '.join(map(str, paths['code.bin'].read_bytes()))}\n"
        "END_KERNEL\n", "utf-8")
    try:
        return assembled(paths["kernel.asm"], paths["raw"], *flags)
    except Wrong as why:
        raise Wrong(re.sub(rf"^{_IN_C}:", lambda _: f"{source}:", str(why), flags=re.M)) from None


def raw_of(source, folder, *flags):
    """The bytes have no checksum yet. `flags` are for nasm."""
    if source.suffix == ".c":
        return of_c(source, folder, *flags)
    return assembled(source, folder / "raw", *flags)


def listed_line(listing, offset):
    line, found, goes_on = 0, (-1, 0), False
    for number, at, code, inner in _LISTED.findall(listing):
        if not inner and not goes_on:  # not in a macro or another file, and no continuation
            line = int(number)
        goes_on = code.endswith("-")
        if at and found[0] < int(at, 16) <= offset:
            found = int(at, 16), line
    return found[1]


def line_of(source, folder, offset, entry, *flags):
    """Return the number of the source line that produced the byte at `offset`; 0 if unknown.

    Call this function after raw_of(), with the same folder and flags.
    """
    if source.suffix != ".c":
        assembled(source, folder / "raw", *flags, "-l", str(folder / "listing"))
        return listed_line((folder / "listing").read_text("utf-8", "replace"), offset)
    compiled(source, c_lines(source), folder / "debug.o", "-g")
    run(["ld.lld", "-T", str(folder / "linked.ld"), "-o", str(folder / "debug"),
         str(folder / "entry.o"), str(folder / "debug.o")], TOOL_S)
    said = run(["addr2line", "-e", str(folder / "debug"), hex(offset - entry)], TOOL_S).stdout
    found = re.search(r":(\d+)", said)
    return int(found[1]) if found else 0
