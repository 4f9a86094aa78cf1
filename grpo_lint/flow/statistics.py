"""Group statistics: which reduction is one, what shape it has, and what arithmetic makes of it."""

from __future__ import annotations

import ast
from dataclasses import replace

from grpo_lint.flow.operations import STATISTICS, Operation, axes, integer, truth
from grpo_lint.flow.traversal import (
    alternatives,
    is_grouped,
    is_reward_like,
    layouts,
    map_alternatives,
    share_origin,
    walk,
)
from grpo_lint.flow.values import (
    UNKNOWN,
    Altered,
    Centred,
    GroupCount,
    Grouping,
    Kind,
    LeaveOneOut,
    Length,
    Scalar,
    Scale,
    Scaled,
    Spread,
    Statistic,
    Value,
    Vector,
)

_BASELINES = (Kind.MEAN, Kind.MEDIAN)
_FLAGS = frozenset({"keepdim", "keepdims", "unbiased"})
_POPULATION = {"torch": 1, "numpy": 0, "jax": 0, "mlx": 0}


def reduce(operation: Operation, of: Value) -> Value:
    """What a mean, sum, std or var of rewards is: a group statistic if it runs along the group axis, else unknown."""
    if not is_grouped(of) or not runs_along_groups(operation, of):
        return UNKNOWN
    library = operation.library or library_of(of) or _library_by_keywords(operation)
    kind = Kind(STATISTICS[operation.name])
    return Statistic(
        kind=kind,
        of=of,
        node=operation.node,
        spread=Spread.COLUMN if _keeps_axis(operation) else Spread.ROWS,
        correction=correction_of(operation, library),
        library=library,
        is_exact=not operation.name.startswith("nan") and _has_known_options(operation, library),
    )


def runs_along_groups(operation: Operation, of: Value) -> bool:
    """Whether the axis of a reduction is the one along which a group's samples lie."""
    asked = axes(operation.argument(0, "dim", "axis"))
    if asked is None:
        return False
    return any(
        grouping.axis in (reduced := {axis % grouping.rank for axis in asked if axis < grouping.rank})
        and len(reduced) < grouping.rank
        for grouping in layouts(of)
    )


def _has_known_options(operation: Operation, library: str | None) -> bool:
    """Whether what is given for every option tells its effect: NumPy's second argument is a dtype, torch's a flag."""
    is_one_axis = len(axes(operation.argument(0, "dim", "axis")) or ()) == 1
    most = 1 if library in ("numpy", "jax", "mlx") else 3 if operation.name in ("std", "var") else 2
    flags = [*operation.arguments[1:], *(value for name, value in operation.keywords if name in _FLAGS)]
    return is_one_axis and len(operation.arguments) <= most and all(truth(flag) is not None for flag in flags)


def _keeps_axis(operation: Operation) -> bool:
    named = truth(operation.keyword("keepdim", "keepdims"))
    if named is not None:
        return named
    flags = [truth(argument) for argument in operation.arguments[1:]]
    if operation.name in ("std", "var"):
        return len(flags) > 1 and flags[1] is True
    return bool(flags) and flags[0] is True


def correction_of(operation: Operation, library: str | None) -> int | None:
    """0 for the population's, 1 for the sample's; None where nothing tells."""
    if operation.name not in ("std", "var", "nanstd", "nanvar"):
        return None
    asked = operation.keyword("unbiased") if library == "numpy" else operation.argument(1, "unbiased")
    if asked is not None:
        unbiased = truth(asked)
        return None if unbiased is None else int(unbiased)
    given = operation.keyword("correction", "ddof")
    if given is not None:
        return integer(given)
    return _POPULATION.get(library or "")


def library_of(value: Value) -> str | None:
    """The tensor library that made the rewards in a value, where something tells."""
    for part in walk(value):
        if isinstance(part, Vector | Statistic) and part.library:
            return part.library
        if isinstance(part, Grouping):
            by_method = _library_by_method(part.node)
            if by_method:
                return by_method
    return None


def _library_by_method(node: ast.expr) -> str | None:
    """Only torch's tensors have `view`, `unsqueeze` and `unflatten` (NumPy's `view` takes no dimensions)."""
    match node:
        case ast.Call(func=ast.Attribute(attr="view" | "unsqueeze" | "unflatten")):
            return "torch"
        case _:
            return None


def _library_by_keywords(operation: Operation) -> str | None:
    names = {name for name, _ in operation.keywords}
    if names & {"dim", "keepdim", "unbiased"}:
        return "torch"
    return None


def respread(operation: Operation, value: Value) -> Value:
    """A statistic after `repeat_interleave`, `expand_as` and the like: the same numbers in another shape."""
    return map_alternatives(value, lambda part: _respread(operation, part))


def _respread(operation: Operation, value: Value) -> Value:
    match value:
        case Statistic():
            spread = _new_spread(operation, value)
            return replace(value, is_exact=False) if spread is None else replace(value, spread=spread)
        case Scale():
            return replace(value, std=respread(operation, value.std))
        case LeaveOneOut():
            return value
        case _:
            return Altered(value, operation.node)


def _new_spread(operation: Operation, statistic: Statistic) -> Spread | None:
    name, was = operation.name, statistic.spread
    interleaves = name == "repeat_interleave" or (
        name == "repeat" and (operation.library in ("numpy", "jax", "mlx") or statistic.library in ("numpy", "jax"))
    )
    if interleaves:
        return _after_interleaving(operation, was)
    if name in ("expand_as", "expand", "broadcast_to", "repeat", "tile") and was is Spread.COLUMN:
        return Spread.GRID
    if name in ("unsqueeze", "expand_dims") and was is Spread.ROWS:
        return Spread.COLUMN if integer(operation.argument(0, "dim", "axis")) in (1, -1) else None
    if name in ("view", "reshape") and was in (Spread.ROWS, Spread.COLUMN):
        return _after_reshape(operation)
    if name == "squeeze" and was is Spread.COLUMN:
        axis = operation.argument(0, "dim", "axis")
        return Spread.ROWS if axis is None or integer(axis) in (1, -1) else None
    if name in ("squeeze", "flatten", "ravel") and was in (Spread.ROWS, Spread.COLUMN):
        return Spread.ROWS
    if name in ("view", "reshape", "flatten", "ravel") and was is Spread.GRID:
        return Spread.FLAT if name in ("flatten", "ravel") or _is_flat_request(operation) else None
    return None


def _after_interleaving(operation: Operation, was: Spread) -> Spread | None:
    axis = integer(operation.argument(1, "dim", "axis"))
    if was is Spread.ROWS and axis in (None, 0, -1):
        return Spread.FLAT
    if was is Spread.COLUMN and axis in (1, -1):
        return Spread.GRID
    return Spread.FLAT if was is Spread.COLUMN and axis is None else None


def _after_reshape(operation: Operation) -> Spread | None:
    given = [integer(argument) for argument in operation.arguments]
    if given == [-1, 1]:
        return Spread.COLUMN
    return Spread.ROWS if given == [-1] else None


def _is_flat_request(operation: Operation) -> bool:
    return [integer(argument) for argument in operation.arguments] == [-1]


def inexact(value: Value) -> Value:
    """A statistic after a step that changes its numbers."""
    return map_alternatives(value, _inexact)


def _inexact(value: Value) -> Value:
    match value:
        case Statistic(is_exact=True) | Scale(is_exact=True):
            return replace(value, is_exact=False)
        case LeaveOneOut(others=ast.expr()):
            return replace(value, others=None)
        case _:
            return value


def is_statistic(value: Value, *kinds: Kind) -> bool:
    """Whether a value is, in at least one alternative, a group statistic of one of these kinds (default: any)."""
    return any(isinstance(part, Statistic) and (not kinds or part.kind in kinds) for part in alternatives(value))


def is_baseline(value: Value) -> bool:
    """Whether a value is, in at least one alternative, a group mean or the mean of a sample's siblings."""
    return is_statistic(value, *_BASELINES) or any(isinstance(part, LeaveOneOut) for part in alternatives(value))


def is_scale(value: Value) -> bool:
    """Whether a value is, in at least one alternative, a group std (or var), plain or with an epsilon."""
    return any(
        isinstance(part, Scale) or (isinstance(part, Statistic) and part.kind in (Kind.STD, Kind.VAR))
        for part in alternatives(value)
    )


def subtract(node: ast.AST, left: Value, right: Value) -> Value | None:
    """`left - right`, where that is centring or the numerator of a leave-one-out baseline; else None."""
    if is_reward_like(left) and is_baseline(right) and share_origin(left, right):
        return Centred(left, right, node)
    if is_statistic(left, Kind.SUM) and is_reward_like(right) and share_origin(left, right):
        return LeaveOneOut(left, right, None)
    return None


def divide(node: ast.AST, left: Value, right: Value, divisor: ast.expr) -> Value | None:
    """`left / right`, where that is scaling, a mean, or a leave-one-out baseline; else None."""
    if is_reward_like(left) and is_scale(right) and share_origin(left, right):
        return Scaled(left, right, node)
    if isinstance(left, LeaveOneOut):
        return replace(left, others=divisor)
    if is_statistic(left, Kind.SUM) and isinstance(right, Scalar | Length | GroupCount):
        return map_alternatives(left, _mean_from_sum)
    return None


def _mean_from_sum(value: Value) -> Value:
    """`sum / n` is a mean; that n is the group's own size is not proven, so no repair relies on it."""
    return replace(value, kind=Kind.MEAN, is_exact=False) if isinstance(value, Statistic) else value


def add(left: Value, right: Value, right_node: ast.expr) -> Value | None:
    """`std + eps`; None if `left` is no std."""
    if not is_scale(left) or is_statistic(right):
        return None
    return map_alternatives(left, lambda part: _with_epsilon(part, right_node))


def _with_epsilon(value: Value, eps: ast.expr) -> Value:
    match value:
        case Statistic():
            return Scale(value, eps)
        case Scale(is_exact=True):
            return replace(value, is_exact=False)
        case _:
            return value


def root(value: Value) -> Value:
    """The square root of a variance, also with an epsilon inside: a scale, but not `std + eps`."""
    return map_alternatives(value, _root)


def _root(value: Value) -> Value:
    match value:
        case Statistic(kind=Kind.VAR):
            return replace(value, kind=Kind.STD, is_exact=False)
        case Scale(is_exact=True):
            return replace(value, is_exact=False)
        case Scale():
            return value
        case _:
            return UNKNOWN
