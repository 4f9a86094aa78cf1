"""GRPO on the mean of the whole batch; and batch statistics that are meant, or are one group's own."""

import numpy as np
import torch


def centred(rewards: torch.Tensor, group_ids: torch.Tensor):
    return rewards - rewards.mean()  # expect: GRPO008 none


def scaled_too(scores: torch.Tensor, num_generations: int):
    baseline = scores.mean()
    return (scores - baseline) / (scores.std() + 1e-6), num_generations  # expect: GRPO008 none


def on_a_list(rewards: list[float], uids):
    mean = sum(rewards) / len(rewards)
    return [reward - mean for reward in rewards], uids  # expect: GRPO008 none


def in_place(rewards: np.ndarray, prompt_ids: np.ndarray):
    rewards -= np.mean(rewards)  # expect: GRPO008 none
    return rewards, prompt_ids


# quiet


def nothing_tells_the_groups(rewards: torch.Tensor):
    """There may be one prompt only."""
    return rewards - rewards.mean()


def one_group(group_rewards: torch.Tensor, group_size: int):
    """One prompt's own, by its name."""
    return group_rewards - group_rewards.mean(), group_size


def for_one_prompt(prompt: str, rewards: torch.Tensor, num_generations: int):
    """Or by the prompt beside it."""
    return rewards - rewards.mean(), prompt, num_generations


def an_option(rewards: torch.Tensor, group_ids: torch.Tensor, level: str):
    """One branch of several."""
    if level == "batch":
        return rewards - rewards.mean()
    return by_group(rewards, group_ids)


def whiten_rewards(rewards: torch.Tensor, group_ids: torch.Tensor):
    """What is asked for by name."""
    return (rewards - rewards.mean()) / (rewards.std() + 1e-8), group_ids


def normalised_after_centring(advantages: torch.Tensor, group_ids: torch.Tensor):
    """Advantages were centred before."""
    return (advantages - advantages.mean()) / (advantages.std() + 1e-8), group_ids


def after_the_groups_own(rewards: torch.Tensor, num_generations: int):
    """The group's mean comes first."""
    grid = rewards.view(-1, num_generations)  # expect: GRPO001 none
    centred_rewards = (grid - grid.mean(dim=1, keepdim=True)).flatten()
    return centred_rewards / (centred_rewards.std() + 1e-6)


def only_scaled(rewards: torch.Tensor, group_ids: torch.Tensor):
    """A scale is no baseline."""
    return rewards / (rewards.std() + 1e-6), group_ids


def logged(rewards: torch.Tensor, group_ids: torch.Tensor, log):
    """Nor is what is logged."""
    log(rewards.mean())
    return rewards, group_ids


def spread_as_a_metric(rewards: torch.Tensor, group_ids: torch.Tensor):
    """Nor what is only squared."""
    deviation = rewards - rewards.mean()
    return (deviation**2).mean(), group_ids


def other_values(lengths: torch.Tensor, group_ids: torch.Tensor):
    """Nor other values."""
    return lengths - lengths.mean(), group_ids
