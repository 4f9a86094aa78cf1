"""What is read from a dump and what is said of it: plain, frozen, picklable values that need neither torch nor pyarrow."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

__all__ = ["Damage", "Dump", "Settings", "Skipped"]


@dataclass(frozen=True, slots=True)
class Settings:
    """What the command line says of how the rewards were normalised and where they stand in a dump.

    None means: take it from the dump itself. `n_samples_per_prompt` and `rollout_batch_size` (in prompts) decide, as in
    slime, whether a batch is reshaped to groups or made one row; `eps` is added to the standard deviation.
    """

    format: str | None = None
    group_by: str | None = None
    reward_key: str | None = None
    n_samples_per_prompt: int | None = None
    rollout_batch_size: int | None = None
    normalize_std: bool = True
    eps: float = 1e-6
    leave_one_out: bool = False
    per_rollout: bool = False
    solved_above: float = 0.0


@dataclass(frozen=True, slots=True)
class Dump:
    """The N samples of one rollout batch, in the order in which training saw them.

    `groups`, `rewards`, and where present `attempts` (the id of the rollout that a sample belongs to, None for a sample
    that is an attempt of its own) and `advantages` (those trained on) are each N long. A group None has no identity.
    `step` is the training step, where the dump or its name tells it. `name` is the path as it was found, with
    `#STEP` behind it where one file holds several batches.
    """

    name: str
    step: int | None
    groups: tuple[Hashable, ...]
    rewards: tuple[float, ...]
    attempts: tuple[Hashable, ...] | None = None
    advantages: tuple[float, ...] | None = None


@dataclass(frozen=True, slots=True)
class Skipped:
    """A dump that is listed and not audited, and why: evaluation, samples without any identity."""

    name: str
    reason: str
    samples: int


class Damage(Exception):
    """A dump that cannot be read: its name, and why in one clause without line breaks and without the dump's text."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(name, reason)
        self.name, self.reason = name, reason
