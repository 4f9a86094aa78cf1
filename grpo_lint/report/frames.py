"""Findings as frames of code, in which the evidence is marked, with the diff of the repair: for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from rich.text import Text

from grpo_lint import edits
from grpo_lint.model import Finding, Fix
from grpo_lint.outcome import FileResult
from grpo_lint.report import ReportOptions, printable
from grpo_lint.report.concise import headline_parts
from grpo_lint.report.excerpt import excerpt
from grpo_lint.report.rich_text import HEADLINE_STYLES, patch_line, to_text
from grpo_lint.report.terminal import Terminal
from grpo_lint.source import Source

_PROSE_WIDTH = 100  # longer lines are hard to read, however wide the terminal
_LONGEST_LINE = 1000


def render_frames(results: Sequence[FileResult], options: ReportOptions, terminal: Terminal) -> str:
    """Every finding with its frame. The diff of a repair stands once, below the last finding that it repairs."""
    return to_text((line for result in results for line in _file(result, options, terminal)), options)


def _file(result: FileResult, options: ReportOptions, terminal: Terminal) -> Iterator[Text]:
    source = Source.from_text(result.path, result.text)
    for finding in result.findings:
        yield from _headline(result, finding, options, terminal)
        yield from excerpt(source, finding, terminal)
        yield from _outcome(result, finding, terminal)
        if finding.fix and result.is_fixable(finding) and _last_with(finding.fix, result) is finding:
            yield from _diff(source, finding.fix)
        yield Text()


def _headline(result: FileResult, finding: Finding, options: ReportOptions, terminal: Terminal) -> Iterator[Text]:
    place, code, mark, message = headline_parts(result, finding, options)
    yield Text.assemble(*zip((place, code, mark, finding.rule), HEADLINE_STYLES, strict=True))
    yield from _prose("", message, terminal)


def _outcome(result: FileResult, finding: Finding, terminal: Terminal) -> Iterator[Text]:
    """What `--fix` would do about the finding, or why it does nothing."""
    if finding.fix is None:
        if finding.fix_reason:
            yield from _prose("no fix: ", printable(finding.fix_reason), terminal)
        return
    message = printable(finding.fix.message)
    if not result.is_fixable(finding):
        message += " (`--unsafe-fixes` shows it)"
    elif _last_with(finding.fix, result) is not finding:
        message += " (the same repair as below)"
    yield from _prose(f"{finding.fix.safety.value} fix: ", message, terminal)


def _last_with(fix: Fix, result: FileResult) -> Finding:
    """The last finding that a fix repairs: its diff stands below that one."""
    return [finding for finding in result.findings if finding.fix == fix][-1]


def _prose(label: str, message: str, terminal: Terminal) -> Iterator[Text]:
    """A message over as many lines as it needs, indented, its label in bold."""
    width = min(terminal.width, _PROSE_WIDTH) - 2
    for number, line in enumerate(textwrap.wrap(label + message, width, break_on_hyphens=False)):
        text = Text(f"  {line}")
        if number == 0 and label:
            text.stylize("bold", 2, 2 + len(label))
        yield text


def _diff(source: Source, fix: Fix) -> Iterator[Text]:
    """The repair as a patch without its head, which would only repeat the file's name."""
    patch = edits.unified_diff("", source.text, edits.apply(source, fix.edits))
    for line in patch.split("\n")[2:-1]:
        shown = printable(line.removesuffix("\r").replace("\t", "    ")[:_LONGEST_LINE])
        yield Text("  ").append_text(patch_line(shown))
