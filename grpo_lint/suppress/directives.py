"""The directives in comments, and what they cover.

`# noqa: GRPO001 - reason` and `# grpo-lint: ignore[GRPO001] reason` speak for what begins or ends on their line, and at
the end of a statement for all of it, since that is where formatters put a comment when they break a line.
`# grpo-lint: ignore-file[GRPO001] reason`, on a line of its own, speaks for its file.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass

from grpo_lint.model import Finding, Position, Range
from grpo_lint.source import NEWLINE

_HINT_OF_A_DIRECTIVE = re.compile(r"noqa|grpo-lint", re.IGNORECASE)
_CODE = r"[A-Z]+[0-9]+\b"
CODE = re.compile(rf"\b{_CODE}")
_DIRECTIVE = re.compile(
    rf"""
    \#\s*(?:
        (?P<noqa>(?i:noqa)) (?![\w-]) (?:\s*:\s*(?P<codes>{_CODE}(?:[\s,]+{_CODE})*))?
      | (?P<own>grpo-lint\s*:\s*ignore(?P<file>-file)?) (?![\w-]) (?:\s*\[(?P<list>[^]]*)\])?
    )
    """,
    re.VERBOSE,
)
# Where another comment begins on the line. A number sign before a digit is an issue's number in a reason.
_NEXT_COMMENT = re.compile(r"(?:(?<=\s)|\A)#(?!\d)")

_LAYOUT = frozenset({tokenize.COMMENT, tokenize.NL, tokenize.INDENT, tokenize.DEDENT})

NOQA, IGNORE, IGNORE_FILE = "noqa", "grpo-lint: ignore", "grpo-lint: ignore-file"


@dataclass(frozen=True, slots=True)
class Directive:
    """One comment and the codes that it names; none if it is bare, and then it suppresses nothing.

    `range` ends with its codes, which lie from the first to the last in `listed`; `extent` goes on to the end of its
    reason. `is_alone` tells whether no code stands before it on its line. `first_row` is where the statement (or the
    header of one) that it ends begins, and its own row if it ends none.
    """

    range: Range
    codes: tuple[str, ...]
    keyword: str
    listed: Range
    extent: Range
    is_alone: bool
    first_row: int

    @property
    def row(self) -> int:
        return self.range.start.row

    @property
    def is_for_file(self) -> bool:
        return self.keyword == IGNORE_FILE

    @property
    def is_misplaced(self) -> bool:
        """Whether it is for a file and stands behind code, where it suppresses nothing."""
        return self.is_for_file and not self.is_alone

    def covers(self, finding: Finding) -> bool:
        return self.is_about(finding) and not self.is_misplaced and finding.code in self.codes

    def is_about(self, finding: Finding) -> bool:
        """Whether it speaks for the place of a finding, whatever its codes are."""
        first, last = finding.range.start.row, finding.range.end.row
        return self.is_for_file or self.row in (first, last) or self.first_row <= first <= last <= self.row


@dataclass(frozen=True, slots=True)
class Suppressions:
    """A file's directives, in order."""

    directives: tuple[Directive, ...] = ()

    def covers(self, finding: Finding) -> Directive | None:
        """The directive that suppresses the finding: one of its lines before one of its file."""
        covering = (each for each in self.directives if each.covers(finding))
        return min(covering, key=lambda each: each.is_for_file, default=None)

    def hint(self, finding: Finding) -> str | None:
        """What to write in place of a directive that its author took to be enough for the finding."""
        return next(filter(None, (_hint(each, finding) for each in self.directives)), None)


def _hint(directive: Directive, finding: Finding) -> str | None:
    if not directive.is_about(finding):
        return None
    subject = f"line {directive.row}: this `# {directive.keyword}`"
    if not directive.codes:
        code = finding.code
        remedy = f"# noqa: {code}" if directive.keyword == NOQA else f"# {directive.keyword}[{code}]"
        return f"{subject} names no whole code and suppresses nothing here: write `{remedy}`"
    if directive.is_misplaced and finding.code in directive.codes:
        return f"{subject} stands behind code and suppresses nothing: put it on a line of its own"
    return None


def read_suppressions(text: str) -> Suppressions:
    """The directives in the comments of a file."""
    if not _HINT_OF_A_DIRECTIVE.search(text):
        return Suppressions()
    text = NEWLINE.sub("\n", text)
    rows = text.split("\n")
    found: list[Directive] = []
    for comment, first_row in _comments(text):
        row, column = comment.start
        found += _directives(comment, not rows[row - 1][:column].strip(), first_row)
    return Suppressions(tuple(found))


def _comments(text: str) -> Iterator[tuple[tokenize.TokenInfo, int]]:
    """The comments, each with the first row of the statement that it ends, or its own."""
    first_row: int | None = None
    previous: tokenize.TokenInfo | None = None
    for token in tokens(text):
        if previous is not None and previous.type == tokenize.COMMENT:
            own_row = previous.start[0]
            yield previous, own_row if token.type != tokenize.NEWLINE or first_row is None else first_row
        if token.type == tokenize.NEWLINE:
            first_row = None
        elif first_row is None and token.type not in _LAYOUT:
            first_row = token.start[0]
        previous = token
    if previous is not None and previous.type == tokenize.COMMENT:  # the text stops being Python behind it
        yield previous, previous.start[0]


def tokens(text: str) -> Iterator[tokenize.TokenInfo]:
    """The tokens up to where the text stops being Python. A lone carriage return ends a line, as for Python."""
    lines = io.StringIO(NEWLINE.sub("\n", text))
    try:
        yield from tokenize.generate_tokens(lines.readline)
    except (tokenize.TokenError, SyntaxError):
        return


def _directives(comment: tokenize.TokenInfo, is_alone: bool, first_row: int) -> Iterator[Directive]:
    for found in _DIRECTIVE.finditer(comment.string):
        group = "codes" if found["noqa"] else "list"
        places = list(CODE.finditer(comment.string, *found.span(group))) if found[group] else []
        listed = (places[0].start(), places[-1].end()) if places else (found.end(), found.end())
        yield Directive(
            range=_range(comment, *found.span()),
            codes=tuple(dict.fromkeys(place.group() for place in places)),
            keyword=NOQA if found["noqa"] else IGNORE_FILE if found["file"] else IGNORE,
            listed=_range(comment, *listed),
            extent=_range(comment, found.start(), found.end() + _length_of_reason(comment.string[found.end() :])),
            is_alone=is_alone,
            first_row=first_row,
        )


def _length_of_reason(rest: str) -> int:
    other = _NEXT_COMMENT.search(rest)
    return len((rest[: other.start()] if other else rest).rstrip())


def _range(comment: tokenize.TokenInfo, start: int, end: int) -> Range:
    row, column = comment.start
    return Range(Position(row, column + start + 1), Position(row, column + end + 1))
