"""Advantages whose groups come from identity."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from statistics import fmean, stdev


def normalize_by_group(
    rewards: Sequence[float],
    group_indices: Sequence[Hashable],
    rollout_ids: Sequence[Hashable] | None = None,
    *,
    normalize_std: bool,
    fallback_group_size: int | None = None,
    eps: float = 1e-6,
) -> list[float]:
    """Centre each reward on its own group's mean over attempts and, if asked, divide by their standard deviation."""
    groups = group_keys(group_indices, len(rewards), fallback_group_size)
    ids = [None] * len(rewards) if rollout_ids is None else list(rollout_ids)
    if len(ids) != len(rewards):
        raise ValueError(f"{len(rewards)} rewards, {len(ids)} rollout ids")
    attempts: dict[Hashable, dict[Hashable, float]] = {}
    for position, (group, rollout_id, reward) in enumerate(zip(groups, ids, rewards, strict=True)):
        attempt = ("sample", position) if rollout_id is None else rollout_id
        attempts.setdefault(group, {})[attempt] = reward
    means = {group: fmean(members.values()) for group, members in attempts.items()}
    scales = {group: stdev(members.values()) if len(members) > 1 else 0.0 for group, members in attempts.items()}
    centred = [reward - means[group] for group, reward in zip(groups, rewards, strict=True)]
    if not normalize_std:
        return centred
    return [value / (scales[group] + eps) for group, value in zip(groups, centred, strict=True)]


def group_keys(group_indices: Sequence[Hashable], count: int, fallback_group_size: int | None) -> list[Hashable]:
    """The group of each sample; neighbours where no sample has an identity."""
    if len(group_indices) != count:
        raise ValueError(f"{count} rewards, {len(group_indices)} group indices")
    missing = sum(group is None for group in group_indices)
    if not missing:
        return list(group_indices)
    if missing < count:
        raise ValueError(f"{missing} of {count} samples have no group index")
    if not fallback_group_size or count % fallback_group_size:
        raise ValueError(f"{count} samples without group indices do not make groups of {fallback_group_size}")
    return [position // fallback_group_size for position in range(count)]
