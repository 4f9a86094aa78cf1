"""The specification as plain loops, and the reshape that the reference must match to the bit."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

import torch


def loop(
    rewards: Sequence[float],
    groups: Sequence[Hashable],
    rollouts: Sequence[Hashable] | None = None,
    *,
    normalize_std: bool,
    eps: float = 1e-6,
    correction: int = 1,
    baseline: str = "mean",
) -> list[float]:
    """One group after the other, in exact sums over float64."""
    rollouts = [None] * len(rewards) if rollouts is None else rollouts
    keys = [
        (group, "own", position) if rollout is None else (group, "shared", rollout)
        for position, (group, rollout) in enumerate(zip(groups, rollouts, strict=True))
    ]
    advantages = {}
    for group in dict.fromkeys(groups):
        attempts = {key: reward for key, reward in zip(keys, rewards, strict=True) if key[0] == group}
        k = len(attempts)
        mean = math.fsum(attempts.values()) / k
        spread = math.sqrt(math.fsum((r - mean) ** 2 for r in attempts.values()) / max(k - correction, 1))
        scale = spread + eps if normalize_std else 1.0
        factor = k / (k - 1) if baseline == "leave_one_out" and k > 1 else 1.0
        is_flat = len(set(attempts.values())) == 1
        advantages |= {key: 0.0 if is_flat else (r - mean) * factor / scale for key, r in attempts.items()}
    return [advantages[key] for key in keys]


def reshape(values: torch.Tensor, size: int, *, normalize_std: bool, eps: float = 1e-6) -> torch.Tensor:
    """slime's own normalisation of a uniform batch, in the dtype of the values."""
    rows = values.reshape(-1, size)
    centred = rows - rows.mean(dim=-1, keepdim=True)
    if normalize_std:
        centred = centred / (centred.std(dim=-1, keepdim=True) + eps)
    return centred.flatten()


def has_equal_rewards(values: torch.Tensor, size: int) -> torch.Tensor:
    """Per sample: whether all rewards of its group, one row of `size`, are the same."""
    rows = values.reshape(-1, size)
    return (rows == rows[:, :1]).all(dim=-1).repeat_interleave(size)


def close(actual: Sequence[float], expected: Sequence[float], tolerance: float) -> bool:
    return len(actual) == len(expected) and all(
        abs(a - b) <= tolerance * max(1.0, abs(b)) for a, b in zip(actual, expected, strict=True)
    )
