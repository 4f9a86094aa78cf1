"""The nearest known word, where a word is not known."""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The end of a complaint about an unknown word: the nearest known one, or nothing."""
    from difflib import get_close_matches

    close = get_close_matches(word, known, n=1)
    return f": did you mean {close[0]!r}?" if close else ""
