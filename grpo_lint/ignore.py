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

_PLAIN = re.compile(
    r"""
    (?P<back>!?) (?P<where>\*\*/(?!.*/\*\*\Z)|/|)
    (?P<body>(?!/) (?: [\w.,~$@+-] | \? | (?<!\*)\*(?!\*) | \[[A-Za-z0-9]+\] | /(?!/) )+ (?<!/))
    (?P<below>/\*\*|)
    """,
    re.ASCII | re.VERBOSE,
)
_SPECIAL = re.compile(r"\*|\?|\[\w+\]|[^\w/]", re.ASCII)
_TRANSLATED = {"*": "[^/]*", "?": "[^/]"}


class Pattern(NamedTuple):
    """A line: a regular expression for an entry's name, or for its path below the base.

    Where a group takes part in a match, it is one of something below the entry, and not of the entry itself. `text` is
    a plain pattern for names as written, empty for others.
    """

    expression: str
    is_of_name: bool
    is_of_folders: bool
    ignores: bool
    text: str = ""

    def matches(self, relative: str) -> bool:
        found = re.match(self.expression, relative.rpartition("/")[2] if self.is_of_name else relative)
        return found is not None and found.lastindex is None


class _Patterns(NamedTuple):
    """Patterns, the last first, and what spares most entries, which match none, a look at each of them.

    `names` and `endings` are those of patterns such as `build` and `*.so`; `others` are the rest.
    """

    all: tuple[Pattern, ...]
    names: frozenset[str]
    endings: tuple[str, ...]
    others: tuple[Pattern, ...]

    @classmethod
    def of(cls, patterns: Sequence[Pattern]) -> _Patterns:
        names = [pattern for pattern in patterns if _is_literal(pattern.text)]
        endings = [pattern for pattern in patterns if pattern.text.startswith("*") and _is_literal(pattern.text[1:])]
        return cls(
            tuple(patterns),
            frozenset(pattern.text for pattern in names),
            tuple({pattern.text[1:] for pattern in endings}),
            tuple(pattern for pattern in patterns if pattern not in names and pattern not in endings),
        )

    def last_match(self, relative: str) -> Pattern | None:
        name = relative.rpartition("/")[2]
        candidates = self.all if name in self.names or name.endswith(self.endings) else self.others
        return next((pattern for pattern in candidates if pattern.matches(relative)), None)


def _is_literal(text: str) -> bool:
    return bool(text) and not any(character in "*?[/" for character in text)


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

    @property
    def is_empty(self) -> bool:
        return not self.for_folders.all

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
    body = text.removesuffix("/")
    if plain := _PLAIN.fullmatch(body):
        return (_plain_pattern(plain, is_of_folders),)
    return _pathspec_patterns(body if is_of_folders else line, is_of_folders)


def _plain_pattern(plain: re.Match[str], is_of_folders: bool) -> Pattern:
    where, body, below = plain.group("where", "body", "below")
    is_of_name = where != "/" and not below and "/" not in body
    anywhere = "(?:[^/]+/)*" if where == "**/" and not is_of_name else ""
    end = "/" if below else r"\Z"
    expression = f"{anywhere}{_SPECIAL.sub(_translated, body)}{end}"
    return Pattern(expression, is_of_name, is_of_folders, not plain["back"], body if is_of_name else "")


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
