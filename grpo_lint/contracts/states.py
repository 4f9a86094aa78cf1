"""How far a call's result has come at some place of a function, and by which ways a block of statements is left."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TypeAlias

from grpo_lint.contracts.paths import is_below


@dataclass(frozen=True, slots=True)
class State:
    """One way to a place: whether the call was made, what paths hold its result, whether that was used.

    `lost` is what last took the result out of a path, or kept it from ever getting there. `earlier` are the paths that
    hold the results of earlier rounds of a loop as well; where these are in none, the state `is_short`.
    """

    is_called: bool = False
    held: frozenset[str] = frozenset()
    is_used: bool = False
    lost: ast.AST | None = None
    earlier: frozenset[str] = frozenset()
    is_short: bool = False

    def holding(self, paths: Iterable[str]) -> State:
        return replace(self, held=self.held.union(paths))

    def without(self, path: str | None, node: ast.AST | None) -> State:
        """The state after what was at a path is gone."""
        if path is None or not any(each == path or is_below(each, path) for each in self.held):
            return self
        left = frozenset(each for each in self.held if each != path and not is_below(each, path))
        earlier = self.earlier & left
        is_short = self.is_short or (bool(self.earlier) and not earlier)
        return replace(self, held=left, lost=node, earlier=earlier, is_short=is_short)

    def calling(self, is_next: bool) -> State:
        """The state after the call was made; `is_next` where that was for the next item of a loop."""
        if not is_next or not self.is_called:
            return replace(self, is_called=True)
        is_short = self.is_short or not (self.held or self.is_used)
        return replace(self, is_used=False, earlier=frozenset() if self.is_used else self.held, is_short=is_short)

    def using(self) -> State:
        """The state after the result was used, where that is all that is asked: what still holds it says no more."""
        return State(self.is_called, is_used=True, is_short=self.is_short)

    @property
    def is_losing(self) -> bool:
        """Whether the result is lost if the function ends here."""
        return self.is_short or (self.is_called and not self.is_used)


NOWHERE: frozenset[str] = frozenset()
States: TypeAlias = "frozenset[State]"
NONE: States = frozenset()
_WAYS = 100


def bounded(states: States) -> States:
    """The states, where there are too many to follow with those in one that differ only in what holds the result."""
    if len(states) <= _WAYS:
        return states
    joined: dict[tuple[bool, bool, bool], State] = {}
    for each in states:
        key = each.is_called, each.is_used, each.is_short
        known = joined.get(key, replace(each, earlier=NOWHERE))
        joined[key] = known.holding(each.held)
    return frozenset(joined.values())


@dataclass(frozen=True, slots=True)
class Flow:
    """The states after a block; `raised` are those in which an exception may leave it."""

    after: States
    breaks: States = NONE
    continues: States = NONE
    raised: States = NONE

    def then(self, states: States) -> Flow:
        return replace(self, after=states)

    def joined(self, other: Flow) -> Flow:
        return Flow(
            self.after | other.after,
            self.breaks | other.breaks,
            self.continues | other.continues,
            self.raised | other.raised,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Loss:
    """Where the result is lost: at `node`, or where that is None, for want of anything that takes it."""

    node: ast.AST | None
    end: ast.AST | None
