"""Timing side by side: all candidates take turns in every round, so that a change of the load meets them all."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something to time. `run` gives an exit status, or None if it has none.

    `at_most` limits its rounds, and spares it the warm-up: for what takes minutes.
    """

    name: str
    run: Callable[[], int | None]
    at_most: int | None = None


@dataclass(frozen=True, slots=True)
class Timing:
    name: str
    seconds: tuple[float, ...]  # round by round
    statuses: tuple[int, ...] = ()  # those that occurred

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)


def turns(candidates: Sequence[Candidate], rounds: int) -> Iterator[tuple[int, Candidate]]:
    """Give who runs when, and in which round: 0 is the warm-up. Who begins changes from round to round."""
    for turn in range(rounds + 1):
        start = turn % len(candidates)
        for candidate in (*candidates[start:], *candidates[:start]):
            if candidate.at_most is None or 1 <= turn <= candidate.at_most:
                yield turn, candidate


def measure(
    candidates: Sequence[Candidate], rounds: int, clock: Callable[[], float] = time.perf_counter
) -> tuple[Timing, ...]:
    """Time the candidates in turns; the results stand in the order of the candidates."""
    seconds: dict[str, list[float]] = {candidate.name: [] for candidate in candidates}
    statuses: dict[str, set[int]] = {candidate.name: set() for candidate in candidates}
    for turn, candidate in turns(candidates, rounds):
        start = clock()
        status = candidate.run()
        end = clock()
        if turn:
            seconds[candidate.name].append(end - start)
        if status is not None:
            statuses[candidate.name].add(status)
    return tuple(Timing(name, tuple(seconds[name]), tuple(sorted(statuses[name]))) for name in seconds)
