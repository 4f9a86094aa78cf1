"""The closing lines: how many findings there are, and how many of them a repair would take."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grpo_lint.outcome import FileResult
from grpo_lint.report import ReportOptions


def closing_lines(results: Sequence[FileResult], options: ReportOptions) -> Iterator[str]:
    """The lines below the findings; none if the report is to be quiet."""
    if options.is_quiet:
        return
    fixed, left = counts(results)
    if fixed:
        yield f"Found {number_of(fixed + left, 'finding')} ({fixed} fixed, {left} remaining)."
    elif left:
        yield f"Found {number_of(left, 'finding')}."
    elif errors := sum(result.fault is not None for result in results):
        yield f"No findings, but not everything was checked: {number_of(errors, 'error')}."
    else:
        yield "All checks passed!"
    yield from _fixable(results)


def _fixable(results: Sequence[FileResult]) -> Iterator[str]:
    """How many findings have a repair, and how many have one that is hidden until it is asked for."""
    found = [(result, finding.fix) for result in results for finding in result.findings if finding.fix]
    unsafe = [result.unsafe_fixes for result, fix in found if fix.safety.value == "unsafe"]
    count = unsafe.count(False)
    hidden = (
        f" ({number_of(count, 'hidden fix', 'hidden fixes')} can be enabled with `--unsafe-fixes`)" if count else ""
    )
    if shown := len(found) - count:
        option = "`--fix --unsafe-fixes`" if any(unsafe) else "`--fix`"
        yield f"[*] {shown} fixable with {option}{hidden}."
    elif hidden:
        yield f"No fixes available{hidden}."


def counts(results: Sequence[FileResult]) -> tuple[int, int]:
    """How many findings were fixed, and how many are left."""
    return sum(len(result.fixed) for result in results), sum(len(result.findings) for result in results)


def number_of(count: int, one: str, many: str | None = None) -> str:
    """A count and what it counts."""
    return f"{count} {one if count == 1 else many or one + 's'}"
