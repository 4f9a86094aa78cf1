"""Sample deviations of groups that may have one sample, and what guards them."""

import statistics
from collections import Counter, defaultdict
from itertools import groupby
from statistics import stdev

import numpy as np
import torch
from samples import Episode


def a_dict_of_lists(prompts, rewards: list[float]):
    groups = defaultdict(list)
    for prompt, reward in zip(prompts, rewards):
        groups[prompt].append(reward)
    out = []
    for members in groups.values():
        own = torch.tensor(members)
        out.append((own - own.mean()) / (own.std() + 1e-6))  # expect: GRPO004 safe
    return torch.cat(out)


def a_dict_by_setdefault(episodes: list[Episode]):
    by_task = {}
    for episode in episodes:
        by_task.setdefault(episode.task, []).append(episode)
    for task, siblings in by_task.items():
        rewards = torch.tensor([episode.reward for episode in siblings])
        spread = torch.std(rewards)  # expect: GRPO004 safe
        for episode in siblings:
            episode.advantage = (episode.reward - rewards.mean()) / (spread + 1e-6)
    return by_task


def statistics_kept_by_key(scores: torch.Tensor, index):
    by_key, mean, std = defaultdict(list), {}, {}
    for i in range(len(scores)):
        by_key[index[i]].append(scores[i])
    for key in by_key:
        stacked = torch.stack(by_key[key])
        mean[key] = stacked.mean()
        std[key] = stacked.std()  # expect: GRPO004 none: is more than a divisor
    for i in range(len(scores)):
        scores[i] = (scores[i] - mean[index[i]]) / (std[index[i]] + 1e-6)
    return scores


def pythons_own(prompts, rewards: list[float]):
    groups = defaultdict(list)
    for prompt, reward in zip(prompts, rewards):
        groups[prompt].append(reward)
    stats = {key: (statistics.mean(own), statistics.stdev(own)) for key, own in groups.items()}  # expect: GRPO004 none: is more than a divisor
    return [(reward - stats[p][0]) / (stats[p][1] + 1e-6) for p, reward in zip(prompts, rewards)]


def numpy_with_ddof(group_ids: np.ndarray, rewards: np.ndarray):
    advantages = np.zeros_like(rewards)
    for group in np.unique(group_ids):
        own = rewards[group_ids == group]
        advantages[group_ids == group] = (own - own.mean()) / (own.std(ddof=1) + 1e-6)  # expect: GRPO004 unsafe
    return advantages


def a_mask(group_ids: torch.Tensor, rewards: torch.Tensor):
    for group in group_ids.unique():
        mask = group_ids == group
        mean, std = rewards[mask].mean(), rewards[mask].std()  # expect: GRPO004 none: not known to be centred
        rewards[mask] = (rewards[mask] - mean) / (std + 1e-6)
    return rewards


def variance(group_ids: torch.Tensor, rewards: torch.Tensor):
    for group in group_ids.unique():
        own = rewards[group_ids == group]
        rewards[group_ids == group] = (own - own.mean()) / torch.sqrt(own.var() + 1e-6)  # expect: GRPO004 none: is more than a divisor
    return rewards


def a_list_by_identity(uids, rewards):
    out = []
    for wanted in set(uids):
        own = torch.tensor([reward for reward, uid in zip(rewards, uids) if uid == wanted])
        out.append((own - own.mean()) / (own.std() + 1e-6))  # expect: GRPO004 safe
    return out


def a_table(frame):
    by_prompt = frame.groupby("prompt")["reward"]
    centred = frame["reward"] - by_prompt.transform("mean")
    return centred / (by_prompt.transform("std") + 1e-6)  # expect: GRPO004 none: the groups of a table are divided all at once


def a_tables_attribute(frame):
    by_prompt = frame.groupby("prompt").reward
    return (frame.reward - by_prompt.transform("mean")) / by_prompt.transform("std")  # expect: GRPO004 none


def positions_of_a_key(uids, rewards: torch.Tensor):
    positions = defaultdict(list)
    for i, uid in enumerate(uids):
        positions[uid].append(i)
    for at in positions.values():
        own = rewards[at]
        rewards[at] = (own - own.mean()) / (own.std() + 1e-6)  # expect: GRPO004 unsafe
    return rewards


def kept_groups(groups_of_rewards, prompts, rewards: list[float]):
    groups, kept = defaultdict(list), []
    for prompt, reward in zip(prompts, rewards):
        groups[prompt].append(reward)
    for prompt, own in groups.items():
        if torch.tensor(own).std() > 0:  # expect: GRPO004 none: for the filter's author to say
            kept.append(prompt)
    return kept


def keep_with_spread(args, episodes: list[Episode]):
    rewards = [episode.reward for episode in episodes]
    return torch.tensor(rewards).std() > 1e-6  # expect: GRPO004 none: for the filter's author to say


def checked_by_a_name(args, episodes: list[Episode]):
    rewards = torch.tensor([episode.reward for episode in episodes])
    keep = 0.0 < rewards.std()  # expect: GRPO004 none: for the filter's author to say
    return keep


def filter_by_pythons_own(prompt: str, rewards: list[float]):
    return stdev(rewards) > 0  # expect: GRPO004 none: for the filter's author to say


def in_a_helper(prompts, rewards: list[float]):
    groups = defaultdict(list)
    for prompt, reward in zip(prompts, rewards):
        groups[prompt].append(reward)
    return [normalised(torch.tensor(own)) for own in groups.values()]


def normalised(values: torch.Tensor):
    return (values - values.mean()) / (values.std() + 1e-6)  # expect: GRPO004 none: the standard deviation is taken in a helper


def in_a_dict_comprehension(uids, rewards):
    groups = {wanted: [r for r, uid in zip(rewards, uids) if uid == wanted] for wanted in set(uids)}
    for members in groups.values():
        own = torch.tensor(members)
        yield (own - own.mean()) / (own.std() + 1e-6)  # expect: GRPO004 safe


def rewards_as_floats(prompts, rewards: torch.Tensor):
    groups = defaultdict(list)
    for prompt, reward in zip(prompts, rewards):
        groups[prompt].append(float(reward))
    own = {prompt: torch.tensor(members) for prompt, members in groups.items()}
    return {prompt: (each - each.mean()) / (each.std() + 1e-6) for prompt, each in own.items()}  # expect: GRPO004 safe


def items_by_position(prompts, rewards: torch.Tensor):
    groups = defaultdict(list)
    for i in range(len(rewards)):
        groups[prompts[i]].append(rewards[i].item())
    out = torch.zeros_like(rewards)
    for i in range(len(rewards)):
        own = torch.tensor(groups[prompts[i]])
        out[i] = (rewards[i] - own.mean()) / (own.std() + 1e-6)  # expect: GRPO004 safe
    return out


# quiet: guards


def a_length_around(prompts, rewards: list[float]):
    """The division is only for groups of two."""
    groups = defaultdict(list)
    for prompt, reward in zip(prompts, rewards):
        groups[prompt].append(reward)
    for members in groups.values():
        own = torch.tensor(members)
        own = own - own.mean()
        if len(members) > 1:
            own = own / (own.std() + 1e-6)
        yield own


def a_length_before(prompts, rewards: list[float]):
    """Smaller groups never get there."""
    groups = defaultdict(list)
    for prompt, reward in zip(prompts, rewards):
        groups[prompt].append(reward)
    for members in groups.values():
        if len(members) < 2:
            continue
        own = torch.tensor(members)
        yield (own - own.mean()) / (own.std() + 1e-6)


def a_length_under_a_name(uids: torch.Tensor, rewards: torch.Tensor):
    """The number of samples has a name."""
    for uid in uids.unique():
        mask = uids == uid
        size = int(mask.sum())
        own = rewards[mask]
        rewards[mask] = (own - own.mean()) / (own.std() + 1e-6) if size >= 2 else own - own.mean()
    return rewards


def a_count_beside(uids, rewards: list[float]):
    """The number of samples is counted elsewhere, by the same key."""
    groups, counts = defaultdict(list), Counter(uids)
    for uid, reward in zip(uids, rewards):
        groups[uid].append(reward)
    for uid, members in groups.items():
        own = torch.tensor(members)
        scale = own.std() if counts[uid] > 1 else 1.0
        yield (own - own.mean()) / (scale + 1e-6)


def an_error(prompts, rewards: list[float]):
    """Small groups are an error."""
    groups = defaultdict(list)
    for prompt, reward in zip(prompts, rewards):
        groups[prompt].append(reward)
    if min(len(members) for members in groups.values()) < 2:
        raise ValueError("every prompt needs two samples")
    for members in groups.values():
        own = torch.tensor(members)
        yield (own - own.mean()) / (own.std() + 1e-6)


def an_assertion(prompts, rewards: list[float]):
    """Or fail an assertion."""
    groups = defaultdict(list)
    for prompt, reward in zip(prompts, rewards):
        groups[prompt].append(reward)
    for members in groups.values():
        own = torch.tensor(members)
        assert own.numel() > 1
        yield (own - own.mean()) / (own.std() + 1e-6)


def a_range_test(prompts, rewards: list[float]):
    """Groups without a difference, hence those of one, are skipped."""
    groups = defaultdict(list)
    for prompt, reward in zip(prompts, rewards):
        groups[prompt].append(reward)
    for members in groups.values():
        own = torch.tensor(members)
        if own.max() - own.min() < 1e-4:
            continue
        yield (own - own.mean()) / own.std()


def population(prompts, rewards: list[float]):
    """The population's deviation of one sample is 0, however that is asked for."""
    groups = defaultdict(list)
    for prompt, reward in zip(prompts, rewards):
        groups[prompt].append(reward)
    for members in groups.values():
        own = torch.tensor(members)
        centred = own - own.mean()
        yield centred / (own.std(unbiased=False) + 1e-6)
        yield centred / (own.std(correction=0) + 1e-6)
        yield centred / (torch.std(own, False) + 1e-6)
        yield centred / (np.std(members) + 1e-6)
        yield centred / (np.std(members, ddof=0) + 1e-6)
        yield centred / (statistics.pstdev(members) + 1e-6)


def replaced_by_nan_to_num(prompts, rewards: list[float]):
    """NaN is taken out afterwards."""
    groups = defaultdict(list)
    for prompt, reward in zip(prompts, rewards):
        groups[prompt].append(reward)
    for members in groups.values():
        own = torch.tensor(members)
        yield torch.nan_to_num((own - own.mean()) / (own.std() + 1e-6))


def chosen_by_where(prompts, rewards: list[float]):
    """Or never chosen."""
    groups = defaultdict(list)
    for prompt, reward in zip(prompts, rewards):
        groups[prompt].append(reward)
    for members in groups.values():
        own = torch.tensor(members)
        std = torch.where(torch.tensor(len(members) > 1), own.std(), torch.tensor(1.0))
        yield (own - own.mean()) / (std + 1e-6)


def filled_in_a_table(frame):
    """pandas' NaN is filled."""
    by_prompt = frame.groupby("prompt")["reward"]
    return (frame["reward"] - by_prompt.transform("mean")) / (by_prompt.transform("std").fillna(0) + 1e-6)


def compared_before_the_division(prompts, rewards: list[float]):
    """NaN is not greater than 0, so nothing is divided by it."""
    groups = defaultdict(list)
    for prompt, reward in zip(prompts, rewards):
        groups[prompt].append(reward)
    for members in groups.values():
        own = torch.tensor(members)
        own = own - own.mean()
        std = own.std()
        if std > 0:
            own = own / std
        yield own


def guarded_in_the_helper(prompts, rewards: list[float]):
    """The helper tests it."""
    groups = defaultdict(list)
    for prompt, reward in zip(prompts, rewards):
        groups[prompt].append(reward)
    return [scaled_if_many(torch.tensor(own)) for own in groups.values()]


def scaled_if_many(values: torch.Tensor):
    centred = values - values.mean()
    return centred / (values.std() + 1e-6) if values.numel() > 1 else centred


# quiet: no spread of a group that decides


def logged(prompts, rewards: list[float], log):
    """A deviation that is reported."""
    groups = defaultdict(list)
    for prompt, reward in zip(prompts, rewards):
        groups[prompt].append(reward)
    for prompt, members in groups.items():
        log(prompt, torch.tensor(members).std())
    return rewards


def other_values_in_a_dict(names, weights):
    """No rewards."""
    layers = defaultdict(list)
    for name, weight in zip(names, weights):
        layers[name].append(weight)
    return [torch.stack(own) / torch.stack(own).std() for own in layers.values()]


def the_batch(rewards: torch.Tensor):
    """A batch of one sample is no group of one."""
    return (rewards - rewards.mean()) / (rewards.std() + 1e-6)


def drops_what_is_constant(args, episodes: list[Episode]):
    """NaN is not smaller than anything: a group of one is kept."""
    rewards = torch.tensor([episode.reward for episode in episodes])
    drop = rewards.std() < 1e-6
    return drop


def keep_if_there_is_more_than_one(args, episodes: list[Episode]):
    """The filter looks at the number first."""
    rewards = torch.tensor([episode.reward for episode in episodes])
    return len(episodes) > 1 and rewards.std() > 1e-6


def keep_by_numpys_own(args, episodes: list[Episode]):
    """NumPy's is the population's: 0 for one sample."""
    return np.std([episode.reward for episode in episodes]) > 0


def asserted_in_a_test(rewards: torch.Tensor):
    """No filter: the name says nothing of one."""
    assert rewards.std() > 0.1
    return rewards


def sorted_runs(episodes: list[Episode]):
    """Runs of `groupby` are not followed."""
    for _, run in groupby(episodes, key=lambda episode: episode.task):
        own = torch.tensor([episode.reward for episode in run])
        yield own / own.std()
