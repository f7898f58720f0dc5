# SPDX-License-Identifier: BSD-2-Clause
"""Check the summary.html and summary.txt of every run, and parse summary.html for other tests."""
import html.parser
import json
import re

BYTES_MAX = 300 << 10
VOID = {"meta", "br", "wbr"}
# None of these attributes fetches or runs anything.
ATTRIBUTES = {"lang", "charset", "name", "content", "http-equiv", "class", "colspan", "viewbox",
              "role", "aria-label", "d", "x", "y"}


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.open, self.wrong, self.style = [], [], ""
        self.verdict, self.title, self.heading, self.rows = "", "", "", []
        self.feed(text)
        self.close()
        self.wrong += [f"<{tag}> has no end" for tag, _ in self.open]

    def handle_starttag(self, tag, attrs):
        self.wrong += [f"<{tag} {name}=>" for name, _ in attrs if name not in ATTRIBUTES]
        if tag not in VOID:
            self.open.append((tag, dict(attrs).get("class") or ""))
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th") and self.rows:
            self.rows[-1].append("")

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open.pop()[0] != tag:
            self.wrong.append(f"</{tag}> ends nothing")

    def handle_data(self, data):
        tags = [tag for tag, _ in self.open]
        self.style += data if "style" in tags else ""
        self.title += data if "title" in tags else ""
        self.heading += data if "h1" in tags else ""
        self.verdict += data if any(name.startswith("verdict ") for _, name in self.open) else ""
        if "td" in tags or "th" in tags:
            self.rows[-1][-1] += data


def read(folder):
    text = (folder / "summary.html").read_text("ascii")
    page = Page(text)
    assert text.startswith("<!DOCTYPE html>\n") and text.endswith("</html>\n")
    assert len(text) <= BYTES_MAX
    assert not page.wrong, page.wrong
    assert not re.search(r"url\(|@import|expression", page.style)
    return page


def hold(folder):
    """Check the summaries of a run whose run.json is complete.

    If a summary is missing, an error in run.json must mention a summary.
    """
    run = json.loads((folder / "run.json").read_text("ascii"))
    missing = [name for name in ("summary.html", "summary.txt") if not (folder / name).exists()]
    if missing:
        assert any("summary." in error for error in run["errors"]), missing
        return
    line = run["verdict"]["line"]
    if not run["complete"]:
        line += ", up to where the run was cut off"
    page = read(folder)
    assert page.verdict == line and page.title == f"barecount run {run['number']:04}: {line}"
    assert (folder / "summary.txt").read_text("ascii").splitlines()[-1] == line
