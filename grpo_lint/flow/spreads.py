"""Statistics of groups in other shapes: as a column, repeated to every sample, by patterns of einops."""

from __future__ import annotations

from dataclasses import replace

from grpo_lint.flow.einops import Pattern
from grpo_lint.flow.groupings import pattern_of
from grpo_lint.flow.operations import Operation, integer
from grpo_lint.flow.traversal import map_alternatives
from grpo_lint.flow.values import Altered, LeaveOneOut, Scale, Spread, Statistic, Value


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
    if name == "rearrange" or operation.library == "einops":
        return _after_pattern(pattern_of(operation), was)
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


def _after_pattern(pattern: Pattern | None, was: Spread) -> Spread | None:
    """`p -> p 1`, `p -> p n` and `p -> (p n)`, of one number for each group or of a column of them."""
    match pattern:
        case Pattern(before=((group,),), after=after) if was is Spread.ROWS:
            pass
        case Pattern(before=((group,), ("1",)), after=after) if was is Spread.COLUMN:
            pass
        case Pattern(before=((group,), (_,)), after=((first, _),)) if was is Spread.GRID:
            return Spread.FLAT if first == group else None
        case _:
            return None
    match after:
        case ((first,),) if first == group:
            return Spread.ROWS
        case ((first,), ("1",)) if first == group:
            return Spread.COLUMN
        case ((first,), (_,)) if first == group:
            return Spread.GRID
        case ((first, _),) if first == group:
            return Spread.FLAT
        case _:
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
