"""Times `normalize_rewards_by_group` against a loop over the groups and against the plain reshape.

    python benchmarks/reference.py [--repetitions 15] [--samples 4096 65536] [--threads 1]

The candidates take turns within each repetition, so that a change of the machine's load meets them all. The batch is
the uniform one, since the reshape is right on no other. One thread, unless told otherwise: on a busy machine the
wait for a second one outlasts the work.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial

import torch

from grpo_lint.reference import normalize_rewards_by_group

GROUP_SIZE = 8
EPS = 1e-6


def as_reference(rewards: list[float] | torch.Tensor, groups: list[int], rollouts: list[int] | None = None) -> object:
    return normalize_rewards_by_group(rewards, groups, rollouts, normalize_std=True, eps=EPS)


def as_loop(rewards: list[float] | torch.Tensor, groups: list[int]) -> object:
    values = torch.as_tensor(rewards, dtype=torch.float32)
    positions = defaultdict(list)
    for position, group in enumerate(groups):
        positions[group].append(position)
    advantages = torch.empty_like(values)
    for members in positions.values():
        centred = values[members] - values[members].mean()
        advantages[members] = centred / (centred.std() + EPS)
    return advantages.tolist() if isinstance(rewards, list) else advantages


def as_reshape(rewards: list[float] | torch.Tensor) -> object:
    rows = torch.as_tensor(rewards, dtype=torch.float32).reshape(-1, GROUP_SIZE)
    centred = rows - rows.mean(dim=-1, keepdim=True)
    advantages = (centred / (centred.std(dim=-1, keepdim=True) + EPS)).flatten()
    return advantages.tolist() if isinstance(rewards, list) else advantages


def candidates(samples: int, is_list: bool) -> dict[str, Callable[[], object]]:
    rewards = torch.rand(samples, generator=torch.Generator().manual_seed(0))
    given: list[float] | torch.Tensor = rewards.tolist() if is_list else rewards
    groups = [position // GROUP_SIZE for position in range(samples)]
    return {
        "reference": partial(as_reference, given, groups),
        "reference, rollout ids": partial(as_reference, given, groups, list(range(samples))),
        "loop over groups": partial(as_loop, given, groups),
        "plain reshape": partial(as_reshape, given),
    }


def medians(calls: dict[str, Callable[[], object]], repetitions: int) -> dict[str, float]:
    """Give each call's median time in milliseconds."""
    times = defaultdict(list)
    for repetition in range(repetitions + 1):
        for name, call in calls.items():
            start = time.perf_counter()
            call()
            if repetition:  # the first is a warm-up
                times[name].append((time.perf_counter() - start) * 1e3)
    return {name: statistics.median(values) for name, values in times.items()}


def report(samples: int, is_list: bool, repetitions: int) -> None:
    measured = medians(candidates(samples, is_list), repetitions)
    reference = measured["reference"]
    print(f"\n{samples:,} samples in groups of {GROUP_SIZE}, {'list' if is_list else 'tensor'}")
    for name, milliseconds in measured.items():
        print(f"  {name:<24}{milliseconds:>10.2f} ms {milliseconds / reference:>8.2f} x reference")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repetitions", type=int, default=15)
    parser.add_argument("--samples", type=int, nargs="+", default=[4_096, 65_536])
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args(arguments)
    torch.set_num_threads(options.threads)
    print(f"torch {torch.__version__}, {torch.get_num_threads()} thread(s), median of {options.repetitions}")
    for samples in options.samples:
        for is_list in (True, False):
            report(samples, is_list, options.repetitions)


if __name__ == "__main__":
    main()
