"""Groups of one sample whose raw reward passes as an advantage; and those that get 0, or nothing."""

from collections import defaultdict

import numpy as np
import torch


def zero_in_a_dict(uids, scores: torch.Tensor):
    by_uid, mean = defaultdict(list), {}
    for i in range(len(scores)):
        by_uid[uids[i]].append(scores[i])
    for uid in by_uid:
        if len(by_uid[uid]) == 1:
            mean[uid] = torch.tensor(0.0)  # expect: GRPO006 none
        else:
            mean[uid] = torch.stack(by_uid[uid]).mean()
    for i in range(len(scores)):
        scores[i] = scores[i] - mean[uids[i]]
    return scores


def zero_beside_a_one(prompts, rewards: list[float]):
    groups = defaultdict(list)
    for prompt, reward in zip(prompts, rewards):
        groups[prompt].append(reward)
    for own in groups.values():
        if len(own) > 1:
            mean, std = np.mean(own), np.std(own)
        else:
            mean, std = 0.0, 1.0  # expect: GRPO006 none
        yield [(reward - mean) / (std + 1e-6) for reward in own]


def a_choice(prompts, rewards: list[float]):
    groups = defaultdict(list)
    for prompt, reward in zip(prompts, rewards):
        groups[prompt].append(reward)
    for own in groups.values():
        values = torch.tensor(own)
        baseline = values.mean() if len(own) >= 2 else 0.0  # expect: GRPO006 none
        yield values - baseline


def a_choice_in_place(uids: torch.Tensor, rewards: torch.Tensor):
    for uid in uids.unique():
        own = rewards[uids == uid]
        rewards[uids == uid] = own - (0 if own.numel() < 2 else own.mean())  # expect: GRPO006 none
    return rewards


def only_others_are_centred(prompts, rewards: list[float]):
    groups = defaultdict(list)
    for prompt, reward in zip(prompts, rewards):
        groups[prompt].append(reward)
    for own in groups.values():
        values = torch.tensor(own)
        if len(own) > 1:
            values = values - values.mean()  # expect: GRPO006 none
        yield values


def only_others_are_centred_by_position(prompts, rewards: torch.Tensor):
    groups = defaultdict(list)
    for i in range(len(rewards)):
        groups[prompts[i]].append(rewards[i])
    means = {prompt: torch.stack(own).mean() for prompt, own in groups.items()}
    for i in range(len(rewards)):
        n = len(groups[prompts[i]])
        if n > 1:
            rewards[i] = rewards[i] * n / (n - 1) - means[prompts[i]] * n / (n - 1)  # expect: GRPO006 none
    return rewards


# quiet


def centred_in_any_case(prompts, rewards: list[float]):
    """Its own mean makes a lone sample's advantage 0; only the scale is left out."""
    groups = defaultdict(list)
    for prompt, reward in zip(prompts, rewards):
        groups[prompt].append(reward)
    for own in groups.values():
        values = torch.tensor(own)
        values = values - values.mean()
        if len(own) > 1:
            values = values / (values.std() + 1e-6)
        yield values


def left_at_zero(prompts, rewards: torch.Tensor):
    """Advantages start from 0, and lone samples keep that."""
    positions, advantages = defaultdict(list), torch.zeros_like(rewards)
    for i, prompt in enumerate(prompts):
        positions[prompt].append(i)
    for at in positions.values():
        if len(at) > 1:
            own = rewards[at]
            advantages[at] = own - own.mean()
    return advantages


def skipped(prompts, rewards: list[float]):
    """Lone samples are left out of the batch."""
    groups = defaultdict(list)
    for prompt, reward in zip(prompts, rewards):
        groups[prompt].append(reward)
    for own in groups.values():
        if len(own) == 1:
            continue
        values = torch.tensor(own)
        yield values - values.mean()


def taken_out_later(uids, rewards: torch.Tensor):
    """A comparison of the counts makes them 0 at the end."""
    by_uid, mean, count = defaultdict(list), {}, torch.zeros_like(rewards)
    for i, uid in enumerate(uids):
        by_uid[uid].append(rewards[i])
    for uid in by_uid:
        if len(by_uid[uid]) == 1:
            mean[uid] = torch.tensor(0.0)
        else:
            mean[uid] = torch.stack(by_uid[uid]).mean()
    centred = [rewards[i] - mean[uid] for i, uid in enumerate(uids)]
    return torch.stack(centred) * (count > 1)


def zero_for_empty_groups(prompts, rewards: list[float]):
    """The mean of no sample has no other value."""
    groups = defaultdict(list)
    for prompt, reward in zip(prompts, rewards):
        groups[prompt].append(reward)
    for own in groups.values():
        mean = sum(own) / len(own) if len(own) > 0 else 0.0
        yield [reward - mean for reward in own]


def a_metric_of_lone_samples(prompts, rewards: list[float]):
    """What is reported is no baseline."""
    groups, spread = defaultdict(list), {}
    for prompt, reward in zip(prompts, rewards):
        groups[prompt].append(reward)
    for prompt, own in groups.items():
        spread[prompt] = 0.0 if len(own) == 1 else float(np.std(own))
    return spread
