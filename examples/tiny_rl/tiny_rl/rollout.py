"""From graded samples to what the trainer reads."""

from __future__ import annotations

from collections.abc import Callable

import torch

from tiny_rl.samples import Sample, Settings

PostProcess = Callable[[Settings, list[Sample]], tuple[list[float], list[float]]]


class RolloutManager:
    """Turns the rewards of a batch into advantages, unless a hook does it."""

    def __init__(self, settings: Settings, post_process: PostProcess | None = None) -> None:
        self.settings = settings
        self.post_process = post_process

    def training_batch(self, samples: list[Sample]) -> dict[str, list]:
        raw, advantages = self.rewards_of(samples)
        return {
            "index": [sample.index for sample in samples],
            "raw_reward": raw,
            "advantage": advantages,
        }

    def rewards_of(self, samples: list[Sample]) -> tuple[list[float], list[float]]:
        """The rewards as graded, and as trained on."""
        if self.post_process is not None:
            return self.post_process(self.settings, samples)
        raw = [sample.get_reward_value(self.settings.reward_key) for sample in samples]
        if not self.settings.centre_rewards:
            return raw, raw

        scores = torch.tensor(raw, dtype=torch.float32)
        size = self.settings.answers_per_prompt
        if len(scores) == self.settings.prompts_per_batch * size:
            scores = scores.view(-1, size)
        else:
            # aborted and split attempts: the batch is not a full grid
            scores = scores.view(1, -1)
        scores = scores - scores.mean(dim=1, keepdim=True)
        if self.settings.scale_rewards:
            scores = scores / (scores.std(dim=1, keepdim=True) + 1e-6)
        return raw, scores.flatten().tolist()
