"""Command-line options, with the nearest one named where a word is not known."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence

from grpo_lint.report import printable
from grpo_lint.suggestion import did_you_mean


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Argparse's own imports half a dozen archive formats to learn the terminal's width, and is made at every start."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=_columns() - 2)


def _columns() -> int:
    """The width of the terminal, as `shutil.get_terminal_size` tells it."""
    try:
        return int(os.environ["COLUMNS"]) or 80
    except (KeyError, ValueError):
        pass
    try:
        return os.get_terminal_size(1).columns or 80
    except OSError:
        return 80


class Parser(argparse.ArgumentParser):
    """An argparse parser that takes no abbreviations, and options between paths."""

    def __init__(self, prog: str, description: str, epilog: str | None = None) -> None:
        super().__init__(
            prog=prog,
            description=description,
            epilog=epilog,
            allow_abbrev=False,
            formatter_class=_Formatter,
        )

    def read(self, words: Sequence[str]) -> argparse.Namespace:
        """The options that the words give. Prints what is wrong with them and exits with status 2 if they do not."""
        options, unknown = self.parse_known_intermixed_args(words)
        if unknown:
            self.error(f"unrecognized arguments: {printable(' '.join(unknown))}{self._suggestion(unknown)}")
        return options

    def _suggestion(self, unknown: Sequence[str]) -> str:
        known = [option for action in self._actions for option in action.option_strings if option.startswith("--")]
        return did_you_mean(unknown[0].partition("=")[0], known) if unknown[0].startswith("-") else ""


def one_of(choices: Sequence[str]) -> Callable[[str], str]:
    """The type of an argument that is one of some words."""

    def convert(word: str) -> str:
        if word not in choices:
            shown = printable(repr(word))
            raise argparse.ArgumentTypeError(f"{shown} is not one of {', '.join(choices)}{did_you_mean(word, choices)}")
        return word

    return convert
