"""What a finding is, wherever its lines move to: the rule, the function around it, and the code that is reported.

Two findings of one file that are alike in all three are told apart by their order.
"""

from __future__ import annotations

import ast
import hashlib
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from grpo_lint.model import Finding
from grpo_lint.outcome import FileResult
from grpo_lint.source import Source
from grpo_lint.syntax import parse_expression


class Likeness(NamedTuple):
    """What stays of a finding when its lines move or are laid out anew."""

    code: str
    scope: str
    source: str


class Fingerprint(NamedTuple):
    """A finding's likeness, and how many alike stand before it in its file."""

    likeness: Likeness
    order: int

    @property
    def digest(self) -> str:
        """The fingerprint as 32 hexadecimal digits."""
        return hashlib.sha256("\0".join((*self.likeness, str(self.order))).encode()).hexdigest()[:32]


def likeness(finding: Finding, source: Source) -> Likeness:
    """What stays of a finding of a text."""
    return Likeness(finding.code, finding.scope, _one_line(source.slice(finding.range)))


def fingerprints(result: FileResult) -> Iterator[tuple[Finding, Fingerprint]]:
    """The findings of a file, each with its fingerprint."""
    source = Source.from_text(result.path, result.text)
    seen: Counter[Likeness] = Counter()
    for finding in result.findings:
        like = likeness(finding, source)
        yield finding, Fingerprint(like, seen[like])
        seen[like] += 1


def _one_line(text: str) -> str:
    """Code as Python would write it, so that a formatter changes nothing in it; a comment as it stands."""
    if text.startswith("#"):
        return text
    try:
        return ast.unparse(parse_expression(f"({text}\n)"))
    except (SyntaxError, ValueError, RecursionError):
        return " ".join(text.split())
