"""Group statistics: which reduction is one, what shape it has, and what arithmetic makes of it."""

from __future__ import annotations

import ast
from dataclasses import replace

from grpo_lint.flow.groupings import pattern_of, split_by
from grpo_lint.flow.operations import STATISTICS, Operation, axes, integer, truth
from grpo_lint.flow.shapes import Evaluate
from grpo_lint.flow.traversal import (
    alternatives,
    groupings,
    is_grouped,
    is_reward_like,
    layouts,
    map_alternatives,
    share_origin,
    vectors,
    walk,
)
from grpo_lint.flow.values import (
    UNKNOWN,
    Altered,
    Centred,
    Element,
    Enlarged,
    GroupCount,
    Grouping,
    Kind,
    LeaveOneOut,
    Length,
    Ratio,
    Row,
    Scalar,
    Scale,
    Scaled,
    Spread,
    Statistic,
    Value,
    Vector,
)
from grpo_lint.flow.vocabulary import Vocabulary

_BASELINES = (Kind.MEAN, Kind.MEDIAN)
_FLAGS = frozenset({"keepdim", "keepdims", "unbiased"})
_POPULATION = {"torch": 1, "numpy": 0, "jax": 0, "mlx": 0}


def reduce(operation: Operation, of: Value) -> Value:
    """What a mean, sum, std or var of rewards is: a group statistic if it runs along the group axis, else unknown."""
    if any(isinstance(part, Row) for part in alternatives(of)):
        return _of_a_row(operation, of)
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


def _of_a_row(operation: Operation, of: Value) -> Value:
    """`row.mean()`: over all that the row has."""
    asked = operation.argument(0, "dim", "axis")
    if asked is not None and axes(asked) not in ((0,), (-1,)):
        return UNKNOWN
    return of_row(Kind(STATISTICS[operation.name]), of, operation.node)


def of_row(kind: Kind, of: Value, node: ast.expr) -> Value:
    """A statistic of one group's values, which stand in a row."""
    return Statistic(kind, of, node, Spread.NUMBER, library=library_of(of), is_exact=False)


def of_rows(element: Value, node: ast.expr) -> Value:
    """What a comprehension over the rows of groups gives: a statistic of each, or their values in another form."""
    if isinstance(element, Statistic):
        return replace(element, spread=Spread.ROWS)
    return Altered(element, node, keeps_shape=False) if is_reward_like(element) else UNKNOWN


def reduced_by_pattern(operation: Operation, of: Value, evaluate: Evaluate, words: Vocabulary) -> Value:
    """`reduce(rewards, "(p n) -> p", "mean", n=size)` of einops, or of groups, `reduce(grid, "p n -> p 1", "mean")`."""
    pattern = pattern_of(operation)
    asked = operation.argument(1, "reduction")
    name = asked.value if isinstance(asked, ast.Constant) else None
    if pattern is None or name not in ("mean", "sum"):
        return UNKNOWN
    grid = split_by(operation, pattern, of, evaluate, words) if pattern.is_split else of
    found = layouts(grid)
    if not found or any(layout.axis > 1 or layout.rank != 2 + len(pattern.others) for layout in found):
        return UNKNOWN
    is_kept = pattern.without(found[0].axis)
    if is_kept is None:
        return UNKNOWN
    spread = Spread.COLUMN if is_kept else Spread.ROWS
    return Statistic(Kind(name), grid, operation.node, spread, library=library_of(of))


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
    if _is_centrable(left) and is_baseline(right) and _is_of(left, right):
        return Centred(left, right, node)
    if is_statistic(left, Kind.SUM) and _is_centrable(right) and share_origin(left, right):
        return LeaveOneOut(left, right, None)
    if isinstance(left, Altered) and is_statistic(right, Kind.SUM) and share_origin(left, right):
        return Centred(left, right, node)  # `n * rewards - sum`
    return None


def divide(node: ast.AST, left: Value, right: Value, dividend: ast.expr, divisor: ast.expr) -> Value | None:
    """`left / right`, where that is scaling, a mean, or a leave-one-out baseline; else None."""
    if _is_centrable(left) and is_scale(right) and _is_of(left, right):
        return Scaled(left, right, node)
    if isinstance(left, LeaveOneOut):
        return replace(left, others=divisor)
    if isinstance(left, Enlarged) and left.over is None and _is_one_less(divisor, left.by):
        return replace(left, over=divisor, node=node)
    if isinstance(left, Scalar) and _is_one_less(divisor, dividend):
        return Ratio(dividend, divisor)
    if is_statistic(left, Kind.SUM) and isinstance(right, Scalar | Length | GroupCount):
        return map_alternatives(left, _mean_from_sum)
    return None


def _is_of(values: Value, statistic: Value) -> bool:
    """Whether a statistic is of these rewards, or of those that were read off samples, of which this is one's."""
    return share_origin(values, statistic) or any(
        isinstance(one.origin, ast.Attribute) and one.origin.attr in of.samples.attributes
        for one in vectors(values)
        for of in vectors(statistic)
        if of.samples is not None
    )


def _is_centrable(value: Value) -> bool:
    """Rewards, or one of them in a loop."""
    return is_reward_like(value) or any(isinstance(part, Element) for part in alternatives(value))


def _is_one_less(node: ast.expr, than: ast.expr) -> bool:
    """`n - 1` beside `n`."""
    match node:
        case ast.BinOp(left=left, op=ast.Sub(), right=ast.Constant(value=1)):
            return ast.dump(left) == ast.dump(than)
        case _:
            return False


def multiply(node: ast.AST, left: Value, right: Value, by: ast.expr) -> Value | None:
    """`left * right`, where that is centred rewards times n or n / (n - 1), or a mean times n, a sum; else None."""
    if isinstance(left, Centred) and isinstance(right, Ratio) and ast.unparse(right.by) in _sizes(left):
        return Enlarged(left, right.by, right.over, node)
    if not isinstance(right, Scalar) or not groupings(left) or ast.unparse(by) not in _sizes(left):
        return None
    if isinstance(left, Centred):
        return Enlarged(left, by, None, node)
    return map_alternatives(left, _sum_from_mean) if is_statistic(left, Kind.MEAN) else None


def _sizes(value: Value) -> set[str]:
    """The group sizes of the groupings in a value, as written."""
    return {ast.unparse(part.size) for part in walk(value) if isinstance(part, Grouping) and part.size is not None}


def _sum_from_mean(value: Value) -> Value:
    return replace(value, kind=Kind.SUM) if isinstance(value, Statistic) else value


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
