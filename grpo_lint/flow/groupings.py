"""What a change of shape makes of rewards: groups of a constant size, one row for the batch, or a flat vector again."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from grpo_lint.flow.operations import Operation, dimensions, integer
from grpo_lint.flow.traversal import is_grouped, is_reward_like, vectors
from grpo_lint.flow.values import (
    Altered,
    Choice,
    Flat,
    GroupCount,
    Grouping,
    Layout,
    Length,
    Listed,
    Scalar,
    Value,
    Vector,
)
from grpo_lint.flow.vocabulary import Vocabulary

RESHAPES = frozenset({"view", "reshape", "unflatten", "rearrange"})
FLATTENINGS = frozenset({"flatten", "ravel", "view_as", "reshape_as"})
_PATTERN = re.compile(r"\s*\(\s*(\w+)\s+(\w+)\s*\)\s*->\s*(\w+)\s+(\w+)\s*")


@dataclass(frozen=True, slots=True)
class Dimension:
    """One dimension of a reshape: its expression and what that is known to be."""

    node: ast.expr
    value: Value


def regroup(operation: Operation, of: Value, evaluate: Callable[[ast.expr], Value], words: Vocabulary) -> Value:
    """What a reshape of rewards gives."""
    wanted = _wanted_dimensions(operation, evaluate)
    if wanted is None:
        return Altered(of, operation.node, keeps_shape=False)
    if _is_flat(wanted, of):
        return flatten(of, operation.node)
    if _is_row(wanted, of):
        is_sure = integer(wanted[0].node) == 1 or (isinstance(wanted[1].value, Length) and wanted[1].value.is_total)
        return one_row(of, operation.node, operation.operand, is_sure)
    axis = _group_axis(wanted, of, words)
    if axis is None:
        return Altered(of, operation.node, keeps_shape=False)
    return Grouping(
        of=of,
        node=operation.node,
        operand=operation.operand,
        layout=Layout.CONSTANT_SIZE,
        axis=axis,
        rank=len(wanted),
        size=wanted[axis].node,
        is_plain=len(wanted) == 2 and axis == 1,
    )


def one_row(of: Value, node: ast.expr, operand: ast.expr, is_one_row: bool) -> Value:
    """Rewards with an axis of length one in front: one group for the whole batch."""
    if is_grouped(of) or not all(vector.rank in (None, 1) for vector in vectors(of)):
        return Altered(of, node, keeps_shape=False)
    return Grouping(of, node, operand, Layout.WHOLE_BATCH, axis=1, rank=2, is_one_row=is_one_row)


def flatten(of: Value, node: ast.expr) -> Value:
    """Rewards in one axis."""
    if isinstance(of, Vector):
        return replace(of, rank=1)
    if isinstance(of, Grouping) and not of.is_plain and of.layout is Layout.CONSTANT_SIZE:
        return Altered(of, node)
    return of if isinstance(of, Flat | Listed) else Flat(of, node)


def _wanted_dimensions(operation: Operation, evaluate: Callable[[ast.expr], Value]) -> list[Dimension] | None:
    if operation.name == "rearrange":
        return _einops_dimensions(operation, evaluate)
    if operation.name == "unflatten":
        return _unflatten_dimensions(operation, evaluate)
    nodes = dimensions(operation)
    if not nodes or (operation.name == "view" and _is_dtype(nodes)):
        return None
    return [Dimension(node, evaluate(node)) for node in nodes]


def _unflatten_dimensions(operation: Operation, evaluate: Callable[[ast.expr], Value]) -> list[Dimension] | None:
    sizes = operation.argument(1, "sizes")
    if integer(operation.argument(0, "dim")) not in (0, -1) or not isinstance(sizes, ast.Tuple | ast.List):
        return None
    return [Dimension(node, evaluate(node)) for node in sizes.elts]


def _einops_dimensions(operation: Operation, evaluate: Callable[[ast.expr], Value]) -> list[Dimension] | None:
    """`rearrange(rewards, "(b n) -> b n", n=size)`; any other pattern is not understood."""
    pattern = operation.argument(0, "pattern")
    if not (isinstance(pattern, ast.Constant) and isinstance(pattern.value, str)):
        return None
    found = _PATTERN.fullmatch(pattern.value)
    if not found or found.group(1, 2) != found.group(3, 4):
        return None
    free = ast.copy_location(ast.UnaryOp(ast.USub(), ast.copy_location(ast.Constant(1), pattern)), pattern)
    given = [operation.keyword(name) or free for name in found.group(1, 2)]
    return [Dimension(node, evaluate(node)) for node in given]


def _is_dtype(nodes: Sequence[ast.expr]) -> bool:
    """`tensor.view(torch.uint8)` reads the bytes as another type."""
    return len(nodes) == 1 and isinstance(nodes[0], ast.Attribute) and nodes[0].attr not in ("shape", "size")


def _is_flat(wanted: Sequence[Dimension], of: Value) -> bool:
    if len(wanted) != 1:
        return False
    (only,) = wanted
    return integer(only.node) == -1 or _is_length(only.value, of) or _is_shape_of_vector(only)


def _is_shape_of_vector(only: Dimension) -> bool:
    """`advantages.view(rewards.shape)`, where the shape evaluates to the length of a vector."""
    return isinstance(only.value, Length)


def _is_length(value: Value, of: Value) -> bool:
    if not isinstance(value, Length):
        return False
    for vector in vectors(of):
        if value.origin is vector.origin or (
            vector.samples and value.sequence and value.sequence == ast.unparse(vector.samples.sequence)
        ):
            return True
    return False


def _is_row(wanted: Sequence[Dimension], of: Value) -> bool:
    """(1, -1), (1, N) or (-1, N): all samples in one row."""
    if len(wanted) != 2:
        return False
    first, second = wanted
    covers = _is_length(second.value, of)
    return (integer(first.node) == 1 and (integer(second.node) == -1 or covers)) or (
        integer(first.node) == -1 and covers
    )


def _group_axis(wanted: Sequence[Dimension], of: Value, words: Vocabulary) -> int | None:
    """The axis whose length is a group size; None where there is none, or nothing tells which."""
    if len(wanted) < 2 or not is_reward_like(of):
        return None
    is_strong = any(vector.is_strong for vector in vectors(of))
    named = [axis for axis, dimension in enumerate(wanted) if _is_named_size(dimension, is_strong, words)]
    if named:
        return named[-1]
    counts_groups = integer(wanted[0].node) == -1 or isinstance(wanted[0].value, GroupCount)
    is_about_samples = words.is_about_prompts or any(
        vector.samples and vector.samples.attributes for vector in vectors(of)
    )
    if len(wanted) != 2 or not is_strong or not counts_groups or not is_about_samples:
        return None
    return 1 if _may_be_size(wanted[1], words) else None


def _is_named_size(dimension: Dimension, is_strong: bool, words: Vocabulary) -> bool:
    """Whether a dimension has a group size's name: any of them for rewards, a telling one for scores and returns."""
    return any(words.is_group_size(name, is_strong) for name in _names(dimension.value))


def _may_be_size(dimension: Dimension, words: Vocabulary) -> bool:
    """A constant under a name that is not known: a literal above 2 (two are pairs), or a name of no other axis."""
    literal = integer(dimension.node)
    if literal is not None:
        return literal > 2
    names = _names(dimension.value)
    return bool(names) and not any(words.is_other_axis(name) for name in names)


def _names(value: Value) -> frozenset[str]:
    match value:
        case Scalar(names=names):
            return names
        case Choice(then=then, orelse=orelse):
            return _names(then) | _names(orelse)
        case Length() | GroupCount():
            return frozenset()
        case _:
            return frozenset()
