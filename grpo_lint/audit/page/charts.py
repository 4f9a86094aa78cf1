"""The drawings of a page: SVG whose colours the page decides, so that they are right in light and dark."""

from __future__ import annotations

import io
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from typing import TYPE_CHECKING, Any

from grpo_lint.audit.records import DumpAudit

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_WIDTH, _HEIGHT = 4.4, 3.0  # inches: drawn for a phone, so that letters keep their size there
_POINTS = 1_200
_BARS = 60

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
    "font.size": 9,
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


def strip(dumps: Sequence[DumpAudit], name: str) -> str:
    """For each dump whether the fallback fires and whether its rewards carry signal, over training."""

    def draw(axes: Axes) -> None:
        rows = (
            ("fallback fires", _WRONG, [dump.is_fallback for dump in dumps]),
            ("reward signal", _RIGHT, [dump.has_signal for dump in dumps]),
        )
        for row, (_, colour, flags) in enumerate(rows):
            axes.broken_barh([(0, len(flags))], (row + 0.1, 0.8), facecolors=_SHADE)
            axes.broken_barh(list(_stretches(flags)), (row + 0.1, 0.8), facecolors=colour)
        axes.set_yticks([0.5, 1.5], [label for label, _, _ in rows])
        axes.set_xlim(0, len(dumps))
        axes.set_ylim(0, 2)
        ticks = sorted({0, len(dumps) // 2, len(dumps) - 1})
        axes.set_xticks([tick + 0.5 for tick in ticks], [_step(dumps[tick], tick) for tick in ticks])
        axes.set_xlabel("dump, by its step")
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)

    return _drawn(draw, name, "Where the fallback fires and where rewards carry signal", _HEIGHT / 2)


def _stretches(flags: Sequence[bool]) -> Iterator[tuple[int, int]]:
    at = 0
    for flag, run in groupby(flags):
        length = len(list(run))
        if flag:
            yield at, length
        at += length


def _step(dump: DumpAudit, at: int) -> str:
    return str(at if dump.step is None else dump.step)


def scatter(dumps: Sequence[DumpAudit], name: str) -> str:
    """Advantages by identity against collapsed ones, a choice of them at even distances; larger where many meet."""
    from matplotlib.collections import PathCollection

    chosen = [point for dump in dumps for point in dump.points]
    counts = Counter((round(x, 3), round(y, 3)) for x, y in chosen[:: max(1, -(-len(chosen) // _POINTS))])

    def draw(axes: Axes) -> None:
        reach = 1.12 * max((abs(value) for point in counts for value in point), default=1.0) or 1.0
        axes.fill_between([-reach, 0], 0, reach, color=_SHADE, linewidth=0)
        axes.fill_between([0, reach], -reach, 0, color=_SHADE, linewidth=0)
        axes.axline((0, 0), slope=1, color=_FAINT, linewidth=1)
        for colour, label, is_wrong in ((_RIGHT, "right sign", False), (_WRONG, "wrong sign", True)):
            points = [point for point in sorted(counts) if (_sign(point[0]) != _sign(point[1])) is is_wrong]
            areas = [12 * math.sqrt(counts[point]) for point in points]
            xs, ys = [x for x, _ in points], [y for _, y in points]
            axes.scatter(xs, ys, areas, color=colour, alpha=0.6, linewidths=0, label=label)
        axes.set_xlim(-reach, reach)
        axes.set_ylim(-reach, reach)
        axes.set_xlabel("advantage by identity")
        axes.set_ylabel("collapsed advantage")
        legend = axes.legend(frameon=False, loc="lower right", handletextpad=0.1)
        for handle in legend.legend_handles:
            if isinstance(handle, PathCollection):
                handle.set_sizes([18])

    return _drawn(draw, name, "Advantages by identity against collapsed advantages", _HEIGHT)


def _sign(value: float) -> int:
    return 0 if abs(value) <= 1e-6 else 1 if value > 0 else -1


def sizes(group_sizes: Sequence[tuple[int, int]], unit: str, name: str) -> str:
    """How many prompts have how many samples; of very many sizes, ranges of them."""
    from matplotlib.ticker import MaxNLocator

    bars = list(_ranges(group_sizes))

    def draw(axes: Axes) -> None:
        axes.bar(range(len(bars)), [count for _, count in bars], color=_RIGHT, width=0.8)
        shown = range(0, len(bars), max(1, len(bars) // 8))
        axes.set_xticks(list(shown), [bars[at][0] for at in shown])
        axes.set_xlabel(f"{unit} of a prompt")
        axes.set_ylabel("prompts")
        axes.yaxis.set_major_locator(MaxNLocator(integer=True))

    return _drawn(draw, name, "How many prompts have how many samples", _HEIGHT)


def _ranges(group_sizes: Sequence[tuple[int, int]]) -> Iterator[tuple[str, int]]:
    width = -(-len(group_sizes) // _BARS) or 1
    for start in range(0, len(group_sizes), width):
        part = group_sizes[start : start + width]
        label = str(part[0][0]) if len(part) == 1 else f"{part[0][0]} to {part[-1][0]}"
        yield label, sum(count for _, count in part)


def _drawn(draw: Callable[[Axes], None], name: str, title: str, height: float) -> str:
    """A drawing as SVG to stand in a page. The same data give the same bytes."""
    with _figure(height) as figure:
        draw(figure.add_subplot())
        out = io.StringIO()
        figure.savefig(out, format="svg", metadata={"Date": None}, transparent=True)
    return _embedded(out.getvalue(), name, title)


@contextmanager
def _figure(height: float) -> Iterator[Any]:
    """No window, no state of pyplot, and no font of this machine in the result."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context(_STYLE):
        yield Figure(figsize=(_WIDTH, height), layout="constrained")


def _embedded(svg: str, name: str, title: str) -> str:
    """The drawing without what only a file of its own needs; its ids are made its own."""
    svg = _PROLOGUE.sub("", svg)
    svg = _SIZE.sub(r"\1", svg)
    svg = re.sub(r'\bid="', f'id="{name}-', svg)
    svg = re.sub(r'url\(#|href="#', lambda found: f"{found[0]}{name}-", svg)
    svg = re.sub(r"font: ([\d.]+)px[^;\"]*", r"font: \1px var(--font)", svg)
    for placeholder, colour in _COLOURS.items():
        svg = svg.replace(placeholder, colour)
    return svg.replace("<svg", f'<svg role="img" aria-label="{title}"', 1)
