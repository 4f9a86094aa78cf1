"""The rows of a file that hold a finding's evidence, each mark underlined and labelled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from rich.cells import cell_len
from rich.text import Text

from grpo_lint.model import Finding, Mark
from grpo_lint.report import printable_character
from grpo_lint.report.terminal import Terminal
from grpo_lint.source import Source

_TAB = "    "
_CONTEXT = 12  # what is shown before the first mark where a row is too long to be shown from its start


@dataclass(frozen=True, slots=True)
class _Signs:
    bar: str
    gap: str
    cut: str

    @classmethod
    def of(cls, terminal: Terminal) -> _Signs:
        return cls("│", "⋮", "…") if terminal.has_unicode else cls("|", ":", "~")


@dataclass(frozen=True, slots=True)
class _Page:
    """What all rows of an excerpt share: the indentation left out, in code points, and the room in cells."""

    indent: int
    gutter: int
    width: int
    signs: _Signs

    def beside(self, number: int | str, content: Text | str = "") -> Text:
        """A line of the excerpt: the row's number, a bar, and what stands there."""
        line = Text.assemble((f"  {number:>{self.gutter}} {self.signs.bar} ", "blue"), content)
        line.rstrip()
        return line


@dataclass(frozen=True, slots=True)
class _Window:
    """The part of a row that is shown: the code points from `start` up to `end` of `line`, as they are printed."""

    line: str
    start: int
    end: int
    before: str
    after: str

    @property
    def text(self) -> str:
        return f"{self.before}{_shown(self.line[self.start : self.end])}{self.after}"

    def cells(self, column: int) -> int:
        """How many cells stand before a column (from 1) of the row."""
        return cell_len(self.before) + cell_len(_shown(self.line[self.start : min(max(column - 1, 0), self.end)]))


def excerpt(source: Source, finding: Finding, terminal: Terminal) -> Iterator[Text]:
    """The rows with evidence, in order; a gap stands for the rows between them."""
    marks = sorted(finding.evidence or (Mark(finding.range, finding.rule),))
    rows = [(number, tuple(found)) for number, found in groupby(marks, key=lambda mark: mark.range.start.row)]
    page = _page([source.line(number) for number, _ in rows], rows[-1][0], terminal)
    previous = rows[0][0]
    yield page.beside("")
    for number, found in rows:
        if number > previous + 1:
            yield Text(f"  {page.signs.gap:>{page.gutter}}", style="blue")
        yield from _row(number, source.line(number), found, finding, page)
        previous = number


def _page(lines: Sequence[str], last: int, terminal: Terminal) -> _Page:
    gutter = len(str(last))
    indent = min(len(line) - len(line.lstrip(" \t\f")) for line in lines)
    return _Page(indent, gutter, terminal.width - gutter - 5, _Signs.of(terminal))


def _row(number: int, line: str, marks: Sequence[Mark], finding: Finding, page: _Page) -> Iterator[Text]:
    window = _window(line, marks, page)
    yield page.beside(number, window.text)
    for mark in marks:
        style = "bold red" if mark.range == finding.range else "cyan"
        sign = "^" if mark.range == finding.range else "-"
        yield from (page.beside("", Text(each, style)) for each in _underline(window, mark, sign, page.width))


def _window(line: str, marks: Sequence[Mark], page: _Page) -> _Window:
    """As much of a row as there is room for: from its start if that shows all marks, else from the first mark on."""
    first = marks[0].range.start.column - 1
    last = max(_end_column(line, mark) for mark in marks) - 1
    start = page.indent if _fits(line, page.indent, last, page.width - 1) else max(page.indent, first - _CONTEXT)
    before = page.signs.cut if start > page.indent else ""
    room = page.width - cell_len(before)
    if _fits(line, start, len(line), room):
        return _Window(line, start, len(line), before, "")
    end = start
    while _fits(line, start, end + 1, room - 1):
        end += 1
    return _Window(line, start, end, before, page.signs.cut)


def _fits(line: str, start: int, end: int, width: int) -> bool:
    """Whether a part of a line takes no more cells than there are."""
    return end - start <= width and cell_len(_shown(line[start:end])) <= width


def _end_column(line: str, mark: Mark) -> int:
    """The column where a mark ends in its first row."""
    start, end = mark.range.start, mark.range.end
    return end.column if end.row == start.row else len(line) + 1


def _underline(window: _Window, mark: Mark, sign: str, width: int) -> Iterator[str]:
    """The line below a mark; the label stands beside it where there is room, else below."""
    start = min(window.cells(mark.range.start.column), width - 1)
    length = max(1, min(window.cells(_end_column(window.line, mark)), width) - start)
    line = " " * start + sign * length
    if len(line) + 1 + len(mark.label) <= width:
        yield f"{line} {mark.label}"
        return
    yield line
    yield " " * max(0, min(start, width - len(mark.label))) + mark.label


def _shown(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(_TAB if each == "\t" else printable_character(each) for each in text)
