# SPDX-License-Identifier: BSD-2-Clause
"""Parse the fenced blocks, tables, links and anchors of the documents, for tests."""
import dataclasses
import pathlib
import re

TOP = pathlib.Path(__file__).resolve().parents[1]
DOCS = TOP / "docs"
PAGES = [TOP / "README.md", *sorted(DOCS.glob("*.md"))]
ALL = [*PAGES, TOP / "CONTRIBUTING.md", *sorted(DOCS.glob("internals/*.md")),
       *sorted((TOP / "tests").rglob("*.md"))]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)


@dataclasses.dataclass
class Block:
    language: str
    text: str
    page: pathlib.Path
    line: int


def blocks(page, language=None):
    text = page.read_text("utf-8")
    found = [Block(block[1], block[2], page, text.count("\n", 0, block.start()) + 1)
             for block in FENCE.finditer(text)]
    return [block for block in found if language in (None, block.language)]


def prose(page):
    return FENCE.sub("", page.read_text("utf-8"))


def section(page, heading):
    """The text below a heading, up to the next heading of its level or a higher one."""
    level = len(heading.split()[0])
    _, found, text = page.read_text("utf-8").partition(f"\n{heading}\n")
    assert found, f"{page}: no heading '{heading}'"
    return re.split(rf"^#{{1,{level}}} ", text, maxsplit=1, flags=re.M)[0]


def tables(text):
    found = re.findall(r"^\|.*\n\|[-|: ]+\n((?:\|.*\n)+)", text, re.M)
    return [[[cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]]
             for row in table.splitlines()] for table in found]


def coded(text):
    return re.findall(r"`([^`\n]+)`", text)


def anchors(page):
    """The anchors that GitHub makes from headings."""
    heads = re.findall(r"^#+ (.*)$", prose(page), re.M)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def links(page):
    found = re.findall(r"\]\(([^)\s]+)\)", prose(page))
    return [(link.partition("#")[0], link.partition("#")[2])
            for link in found if not re.match(r"\w+:", link)]
