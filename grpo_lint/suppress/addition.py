"""Writes directives for findings: the edits of one line, and a text in which findings are suppressed."""

from __future__ import annotations

import ast
import tokenize
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from grpo_lint import edits
from grpo_lint.analysis import Analysis, find, parse
from grpo_lint.model import Edit, Finding, Position, Range
from grpo_lint.source import Source
from grpo_lint.suppress.directives import NOQA, Directive, read_suppressions, tokens

if TYPE_CHECKING:
    from grpo_lint.config import Config
    from grpo_lint.project import Cache

Place = tuple[str, Position]

_OPENING = {"FSTRING_START", "TSTRING_START"}
_CLOSING = {"FSTRING_END", "TSTRING_END"}


class CannotSuppress(Exception):
    """Why a text is left as it is."""


@dataclass(frozen=True, slots=True)
class Suppressed:
    """A text in which findings are suppressed, and what is left to report of it."""

    source: Source
    analysis: Analysis


def place_of(finding: Finding) -> Place:
    """What a finding is known by as long as only the ends of lines change."""
    return finding.code, finding.range.start


def suppress(source: Source, wanted: Set[Place], reason: str, config: Config, cache: Callable[[], Cache]) -> Suppressed:
    """The text with a directive for each wanted finding. Raises CannotSuppress.

    Where the reason itself brings up findings, since it makes a file speak of prompts, those are suppressed as well.
    """
    before = find(source, config, cache)
    known = {place_of(each.finding) for each in before.items}
    chosen = [each.finding for each in before.items if place_of(each.finding) in wanted]
    text = edits.apply(source, list(_additions(source, chosen, reason)))
    after = Source.from_text(source.path, text, source.encoding, source.has_bom)
    if not _is_same_code(source.text, text):
        raise CannotSuppress("comments would change the code")
    left = find(after, config, cache)
    came_up = {place_of(each.finding) for each in left.items if each.facts is not None} - known
    return (
        suppress(after, came_up, reason, config, cache) if came_up and text != source.text else Suppressed(after, left)
    )


def _is_same_code(before: str, after: str) -> bool:
    try:
        return ast.dump(parse(before)) == ast.dump(parse(after))
    except (SyntaxError, ValueError):
        return False


def _additions(source: Source, findings: Iterable[Finding], reason: str) -> Iterator[Edit]:
    closed = closed_rows(source)
    directives = read_suppressions(source.text).directives
    rows = sorted((_row(finding, closed), finding.code) for finding in findings)
    for row, found in groupby(rows, key=lambda each: each[0]):
        yield from addition(source, directives, row, tuple(dict.fromkeys(code for _, code in found)), reason)


def _row(finding: Finding, closed: Mapping[int, int]) -> int:
    """The row of a finding whose end takes a comment: its first, else its last, else that of its statement."""
    rows = (finding.range.start.row, finding.range.end.row)
    return next((row for row in rows if row not in closed), closed.get(rows[-1], rows[-1]))


def closed_rows(source: Source) -> Mapping[int, int]:
    """The rows whose end takes no comment, since it lies within a string or behind a backslash.

    Each with the last row of its statement, which takes one.
    """
    closed: dict[int, int] = {}
    statement: list[tokenize.TokenInfo] = []
    for token in tokens(source.text):
        statement.append(token)
        if token.type == tokenize.NEWLINE:
            rows = _rows_in_strings(statement) | _rows_before_a_backslash(source, statement)
            closed |= dict.fromkeys(rows, token.start[0])
            statement.clear()
    return closed


def _rows_in_strings(statement: Iterable[tokenize.TokenInfo]) -> set[int]:
    rows: set[int] = set()
    opened: list[int] = []
    for token in statement:
        kind, first = tokenize.tok_name[token.type], token.start[0]
        if kind in _OPENING:
            opened.append(first)
        elif kind in _CLOSING:
            first = opened.pop()
        rows.update(range(first, token.end[0]))
    return rows


def _rows_before_a_backslash(source: Source, statement: Sequence[tokenize.TokenInfo]) -> set[int]:
    commented = {token.start[0] for token in statement if token.type == tokenize.COMMENT}
    rows = range(statement[0].start[0], statement[-1].end[0])
    return {row for row in rows if row not in commented and source.line(row).endswith("\\")}


def addition(
    source: Source, directives: Iterable[Directive], row: int, codes: Sequence[str], reason: str
) -> tuple[Edit, ...]:
    """The edits that name codes in a `noqa` at the end of a row: in one that names some already, if there is one."""
    present = next((each for each in directives if each.row == row and each.keyword == NOQA and each.codes), None)
    if present is not None:
        return _merged(source, present, [code for code in codes if code not in present.codes], reason)
    line = source.line(row)
    blank = Range(Position(row, len(line.rstrip(" \t\f")) + 1), Position(row, len(line) + 1))
    return (Edit(blank, f"  # noqa: {', '.join(codes)} - {reason}"),)


def _merged(source: Source, present: Directive, codes: Sequence[str], reason: str) -> tuple[Edit, ...]:
    end_of_codes = Range(present.range.end, present.range.end)
    end = Range(present.extent.end, present.extent.end)
    more, why = "".join(f", {code}" for code in codes), f" - {reason}"
    if source.slice(Range(present.range.end, present.extent.end)).endswith(why):
        return (Edit(end_of_codes, more),)
    return (Edit(end_of_codes, more + why),) if end == end_of_codes else (Edit(end_of_codes, more), Edit(end, why))
