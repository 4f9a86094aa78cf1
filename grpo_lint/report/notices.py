"""What is said on standard error: faults, warnings, and what to know of the repairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grpo_lint.outcome import FileResult
from grpo_lint.report import ReportOptions, printable

_OWN_REFERENCE = "grpo_lint.reference"


def notices(results: Sequence[FileResult], options: ReportOptions, is_fixing: bool) -> Iterator[str]:
    """The lines, in the order of the files; where the report is to be quiet, those about faults alone."""
    for result in results:
        yield from fault_lines(result, options)
        if not options.is_quiet:
            path = options.displayed(result.path)
            yield from (f"{path}: warning: {printable(warning)}\n" for warning in result.warnings)
    if options.is_quiet:
        return
    if not results:
        yield "grpo-lint: warning: no Python files to check\n"
    if is_fixing and any(map(_has_new_dependency, results)):
        yield (
            f"grpo-lint: the repaired code imports {_OWN_REFERENCE}: training now needs "
            "`pip install 'grpo-lint[torch]'` or `grpo-lint vendor PATH`, which writes that module into the codebase\n"
        )


def fault_lines(result: FileResult, options: ReportOptions) -> Iterator[str]:
    """Why a file could not be checked whole, if so."""
    if fault := result.fault:
        place = f":{fault.position.row}:{fault.position.column}" if fault.position else ""
        yield f"{options.displayed(result.path)}{place}: {printable(fault.message)}\n"


def _has_new_dependency(result: FileResult) -> bool:
    return any(finding.fix and finding.fix.reference_module == _OWN_REFERENCE for finding in result.fixed)
