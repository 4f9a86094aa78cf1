"""Prompts repeated in one order, and rewards grouped in the other; and those that go together."""

import numpy as np
import torch


def torch_repeat(model, prompt_tokens: torch.Tensor, num_generations: int):
    rewards = model.score(prompt_tokens.repeat(num_generations, 1))  # expect: GRPO007 none
    grid = rewards.view(-1, num_generations)  # expect: GRPO001 none
    return grid - grid.mean(dim=1, keepdim=True)


def torch_repeat_of_one_axis(model, prompt_lengths: torch.Tensor, n_samples: int):
    rewards = model.rewards(prompt_lengths.repeat(n_samples))  # expect: GRPO007 none
    grid = rewards.reshape(-1, n_samples)  # expect: GRPO001 none
    return (grid - grid.mean(dim=1, keepdim=True)).flatten()


def tile(model, batch, num_generations: int):
    rewards = model.rewards(np.tile(batch["prompt_tokens"], (num_generations, 1)))  # expect: GRPO007 none
    grid = rewards.reshape(-1, num_generations)  # expect: GRPO001 none
    return grid - grid.mean(axis=1, keepdims=True)


def a_list_times_n(model, prompts: list[str], group_size: int):
    rewards = torch.tensor(model.rewards(prompts * group_size))  # expect: GRPO007 none
    grid = rewards.view(-1, group_size)  # expect: GRPO001 none
    return grid - grid.mean(dim=1, keepdim=True)


def rounds_in_a_comprehension(model, prompts, group_size: int):
    rewards = model.rewards([prompt for _ in range(group_size) for prompt in prompts])  # expect: GRPO007 none
    grid = rewards.view(-1, group_size)  # expect: GRPO001 none
    return grid - grid.mean(dim=1, keepdim=True)


def neighbours_as_tiles(model, prompt_tokens: torch.Tensor, num_generations: int):
    rewards = model.rewards(prompt_tokens.repeat_interleave(num_generations, dim=0))  # expect: GRPO007 none
    grid = rewards.view(num_generations, -1)  # expect: GRPO001 none
    return grid - grid.mean(dim=0, keepdim=True)


def numpys_repeat_as_tiles(model, prompts, num_generations: int):
    rewards = model.rewards(np.repeat(prompts, num_generations))  # expect: GRPO007 none
    grid = rewards.reshape(num_generations, -1)  # expect: GRPO001 none
    return grid - grid.mean(axis=0, keepdims=True)


def tiles_in_slices(model, prompts: list[str], group_size: int):
    rewards = model.rewards(list(prompts) * group_size)  # expect: GRPO007 none
    for i in range(len(prompts)):
        block = rewards[i * group_size : (i + 1) * group_size]  # expect: GRPO003 none
        yield block - block.mean()


# quiet


def interleaved_and_neighbours(model, prompt_tokens: torch.Tensor, num_generations: int):
    """They go together."""
    rewards = model.rewards(prompt_tokens.repeat_interleave(num_generations, dim=0))
    grid = rewards.view(-1, num_generations)  # expect: GRPO001 none
    return grid - grid.mean(dim=1, keepdim=True)


def numpys_repeat_and_neighbours(model, prompts, num_generations: int):
    """NumPy's `repeat` puts copies next to each other."""
    rewards = model.rewards(np.repeat(prompts, num_generations))
    grid = rewards.reshape(-1, num_generations)  # expect: GRPO001 none
    return grid - grid.mean(axis=1, keepdims=True)


def tiles_and_columns(model, prompts: list[str], group_size: int):
    """So do these."""
    rewards = model.rewards(prompts * group_size)
    grid = rewards.view(group_size, -1)  # expect: GRPO001 none
    return grid - grid.mean(dim=0, keepdim=True)


def an_unknown_repeat(model, prompt_tokens, num_generations: int):
    """A tensor's `repeat` tiles and an array's does not: nothing tells which it is."""
    rewards = model.rewards(prompt_tokens.repeat(num_generations))
    grid = rewards.reshape(-1, num_generations)  # expect: GRPO001 none
    return grid - grid.mean(axis=1, keepdims=True)


def an_arrays_repeat(model, prompts, num_generations: int):
    """An array's, as its making tells."""
    prompt_array = np.array(prompts)
    rewards = model.rewards(prompt_array.repeat(num_generations, 0))
    grid = rewards.reshape(-1, num_generations)  # expect: GRPO001 none
    return grid - grid.mean(axis=1, keepdims=True)


def another_size(model, prompt_tokens: torch.Tensor, num_generations: int, views: int):
    """What is repeated for something else has nothing to do with the groups."""
    rewards = model.rewards(prompt_tokens.repeat(views, 1))
    grid = rewards.view(-1, num_generations)  # expect: GRPO001 none
    return grid - grid.mean(dim=1, keepdim=True)


def another_axis(model, prompt_tokens: torch.Tensor, num_generations: int):
    """Repeated along the tokens, then cut: each prompt in place."""
    rows = prompt_tokens.repeat(1, num_generations).view(-1, prompt_tokens.shape[1])
    grid = model.rewards(rows).view(-1, num_generations)  # expect: GRPO001 none
    return grid - grid.mean(dim=1, keepdim=True)


def one_prompt(model, prompt: str, num_generations: int):
    """Of one prompt there is only one order."""
    rewards = torch.tensor(model.rewards([prompt] * num_generations))
    grid = rewards.view(-1, num_generations)  # expect: GRPO001 none
    return grid - grid.mean(dim=1, keepdim=True)


def both_orders(model, prompts: list[str], prompt_tokens: torch.Tensor, group_size: int):
    """Which of the two the rewards belong to is not known."""
    rewards = model.rewards(prompts * group_size, prompt_tokens.repeat_interleave(group_size, dim=0))
    grid = rewards.view(-1, group_size)  # expect: GRPO001 none
    return grid - grid.mean(dim=1, keepdim=True)


def no_grouping(model, prompt_tokens: torch.Tensor, num_generations: int):
    """Nothing is grouped."""
    rewards = model.rewards(prompt_tokens.repeat(num_generations, 1))
    return rewards.sum()


def masks(mask: torch.Tensor, rewards: torch.Tensor, num_generations: int):
    """What is repeated are no prompts."""
    grid = rewards.view(-1, num_generations)  # expect: GRPO001 none
    return (grid - grid.mean(dim=1, keepdim=True)).flatten() * mask.repeat(num_generations)
