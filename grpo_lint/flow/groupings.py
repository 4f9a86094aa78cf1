"""What a change of shape makes of rewards: groups of a constant size, one row for the batch, or a flat vector again."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from grpo_lint.flow import einops
from grpo_lint.flow.operations import Operation
from grpo_lint.flow.shapes import Dimension, Evaluate, asked_shape, dimensions_of
from grpo_lint.flow.traversal import is_grouped, is_reward_like, map_alternatives, vectors, walk
from grpo_lint.flow.values import (
    UNKNOWN,
    Altered,
    Choice,
    Flat,
    GroupCount,
    Grouping,
    Layout,
    Leading,
    Length,
    Listed,
    Row,
    Scalar,
    Several,
    Value,
    Vector,
)
from grpo_lint.flow.vocabulary import Vocabulary, counts_prompts, is_for_each_sample, names_prompts

RESHAPES = frozenset({"view", "reshape", "unflatten", "rearrange"})
FLATTENINGS = frozenset({"flatten", "ravel", "view_as", "reshape_as"})


def regroup(operation: Operation, of: Value, evaluate: Evaluate, words: Vocabulary) -> Value:
    """What a reshape of rewards gives."""
    if operation.name == "rearrange":
        return _rearranged(operation, of, evaluate, words)
    shape = asked_shape(operation, evaluate)
    return map_alternatives(shape, lambda part: _reshaped(operation, of, part, words))


def _reshaped(operation: Operation, of: Value, shape: Value, words: Vocabulary) -> Value:
    if not isinstance(shape, Several) or not shape.nodes:
        return Altered(of, operation.node, keeps_shape=False)
    wanted, lead = _without_leading(dimensions_of(shape))
    if _is_flat(wanted, of) and not lead:
        return flatten(of, operation.node)
    if _is_row(wanted, of) and not lead:
        is_sure = wanted[0].literal == 1 or (isinstance(wanted[1].value, Length) and wanted[1].value.is_total)
        return one_row(of, operation.node, operation.operand, is_sure)
    return _grouped(operation, of, wanted, words, lead)


def _without_leading(wanted: tuple[Dimension, ...]) -> tuple[tuple[Dimension, ...], int]:
    """The dimensions behind the leading axes of rewards, and how many those count: none where rewards have one axis.

    What axes they are is not known; one stands for them, since statistics then name theirs from the end.
    """
    if not wanted or not isinstance(wanted[0].value, Leading):
        return wanted, 0
    return wanted[1:], 0 if wanted[0].value.rank == 1 else 1


def _grouped(operation: Operation, of: Value, wanted: Sequence[Dimension], words: Vocabulary, lead: int = 0) -> Value:
    axis = _group_axis(wanted, of, words)
    if axis is None or any(isinstance(part, Row) for part in walk(of)):
        return Altered(of, operation.node, keeps_shape=False)
    return Grouping(
        of=of,
        node=operation.node,
        operand=operation.operand,
        layout=Layout.CONSTANT_SIZE,
        axis=axis + lead,
        rank=len(wanted) + lead,
        size=None if _is_left_over(wanted[axis]) else wanted[axis].node,
        is_plain=len(wanted) == 2 and axis == 1 and not lead,
        count=wanted[1 - axis].node if len(wanted) == 2 else None,
    )


def transposed(of: Value, node: ast.expr) -> Value:
    """Groups as columns where they were rows, or the reverse."""
    if isinstance(of, Grouping) and of.rank == 2 and of.layout is Layout.CONSTANT_SIZE:
        return replace(of, axis=1 - of.axis, is_plain=False, is_transposed=not of.is_transposed)
    return Altered(of, node, keeps_shape=False)


def one_row(of: Value, node: ast.expr, operand: ast.expr, is_one_row: bool) -> Value:
    """Rewards with an axis of length one in front: one group for the whole batch."""
    is_part = any(isinstance(part, Row) for part in walk(of))
    if is_part or is_grouped(of) or not all(vector.rank in (None, 1) for vector in vectors(of)):
        return Altered(of, node, keeps_shape=False)
    return Grouping(of, node, operand, Layout.WHOLE_BATCH, axis=1, rank=2, is_one_row=is_one_row)


def flatten(of: Value, node: ast.expr) -> Value:
    """Rewards in one axis."""
    if isinstance(of, Vector):
        return replace(of, rank=1)
    if isinstance(of, Grouping) and not of.is_plain and of.layout is Layout.CONSTANT_SIZE:
        return Altered(of, node)
    return of if isinstance(of, Flat | Listed) else Flat(of, node)


def _rearranged(operation: Operation, of: Value, evaluate: Evaluate, words: Vocabulary) -> Value:
    """`rearrange(rewards, "(p n) -> p n", n=size)`, the way back, and one row; another pattern is not understood."""
    pattern = pattern_of(operation)
    if pattern is None:
        return Altered(of, operation.node, keeps_shape=False)
    if is_grouped(of):
        return _rearranged_groups(operation, of, pattern)
    if pattern.is_row():
        return one_row(of, operation.node, operation.operand, is_one_row=True)
    made = split_by(operation, pattern, of, evaluate, words)
    if isinstance(made, Grouping):
        if pattern.keeps_order():
            return made
        if pattern.swaps_order():
            return replace(made, axis=1 - made.axis, is_plain=False, is_transposed=True)
    return Altered(of, operation.node, keeps_shape=False)


def _rearranged_groups(operation: Operation, of: Value, pattern: einops.Pattern) -> Value:
    if len(pattern.before) == 2 and pattern.is_flattening():
        return flatten(of, operation.node)
    if len(pattern.before) == 2 and pattern.swaps_order():
        return transposed(of, operation.node)
    return Altered(of, operation.node, keeps_shape=False)


def pattern_of(operation: Operation) -> einops.Pattern | None:
    """The pattern of an einops call, where it is written out."""
    text = operation.argument(0, "pattern")
    if isinstance(text, ast.Constant) and isinstance(text.value, str):
        return einops.parse(text.value)
    return None


def split_by(operation: Operation, pattern: einops.Pattern, of: Value, evaluate: Evaluate, words: Vocabulary) -> Value:
    """The rewards after the left side of a pattern, `(p n)`: groups, if one of its two axes is a prompt's samples."""
    names = pattern.names
    if names is None or not pattern.is_split:
        return UNKNOWN
    text = operation.argument(0, "pattern") or operation.node
    free = ast.copy_location(ast.UnaryOp(ast.USub(), ast.copy_location(ast.Constant(1), text)), text)
    given = [operation.keyword(name) or free for name in names]
    wanted = [Dimension(node, evaluate(node)) for node in given]
    made = _grouped(operation, of, wanted, words)
    if isinstance(made, Grouping) and pattern.others:
        return replace(made, rank=2 + len(pattern.others), is_plain=False)
    return made


def _is_flat(wanted: Sequence[Dimension], of: Value) -> bool:
    """(-1), (N), or `rewards.shape`, which is the length of a vector."""
    if len(wanted) != 1:
        return False
    (only,) = wanted
    return only.is_free or isinstance(only.value, Length)


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
    return (first.literal == 1 and (second.is_free or covers)) or (first.is_free and covers)


def _group_axis(wanted: Sequence[Dimension], of: Value, words: Vocabulary) -> int | None:
    """The axis whose length is a group size; None where there is none, or nothing tells which."""
    if len(wanted) < 2 or not is_reward_like(of):
        return None
    is_strong = any(vector.is_strong for vector in vectors(of))
    named = [axis for axis, dimension in enumerate(wanted) if _is_named_size(dimension, is_strong, words)]
    if named:
        return named[-1]
    is_about_samples = words.is_about_prompts or any(
        vector.samples and vector.samples.attributes for vector in vectors(of)
    )
    if len(wanted) != 2 or not is_strong or not is_about_samples:
        return None
    first, second = wanted
    if (first.is_free or isinstance(first.value, GroupCount)) and _may_be_size(second, words):
        return 1
    if _counts_prompts(first) and (_is_left_over(second) or _may_be_size(second, words)):
        return 1 if _is_one_for_each_sample(of) else None
    return 0 if _counts_prompts(second) and _is_left_over(first) and _is_one_for_each_sample(of) else None


def _is_left_over(dimension: Dimension) -> bool:
    """-1, or the number of samples divided by the number of prompts."""
    return dimension.is_free or isinstance(dimension.value, GroupCount)


def _counts_prompts(dimension: Dimension) -> bool:
    """`len(prompts)` or `num_prompts`."""
    if isinstance(dimension.value, Length):
        return names_prompts(dimension.value.sequence)
    return any(counts_prompts(name) for name in _names(dimension.value))


def _is_one_for_each_sample(of: Value) -> bool:
    """Whether rewards have one axis, or a name by which they have: advantages may well be those of tokens."""
    return all(vector.rank == 1 or is_for_each_sample(vector.name) for vector in vectors(of))


def _is_named_size(dimension: Dimension, is_strong: bool, words: Vocabulary) -> bool:
    """Whether a dimension has a group size's name: any of them for rewards, a telling one for scores and returns.

    A short name, `n`, counts only where no other name of the same number tells of another axis: `n = args.num_envs`.
    """
    names = _names(dimension.value)
    sizes = [name for name in names if words.is_group_size(name, is_strong)]
    if all(words.is_short_size(name) for name in sizes):
        return bool(sizes) and not any(words.is_other_axis(name) for name in names)
    return True


def _may_be_size(dimension: Dimension, words: Vocabulary) -> bool:
    """A constant under a name that is not known: above 2 (two are pairs) where it is known, and of no other axis."""
    names, literal = _names(dimension.value), dimension.literal
    if any(words.is_other_axis(name) for name in names):
        return False
    return literal > 2 if literal is not None else bool(names)


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
