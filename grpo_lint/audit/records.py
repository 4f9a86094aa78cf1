"""What is read from a dump and what is said of it: plain, frozen, picklable values, without torch or pyarrow."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction

__all__ = ["Comparison", "Damage", "Dump", "DumpAudit", "RunAudit", "Settings", "Skipped"]


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


@dataclass(frozen=True, slots=True)
class Comparison:
    """How advantages differ from the reference, counted over samples, or over attempts with `per_rollout`.

    Two agree when they differ by at most 1e-6. A sign is -, 0 (within 1e-6) or +, and it is wrong when the two differ.
    `not_a_number` of the other advantages are NaN or infinite: they agree with nothing, have a wrong sign, and are in
    no error. `error_sum` is exact, so that sums do not depend on the order in which dumps are merged.
    """

    samples: int
    agree: int
    wrong_sign: int
    nonzero_reference: int
    nonzero_other: int
    not_a_number: int
    max_error: float
    error_sum: Fraction


@dataclass(frozen=True, slots=True)
class DumpAudit:
    """What one dump shows. `trained` compares the advantages that were trained on, None where the dump has none.

    `group_sizes` holds (size, number of groups) in order of size. `gradient` is the sum of |collapsed advantage|,
    `unsolved_gradient` the part of it on prompts that solved nothing. `points` is a bounded choice of (reference,
    collapsed) pairs for the page, the same at every run.
    """

    name: str
    step: int | None
    samples: int
    is_fallback: bool
    has_signal: bool
    collapsed: Comparison
    trained: Comparison | None
    group_sizes: tuple[tuple[int, int], ...]
    unsolved_prompts: int
    unsolved_prompts_with_gradient: int
    gradient: Fraction
    unsolved_gradient: Fraction
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class RunAudit:
    """What a run, a folder of dumps or a single file, shows; `dumps` in order of step, then name."""

    name: str
    dumps: tuple[DumpAudit, ...]
    skipped: tuple[Skipped, ...]
    damaged: tuple[tuple[str, str], ...]


class Damage(Exception):
    """A dump that cannot be read: its name, and why in one clause without line breaks and without the dump's text."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(name, reason)
        self.name, self.reason = name, reason
