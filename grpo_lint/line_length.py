"""The line length of repaired code: the one that the project's own formatter keeps to."""

from __future__ import annotations

from pathlib import Path

from grpo_lint.toml_file import Table, parse_leniently, positive, subtable

DEFAULT_LINE_LENGTH = 88

_PROJECT_FILE = "pyproject.toml"
_RUFF_FILES = (".ruff.toml", "ruff.toml")


def formatter_line_length(folder: Path) -> int:
    """The line length of the project's formatter: black's if the nearest pyproject.toml sets black up, else ruff's."""
    for each in (folder, *folder.parents):
        if (each / _PROJECT_FILE).is_file():
            tool = subtable(parse_leniently(each / _PROJECT_FILE), "tool")
            if "black" in tool:
                return _line_length(subtable(tool, "black"))
            break
    return _ruff_line_length(folder)


def _line_length(settings: Table) -> int:
    value = settings.get("line-length", settings.get("line_length"))
    return positive(value) or DEFAULT_LINE_LENGTH


def _ruff_line_length(folder: Path) -> int:
    for each in (folder, *folder.parents):
        for name in _RUFF_FILES:
            if (each / name).is_file():
                return _line_length(parse_leniently(each / name))
        if (each / _PROJECT_FILE).is_file():
            tool = subtable(parse_leniently(each / _PROJECT_FILE), "tool")
            if "ruff" in tool:
                return _line_length(subtable(tool, "ruff"))
    return DEFAULT_LINE_LENGTH
