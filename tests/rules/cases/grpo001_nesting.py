"""Functions below conditions and inside others, second names, and names that only one way binds."""

import sys

import torch
from samples import Episode

if sys.version_info >= (3, 11):

    def _grouped(values, size):
        return values.view(-1, size)  # expect: GRPO001 none: not grouped in the function

if torch.cuda.is_available():

    def _folded(values, size):
        return values.view(-1, size)

else:

    def _folded(values, size):
        return values.to_folds(size)


def helper_under_a_condition(rewards, num_generations):
    grid = _grouped(rewards, num_generations)
    return (grid - grid.mean(dim=1, keepdim=True)).flatten()


def helper_defined_below(num_generations):
    def advantages(rewards):
        return _centred(rewards.view(-1, num_generations)).flatten()  # expect: GRPO001 none

    def _centred(grid):
        return grid - grid.mean(dim=1, keepdim=True)

    return advantages


def bound_on_one_way(cfg, episodes: list[Episode]):
    if cfg.is_training:
        size = len(episodes) // len(cfg.prompts)
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(len(cfg.prompts), size)  # expect: GRPO001 none: does not name the group size
    return (grid - grid.mean(dim=1, keepdim=True)).flatten()


def means_of_one_way(rewards, num_generations):
    if num_generations > 1:
        means = rewards.view(-1, num_generations).mean(dim=1)  # expect: GRPO001 none: no identity
    return [reward - means[i // num_generations] for i, reward in enumerate(rewards)]


def named_in_an_expression(samples, num_generations):
    print(len(rewards := []))
    for sample in samples:
        value = sample.score
        rewards.append(value)
        rewards.sort()
    grid = torch.tensor(rewards).view(-1, num_generations)  # expect: GRPO001 none: reordered
    return (grid - grid.mean(dim=1, keepdim=True)).flatten()


def several_under_one_condition(rewards, num_generations):
    """Which of the helpers is there, is not known."""
    grid = _folded(rewards, num_generations)
    return (grid - grid.mean(dim=1, keepdim=True)).flatten()


def spread_under_a_second_name(rewards, num_generations):
    """Centred values that are only squared, under whatever name."""
    grid = rewards.view(-1, num_generations)
    deviation = grid - grid.mean(dim=1, keepdim=True)
    same = deviation
    return (same**2).mean()


def one_prompt_at_a_time(torch_rewards):
    """A row of one prompt, as the parameter of the inner function tells."""

    def of_prompt(prompt, episodes):
        rewards = torch.tensor([e.reward for e in episodes]).view(1, -1)
        return prompt, rewards - rewards.mean(dim=1, keepdim=True)

    return [of_prompt(*each) for each in torch_rewards]
