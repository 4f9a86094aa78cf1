"""The per-sample records that the cases share."""

from dataclasses import dataclass


@dataclass
class Episode:
    """One attempt at a prompt."""

    index: int | None = None
    group_index: int | None = None
    rollout_id: int | None = None
    reward: float = 0.0
    weight: float = 1.0


@dataclass
class Plain:
    """A record that does not tell its prompt."""

    index: int = 0
    reward: float = 0.0
