"""The normalisations of one dump: by identity, as the reshape with its whole-batch fallback, and as it was trained."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from grpo_lint.audit.records import Dump, Settings
from grpo_lint.reference import normalize_rewards_by_group


@dataclass(frozen=True, slots=True)
class Layout:
    """How a trainer that groups by position sees a batch: rows of `size` samples, or one row for the whole batch."""

    size: int
    prompts: int
    is_fallback: bool


@dataclass(frozen=True, slots=True)
class Replay:
    """The advantages of a dump's N samples, each (N,) float64: by identity, by position, and those trained on."""

    reference: Tensor
    collapsed: Tensor
    trained: Tensor | None
    layout: Layout


def replay(dump: Dump, settings: Settings) -> Replay:
    """Normalise a dump's rewards in each way. Raises ValueError where its groups or attempts contradict themselves."""
    layout = layout_of(dump, settings)
    rewards = torch.tensor(dump.rewards, dtype=torch.float)
    reference = normalize_rewards_by_group(
        rewards,
        dump.groups,
        dump.attempts if settings.per_rollout else None,
        normalize_std=settings.normalize_std,
        eps=settings.eps,
        baseline="leave_one_out" if settings.leave_one_out else "mean",
    )
    trained = None if dump.advantages is None else torch.tensor(dump.advantages, dtype=torch.float64)
    return Replay(reference.double(), collapsed(rewards, layout, settings).double(), trained, layout)


def layout_of(dump: Dump, settings: Settings) -> Layout:
    """The batch as its trainer was told it: what the settings leave open is taken from the dump.

    The number of prompts is then that of its groups, and the samples of a prompt are as many as most groups have
    attempts; where nothing tells the attempts, as most groups have samples, and the fewer where as many have more.
    """
    size = settings.n_samples_per_prompt or _usual_size(dump)
    prompts = settings.rollout_batch_size or len(set(dump.groups))
    return Layout(size, prompts, len(dump.rewards) != size * prompts)


def _usual_size(dump: Dump) -> int:
    counts = Counter(Counter(dump.groups).values())
    if dump.attempts is not None:
        attempts = {(group, _attempt(attempt, at)) for at, (group, attempt) in enumerate(_pairs(dump))}
        counts = Counter(Counter(group for group, _ in attempts).values())
    return min(counts, key=lambda size: (-counts[size], size), default=1)


def _pairs(dump: Dump) -> Sequence[tuple[Hashable, Hashable]]:
    return list(zip(dump.groups, dump.attempts or (), strict=True))


def _attempt(attempt: Hashable, at: int) -> Hashable:
    """What an attempt counts by; a sample without one is an attempt of its own."""
    return ("sample", at) if attempt is None else ("attempt", attempt)


def collapsed(rewards: Tensor, layout: Layout, settings: Settings) -> Tensor:
    """The (N,) advantages of groups by position, step by step in float32 as slime computes them.

    A row of one sample has no sample deviation: its advantage is NaN, as it was in training.
    """
    if not len(rewards):
        return rewards
    rows = rewards.view(-1, rewards.shape[-1]) if layout.is_fallback else rewards.reshape(-1, layout.size)
    centred = rows - rows.mean(dim=-1, keepdim=True)
    size = rows.shape[-1]
    if settings.leave_one_out:
        centred = centred * size / (size - 1) if size > 1 else centred
    if settings.normalize_std:
        spread = rows if settings.leave_one_out else centred
        centred = centred / (spread.std(dim=-1, keepdim=True) + settings.eps)
    return centred.flatten()


def attempts_of(dump: Dump) -> list[int]:
    """For each of the N samples the number of its attempt, from 0 in order of appearance; ids count within a group."""
    numbers: dict[Hashable, int] = {}
    attempts = dump.attempts or (None,) * len(dump.groups)
    keys = (
        (group, _attempt(attempt, at)) for at, (group, attempt) in enumerate(zip(dump.groups, attempts, strict=True))
    )
    return [numbers.setdefault(key, len(numbers)) for key in keys]
