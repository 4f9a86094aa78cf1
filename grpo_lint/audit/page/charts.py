"""The drawings of a page: SVG whose colours the page decides, so that they are right in light and dark."""

from __future__ import annotations

import io
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from grpo_lint.audit.records import DumpAudit

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_WIDTH = 3.8  # inches: drawn for a phone, so that letters keep their size there
_POINTS = 1_200
_CELLS = 200  # in which points are gathered, from the middle of the scatter to its edge
_COLUMNS = 120
_BARS = 60
_LONGEST_STEP = 10**9

# What stands for a colour of the page while matplotlib draws.
_INK, _FAINT, _RIGHT, _WRONG, _SHADE = "#010101", "#020202", "#030303", "#040404", "#050505"
_COLOURS = {
    _INK: "var(--ink)",
    _FAINT: "var(--faint)",
    _RIGHT: "var(--right)",
    _WRONG: "var(--wrong)",
    _SHADE: "var(--shade)",
}
_STYLE: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "grpo-lint",
    "font.family": "sans-serif",
    "font.size": 9.5,
    "axes.labelsize": 9.5,
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
    "legend.fontsize": 9.5,
    "text.color": _INK,
    "axes.edgecolor": _FAINT,
    "axes.labelcolor": _INK,
    "xtick.color": _INK,
    "ytick.color": _INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
}
_PROLOGUE = re.compile(r"\A.*?(?=<svg)|<metadata>.*?</metadata>|<!--.*?-->", re.DOTALL)
_SIZE = re.compile(r'(<svg[^>]*?) width="[^"]*"| height="[^"]*"(?=[^>]*viewBox)')
_FONT = re.compile(r'font: ([\d.]+)px[^;"]*|font-family: [^;"]*')  # the one or the other, by matplotlib's version
_OPENING = re.compile(r"<svg([^>]*)>")


@dataclass(frozen=True, slots=True)
class Label:
    """What a drawing is called in the page, its title, and in words what it shows."""

    name: str
    title: str
    text: str


def strip(dumps: Sequence[DumpAudit], label: Label) -> str:
    """For each dump whether the fallback fires and whether its rewards carry signal, over training.

    Of very many dumps, a column stands for `dumps_of_a_column` neighbours, and is as high as the share of them.
    """
    edges = [*range(0, len(dumps), dumps_of_a_column(dumps)), len(dumps)]

    def draw(axes: Axes) -> None:
        rows = (
            ("fallback fires", _WRONG, [dump.is_fallback for dump in dumps]),
            ("reward signal", _RIGHT, [dump.has_signal for dump in dumps]),
        )
        for row, (_, colour, flags) in enumerate(rows):
            floor = row + 0.1
            tops = [floor + 0.8 * share for share in _shares(flags, edges)]
            axes.fill_between([0, len(dumps)], floor, floor + 0.8, color=_SHADE, linewidth=0)
            axes.fill_between(edges, floor, [*tops, floor], step="post", color=colour, linewidth=0)
        axes.set_yticks([0.5, 1.5], [row for row, _, _ in rows])
        axes.set_xlim(0, len(dumps))
        axes.set_ylim(0, 2)
        _name_steps(axes, dumps)
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)

    return _drawn(draw, label, 1.4)


def dumps_of_a_column(dumps: Sequence[DumpAudit]) -> int:
    """How many neighbours a column of the strip stands for."""
    return -(-len(dumps) // _COLUMNS) or 1


def _shares(flags: Sequence[bool], edges: Sequence[int]) -> Iterator[float]:
    for start, end in pairwise(edges):
        yield sum(flags[start:end]) / (end - start)


def _name_steps(axes: Axes, dumps: Sequence[DumpAudit]) -> None:
    """The first, the middle and the last: by step, or by place where a step is unknown or absurd."""
    places = sorted({0, len(dumps) // 2, len(dumps) - 1})
    steps = [dump.step for dump in dumps]
    has_steps = all(step is not None and abs(step) < _LONGEST_STEP for step in steps)
    axes.set_xticks([place + 0.5 for place in places], [str(steps[at] if has_steps else at + 1) for at in places])
    axes.set_xlabel("dump, by its step" if has_steps else "dump, by its place")


def choose(dumps: Sequence[DumpAudit]) -> tuple[tuple[float, float], ...]:
    """Pairs of advantages, by identity and collapsed, that the scatter shows: at even distances over training."""
    points = [point for dump in dumps for point in dump.points]
    return tuple(points[:: max(1, -(-len(points) // _POINTS))])


def scatter(points: Sequence[tuple[float, float]], label: Label) -> str:
    """Advantages by identity against collapsed ones; larger where many meet."""
    largest = max((abs(value) for point in points for value in point), default=0.0)
    reach = 1.12 * largest if _sign(largest) else 1.0
    spots = _spots(points, reach / _CELLS)

    def draw(axes: Axes) -> None:
        axes.fill_between([-reach, 0], 0, reach, color=_SHADE, linewidth=0)
        axes.fill_between([0, reach], -reach, 0, color=_SHADE, linewidth=0)
        axes.axline((0, 0), slope=1, color=_FAINT, linewidth=1)
        for colour, marker, name, is_wrong in ((_RIGHT, "o", "right sign", False), (_WRONG, "D", "wrong sign", True)):
            chosen = sorted(spot for spot in spots if spot[2] is is_wrong)
            areas = [12 * math.sqrt(spots[spot]) for spot in chosen]
            xs, ys = [x for x, _, _ in chosen], [y for _, y, _ in chosen]
            axes.scatter(xs, ys, areas, color=colour, marker=marker, alpha=0.6, linewidths=0, label=name)
        axes.set_xlim(-reach, reach)
        axes.set_ylim(-reach, reach)
        axes.set_xlabel("advantage by identity")
        axes.set_ylabel("collapsed advantage")
        _explain(axes)

    return _drawn(draw, label, 3.6)


def _spots(points: Sequence[tuple[float, float]], cell: float) -> Counter[tuple[float, float, bool]]:
    """How many points lie in each cell, told apart by whether their sign is wrong; the sign is that of the point."""
    return Counter((round(x / cell) * cell, round(y / cell) * cell, _sign(x) != _sign(y)) for x, y in points)


def _sign(value: float) -> int:
    return 0 if abs(value) <= 1e-6 else 1 if value > 0 else -1


def _explain(axes: Axes) -> None:
    """The legend, above the drawing, so that no point lies below it."""
    from matplotlib.collections import PathCollection

    legend = axes.legend(frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2, handletextpad=0.1)
    for handle in legend.legend_handles:
        if isinstance(handle, PathCollection):
            handle.set_sizes([18])


def sizes(group_sizes: Sequence[tuple[int, int]], unit: str, label: Label) -> str:
    """How many prompts have how many samples; of very many sizes, ranges of them."""
    from matplotlib.ticker import MaxNLocator

    bars = list(_ranges(group_sizes))

    def draw(axes: Axes) -> None:
        axes.bar(range(len(bars)), [count for _, count in bars], color=_RIGHT, width=0.8)
        shown = range(0, len(bars), max(1, len(bars) // (5 if len(bars) < len(group_sizes) else 8)))
        axes.set_xticks(list(shown), [bars[at][0] for at in shown])
        axes.set_xlim(min(-0.6, len(bars) / 2 - 2.5), max(len(bars) - 0.4, len(bars) / 2 + 1.5))
        axes.set_xlabel(f"{unit} of a prompt")
        axes.set_ylabel("prompts")
        axes.yaxis.set_major_locator(MaxNLocator(nbins=5, integer=True))

    return _drawn(draw, label, 2)


def _ranges(group_sizes: Sequence[tuple[int, int]]) -> Iterator[tuple[str, int]]:
    width = -(-len(group_sizes) // _BARS) or 1
    for start in range(0, len(group_sizes), width):
        part = group_sizes[start : start + width]
        label = str(part[0][0]) if len(part) == 1 else f"{part[0][0]} to {part[-1][0]}"
        yield label, sum(count for _, count in part)


def _drawn(draw: Callable[[Axes], None], label: Label, height: float) -> str:
    """A drawing as SVG to stand in a page. The same data give the same bytes."""
    with _figure(height) as figure:
        draw(figure.add_subplot())
        out = io.StringIO()
        figure.savefig(out, format="svg", metadata={"Date": None}, transparent=True)
    return _embedded(out.getvalue(), label)


@contextmanager
def _figure(height: float) -> Iterator[Any]:
    """No window, no state of pyplot, and no font of this machine in the result."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context(_STYLE):
        yield Figure(figsize=(_WIDTH, height), layout="constrained")


def _embedded(svg: str, label: Label) -> str:
    """The drawing without what only a file of its own needs; its ids are made its own."""
    svg = _PROLOGUE.sub("", svg)
    svg = _SIZE.sub(r"\1", svg)
    svg = re.sub(r'\bid="', f'id="{label.name}-', svg)
    svg = re.sub(r'url\(#|href="#', lambda found: f"{found[0]}{label.name}-", svg)
    svg = _FONT.sub(_in_the_font_of_the_page, svg)
    for placeholder, colour in _COLOURS.items():
        svg = svg.replace(placeholder, colour)
    return _OPENING.sub(lambda found: _opening(found[1], label), svg, count=1)


def _in_the_font_of_the_page(found: re.Match[str]) -> str:
    return f"font: {found[1]}px var(--font)" if found[1] else "font-family: var(--font)"


def _opening(attributes: str, label: Label) -> str:
    """The first words of a drawing, which a screen reader says in its place."""
    title, text = f"{label.name}-title", f"{label.name}-text"
    return (
        f'<svg role="img" aria-labelledby="{title}" aria-describedby="{text}"{attributes}>'
        f'<title id="{title}">{escape(label.title)}</title><desc id="{text}">{escape(label.text)}</desc>'
    )
