"""Groups in which every sample of an attempt counts; and those that look at attempts, or have none."""

from collections import defaultdict
from dataclasses import dataclass

import torch
from samples import Episode


@dataclass
class Answer:
    """It does not tell its attempt."""

    reward: float
    group_index: int


def mean_of_samples(episodes: list[Episode]):
    groups = defaultdict(list)
    for episode in episodes:
        assert episode.group_index is not None
        groups[episode.group_index].append(episode.reward)  # expect: GRPO009 none
    means = {key: sum(rewards) / len(rewards) for key, rewards in groups.items()}
    return [episode.reward - means[episode.group_index] for episode in episodes]


def with_positions(episodes: list[Episode]):
    groups, advantages = defaultdict(list), [0.0] * len(episodes)
    for i, episode in enumerate(episodes):
        if episode.group_index is None:
            raise ValueError(f"episode {i} has no group_index")
        groups[episode.group_index].append((i, episode.reward))  # expect: GRPO009 none
    for members in groups.values():
        rewards = torch.tensor([reward for _, reward in members])
        for (i, _), value in zip(members, (rewards - rewards.mean()).tolist()):
            advantages[i] = value
    return advantages


def whole_samples(episodes: list[Episode]):
    groups = {}
    for episode in episodes:
        key = episode.group_index
        if key is None:
            continue
        groups.setdefault(key, []).append(episode)  # expect: GRPO009 none
    for members in groups.values():
        rewards = torch.tensor([member.reward for member in members])
        yield rewards - rewards.mean()


def unchecked_too(episodes: list[Episode]):
    groups = defaultdict(list)
    for episode in episodes:
        groups[episode.group_index].append(episode.reward)  # expect: GRPO005 unsafe GRPO009 none
    means = {key: sum(rewards) / len(rewards) for key, rewards in groups.items()}
    return [episode.reward - means[episode.group_index] for episode in episodes]


# quiet


def one_of_each_attempt(episodes: list[Episode]):
    """Each attempt counts once."""
    groups = defaultdict(dict)
    for episode in episodes:
        assert episode.group_index is not None
        groups[episode.group_index][episode.rollout_id] = episode.reward
    means = {key: sum(attempts.values()) / len(attempts) for key, attempts in groups.items()}
    return [episode.reward - means[episode.group_index] for episode in episodes]


def only_first_samples(episodes: list[Episode]):
    """Samples of an attempt that was seen are left out."""
    seen, groups = set(), defaultdict(list)
    for episode in episodes:
        assert episode.group_index is not None
        if (episode.group_index, episode.rollout_id) not in seen:
            seen.add((episode.group_index, episode.rollout_id))
            groups[episode.group_index].append(episode.reward)
    means = {key: sum(rewards) / len(rewards) for key, rewards in groups.items()}
    return [episode.reward - means[episode.group_index] for episode in episodes]


def no_attempts(answers: list[Answer]):
    """Each sample is its own attempt."""
    groups = defaultdict(list)
    for answer in answers:
        groups[answer.group_index].append(answer.reward)
    means = {key: sum(rewards) / len(rewards) for key, rewards in groups.items()}
    return [answer.reward - means[answer.group_index] for answer in answers]


def unknown_samples(items):
    """Nothing tells what the samples have."""
    groups = defaultdict(list)
    for item in items:
        groups[item.group_index].append(item.reward)
    means = {key: sum(rewards) / len(rewards) for key, rewards in groups.items()}
    return [item.reward - means[item.group_index] for item in items]


def a_metric(episodes: list[Episode]):
    """A mean that is reported."""
    groups = defaultdict(list)
    for episode in episodes:
        assert episode.group_index is not None
        groups[episode.group_index].append(episode.reward)
    return {key: sum(rewards) / len(rewards) for key, rewards in groups.items()}
