# SPDX-License-Identifier: BSD-2-Clause
"""Rules for defects in a line of C, Python or nasm. Each possible change replaces a span of text.

turned      a comparison changes: < to >=, == to !=, && to ||, a jump to its opposite
off by one  a constant changes by one, for instance a number that a kernel declares
left out    a statement or an instruction is missing
ignored     an error is ignored: its code is not reached, or its status becomes a success
"""
import ast
import dataclasses
import io
import pathlib
import re
import tokenize

TURNED, OFF, OUT, IGNORED = RULES = ("turned", "off by one", "left out", "ignored")
LANGUAGES = {".c": "C", ".h": "C", ".asm": "asm", ".inc": "asm"}

OPPOSITES = {"<": ">=", ">=": "<", ">": "<=", "<=": ">", "==": "!=", "!=": "==", "&&": "||",
             "||": "&&", "and": "or", "or": "and", "not": ""}
_C_TURNS = re.compile(r"(?<= )(?:[<>]=?|[=!]=|&&|\|\|)(?=\s)|!(?=[\w(])")
_C_NOT_CODE = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.S)
_C_DECLARES = re.compile(r"(?:const|static|struct|enum|union|unsigned|int|char|bool|size_t|void"
                         r"|u?int\d+_t|va_list|extern|typedef)\b")
_C_BLOCKS = re.compile(r"(?:if|for|while|do|switch|case|default|else)\b")
_C_GOES_ON = re.compile(r"[^;{}:)\s]\s*$")
_C_RETURNS = re.compile(r"\s*\{?\s*(?:return|goto)\b")
_C_WORDS = {"STATUS_OK": re.compile(r"\breturn (STATUS_(?!OK\b)\w+);"),
            "EFI_SUCCESS": re.compile(r"\breturn (EFI_(?!SUCCESS\b)[A-Z_]+);"),
            "true": re.compile(r"\breturn (false);")}
_NUMBER = re.compile(r"(?<![\w.%$])(0[xX][0-9a-fA-F]+|\d+)[uUlL]*(?![\w.])")

_ASM_NOT_CODE = re.compile(r";[^\n]*|\"[^\"\n]*\"|'[^'\n]*'")
_ASM_INSTRUCTION = re.compile(r"[ \t]+(?!(?:align|extern|global|section)\b)[a-z]\w*\b(?!:)")
# Lines of a kernel's record, and calls of macros that make a record. A call may continue on a line
# that begins with instructions in braces.
_ASM_DECLARATION = re.compile(
    r"(?:DECLARE\w*|DEFAULT_N|BUFFER|ARGUMENT|NEEDS|CLOBBERS|KNOWN|RING0|ROWS_NEED|ROWS_BUFFER|"
    r"ROWS_PREPARE|BOTH|LATENCY|THROUGHPUT)\b|[ \t]+\{")
_ASM_NEEDED = re.compile(r"(?:DECLARE\w*|DEFAULT_N|BOTH|LATENCY|THROUGHPUT)\b|[ \t]+\{")
_JUMP = re.compile(r"\bj(n?)(z|e|b|c|s|o|l|g|a|ae|be|le|ge|p)\b")


@dataclasses.dataclass(frozen=True)
class Change:
    """The change text[begin:end] -> `new`, which has as many lines as the old text."""

    rule: str
    begin: int
    end: int
    new: str

    def of(self, text):
        return text[: self.begin] + self.new + text[self.end :]


def language(name):
    """A program without a suffix is Python."""
    return LANGUAGES.get(pathlib.PurePath(name).suffix, "Python")


def _blank(pattern, text):
    """The text with comments blanked and strings filled with `~`, in unchanged positions."""
    def same(match):
        fill = "~" if match.group()[0] in "\"'" else " "
        return re.sub(r"[^\n]", fill, match.group())
    return pattern.sub(same, text)


def _span(text, line):
    """The offsets of a line's beginning and end; the first line has number 1."""
    begin = 0
    for _ in range(line - 1):
        begin = text.index("\n", begin) + 1
    end = text.find("\n", begin)
    return begin, len(text) if end < 0 else end


def _nothing(text, begin, end, word):
    return Change(OUT, begin, end, word + "\n" * text.count("\n", begin, end))


def _numbers(code, begin, end):
    for match in _NUMBER.finditer(code, begin, end):
        digits, base = match.group(1), 16 if match.group(1)[:2].lower() == "0x" else 10
        for other in (int(digits, base) + 1, int(digits, base) - 1):
            if other >= 0:
                yield Change(OFF, *match.span(1), hex(other) if base == 16 else str(other))


def _closing(code, at):
    depth = 0
    for place in range(at, len(code)):
        depth += (code[place] == "(") - (code[place] == ")")
        if depth == 0:
            return place + 1
    return len(code)


def _c_statement(code, begin, end):
    """The span of a statement that begins in this line and contains no block, or None."""
    first = begin + len(code[begin:end]) - len(code[begin:end].lstrip())
    before = code[:first].rstrip()
    begins = before.endswith((";", "{", "}", ":", ")")) or re.search(r"\b(?:else|do)$", before)
    if first == end or not begins or not re.match(r"[\w*(+-]", code[first]) or \
            _C_DECLARES.match(code, first) or _C_BLOCKS.match(code, first):
        return None
    last = code.find(";", first)
    if last < 0 or re.search(r"[{}]", code[first:last]):
        return None
    return first, last + 1


def first_line(text, line):
    """The first line of the C statement that contains a line; gcov counts the statement there."""
    code = _blank(_C_NOT_CODE, text).splitlines()
    while line > 1 and (_C_GOES_ON.search(code[line - 2]) or re.match(r"\s*[?:]", code[line - 1])):
        line -= 1
    return line


def of_c(text, line):
    code = _blank(_C_NOT_CODE, text)
    begin, end = _span(text, line)
    if code[begin:end].lstrip().startswith("#"):
        return
    for match in _C_TURNS.finditer(code, begin, end):
        yield Change(TURNED, *match.span(), OPPOSITES.get(match.group(), ""))
    yield from _numbers(code, begin, end)
    if statement := _c_statement(code, begin, end):
        yield _nothing(text, *statement, "{ }")
    for match in re.compile(r"\bif \(").finditer(code, begin, end):
        behind = _closing(code, match.end() - 1)
        if _C_RETURNS.match(code, behind):
            condition = text[match.end() - 1 : behind]
            yield Change(IGNORED, match.end() - 1, behind, f"({condition} && 0)")
    for good, pattern in _C_WORDS.items():
        for match in pattern.finditer(code, begin, end):
            yield Change(IGNORED, *match.span(1), good)


def of_asm(text, line):
    code = _blank(_ASM_NOT_CODE, text)
    begin, end = _span(text, line)
    if not _ASM_INSTRUCTION.match(code, begin, end) and \
            not _ASM_DECLARATION.match(code, begin, end):
        return
    for match in _JUMP.finditer(code, begin, end):
        negated, condition = match.groups()
        yield Change(TURNED, *match.span(), f"j{'' if negated else 'n'}{condition}")
    yield from _numbers(code, begin, end)
    if not _ASM_NEEDED.match(code, begin, end):
        yield Change(OUT, begin, end, "")


class Python:
    """The statements of a file, by line. Only the head of a compound statement can change."""

    SIMPLE = (ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return, ast.Continue,
              ast.Break, ast.Delete, ast.Assert)
    NO_RULE = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)

    def __init__(self, text):
        self.text = text
        self._starts = [0]
        for one in text.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(one))
        self.statements = {node.lineno: node for node in ast.walk(ast.parse(text))
                           if isinstance(node, ast.stmt) and not isinstance(node, self.NO_RULE)
                           and not self._is_prose(node)}

    @staticmethod
    def _is_prose(node):
        return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)

    def _at(self, row, column):
        return self._starts[row - 1] + column

    def _place(self, row, octets):
        """The offset of a position in the syntax tree, whose columns count bytes of UTF-8."""
        of_row = self.text[self._starts[row - 1] : self._starts[row]].encode("utf-8")
        return self._at(row, len(of_row[:octets].decode("utf-8")))

    def _of(self, node):
        return (self._place(node.lineno, node.col_offset),
                self._place(node.end_lineno, node.end_col_offset))

    def _tokens(self, begin, end):
        for token in tokenize.generate_tokens(io.StringIO(self.text).readline):
            at = self._at(*token.start)
            if begin <= at < end:
                yield token, at

    def changes(self, line):
        node = self.statements.get(line)
        if node is None:
            return
        begin, end = self._of(node)
        body = getattr(node, "body", None)
        if body:
            end = self._of(body[0])[0]
        for token, at in self._tokens(begin, end):
            if token.string in OPPOSITES:
                long = len(token.string) + (token.string == "not")
                yield Change(TURNED, at, at + long, OPPOSITES[token.string])
            elif token.type == tokenize.NUMBER:
                yield from _numbers(self.text, at, at + len(token.string))
        if isinstance(node, self.SIMPLE):
            yield _nothing(self.text, begin, end, "pass")
        elif isinstance(node, ast.Raise):
            yield dataclasses.replace(_nothing(self.text, begin, end, "pass"), rule=IGNORED)
        elif isinstance(node, ast.If) and isinstance(body[0], (ast.Raise, ast.Return)):
            first, last = self._of(node.test)
            yield Change(IGNORED, first, last, f"({self.text[first:last]}) and False")


def changes(name, text, line):
    of_language = {"C": of_c, "asm": of_asm}.get(language(name))
    return list(of_language(text, line) if of_language else Python(text).changes(line))


def executable(name, text):
    """The numbers of the lines of a Python or nasm file that a mutation may change."""
    if language(name) == "Python":
        return sorted(Python(text).statements)
    return [line for line in range(1, text.count("\n") + 1) if list(of_asm(text, line))]
