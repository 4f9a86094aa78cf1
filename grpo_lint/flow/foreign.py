"""Helpers of other modules: what they make of rewards, told by the nodes of the file that calls them.

A helper is walked by itself, in the terms of its own module. Of what comes out, each node of that module becomes the
argument that stands for it, or the call: a place that is reported, and what is said of it, is in the file at hand.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from grpo_lint.flow.values import Grouping, Value
from grpo_lint.flow.vocabulary import tokens

if TYPE_CHECKING:
    from grpo_lint.flow.facts import Function, ModuleFacts

_DEPTH = 40  # of values in values; none that is understood comes near

# In the names of helpers that are followed: those that take a statistic, and those that group.
_CENTRING = frozenset(
    "normalize normalise normalized normalised center centre centered centred whiten whitened standardize standardise "
    "demean baseline baselines subtract advantage advantages adv".split()
)
_GROUPING = frozenset({"group", "groups", "grouped", "regroup", "grid", "reshape"})


def centring_among(names: Iterable[str]) -> frozenset[str]:
    """The names of helpers that may take a statistic of groups."""
    return frozenset(name for name in names if not _CENTRING.isdisjoint(tokens(name)))


def grouping_among(names: Iterable[str]) -> frozenset[str]:
    """The names of helpers that may make groups."""
    return frozenset(name for name in names if not _GROUPING.isdisjoint(tokens(name)))


def is_worth_following(function: ast.expr) -> bool:
    """Whether the name of a function says that it may do one or the other: reading its module has a price."""
    return _speaks_of_groups(function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", ""))


@lru_cache(maxsize=4096)  # every call asks
def _speaks_of_groups(name: str) -> bool:
    return not (_CENTRING | _GROUPING).isdisjoint(tokens(name))


@dataclass(frozen=True, slots=True, eq=False)
class Helper:
    """A function of another module, what is known of that module, and all nodes of it."""

    function: Function
    module: ModuleFacts
    nodes: frozenset[ast.AST]


@dataclass(frozen=True, slots=True, eq=False)
class Relocation:
    """From the nodes of another module to those of a call: parameters to arguments, the rest to the call itself."""

    call: ast.Call
    arguments: Mapping[str, ast.expr]
    foreign: frozenset[ast.AST]

    @classmethod
    def of(cls, call: ast.Call, helper: Helper) -> Relocation:
        """Of a call of a helper."""
        parameters = [argument.arg for argument in (*helper.function.args.posonlyargs, *helper.function.args.args)]
        arguments = dict(zip(parameters, call.args, strict=False))
        arguments |= {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg is not None}
        return cls(call, arguments, helper.nodes)

    def is_own(self, grouping: Grouping) -> bool:
        """Whether a grouping was made in the file of the call."""
        return grouping.node not in self.foreign

    def of_value(self, value: Value) -> Value:
        """The value in nodes of the call's file."""
        return cast(Value, self._of(value, {}, 0))

    def of_node(self, node: ast.AST) -> ast.AST:
        """The node in the call's file that stands for one of the other."""
        if node not in self.foreign:
            return node
        return self.arguments.get(node.id, self.call) if isinstance(node, ast.Name) else self.call

    def _of(self, part: Any, made: dict[int, Any], depth: int) -> Any:
        if isinstance(part, ast.AST):
            return self.of_node(part)
        if isinstance(part, tuple):
            return tuple(self._of(each, made, depth + 1) for each in part)
        if not is_dataclass(part) or isinstance(part, type) or depth > _DEPTH:
            return part
        if id(part) not in made:
            made[id(part)] = part
            made[id(part)] = self._rebuilt(part, dict(self._changed(part, made, depth)))
        return made[id(part)]

    def _changed(self, part: Any, made: dict[int, Any], depth: int) -> Iterator[tuple[str, Any]]:
        for field in fields(part):
            before = getattr(part, field.name)
            after = self._of(before, made, depth + 1)
            if after is not before and after != before:
                yield field.name, after

    def _rebuilt(self, part: Any, changed: dict[str, Any]) -> Any:
        return replace(part, **changed) if changed else part
