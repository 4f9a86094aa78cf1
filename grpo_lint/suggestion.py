"""The nearest known word, where a word is not known."""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(word: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """The end of a complaint about an unknown word: the nearest known one, or nothing.

    `cutoff` is how much alike they must be, from 0 to 1.
    """
    from difflib import SequenceMatcher

    likeness = {each: SequenceMatcher(None, each, word).ratio() for each in known}
    nearest = max(likeness, key=likeness.__getitem__, default="")  # of several the first: GRPO001 for GRPO01
    return f": did you mean {nearest!r}?" if likeness.get(nearest, 0) >= cutoff else ""
