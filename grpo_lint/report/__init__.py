"""Report formats: one module each, imported when it is used. And how any of them prints a path or a message."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from grpo_lint.outcome import FileResult
    from grpo_lint.report.terminal import Terminal

FORMATS: Mapping[str, str] = {
    "text": "grpo_lint.report.text",
    "concise": "grpo_lint.report.concise",
    "json": "grpo_lint.report.json",
    "github": "grpo_lint.report.github",
    "sarif": "grpo_lint.report.sarif",
    "gitlab": "grpo_lint.report.gitlab",
    "junit": "grpo_lint.report.junit",
    "rdjson": "grpo_lint.report.rdjson",
}

STATISTICS = ("text", "concise", "json")  # the formats that can count findings in place of showing them


class Target(NamedTuple):
    """A format of FORMATS, and the file that it goes to; None for standard output."""

    format: str
    file: str | None = None


class ReportOptions(NamedTuple):
    """How to report: `folder` is the absolute folder that paths are shown from; `terminal` is None where there is none.

    `is_quiet` leaves out counts, warnings and notes. `notes` stand below the counts.
    """

    folder: str
    is_quiet: bool = False
    has_color: bool = False
    terminal: Terminal | None = None
    notes: tuple[str, ...] = ()

    def displayed(self, path: str) -> str:
        """The path as text reports show it: relative where it lies below the folder."""
        absolute = self.absolute(path)
        prefix = self.folder.rstrip(os.sep) + os.sep
        return printable(absolute.removeprefix(prefix))

    def absolute(self, path: str) -> str:
        return os.path.normpath(os.path.join(self.folder, path))  # noqa: PTH118 - a text, not a place


Renderer = Callable[[Sequence["FileResult"], ReportOptions], str]


def renderer(name: str, is_statistics: bool = False) -> Renderer:
    """The function that renders a format of FORMATS, or one of STATISTICS that counts."""
    module = import_module("grpo_lint.report.statistics" if is_statistics else FORMATS[name])
    render: Renderer = module.render_json if is_statistics and name == "json" else module.render
    return render


def printable(text: str) -> str:
    """The text on one line, with what a terminal would act upon, or could not encode, as escapes."""
    if text.isprintable():
        return text
    return "".join(map(printable_character, text))


def printable_character(character: str) -> str:
    """One character as it may be printed: itself, or its escape."""
    return character if character.isprintable() else character.encode("unicode_escape").decode("ascii")
