"""The nearest known word, where a word is not known."""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(word: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """The end of a complaint about an unknown word: the nearest known one, or nothing.

    `cutoff` is how much alike they must be, from 0 to 1.
    """
    from difflib import get_close_matches

    close = get_close_matches(word, known, n=1, cutoff=cutoff)
    return f": did you mean {close[0]!r}?" if close else ""
