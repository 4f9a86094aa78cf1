"""What a call of another function of the file changes: of what it is passed, of its object, of the names around it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from grpo_lint.contracts.mutation import Mutation, aliases_in, mutations_of
from grpo_lint.contracts.names import Meaning, Names
from grpo_lint.contracts.order import Order
from grpo_lint.contracts.paths import dotted_path
from grpo_lint.contracts.scopes import FUNCTIONS, Function, positional_names
from grpo_lint.contracts.unit import Frame, Unit

_DEPTH = 4


@dataclass(frozen=True, slots=True, eq=False)
class Changing:
    """What the functions of a unit change, each function looked at once."""

    names: Names
    known: dict[Function, frozenset[Mutation]] = field(default_factory=dict)

    def of_call(self, call: ast.Call, frame: Frame, depth: int = 0) -> Iterator[Mutation]:
        """What a call changes, as the calling function names it."""
        meanings = self.names.meanings(call.func, frame) if depth < _DEPTH else ()
        for meaning in meanings:
            inner = self._frame_of(meaning)
            if inner is not None:
                passed = dict(_passed(call, meaning, inner.function))
                for mutation in self._of_frame(inner, depth + 1):
                    root, dot, rest = mutation.path.partition(".")
                    if root == "?":
                        yield mutation
                    elif root in passed:
                        yield Mutation(f"{passed[root]}{dot}{rest}", mutation.is_set)
                    elif inner.outer is not None and inner.binding_frame(root) is not inner:
                        yield mutation

    def _frame_of(self, meaning: Meaning) -> Frame | None:
        unit, function = self.names.unit, meaning.node
        is_here = meaning.module is not None and meaning.module.path == unit.module.path
        if not is_here or meaning.is_instance or not isinstance(function, FUNCTIONS):
            return None
        return unit.frame(function, meaning.owner, meaning.frame)

    def _of_frame(self, frame: Frame, depth: int) -> frozenset[Mutation]:
        """What a function changes of what it is passed, and of what is around it."""
        if frame.function not in self.known:
            self.known[frame.function] = frozenset()  # while it is looked at: a function that calls itself
            self.known[frame.function] = frozenset(self._changed_in(frame, depth))
        return self.known[frame.function]

    def _changed_in(self, frame: Frame, depth: int) -> Iterator[Mutation]:
        aliases = aliases_in(frame)
        for node in frame.live_nodes:
            found = list(mutations_of(node))
            if isinstance(node, ast.Call):
                found += self.of_call(node, frame, depth)
            for mutation in found:
                for each in mutation.under_every_name(aliases):
                    if _is_passed_in(each.path, frame):
                        yield each
                    elif each.is_set and "." in each.path:  # of something that was got from what is passed, perhaps
                        yield Mutation(f"?.{each.path.rpartition('.')[2]}", is_set=True)
        yield from (Mutation(name, is_set=True) for name in frame.scope.outer & frame.scope.bindings.keys())


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
