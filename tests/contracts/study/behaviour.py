"""What the project computes, found by running it."""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Protocol

PACKAGE = "tinytrain"

Column = tuple[str, tuple[float, ...]]
Outcome = tuple[Column, ...] | str

SETTINGS: tuple[dict[str, str | bool | int], ...] = (
    {},
    {"std_normalization": False},
    {"std_normalization": False, "n_samples_per_prompt": 2, "rollout_batch_size": 4},
    {"advantage_estimator": "gspo", "reward_key": "length"},
    {"advantage_estimator": "ppo"},
    {"rewards_normalization": False},
)


class Tensor(Protocol):
    """What is used of a column."""

    def tolist(self) -> list[float]: ...


class Manager(Protocol):
    """What is used of the project's manager."""

    def training_batch(self, samples: list[object]) -> dict[str, Tensor]: ...


@dataclass(frozen=True, slots=True)
class Row:
    """One sample of a batch."""

    score: float
    group_index: int | None
    rollout_id: int | None


def batches() -> dict[str, list[Row]]:
    """Batches of prompts that were answered unevenly, evenly, in no order, in several samples per attempt."""
    random = Random(5)
    uneven = _answered((5, 3), random)
    shuffled = _answered((7, 1, 5, 3), random)
    random.shuffle(shuffled)
    even = _answered((4, 4), random)
    return {
        "empty": [],
        "uneven": uneven,
        "uneven and alone": _answered((6, 1, 2, 3), random),
        "shuffled": shuffled,
        "even": even,
        "even, without rollout ids": [Row(row.score, row.group_index, None) for row in even],
        "even, without identities": [Row(row.score, None, None) for row in even],
        "attempts in several samples": _forked((3, 1, 2, 1, 4, 1)),
        "some without identities": [*even[:4], *(Row(row.score, None, None) for row in even[4:])],
        "uneven, without identities": [Row(row.score, None, None) for row in uneven[:7]],
    }


def _answered(sizes: tuple[int, ...], random: Random) -> list[Row]:
    """Groups of these sizes; no id is the position of its sample."""
    groups = [20 + group for group, size in enumerate(sizes) for _ in range(size)]
    return [Row(round(random.random(), 2), group, 100 + position) for position, group in enumerate(groups)]


def _forked(sizes: tuple[int, ...]) -> list[Row]:
    """Two prompts with three attempts each; an attempt has as many samples as its size."""
    return [
        Row((attempt * 0.37) % 1.0, 20 + attempt // 3, 50 + attempt)
        for attempt, size in enumerate(sizes)
        for _ in range(size)
    ]


def outcomes(root: Path) -> tuple[Outcome, ...]:
    """What the trainer gets for each batch under each of the settings, or the error that ends it."""
    try:
        with warnings.catch_warnings(), imported(root) as (manager, samples, settings):
            warnings.simplefilter("ignore")  # such as that of a coroutine that nobody awaits
            return tuple(
                _outcome(manager.RewardManager(settings.Settings(**chosen)), _samples(rows, samples))
                for rows in batches().values()
                for chosen in SETTINGS
            )
    except Exception as error:  # an edited project may fail in any way, and how it does is what is asked
        return (type(error).__name__,)


def _samples(rows: list[Row], samples: ModuleType) -> list[object]:
    return [
        samples.Sample(position, {"score": row.score, "length": float(position % 3)}, row.group_index, row.rollout_id)
        for position, row in enumerate(rows)
    ]


def _outcome(manager: Manager, samples: list[object]) -> Outcome:
    try:
        columns = manager.training_batch(samples)
        return tuple((name, tuple(column.tolist())) for name, column in columns.items())
    except Exception as error:  # as above
        return type(error).__name__


@contextmanager
def imported(root: Path) -> Iterator[tuple[ModuleType, ModuleType, ModuleType]]:
    """The manager, the samples and the settings of the project in this folder, and of no other."""
    _forget()
    sys.path.insert(0, str(root))
    importlib.invalidate_caches()
    try:
        manager, samples, settings = (
            importlib.import_module(f"{PACKAGE}.{name}") for name in ("manager", "samples", "settings")
        )
        if not Path(manager.__file__ or "").is_relative_to(root):
            raise ImportError(f"{manager.__file__} is not below {root}")
        yield manager, samples, settings
    finally:
        sys.path.remove(str(root))
        _forget()


def _forget() -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == PACKAGE]:
        del sys.modules[name]
