"""Dumps for tests: written as trainers write them, and the two runs whose figures were published."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch

from grpo_lint.audit.records import Dump


def slime_samples(
    groups: Sequence[Any], rewards: Sequence[Any], attempts: Sequence[Any] | None = None, **more: Any
) -> list[dict[str, Any]]:
    """Samples as slime's `to_dict` gives them: with much besides what counts here."""
    return [
        {
            "group_index": group,
            "index": at,
            "rollout_id": None if attempts is None else attempts[at],
            "prompt": f"question {group}",
            "tokens": list(range(20)),
            "response": "an answer",
            "response_length": 2,
            "reward": reward,
            "loss_mask": [1, 1],
            "status": "completed",
            "metadata": {"seed": at},
            **more,
        }
        for at, (group, reward) in enumerate(zip(groups, rewards, strict=True))
    ]


def save_slime(path: Path, step: int, samples: list[Any], **more: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    torch.save({"rollout_id": step, "samples": samples, **more}, path)
    return path


def dump(groups: Sequence[Any], rewards: Sequence[float], **more: Any) -> Dump:
    return Dump("dump", 0, tuple(groups), tuple(map(float, rewards)), **more)


def uneven_batch(samples: int, mixed: int) -> tuple[list[int], list[float]]:
    """Groups and rewards: `mixed` samples in groups in which some solved the prompt, the others in groups of equals.

    The mean of the batch lies between 0 and 1, so it moves every sample of a group of equals; and the sizes differ.
    """
    groups: list[int] = []
    rewards: list[float] = []
    sizes = [*_cut(mixed, 5), *_cut(samples - mixed, 8)]
    mixed_groups = len(list(_cut(mixed, 5)))
    for group, size in enumerate(sizes):
        groups += [group] * size
        solved = 1 if group < mixed_groups else size * (group % 2)
        rewards += [1.0] * solved + [0.0] * (size - solved)
    return groups, rewards


def _cut(total: int, size: int) -> Iterator[int]:
    """Sizes that sum up to a total: `size` and one more in turn, the last what is left, two at least."""
    at = 0
    while total:
        wanted = size + at % 2
        taken = total if total < wanted + 2 else wanted
        yield taken
        total, at = total - taken, at + 1


def published_run_a() -> Iterator[tuple[list[int], list[float]]]:
    """6 dumps, 435 samples: one of 62 equal rewards, five of 373 samples, 25 of them in mixed groups."""
    yield [at // 8 for at in range(62)], [0.0] * 62
    for samples in (75, 75, 75, 74, 74):
        yield uneven_batch(samples, 5)


def published_run_b() -> Iterator[tuple[list[int], list[float]]]:
    """102 dumps, 7,722 samples: 91 of 64 equal rewards each, 11 of 1,898 samples, 454 of them in mixed groups."""
    for at in range(91):
        yield [sample // 8 for sample in range(64)], [float(at % 2)] * 64
    for at in range(11):
        yield uneven_batch(178 if at == 10 else 172, 44 if at == 10 else 41)
