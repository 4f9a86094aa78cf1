"""The byte gate: whether a file can hold a finding at all. Most files end here, neither decoded nor parsed."""

from __future__ import annotations

import re
from collections.abc import Sequence

# A part of each word by which the vocabulary knows rewards.
_REWARDS = ("reward", "rwd", "adv", "score", "returns", "rets")


def mention_of_rewards(extra: Sequence[str]) -> str:
    """A regular expression for what occurs, in some case, in every text that names rewards."""
    return "|".join(map(re.escape, (*_REWARDS, *extra)))


def passes(data: bytes, gates: Sequence[Sequence[bytes]], extra_rewards: Sequence[str]) -> bool:
    """Whether rewards are named, and of one gate at least all patterns occur."""
    if not any(all(re.search(pattern, data) for pattern in gate) for gate in gates):
        return False
    return re.search(mention_of_rewards(extra_rewards).encode(), data, re.IGNORECASE) is not None
