# SPDX-License-Identifier: BSD-2-Clause
"""Make the report's HTML: elements, and the page around them.

A str is text, which is escaped; only a Markup is HTML. The page allows neither scripts nor external
resources.
"""
import pathlib

from markupsafe import Markup, escape

STYLE = pathlib.Path(__file__).with_name("report.css")
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
VOID = ("meta", "br", "wbr", "link")


def join(parts):
    return Markup("").join(parts)


def tag(name, /, *children, **attributes):
    """An element. `cls` is its class; a `_` in an attribute's name becomes `-`; None omits an
    attribute."""
    words = "".join(
        f' {"class" if key == "cls" else key.replace("_", "-")}="{escape(value)}"'
        for key, value in attributes.items() if value is not None)
    if name in VOID:
        return Markup(f"<{name}{words}>")
    inside = "".join(escape(child) for child in children)
    return Markup(f"<{name}{words}>{inside}</{name}>")


def breakable(name):
    return Markup(str(escape(name)).replace(".", ".<wbr>").replace("_", "_<wbr>"))


def cell(content, cls=None, head=False, **attributes):
    if head:
        attributes.setdefault("scope", "row")
    return tag("th" if head else "td", content, cls=cls, **attributes)


def row(*cells, cls=None, head=1):
    """A table row. Each text becomes a cell; texts among the first `head` items become headers."""
    made = (item if isinstance(item, Markup) and item.startswith(("<td", "<th"))
            else cell(item, head=place < head) for place, item in enumerate(cells))
    return tag("tr", join(made), cls=cls)


def table(header, rows, label, cls=None):
    head = join(item if isinstance(item, Markup) and item.startswith("<th")
                else tag("th", item, scope="col") for item in header)
    inside = tag("table", tag("thead", tag("tr", head)), tag("tbody", join(rows)), cls=cls)
    return tag("div", inside, cls="scroll", tabindex="0", role="region", aria_label=label)


def details(summary, *content, cls=None):
    return tag("details", tag("summary", summary), *content, cls=cls)


def items(texts, cls=None):
    return tag("ul", join(tag("li", text) for text in texts), cls=cls)


def section(anchor, title, *content):
    return tag("section", tag("h2", title), *content, id=anchor)


def page(title, contents, body):
    """The text of the whole HTML file; `contents` lists (anchor, title) of each section."""
    links = join(tag("li", tag("a", words, href=f"#{anchor}")) for anchor, words in contents)
    head = tag(
        "head", tag("meta", charset="utf-8"),
        Markup(f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("link", rel="icon", href="data:,"),
        tag("title", title), Markup(f"<style>\n{STYLE.read_text('ascii')}</style>"))
    inside = tag("body", tag("h1", title), tag("nav", tag("ul", links), aria_label="Contents"),
                 tag("main", body))
    return f"<!DOCTYPE html>\n{tag('html', head, inside, lang='en')}\n"
