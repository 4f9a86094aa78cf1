"""One row for the batch, in its spellings; and rows that are one prompt's own group, which are right."""

import numpy as np
import torch
from samples import Episode


def view_by_own_length(episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    row = rewards.view(-1, rewards.shape[-1])  # expect: GRPO002 safe
    return (row - row.mean(-1, keepdim=True)).flatten()


def view_by_total(episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    total = len(episodes)
    row = rewards.view(-1, total)  # expect: GRPO002 safe
    return (row - row.mean(-1, keepdim=True)).flatten()


def view_one(rewards: torch.Tensor):
    row = rewards.view(1, -1)  # expect: GRPO002 none: no identity
    return (row - row.mean(-1, keepdim=True)).flatten()


def new_axis(episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    row = rewards[None]  # expect: GRPO002 safe
    return (row - row.mean(-1, keepdim=True)).flatten()


def numpy_new_axis(episodes: list[Episode]):
    rewards = np.array([e.reward for e in episodes])
    row = rewards[np.newaxis, :]  # expect: GRPO002 safe
    return (row - row.mean(axis=1, keepdims=True)).ravel()


def unsqueezed(episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    row = rewards.unsqueeze(0)  # expect: GRPO002 safe
    return (row - row.mean(-1, keepdim=True)).squeeze(0)


def with_fallback(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    try:
        grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 safe
    except RuntimeError:
        grid = rewards.view(1, -1)  # expect: GRPO002 safe
    return (grid - grid.mean(-1, keepdim=True)).flatten().tolist()


def as_an_expression(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    whole = rewards.numel() == cfg.group_size * cfg.prompts
    grid = rewards.view(-1, cfg.group_size) if whole else rewards.view(1, -1)  # expect: GRPO001 safe GRPO002 safe
    return (grid - grid.mean(-1, keepdim=True)).flatten().tolist()


def one_prompts_own_group(group: list[Episode]):
    rewards = torch.tensor([e.reward for e in group]).unsqueeze(0)
    return (rewards - rewards.mean(1, keepdim=True)).squeeze(0)


def each_group_in_turn(groups):
    out = []
    for members in groups.values():
        rewards = torch.tensor([m.reward for m in members])[None]
        out.append((rewards - rewards.mean(1, keepdim=True)).flatten())
    return out


def tokens_keep_their_rows(token_rewards: torch.Tensor):
    rows = token_rewards.view(-1, token_rewards.shape[-1])
    return rows - rows.mean(-1, keepdim=True)


def a_row_for_broadcasting(advantages: torch.Tensor, mask: torch.Tensor):
    return advantages.unsqueeze(0) * mask


def a_prompt_at_a_time(prompts, reward_of):
    out = []
    for prompt in prompts:
        rewards = torch.tensor([reward_of(prompt, reward) for reward in prompt.rewards]).unsqueeze(0)
        out.append(rewards - rewards.mean(1, keepdim=True))
    return out


def a_prompt_of_a_dict_at_a_time(by_prompt):
    return {
        prompt_id: _centred(torch.tensor([e.reward for e in episodes])[None])
        for prompt_id, episodes in by_prompt.items()
    }


def _centred(row):
    return row - row.mean(-1, keepdim=True)


def the_prompt_of_a_parameter(prompt, episodes):
    rewards = torch.tensor([e.reward for e in episodes]).view(1, -1)
    return prompt, rewards - rewards.mean(1, keepdim=True)


def counted_by_numel(rewards: torch.Tensor):
    row = rewards.view(-1, rewards.numel())  # expect: GRPO002 none: no identity
    return (row - row.mean(-1, keepdim=True)).flatten()


def of_a_parameter(rewards, prompt_uids):
    row = rewards.unsqueeze(0)  # expect: GRPO002 unsafe
    return prompt_uids, (row - row.mean(-1, keepdim=True)).flatten()


def of_a_parameter_by_its_own_length(rewards: torch.Tensor, prompt_mask):
    row = rewards.view(-1, rewards.shape[-1])  # expect: GRPO002 none: no identity
    return prompt_mask, (row - row.mean(-1, keepdim=True)).flatten()
