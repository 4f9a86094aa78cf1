"""The rows of a file, rearranged, and the edits that rearrange them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grpo_lint.model import Edit, Position, Range
from grpo_lint.source import Source


@dataclass(frozen=True, slots=True)
class Row:
    """A row of text, and its index in the original file; None for a new one."""

    text: str
    origin: int | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """Rows `start` to `end` give way to new ones."""

    start: int
    end: int
    texts: tuple[str, ...] = ()


def rows_of(source: Source) -> tuple[Row, ...]:
    return tuple(Row(source.line(index + 1), index) for index in range(len(source.line_starts)))


def changed(rows: Sequence[Row], changes: Sequence[Change]) -> tuple[Row, ...]:
    """The rows with changes that do not overlap."""
    result: list[Row] = []
    at = 0
    for change in sorted(changes, key=lambda change: (change.start, change.end)):
        result += [*rows[at : change.start], *(Row(text) for text in change.texts)]
        at = change.end
    return (*result, *rows[at:])


def edits_between(source: Source, rows: Sequence[Row]) -> Iterator[Edit]:
    """The edits that turn the file into these rows, whose origins ascend."""
    count = len(source.line_starts)
    expected, new = 0, list[str]()
    for row in (*rows, Row("", count)):
        if row.origin is None:
            new.append(row.text)
            continue
        if new or row.origin != expected:
            yield _edit(source, expected, row.origin, new)
        expected, new = row.origin + 1, []


def _edit(source: Source, start: int, end: int, texts: Sequence[str]) -> Edit:
    count = len(source.line_starts)
    content = "".join(text + source.newline for text in texts)
    last = Position(count, len(source.line(count)) + 1)
    if end < count:
        return Edit(Range(Position(start + 1, 1), Position(end + 1, 1)), content)
    content = content[: -len(source.newline)] if content else ""
    if start < count:
        return Edit(Range(Position(start + 1, 1), last), content)
    return Edit(Range(last, last), source.newline + content if source.line(count) else content)
