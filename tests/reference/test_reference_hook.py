"""`post_process_rewards` in the place of slime's and miles' own step."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import dataclass

import pytest
import torch
from plain import reshape

from grpo_lint.reference import post_process_rewards

pytestmark = pytest.mark.filterwarnings("error")


@dataclass
class Sample:
    reward: object
    group_index: int | None = None
    rollout_id: int | None = None

    def get_reward_value(self, args):
        return self.reward if not args.reward_key else self.reward[args.reward_key]


def settings(**changes):
    defaults = {
        "advantage_estimator": "grpo",
        "rewards_normalization": True,
        "grpo_std_normalization": True,
        "n_samples_per_prompt": 4,
        "rollout_batch_size": 2,
        "reward_key": None,
    }
    return Namespace(**defaults | changes)


REWARDS = [0.0, 1.0, 1.0, 0.5, 3.0, 2.0, 0.0, 2.5]


def uniform(rewards=REWARDS):
    return [Sample(reward, position // 4) for position, reward in enumerate(rewards)]


@pytest.mark.parametrize("estimator", ["grpo", "gspo", "cispo", "reinforce_plus_plus_baseline"])
@pytest.mark.parametrize("std", [True, False])
def test_uniform_batch_is_slimes_to_the_bit(estimator, std):
    raw, rewards = post_process_rewards(settings(advantage_estimator=estimator, grpo_std_normalization=std), uniform())
    is_scaled = std and estimator != "reinforce_plus_plus_baseline"
    assert raw == REWARDS
    assert rewards == reshape(torch.tensor(REWARDS), 4, normalize_std=is_scaled).tolist()


@pytest.mark.parametrize(
    "changes",
    [
        {"advantage_estimator": "ppo"},
        {"advantage_estimator": "reinforce_plus_plus"},
        {"rewards_normalization": False},
    ],
)
def test_nothing_to_normalise(changes):
    raw, rewards = post_process_rewards(settings(**changes), uniform())
    assert raw == rewards == REWARDS


def test_uneven_groups_are_centred_each_on_its_own():
    samples = [Sample(r, g) for r, g in [(0.0, 5), (10.0, 9), (2.0, 5), (20.0, 9), (30.0, 9), (7.0, 1)]]
    _, rewards = post_process_rewards(settings(grpo_std_normalization=False), samples)
    assert rewards == [-1.0, -10.0, 1.0, 0.0, 10.0, 0.0]


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_nested_lists_are_flattened(depth):
    nested = uniform()
    for _ in range(depth):
        nested = [nested[:3], nested[3:]]
    assert post_process_rewards(settings(), nested) == post_process_rewards(settings(), uniform())


def test_samples_beside_lists_of_samples():
    flat = uniform()
    mixed = [flat[0], flat[1:3], [[flat[3]], flat[4:]], []]
    assert post_process_rewards(settings(), mixed) == post_process_rewards(settings(), flat)


@pytest.mark.parametrize("samples", [[], [[]], [[], []]])
def test_no_samples(samples):
    assert post_process_rewards(settings(), samples) == ([], [])


def test_missing_settings_are_slimes_defaults():
    assert post_process_rewards(Namespace(), uniform()) == post_process_rewards(settings(), uniform())


def test_missing_group_size_is_one():
    samples = [Sample(1.0), Sample(2.0)]
    with pytest.warns(UserWarning, match="alone in its group"):
        assert post_process_rewards(Namespace(), samples) == ([1.0, 2.0], [0.0, 0.0])


@pytest.mark.parametrize("args", [settings(reward_key="score"), Namespace(reward_key="score")])
def test_reward_key(args):
    samples = uniform([{"score": reward, "length": 1} for reward in REWARDS])
    raw, rewards = post_process_rewards(args, samples)
    assert raw == REWARDS and rewards == post_process_rewards(settings(), uniform())[1]


def test_sample_decides_what_its_reward_is():
    class Doubled(Sample):
        def get_reward_value(self, args):
            return 2 * self.reward

    raw, rewards = post_process_rewards(settings(grpo_std_normalization=False), [Doubled(1.0, 0), Doubled(2.0, 0)])
    assert raw == [2.0, 4.0] and rewards == [-1.0, 1.0]


def test_sample_without_get_reward_value_or_rollout_id():
    samples = [Namespace(reward={"score": reward}, group_index=3) for reward in (0.0, 2.0)]
    args = settings(grpo_std_normalization=False, reward_key="score")
    assert post_process_rewards(args, samples) == ([0.0, 2.0], [-1.0, 1.0])


def test_rollout_ids_make_siblings_count_once():
    samples = [[Sample(0.0, 1, 10)] * 3, [Sample(1.0, 1, 11)], [Sample(2.0, 1, 12)] * 2]
    raw, rewards = post_process_rewards(settings(grpo_std_normalization=False), samples)
    assert raw == [0.0, 0.0, 0.0, 1.0, 2.0, 2.0] and rewards == [-1.0, -1.0, -1.0, 0.0, 1.0, 1.0]


def test_siblings_with_different_rewards():
    with pytest.raises(ValueError, match=r"rollout id 10 in group 1 .* \[0.0, 1.0\]"):
        post_process_rewards(settings(), [Sample(0.0, 1, 10), Sample(1.0, 1, 10)])


def test_group_size_stands_in_where_no_sample_has_a_group():
    samples = [Sample(reward) for reward in REWARDS]
    assert post_process_rewards(settings(), samples) == post_process_rewards(settings(), uniform())
    with pytest.raises(ValueError, match="fallback_group_size"):
        post_process_rewards(settings(n_samples_per_prompt=3), samples)


def test_some_groups_unset():
    with pytest.raises(ValueError, match="None at position 1"):
        post_process_rewards(settings(), [Sample(0.0, 1), Sample(1.0)])
