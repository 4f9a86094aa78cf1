"""Groups that are blocks of consecutive rewards, in their spellings; and blocks that are something else."""

import itertools
from collections import defaultdict
from itertools import batched

import numpy as np
import torch
from samples import Episode


def multiples(rewards: torch.Tensor, group_size: int):
    out = torch.zeros_like(rewards)
    for i in range(len(rewards) // group_size):
        block = rewards[i * group_size : (i + 1) * group_size]  # expect: GRPO003 none
        out[i * group_size : (i + 1) * group_size] = (block - block.mean()) / (block.std() + 1e-6)
    return out


def steps(rewards: torch.Tensor, num_generations: int):
    out = []
    for start in range(0, len(rewards), num_generations):
        block = rewards[start : start + num_generations]  # expect: GRPO003 none
        out.append(block - block.mean())
    return torch.cat(out)


def named_ends(rewards, args):
    n = args.n_samples_per_prompt
    advantages = []
    for prompt in range(args.prompts):
        start = prompt * n
        end = start + n
        siblings = rewards[start:end]  # expect: GRPO003 none
        baseline = sum(siblings) / len(siblings)
        advantages += [reward - baseline for reward in siblings]
    return advantages


def a_slice_object(rewards: torch.Tensor, group_size: int):
    for i in range(0, rewards.size(0) // group_size):
        at = slice(i * group_size, (i + 1) * group_size)
        rewards[at] = rewards[at] - rewards[at].mean()  # expect: GRPO003 none
    return rewards


def means_kept_beside(rewards: torch.Tensor, group_size: int):
    means = torch.zeros_like(rewards)
    for i in range(len(rewards) // group_size):
        means[i * group_size : (i + 1) * group_size] = rewards[  # expect: GRPO003 none
            i * group_size : (i + 1) * group_size
        ].mean()
    return rewards - means


def in_a_comprehension(rewards: np.ndarray, group_size: int):
    blocks = [rewards[i : i + group_size] for i in range(0, len(rewards), group_size)]  # expect: GRPO003 none
    return np.concatenate([(block - block.mean()) / (block.std() + 1e-6) for block in blocks])


def a_running_start(rewards, group_size):
    start, out = 0, []
    while start < len(rewards):
        group = rewards[start : start + group_size]  # expect: GRPO003 none
        mean = np.mean(group)
        out.extend(reward - mean for reward in group)
        start += group_size
    return out


def split(rewards: torch.Tensor, group_size: int):
    return torch.cat([part - part.mean() for part in rewards.split(group_size)])  # expect: GRPO003 none


def split_as_a_function(rewards: torch.Tensor, group_size: int):
    parts = torch.split(rewards, group_size)  # expect: GRPO003 none
    return [(part - part.mean()) / (part.std(unbiased=False) + 1e-6) for part in parts]


def chunk(rewards: torch.Tensor, group_size: int):
    out = []
    for part in torch.chunk(rewards, len(rewards) // group_size):  # expect: GRPO003 none
        out.append(part - part.mean())
    return torch.cat(out)


def array_split(rewards: np.ndarray, group_size: int):
    count = len(rewards) // group_size
    return np.concatenate([part - part.mean() for part in np.array_split(rewards, count)])  # expect: GRPO003 none


def batches(rewards: list[float], group_size: int):
    out = []
    for part in batched(rewards, group_size):  # expect: GRPO003 none
        mean = sum(part) / len(part)
        out += [reward - mean for reward in part]
    return out


def batches_with_positions(rewards: list[float], group_size: int):
    out = []
    for number, part in enumerate(itertools.batched(rewards, group_size)):  # expect: GRPO003 none
        baseline = np.mean(part)
        out += [(number, reward - baseline) for reward in part]
    return out


def quotients_as_keys(rewards: list[float], group_size: int):
    groups = defaultdict(list)
    for i, reward in enumerate(rewards):
        groups[i // group_size].append(reward)  # expect: GRPO003 none
    means = {key: sum(values) / len(values) for key, values in groups.items()}
    return [reward - means[i // group_size] for i, reward in enumerate(rewards)]


def quotients_in_a_mask(rewards: torch.Tensor, group_size: int):
    ids = torch.arange(len(rewards)) // group_size  # expect: GRPO003 none
    for i in range(len(rewards) // group_size):
        rewards[ids == i] -= rewards[ids == i].mean()
    return rewards


def kept_by_their_spread(rewards: torch.Tensor, group_size: int):
    kept = []
    for i in range(0, len(rewards), group_size):
        if rewards[i : i + group_size].std(unbiased=False) > 0:  # expect: GRPO003 none
            kept.append(i)
    return kept


def with_an_unknown_name(prompts: list[str], rewards: torch.Tensor, num_pre_q: int):
    """Multiples of a constant per prompt, in code about prompts."""
    for i, _ in enumerate(prompts):
        own = rewards[i * num_pre_q : (i + 1) * num_pre_q]  # expect: GRPO003 none
        own -= own.mean()
    return rewards


def ends_in_a_tuple(rewards: torch.Tensor, group_size: int):
    for i in range(rewards.shape[0] // group_size):
        start, end = i * group_size, (i + 1) * group_size
        rewards[start:end] = torch.sub(rewards[start:end], torch.mean(rewards[start:end]))  # expect: GRPO003 none
    return rewards


def as_many_as_prompts(prompts: list[str], rewards: np.ndarray):
    parts = np.array_split(rewards, len(prompts))  # expect: GRPO003 none
    return np.concatenate([part - part.mean() for part in parts])


def stacked(rewards: torch.Tensor, group_size: int):
    grid = torch.stack(rewards.split(group_size))  # expect: GRPO003 none
    return (grid - grid.mean(dim=1, keepdim=True)).flatten()


# quiet


def minibatches(advantages: torch.Tensor, mini_batch_size: int):
    """What is normalised for each step of the optimiser are its minibatches."""
    out = []
    for start in range(0, len(advantages), mini_batch_size):
        part = advantages[start : start + mini_batch_size]
        out.append((part - part.mean()) / (part.std() + 1e-8))
    return out


def unknown_steps(advantages: torch.Tensor, stretch: int):
    """A step whose name tells nothing."""
    return [part - part.mean() for part in advantages.split(stretch)]


def pairs(rewards: torch.Tensor):
    """Two in a row are a preference pair."""
    for i in range(len(rewards) // 2):
        pair = rewards[i * 2 : (i + 1) * 2]
        pair -= pair.mean()
    return rewards


def halves(rewards: torch.Tensor, group_size: int):
    """Chosen and rejected, one after the other."""
    chosen, rejected = rewards.split(len(rewards) // 2)
    return chosen - chosen.mean(), rejected - rejected.mean(), group_size


def shards(rewards: np.ndarray, num_workers: int):
    """As many parts as there are workers."""
    return [part - part.mean() for part in np.array_split(rewards, num_workers)]


def by_lengths(rewards: torch.Tensor, group_sizes: list[int]):
    """Blocks as long as their own prompt's count."""
    return [part - part.mean() for part in rewards.split(group_sizes)]


def by_offsets(rewards: torch.Tensor, counts: list[int]):
    """Likewise, by hand."""
    start, out = 0, []
    for count in counts:
        block = rewards[start : start + count]
        out.append(block - block.mean())
        start += count
    return torch.cat(out)


def sliding_windows(rewards: torch.Tensor, group_size: int):
    """Windows that overlap are a smoothing."""
    return [rewards[i : i + group_size] - rewards[i : i + group_size].mean() for i in range(len(rewards))]


def a_part_for_each_rank(rewards: torch.Tensor, rank: int, group_size: int):
    """One block, not one for each group."""
    first = rewards[:group_size]
    return first - first.mean(), rank


def logged(rewards: torch.Tensor, group_size: int, log):
    """A statistic that never meets the values again."""
    for i in range(0, len(rewards), group_size):
        log({"mean": rewards[i : i + group_size].mean()})
    return rewards


def forwarded(prompts, rewards: torch.Tensor, group_size: int, model):
    """Blocks of work, without a statistic."""
    return [model(prompts, rewards[i : i + group_size]) for i in range(0, len(rewards), group_size)]


def other_values(hidden: torch.Tensor, group_size: int):
    """Quantisation by blocks."""
    out = []
    for i in range(0, len(hidden), group_size):
        block = hidden[i : i + group_size]
        out.append((block - block.mean()) / block.std())
    return out


def another_axis(rewards: torch.Tensor, group_size: int):
    """The statistic runs along time, within each sample."""
    for i in range(len(rewards) // group_size):
        block = rewards[i * group_size : (i + 1) * group_size]
        rewards[i * group_size : (i + 1) * group_size] = block - block.mean(dim=1, keepdim=True)
    return rewards


def of_other_samples(rewards: torch.Tensor, old: torch.Tensor, group_size: int):
    """The baseline is a statistic of other values."""
    for i in range(len(rewards) // group_size):
        rewards[i * group_size : (i + 1) * group_size] -= old[i * group_size : (i + 1) * group_size].mean()
    return rewards


def keyed_by_a_quotient_for_a_metric(episodes: list[Episode], group_size: int):
    """Pass rates by position, which are reported."""
    groups = defaultdict(list)
    for i, episode in enumerate(episodes):
        groups[i // group_size].append(episode.reward)
    return {key: sum(values) / len(values) for key, values in groups.items()}


def keyed_by_a_quotient_of_something_else(rewards: list[float], positions: list[int], width: int):
    """A quotient by a width is a row of a picture."""
    rows = defaultdict(list)
    for position, reward in zip(positions, rewards):
        rows[position // width].append(reward)
    means = {key: sum(values) / len(values) for key, values in rows.items()}
    return [reward - means[position // width] for position, reward in zip(positions, rewards)]


def best_of_each_block(rewards: torch.Tensor, group_size: int):
    """A choice, no baseline."""
    return [rewards[i : i + group_size].argmax() for i in range(0, len(rewards), group_size)]


def every_nth(rewards: torch.Tensor, group_size: int):
    """No block: one of each in turn."""
    return [rewards[i::group_size] - rewards[i::group_size].mean() for i in range(group_size)]


def longer_than_the_step(rewards: torch.Tensor, group_size: int):
    """Blocks that overlap."""
    out = []
    for start in range(0, len(rewards), group_size):
        part = rewards[start : start + 2 * group_size]
        out.append(part - part.mean())
    return out


def of_another_kind(advantages: torch.Tensor, horizon: int):
    """Stretches of time."""
    out = []
    for start in range(0, len(advantages), horizon):
        part = advantages[start : start + horizon]
        out.append((part - part.mean()) / (part.std() + 1e-8))
    return out


def by_the_samples_own_counts(rewards: torch.Tensor, counts: list[int], group_size: int):
    """Starts and ends that were added up from the counts."""
    ends = np.cumsum(counts)
    for i in range(len(counts)):
        part = rewards[ends[i] - counts[i] : ends[i]]
        part -= part.mean()
    return rewards, group_size


def an_unknown_quotient(rewards: list[float], group_size: int, keys: list[int]):
    """What is divided is no position."""
    groups = defaultdict(list)
    for key, reward in zip(keys, rewards):
        groups[key // group_size].append(reward)
    means = {key: sum(values) / len(values) for key, values in groups.items()}
    return [reward - means[key // group_size] for key, reward in zip(keys, rewards)]


def counted_by_their_spread(rewards: torch.Tensor, group_size: int, log):
    """How many blocks have no spread is a metric."""
    flat = 0
    for i in range(0, len(rewards), group_size):
        if rewards[i : i + group_size].std(unbiased=False) == 0:
            flat += 1
    log("flat", flat, sum(1 for part in rewards.split(group_size) if part.std(unbiased=False) == 0))
    return rewards
