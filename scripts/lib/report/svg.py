# SPDX-License-Identifier: BSD-2-Clause
"""Draw plots with matplotlib, as SVG in the page's colors, narrow enough for a phone.

The same input always produces the same bytes: no date is written, and ids depend only on the
content.
"""
import io
import itertools
import math
import re

import matplotlib
from markupsafe import Markup, escape
from matplotlib import ticker
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.colors import LogNorm, Normalize
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from report.folder import emulated_words
from report.html import details, tag

WIDTH_IN, HEIGHT_IN, BENEATH_IN = 5.0, 3.3, 1.5
LEGEND_IN = 0.43   # from the axes to the legend
SHORT = 24         # characters; two labels of this length fit on a line of the legend
LARGER_PT = 5
MARK_APART = 0.17  # width of a mark's label, as a fraction of the axes
INK, GRID = "#010203", "#040506"  # inline() replaces them with the page's colors, for dark mode
COLOURS = ("#2f7fc1", "#d9622b", "#2c9c6a", "#b5609a", "#b98a1b", "#7d6bd0", "#3aa6b9", "#8a8f98")
MARKERS = "osD^vPX*"
LINES = ("-", "--", "-.", ":")
MARK_PT = 9
LOG_FROM = 20  # a color scale is logarithmic above this ratio of the largest value to the smallest
POINTS_MAX = 600  # more points than this are drawn as a bitmap
WRITTEN_CELLS_MAX = 16  # up to this many rows and columns, a matrix shows its numbers

matplotlib.rcdefaults()
matplotlib.rcParams.update({
    "svg.fonttype": "none", "svg.hashsalt": "barecount", "font.family": "DejaVu Sans",
    "font.size": 10, "figure.dpi": 144, "text.color": INK, "axes.edgecolor": INK,
    "axes.labelcolor": INK, "xtick.color": INK, "ytick.color": INK, "axes.grid": True,
    "grid.color": GRID, "grid.linewidth": 0.6, "axes.axisbelow": True, "axes.facecolor": "none",
    "figure.facecolor": "none", "legend.frameon": False, "legend.fontsize": 9,
    "axes.spines.top": False, "axes.spines.right": False, "text.parse_math": False,
})


def styles():
    """Yield styles of lines that can be told apart without color."""
    for number in itertools.count():
        yield {"color": COLOURS[number % len(COLOURS)], "marker": MARKERS[number % len(MARKERS)],
               "linestyle": LINES[number // len(COLOURS) % len(LINES)]}


def _begin(height_in=HEIGHT_IN):
    figure = Figure((WIDTH_IN, height_in))
    FigureCanvasSVG(figure)
    return figure, figure.add_subplot()


def _end(figure):
    out = io.StringIO()
    figure.savefig(out, format="svg", bbox_inches="tight", pad_inches=0.1)
    return out.getvalue()


def _legend(axes, handles):
    if len(handles) > 1:
        is_short = len(handles) > 3 and max(len(line.get_label()) for line in handles) <= SHORT
        height_in = axes.get_position().height * axes.figure.get_figheight()
        axes.legend(handles=handles, loc="upper left", ncol=2 if is_short else 1,
                    bbox_to_anchor=(-0.02, -LEGEND_IN / height_in))


def size_text(value):
    value = int(value)
    for unit, size in (("G", 2**30), ("M", 2**20), ("K", 2**10)):
        if value >= size and value % size == 0:
            return f"{value // size}{unit}"
    return str(value)


def _x_axis(axes, every, label):
    if every[0] > 0:
        axes.set_xscale("log", base=2)
    axes.set_xticks(every if len(every) <= 9 else every[:: -(-len(every) // 9)])
    axes.xaxis.set_minor_locator(ticker.NullLocator())
    axes.xaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: size_text(value)))
    axes.set_xlabel(label)


def _plot(axes, series):
    """Draw the lines and their ranges; return the lines for the legend.

    Later lines have smaller markers, so that lines that coincide stay visible.
    """
    handles = []
    for place, ((label, points), style) in enumerate(zip(series.items(), styles())):
        x, y, low, high = zip(*points)
        size = 4 + LARGER_PT * (1 - (place + 1) / len(series))
        handles += axes.plot(x, y, label=label, markersize=size, linewidth=1.4, **style)
        if low != high:
            axes.fill_between(x, low, high, color=style["color"], alpha=0.18, linewidth=0)
    _y_range(axes, series)
    return handles


def _plot_beneath(axes, labels, beneath):
    """The label determines a line's color, and the item of `beneath` determines its dashes."""
    handles = []
    for (what, series), dashes in zip(beneath.items(), LINES):
        handles.append(Line2D([], [], color=INK, linewidth=1.2, linestyle=dashes, label=what))
        for label, style in zip(labels, styles()):
            x, y, *_ = zip(*series[label]) if label in series else ((), ())
            axes.plot(x, y, markersize=3, linewidth=1.2, **{**style, "linestyle": dashes})
    axes.set_ylabel("per load")
    _y_range(axes, {(what, label): points for what, series in beneath.items()
                    for label, points in series.items()})
    axes.add_artist(axes.legend(handles=handles, loc="lower left", bbox_to_anchor=(-0.02, 0.96),
                                ncol=len(handles), fontsize=8, columnspacing=1.2))


def _y_range(axes, series):
    every = [bound for points in series.values() for point in points for bound in point[2:]]
    axes.set_ylim(1.08 * min(0, *every), 1.08 * max(0, *every) or 1)


def _mark(axes, marks, every):
    shown = [mark for mark in marks if every[0] <= mark[0] <= every[-1] and every[0] < every[-1]]
    whole, ends = math.log2(every[-1] / every[0]) if shown else 1, [-1, -1]
    for place, words in shown:
        at = math.log2(place / every[0]) / whole
        line = 0 if at - ends[0] > MARK_APART else 1
        ends[line] = at
        axes.axvline(place, color=INK, linewidth=0.8, linestyle=(0, (2, 3)), zorder=1)
        axes.annotate(words, (place, 1), (0, 2 + 10 * line), ("data", "axes fraction"),
                      textcoords="offset points", ha="center", fontsize=8)


def lines(series, x_label, y_label, marks=(), beneath=None):
    """A plot of lines as SVG text.

    `series` is {label: [(x, y, lowest, highest), ...]} in ascending order of x. `marks` is a list
    of (x, label). `beneath` is {text: series} for a second plot.
    """
    every = sorted({point[0] for points in series.values() for point in points})
    figure = Figure((WIDTH_IN, HEIGHT_IN + (BENEATH_IN if beneath else 0)))
    FigureCanvasSVG(figure)
    axes, *low = figure.subplots(1 + bool(beneath), 1, sharex=True, squeeze=False,
                                 height_ratios=(HEIGHT_IN, BENEATH_IN)[:1 + bool(beneath)],
                                 gridspec_kw={"hspace": 0.25})[:, 0]
    handles = _plot(axes, series)
    axes.set_ylabel(y_label)
    for lower in low:
        _plot_beneath(lower, series, beneath)
    _x_axis((axes, *low)[-1], every, x_label)
    _mark(axes, marks if every[0] > 0 else (), every)
    _legend((axes, *low)[-1], handles)
    return _end(figure)


def bars(names, series, x_label, y_label):
    """A bar chart as SVG text; `series` is {label: [value for each name]}."""
    figure, axes = _begin(2.6)
    width = 0.8 / len(series)
    for place, (label, values) in enumerate(series.items()):
        axes.bar([at + (place - (len(series) - 1) / 2) * width for at in range(len(names))], values,
                 width, label=label, color=COLOURS[place], hatch="////" if place else None,
                 edgecolor=INK, linewidth=0.4)
    axes.set_xticks(range(len(names)), names)
    if len(names) > 6:
        axes.tick_params("x", labelrotation=90)
    axes.set(xlabel=x_label, ylabel=y_label)
    if len(series) > 1:
        axes.legend(loc="lower right", bbox_to_anchor=(1, 1), ncol=len(series))
    return _end(figure)


def ranges(names, series, x_label):
    """A plot of values as SVG text; `series` is {label: {name: (value, lowest, highest)}}."""
    figure, axes = _begin(1.2 + 0.35 * len(names))
    for (number, (label, values)), style in zip(enumerate(series.items()), styles()):
        at = [place + 0.16 * (number - (len(series) - 1) / 2)
              for place, name in enumerate(names) if name in values]
        y, low, high = zip(*(values[name] for name in names if name in values))
        around = [[mid - least for mid, least in zip(y, low)],
                  [most - mid for mid, most in zip(y, high)]]
        axes.errorbar(y, at, xerr=around, label=label, capsize=3, markersize=5,
                      color=style["color"], marker=style["marker"], linestyle="none")
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    every = [bound for values in series.values() for _, *bounds in values.values()
             for bound in (0, *bounds)]
    room = 0.05 * (max(every) - min(every)) or 1
    axes.set_xlim(min(every) - (room if min(every) < 0 else 0), max(every) + room)
    axes.set(xlabel=x_label)
    if len(series) > 1:
        axes.legend(loc="upper left", bbox_to_anchor=(0, -0.5 / (0.35 * len(names) + 0.5)))
    return _end(figure)


def three_digits(value):
    """A number with three significant digits, or an integer from 1000 on; a dash for None."""
    if value is None:
        return "–"
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def matrix(values, x_names, y_names, x_label, y_label, unit):
    """A matrix of colored cells as SVG text, from rows of numbers; None makes an empty cell."""
    figure, axes = _begin(0.8 + min(4.2, max(1.2, 0.42 * len(y_names))))
    numbers = [[float("nan") if value is None else value for value in line] for line in values]
    known = [value for line in values for value in line if value is not None]
    low, high = min(known), max(known)
    scale = LogNorm if 0 < low * LOG_FROM < high else Normalize
    scale = scale(low, high)
    drawn = axes.pcolormesh(numbers, cmap="cividis", norm=scale, rasterized=True)
    axes.grid(False)
    axes.invert_yaxis()
    for names, axis in ((x_names, axes.xaxis), (y_names, axes.yaxis)):
        step = -(-len(names) // (WRITTEN_CELLS_MAX if axis is axes.yaxis else 10))
        axis.set_ticks([place + 0.5 for place in range(0, len(names), step)], names[::step])
    axes.set(xlabel=x_label, ylabel=y_label)
    if max(len(x_names), len(y_names)) <= WRITTEN_CELLS_MAX:
        for y, line in enumerate(values):
            for x, value in enumerate(line):
                dark = value is not None and scale(value) < 0.55
                axes.text(x + 0.5, y + 0.5, three_digits(value),
                          ha="center", va="center", fontsize=8 if len(x_names) < 9 else 6,
                          color=INK if value is None else "#ffffff" if dark else "#000000")
    if high > low:
        bar = figure.colorbar(drawn, ax=axes, label=unit,
                              format=lambda value, _: three_digits(value))
        bar.ax.yaxis.set_minor_formatter(ticker.NullFormatter())
    return _end(figure)


def samples(accepted, rejected, unit):
    figure = Figure((WIDTH_IN, 2.8))
    FigureCanvasSVG(figure)
    left, right = figure.subplots(1, 2, sharey=True, width_ratios=(3, 1))
    for word, points, marker, colour in (("accepted", accepted, "o", COLOURS[0]),
                                         ("rejected", rejected, "x", COLOURS[1])):
        if points:
            left.plot(*zip(*points), linestyle="none", marker=marker, markersize=3, color=colour,
                      rasterized=len(points) > POINTS_MAX, label=f"{word}: {len(points)}")
    right.hist([value for _, value in accepted], bins=24, orientation="horizontal",
               color=COLOURS[0], edgecolor=INK, linewidth=0.3)
    for axis in (left.xaxis, right.xaxis):
        axis.set_major_locator(ticker.MaxNLocator(4, integer=True))
    left.set(xlabel="attempt", ylabel=unit)
    right.set(xlabel="samples")
    left.legend(loc="upper left", bbox_to_anchor=(-0.02, -0.2), ncol=2)
    return _end(figure)


def inline(svg, anchor, words, mark=""):
    """An SVG file as an element of a page, with the anchor as a prefix of all ids.

    Only tags are changed, never texts.
    """
    def mend(found):
        text = re.sub(r'\bid="', f'id="{anchor}-', found.group())
        text = re.sub(r'(?:xlink:)?href="#', f'href="#{anchor}-', text)
        text = text.replace("url(#", f"url(#{anchor}-").replace('xlink:href="', 'href="')
        text = re.sub(r"'DejaVu Sans'[^;\"]*", "system-ui, sans-serif", text)
        return text.replace(INK, "currentColor").replace(GRID, "var(--line)")

    svg = re.sub(r"<metadata>.*?</metadata>\s*", "", svg[svg.index("<svg"):], flags=re.DOTALL)
    opening, rest = re.sub(r"<[^>]*>", mend, svg).split(">", 1)
    width, height = map(float, re.search(r'viewBox="0 0 ([0-9.]+) ([0-9.]+)"', opening).groups())
    if mark:
        rest = rest.replace("</svg>", f'<text x="{width - MARK_PT / 2:g}" y="{height + MARK_PT:g}" '
                            f'font-size="{MARK_PT}" text-anchor="end" fill="currentColor">'
                            f"{escape(mark)}</text>\n</svg>")
        words, height = f"{words} {mark}.", height + 1.5 * MARK_PT
    return Markup(f'<svg viewBox="0 0 {width:g} {height:g}" role="img" '
                  f'aria-label="{escape(words)}">{rest}')


def framed(svg, anchor, title, caption, numbers, folders, mark=""):
    """The note below the plot is `mark`, or if that is empty, the folders' emulated_words()."""
    mark = mark or emulated_words(folders)
    return tag("figure", tag("h3", title), inline(svg, anchor, f"{title}. {caption}", mark),
               tag("figcaption", caption), details("Numbers", numbers), id=anchor)
