"""The output of `--diff`: the repairs as one patch, and in one line what they come to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grpo_lint.outcome import FileResult
from grpo_lint.report import ReportOptions, printable
from grpo_lint.report.summary import closing_lines, counts, number_of


def render_patch(results: Sequence[FileResult], options: ReportOptions) -> str:
    """The patch: to the byte for a program, without what a terminal would act upon for one."""
    patch = "".join(result.diff for result in results)
    if options.terminal is not None:
        patch = "".join(f"{_shown(line)}\n" for line in patch.split("\n")[:-1])
    if not options.has_color:
        return patch
    from grpo_lint.report.rich_text import colored_patch

    return colored_patch(patch, options)


def render_summary(results: Sequence[FileResult], options: ReportOptions) -> str:
    """What a patch comes to; nothing if the report is to be quiet."""
    return "".join(f"{line}\n" for line in _summary(results, options))


def _summary(results: Sequence[FileResult], options: ReportOptions) -> Iterator[str]:
    fixed, left = counts(results)
    if not fixed:
        yield from closing_lines(results, options)
    elif not options.is_quiet:
        yield f"Would fix {number_of(fixed, 'finding')}, {left} would remain."
        yield from options.notes


def _shown(line: str) -> str:
    return "\t".join(map(printable, line.removesuffix("\r").split("\t")))
