"""`--add-ignores`: comments for the findings that are left, and how many were written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from grpo_lint.report.summary import counts, number_of

if TYPE_CHECKING:
    from grpo_lint.discover import Entry
    from grpo_lint.outcome import FileResult

Results = tuple["FileResult", ...]


def add_ignores(entries: Sequence[Entry], results: Results, reason: str | None) -> tuple[Results, tuple[str, ...]]:
    """Suppress the findings in their files. What is left of the results, and what to say of the rest."""
    from grpo_lint.suppress.removal import PLACEHOLDER

    left = tuple(_suppressed(*each, reason or PLACEHOLDER) for each in zip(entries, results, strict=True))
    files = sum(len(before.findings) > len(after.findings) for before, after in zip(results, left, strict=True))
    suppressed = number_of(counts(results)[1] - counts(left)[1], "finding")
    request = "" if reason or not files else f"; write the reason of each in place of `{PLACEHOLDER}`"
    return left, (f"Suppressed {suppressed} in {number_of(files, 'file')}{request}.",)


def _suppressed(entry: Entry, result: FileResult, reason: str) -> FileResult:
    from grpo_lint.discover import Found
    from grpo_lint.runner import suppress_findings

    if not isinstance(entry, Found) or not result.findings:
        return result
    return suppress_findings(result, entry.config, reason)
