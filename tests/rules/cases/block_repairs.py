"""Blocks of rewards that are normalised one by one: repaired where an identity is in scope and all of it is understood."""

import numpy as np
import torch
from samples import Episode


def multiples(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    n = cfg.group_size
    out = torch.zeros_like(rewards)
    for i in range(len(rewards) // n):
        block = rewards[i * n : (i + 1) * n]  # expect: GRPO003 safe
        out[i * n : (i + 1) * n] = (block - block.mean()) / (block.std() + 1e-6)
    return out


def steps(cfg, episodes: list[Episode]):
    rewards = np.array([e.reward for e in episodes])
    advantages = np.zeros_like(rewards)
    for start in range(0, len(rewards), cfg.group_size):
        end = start + cfg.group_size
        mean = rewards[start:end].mean()  # expect: GRPO003 safe
        advantages[start:end] = rewards[start:end] - mean
    return advantages


def joined(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    return torch.cat([part - part.mean() for part in rewards.split(cfg.group_size)])  # expect: GRPO003 safe


def joined_under_a_name(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    n = cfg.group_size
    joined = torch.cat([(p - p.mean()) / (torch.std(p, correction=0) + 1e-8) for p in rewards.split(n)])  # expect: GRPO003 safe
    return joined


def named_only(rewards: torch.Tensor, uids, group_size: int):
    out = torch.empty_like(rewards)
    for i in range(0, len(rewards) // group_size):
        at = slice(i * group_size, (i + 1) * group_size)
        out[at] = rewards[at] - rewards[at].mean()  # expect: GRPO003 unsafe
    return out


def with_a_comment(rewards: torch.Tensor, uids, group_size: int):
    out = torch.zeros_like(rewards)
    for i in range(len(rewards) // group_size):
        # every prompt has as many answers
        out[i * group_size : (i + 1) * group_size] = (
            rewards[i * group_size : (i + 1) * group_size]
            - rewards[i * group_size : (i + 1) * group_size].mean()  # expect: GRPO003 unsafe
        )
    return out


# not repaired


def no_identity(rewards: torch.Tensor, group_size: int):
    out = torch.zeros_like(rewards)
    for i in range(len(rewards) // group_size):
        block = rewards[i * group_size : (i + 1) * group_size]  # expect: GRPO003 none: no identity
        out[i * group_size : (i + 1) * group_size] = block - block.mean()
    return out


def logged_too(rewards: torch.Tensor, uids, group_size: int, log):
    out = torch.zeros_like(rewards)
    for i in range(len(rewards) // group_size):
        block = rewards[i * group_size : (i + 1) * group_size]  # expect: GRPO003 none: is not understood
        log(block)
        out[i * group_size : (i + 1) * group_size] = block - block.mean()
    return out


def another_formula(rewards: torch.Tensor, uids, group_size: int):
    out = torch.zeros_like(rewards)
    for i in range(len(rewards) // group_size):
        block = rewards[i * group_size : (i + 1) * group_size]  # expect: GRPO003 none: own mean and std alone
        out[i * group_size : (i + 1) * group_size] = block - block.mean() + 1
    return out


def other_blocks(rewards: torch.Tensor, uids, group_size: int, prompts: int):
    out = torch.zeros_like(rewards)
    for i in range(prompts):
        block = rewards[i * group_size : (i + 1) * group_size]  # expect: GRPO003 none: go through all of
        out[i * group_size : (i + 1) * group_size] = block - block.mean()
    return out


def stored_elsewhere(rewards: torch.Tensor, uids, group_size: int):
    out = torch.zeros_like(rewards)
    for i in range(len(rewards) // group_size):
        block = rewards[i * group_size : (i + 1) * group_size]  # expect: GRPO003 none: stored elsewhere
        out[i * group_size : i * group_size + group_size] = block - block.mean()
    return out


def appended(rewards: torch.Tensor, uids, group_size: int):
    out = []
    for i in range(len(rewards) // group_size):
        block = rewards[i * group_size : (i + 1) * group_size]  # expect: GRPO003 none: more than store
        out.append(block - block.mean())
    return torch.cat(out)


def not_of_zeros(rewards: torch.Tensor, uids, group_size: int, out: torch.Tensor):
    for i in range(len(rewards) // group_size):
        block = rewards[i * group_size : (i + 1) * group_size]  # expect: GRPO003 none: not made of zeros
        out[i * group_size : (i + 1) * group_size] = block - block.mean()
    return out


def last_block_wanted(rewards: torch.Tensor, uids, group_size: int):
    out = torch.zeros_like(rewards)
    for i in range(len(rewards) // group_size):
        block = rewards[i * group_size : (i + 1) * group_size]  # expect: GRPO003 none: needed outside
        out[i * group_size : (i + 1) * group_size] = block - block.mean()
    return out, block


def two_statements_in_a_line(rewards: torch.Tensor, uids, group_size: int):
    out = torch.zeros_like(rewards); print("centred")
    for i in range(len(rewards) // group_size):
        block = rewards[i * group_size : (i + 1) * group_size]  # expect: GRPO003 none: not made of zeros
        out[i * group_size : (i + 1) * group_size] = block - block.mean()
    return out
