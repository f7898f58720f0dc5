# SPDX-License-Identifier: BSD-2-Clause
"""Each row of kernels/instructions/ contains the instructions that its title names.

A title such as "n times: 8 dependent add r64, r64" gives the number of copies in the loop, 8 or 12,
and then a mnemonic. Other mnemonics come after "and" or "with". A title gives a register by its
name or kind (r64), an immediate by its value or width (imm8), and an address by its form ([base +
disp]) or as [mem].
"""
import re

import kernel_code

TITLE_AT, FAMILY_AT, COPIES_AT = 112, 424, 442  # in struct kernel_record
TITLE = re.compile(r"n times: (8|12) (?:in)?dependent (.+)")
LOOP_END = 2  # DEC RDI, JNZ
WORDED = {"store and load of the same 8 bytes": "mov [mem], r64 and mov r64, [mem]"}
SET_UP, SET_UP_BY = ", set up by 6 instructions", 6  # the title does not name these instructions
# Matches neither "back" in "and back" nor "itself" in "with itself".
MNEMONIC = r"(?:lock |repe? )?\w+"
NAMES = re.compile(rf"(?:^|\b(?:and|with) )(?!back|itself)({MNEMONIC})")

OPERAND = (r"(?:imm\d+|[0-9A-F]+h|\d+|(?:(?:byte|word|dword|qword) )?\[[^]]+\]|"
           r"r\d+|e?[a-d][lx]|st\d|(?:[xyz]?mm0?|k)(?:\{k1\})?(?:\{z\})?)")


def rules(*pairs):
    return [(re.compile(pattern), text) for pattern, text in pairs]


KINDS = rules((r"\b(?:r[a-d]x|r[sd]i|r9|r1\d)\b", "r64"), (r"\b(?:e[a-d]x|r\d+d)\b", "r32"),
              (r"\b(?:[a-d]l|r\d+b)\b", "r8"), (r"(?<!\{)\b([xyz]?mm|k)\d+", r"\1"))
SHAPES = rules((r"\b8\*(\w+)", r"\1 * 8"), (r"\b(?:base|index)\b", "r64"),
               (r"[+-] \d+", "+ disp"))
# Translates llvm-mc's output into the words of titles.
TITLED = rules((r"^\{vex\} ", ""), (r" \{", "{"), (r" ptr \[", " ["), (r"\bst\((\d)\)", r"st\1"),
               (r"\bst\b", "st0"), (r"^movabs ", "mov "), (r"^(cmov|set)e ", r"\1z "),
               (r"^cmovae ", "cmovnc "), (r"^rep (?=scas|cmps)", "repe "),
               (r"^(rcl \w+)$", r"\1, 1"), (r"^movdir64b (\w+)", r"movdir64b [\1]"))


def rewritten(text, by):
    for pattern, new in by:
        text = pattern.sub(new, text)
    return text


def parts(instruction):
    mnemonic, operands = re.fullmatch(rf"({MNEMONIC}) ?(.*)", instruction).groups()
    return mnemonic, operands.split(", ") if operands else []


def is_operand(said, operand):
    kind = rewritten(operand, KINDS)
    if said.startswith("imm"):
        return operand.isdigit()
    if re.fullmatch(r"[0-9A-F]+h|\d+", said):
        return operand == str(int(said[:-1], 16) if said.endswith("h") else int(said))
    if not said.endswith("]"):
        return said in (operand, kind)
    size, _, address = said.partition("[")
    its_size, _, its_address = kind.partition("[")
    return size in ("", its_size) and its_address != "" and \
        (address == "mem]" or rewritten(address, SHAPES) == rewritten(its_address, SHAPES))


def forms(title, mnemonic):
    found = re.finditer(rf"(?<!\S){mnemonic}(?: ({OPERAND}(?:, {OPERAND})*))?(?=[ ,:]|$)", title)
    return [one[1].split(", ") if one[1] else [] for one in found]


def is_named(title, instruction):
    mnemonic, operands = parts(instruction)
    return any(not said or len(said) == len(operands) and all(map(is_operand, said, operands))
               for said in forms(title, mnemonic))


def rows():
    """For each row: its name, its number of copies, its title without "n times: 8 dependent" or the
    like, and the instructions of all copies, written as in titles."""
    families = {path.stem for path in (kernel_code.TOP / "kernels/instructions").glob("*.asm")}
    for kernel, record, code in kernel_code.kernels():
        family, title = (record[at : record.index(b"\0", at)].decode("ascii")
                         for at in (FAMILY_AT, TITLE_AT))
        if family in families:
            told = TITLE.fullmatch(title)
            assert told, f"{kernel.name}: expected '{TITLE.pattern}', found '{title}'"
            copies, text = told.groups()
            end = len(code) - 1 - code[::-1].index("dec rdi")
            _, _, in_loop, *_ = kernel.declared["instructions"]
            yield kernel.name, int(copies), WORDED.get(text, text).replace(" {", "{"), \
                [rewritten(line, TITLED) for line in code[end - in_loop + LOOP_END : end]]


def wrong(copies, title, code):
    if len(code) % copies:
        return f"{len(code)} instructions, of {copies} copies"
    unnamed = [line for line in code if not is_named(title, line)]
    if len(unnamed) != (SET_UP_BY * copies if title.endswith(SET_UP) else 0):
        return f"not named: {sorted(set(unnamed))}"
    missing = set(NAMES.findall(title)) - {parts(line)[0] for line in code}
    return f"named, and not there: {missing}" if missing else None


def test_titles_name_what_is_there():
    found = list(rows())
    told = {name: wrong(*row) for name, *row in found}
    assert {name: why for name, why in told.items() if why} == {}
    with_operands = [title for _, _, title, code in found if any(forms(title, parts(code[-1])[0]))]
    assert len(told) > 650 and len(with_operands) > 600


COPIES = re.compile(r"(?:n times: |n steps along each of |(?=\d+n ))(\d+)")


def test_copies_are_those_of_the_title():
    """The record says 0 copies if the declared number of instructions does not depend on n.

    If it depends on n, the record says the title's number, or 1 if the title gives no number.
    """
    wrong_ones = {}
    for kernel, record, _ in kernel_code.kernels():
        title = record[TITLE_AT : record.index(b"\0", TITLE_AT)].decode("ascii")
        kind, _, slope, *_ = kernel.declared["instructions"]
        told = COPIES.match(title)
        wanted = 0 if kind and slope == 0 else int(told[1]) if told else 1
        copies = int.from_bytes(record[COPIES_AT : COPIES_AT + 2], "little")
        if copies != wanted:
            wrong_ones[kernel.name] = title, copies, wanted
    assert not wrong_ones
