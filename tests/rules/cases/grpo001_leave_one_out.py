"""The mean of each sample's siblings, in the forms that it takes."""

import torch
from samples import Episode


def times_the_ratio(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 safe
    return ((grid - grid.mean(1, keepdim=True)) * cfg.group_size / (cfg.group_size - 1)).flatten()


def times_a_ratio_in_parentheses(cfg, episodes: list[Episode]):
    n = cfg.group_size
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, n)  # expect: GRPO001 safe
    return ((grid - grid.mean(1, keepdim=True)) * (n / (n - 1))).flatten()


def times_a_factor(cfg, episodes: list[Episode]):
    n = cfg.group_size
    rewards = torch.tensor([e.reward for e in episodes])
    factor = n / (n - 1)
    grid = rewards.view(-1, n)  # expect: GRPO001 safe
    grid = grid - grid.mean(1, keepdim=True)
    grid = factor * grid
    return grid.flatten()


def in_two_statements(cfg, episodes: list[Episode]):
    n = cfg.group_size
    rewards = torch.tensor([e.reward for e in episodes])
    advantages = rewards.view(-1, n)  # expect: GRPO001 safe
    advantages = advantages - advantages.mean(1, keepdim=True)
    advantages = advantages * n
    advantages = advantages / (n - 1)
    return advantages.flatten()


def in_place(cfg, episodes: list[Episode]):
    n = cfg.group_size
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, n)  # expect: GRPO001 safe
    grid -= grid.mean(1, keepdim=True)
    grid *= n / (n - 1)
    return grid.flatten().tolist()


def of_flat_values(cfg, episodes: list[Episode]):
    n = cfg.group_size
    rewards = torch.tensor([e.reward for e in episodes])
    advantages = rewards - rewards.view(-1, n).mean(1).repeat_interleave(n)  # expect: GRPO001 safe
    advantages = advantages * n / (n - 1)
    return advantages


def scaled_afterwards(cfg, episodes: list[Episode]):
    n = cfg.group_size
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, n)  # expect: GRPO001 safe
    std = grid.std(1, keepdim=True)
    grid = (grid - grid.mean(1, keepdim=True)) * n / (n - 1)
    return (grid / (std + 1e-6)).flatten()


def sum_less_the_sample(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 safe
    baseline = (grid.sum(1, keepdim=True) - grid).div(cfg.group_size - 1)
    return grid.sub(baseline).view(-1)


def sum_from_the_mean(cfg, episodes: list[Episode]):
    n = cfg.group_size
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, n)  # expect: GRPO001 safe
    baseline = (grid.mean(1, keepdim=True) * n - grid) / (n - 1)
    return (grid - baseline).flatten()


def sum_of_every_sample(cfg, episodes: list[Episode]):
    n = cfg.group_size
    rewards = torch.tensor([e.reward for e in episodes])
    total = rewards.view(-1, n).sum(1).repeat_interleave(n)  # expect: GRPO001 safe
    return rewards - (total - rewards) / (n - 1)


def values_times_their_number(cfg, episodes: list[Episode]):
    n = cfg.group_size
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, n)  # expect: GRPO001 none: `n * grid`
    return ((n * grid - grid.sum(1, keepdim=True)) / (n - 1)).flatten()


def another_number_less_one(cfg, episodes: list[Episode]):
    n = cfg.group_size
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, n)  # expect: GRPO001 none: not understood
    return ((grid - grid.mean(1, keepdim=True)) * n / (cfg.fan - 1)).flatten()


def one_more_instead_of_one_less(cfg, episodes: list[Episode]):
    n = cfg.group_size
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, n)  # expect: GRPO001 none: not understood
    return ((grid - grid.mean(1, keepdim=True)) * n / (n + 1)).flatten()


def another_ratio(cfg, episodes: list[Episode]):
    k = cfg.fan
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: not understood
    return ((grid - grid.mean(1, keepdim=True)) * (k / (k - 1))).flatten()


def ratio_of_another_time(cfg, episodes: list[Episode]):
    n = cfg.group_size
    factor = n / (n - 1)
    n = cfg.num_generations
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, n)  # expect: GRPO001 none: `n` changes
    return ((grid - grid.mean(1, keepdim=True)) * factor).flatten()


def divisor_of_another_time(cfg, episodes: list[Episode]):
    n = cfg.group_size
    others = n - 1
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, n)  # expect: GRPO001 none: not divided by the group size less one
    return (grid - (grid.sum(1, keepdim=True) - grid) / others).flatten()


def only_multiplied(cfg, episodes: list[Episode]):
    n = cfg.group_size
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, n)  # expect: GRPO001 none: not understood
    return ((grid - grid.mean(1, keepdim=True)) * n).flatten()


def ratio_after_scaling(cfg, episodes: list[Episode]):
    n = cfg.group_size
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, n)  # expect: GRPO001 none: not understood
    grid = (grid - grid.mean(1, keepdim=True)) / (grid.std(1, keepdim=True) + 1e-6)
    return (grid * n / (n - 1)).flatten()


def ratio_after_leaving_out(cfg, episodes: list[Episode]):
    n = cfg.group_size
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, n)  # expect: GRPO001 none: not understood
    grid = grid - (grid.sum(1, keepdim=True) - grid) / (n - 1)
    return (grid * n / (n - 1)).flatten()


def std_of_the_enlarged(cfg, episodes: list[Episode]):
    n = cfg.group_size
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, n)  # expect: GRPO001 none: std of leave-one-out advantages
    grid = (grid - grid.mean(1, keepdim=True)) * n / (n - 1)
    return (grid / (grid.std(1, keepdim=True) + 1e-6)).flatten()


def unbiased_batch(rewards, n):
    """The mean of the whole batch: no groups."""
    return (rewards - rewards.mean()) * n / (n - 1)


def siblings_by_identity(rewards, group_ids, n):
    """Sums that were gathered by the prompt."""
    total = torch.zeros(int(group_ids.max()) + 1).scatter_add(0, group_ids, rewards)
    return rewards - (total[group_ids] - rewards) / (n - 1)


def jackknife(losses, n):
    """Leave-one-out means of other values."""
    grid = losses.view(-1, n)
    return (grid - grid.mean(1, keepdim=True)) * n / (n - 1)


def siblings_of_environments(rewards, num_envs):
    """Environments are no siblings."""
    grid = rewards.view(-1, num_envs)
    return grid - (grid.sum(1, keepdim=True) - grid) / (num_envs - 1)


def siblings_over_time(rewards, horizon):
    """Nor are steps."""
    grid = rewards.view(-1, horizon)
    return (grid - grid.mean(1, keepdim=True)) * horizon / (horizon - 1)


def siblings_among_the_prompts(rewards, group_size, num_prompts):
    """Along the prompts: each sample against those of other prompts at its place."""
    grid = rewards.view(-1, group_size)
    return (grid - grid.mean(0, keepdim=True)) * num_prompts / (num_prompts - 1)


def pairs(rewards):
    """Of two, each is the other's baseline: a preference pair."""
    grid = rewards.view(-1, 2)
    return (grid - grid.mean(1, keepdim=True)) * 2


def unbiased_variance(rewards, n):
    """Values that are squared and multiplied are a variance."""
    grid = rewards.view(-1, n)
    return ((grid - grid.mean(1, keepdim=True)) ** 2).mean(1) * n / (n - 1)


def siblings_mean_as_a_metric(rewards, n, log):
    """A baseline that is only logged."""
    grid = rewards.view(-1, n)
    log(((grid.sum(1, keepdim=True) - grid) / (n - 1)).mean())
    return rewards


def better_than_the_siblings(rewards, n):
    """A comparison."""
    grid = rewards.view(-1, n)
    return grid > (grid.sum(1, keepdim=True) - grid) / (n - 1)


def siblings_of_a_group(group):
    """One prompt's own rewards."""
    rewards = torch.tensor([e.reward for e in group])
    return rewards - (rewards.sum() - rewards) / (len(group) - 1)


def siblings_in_a_loop_over_prompts(rewards_by_prompt, n):
    """Groups that are there already."""
    return [(row - row.mean()) * n / (n - 1) for row in rewards_by_prompt]


def share_of_the_sum(scores, n):
    """Attention without softmax."""
    grid = scores.view(-1, n)
    return grid / (grid.sum(1, keepdim=True) - grid + 1e-6)
