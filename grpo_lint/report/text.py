"""Findings for a reader: a line each, or on a terminal a frame of code each, and the closing lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from grpo_lint.outcome import FileResult
from grpo_lint.report import ReportOptions, printable
from grpo_lint.report.concise import headline
from grpo_lint.report.summary import closing_lines

if TYPE_CHECKING:
    from grpo_lint.model import Finding


def render(results: Sequence[FileResult], options: ReportOptions) -> str:
    return _findings(results, options) + "".join(f"{line}\n" for line in closing_lines(results, options))


def _findings(results: Sequence[FileResult], options: ReportOptions) -> str:
    found = [(result, finding) for result in results for finding in result.findings]
    if found and options.terminal is not None:
        from grpo_lint.report.frames import render_frames

        return render_frames(results, options, options.terminal)
    return "".join(f"{line}\n" for result, finding in found for line in _lines(result, finding, options))


def _lines(result: FileResult, finding: Finding, options: ReportOptions) -> Iterator[str]:
    yield headline(result, finding, options)
    if finding.fix_reason:
        yield f"  no fix: {printable(finding.fix_reason)}"
    elif finding.fix and not result.is_fixable(finding):
        yield f"  unsafe fix, with `--unsafe-fixes`: {printable(finding.fix.message)}"
