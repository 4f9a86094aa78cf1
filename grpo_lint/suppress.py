"""Comments that answer for a finding: `# noqa: GRPO001 - reason`, `# grpo-lint: ignore[GRPO001]`."""

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
_DIRECTIVE = re.compile(
    rf"""
    \#\s*(?:
        (?P<noqa>(?i:noqa)) (?![\w-]) (?:\s*:\s*(?P<codes>{_CODE}(?:[\s,]+{_CODE})*))?
      | (?P<ignore>grpo-lint\s*:\s*ignore) (?![\w-]) (?:\s*\[(?P<list>[^]]*)\])?
    )
    """,
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Directive:
    """One comment and the codes that it names; none if it is bare, and then it suppresses nothing."""

    range: Range
    codes: tuple[str, ...]
    keyword: str

    def covers(self, finding: Finding) -> bool:
        return self.is_beside(finding) and finding.code in self.codes

    def is_beside(self, finding: Finding) -> bool:
        return self.range.start.row in (finding.range.start.row, finding.range.end.row)


@dataclass(frozen=True, slots=True)
class Suppressions:
    """A file's directives, in order."""

    directives: tuple[Directive, ...] = ()

    def covers(self, finding: Finding) -> Directive | None:
        """The directive that suppresses the finding."""
        return next((each for each in self.directives if each.covers(finding)), None)

    def hint(self, finding: Finding) -> str | None:
        """What to write in place of a bare directive beside the finding, which its author took to be enough."""
        bare = next((each for each in self.directives if not each.codes and each.is_beside(finding)), None)
        if bare is None:
            return None
        remedy = f"# noqa: {finding.code}" if bare.keyword == "noqa" else f"# grpo-lint: ignore[{finding.code}]"
        row = bare.range.start.row
        return f"line {row}: this `# {bare.keyword}` names no whole code and suppresses nothing here: write `{remedy}`"


def read_suppressions(text: str) -> Suppressions:
    """The directives in the comments of a file."""
    if not _HINT_OF_A_DIRECTIVE.search(text):
        return Suppressions()
    return Suppressions(tuple(each for comment in _comments(text) for each in _directives(comment)))


def _comments(text: str) -> Iterator[tokenize.TokenInfo]:
    """The comments up to where the text stops being Python. A lone carriage return ends a line, as for Python."""
    lines = io.StringIO(NEWLINE.sub("\n", text))
    try:
        yield from (token for token in tokenize.generate_tokens(lines.readline) if token.type == tokenize.COMMENT)
    except (tokenize.TokenError, SyntaxError):
        return


def _directives(comment: tokenize.TokenInfo) -> Iterator[Directive]:
    row, column = comment.start
    for found in _DIRECTIVE.finditer(comment.string):
        start, end = Position(row, column + found.start() + 1), Position(row, column + found.end() + 1)
        codes = re.findall(rf"\b{_CODE}", found["codes"] or found["list"] or "")
        yield Directive(
            Range(start, end), tuple(dict.fromkeys(codes)), "noqa" if found["noqa"] else "grpo-lint: ignore"
        )
