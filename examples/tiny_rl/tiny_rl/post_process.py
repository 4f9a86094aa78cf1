"""A reward hook for `RolloutManager`: NumPy, and no scaling."""

from __future__ import annotations

import numpy as np

from tiny_rl.samples import Sample, Settings


def centred_with_numpy(
    settings: Settings, samples: list[Sample]
) -> tuple[list[float], list[float]]:
    """The rewards as graded, and less the mean of their prompt."""
    rewards = np.array([sample.get_reward_value(settings.reward_key) for sample in samples])
    per_prompt = rewards.reshape(-1, settings.answers_per_prompt)
    baseline = np.repeat(per_prompt.mean(axis=1), settings.answers_per_prompt)
    advantages = rewards - baseline
    return rewards.tolist(), advantages.tolist()
