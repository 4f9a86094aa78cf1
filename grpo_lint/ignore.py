"""Patterns as in .gitignore; each entry of a walk is judged by itself, the last match decides.

Names, stars and plain sets of characters, of which nearly all such files consist, are read here; what is more than that
is left to pathspec, whose import takes longer than a walk. Its own specs are not used, for they judge whole paths: of
the usual whitelists `*`, `!*/`, `!*.py` and `/*`, `!/src/` they ignore the folders or what lies in them, and it would
be passed over in silence.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

_PLAIN = re.compile(r"!?/?(?:(?!/)(?:[\w.,~$@+-]|\?|(?<!\*)\*|\[[A-Za-z0-9]+\]|/(?!/))+(?<!/))", re.ASCII)
_SPECIAL = re.compile(r"\*|\?|\[\w+\]|[^\w/]", re.ASCII)
_TRANSLATED = {"*": "[^/]*", "?": "[^/]"}


class Pattern(NamedTuple):
    """A line: a regular expression for an entry's name, or for its path below the base.

    Where a group takes part in a match, it is one of something below the entry, and not of the entry itself.
    """

    expression: str
    is_of_name: bool
    is_of_folders: bool
    ignores: bool

    def matches(self, relative: str) -> bool:
        found = re.match(self.expression, relative.rpartition("/")[2] if self.is_of_name else relative)
        return found is not None and found.lastindex is None


class _Patterns(NamedTuple):
    """Patterns, the last first; those for names also as one expression, since most entries match none at all."""

    all: tuple[Pattern, ...]
    name: re.Pattern[str] | None
    of_paths: tuple[Pattern, ...]

    @classmethod
    def of(cls, patterns: Sequence[Pattern]) -> _Patterns:
        names = "|".join(dict.fromkeys(pattern.expression for pattern in patterns if pattern.is_of_name))
        of_paths = tuple(pattern for pattern in patterns if not pattern.is_of_name)
        return cls(tuple(patterns), re.compile(names) if names else None, of_paths)

    def last_match(self, relative: str) -> Pattern | None:
        is_named = self.name is not None and self.name.match(relative.rpartition("/")[2]) is not None
        candidates = self.all if is_named else self.of_paths
        return next((pattern for pattern in candidates if pattern.matches(relative)), None)


class IgnoreRules(NamedTuple):
    """The patterns of one file, which speak of what lies below the folder `base`."""

    base: str
    for_folders: _Patterns
    for_files: _Patterns

    @classmethod
    def parse(cls, base: str, lines: Iterable[str]) -> IgnoreRules:
        parsed = [pattern for line in lines for pattern in _parse(line)][::-1]
        files = [pattern for pattern in parsed if not pattern.is_of_folders]
        return cls(base, _Patterns.of(parsed), _Patterns.of(files))

    def verdict(self, path: str, is_folder: bool) -> bool | None:
        """Whether the last pattern that matches `path` itself ignores it; None if none does."""
        found = (self.for_folders if is_folder else self.for_files).last_match(_relative(path, self.base))
        return None if found is None else found.ignores


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


def _parse(line: str) -> Sequence[Pattern]:
    """The line's pattern, less a slash at its end: that only says that folders alone are meant."""
    text = line.rstrip()
    if not text or text.startswith("#"):
        return ()
    is_of_folders = text.endswith("/")
    if _PLAIN.fullmatch(body := text.removesuffix("/")):
        return (_plain_pattern(body, is_of_folders),)
    return _pathspec_patterns(body if is_of_folders else line, is_of_folders)


def _plain_pattern(text: str, is_of_folders: bool) -> Pattern:
    body = text.removeprefix("!")
    translated = _SPECIAL.sub(_translated, body.removeprefix("/"))
    return Pattern(rf"{translated}\Z", "/" not in body, is_of_folders, body == text)


def _translated(found: re.Match[str]) -> str:
    special = found.group()
    return special if special.startswith("[") else _TRANSLATED.get(special, re.escape(special))


def _pathspec_patterns(line: str, is_of_folders: bool) -> Sequence[Pattern]:
    import warnings

    from pathspec import GitIgnoreSpec  # the one way to its patterns that neither 0.12 nor 1.x deprecates

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # of a bracket in brackets
            found = GitIgnoreSpec.from_lines([line]).patterns
    except (ValueError, re.error):  # a lone `!`, a range that runs backwards: it matches nothing
        return ()
    read = [(each.regex.pattern, each.include) for each in found if each.regex is not None]
    return [Pattern(expression, False, is_of_folders, bool(ignores)) for expression, ignores in read]
