"""Findings as lines for a terminal, and a closing line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grpo_lint.model import FileResult, Finding
from grpo_lint.report import ReportOptions, printable


def render(results: Sequence[FileResult], options: ReportOptions) -> str:
    lines = [line for result in results for finding in result.findings for line in _lines(result, finding, options)]
    return "".join(f"{line}\n" for line in (*lines, *_closing(results, options)))


def render_diff_summary(results: Sequence[FileResult], options: ReportOptions) -> str:
    """What a diff comes to."""
    fixed, left = _counts(results)
    if not fixed:
        return "".join(f"{line}\n" for line in _closing(results, options))
    return f"Would fix {_findings(fixed)}, {left} would remain.\n"


def _lines(result: FileResult, finding: Finding, options: ReportOptions) -> Iterator[str]:
    start = finding.range.start
    mark = "[*] " if options.is_fixable(finding) else ""
    place = f"{options.displayed(result.path)}:{start.row}:{start.column}"
    yield f"{place}: {finding.code} {mark}{printable(finding.message)}"
    if finding.fix_reason:
        yield f"  no fix: {printable(finding.fix_reason)}"


def _closing(results: Sequence[FileResult], options: ReportOptions) -> Iterator[str]:
    fixed, left = _counts(results)
    if fixed:
        yield f"Found {_findings(fixed + left)} ({fixed} fixed, {left} remaining)."
    elif left:
        yield f"Found {_findings(left)}."
    elif faults := sum(result.fault is not None for result in results):
        yield f"No findings, but {faults} {'path' if faults == 1 else 'paths'} could not be checked."
    else:
        yield "All checks passed!"
    yield from _fixable(results, options)


def _fixable(results: Sequence[FileResult], options: ReportOptions) -> Iterator[str]:
    repairable = [finding for result in results for finding in result.findings if finding.fix]
    now = sum(map(options.is_fixable, repairable))
    more = len(repairable) - now
    has_unsafe = any(finding.fix and finding.fix.safety.value == "unsafe" for finding in repairable)
    if now and options.unsafe_fixes and has_unsafe:
        yield f"[*] {now} fixable with `--fix --unsafe-fixes`."
    elif now:
        yield f"[*] {now} fixable with `--fix`" + (f" ({more} more with `--unsafe-fixes`)." if more else ".")
    elif more:
        yield f"{more} fixable with `--fix --unsafe-fixes`."


def _counts(results: Sequence[FileResult]) -> tuple[int, int]:
    """How many findings were fixed, and how many are left."""
    return sum(len(result.fixed) for result in results), sum(len(result.findings) for result in results)


def _findings(count: int) -> str:
    return f"{count} finding" if count == 1 else f"{count} findings"
