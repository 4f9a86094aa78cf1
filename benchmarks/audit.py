"""`grpo-lint audit` over a run of dumps, against no more than reading its files with `torch.load`.

Needs the extra `audit`, and is imported only where it is used.
"""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from commands import ROOT, command
from comparison import Comparison, Target
from rounds import measure

SUBJECT = "grpo-lint audit"
SEVERAL = "grpo-lint audit --jobs 2"
BASELINE = "torch.load of each file"
TARGETS = (Target(BASELINE, 2.0),)
SLOW_ROUNDS = 3  # a turn takes a minute
_DISTINCT = 20  # files; the others are links to them, so that no more is timed of the disk than need be
_TOKENS = (150, 450)  # of a sample, at least and at most
_LOAD = "import sys, torch\nfor path in sys.argv[1:]: torch.load(path, weights_only=False)"


def compare_audit(work: Path, rounds: int, dumps: int = 1_000, samples: int = 1_000) -> Comparison:
    """Time both over the same files, each as a program of its own, one process unless it says otherwise."""
    folder = work / "rollouts"
    paths = [str(path) for path in write_run(folder, dumps, samples)]
    audit = [sys.executable, "-m", "grpo_lint", "audit", "--json", str(folder)]
    candidates = (
        command(audit, ROOT, SUBJECT),
        command([*audit, "--jobs", "2"], ROOT, SEVERAL),
        command([sys.executable, "-c", _LOAD, *paths], ROOT, BASELINE),
    )
    title = f"A run of {dumps:,} dumps of {samples:,} samples, {_TOKENS[0]} to {_TOKENS[1]} tokens each"
    return Comparison(title, measure(candidates, min(rounds, SLOW_ROUNDS)), TARGETS)


def write_run(folder: Path, dumps: int, samples: int) -> Iterator[Path]:
    """Write a run as slime does with `--save-debug-rollout-data`."""
    folder.mkdir(parents=True)
    source = random.Random(0)
    for step in range(dumps):
        path = folder / f"rollout_{step}.pt"
        if step < _DISTINCT:
            torch.save({"rollout_id": step, "samples": list(_samples(samples, source))}, path)
        else:
            os.link(folder / f"rollout_{step % _DISTINCT}.pt", path)
        yield path


def _samples(count: int, source: random.Random) -> Iterator[dict[str, Any]]:
    """Groups of eight, some of them a sample short."""
    group, left = 0, 8
    for at in range(count):
        if not left:
            group, left = group + 1, source.choice((7, 8, 8, 8))
        left -= 1
        length = source.randint(*_TOKENS)
        yield {
            "group_index": group,
            "index": at,
            "rollout_id": at,
            "prompt": f"What is {group} and {group}? " * 10,
            "tokens": [source.randrange(150_000) for _ in range(length)],
            "response": f"It is {2 * group}. " * (length // 4),
            "response_length": length // 2,
            "label": str(2 * group),
            "reward": float(source.random() < 0.4),
            "loss_mask": [1] * (length // 2),
            "status": "completed",
            "metadata": {"source": "sums", "difficulty": group % 5},
        }
