"""What shares the spelling and not the meaning. Every function says why it is no finding."""

import numpy as np
import torch
import torch.nn.functional as F


def statistic_over_the_prompts(rewards, group_size):
    """Axis 0 of (P, n) runs over prompts, not over one prompt's samples."""
    grid = rewards.view(-1, group_size)
    return grid - grid.mean(dim=0, keepdim=True)


def mean_of_the_whole_grid(rewards, group_size):
    """A batch mean is no group statistic."""
    grid = rewards.view(-1, group_size)
    return grid - grid.mean()


def logged_only(rewards, group_size, log):
    """The statistic never meets the values again."""
    grid = rewards.view(-1, group_size)
    log({"mean": grid.mean(-1), "std": grid.std(-1)})
    return rewards


def spread_as_a_metric(rewards, group_size):
    """Centred values that are only squared measure spread; they are no advantages."""
    grid = rewards.view(-1, group_size)
    deviation = grid - grid.mean(-1, keepdim=True)
    return (deviation**2).mean()


def absolute_deviation(rewards, group_size):
    """Likewise."""
    grid = rewards.view(-1, group_size)
    return np.abs(grid - grid.mean(-1, keepdims=True)).mean()


def best_of_n(rewards, n):
    """A choice per group, no baseline."""
    return rewards.view(-1, n).argmax(dim=-1)


def environments(rewards, num_envs):
    """Columns are environments."""
    grid = rewards.view(-1, num_envs)
    return grid - grid.mean(-1, keepdim=True)


def time_steps(rewards, horizon):
    """Rows are trajectories over time."""
    grid = rewards.view(-1, horizon)
    return (grid - grid.mean(-1, keepdim=True)) / (grid.std(-1, keepdim=True) + 1e-8)


def pairs(rewards):
    """Two in a row are a preference pair."""
    grid = rewards.view(-1, 2)
    return grid - grid.mean(-1, keepdim=True)


def other_values(hidden, group_size):
    """Group normalisation of activations."""
    grid = hidden.view(-1, group_size)
    return (grid - grid.mean(-1, keepdim=True)) / (grid.std(-1, keepdim=True) + 1e-5)


def attention(scores, block):
    """Scores of an attention, in blocks."""
    blocks = scores.view(-1, block)
    return F.softmax(blocks - blocks.mean(-1, keepdim=True), dim=-1)


def experts(router_scores, n_group):
    """Expert groups of a router."""
    grouped = router_scores.view(router_scores.shape[0], n_group, -1)
    return grouped - grouped.mean(dim=-1, keepdim=True)


def other_baseline(rewards, values, group_size):
    """The baseline is a critic's, whatever its shape."""
    return rewards.view(-1, group_size) - values.view(-1, group_size)


def keyed(rewards, group_ids):
    """Grouped by identity."""
    unique, inverse = torch.unique(group_ids, return_inverse=True)
    sums = torch.zeros(len(unique)).scatter_add_(0, inverse, rewards)
    means = sums / torch.bincount(inverse)
    return rewards - means[inverse]


def reward_model_weights(reward_model, group_size):
    """Named after rewards, and no rewards."""
    weights = reward_model.weight.view(-1, group_size)
    return weights - weights.mean(-1, keepdim=True)


def reinterpreted(rewards, group_size):
    """`view` with a dtype."""
    raw = rewards.view(torch.uint8)
    return raw, group_size


def share_above_the_mean(rewards, num_generations):
    """A comparison tells about centred values and does not carry them on."""
    grid = rewards.view(-1, num_generations)
    return ((grid - grid.mean(1, keepdim=True)) > 0).float().mean()


def largest_deviation(rewards, num_generations, log):
    """So does a reduction, also of scaled values."""
    grid = rewards.view(-1, num_generations)
    scaled = (grid - grid.mean(1, keepdim=True)) / grid.std(1, keepdim=True)
    log(scaled.max())
    return (grid - grid.mean(1, keepdim=True)).norm(dim=1).mean()


def skew(rewards, num_generations):
    """And a power."""
    grid = rewards.view(-1, num_generations)
    scaled = (grid - grid.mean(1, keepdim=True)) / grid.std(1, keepdim=True)
    return (scaled**3).mean()


def batch_mean_by_all_axes(rewards, num_generations):
    """Both axes at once: a batch statistic."""
    grid = rewards.view(-1, num_generations)
    return grid - grid.mean(dim=(0, 1), keepdim=True)


def other_axes_after_a_second_reshape(rewards, num_generations, n_functions, weights):
    """What is summed are reward functions, no samples of a prompt."""
    grid = rewards.view(-1, num_generations, n_functions)
    rows = grid.view(-1, n_functions)
    return rows - (rows * weights).sum(dim=1, keepdim=True)
