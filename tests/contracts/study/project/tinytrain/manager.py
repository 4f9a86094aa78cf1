"""From graded samples to the columns that the loss reads."""

from __future__ import annotations

import logging

import torch

from tinytrain.grouping import normalize_by_group
from tinytrain.samples import Sample
from tinytrain.settings import Settings

logger = logging.getLogger(__name__)


class RewardManager:
    """Holds the settings of a run, and post-processes the rewards of its batches."""

    def __init__(self, args: Settings) -> None:
        self.args = args

    def training_batch(self, samples: list[Sample]) -> dict[str, torch.Tensor]:
        """The columns of a batch, one row per sample."""
        raw_rewards, rewards = self._post_process_rewards(samples)
        return {
            "index": torch.tensor([sample.index for sample in samples]),
            "raw_reward": torch.tensor(raw_rewards),
            "reward": torch.tensor(rewards),
        }

    def _post_process_rewards(self, samples: list[Sample]) -> tuple[list[float], list[float]]:
        """The rewards as they were graded, and as the loss uses them."""
        raw_rewards = [sample.get_reward_value(self.args) for sample in samples]
        if self.args.advantage_estimator in ("grpo", "gspo") and self.args.rewards_normalization:
            rewards = normalize_by_group(
                raw_rewards,
                [sample.group_index for sample in samples],
                [sample.rollout_id for sample in samples],
                normalize_std=self.args.std_normalization,
                fallback_group_size=self.args.n_samples_per_prompt,
            )
            return raw_rewards, rewards
        return raw_rewards, raw_rewards
