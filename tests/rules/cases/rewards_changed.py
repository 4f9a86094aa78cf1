"""Rewards that are reordered while a list is filled, or changed in place under another name."""

import random

import numpy as np
import torch
from samples import Episode


def sorted_while_filled(cfg, episodes: list[Episode]):
    rewards = []
    for episode in episodes:
        rewards.append(episode.reward)
        rewards.sort()
    grid = torch.tensor(rewards).view(-1, cfg.group_size)  # expect: GRPO001 none: while it is being filled
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def reversed_while_filled(cfg, episodes: list[Episode]):
    rewards = []
    for episode in episodes:
        rewards.append(episode.reward)
        rewards.reverse()
    grid = torch.tensor(rewards).view(-1, cfg.group_size)  # expect: GRPO001 none: while it is being filled
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def shuffled_while_filled(cfg, episodes: list[Episode]):
    rewards = []
    for episode in episodes:
        rewards.append(episode.reward)
        random.shuffle(rewards)
    grid = torch.tensor(rewards).view(-1, cfg.group_size)  # expect: GRPO001 none: while it is being filled
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def turned_by_a_slice_while_filled(cfg, episodes: list[Episode]):
    rewards = []
    for episode in episodes:
        rewards.append(episode.reward)
        rewards[:] = rewards[::-1]
    grid = torch.tensor(rewards).view(-1, cfg.group_size)  # expect: GRPO001 none: while it is being filled
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def swapped_while_filled(cfg, episodes: list[Episode]):
    rewards = []
    for episode in episodes:
        rewards.append(episode.reward)
        rewards[0], rewards[-1] = rewards[-1], rewards[0]
    grid = torch.tensor(rewards).view(-1, cfg.group_size)  # expect: GRPO001 none: while it is being filled
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def put_in_front_while_filled(cfg, episodes: list[Episode]):
    rewards = []
    for episode in episodes:
        rewards.append(episode.reward)
        rewards.insert(0, rewards.pop())
    grid = torch.tensor(rewards).view(-1, cfg.group_size)  # expect: GRPO001 none: while it is being filled
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def sorted_by_another_name_while_filled(cfg, episodes: list[Episode]):
    rewards = []
    for episode in episodes:
        rewards.append(episode.reward)
        same = rewards
        same.sort()
    grid = torch.tensor(rewards).view(-1, cfg.group_size)  # expect: GRPO001 none: while it is being filled
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def alias_made_before(cfg, episodes: list[Episode]):
    rewards = []
    same = rewards
    for episode in episodes:
        rewards.append(episode.reward)
        same.sort()
    grid = torch.tensor(rewards).view(-1, cfg.group_size)  # expect: GRPO001 none: while it is being filled
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def alias_made_before_and_sorted_after(cfg, episodes: list[Episode]):
    rewards = []
    same = rewards
    for episode in episodes:
        rewards.append(episode.reward)
    same.sort()
    grid = torch.tensor(rewards).view(-1, cfg.group_size)  # expect: GRPO001 none: while it is being filled
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def two_targets_made_before(cfg, episodes: list[Episode]):
    same = rewards = []
    for episode in episodes:
        rewards.append(episode.reward)
        same.sort()
    grid = torch.tensor(rewards).view(-1, cfg.group_size)  # expect: GRPO001 none: while it is being filled
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def two_targets_made_before_and_sorted_after(cfg, episodes: list[Episode]):
    same = rewards = []
    for episode in episodes:
        rewards.append(episode.reward)
    same.sort()
    grid = torch.tensor(rewards).view(-1, cfg.group_size)  # expect: GRPO001 none: while it is being filled
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def walrus_made_before(cfg, episodes: list[Episode]):
    same = (rewards := [])
    for episode in episodes:
        rewards.append(episode.reward)
        same.sort()
    grid = torch.tensor(rewards).view(-1, cfg.group_size)  # expect: GRPO001 none: while it is being filled
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def walrus_made_before_and_sorted_after(cfg, episodes: list[Episode]):
    same = (rewards := [])
    for episode in episodes:
        rewards.append(episode.reward)
    same.sort()
    grid = torch.tensor(rewards).view(-1, cfg.group_size)  # expect: GRPO001 none: while it is being filled
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def box_made_before(cfg, episodes: list[Episode]):
    rewards = []
    box = [rewards]
    same = box[0]
    for episode in episodes:
        rewards.append(episode.reward)
        same.sort()
    grid = torch.tensor(rewards).view(-1, cfg.group_size)  # expect: GRPO001 none: while it is being filled
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def box_made_before_and_sorted_after(cfg, episodes: list[Episode]):
    rewards = []
    box = [rewards]
    same = box[0]
    for episode in episodes:
        rewards.append(episode.reward)
    same.sort()
    grid = torch.tensor(rewards).view(-1, cfg.group_size)  # expect: GRPO001 none: while it is being filled
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def alias_sorted_after_the_loop(cfg, episodes: list[Episode]):
    rewards = []
    for episode in episodes:
        rewards.append(episode.reward)
    same = rewards
    same.sort()
    grid = torch.tensor(rewards).view(-1, cfg.group_size)  # expect: GRPO001 none: is handed on or changed
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def alias_shuffled_after_the_loop(cfg, episodes: list[Episode]):
    rewards = []
    for episode in episodes:
        rewards.append(episode.reward)
    same = rewards
    random.shuffle(same)
    grid = torch.tensor(rewards).view(-1, cfg.group_size)  # expect: GRPO001 none: is handed on or changed
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def alias_of_a_comprehension(cfg, episodes: list[Episode]):
    rewards = [e.reward for e in episodes]
    same = rewards
    same.reverse()
    grid = torch.tensor(rewards).view(-1, cfg.group_size)  # expect: GRPO001 none: is handed on or changed
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def changed_by_operator(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    same = rewards
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: is handed on or changed
    mean = grid.mean(-1, keepdim=True)
    same *= 2
    return (grid - mean).flatten()


def changed_by_method(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    same = rewards
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: is handed on or changed
    mean = grid.mean(-1, keepdim=True)
    same.mul_(2)
    return (grid - mean).flatten()


def changed_by_view(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    same = rewards.view(-1)
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: is handed on or changed
    mean = grid.mean(-1, keepdim=True)
    same += 1
    return (grid - mean).flatten()


def changed_by_detached(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    same = rewards.detach()
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: is handed on or changed
    mean = grid.mean(-1, keepdim=True)
    same.clamp_(0, 1)
    return (grid - mean).flatten()


def changed_by_annotated(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    same: torch.Tensor = rewards
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: is handed on or changed
    mean = grid.mean(-1, keepdim=True)
    same -= 1
    return (grid - mean).flatten()


def changed_by_item(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    same = rewards
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: is handed on or changed
    mean = grid.mean(-1, keepdim=True)
    same[0] = 1.0
    return (grid - mean).flatten()


def changed_before_the_grid(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    same = rewards
    same *= 2
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: is handed on or changed
    mean = grid.mean(-1, keepdim=True)
    return (grid - mean).flatten()


def mean_changed_by_another_name(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: `half` is changed in place
    mean = grid.mean(-1, keepdim=True)
    half = mean
    half *= 0.5
    return (grid - mean).flatten()


def mean_changed_through_a_view(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: `half` is changed in place
    mean = grid.mean(-1, keepdim=True)
    half = mean.view(-1)
    half.mul_(0.5)
    return (grid - mean).flatten()


def grid_changed_through_a_view(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: grouped shape
    mean = grid.mean(-1, keepdim=True)
    same = grid.view(-1)
    same *= 0.5
    return (grid - mean).flatten()


def counted_while_filled(cfg, episodes: list[Episode]):
    rewards: list[float] = []
    for episode in episodes:
        rewards.append(episode.reward)
        print(len(rewards), f"{rewards}")
    grid = torch.tensor(rewards).view(-1, cfg.group_size)  # expect: GRPO001 safe
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def changed_by_its_own_name(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    rewards *= 2
    rewards.clamp_(0, 1)
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 safe
    mean = grid.mean(-1, keepdim=True)
    return (grid - mean).flatten()


def changed_before_it_was_copied(cfg, episodes: list[Episode]):
    raw = torch.tensor([e.reward for e in episodes])
    raw *= 2
    rewards = raw.clone()
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 safe
    mean = grid.mean(-1, keepdim=True)
    return (grid - mean).flatten()


def array_changed_by_its_own_name(cfg, episodes: list[Episode]):
    rewards = np.array([e.reward for e in episodes])
    rewards += 1
    grid = rewards.reshape(-1, cfg.group_size)  # expect: GRPO001 safe
    mean = grid.mean(-1, keepdims=True)
    return (grid - mean).flatten()


def grid_changed_by_its_own_name(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 safe
    mean = grid.mean(-1, keepdim=True)
    std = grid.std(-1, keepdim=True)
    std += 1e-6
    grid -= mean
    grid /= std
    return grid.flatten()
