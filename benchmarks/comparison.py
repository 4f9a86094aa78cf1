"""What one table shows: a subject, what it is compared with, the targets, and the tools that were missing."""

from __future__ import annotations

from dataclasses import dataclass

from rounds import Timing


@dataclass(frozen=True, slots=True)
class Target:
    """The subject takes at most `ratio` times the time of `other`; a fraction of 1 says how much faster it is."""

    other: str
    ratio: float

    def __str__(self) -> str:
        return f"at most {self.ratio:.1f}" if self.ratio >= 1 else f"at least {1 / self.ratio:g} times faster"


@dataclass(frozen=True, slots=True)
class Missing:
    name: str
    command: str  # that installs it


@dataclass(frozen=True, slots=True)
class Comparison:
    title: str
    timings: tuple[Timing, ...]  # the subject first
    targets: tuple[Target, ...] = ()
    missing: tuple[Missing, ...] = ()

    @property
    def subject(self) -> Timing:
        return self.timings[0]

    def ratio(self, other: Timing) -> float:
        """How many times the other's time the subject takes, by the medians."""
        return self.subject.median / other.median

    def target(self, other: Timing) -> Target | None:
        return next((target for target in self.targets if target.other == other.name), None)

    def holds(self, other: Timing) -> bool | None:
        target = self.target(other)
        return None if target is None else self.ratio(other) <= target.ratio
