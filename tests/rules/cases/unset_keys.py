"""Groups by an identity that may be None; and identities that are looked at, or cannot be None."""

from collections import defaultdict
from dataclasses import dataclass
from typing import Optional

import torch


@dataclass
class Episode:
    """Its prompt may be unset."""

    reward: float = 0.0
    group_index: int | None = None
    number: int = 0
    weight: float = 1.0


@dataclass
class Attempt:
    """Its prompt may be unset, in another spelling."""

    reward: float
    group_id: Optional[int] = None
    uid: str = ""


@dataclass
class Retry(Attempt):
    """It inherits its identities."""

    number: int = 0


class Answer:
    """It takes its identity from outside."""

    def __init__(self, reward: float, prompt_id=None, group_index: int = 0):
        self.reward = reward
        self.prompt_id = prompt_id
        self.group_index = group_index


def by_attribute(episodes: list[Episode]):
    groups = defaultdict(list)
    for i, episode in enumerate(episodes):
        groups[episode.group_index].append((i, episode.reward))  # expect: GRPO005 unsafe
    advantages = [0.0] * len(episodes)
    for members in groups.values():
        rewards = torch.tensor([reward for _, reward in members])
        for (i, _), value in zip(members, (rewards - rewards.mean()).tolist()):
            advantages[i] = value
    return advantages


def under_a_name(episodes: list[Episode]):
    groups = {}
    for episode in episodes:
        key = episode.group_index
        groups.setdefault(key, []).append(episode.reward)  # expect: GRPO005 unsafe
    means = {key: sum(rewards) / len(rewards) for key, rewards in groups.items()}
    return [episode.reward - means[episode.group_index] for episode in episodes]


def optional(attempts: list[Attempt]):
    groups = defaultdict(list)
    for attempt in attempts:
        groups[attempt.group_id].append(attempt.reward)  # expect: GRPO005 unsafe
    means = {key: sum(rewards) / len(rewards) for key, rewards in groups.items()}
    return [attempt.reward - means[attempt.group_id] for attempt in attempts]


def inherited(retries: list[Retry]):
    groups = defaultdict(list)
    for retry in retries:
        groups[retry.group_id].append(retry.reward)  # expect: GRPO005 unsafe
    means = {key: sum(rewards) / len(rewards) for key, rewards in groups.items()}
    return [retry.reward - means[retry.group_id] for retry in retries]


def set_in_init(answers: list[Answer]):
    groups = defaultdict(list)
    for answer in answers:
        groups[answer.prompt_id].append(answer.reward)  # expect: GRPO005 unsafe
    means = {key: sum(rewards) / len(rewards) for key, rewards in groups.items()}
    return [answer.reward - means[answer.prompt_id] for answer in answers]


def with_a_default(episodes, rewards: list[float]):
    groups = defaultdict(list)
    for episode, reward in zip(episodes, rewards):
        groups[getattr(episode, "group_index", None)].append(reward)  # expect: GRPO005 unsafe
    for own in groups.values():
        values = torch.tensor(own)
        yield values - values.mean()


def of_a_dict(rows, rewards: list[float]):
    groups = defaultdict(list)
    for row, reward in zip(rows, rewards):
        groups[row.get("uid")].append(reward)  # expect: GRPO005 unsafe
    for own in groups.values():
        values = torch.tensor(own)
        yield values - values.mean()


def gathered_beside(episodes: list[Episode]):
    ids = [episode.group_index for episode in episodes]
    rewards = [episode.reward for episode in episodes]
    groups = defaultdict(list)
    for key, reward in zip(ids, rewards):
        groups[key].append(reward)  # expect: GRPO005 unsafe
    for own in groups.values():
        values = torch.tensor(own)
        yield values - values.mean()


def whole_samples(episodes: list[Episode]):
    groups = defaultdict(list)
    for episode in episodes:
        groups[episode.group_index].append(episode)  # expect: GRPO005 unsafe
    for members in groups.values():
        rewards = torch.tensor([member.reward for member in members])
        yield rewards - rewards.mean()


def by_position(episodes: list[Episode]):
    groups = defaultdict(list)
    for i in range(len(episodes)):
        groups[episodes[i].group_index].append(episodes[i].reward)  # expect: GRPO005 unsafe
    for own in groups.values():
        values = torch.tensor(own)
        yield values - values.mean()


# quiet: looked at


def raised(episodes: list[Episode]):
    """An unset identity is an error."""
    groups = defaultdict(list)
    for i, episode in enumerate(episodes):
        if episode.group_index is None:
            raise ValueError(f"episode {i} has no group_index")
        groups[episode.group_index].append(episode.reward)
    means = {key: sum(rewards) / len(rewards) for key, rewards in groups.items()}
    return [episode.reward - means[episode.group_index] for episode in episodes]


def asserted(episodes: list[Episode]):
    """Or fails an assertion, for all at once."""
    assert all(episode.group_index is not None for episode in episodes)
    groups = defaultdict(list)
    for episode in episodes:
        groups[episode.group_index].append(episode.reward)
    means = {key: sum(rewards) / len(rewards) for key, rewards in groups.items()}
    return [episode.reward - means[episode.group_index] for episode in episodes]


def left_out(attempts: list[Attempt]):
    """Samples without one are left out."""
    groups = defaultdict(list)
    for attempt in attempts:
        if attempt.group_id:
            groups[attempt.group_id].append(attempt.reward)
    for own in groups.values():
        values = torch.tensor(own)
        yield values - values.mean()


def filtered(episodes: list[Episode]):
    """Likewise, before the loop."""
    groups = defaultdict(list)
    for episode in [each for each in episodes if each.group_index is not None]:
        groups[episode.group_index].append(episode.reward)
    for own in groups.values():
        values = torch.tensor(own)
        yield values - values.mean()


def with_a_fallback(episodes: list[Episode]):
    """Something else stands in for an identity that is unset."""
    groups = defaultdict(list)
    for i, episode in enumerate(episodes):
        groups[i if episode.group_index is None else episode.group_index].append(episode.reward)
    for own in groups.values():
        values = torch.tensor(own)
        yield values - values.mean()


def with_or(episodes: list[Episode]):
    """Likewise."""
    groups = defaultdict(list)
    for episode in episodes:
        groups[episode.group_index or -1].append(episode.reward)
    for own in groups.values():
        values = torch.tensor(own)
        yield values - values.mean()


def checked_elsewhere(episodes: list[Episode]):
    """A function that is named for it has looked."""
    validate_episodes(episodes)
    groups = defaultdict(list)
    for episode in episodes:
        groups[episode.group_index].append(episode.reward)
    for own in groups.values():
        values = torch.tensor(own)
        yield values - values.mean()


def set_before(episodes: list[Episode], size: int):
    """The function itself sets it."""
    groups = defaultdict(list)
    for i, episode in enumerate(episodes):
        episode.group_index = hash(episode) + i
        groups[episode.group_index].append(episode.reward)
    for own in groups.values():
        values = torch.tensor(own)
        yield values - values.mean()


# quiet: cannot be None, or nobody knows


def declared_without_none(attempts: list[Attempt]):
    """A string that is never None."""
    groups = defaultdict(list)
    for attempt in attempts:
        groups[attempt.uid].append(attempt.reward)
    for own in groups.values():
        values = torch.tensor(own)
        yield values - values.mean()


def declared_in_init(answers: list[Answer]):
    """A parameter that is a number by default."""
    groups = defaultdict(list)
    for answer in answers:
        groups[answer.group_index].append(answer.reward)
    for own in groups.values():
        values = torch.tensor(own)
        yield values - values.mean()


def undeclared(items):
    """Nothing tells what the elements are."""
    groups = defaultdict(list)
    for item in items:
        groups[item.group_index].append(item.reward)
    for own in groups.values():
        values = torch.tensor(own)
        yield values - values.mean()


def another_default(items, rewards: list[float]):
    """A default that is no None."""
    groups = defaultdict(list)
    for item, reward in zip(items, rewards):
        groups[getattr(item, "group_index", 0)].append(reward)
    for own in groups.values():
        values = torch.tensor(own)
        yield values - values.mean()


def several_parts(episodes: list[Episode]):
    """None may be meant as a part of a key."""
    groups = defaultdict(list)
    for episode in episodes:
        groups[episode.group_index, episode.number].append(episode.reward)
    for own in groups.values():
        values = torch.tensor(own)
        yield values - values.mean()


def no_prompts_identity(episodes: list[Episode]):
    """A number that is no prompt's."""
    groups = defaultdict(list)
    for episode in episodes:
        groups[episode.number].append(episode.reward)
    for own in groups.values():
        values = torch.tensor(own)
        yield values - values.mean()


def a_metric(episodes: list[Episode]):
    """Pass rates that are reported."""
    groups = defaultdict(list)
    for episode in episodes:
        groups[episode.group_index].append(episode.reward)
    return {key: sum(rewards) / len(rewards) for key, rewards in groups.items()}


def weights_of_turns(episodes: list[Episode]):
    """Other values than rewards."""
    groups = defaultdict(list)
    for episode in episodes:
        groups[episode.group_index].append(episode.weight)
    return {key: [weight / sum(own) for weight in own] for key, own in groups.items()}
