# SPDX-License-Identifier: Apache-2.0
"""Properties of `normalize_rewards_by_group`, on seeded random batches. They need torch and pytest.

The main one: whatever the order and the sizes of the groups, each advantage is what a plain loop over the samples of
that group alone gives.
"""

from __future__ import annotations

import math
import random
import warnings
from argparse import Namespace
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
import torch

from grpo_lint.reference import normalize_rewards_by_group, post_process_rewards

pytestmark = pytest.mark.filterwarnings("error", "ignore:each of the .* samples is alone:UserWarning")

SEEDS = range(5)
FORMULAS: list[dict[str, Any]] = [
    {"normalize_std": normalize_std, "eps": eps, "correction": correction, "baseline": baseline}
    for normalize_std in (False, True)
    for eps in (1e-6, 0.1)
    for correction in (0, 1)
    for baseline in ("mean", "leave_one_out")
]


@dataclass(frozen=True)
class Batch:
    """Samples in random order: their rewards, which are eighths, their prompts, and their attempts."""

    rewards: list[float]
    prompts: list[str]
    attempts: list[int | None]

    def in_order(self, order: Sequence[int]) -> Batch:
        """The same samples in another order."""
        return Batch(*([column[i] for i in order] for column in (self.rewards, self.prompts, self.attempts)))  # type: ignore[arg-type]


def batch_of(seed: int) -> Batch:
    """Uneven groups, one of a single attempt; some attempts have several samples, and ids recur between groups."""
    chance = random.Random(seed)
    rows: list[tuple[float, str, int | None]] = []
    for prompt in range(7):
        size = 1 if prompt == 0 else chance.randint(2, 9)
        for attempt in range(size):
            siblings = chance.choice([1, 1, 1, 2, 4])
            is_unset = siblings == 1 and chance.random() < 0.2
            rows += [(chance.randint(-80, 80) / 8, f"prompt {prompt}", None if is_unset else attempt)] * siblings
    chance.shuffle(rows)
    return Batch([row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows])


def expected(batch: Batch, has_attempts: bool, formula: dict[str, Any]) -> list[float]:
    """The definition, one sample after the other, in exact sums over float64."""
    keys: list[Hashable] = list(range(len(batch.rewards)))
    if has_attempts:
        keys = [i if attempt is None else ("shared", attempt) for i, attempt in enumerate(batch.attempts)]
    advantages = []
    for reward, prompt in zip(batch.rewards, batch.prompts, strict=True):
        members = {k: r for k, r, p in zip(keys, batch.rewards, batch.prompts, strict=True) if p == prompt}
        advantages.append(advantage_of(reward, list(members.values()), **formula))
    return advantages


def advantage_of(
    reward: float, members: list[float], normalize_std: bool, eps: float, correction: int, baseline: str
) -> float:
    """The advantage of one reward among those of its group."""
    if len(set(members)) == 1:
        return 0.0
    count = len(members)
    mean = math.fsum(members) / count
    centred = reward - mean
    if baseline == "leave_one_out":
        centred = centred * count / (count - 1)
    if not normalize_std:
        return centred
    return centred / (math.sqrt(math.fsum((member - mean) ** 2 for member in members) / (count - correction)) + eps)


def reshaped(values: torch.Tensor, size: int, normalize_std: bool, eps: float) -> torch.Tensor:
    """What a grid of exactly `size` samples per prompt gives: what uniform batches must not differ from by one bit."""
    grid = values.reshape(-1, size)
    centred = grid - grid.mean(dim=-1, keepdim=True)
    return (centred / (centred.std(dim=-1, keepdim=True) + eps) if normalize_std else centred).flatten()


def in_float64(batch: Batch, has_attempts: bool, **formula: Any) -> list[float]:
    """The advantages of a batch, computed in float64."""
    values = torch.tensor(batch.rewards, dtype=torch.float64)
    attempts = batch.attempts if has_attempts else None
    return normalize_rewards_by_group(values, batch.prompts, attempts, **formula).tolist()


@pytest.mark.parametrize("formula", FORMULAS, ids=lambda formula: "-".join(map(str, formula.values())))
@pytest.mark.parametrize("has_attempts", [False, True])
def test_each_advantage_is_that_of_its_own_group(formula: dict[str, Any], has_attempts: bool) -> None:
    for seed in SEEDS:
        batch = batch_of(seed)
        assert in_float64(batch, has_attempts, **formula) == pytest.approx(
            expected(batch, has_attempts, formula), rel=1e-9, abs=1e-9
        )


@pytest.mark.parametrize("seed", SEEDS)
def test_the_order_of_the_samples_does_not_matter(seed: int) -> None:
    batch = batch_of(seed)
    order = random.Random(seed + 1).sample(range(len(batch.rewards)), len(batch.rewards))
    straight = in_float64(batch, True, normalize_std=True)
    assert in_float64(batch.in_order(order), True, normalize_std=True) == pytest.approx(
        [straight[i] for i in order], rel=1e-9, abs=1e-9
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_other_groups_do_not_matter(seed: int) -> None:
    batch = batch_of(seed)
    own = [i for i, prompt in enumerate(batch.prompts) if prompt == "prompt 3"]
    whole = in_float64(batch, True, normalize_std=True)
    assert in_float64(batch.in_order(own), True, normalize_std=True) == pytest.approx([whole[i] for i in own])


@pytest.mark.parametrize("seed", SEEDS)
def test_only_equality_of_the_identities_matters(seed: int) -> None:
    batch = batch_of(seed)
    numbers = [int(prompt.removeprefix("prompt ")) for prompt in batch.prompts]
    attempts = [None if attempt is None else f"attempt {attempt}" for attempt in batch.attempts]
    wanted = normalize_rewards_by_group(batch.rewards, batch.prompts, batch.attempts, normalize_std=True)
    for groups in (numbers, torch.tensor(numbers), [torch.tensor(n) for n in numbers], [(n, "x") for n in numbers]):
        assert normalize_rewards_by_group(batch.rewards, groups, attempts, normalize_std=True) == wanted


@pytest.mark.parametrize("normalize_std", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize(("prompts", "size"), [(1, 8), (5, 2), (16, 3), (33, 8), (64, 16)])
def test_a_uniform_batch_is_the_grid_to_the_bit(
    prompts: int, size: int, dtype: torch.dtype, normalize_std: bool
) -> None:
    for seed in SEEDS:
        values = torch.randn(prompts * size, generator=torch.Generator().manual_seed(seed), dtype=dtype)
        groups = torch.arange(prompts).repeat_interleave(size)
        for eps in (1e-8, 1e-6, 0.1):
            actual = normalize_rewards_by_group(values, groups, normalize_std=normalize_std, eps=eps)
            assert torch.equal(actual, reshaped(values, size, normalize_std, eps))


@pytest.mark.parametrize("formula", FORMULAS, ids=lambda formula: "-".join(map(str, formula.values())))
def test_a_group_of_one_gets_0(formula: dict[str, Any]) -> None:
    actual = normalize_rewards_by_group([0.7, 1.0, 0.0, 0.3, 0.3], "abbcc", [1, 1, 2, 5, 5], **formula)
    assert actual[0] == actual[3] == actual[4] == 0.0
    assert actual[1] > 0 > actual[2]


@pytest.mark.parametrize("normalize_std", [False, True])
@pytest.mark.parametrize("eps", [0.0, 1e-12, 1e-6])
@pytest.mark.parametrize("reward", [2.3, 0.1, -1.7])
def test_equal_rewards_get_exactly_0(reward: float, eps: float, normalize_std: bool) -> None:
    for count in range(2, 12):
        for values in ([reward] * count, torch.tensor([reward] * count, dtype=torch.float64)):
            actual = normalize_rewards_by_group(values, [0] * count, normalize_std=normalize_std, eps=eps)
            assert list(actual) == [0.0] * count


def test_an_attempt_counts_once_however_many_samples_it_has() -> None:
    # As three attempts the mean is 1; as five samples it would be 0.6.
    actual = normalize_rewards_by_group([0.0, 0.0, 0.0, 1.0, 2.0], "aaaaa", [7, 7, 7, 8, 9], normalize_std=False)
    assert actual == [-1.0, -1.0, -1.0, 0.0, 1.0]


def test_a_sample_without_an_attempt_is_one_of_its_own() -> None:
    actual = normalize_rewards_by_group([0.0, 0.0, 3.0], "aaa", [None, None, 5], normalize_std=False)
    assert actual == [-1.0, -1.0, 2.0]


def test_attempts_of_different_groups_may_have_the_same_id() -> None:
    actual = normalize_rewards_by_group([0.0, 2.0, 10.0, 30.0], "aabb", [0, 1, 0, 1], normalize_std=False)
    assert actual == [-1.0, 1.0, -10.0, 10.0]


def test_groups_without_identity_are_consecutive() -> None:
    actual = normalize_rewards_by_group(
        [0.0, 2.0, 10.0, 20.0], [None, math.nan, None, None], normalize_std=False, fallback_group_size=2
    )
    assert actual == [-1.0, 1.0, -5.0, 5.0]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_a_tensor_keeps_its_floating_type(dtype: torch.dtype) -> None:
    values = torch.tensor([0.0, 2.0, 1.0, 5.0, 3.0], dtype=dtype, requires_grad=True)
    actual = normalize_rewards_by_group(values, "aabbb", normalize_std=False)
    assert actual.dtype == dtype and not actual.requires_grad
    assert actual.tolist() == [-1.0, 1.0, -2.0, 2.0, 0.0]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_types_are_computed_in_float32_and_stay_finite(dtype: torch.dtype) -> None:
    huge = torch.tensor([torch.finfo(dtype).max, torch.finfo(dtype).min, 0.0], dtype=dtype)
    centred = normalize_rewards_by_group(huge, "aaa", normalize_std=False, baseline="leave_one_out")
    assert torch.isfinite(centred).all() and centred[0] > 0 > centred[1]
    values = torch.randn(64, generator=torch.Generator().manual_seed(0)).to(dtype)
    in_float32 = normalize_rewards_by_group(values.float(), [0] * 64, normalize_std=True)
    assert torch.equal(normalize_rewards_by_group(values, [0] * 64, normalize_std=True), in_float32.to(dtype))


@pytest.mark.parametrize("kind", [list, tuple])
def test_a_list_gives_a_list_in_float32(kind: type) -> None:
    rewards = [0.1, 0.2, 0.7]
    actual = normalize_rewards_by_group(kind(rewards), "aaa", normalize_std=False)
    assert type(actual) is list
    assert actual == (torch.tensor(rewards) - torch.tensor(rewards).mean()).tolist()


def test_integers_become_float32() -> None:
    actual = normalize_rewards_by_group(torch.tensor([0, 2, 5, 7]), "aabb", normalize_std=False)
    assert actual.dtype == torch.float32 and actual.tolist() == [-1.0, 1.0, -1.0, 1.0]


def test_no_samples() -> None:
    assert normalize_rewards_by_group([], [], normalize_std=True) == []
    assert normalize_rewards_by_group(torch.empty(0), [], [], normalize_std=True).shape == (0,)


@pytest.mark.parametrize("scale", [1e-30, 1e-12, 1.0, 1e12, 1e30])
@pytest.mark.parametrize("baseline", ["mean", "leave_one_out"])
def test_nothing_is_nan_or_infinite(scale: float, baseline: Any) -> None:
    for seed in SEEDS:
        batch = batch_of(seed)
        values = torch.tensor(batch.rewards) * scale
        for eps in (0.0, 1e-6):
            actual = normalize_rewards_by_group(values, batch.prompts, normalize_std=True, eps=eps, baseline=baseline)
            assert torch.isfinite(actual).all()


@pytest.mark.parametrize("exponent", [-400, -40, 100, 1000])
def test_the_unit_of_the_rewards_does_not_matter(exponent: int) -> None:
    for seed in SEEDS:
        batch = batch_of(seed)
        values = torch.tensor(batch.rewards, dtype=torch.float64)
        actual = normalize_rewards_by_group(values * 2.0**exponent, batch.prompts, normalize_std=True, eps=0.0)
        wanted = normalize_rewards_by_group(values, batch.prompts, normalize_std=True, eps=0.0)
        assert actual.tolist() == pytest.approx(wanted.tolist(), rel=1e-9, abs=1e-9)


def test_the_rewards_are_not_changed() -> None:
    values = torch.tensor([1.0, 2.0, 4.0])
    normalize_rewards_by_group(values, "aab", normalize_std=True)
    assert values.tolist() == [1.0, 2.0, 4.0]


@pytest.mark.parametrize(
    ("rewards", "groups", "more", "message"),
    [
        ([1.0, None, math.nan], "aaa", {}, "got None at position 1"),
        (torch.tensor([1.0, math.inf]), "aa", {}, "got inf at position 1"),
        (torch.ones(2, 1), "aa", {}, "rewards must have one axis"),
        ([1.0, 2.0], "a", {}, "group_indices has 1 entries for 2 rewards"),
        ([1.0, 2.0], "aa", {"rollout_ids": [1]}, "rollout_ids has 1 entries for 2 rewards"),
        ([1.0, 2.0], ["a", None], {"fallback_group_size": 1}, "group_indices is None at position 1"),
        ([1.0, 2.0], [None, None], {}, "fallback_group_size must be"),
        ([1.0, 2.0, 3.0], [None] * 3, {"fallback_group_size": 2}, "fallback_group_size must be"),
        ([1.0, 2.0], [None, None], {"fallback_group_size": 0}, "fallback_group_size must be"),
        ([1.0, 2.0], "aa", {"rollout_ids": [7, 7]}, r"rollout id 7 in group 'a' .* \[1.0, 2.0\]"),
        ([1.0, 2.0], "aa", {"correction": 2}, "correction must be 0 or 1"),
        ([1.0, 2.0], "aa", {"eps": -1e-6}, "eps must not be negative"),
        ([1.0, 2.0], "aa", {"baseline": "median"}, "baseline must be"),
    ],
)
def test_what_cannot_be_meant_is_an_error(rewards: Any, groups: Any, more: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        normalize_rewards_by_group(rewards, groups, normalize_std=True, **more)


@pytest.mark.filterwarnings("error")
def test_an_id_of_the_sample_in_place_of_the_prompt_is_warned_of() -> None:
    with pytest.warns(UserWarning, match="alone in its group"):
        normalize_rewards_by_group([1.0, 2.0, 3.0], [0, 1, 2], normalize_std=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        normalize_rewards_by_group([1.0, 2.0, 3.0], [0, 1, 1], normalize_std=True)
        normalize_rewards_by_group([1.0], [0], normalize_std=True)


def samples_of(batch: Batch) -> list[Namespace]:
    """The samples that the reward hook of slime and miles is given."""
    columns = zip(batch.rewards, batch.prompts, batch.attempts, strict=True)
    return [Namespace(reward=reward, group_index=prompt, rollout_id=attempt) for reward, prompt, attempt in columns]


@pytest.mark.parametrize(
    ("estimator", "is_centred", "is_scaled"),
    [
        ("grpo", True, True),
        ("gspo", True, True),
        ("cispo", True, True),
        ("reinforce_plus_plus_baseline", True, False),
        ("reinforce_plus_plus", False, False),
        ("ppo", False, False),
    ],
)
@pytest.mark.parametrize("is_on", [True, False])
def test_the_hook_normalises_where_the_estimator_does(
    estimator: str, is_centred: bool, is_scaled: bool, is_on: bool
) -> None:
    batch = batch_of(0)
    samples = samples_of(batch)
    for scales in (True, False):
        args = Namespace(
            advantage_estimator=estimator, rewards_normalization=is_on, grpo_std_normalization=scales, reward_key=None
        )
        raw, rewards = post_process_rewards(args, [samples[:3], [samples[3:9], *samples[9:]]])
        wanted = batch.rewards
        if is_centred and is_on:
            wanted = normalize_rewards_by_group(
                batch.rewards, batch.prompts, batch.attempts, normalize_std=is_scaled and scales
            )
        assert (raw, rewards) == (batch.rewards, wanted)
