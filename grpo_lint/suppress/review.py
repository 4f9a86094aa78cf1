"""The findings about a file's directives: put to the rules about comments, less what other directives answer for."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from grpo_lint.analysis import finding_of
from grpo_lint.model import Finding
from grpo_lint.rules import CODES
from grpo_lint.selection import selected, selected_rules
from grpo_lint.subjects import COMMENTS
from grpo_lint.suppress.comments import Comments

if TYPE_CHECKING:
    from grpo_lint.config import Config
    from grpo_lint.source import Source
    from grpo_lint.suppress.directives import Suppressions


def review(
    source: Source, tree: ast.Module, suppressions: Suppressions, findings: Sequence[Finding], config: Config
) -> Iterator[Finding]:
    """The findings about directives in a file that has these findings, suppressed or not."""
    judged = frozenset(rule.code for rule in selected_rules(config) if rule.subject is not COMMENTS)
    comments = Comments.of(source, suppressions, findings, judged, CODES)
    for rule, check in selected(COMMENTS, config):
        for remark in check(comments):
            finding = finding_of(rule, remark, tree)
            if suppressions.covers(finding) is None:
                yield finding
