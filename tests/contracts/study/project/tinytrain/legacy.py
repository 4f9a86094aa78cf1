"""Advantages as they were before prompts had identities: one baseline for the whole batch."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from statistics import fmean


def normalize_by_group(
    rewards: Sequence[float],
    group_indices: Sequence[Hashable],
    rollout_ids: Sequence[Hashable] | None = None,
    *,
    normalize_std: bool,
    fallback_group_size: int | None = None,
    eps: float = 1e-6,
) -> list[float]:
    """Centre each reward on the mean of the batch; kept for old checkpoints."""
    mean = fmean(rewards)
    return [reward - mean for reward in rewards]
