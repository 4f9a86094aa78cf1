"""What a rollout hands to training."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Sample:
    """One answer of the policy to one prompt.

    `index` counts the samples, `group_index` the prompts. An attempt that an agent splits into several samples gives
    all of them its `rollout_id`.
    """

    index: int
    group_index: int | None = None
    rollout_id: int | None = None
    reward: float | dict[str, float] = 0.0

    def get_reward_value(self, key: str | None = None) -> float:
        """The reward, or the one of that name where the grader gives several."""
        return self.reward if key is None else self.reward[key]


@dataclass(frozen=True)
class Settings:
    """How much is sampled, and how rewards become advantages."""

    prompts_per_batch: int = 2
    answers_per_prompt: int = 4
    reward_key: str | None = None
    centre_rewards: bool = True
    scale_rewards: bool = True


def batch(rewards_of_prompts: list[list[float]]) -> list[Sample]:
    """Samples in the order of their prompts, each an attempt of its own."""
    samples: list[Sample] = []
    for group, rewards in enumerate(rewards_of_prompts):
        for reward in rewards:
            samples.append(Sample(len(samples), group, len(samples), reward))
    return samples
