"""What an item of something is: some of the rewards, a statistic with another axis, a member of a tuple."""

from __future__ import annotations

import ast
from dataclasses import replace

from grpo_lint.flow import groupings, statistics
from grpo_lint.flow.operations import integer
from grpo_lint.flow.traversal import has_rows, is_reward_like, vectors
from grpo_lint.flow.values import (
    UNKNOWN,
    Altered,
    Element,
    Kind,
    Leading,
    Length,
    Position,
    Row,
    Scale,
    Several,
    Spread,
    Statistic,
    Value,
    Vector,
)


def indexed(node: ast.Subscript, base: Value, index: Value) -> Value:
    """The value of `base[index]`, for any index but a string."""
    match node.slice:
        case ast.Constant(value=0) if statistics.is_statistic(base, Kind.MEDIAN):
            return base
        case ast.Constant(value=int(position)) if isinstance(base, Several):
            return base.items[position] if -len(base.items) <= position < len(base.items) else UNKNOWN
    if isinstance(base, Length):
        return _indexed_shape(node.slice, base)
    if isinstance(base, Statistic | Scale):
        return _indexed_statistic(node, base)
    return _indexed_rewards(node, base, index) if is_reward_like(base) else UNKNOWN


def length_of(rewards: Value, is_total: bool = False) -> Value:
    """What `rewards.shape`, `rewards.size()` and `rewards.numel()` are."""
    found = vectors(rewards)
    if not found:
        return UNKNOWN
    return Length(found[0].origin, is_total=is_total, rank=rewards.rank if isinstance(rewards, Vector) else None)


def _indexed_shape(index: ast.expr, shape: Length) -> Value:
    """`rewards.shape[0]`, `rewards.shape[:-1]`."""
    match index:
        case ast.Slice(lower=None | ast.Constant(value=0), upper=upper, step=None) if integer(upper) == -1:
            return Leading(shape.rank) if shape.origin else UNKNOWN
        case _:
            return shape if integer(index) in (0, -1) else UNKNOWN


def _indexed_statistic(node: ast.Subscript, base: Value) -> Value:
    """`mean[:, None]` is the same numbers as a column, `mean[i // n]` one of them; a slice picks some."""
    if isinstance(base, Statistic) and _adds_axis_behind(node.slice):
        return replace(base, spread=Spread.COLUMN if base.spread is Spread.ROWS else base.spread)
    if isinstance(node.slice, ast.Slice | ast.Tuple):
        return UNKNOWN
    return statistics.inexact(base)


def _indexed_rewards(node: ast.Subscript, base: Value, index: Value) -> Value:
    if _adds_axis_in_front(node.slice):
        return groupings.one_row(base, node, node.value, is_one_row=False)
    is_place = isinstance(index, Position) or integer(node.slice) is not None
    if has_rows(base) and is_place:
        return Row(base, node)
    if isinstance(base, Vector | Row) and is_place and not isinstance(node.slice, ast.Constant):
        return Element(base)
    if integer(node.slice) is not None:
        return UNKNOWN
    if isinstance(base, Vector):
        return replace(base, version=node, disorder=node, items=None)
    return Altered(base, node)


def _is_none(node: ast.expr) -> bool:
    """`None` or `np.newaxis`."""
    return (isinstance(node, ast.Constant) and node.value is None) or (
        isinstance(node, ast.Attribute) and node.attr == "newaxis"
    )


def _is_everything(node: ast.expr) -> bool:
    return (isinstance(node, ast.Slice) and node.lower is None and node.upper is None and node.step is None) or (
        isinstance(node, ast.Constant) and node.value is Ellipsis
    )


def _adds_axis_in_front(index: ast.expr) -> bool:
    if isinstance(index, ast.Tuple):
        return len(index.elts) == 2 and _is_none(index.elts[0]) and _is_everything(index.elts[1])
    return _is_none(index)


def _adds_axis_behind(index: ast.expr) -> bool:
    return (
        isinstance(index, ast.Tuple)
        and len(index.elts) == 2
        and _is_everything(index.elts[0])
        and _is_none(index.elts[1])
    )
