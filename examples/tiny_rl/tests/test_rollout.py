"""Passes as shipped and after `grpo-lint --fix`: even numbers of answers hide the defect, here as in life."""

from statistics import fmean

import pytest
from tiny_rl.metrics import pass_rates
from tiny_rl.post_process import centred_with_numpy
from tiny_rl.rollout import RolloutManager
from tiny_rl.samples import Settings, batch

EVEN = [[1.0, 0.0, 0.0, 1.0], [0.5, 0.5, 0.0, 1.0]]
EVEN_FLAT = [*EVEN[0], *EVEN[1]]

CENTRED = Settings(scale_rewards=False)


def per_prompt(rewards_of_prompts):
    return [reward - fmean(rewards) for rewards in rewards_of_prompts for reward in rewards]


def test_even_prompts_are_centred_on_their_own_mean():
    raw, advantages = RolloutManager(CENTRED).rewards_of(batch(EVEN))
    assert raw == EVEN_FLAT
    assert advantages == pytest.approx(per_prompt(EVEN))


def test_even_prompts_are_scaled_by_their_own_spread():
    _, advantages = RolloutManager(Settings()).rewards_of(batch(EVEN))
    spreads = [3**-0.5] * 4 + [6**-0.5] * 4
    wanted = [value / spread for value, spread in zip(per_prompt(EVEN), spreads)]
    assert advantages == pytest.approx(wanted, rel=1e-4)


def test_rewards_are_left_alone_on_request():
    raw, advantages = RolloutManager(Settings(centre_rewards=False)).rewards_of(batch(EVEN))
    assert advantages == raw == EVEN_FLAT


def test_a_hook_takes_the_step_over():
    rows = RolloutManager(Settings(), centred_with_numpy).training_batch(batch(EVEN))
    assert rows["index"] == list(range(8))
    assert rows["raw_reward"] == EVEN_FLAT
    assert rows["advantage"] == pytest.approx(per_prompt(EVEN))


def test_pass_rates():
    assert pass_rates(EVEN_FLAT, 4) == {"pass@1": 0.375, "pass@4": 1.0}
    with pytest.raises(ValueError, match="no grid"):
        pass_rates([1.0] * 7, 4)
