"""Sizes under names of the module's own, and under names that imports gave them."""

import torch
from settings import COPIES, NUM_ENVS
from settings import NUM_ENVS as N
from settings import NUM_GENERATIONS as W
from settings import args

G = args.num_generations
ALSO_G: int = G
K = int(args.num_envs)
Q = getattr(args, "num_envs", 8)
PAIR = 2
FOUR = 4
CHANGED = 2
CHANGED = args.fan
OPENED = args.num_envs
TWICE = 2


def open_up(n):
    global OPENED, TWICE
    OPENED = TWICE = n


def number_of_generations(rewards: torch.Tensor, prompt_uids):
    grid = rewards.view(-1, G)  # expect: GRPO001 unsafe
    return prompt_uids, (grid - grid.mean(1, keepdim=True)).flatten()


def name_of_a_name(scores: torch.Tensor, prompt_uids):
    grid = scores.view(-1, ALSO_G)  # expect: GRPO001 unsafe
    return prompt_uids, (grid - grid.mean(1, keepdim=True)).flatten()


def imported_under_another_name(scores: torch.Tensor, prompt_uids):
    grid = scores.view(-1, W)  # expect: GRPO001 unsafe
    return prompt_uids, (grid - grid.mean(1, keepdim=True)).flatten()


def imported_under_a_name_of_its_own(rewards: torch.Tensor, prompt_uids):
    grid = rewards.view(-1, COPIES)  # expect: GRPO001 unsafe
    return prompt_uids, (grid - grid.mean(1, keepdim=True)).flatten()


def four(rewards: torch.Tensor, prompt_uids):
    grid = rewards.view(-1, FOUR)  # expect: GRPO001 unsafe
    return prompt_uids, (grid - grid.mean(1, keepdim=True)).flatten()


def two_values(rewards: torch.Tensor, prompt_uids):
    grid = rewards.view(-1, CHANGED)  # expect: GRPO001 unsafe
    return prompt_uids, (grid - grid.mean(1, keepdim=True)).flatten()


def opened_number(rewards: torch.Tensor, prompt_uids):
    grid = rewards.view(-1, TWICE)  # expect: GRPO001 unsafe
    return prompt_uids, (grid - grid.mean(1, keepdim=True)).flatten()


def short_name_of_a_group_size(rewards: torch.Tensor, cfg, prompt_uids):
    n = cfg.num_generations
    grid = rewards.view(-1, n)  # expect: GRPO001 unsafe
    return prompt_uids, (grid - grid.mean(1, keepdim=True)).flatten()


def environments_under_a_short_name(rewards, prompts):
    """Environments, by their name in the module that they come from."""
    grid = rewards.view(-1, N)
    return prompts, grid - grid.mean(1, keepdim=True)


def environments_of_the_module(rewards):
    """By what the constant was made of."""
    grid = rewards.view(-1, K)
    return grid - grid.mean(1, keepdim=True)


def environments_looked_up(rewards):
    """By the attribute that was asked for."""
    grid = rewards.view(-1, Q)
    return grid - grid.mean(1, keepdim=True)


def environments_of_the_function(rewards, cfg):
    """By what the local was made of."""
    n = cfg.num_envs
    grid = rewards.view(-1, n)
    return grid - grid.mean(1, keepdim=True)


def environments_by_their_own_name(rewards):
    """By its own name."""
    grid = rewards.view(-1, NUM_ENVS)
    return grid - grid.mean(1, keepdim=True)


def environments_opened(rewards):
    """What a function may set it to, is a number of environments too."""
    grid = rewards.view(-1, OPENED)
    return grid - grid.mean(1, keepdim=True)


def pairs(rewards):
    """Two in a row are a preference pair, under whatever name."""
    grid = rewards.view(-1, PAIR)
    return grid - grid.mean(1, keepdim=True)


def pairs_of_the_function(rewards):
    """Likewise."""
    both = 2
    grid = rewards.view(-1, both)
    return grid - grid.mean(1, keepdim=True)
