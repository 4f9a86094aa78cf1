"""Correct code that looks like the defects: groups whose sizes and lone samples are taken care of."""

import statistics
from collections import defaultdict

import pandas as pd
import torch


def sizes_of_each_prompt(prompts, rewards: torch.Tensor):
    """Each prompt tells how many samples it has."""
    start, out = 0, []
    for prompt in prompts:
        n = len(prompt.samples)
        group = rewards[start : start + n]
        out.append(group - group.mean())
        start += n
    return torch.cat(out)


def sizes_under_a_groups_name(prompts, rewards: torch.Tensor):
    """The name is that of a size, and the loop gives it anew."""
    start, out = 0, []
    for prompt in prompts:
        group_size = prompt["num_generations"]
        out.append(rewards[start : start + group_size] - rewards[start : start + group_size].mean())
        start = start + group_size
    return torch.cat(out)


def populations_in_pandas(frame: pd.DataFrame):
    """A population deviation of one sample is 0."""
    by_prompt = frame.groupby("prompt_id")["reward"]
    return (frame["reward"] - by_prompt.transform("mean")) / (by_prompt.transform("std", ddof=0) + 1e-6)


def filtered_in_pandas(frame: pd.DataFrame):
    """Groups of one are left out before."""
    frame = frame.groupby("prompt_id").filter(lambda group: len(group) > 1)
    by_prompt = frame.groupby("prompt_id")["reward"]
    return (frame["reward"] - by_prompt.transform("mean")) / (by_prompt.transform("std") + 1e-6)


def counted_in_pandas(frame: pd.DataFrame):
    """So they are by their count."""
    frame = frame[frame.groupby("prompt_id")["reward"].transform("count") > 1]
    by_prompt = frame.groupby("prompt_id")["reward"]
    return (frame["reward"] - by_prompt.transform("mean")) / (by_prompt.transform("std") + 1e-6)


def an_error_that_is_caught(prompts, rewards: list[float]):
    """One sample raises, and that is seen to."""
    groups = defaultdict(list)
    for prompt, reward in zip(prompts, rewards):
        groups[prompt].append(reward)
    out = []
    for prompt, reward in zip(prompts, rewards):
        try:
            scale = statistics.stdev(groups[prompt])
        except statistics.StatisticsError:
            scale = 1.0
        out.append((reward - statistics.mean(groups[prompt])) / scale)
    return out


def none_among_the_keys(samples):
    """No key is None."""
    keys = [sample.get("uid") for sample in samples]
    if None in keys:
        raise ValueError("a sample has no uid")
    groups = defaultdict(list)
    for key, sample in zip(keys, samples):
        groups[key].append(sample["reward"])
    means = {key: sum(rewards) / len(rewards) for key, rewards in groups.items()}
    return [sample["reward"] - means[key] for key, sample in zip(keys, samples)]


def all_keys_are_set(samples):
    """Likewise."""
    uids = [sample.get("uid") for sample in samples]
    if not all(uids):
        raise ValueError("a sample has no uid")
    groups = defaultdict(list)
    for uid, sample in zip(uids, samples):
        groups[uid].append(sample["reward"])
    means = {uid: sum(rewards) / len(rewards) for uid, rewards in groups.items()}
    return [sample["reward"] - means[uid] for uid, sample in zip(uids, samples)]


def none_taken_out(samples):
    """The group of samples without a key is dropped."""
    groups = defaultdict(list)
    for sample in samples:
        groups[sample.get("uid")].append(sample["reward"])
    groups.pop(None, None)
    means = {key: sum(rewards) / len(rewards) for key, rewards in groups.items()}
    return {key: [reward - means[key] for reward in rewards] for key, rewards in groups.items()}


def tiles_transposed(model, prompt_ids: torch.Tensor, group_size: int):
    """All prompts, then all again: the samples of one stand in a column, which becomes a row."""
    rewards = model.rewards(prompt_ids.repeat(group_size, 1))
    grid = rewards.view(group_size, -1).T  # expect: GRPO001 none
    return grid - grid.mean(dim=1, keepdim=True)


def grpo_advantages_for_prompt(rewards: torch.Tensor, num_generations: int):
    """One prompt's rewards, as the name says."""
    return (rewards - rewards.mean()) / (rewards.std() + 1e-6)


def grpo_advantages(rewards: torch.Tensor, num_generations: int):
    """One prompt's rewards, as the assertion says."""
    assert len(rewards) == num_generations
    return (rewards - rewards.mean()) / (rewards.std() + 1e-6)


def lone_samples_left_out(prompts, rewards: list[float]):
    """Where the mean of one is 0, nothing is centred on it."""
    groups = defaultdict(list)
    for prompt, reward in zip(prompts, rewards):
        groups[prompt].append(reward)
    means = {}
    for prompt, own in groups.items():
        means[prompt] = 0.0 if len(own) == 1 else sum(own) / len(own)
    return [r - means[p] for p, r in zip(prompts, rewards) if len(groups[p]) > 1]


def lone_samples_zeroed(prompts, rewards: list[float]):
    """Likewise."""
    groups = defaultdict(list)
    for prompt, reward in zip(prompts, rewards):
        groups[prompt].append(reward)
    means = {}
    for prompt, own in groups.items():
        means[prompt] = 0.0 if len(own) == 1 else sum(own) / len(own)
    return [0.0 if len(groups[p]) == 1 else r - means[p] for p, r in zip(prompts, rewards)]
