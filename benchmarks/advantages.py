"""`normalize_rewards_by_group` against a Python loop over the groups and against the plain reshape.

Needs torch, and is imported only where it is used.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import torch
from commands import ROOT
from comparison import Comparison, Target
from rounds import Candidate, measure
from torch import Tensor

sys.path.insert(0, str(ROOT))  # this checkout's reference, whichever is installed
from grpo_lint.reference import normalize_rewards_by_group

EPS = 1e-6
SUBJECT = "reference"
LOOP = "loop over the groups"
SORTED_LOOP = "loop over the groups, sorted first"
RESHAPE = "plain reshape"
FASTER_THAN_LOOPS = (Target(LOOP, 1 / 15), Target(SORTED_LOOP, 1 / 15))
NEAR_THE_RESHAPE = (Target(RESHAPE, 6.0),)


def by_reference(rewards: Tensor, groups: Tensor) -> Tensor:
    return normalize_rewards_by_group(rewards, groups, normalize_std=True, eps=EPS)


def by_loop(rewards: Tensor, groups: Tensor) -> Tensor:
    """Normalise one group after the other, as hand-written trainers do."""
    positions = defaultdict(list)
    for position, group in enumerate(groups.tolist()):
        positions[group].append(position)
    advantages = torch.empty_like(rewards)
    for members in positions.values():
        index = torch.tensor(members)
        centred = rewards[index] - rewards[index].mean()
        advantages[index] = centred / (centred.std() + EPS)
    return advantages


def by_sorted_loop(rewards: Tensor, groups: Tensor) -> Tensor:
    """Do the same at its leanest: each group a slice, no index of its own."""
    order = groups.argsort(stable=True)
    _, sizes = torch.unique_consecutive(groups[order], return_counts=True)
    parts = []
    for members in torch.split(rewards[order], sizes.tolist()):
        centred = members - members.mean()
        parts.append(centred / (centred.std() + EPS))
    advantages = torch.empty_like(rewards)
    advantages[order] = torch.cat(parts)
    return advantages


def by_reshape(rewards: Tensor, size: int) -> Tensor:
    rows = rewards.reshape(-1, size)
    centred = rows - rows.mean(dim=-1, keepdim=True)
    return (centred / (centred.std(dim=-1, keepdim=True) + EPS)).flatten()


def uneven(samples: int, groups: int) -> tuple[Tensor, Tensor]:
    """Give rewards and group ids of shuffled samples, two at least in each group, some groups far larger."""
    generator = torch.Generator().manual_seed(0)
    shares = torch.rand(groups, generator=generator)
    rest = torch.multinomial(shares, samples - 2 * groups, replacement=True, generator=generator)
    ids = torch.cat([torch.arange(groups).repeat(2), rest])
    return torch.rand(samples, generator=generator), ids[torch.randperm(samples, generator=generator)]


def uniform(samples: int, size: int) -> tuple[Tensor, Tensor]:
    rewards = torch.rand(samples, generator=torch.Generator().manual_seed(0))
    return rewards, torch.arange(samples) // size


def compare_with_loops(rounds: int, samples: int = 300_000, groups: int = 20_000) -> Comparison:
    rewards, ids = uneven(samples, groups)
    candidates = (
        Candidate(SUBJECT, _quietly(by_reference, rewards, ids)),
        Candidate(LOOP, _quietly(by_loop, rewards, ids), at_most=max(1, rounds // 3)),
        Candidate(SORTED_LOOP, _quietly(by_sorted_loop, rewards, ids), at_most=max(1, rounds // 3)),
    )
    title = f"{samples:,} samples in {groups:,} shuffled groups of uneven sizes, tensors{_threads()}"
    return Comparison(title, measure(candidates, rounds), FASTER_THAN_LOOPS)


def compare_with_reshape(rounds: int, samples: int = 512, size: int = 8) -> Comparison:
    rewards, ids = uniform(samples, size)
    candidates = (
        Candidate(SUBJECT, _quietly(by_reference, rewards, ids)),
        Candidate(RESHAPE, _quietly(by_reshape, rewards, size)),
    )
    title = f"{samples:,} samples in {samples // size:,} groups in order, tensors{_threads()}"
    return Comparison(title, measure(candidates, rounds), NEAR_THE_RESHAPE)


def compare_as_lists(rounds: int, samples: int = 4_096, size: int = 8) -> Comparison:
    """Time what slime's own step has: lists in and out, with and without rollout ids."""
    tensor, tensor_ids = uniform(samples, size)
    rewards, ids = tensor.tolist(), tensor_ids.tolist()
    settings = {"normalize_std": True, "eps": EPS}
    candidates = (
        Candidate(SUBJECT, _quietly(partial(normalize_rewards_by_group, **settings), rewards, ids)),
        Candidate(
            f"{SUBJECT}, with rollout ids",
            _quietly(partial(normalize_rewards_by_group, **settings), rewards, ids, list(range(samples))),
        ),
        Candidate(RESHAPE, _quietly(lambda: by_reshape(torch.tensor(rewards, dtype=torch.float), size).tolist())),
    )
    title = f"{samples:,} samples in {samples // size:,} groups in order, lists{_threads()}"
    return Comparison(title, measure(candidates, rounds))


def compare_advantages(rounds: int) -> Iterator[Comparison]:
    """Time everything on one thread, and again on as many as torch takes by itself."""
    for threads in sorted({1, torch.get_num_threads()}):
        with _limited_to(threads):
            # Not many calls in a row: the longer row would be interrupted more often on a busy machine.
            yield compare_with_reshape(100 * rounds)
            yield compare_as_lists(10 * rounds)
            yield compare_with_loops(rounds)


def _quietly(call: Callable[..., object], *arguments: object) -> Callable[[], None]:
    def run() -> None:
        call(*arguments)

    return run


def _threads() -> str:
    count = torch.get_num_threads()
    return f", {count} thread{'s' if count > 1 else ''}"


@contextmanager
def _limited_to(threads: int) -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        yield
    finally:
        torch.set_num_threads(before)
