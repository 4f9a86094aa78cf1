"""The settings of a run."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Settings:
    """What the command line of the trainer is parsed to."""

    advantage_estimator: str = "grpo"
    rewards_normalization: bool = True
    std_normalization: bool = True
    n_samples_per_prompt: int = 4
    rollout_batch_size: int = 2
    reward_key: str = "score"
