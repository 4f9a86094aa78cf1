"""One row for the batch, in more of its spellings."""

import numpy as np
import torch
from samples import Episode


def reshape_function(episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    row = torch.reshape(rewards, (1, -1))  # expect: GRPO002 safe
    return (row - row.mean(1, keepdim=True)).flatten()


def unsqueeze_function(episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    row = torch.unsqueeze(rewards, 0)  # expect: GRPO002 safe
    return (row - row.mean(1, keepdim=True)).flatten()


def expanded(episodes: list[Episode]):
    rewards = np.array([e.reward for e in episodes])
    row = np.expand_dims(rewards, axis=0)  # expect: GRPO002 safe
    return (row - row.mean(axis=1, keepdims=True)).ravel()


def new_axis_and_dots(episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    row = rewards[None, ...]  # expect: GRPO002 safe
    return (row - row.mean(1, keepdim=True)).flatten()


def unflattened(episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    row = rewards.unflatten(0, (1, -1))  # expect: GRPO002 safe
    return (row - row.mean(1, keepdim=True)).flatten()


def by_its_length(episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    n = rewards.shape[0]
    row = rewards.reshape(1, n)  # expect: GRPO002 safe
    return (row - row.mean(1, keepdim=True)).flatten()


def by_a_shape_in_a_variable(episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    shape = (1, len(episodes))
    row = rewards.view(shape)  # expect: GRPO002 safe
    return (row - row.mean(1, keepdim=True)).flatten()


def one_by_a_name(episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    rows = 1
    row = rewards.view(rows, -1)  # expect: GRPO002 safe
    return (row - row.mean(1, keepdim=True)).flatten()


def one_prompts_own_row(group: list[Episode]):
    """The names say that it is one prompt's."""
    shape = (1, -1)
    row = torch.tensor([e.reward for e in group]).view(shape)
    return row - row.mean(1, keepdim=True)


def rows_of_a_grid(rewards, group_size):
    """One row of the grid is one group."""
    out = []
    for values in rewards.view(-1, group_size):
        row = values.unsqueeze(0)
        out.append(row.sum(1, keepdim=True))
    return out


def a_column(episodes: list[Episode]):
    """Each sample by itself."""
    rewards = torch.tensor([e.reward for e in episodes])
    shape = (-1, 1)
    column = rewards.view(shape)
    return column - column.mean(1, keepdim=True)


def all_axes(rewards: torch.Tensor, completions):
    """Of more than one axis, the shape in front of which there is a one keeps its rows."""
    grid = rewards.reshape(1, *rewards.shape)
    return completions, grid - grid.mean(-1, keepdim=True)


def row_that_is_not_centred(rewards, weights):
    """A row for a product."""
    return torch.reshape(rewards, (1, -1)) @ weights


def row_that_is_logged(rewards, log):
    """A row whose mean is only looked at."""
    row = torch.unsqueeze(rewards, 0)
    log(row.mean(1, keepdim=True), row.std(1))
    return rewards


def along_the_row_of_ones(rewards, completions):
    """Along the axis of one, each sample is its own mean."""
    row = rewards.unflatten(0, (1, -1))
    return completions, row - row.mean(0, keepdim=True)


def row_of_tokens(token_rewards, completions):
    """The rewards of one completion's tokens."""
    row = np.expand_dims(token_rewards, axis=0)
    return completions, row - row.mean(axis=1, keepdims=True)


def each_members_row(groups):
    """A row for each prompt's members."""
    out = []
    for members in groups:
        row = torch.reshape(torch.tensor([m.reward for m in members]), (1, -1))
        out.append(row - row.mean(1, keepdim=True))
    return out
