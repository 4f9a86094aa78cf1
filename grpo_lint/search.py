"""Whether a regular expression occurs in bytes: its alternatives are sought one by one.

An expression that starts with plain text is found at the speed of a search for that text, an alternation never is; and
the words of a list are found without any expression. Each is a tenth of the price.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

# `\b(?:view|reshape)\b`, or without the first boundary.
_WORD_LIST = re.compile(rb"(?P<start>\\b)?\(\?:(?P<words>\w+(?:\|\w+)*)\)\\b")
_LETTERS = frozenset(bytes([code]) for code in range(128) if chr(code).isalnum() or chr(code) == "_")
_TOKEN = re.compile(rb"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|.", re.DOTALL)  # an escape, a class of characters, a character


class _Words(NamedTuple):
    """Words that end, and perhaps start, where one does in the text: each core with the words that contain it."""

    families: tuple[tuple[bytes, tuple[bytes, ...]], ...]
    starts_there: bool

    @classmethod
    def of(cls, words: Sequence[bytes], starts_there: bool) -> _Words:
        cores = [word for word in words if not any(other in word for other in words if other != word)]
        families = {core: tuple(word for word in words if core in word) for core in dict.fromkeys(cores)}
        return cls(tuple(families.items()), starts_there)

    def occurs_in(self, data: bytes) -> bool:
        return any(core in data and any(self._has(word, data) for word in words) for core, words in self.families)

    def _has(self, word: bytes, data: bytes) -> bool:
        place = data.find(word)
        while place >= 0:
            end = place + len(word)
            if data[end : end + 1] not in _LETTERS and not (
                self.starts_there and place and data[place - 1 : place] in _LETTERS
            ):
                return True
            place = data.find(word, place + 1)
        return False


class _Expression(NamedTuple):
    pattern: re.Pattern[bytes]

    def occurs_in(self, data: bytes) -> bool:
        return self.pattern.search(data) is not None


def occurs(pattern: bytes, data: bytes) -> bool:
    """Whether a pattern is found: the same as `re.search`, for patterns without references to groups."""
    return any(alternative.occurs_in(data) for alternative in _alternatives(pattern))


def occurs_in_lower(pattern: bytes, data: bytes) -> bool:
    """Whether a pattern in lower case is found in any case: its plain text is then sought as such, too."""
    return occurs(pattern, data.lower())


@lru_cache(maxsize=256)
def _alternatives(pattern: bytes) -> tuple[_Words | _Expression, ...]:
    """The cheap ones first."""
    alternatives = [_alternative(part) for part in _split(pattern)]
    return tuple(sorted(alternatives, key=lambda each: isinstance(each, _Expression)))


def _alternative(pattern: bytes) -> _Words | _Expression:
    if listed := _WORD_LIST.fullmatch(pattern):
        return _Words.of(listed["words"].split(b"|"), bool(listed["start"]))
    return _Expression(re.compile(pattern))


def _split(pattern: bytes) -> Iterator[bytes]:
    """The alternatives of a pattern that stand in no parentheses."""
    part, depth = b"", 0
    for token in _TOKEN.findall(pattern):
        if token == b"|" and not depth:
            yield part
            part = b""
            continue
        depth += (token == b"(") - (token == b")")
        part += token
    yield part
