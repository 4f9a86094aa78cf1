"""Helpers of other modules: what they make of rewards, told by the nodes of the file that calls them.

A helper is walked by itself, in the terms of its own module. Of what comes out, each node that did not come in with the
arguments becomes the argument that stands for it, or the call: a place that is reported, and what is said of it, is in
the file at hand.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING, Any, cast

from grpo_lint.flow.nodes import walk_nodes
from grpo_lint.flow.values import UNKNOWN, Choice, Grouping, Length, Local, Mapped, Value
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
    """A function of another module, and what is known of that module."""

    function: Function
    module: ModuleFacts


class _TooDeep(Exception):
    pass


@dataclass(frozen=True, slots=True, eq=False)
class Relocation:
    """From the nodes of another module to those of a call: parameters to arguments, the rest to the call itself.

    `nodes` and `values` came in with the arguments, so they stay what they are; `values` are told by their identity.
    """

    call: ast.Call
    arguments: Mapping[str, ast.expr]
    nodes: frozenset[ast.AST]
    values: frozenset[int]

    @classmethod
    def of(cls, call: ast.Call, helper: Helper, values: Sequence[Value]) -> Relocation:
        """Of a call of a helper, whose arguments have these values."""
        seen = list(_inside(values))
        nodes = frozenset(part for part in seen if isinstance(part, ast.AST))
        kept = frozenset(id(part) for part in seen if not isinstance(part, ast.AST))
        return cls(call, _arguments(call, helper.function), nodes | frozenset(walk_nodes(call)), kept)

    def is_own(self, grouping: Grouping) -> bool:
        """Whether a grouping was made in the file of the call."""
        return grouping.node in self.nodes

    def of_value(self, value: Value) -> Value:
        """The value in nodes of the call's file; UNKNOWN where it cannot be told by them."""
        try:
            return cast(Value, self._of(value, {}, 0))
        except _TooDeep:
            return UNKNOWN

    def of_node(self, node: ast.AST) -> ast.AST:
        """The node in the call's file that stands for one of the other."""
        if node in self.nodes:
            return node
        return self.arguments.get(node.id, self.call) if isinstance(node, ast.Name) else self.call

    def _of(self, part: Any, made: dict[int, Any], depth: int) -> Any:
        if isinstance(part, ast.AST):
            return self.of_node(part)
        if isinstance(part, tuple):
            return tuple(self._of(each, made, depth + 1) for each in part)
        if not is_dataclass(part) or isinstance(part, type) or id(part) in self.values:
            return part
        if depth > _DEPTH:
            raise _TooDeep
        if id(part) not in made:
            made[id(part)] = UNKNOWN if _is_of_its_file(part) else self._rebuilt(part, made, depth)
        return made[id(part)]

    def _rebuilt(self, part: Any, made: dict[int, Any], depth: int) -> Any:
        changed: dict[str, Any] = {}
        for field in fields(part):
            before = getattr(part, field.name)
            after = self._of(before, made, depth + 1)
            if after is not before and after != before:
                changed[field.name] = after
        if isinstance(part, Choice) and "test" in changed:
            changed["test"] = None  # nothing of this file decides
        return replace(part, **changed) if changed else part


def _is_of_its_file(value: object) -> bool:
    """Whether a value means something only where it was made: a function's own text, the text of a sequence."""
    return isinstance(value, Local | Mapped) or (isinstance(value, Length) and bool(value.sequence))


def _arguments(call: ast.Call, function: Function) -> dict[str, ast.expr]:
    """The arguments by the parameters that stand for them in all of a function."""
    parameters = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
    arguments = dict(zip(parameters, plain_arguments(call), strict=False))
    arguments |= {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg is not None}
    stored = {
        node.id for node in walk_nodes(function) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    }
    return {name: node for name, node in arguments.items() if name not in stored}


def plain_arguments(call: ast.Call) -> list[ast.expr]:
    """The arguments by position before a starred one, after which nothing tells which parameter is which."""
    return list(takewhile(lambda argument: not isinstance(argument, ast.Starred), call.args))


def _inside(values: Sequence[Value]) -> Iterator[object]:
    """The values and nodes that values were made of, each once."""
    seen: set[int] = set()
    pending: list[Any] = list(values)
    while pending:
        part = pending.pop()
        if isinstance(part, tuple):
            pending += part
        elif id(part) not in seen and (isinstance(part, ast.AST) or is_dataclass(part)):
            seen.add(id(part))
            yield part
            pending += () if isinstance(part, ast.AST) else (getattr(part, field.name) for field in fields(part))
