"""A scale of the whole batch beside a mean of each prompt: it survives the repair, or there is none."""

import numpy as np
import torch
from samples import Episode


def of_the_centred(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 safe
    advantages = (grid - grid.mean(1, keepdim=True)).flatten()
    return advantages / (advantages.std() + 1e-6)


def of_the_rewards_under_a_condition(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    mean = rewards.view(-1, cfg.group_size).mean(1).repeat_interleave(cfg.group_size)  # expect: GRPO001 safe
    advantages = rewards - mean
    if cfg.wants_scaling:
        advantages = advantages / (rewards.std() + 1e-4)
    return advantages


def computed_before(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    scale = rewards.std() + 1e-6
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 safe
    advantages = (grid - grid.mean(1, keepdim=True)).flatten() / scale
    return advantages.tolist()


def under_the_same_name(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    rewards = rewards.view(-1, cfg.group_size)  # expect: GRPO001 safe
    rewards = rewards - rewards.mean(1, keepdim=True)
    rewards = rewards.flatten()
    rewards = (rewards - rewards.mean()) / (rewards.std() + 1e-6)
    return rewards


def before_the_groups(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    rewards = rewards / (rewards.std() + 1e-6)
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 safe
    return (grid - grid.mean(1, keepdim=True)).flatten()


def of_an_array(cfg, episodes: list[Episode]):
    rewards = np.array([e.reward for e in episodes])
    grid = rewards.reshape(-1, cfg.group_size)  # expect: GRPO001 safe
    return (grid - grid.mean(axis=1, keepdims=True)).reshape(-1) / (np.std(rewards) + 1e-8)


def in_place(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 safe
    advantages = (grid - grid.mean(1, keepdim=True)).flatten()
    advantages /= advantages.std() + 1e-6
    return advantages


def of_the_leave_one_out(cfg, episodes: list[Episode]):
    n = cfg.group_size
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, n)  # expect: GRPO001 safe
    advantages = ((grid - grid.mean(1, keepdim=True)) * n / (n - 1)).flatten()
    return advantages / (advantages.std() + 1e-6)


def of_the_groups(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: is not each group's own scale
    grid = grid - grid.mean(1, keepdim=True)
    return (grid / (grid.std() + 1e-6)).flatten()


def of_the_rewards_in_groups(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: is not each group's own scale
    grid = grid - grid.mean(1, keepdim=True)
    grid = grid / (rewards.std() + 1e-6)
    return grid.flatten()


def of_both_axes(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: is not each group's own scale
    return ((grid - grid.mean(1, keepdim=True)) / grid.std(dim=(0, 1), keepdim=True)).flatten()


def group_or_batch(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: is not each group's own scale
    grid = grid - grid.mean(1, keepdim=True)
    if cfg.wants_scaling:
        if not cfg.of_the_batch:
            grid = grid / (grid.std(1, keepdim=True) + 1e-6)
        else:
            grid = grid / (torch.std(grid) + 1e-6)
    return grid.flatten()


def group_or_batch_of_flat_values(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: in different ways
    advantages = rewards - grid.mean(1).repeat_interleave(cfg.group_size)
    if cfg.scale == "group":
        advantages = advantages / (grid.std(1).repeat_interleave(cfg.group_size) + 1e-4)
    elif cfg.scale == "batch":
        advantages = advantages / (rewards.std() + 1e-4)
    return advantages


def std_of_group_or_batch(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: something else on another
    advantages = rewards - grid.mean(1).repeat_interleave(cfg.group_size)
    if cfg.scale == "group":
        std = grid.std(1).repeat_interleave(cfg.group_size)
    else:
        std = rewards.std().expand_as(rewards)
    return advantages / (std + 1e-4)


def mean_of_the_groups_spreads(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: is also used
    std = grid.std(1, keepdim=True).mean()
    return ((grid - grid.mean(1, keepdim=True)) / (std + 1e-6)).flatten()


def whitened(rewards):
    """No groups."""
    return (rewards - rewards.mean()) / (rewards.std() + 1e-6)


def centred_by_the_batch_and_grouped_for_a_log(rewards, group_size, log):
    """Groups that are only looked at."""
    log(rewards.view(-1, group_size).std(1).mean())
    return (rewards - rewards.mean()) / (rewards.std() + 1e-6)


def scaled_by_the_batch_in_groups(rewards, group_size):
    """No group's statistic."""
    grid = rewards.view(-1, group_size)
    return (grid - grid.mean()) / (grid.std() + 1e-6)


def scaled_by_a_running_spread(rewards, running):
    """A running scale of all batches."""
    return (rewards - running.mean) / (running.std + 1e-6)


def environments_and_the_batch(rewards, num_envs):
    """Environments, scaled by the batch."""
    grid = rewards.view(-1, num_envs)
    return (grid - grid.mean(1, keepdim=True)) / (rewards.std() + 1e-6)


def centred_by_identity(rewards, group_ids):
    """Means of the prompts, and the batch's scale."""
    sums = torch.zeros(int(group_ids.max()) + 1).scatter_add(0, group_ids, rewards)
    means = sums / torch.bincount(group_ids)
    advantages = rewards - means[group_ids]
    return advantages / (advantages.std() + 1e-6)


def critic_and_the_batch(rewards, values, group_size):
    """A critic's baseline in the same shape."""
    advantages = rewards.view(-1, group_size) - values.view(-1, group_size)
    return advantages / (advantages.std() + 1e-6)


def along_the_prompts(rewards, group_size):
    """A mean along the prompts."""
    grid = rewards.view(-1, group_size)
    return (grid - grid.mean(0, keepdim=True)) / (grid.std() + 1e-6)


def one_group_and_its_own_scale(group):
    """One prompt's own."""
    rewards = torch.tensor([e.reward for e in group])
    return (rewards - rewards.mean()) / (rewards.std() + 1e-6)


def spread_of_the_centred(rewards, group_size, log):
    """A scale that is only logged."""
    grid = rewards.view(-1, group_size)
    log((grid - grid.mean(1, keepdim=True)).std())
    return rewards
