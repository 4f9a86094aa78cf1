"""What a finding rests on: where the rewards come from, the grouping, the statistic, its use."""

from __future__ import annotations

import pytest

from grpo_lint.analysis import find
from grpo_lint.config import Config
from grpo_lint.project import Cache
from grpo_lint.source import Source

GRID = """\
def advantages_of(args, samples):
    rewards = torch.tensor([sample.reward for sample in samples])
    if len(rewards) == args.total:
        rewards = rewards.view(-1, args.n_samples_per_prompt)
    else:
        rewards = rewards.view(1, -1)
    rewards = rewards - rewards.mean(dim=-1, keepdim=True)
    if args.scale:
        rewards = rewards / (rewards.std(dim=-1, keepdim=True) + 1e-6)
    return rewards.flatten()
"""
READ = (2, "[sample.reward for sample in samples]", "the rewards come from here")
CENTRED = (7, "rewards - rewards.mean(dim=-1, keepdim=True)", "subtracted as the baseline")
SCALED = (9, "rewards / (rewards.std(dim=-1, keepdim=True) + 1e-6)", "divided by as the scale")

HELPER = """\
def centred(grid):
    return grid - grid.mean(dim=1, keepdim=True)


def advantages_of(rewards, num_generations):
    return centred(rewards.view(-1, num_generations)).flatten()
"""
LOOP = """\
def advantages_of(args, samples):
    rewards = []
    for sample in samples:
        rewards.append(sample.reward)
    grid = np.array(rewards).reshape(-1, args.n_samples_per_prompt)
    return (grid - np.median(grid, axis=1, keepdims=True)).ravel()
"""


def evidence(text: str) -> list[tuple[str, list[tuple[int, str, str]]]]:
    """Each finding's code and marks: the row, what stands there (its first line), the label."""
    source = Source.from_text("a.py", "import numpy as np\nimport torch\n" + text)
    return [
        (
            found.code,
            [
                (mark.range.start.row - 2, source.slice(mark.range).splitlines()[0], mark.label)
                for mark in found.evidence
            ],
        )
        for found in (each.finding for each in find(source, Config(), Cache).items)
    ]


def test_both_layouts_of_one_normalisation() -> None:
    assert evidence(GRID) == [
        (
            "GRPO001",
            [
                READ,
                (4, "rewards.view(-1, args.n_samples_per_prompt)", "grouped by position"),
                CENTRED,
                (7, "rewards.mean(dim=-1, keepdim=True)", "mean of each group"),
                SCALED,
                (9, "rewards.std(dim=-1, keepdim=True)", "std of each group"),
            ],
        ),
        (
            "GRPO002",
            [
                READ,
                (6, "rewards.view(1, -1)", "the whole batch made one group"),
                CENTRED,
                (7, "rewards.mean(dim=-1, keepdim=True)", "mean of the whole batch"),
                SCALED,
                (9, "rewards.std(dim=-1, keepdim=True)", "std of the whole batch"),
            ],
        ),
    ]


@pytest.mark.parametrize(
    ("text", "marks"),
    [
        (
            HELPER,
            [
                (2, "grid - grid.mean(dim=1, keepdim=True)", "subtracted as the baseline"),
                (2, "grid.mean(dim=1, keepdim=True)", "mean of each group"),
                (5, "rewards", "the rewards come from here"),
                (6, "rewards.view(-1, num_generations)", "grouped by position"),
            ],
        ),
        (
            LOOP,
            [
                (3, "for sample in samples:", "the rewards come from here"),
                (5, "np.array(rewards).reshape(-1, args.n_samples_per_prompt)", "grouped by position"),
                (6, "grid - np.median(grid, axis=1, keepdims=True)", "subtracted as the baseline"),
                (6, "np.median(grid, axis=1, keepdims=True)", "median of each group"),
            ],
        ),
    ],
)
def test_where_else_the_evidence_may_stand(text: str, marks: list[tuple[int, str, str]]) -> None:
    assert evidence(text) == [("GRPO001", marks)]


BLOCKS = """\
def advantages_of(rewards, group_size):
    for i in range(len(rewards) // group_size):
        block = rewards[i * group_size : (i + 1) * group_size]
        block -= block.mean()
"""
KEYED = """\
def advantages_of(keys, rewards: torch.Tensor):
    for key in keys.unique():
        own = rewards[keys == key]
        rewards[keys == key] = (own - own.mean()) / own.std()
"""


@pytest.mark.parametrize(
    ("code", "text", "marks"),
    [
        (
            "GRPO003",
            BLOCKS,
            [
                (1, "rewards", "the rewards come from here"),
                (3, "rewards[i * group_size : (i + 1) * group_size]", "grouped by position"),
                (4, "block -= block.mean()", "subtracted as the baseline"),
                (4, "block.mean()", "mean of each group"),
            ],
        ),
        (
            "GRPO004",
            KEYED,
            [
                (1, "rewards: torch.Tensor", "the rewards come from here"),
                (3, "rewards[keys == key]", "grouped by a key"),
                (4, "(own - own.mean()) / own.std()", "divided by as the scale"),
                (4, "own - own.mean()", "subtracted as the baseline"),
                (4, "own.mean()", "mean of each group"),
                (4, "own.std()", "std of each group"),
            ],
        ),
    ],
)
def test_parts_of_rewards_are_marked_too(code: str, text: str, marks: list[tuple[int, str, str]]) -> None:
    assert evidence(text) == [(code, marks)]


def test_a_place_is_marked_once() -> None:
    for _, marks in evidence(GRID):
        assert len({(row, text) for row, text, _ in marks}) == len(marks)
