"""What proves that samples tell their prompts: a value of each sample's own, that is read and not called."""

from dataclasses import dataclass
from typing import ClassVar

import torch


@dataclass
class Shared:
    group_index: ClassVar[int] = 0
    reward: float = 0.0


class Method:
    def __init__(self, reward):
        self.reward = reward

    def group_index(self):
        return 0


class Anonymous:
    group_index = lambda self: 0  # noqa: E731

    def __init__(self, reward):
        self.reward = reward


class Nested:
    class group_index:  # noqa: N801
        pass

    def __init__(self, reward):
        self.reward = reward


class Inherited(Method):
    pass


class Property:
    def __init__(self, reward, group):
        self.reward, self.group = reward, group

    @property
    def group_index(self):
        return self.group


class Assigned:
    def __init__(self, reward, group):
        self.reward = reward
        self.group_index = group


def shared_by_all(cfg, episodes: list[Shared]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: nothing proves
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def method(cfg, episodes: list[Method]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: nothing proves
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def anonymous_method(cfg, episodes: list[Anonymous]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: nothing proves
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def nested_class(cfg, episodes: list[Nested]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: nothing proves
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def inherited_method(cfg, episodes: list[Inherited]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: nothing proves
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def called(cfg, tries):
    print([e.group_index() for e in tries])
    rewards = torch.tensor([e.reward for e in tries])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: nothing proves
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def called_on_a_local(cfg, buffer):
    attempts = list(buffer)
    print([e.group_index() for e in attempts])
    rewards = torch.tensor([e.reward for e in attempts])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: nothing proves
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def property_of_each(cfg, episodes: list[Property]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 safe
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def assigned_to_each(cfg, episodes: list[Assigned]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 safe
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def read_elsewhere(cfg, episodes):
    print([e.group_index for e in episodes])
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 safe
    return (grid - grid.mean(-1, keepdim=True)).flatten()
