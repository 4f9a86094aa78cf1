"""Colour, by rich: what stands for what, and the conversion to text with escape codes."""

from __future__ import annotations

import io
from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

from grpo_lint.model import Finding
from grpo_lint.outcome import FileResult
from grpo_lint.report import ReportOptions
from grpo_lint.report.concise import headline_parts

HEADLINE_STYLES = ("bold", "bold red", "cyan", "")
_PATCH_STYLES = (("+++", "bold"), ("---", "bold"), ("@@", "cyan"), ("+", "green"), ("-", "red"))


def to_text(lines: Iterable[Text], options: ReportOptions) -> str:
    """Lines as they stand, however long, with escape codes for their colours if the report is to have colour."""
    file = io.StringIO()
    console = Console(
        file=file,
        force_terminal=options.has_color,
        color_system="standard" if options.has_color else None,
        no_color=not options.has_color,
        legacy_windows=False,
        width=options.terminal.width if options.terminal else None,
    )
    for line in lines:
        console.print(line, soft_wrap=True, highlight=False)
    return file.getvalue()


def colored_headline(result: FileResult, finding: Finding, options: ReportOptions) -> str:
    parts = zip(headline_parts(result, finding, options), HEADLINE_STYLES, strict=True)
    return to_text([Text.assemble(*parts)], options).removesuffix("\n")


def colored_patch(patch: str, options: ReportOptions) -> str:
    """A patch with its lines coloured by what they do."""
    lines = patch.split("\n")[:-1]
    return to_text((patch_line(line) for line in lines), options)


def patch_line(line: str) -> Text:
    return Text(line, style=next((style for start, style in _PATCH_STYLES if line.startswith(start)), ""))
