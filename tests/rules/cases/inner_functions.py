"""Functions inside functions: what one of them tests says nothing of the others, unless they call it."""

from collections import defaultdict

import torch
from samples import Episode


def build_filters(log):
    def is_worth_keeping(prompt, rewards: torch.Tensor):
        return rewards.numel() > 1 and bool(rewards.std() > 0)

    def keeps_any(prompt, rewards: torch.Tensor):
        return bool(rewards.std() > 0)  # expect: GRPO004 none

    return is_worth_keeping, keeps_any


def build_advantages(episodes: list[Episode]):
    def checked():
        for episode in episodes:
            if episode.group_index is None:
                raise ValueError("no identity")

    def of_checked():
        """The inner function that it calls looks at every identity."""
        checked()
        groups = defaultdict(list)
        for episode in episodes:
            groups[episode.group_index].append(episode.reward)  # expect: GRPO009 none
        means = {key: sum(rewards) / len(rewards) for key, rewards in groups.items()}
        return [episode.reward - means[episode.group_index] for episode in episodes]

    return of_checked


def build_unchecked(episodes: list[Episode]):
    def checked():
        for episode in episodes:
            if episode.group_index is None:
                raise ValueError("no identity")

    def of_unchecked():
        groups = defaultdict(list)
        for episode in episodes:
            groups[episode.group_index].append(episode.reward)  # expect: GRPO005 unsafe GRPO009 none
        means = {key: sum(rewards) / len(rewards) for key, rewards in groups.items()}
        return [episode.reward - means[episode.group_index] for episode in episodes]

    return checked, of_unchecked
