"""Reported, and with good reason not repaired."""

import random
from collections.abc import Iterator

import jax.numpy as jnp
import numpy as np
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


def work_in_the_scaling_branch(cfg, episodes: list[Episode], log):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: other work
    grid = grid - grid.mean(1, keepdim=True)
    if cfg.scale:
        log("scaling")
        grid = grid / (grid.std(1, keepdim=True) + 1e-6)
    return grid.flatten()


def nested_list(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: grouped shape
    return (grid - grid.mean(1, keepdim=True)).tolist()


def masked_mean(cfg, episodes: list[Episode], mask):
    rewards = np.array([e.reward for e in episodes])
    grid = rewards.reshape(-1, cfg.group_size)  # expect: GRPO001 none: plain mean
    return (grid - grid.mean(axis=1, keepdims=True, where=mask)).ravel()


def epsilon_of_each_prompt(cfg, episodes: list[Episode], floors):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: to be a number
    grid = grid - grid.mean(1, keepdim=True)
    return (grid / (grid.std(1, keepdim=True) + floors[:, None])).flatten()


def left_by_a_break(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: differs between the ways
    values = grid - grid.mean(1, keepdim=True)
    for attempt in range(3):
        if attempt == cfg.attempt:
            values = values / (values.std(1, keepdim=True) + 1e-6)
            break
    return values.flatten()


def read_in_an_inner_function(cfg, episodes: list[Episode]):
    def shape():
        return grid.shape

    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: also read
    return shape, (grid - grid.mean(1, keepdim=True)).flatten()


def read_after_the_return(cfg, episodes: list[Episode], log):
    grid = None
    try:
        rewards = torch.tensor([e.reward for e in episodes])
        grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: also read
        return (grid - grid.mean(1, keepdim=True)).flatten()
    finally:
        log(grid)


def normalised_twice(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: normalised twice
    mean = grid.mean(1, keepdim=True)
    rewards = ((grid - mean) / (grid.std(1, keepdim=True) + 1e-6)).flatten()
    centred = (grid - mean).flatten()
    return rewards, centred


def deleted_before_the_call(cfg, episodes: list[Episode]):
    raw = [e.reward for e in episodes]
    rewards = torch.tensor(raw)
    del raw
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: handed on or changed
    return (grid - grid.mean(1, keepdim=True)).flatten().tolist()


def list_changed_after_the_loop(cfg, episodes: list[Episode]):
    rewards = [e.reward for e in episodes]
    rewards.append(rewards.pop(0))
    grid = torch.tensor(rewards).view(-1, cfg.group_size)  # expect: GRPO001 none: reordered
    return (grid - grid.mean(1, keepdim=True)).flatten()


def list_changed_by_a_helper(cfg, episodes: list[Episode]):
    rewards = [e.reward for e in episodes]
    _turn(rewards)
    grid = torch.tensor(rewards).view(-1, cfg.group_size)  # expect: GRPO001 none: reordered
    return (grid - grid.mean(1, keepdim=True)).flatten()


def _turn(values):
    values.reverse()


def appended_twice(cfg, episodes: list[Episode]):
    rewards = []
    for episode in episodes:
        rewards.append(episode.reward)
        rewards.append(episode.reward)
    grid = torch.tensor(rewards).view(-1, cfg.group_size)  # expect: GRPO001 none: reordered
    return (grid - grid.mean(1, keepdim=True)).flatten()


def identity_overwritten(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    for position, episode in enumerate(episodes):
        episode.group_index = position
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: changes `episode.group_index`
    return (grid - grid.mean(1, keepdim=True)).flatten()


def changed_under_another_name(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    mine = episodes
    mine.reverse()
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: `mine`, which may hold
    return (grid - grid.mean(1, keepdim=True)).flatten()


def shuffled_at_the_end_of_a_loop(cfg, episodes: list[Episode], out):
    rewards = torch.tensor([e.reward for e in episodes])
    for _ in range(2):
        grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: `episodes` is changed
        values = (grid - grid.mean(1, keepdim=True)).flatten()
        out.append(values)
        random.shuffle(episodes)


def iterated_once(cfg, episodes: Iterator[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: only once
    return (grid - grid.mean(1, keepdim=True)).flatten()


def held_by_somebody_else(cfg, episodes: list[Episode], log):
    rewards = torch.tensor([e.reward for e in episodes])
    log.kept = rewards
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: in place
    grid -= grid.mean(1, keepdim=True)
    return grid.flatten()


def picked_by_position(cfg, rewards, order, uids):
    rewards = torch.tensor([rewards[i] for i in order])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: reordered
    return uids, (grid - grid.mean(1, keepdim=True)).flatten()


def read_in_sorted_order(cfg, episodes, uids):
    rewards = torch.tensor([e.reward for e in sorted(episodes, key=str)])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: reordered
    return uids, (grid - grid.mean(1, keepdim=True)).flatten()


def bound_on_the_way(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, (size := cfg.group_size))  # expect: GRPO001 none: more than compute
    return size, (grid - grid.mean(1, keepdim=True)).flatten()


def for_later(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: inner function
    return lambda: (grid - grid.mean(1, keepdim=True)).flatten()


def handed_to_somebody(cfg, episodes: list[Episode], order_of):
    raw = [e.reward for e in episodes]
    order = order_of(raw)
    grid = torch.tensor(raw).view(-1, cfg.group_size)  # expect: GRPO001 none: handed on or changed
    return order, (grid - grid.mean(1, keepdim=True)).flatten()


def copied_over(cfg, episodes: list[Episode], order):
    rewards = torch.tensor([e.reward for e in episodes])
    rewards.copy_(rewards[order])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none
    return (grid - grid.mean(1, keepdim=True)).flatten()


def permuted_by_a_matrix(cfg, episodes: list[Episode], matrix):
    rewards = torch.tensor([e.reward for e in episodes])
    rewards = matrix @ rewards
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: reordered
    return (grid - grid.mean(1, keepdim=True)).flatten()


def samples_handed_to_somebody(cfg, episodes: list[Episode], balance):
    rewards = torch.tensor([e.reward for e in episodes])
    shards = balance(episodes)
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: `episodes` is changed
    return shards, (grid - grid.mean(1, keepdim=True)).flatten()


def in_an_inner_function(cfg, episodes: list[Episode]):
    def centre(rewards):
        grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none
        return (grid - grid.mean(1, keepdim=True)).flatten()

    return centre(torch.tensor([e.reward for e in episodes]))


def partly_answered_for(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    if len(rewards) == cfg.total:
        grid = rewards.view(-1, cfg.group_size)  # noqa: GRPO001 - a full batch is exact
    else:
        grid = rewards.view(1, -1)  # expect: GRPO002 none: is suppressed
    return (grid - grid.mean(1, keepdim=True)).flatten()


def two_forms_of_one_storage(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: in all its forms
    grid = grid - grid.mean(1, keepdim=True)
    one = grid.flatten()
    one.mul_(2)
    return one, grid.flatten()


def changed_for_the_next_round(cfg, episodes: list[Episode], out):
    rewards = torch.tensor([e.reward for e in episodes])
    size = cfg.group_size
    grid = rewards.view(-1, size)  # expect: GRPO001 none: changes on line
    for _ in range(2):
        values = (grid - grid.mean(1, keepdim=True)).flatten()
        out.append(values)
        size = size * 2


def with_gradients(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes], requires_grad=True)
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: gradients
    return (grid - grid.mean(1, keepdim=True)).flatten()
