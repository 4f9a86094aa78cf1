"""What a call of another function of the file changes: of what it is passed, of its object, of the names around it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from grpo_lint.contracts.mutation import Mutation, aliases_in, mutations_of
from grpo_lint.contracts.names import Meaning, Names
from grpo_lint.contracts.order import Order
from grpo_lint.contracts.paths import dotted_path
from grpo_lint.contracts.scopes import FUNCTIONS, Function, positional_names
from grpo_lint.contracts.unit import Frame, Unit

# Attributes deep: a function that calls itself with a part of what it is given would lead on and on.
_DEPTH = 6


@dataclass(frozen=True, slots=True, eq=False)
class _Call:
    """A call of a function of the unit: which paths of the caller its parameters are."""

    inner: Frame
    passed: Mapping[str, str]

    def translated(self, mutations: Iterable[Mutation]) -> Iterator[Mutation]:
        """What the function changes, as the calling function names it."""
        for mutation in mutations:
            root, dot, rest = mutation.path.partition(".")
            if root in self.passed:
                yield Mutation(f"{self.passed[root]}{dot}{rest}", mutation.is_set)
            elif root == "?" or (self.inner.outer is not None and self.inner.binding_frame(root) is not self.inner):
                yield mutation


@dataclass(frozen=True, slots=True, eq=False)
class Changing:
    """What the functions of a unit change; `known` is a memo, each function is looked at once."""

    names: Names
    known: dict[Function, frozenset[Mutation]] = field(default_factory=dict)

    def of_call(self, call: ast.Call, frame: Frame) -> Iterator[Mutation]:
        """What a call changes, as the calling function names it."""
        for each in self._calls(call, frame):
            if each.inner.function not in self.known:
                self._settle(each.inner)
            yield from each.translated(self.known[each.inner.function])

    def _calls(self, call: ast.Call, frame: Frame) -> Iterator[_Call]:
        """The functions of the unit that a call may be of."""
        for meaning in self.names.meanings(call.func, frame):
            unit, function = self.names.unit, meaning.node
            is_here = meaning.module is not None and meaning.module.path == unit.module.path
            if is_here and not meaning.is_instance and isinstance(function, FUNCTIONS):
                inner = unit.frame(function, meaning.owner, meaning.frame)
                yield _Call(inner, dict(_passed(call, meaning, function)))

    def _settle(self, first: Frame) -> None:
        """Find out what a function, and all that it leads to, change: again until nothing more comes up."""
        calls: dict[Frame, list[_Call]] = {}
        waiting = [first]
        while waiting:
            frame = waiting.pop()
            if frame in calls:
                continue
            nodes = [node for node in frame.live_nodes if isinstance(node, ast.Call)]
            calls[frame] = [each for node in nodes for each in self._calls(node, frame)]
            waiting += [each.inner for each in calls[frame] if each.inner.function not in self.known]
        found = {frame: frozenset(_own_changes(frame)) for frame in calls}
        while more := {frame: each for frame in calls if (each := self._grown(frame, calls, found)) != found[frame]}:
            found |= more
        self.known.update((frame.function, mutations) for frame, mutations in found.items())

    def _grown(
        self, frame: Frame, calls: Mapping[Frame, Sequence[_Call]], found: Mapping[Frame, frozenset[Mutation]]
    ) -> frozenset[Mutation]:
        """What a function changes by what the functions that it calls are found to change so far."""
        aliases = aliases_in(frame)
        inner = [
            mutation
            for call in calls[frame]
            for mutation in call.translated(
                found[call.inner] if call.inner in found else self.known[call.inner.function]
            )
            if mutation.path.count(".") < _DEPTH
        ]
        return found[frame].union(each for mutation in inner for each in _seen_outside(mutation, frame, aliases))


def _own_changes(frame: Frame) -> Iterator[Mutation]:
    """What a function itself changes of what it is passed, and of what is around it."""
    aliases = aliases_in(frame)
    for node in frame.live_nodes:
        for mutation in mutations_of(node):
            yield from _seen_outside(mutation, frame, aliases)
    yield from (Mutation(name, is_set=True) for name in frame.scope.outer & frame.scope.bindings.keys())


def _seen_outside(mutation: Mutation, frame: Frame, aliases: Mapping[str, frozenset[str]]) -> Iterator[Mutation]:
    for each in mutation.under_every_name(aliases):
        if _is_passed_in(each.path, frame):
            yield each
        elif each.is_set and "." in each.path:  # of something that was got from what is passed, perhaps
            yield Mutation(f"?.{each.path.rpartition('.')[2]}", is_set=True)


def _is_passed_in(path: str, frame: Frame) -> bool:
    """Whether what is at a path was there before the function ran."""
    bindings = frame.scope.of(path.partition(".")[0])
    return not bindings or (len(bindings) == 1 and bindings[0].is_parameter)


def _passed(call: ast.Call, meaning: Meaning, function: Function) -> Iterator[tuple[str, str]]:
    """The paths that a call passes, by parameter."""
    names = positional_names(function)
    if meaning.is_bound and names:
        owner = dotted_path(call.func.value) if isinstance(call.func, ast.Attribute) else None
        yield names[0], owner or "?"
        names = names[1:]
    pairs = [*zip(names, call.args, strict=False), *((each.arg or "", each.value) for each in call.keywords)]
    for name, value in pairs:
        path = dotted_path(value)
        if path is not None:
            yield name, path


@dataclass(frozen=True, slots=True, eq=False)
class Orders:
    """The order of each function of a unit, looked at once for all contracts of the file."""

    names: Names
    changing: Changing
    known: dict[Function, Order] = field(default_factory=dict)

    @classmethod
    def of_unit(cls, unit: Unit) -> Orders:
        names = Names(unit)
        return cls(names, Changing(names))

    def of(self, frame: Frame) -> Order:
        if frame.function not in self.known:
            self.known[frame.function] = Order.of(frame, lambda call: self.changing.of_call(call, frame))
        return self.known[frame.function]
