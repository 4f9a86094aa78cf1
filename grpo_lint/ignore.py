"""Patterns as in .gitignore, matched by pathspec; each entry of a walk is judged by itself, the last match decides.

pathspec's own specs judge whole paths: of the usual whitelists `*`, `!*/`, `!*.py` and `/*`, `!/src/` they ignore the
folders or what lies in them, and it would be passed over in silence.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec.pattern import RegexPattern


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """The patterns of one file, which speak of what lies below the folder `base`; the last ones first."""

    base: str
    for_folders: tuple[RegexPattern, ...]
    for_files: tuple[RegexPattern, ...]

    @classmethod
    def parse(cls, base: str, lines: Iterable[str]) -> IgnoreRules:
        parsed = [(pattern, line.rstrip().endswith("/")) for line in lines for pattern in _parse(line)][::-1]
        return cls(
            base,
            for_folders=tuple(pattern for pattern, _ in parsed),
            for_files=tuple(pattern for pattern, is_only_for_folders in parsed if not is_only_for_folders),
        )

    def verdict(self, path: str, is_folder: bool) -> bool | None:
        """Whether the last pattern that matches `path` itself ignores it; None if none does."""
        relative = _relative(path, self.base)
        for pattern in self.for_folders if is_folder else self.for_files:
            found = pattern.match_file(relative)
            if found and found.match.lastindex is None:  # the only group is the slash behind a folder that matches
                return pattern.include
        return None


def is_ignored(path: str, is_folder: bool, rules: Iterable[IgnoreRules]) -> bool:
    """Whether `path` itself is ignored, whatever its parents are. The first rules that speak of it decide."""
    verdicts = (each.verdict(path, is_folder) for each in rules)
    return next((verdict for verdict in verdicts if verdict is not None), False)


def is_ignored_below(base: str, path: str, is_folder: bool, rules: Iterable[IgnoreRules]) -> bool:
    """Whether `path`, or a folder on the way to it from `base`, is ignored."""
    layers = tuple(rules)
    parts = _relative(path, base).split("/")
    prefixes = ["/".join((base.rstrip("/"), *parts[:count])) for count in range(1, len(parts))]
    return any(is_ignored(prefix, True, layers) for prefix in prefixes) or is_ignored(path, is_folder, layers)


def _relative(path: str, base: str) -> str:
    return path[len(base.rstrip(os.sep)) + 1 :].replace(os.sep, "/")


def _parse(line: str) -> Sequence[RegexPattern]:
    """The line's pattern, less a slash at its end: with it, pathspec would not match the folder but what it holds."""
    text = line.rstrip()
    if not text or text.startswith("#"):
        return ()
    from pathspec import GitIgnoreSpec  # the one way to its patterns that neither 0.12 nor 1.x deprecates

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # of a bracket in brackets
            return GitIgnoreSpec.from_lines([text[:-1] if text.endswith("/") else line]).patterns
    except (ValueError, re.error):  # a lone `!`, a range that runs backwards: it matches nothing
        return ()
