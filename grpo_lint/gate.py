"""The byte gate: whether a file can hold a finding at all. Most files end here, neither decoded nor parsed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

# A part of each word by which the vocabulary knows rewards.
_REWARDS = ("reward", "rwd", "adv", "score", "returns", "rets")


def mention_of_rewards(extra: Sequence[str]) -> str:
    """A regular expression for what occurs, in some case, in every text that names rewards."""
    return "|".join(map(re.escape, (*_REWARDS, *extra)))


def mentions_rewards(data: bytes, extra: Sequence[str]) -> bool:
    """Whether rewards are named: the same as a search for `mention_of_rewards`, at a tenth of its price."""
    lower = data.lower()
    return any(word.encode().lower() in lower for word in (*_REWARDS, *extra))


def passes(data: bytes, gates: Iterable[Sequence[bytes]]) -> bool:
    """Whether of one gate at least all patterns occur."""
    return any(all(re.search(pattern, data) for pattern in gate) for gate in gates)
