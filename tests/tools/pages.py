# SPDX-License-Identifier: BSD-2-Clause
"""A parsed report: sections, figures and tables with their text."""
import html.parser
import re

VOID = ("meta", "br", "wbr", "link", "use", "path")


class Element:
    def __init__(self, name, attributes):
        self.name, self.attributes, self.children = name, dict(attributes), []

    @property
    def text(self):
        return "".join(child if isinstance(child, str) else child.text for child in self.children)

    def all(self, name, **attributes):
        for child in self.children:
            if isinstance(child, Element):
                if child.name == name and attributes.items() <= child.attributes.items():
                    yield child
                yield from child.all(name, **attributes)

    def one(self, name, **attributes):
        return next(self.all(name, **attributes))

    def table(self):
        """The first table below this element: lists of the cells' texts, header line included."""
        return [[cell.text for cell in line.children] for line in self.one("table").all("tr")]


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.root = Element("", {})
        self._open = [self.root]
        self.feed(text)
        assert len(self._open) == 1, f"<{self._open[-1].name}> is not closed"

    def handle_starttag(self, tag, attrs):
        element = Element(tag, attrs)
        self._open[-1].children.append(element)
        if tag not in VOID:
            self._open.append(element)

    def handle_startendtag(self, tag, attrs):
        self._open[-1].children.append(Element(tag, attrs))

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self._open.pop().name == tag

    def handle_data(self, data):
        self._open[-1].children.append(data)

    def section(self, anchor):
        return self.root.one("section", id=anchor)

    def sections(self):
        return [section.attributes["id"] for section in self.root.all("section")]

    def figures(self, anchor):
        """{(title without its unit, caption up to `=`): figure} of a section.

        Fails if two figures have the same title.
        """
        found = list(self.section(anchor).all("figure"))
        assert len({figure.one("h3").text for figure in found}) == len(found)
        unit = r" in (core cycles|ns|GB/s( \w+)?|bytes per core cycle)(?=:|$)"
        return {(re.sub(unit, "", figure.one("h3").text),
                 figure.one("figcaption").text.partition(" =")[0]): figure for figure in found}


def line_of(figure, points):
    """The vertices of the only line with `points` points, in the figure's units."""
    found = []
    for path in figure.all("path"):
        vertices = re.findall(r"[ML] ([\d.]+) ([\d.]+)", path.attributes.get("d", ""))
        if len(vertices) == points and "clip-path" in path.attributes:
            found.append([(float(x), float(y)) for x, y in vertices])
    assert len(found) == 1, f"{len(found)} lines of {points} points"
    return found[0]


def uprights(figure):
    return [float(xs[0]) for path in figure.all("path")
            if "stroke-dasharray: 1.6" in path.attributes.get("style", "")
            and len(set(xs := re.findall(r"[ML] ([\d.]+) [\d.]+", path.attributes["d"]))) == 1]
