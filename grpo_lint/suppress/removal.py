"""Takes directives out of a text, and codes out of directives; code and other comments of the line stay."""

from __future__ import annotations

from collections.abc import Sequence

from grpo_lint.model import Edit, Position, Range
from grpo_lint.source import Source
from grpo_lint.suppress.directives import CODE, Directive

OWN_PREFIX = "GRPO"
PLACEHOLDER = "TODO: say why"


def removal(source: Source, directive: Directive, codes: Sequence[str]) -> tuple[Edit, ...]:
    """The edits that take codes out of a directive: all of it, with its reason, where no other code is left.

    Otherwise the reason stays, since it may be that of another code, unless it only asks for one.
    """
    kept = [code for code in directive.codes if code not in codes]
    if not kept:
        return (_whole(source, directive),)
    edits = [Edit(directive.listed, _listed(source.slice(directive.listed), codes))]
    reason = Range(directive.range.end, directive.extent.end)
    text = source.slice(reason)
    if text.endswith(f" - {PLACEHOLDER}") and not any(code.startswith(OWN_PREFIX) for code in kept):
        edits.append(Edit(reason, text.removesuffix(f" - {PLACEHOLDER}")))
    return tuple(edits)


def _listed(text: str, codes: Sequence[str]) -> str:
    """A list of codes less some; what stood before each other code still does, except before the first."""
    result, end = "", 0
    for place in CODE.finditer(text):
        if place.group() not in codes:
            result += text[end : place.end()] if result else place.group()
        end = place.end()
    return result


def _whole(source: Source, directive: Directive) -> Edit:
    line = source.line(directive.row)
    start, end = directive.extent.start.column - 1, directive.extent.end.column - 1
    before, after = line[:start], line[end:]
    if not before.strip() and not after.strip():
        return Edit(_row(source, directive.row), "")
    if not after.strip():
        start, end = len(before.rstrip()), len(line)
    elif before.strip():
        start = len(before.rstrip())
    else:  # the comment behind it takes its place
        end += len(after) - len(after.lstrip())
    return Edit(Range(Position(directive.row, start + 1), Position(directive.row, end + 1)), "")


def _row(source: Source, row: int) -> Range:
    """A row with its newline."""
    is_last = row == len(source.line_starts)
    end = Position(row, len(source.line(row)) + 1) if is_last else Position(row + 1, 1)
    return Range(Position(row, 1), end)
