"""Findings as one line each, and the closing lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from grpo_lint.outcome import FileResult
from grpo_lint.report import ReportOptions, printable
from grpo_lint.report.summary import closing_lines

if TYPE_CHECKING:
    from grpo_lint.model import Finding


def render(results: Sequence[FileResult], options: ReportOptions) -> str:
    lines = [headline(result, finding, options) for result in results for finding in result.findings]
    return "".join(f"{line}\n" for line in (*lines, *closing_lines(results, options)))


def headline(result: FileResult, finding: Finding, options: ReportOptions) -> str:
    """Where, which rule, whether `--fix` would repair it, and what is wrong."""
    if options.has_color:
        from grpo_lint.report.rich_text import colored_headline

        return colored_headline(result, finding, options)
    return "".join(headline_parts(result, finding, options))


def headline_parts(result: FileResult, finding: Finding, options: ReportOptions) -> tuple[str, str, str, str]:
    """The place, the code, the mark and the message, with the spaces between them."""
    start = finding.range.start
    mark = "[*] " if result.is_fixable(finding) else ""
    place = f"{options.displayed(result.path)}:{start.row}:{start.column}: "
    return place, f"{finding.code} ", mark, printable(finding.message)
