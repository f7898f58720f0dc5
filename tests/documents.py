# SPDX-License-Identifier: BSD-2-Clause
"""Parse the fenced blocks, tables, links and anchors of the documents, for tests."""
import dataclasses
import pathlib
import re

TOP = pathlib.Path(__file__).resolve().parents[1]
DOCS = TOP / "docs"
# The user documentation: README.md and the pages in docs/.
PAGES = [TOP / "README.md", *sorted(DOCS.glob("*.md"))]
ALL = [*PAGES, TOP / "CONTRIBUTING.md", *sorted(DOCS.glob("internals/*.md")),
       *sorted((TOP / "tests").rglob("*.md"))]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)


@dataclasses.dataclass
class Block:
    """A fenced block: its language, its text, and the page and line where it starts."""
    language: str
    text: str
    page: pathlib.Path
    line: int


def blocks(page, language=None):
    """The fenced blocks of a page; with a language, only the blocks in it."""
    text = page.read_text("utf-8")
    found = [Block(block[1], block[2], page, text.count("\n", 0, block.start()) + 1)
             for block in FENCE.finditer(text)]
    return [block for block in found if language in (None, block.language)]


def prose(page):
    """The text of a page without its fenced blocks."""
    return FENCE.sub("", page.read_text("utf-8"))


def section(page, heading):
    """The text below a heading, up to the next heading of the same or a higher level."""
    level = len(heading.split()[0])
    _, found, text = page.read_text("utf-8").partition(f"\n{heading}\n")
    assert found, f"{page}: no heading '{heading}'"
    return re.split(rf"^#{{1,{level}}} ", text, maxsplit=1, flags=re.M)[0]


def tables(text):
    """The tables of a text, each as a list of rows without the header. A row is a list of cells."""
    found = re.findall(r"^\|.*\n\|[-|: ]+\n((?:\|.*\n)+)", text, re.M)
    return [[[cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]]
             for row in table.splitlines()] for table in found]


def coded(text):
    """The texts between backticks."""
    return re.findall(r"`([^`\n]+)`", text)


def anchors(page):
    """The anchors that GitHub makes from a page's headings."""
    heads = re.findall(r"^#+ (.*)$", prose(page), re.M)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def links(page):
    """The relative links of a page, as pairs (path, anchor)."""
    found = re.findall(r"\]\(([^)\s]+)\)", prose(page))
    return [(link.partition("#")[0], link.partition("#")[2])
            for link in found if not re.match(r"\w+:", link)]
