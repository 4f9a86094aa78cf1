"""Reshapes, statistics and arithmetic in the forms that public code shows."""

import einops
import numpy as np
import torch
from samples import Episode


def unflatten(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.unflatten(0, (-1, cfg.group_size))  # expect: GRPO001 safe
    return (grid - grid.mean(dim=1, keepdim=True)).flatten().tolist()


def rearrange(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = einops.rearrange(rewards, "(b n) -> b n", n=cfg.group_size)  # expect: GRPO001 safe
    return (grid - grid.mean(dim=1, keepdim=True)).flatten().tolist()


def in_one_expression(cfg, episodes: list[Episode]):
    grid = torch.tensor([e.reward for e in episodes]).view(-1, cfg.group_size)  # expect: GRPO001 safe
    return ((grid - grid.mean(1, True)) / (grid.std(1, unbiased=False, keepdim=True) + 1e-8)).view(-1).tolist()


def in_place_methods(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 safe
    mean = grid.mean(dim=1, keepdim=True)
    grid = grid.sub(mean)
    return grid.flatten().tolist()


def augmented(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.reshape(-1, cfg.group_size)  # expect: GRPO001 safe
    grid -= grid.mean(dim=1, keepdim=True)
    grid /= grid.std(dim=1, keepdim=True) + 1e-6
    return grid.flatten().tolist()


def column_by_unsqueeze(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 safe
    mean = grid.mean(dim=1).unsqueeze(1)
    std = grid.std(dim=1)[:, None]
    return ((grid - mean) / (std + 1e-6)).flatten().tolist()


def expanded(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 safe
    mean = grid.mean(dim=-1, keepdim=True).expand_as(grid)
    return (grid - mean).flatten().tolist()


def std_and_mean_at_once(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: grouped shape
    std, mean = torch.std_mean(grid, dim=1, keepdim=True)
    return ((grid - mean) / (std + 1e-6)).flatten().tolist()


def numpy_functions(cfg, episodes: list[Episode]):
    scores = np.asarray([e.reward for e in episodes])
    grid = np.reshape(scores, (-1, cfg.group_size))  # expect: GRPO001 safe
    centred = grid - np.mean(grid, axis=1, keepdims=True)
    scaled = centred / (np.std(grid, axis=1, keepdims=True, ddof=1) + 1e-6)
    return scaled.reshape(-1)


def repeated_back(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    baseline = rewards.view(-1, cfg.group_size).mean(1).repeat_interleave(cfg.group_size)  # expect: GRPO001 safe
    return rewards - baseline


def leave_one_out(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 safe
    baseline = (grid.sum(-1, keepdim=True) - grid) / (cfg.group_size - 1)
    return (grid - baseline).flatten()


def gathered_in_a_loop(cfg, episodes: list[Episode]):
    rewards = []
    for episode in episodes:
        rewards.append(float(episode.reward))
    grid = torch.tensor(rewards).view(-1, cfg.group_size)  # expect: GRPO001 safe
    return (grid - grid.mean(-1, keepdim=True)).flatten().tolist()


def three_axes(frame_rewards, cfg):
    steps = frame_rewards.shape[0]
    rewards = frame_rewards.reshape(steps, -1, cfg.group_size)  # expect: GRPO001 none
    return (rewards - rewards.mean(dim=-1, keepdim=True)).reshape(steps, -1)


def tiled(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(cfg.group_size, -1)  # expect: GRPO001 none: layout
    return (grid - grid.mean(dim=0, keepdim=True)).flatten()


def numpy_to_list(cfg, episodes: list[Episode]):
    scores = np.array([e.reward for e in episodes])
    grid = scores.reshape(-1, cfg.group_size)  # expect: GRPO001 safe
    grid = grid - grid.mean(axis=1, keepdims=True)
    return grid.flatten().tolist()


def numpy_to_a_named_list(cfg, episodes: list[Episode]):
    scores = np.array([e.reward for e in episodes])
    grid = scores.reshape(-1, cfg.group_size)  # expect: GRPO001 safe
    advantages = (grid - grid.mean(axis=1, keepdims=True)).ravel().tolist()
    return advantages


def numpy_to_a_list_at_once(cfg, episodes: list[Episode]):
    scores = np.array([e.reward for e in episodes])
    grid = scores.reshape(-1, cfg.group_size)  # expect: GRPO001 safe
    return (grid - grid.mean(axis=1, keepdims=True)).ravel().tolist()


def list_and_tensor(cfg, episodes: list[Episode], keep=None):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 safe
    grid = grid - grid.mean(dim=1, keepdim=True)
    if keep is not None:
        keep(grid.flatten())
    return grid.flatten().tolist()


def leave_one_out_scaled(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 safe
    std = grid.std(1, keepdim=True)
    grid = grid - (grid.sum(1, keepdim=True) - grid) / (cfg.group_size - 1)
    return (grid / (std + 1e-6)).flatten()


def median_like_torch(cfg, rewards: torch.Tensor, uids):
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: plain mean
    return uids, (grid - grid.median(dim=1, keepdim=True).values).flatten()


def size_with_a_default(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.num_generations or 8)  # expect: GRPO001 safe
    return (grid - grid.mean(dim=1, keepdim=True)).flatten().tolist()


def one_of_several_functions(rewards_per_func: torch.Tensor, weights, num_generations):
    columns = []
    for i in range(rewards_per_func.shape[1]):
        column = rewards_per_func[:, i].view(-1, num_generations)  # expect: GRPO001 none
        columns.append(weights[i] * (column - column.mean(dim=1, keepdim=True)).view(-1))
    return sum(columns)
