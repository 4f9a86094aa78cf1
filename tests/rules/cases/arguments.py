"""Arguments of the steps: a repair keeps the effect of each, or is refused."""

import numpy as np
import torch
from samples import Episode


def divisor_of_a_setting(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: plain std + eps
    std = grid.std(1, keepdim=True, unbiased=cfg.unbiased)
    return ((grid - grid.mean(1, keepdim=True)) / (std + 1e-6)).flatten()


def divisor_by_position(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: plain std + eps
    return ((grid - grid.mean(1, keepdim=True)) / (torch.std(grid, 1, cfg.unbiased, True) + 1e-6)).flatten()


def divisor_of_another_setting(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: the divisor of
    std = torch.std(grid, 1, keepdim=True, correction=cfg.correction)
    return ((grid - grid.mean(1, keepdim=True)) / (std + 1e-6)).flatten()


def divisor_in_double_stars(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: plain std + eps
    std = grid.std(1, keepdim=True, **dict(unbiased=False))
    return ((grid - grid.mean(1, keepdim=True)) / (std + 1e-6)).flatten()


def mean_in_another_type(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: not a plain mean
    return (grid - grid.mean(1, keepdim=True, dtype=torch.float64)).flatten()


def mean_of_some(cfg, episodes: list[Episode], where):
    rewards = np.array([e.reward for e in episodes])
    grid = rewards.reshape(-1, cfg.group_size)  # expect: GRPO001 none: not a plain mean
    return (grid - np.mean(grid, 1, keepdims=True, where=where)).flatten()


def options_of_a_call(cfg, episodes: list[Episode], options):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: not a plain mean
    return (grid - grid.mean(1, keepdim=True, **options)).flatten()


def columns_first(cfg, episodes: list[Episode]):
    rewards = np.array([e.reward for e in episodes])
    grid = rewards.reshape((-1, cfg.group_size), order="F")  # expect: GRPO001 none: layout other
    return (grid - grid.mean(1, keepdims=True)).flatten()


def columns_first_as_a_function(cfg, episodes: list[Episode]):
    rewards = np.array([e.reward for e in episodes])
    grid = np.reshape(rewards, (-1, cfg.group_size), order="F")  # expect: GRPO001 none: layout other
    return np.ravel(grid - grid.mean(1, keepdims=True))


def flattened_by_columns(cfg, episodes: list[Episode]):
    rewards = np.array([e.reward for e in episodes])
    grid = rewards.reshape(-1, cfg.group_size)  # expect: GRPO001 none: is not understood
    return (grid - grid.mean(1, keepdims=True)).flatten("F")


def flattened_in_the_order_of_memory(cfg, episodes: list[Episode]):
    rewards = np.array([e.reward for e in episodes])
    grid = rewards.reshape(-1, cfg.group_size)  # expect: GRPO001 none: is not understood
    return np.ravel(grid - grid.mean(1, keepdims=True), order="K")


def half_the_mean(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: is not understood
    return grid.sub(grid.mean(1, keepdim=True), alpha=0.5).flatten()


def half_the_mean_as_a_function(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: is not understood
    return torch.subtract(grid, grid.mean(1, keepdim=True), alpha=0.5).flatten()


def half_the_mean_in_place(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: is not understood
    grid.sub_(grid.mean(1, keepdim=True), alpha=0.5)
    return grid.flatten()


def differences_of_some(cfg, episodes: list[Episode], where):
    rewards = np.array([e.reward for e in episodes])
    grid = rewards.reshape(-1, cfg.group_size)  # expect: GRPO001 none: is not understood
    return np.subtract(grid, grid.mean(1, keepdims=True), where=where).flatten()


def whole_quotients(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: is not understood
    grid = grid - grid.mean(1, keepdim=True)
    return torch.div(grid, grid.std(1, keepdim=True) + 1e-6, rounding_mode="trunc").flatten()


def twice_the_epsilon(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: plain std + eps
    return (grid - grid.mean(1, keepdim=True)).div(grid.std(1, keepdim=True).add(1e-6, alpha=2)).flatten()


def kept_in_two_axes(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: is not understood
    return (grid - grid.mean(1, keepdim=True)).flatten(start_dim=1)


def kept_in_two_axes_as_a_function(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: is not understood
    return torch.flatten(grid - grid.mean(1, keepdim=True), 1)


def viewed_as_the_grid(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: is not understood
    return (grid - grid.mean(1, keepdim=True)).view_as(grid)


def squeezed_along_the_row(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    row = rewards.view(1, -1)  # expect: GRPO002 none: is not understood
    return (row - row.mean(1, keepdim=True)).squeeze(1)


def literal_options(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 safe
    std = torch.std(input=grid, dim=(1,), keepdim=True, unbiased=False)
    return torch.div(torch.sub(grid, grid.mean(1, True)), std.add(1e-6)).flatten(0, -1)


def flags_by_position(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 safe
    return torch.flatten((grid - torch.mean(grid, 1, True)) / (grid.std(1, True, True) + 1e-6), start_dim=0)


def rows_first(cfg, episodes: list[Episode]):
    rewards = np.array([e.reward for e in episodes])
    grid = np.reshape(rewards, (-1, cfg.group_size), order="C")  # expect: GRPO001 safe
    return (grid - np.mean(grid, axis=1, keepdims=True)).flatten("C")


def viewed_as_the_rewards(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 safe
    return (grid - grid.mean(1, keepdim=True)).view_as(rewards)
