"""Which arguments of an operation are understood: one that is not may change what the operation gives."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, replace

from grpo_lint.flow import statistics
from grpo_lint.flow.groupings import FLATTENINGS, RESHAPES
from grpo_lint.flow.operations import COPIES, OPERATORS, STATISTICS, Operation, integer
from grpo_lint.flow.values import (
    Altered,
    Centred,
    Choice,
    Enlarged,
    Flat,
    Grouping,
    Listed,
    Row,
    Scaled,
    Several,
    Value,
    Vector,
)

_ANY = 99
_AXIS = frozenset({"dim", "axis"})
_ARRAY_ORDER: Mapping[str, object] = {"order": "C"}


@dataclass(frozen=True, slots=True)
class Signature:
    """The arguments after the operand that are understood: how many by position, and which by name.

    An argument in `fixed` is understood with this one value, whether it is given by name or, where `positions` names
    it, by position. `takes_stars` is for what reads its arguments' number off the values behind the stars.
    """

    by_position: int = 0
    keywords: frozenset[str] = frozenset()
    fixed: Mapping[str, object] | None = None
    positions: tuple[str, ...] = ()
    takes_stars: bool = False

    def takes(self, operation: Operation) -> bool:
        """Whether every argument of an operation is understood."""
        arguments = operation.arguments
        has_stars = any(isinstance(each, ast.Starred) for each in arguments)
        if len(arguments) > self.by_position or (has_stars and not self.takes_stars):
            return False
        given = [*operation.keywords, *zip(self.positions, arguments, strict=False)]
        return all(self._takes_named(name, value) for name, value in given)

    def _takes_named(self, name: str, value: ast.expr) -> bool:
        if self.fixed is not None and name in self.fixed:
            return _literal(value) == self.fixed[name]
        return name in self.keywords or name in self.positions


_STATISTIC = Signature(3, _AXIS | {"keepdim", "keepdims", "unbiased", "correction", "ddof"})
_RESHAPE = Signature(_ANY, frozenset({"shape", "size", "newshape"}), _ARRAY_ORDER, takes_stars=True)
_FLATTEN = Signature(2, fixed={"start_dim": 0, "end_dim": -1, **_ARRAY_ORDER}, positions=("start_dim", "end_dim"))
_RAVEL = Signature(1, fixed=_ARRAY_ORDER, positions=("order",))
_NEW_AXIS = Signature(1, _AXIS)
_OTHER = Signature(1, frozenset({"other"}))

_SIGNATURES: Mapping[str, Signature] = {
    **dict.fromkeys(STATISTICS, _STATISTIC),
    **dict.fromkeys(("std_mean", "var_mean"), _STATISTIC),
    **dict.fromkeys(RESHAPES, _RESHAPE),
    **dict.fromkeys(OPERATORS, Signature(1)),
    **dict.fromkeys(COPIES, Signature(keywords=frozenset({"memory_format"}))),
    "unflatten": Signature(2, frozenset({"dim", "sizes"})),
    "flatten": _FLATTEN,
    "ravel": _RAVEL,
    **dict.fromkeys(("view_as", "reshape_as", "expand_as"), _OTHER),
    **dict.fromkeys(("unsqueeze", "expand_dims", "squeeze"), _NEW_AXIS),
    "repeat_interleave": Signature(2, frozenset({"repeats", "dim", "output_size"})),
    "repeat": Signature(_ANY, frozenset({"repeats", "axis"})),
    "tile": Signature(_ANY, frozenset({"dims", "reps"})),
    "expand": Signature(_ANY, frozenset({"size"})),
    "broadcast_to": Signature(1, frozenset({"size", "shape"})),
    "tolist": Signature(),
}


def has_known_arguments(operation: Operation) -> bool:
    """Whether every argument of an operation is one whose effect is understood.

    Of operations without a signature nothing is claimed: what they give is not understood, whatever their arguments.
    """
    if operation.library == "einops" or operation.name == "rearrange":  # whose keywords are names of the pattern
        most = 2 if operation.name == "reduce" else 1
        return len(operation.arguments) <= most and all(name != "**" for name, _ in operation.keywords)
    signature = _SIGNATURES.get(operation.name)
    if signature is None:
        return all(name != "**" for name, _ in operation.keywords)
    if operation.name == "flatten" and _literal(operation.argument(0)) == "C":
        return len(operation.arguments) + len(operation.keywords) == 1
    return signature.takes(operation)


def obscured(value: Value, operation: Operation) -> Value:
    """What an operation gives, where an argument of it is not understood: still about the same rewards."""
    match value:
        case Vector() if operation.name in RESHAPES | FLATTENINGS:
            return replace(value, version=operation.node, disorder=operation.node, items=None)
        case Vector():
            return replace(value, items=None)
        case Grouping(node=node) if node is operation.node:
            return replace(value, is_plain=False)
        case Several(items=items):
            return Several(tuple(obscured(item, operation) for item in items))
        case Choice() if statistics.is_statistic(value):
            return statistics.inexact(value)
        case Grouping() | Row() | Centred() | Scaled() | Enlarged() | Flat() | Listed() | Choice():
            return Altered(value, operation.node)
        case _:
            return statistics.inexact(value)


def _literal(node: ast.expr | None) -> object:
    """The value of an integer or string literal."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return integer(node)
