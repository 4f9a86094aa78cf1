"""Groups taken one by one from a grid that was made by shape. Rows of what is grouped already are right."""

import statistics

import numpy as np
import torch
from samples import Episode


def rows_in_a_loop(rewards, num_generations, prompt_uids):
    out = []
    for row in rewards.view(-1, num_generations):  # expect: GRPO001 none: grouped shape
        out.append((row - row.mean()) / (row.std() + 1e-6))
    return prompt_uids, torch.cat(out)


def rows_in_a_comprehension(rewards, num_generations):
    rows = rewards.view(-1, num_generations)  # expect: GRPO001 none: no identity
    return torch.cat([row - row.mean() for row in rows])


def rows_through_a_helper(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    rows = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: grouped shape
    return torch.stack([_whitened(row) for row in rows]).flatten()


def _whitened(values):
    return (values - values.mean()) / (values.std() + 1e-6)


def numbered_rows(rewards, group_size):
    advantages = np.zeros_like(rewards)
    for place, row in enumerate(rewards.reshape(-1, group_size)):  # expect: GRPO001 none: no identity
        advantages[place * group_size : (place + 1) * group_size] = row - np.mean(row)
    return advantages


def rows_beside_their_means(rewards, group_size):
    grid = rewards.view(-1, group_size)  # expect: GRPO001 none: no identity
    pairs = zip(grid, grid.mean(dim=1), grid.std(dim=1))
    return torch.cat([(row - mean) / (std + 1e-6) for row, mean, std in pairs])


def rows_by_position(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: grouped shape
    for i in range(len(grid)):
        grid[i] -= grid[i].mean()
    return grid.flatten()


def unbound(rewards, group_size):
    groups = rewards.view(-1, group_size).unbind(0)  # expect: GRPO001 none: no identity
    return torch.cat([group - group.mean() for group in groups])


def lists(rewards, group_size):
    out = []
    for row in rewards.view(-1, group_size).tolist():  # expect: GRPO001 none: no identity
        mean = sum(row) / len(row)
        out.extend(reward - mean for reward in row)
    return out


def lists_of_the_standard_library(rewards, group_size):
    out = []
    for row in rewards.view(-1, group_size).tolist():  # expect: GRPO001 none: no identity
        mean, spread = statistics.fmean(row), statistics.pstdev(row)
        out += [(reward - mean) / (spread + 1e-6) for reward in row]
    return out


def siblings_in_a_loop(rewards, n):
    out = []
    for row in rewards.view(-1, n):  # expect: GRPO001 none: no identity
        out.append(row - (row.sum() - row) / (n - 1))
    return torch.cat(out)


def means_by_position(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    means = rewards.view(-1, cfg.group_size).mean(dim=1)  # expect: GRPO001 none: one by one
    advantages = torch.zeros_like(rewards)
    for i in range(len(rewards)):
        advantages[i] = rewards[i] - means[i // cfg.group_size]
    return advantages


def read_off_each_sample_again(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none
    means, spreads = grid.mean(dim=1), grid.std(dim=1)
    for i, episode in enumerate(episodes):
        group = i // cfg.group_size
        episode.weight = (episode.reward - means[group]) / (spreads[group] + 1e-6)


def means_in_a_list(rewards, group_size):
    means = rewards.view(-1, group_size).mean(dim=1).tolist()  # expect: GRPO001 none: no identity
    return [reward - means[i // group_size] for i, reward in enumerate(rewards)]


def means_of_rows(rewards, group_size):
    means = [row.mean() for row in rewards.view(-1, group_size)]  # expect: GRPO001 none: no identity
    return torch.stack([reward - means[i // group_size] for i, reward in enumerate(rewards)])


def repeated_means_one_by_one(rewards, n):
    baselines = rewards.view(-1, n).mean(dim=1).repeat_interleave(n)  # expect: GRPO001 none: no identity
    return [reward - baseline for reward, baseline in zip(rewards, baselines)]


def logged_rows(rewards, num_generations, log):
    """Statistics that never meet the values again."""
    for row in rewards.view(-1, num_generations):
        log(row.mean(), row.std(), row.max())
    return rewards


def mixed_groups(rewards, num_generations):
    """A count."""
    return sum(1 for row in rewards.view(-1, num_generations) if row.max() > row.min())


def above_the_mean(rewards, num_generations):
    """A comparison."""
    return [(row - row.mean()) > 0 for row in rewards.view(-1, num_generations)]


def spread_of_rows(rewards, num_generations):
    """Centred values that are only squared."""
    return [((row - row.mean()) ** 2).mean() for row in rewards.view(-1, num_generations)]


def variance_by_hand(rewards, num_generations):
    """Likewise, one by one."""
    out = []
    for row in rewards.view(-1, num_generations).tolist():
        mean = sum(row) / len(row)
        out.append(sum((reward - mean) ** 2 for reward in row) / len(row))
    return out


def deviation_by_hand(rewards, num_generations):
    """Or without their signs."""
    out = []
    for row in rewards.view(-1, num_generations).tolist():
        mean = sum(row) / len(row)
        out.append(sum(abs(reward - mean) for reward in row) / len(row))
    return out


def groups_that_are_there(rewards_by_prompt):
    """Rows of somebody else's making."""
    return [row - row.mean() for row in rewards_by_prompt]


def lists_that_are_there(rewards_by_prompt):
    """Likewise, as lists."""
    out = []
    for row in rewards_by_prompt:
        mean = sum(row) / len(row)
        out.extend(reward - mean for reward in row)
    return out


def minibatches(rewards, batch_size):
    """Blocks of a batch."""
    for row in rewards.view(-1, batch_size):
        yield row - row.mean()


def pairs(rewards):
    """Two in a row are a preference pair."""
    return [row - row.mean() for row in rewards.view(-1, 2)]


def columns(rewards, group_size):
    """Columns of (P, n) are one sample of each prompt."""
    return [column - column.mean() for column in rewards.view(-1, group_size).T]


def chosen_rows(rewards, group_size, keep):
    """A mask leaves many groups: their mean is a batch's."""
    grid = rewards.view(-1, group_size)
    return rewards - grid[keep].mean()


def means_by_identity(rewards, group_ids):
    """Means that were looked up by the prompt."""
    sums = torch.zeros(int(group_ids.max()) + 1).scatter_add(0, group_ids, rewards)
    means = sums / torch.bincount(group_ids)
    return [reward - means[group] for reward, group in zip(rewards, group_ids)]


def another_attribute_of_each_sample(cfg, episodes: list[Episode]):
    """Scores are not the rewards that the means are of."""
    means = torch.tensor([e.reward for e in episodes]).view(-1, cfg.group_size).mean(dim=1)
    return [episode.score - means[i // cfg.group_size] for i, episode in enumerate(episodes)]


def one_row(rewards, group_size, i):
    """A row that is handed on as it is."""
    return rewards.view(-1, group_size)[i]


def row_of_a_row(rewards, group_size):
    """A group's values as a row of their own are right."""
    out = []
    for group in rewards.view(-1, group_size):
        out.append(group.view(1, -1).sum())
    return out
