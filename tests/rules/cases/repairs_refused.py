"""Reported, and with good reason not repaired."""

import random

import jax.numpy as jnp
import torch
from samples import Episode, Plain


def element_does_not_tell(cfg, episodes: list[Plain]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: nothing proves
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def index_is_unique_to_each_sample(cfg, episodes: list[Plain]):
    index = [e.index for e in episodes]
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: nothing proves
    return index, (grid - grid.mean(-1, keepdim=True)).flatten()


def token_ids(cfg, rewards, prompt_ids, completion_ids):
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: no identity
    return prompt_ids, completion_ids, (grid - grid.mean(-1, keepdim=True)).flatten()


def padded_ids(cfg, rewards, prompt_ids, pad):
    prompt_ids = pad(prompt_ids)
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: no identity
    return prompt_ids, (grid - grid.mean(-1, keepdim=True)).flatten()


def shuffled_in_between(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    random.shuffle(episodes)
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: `episodes` is changed
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def bound_again(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    episodes = [e for e in episodes if e.reward]
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: bound again
    return episodes, (grid - grid.mean(-1, keepdim=True)).flatten()


def filtered(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes if e.weight])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: reordered, selected
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def skipped_in_a_loop(cfg, episodes: list[Episode]):
    rewards = []
    for episode in episodes:
        if episode.weight == 0:
            continue
        rewards.append(episode.reward)
    grid = torch.tensor(rewards).view(-1, cfg.group_size)  # expect: GRPO001 none: reordered, selected
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def joined(cfg, batches, uids):
    rewards = torch.cat([batch.rewards for batch in batches])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: reordered, selected or joined
    return uids, (grid - grid.mean(-1, keepdim=True)).flatten()


def sorted_rewards(cfg, rewards, uids):
    rewards = rewards.flip(0)
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: reordered
    return uids, (grid - grid.mean(-1, keepdim=True)).flatten()


def root_of_variance(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: plain std + eps
    centred = grid - grid.mean(-1, keepdim=True)
    return (centred / torch.sqrt(grid.var(-1, keepdim=True) + 1e-6)).flatten()


def clamped_std(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: plain std + eps
    centred = grid - grid.mean(-1, keepdim=True)
    return (centred / grid.std(-1, keepdim=True).clamp(min=1e-6)).flatten()


def batch_wide_scale(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none
    centred = grid - grid.mean(-1, keepdim=True)
    return (centred / (rewards.std() + 1e-6)).flatten()


def median_baseline(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: plain mean
    return (grid - grid.median(-1, keepdim=True)).flatten()


def condition_with_a_call(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: calls a function
    grid = grid - grid.mean(-1, keepdim=True)
    if cfg.wants_scaling():
        grid = grid / (grid.std(-1, keepdim=True) + 1e-6)
    return grid.flatten().tolist()


def statistic_logged(cfg, episodes: list[Episode], log):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: group statistic `mean`
    mean = grid.mean(-1, keepdim=True)
    log(mean)
    return (grid - mean).flatten()


def two_sizes(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    mean = rewards.view(-1, cfg.group_size).mean(1, keepdim=True)  # expect: GRPO001 none: different group sizes
    grid = rewards.view(-1, cfg.eval_group_size)  # expect: GRPO001 none: different group sizes
    return ((grid - mean) / (grid.std(1, keepdim=True) + 1e-6)).flatten()


def jax_values(cfg, episodes: list[Episode]):
    rewards = jnp.array([e.reward for e in episodes])
    grid = jnp.reshape(rewards, (-1, cfg.group_size))  # expect: GRPO001 none: JAX
    return (grid - jnp.mean(grid, axis=1, keepdims=True)).flatten()


def in_a_helper(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: helper
    return _centre(grid).flatten()


def _centre(values):
    return values - values.mean(-1, keepdim=True)


def unknown_library(cfg, rewards, uids):
    grid = rewards.reshape(-1, cfg.group_size)  # expect: GRPO001 none: torch from NumPy
    return uids, ((grid - grid.mean(1)[:, None]) / (grid.std(1)[:, None] + 1e-6)).reshape(-1)


def misaligned(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: line up
    return (grid - grid.mean(-1)).flatten()


def kept_in_place(cfg, rewards: torch.Tensor, uids):
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: in place
    grid -= grid.mean(-1, keepdim=True)
    return rewards


def std_of_leave_one_out(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: std of leave-one-out
    grid = grid - (grid.sum(1, keepdim=True) - grid) / (cfg.group_size - 1)
    return (grid / (grid.std(1, keepdim=True) + 1e-6)).flatten()
