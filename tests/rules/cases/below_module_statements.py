"""Functions below a statement of the module are as repairable as others, whichever branch they stand in."""

import sys
from dataclasses import dataclass

import torch


@dataclass
class Rollout:
    group_index: int
    reward: float


if sys.version_info >= (3, 10):

    def centred_under_if(config, rollouts: list[Rollout]):
        rewards = torch.tensor([rollout.reward for rollout in rollouts])
        grid = rewards.view(-1, config.n_samples_per_prompt)  # expect: GRPO001 safe
        return (grid - grid.mean(dim=1, keepdim=True)).flatten()

else:

    def centred_under_else(config, rollouts: list[Rollout]):
        rewards = torch.tensor([rollout.reward for rollout in rollouts])
        grid = rewards.view(-1, config.n_samples_per_prompt)  # expect: GRPO001 safe
        return (grid - grid.mean(dim=1, keepdim=True)).flatten()


try:
    import fast_kernels
except ImportError:

    def centred_under_except(config, rollouts: list[Rollout]):
        rewards = torch.tensor([rollout.reward for rollout in rollouts])
        grid = rewards.view(-1, config.n_samples_per_prompt)  # expect: GRPO001 safe
        return (grid - grid.mean(dim=1, keepdim=True)).flatten()


match sys.platform:
    case "linux":

        def centred_under_case(config, rollouts: list[Rollout]):
            rewards = torch.tensor([rollout.reward for rollout in rollouts])
            grid = rewards.view(-1, config.n_samples_per_prompt)  # expect: GRPO001 safe
            return (grid - grid.mean(dim=1, keepdim=True)).flatten()

    case _:

        def logged_under_case(config, rollouts: list[Rollout]):  # a statistic that becomes no baseline
            rewards = torch.tensor([rollout.reward for rollout in rollouts])
            return rewards.view(-1, config.n_samples_per_prompt).mean(dim=1)
