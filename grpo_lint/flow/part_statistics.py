"""Statistics of one group's values, or of all samples at once: numbers, whatever library or builtin computes them."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from grpo_lint.flow.aliases import Aliases
from grpo_lint.flow.operations import STATISTICS, Operation, axes, integer
from grpo_lint.flow.statistics import correction_of
from grpo_lint.flow.traversal import alternatives, groupings, map_alternatives, share_origin, vectors
from grpo_lint.flow.values import (
    UNKNOWN,
    Element,
    Grouping,
    Kind,
    Layout,
    PerGroup,
    Scale,
    Spread,
    Statistic,
    Value,
    Vector,
)

# Python's own, with the divisor's correction where they have one.
_PYTHON: dict[str, tuple[Kind, int | None]] = {
    "statistics.mean": (Kind.MEAN, None),
    "statistics.fmean": (Kind.MEAN, None),
    "statistics.median": (Kind.MEDIAN, None),
    "statistics.stdev": (Kind.STD, 1),
    "statistics.variance": (Kind.VAR, 1),
    "statistics.pstdev": (Kind.STD, 0),
    "statistics.pvariance": (Kind.VAR, 0),
}
_OUTER_AXES = ((0,), (-1,))


def reduce_part(operation: Operation, of: Vector) -> Value:
    """What a mean, sum, std or var of a part is; of all samples, where the vector is no part. UNKNOWN for an axis."""
    asked = axes(operation.argument(0, "dim", "axis"))
    given = operation.argument(0, "dim", "axis") if not _is_flag(operation) else None
    if given is not None and (asked not in _OUTER_AXES or of.part is None):
        return UNKNOWN
    library = operation.library or of.library or ("torch" if _has_torch_keyword(operation) else None)
    spread = operation.name.removeprefix("nan") in ("std", "var")
    return Statistic(
        Kind(STATISTICS[operation.name]),
        of.part or whole(of, operation.operand),
        operation.node,
        Spread.NUMBER,
        _correction(operation, library) if spread else None,
        library,
        is_exact=not operation.name.startswith("nan"),
    )


def _is_flag(operation: Operation) -> bool:
    """`rewards.std(False)`: torch's first argument may be the flag for the divisor."""
    return (
        bool(operation.arguments)
        and isinstance(operation.arguments[0], ast.Constant)
        and isinstance(operation.arguments[0].value, bool)
    )


def _correction(operation: Operation, library: str | None) -> int | None:
    if library == "pandas":
        return correction_of(operation, "torch")
    if _is_flag(operation):
        return int(operation.arguments[0].value)  # type: ignore[attr-defined]
    return correction_of(operation, library)


def _has_torch_keyword(operation: Operation) -> bool:
    return not {"dim", "keepdim", "unbiased"}.isdisjoint(name for name, _ in operation.keywords)


def whole(of: Vector, operand: ast.expr) -> Grouping:
    """All samples of a vector as they are."""
    return Grouping(of, operand, operand, Layout.BATCH, axis=0, rank=1, is_plain=False)


def python_statistic(node: ast.Call, arguments: Sequence[Value], aliases: Aliases) -> Value | None:
    """`statistics.stdev(rewards)` and `sum(rewards)`, of one group or of all samples; None for anything else."""
    if not arguments or not isinstance(arguments[0], Vector):
        return None
    of = arguments[0]
    if isinstance(node.func, ast.Name) and node.func.id == "sum":
        kind, correction = Kind.SUM, None
    else:
        found = _PYTHON.get(aliases.qualify(node.func) or "")
        if found is None:
            return None
        kind, correction = found
    return Statistic(kind, of.part or whole(of, node.args[0]), node, Spread.NUMBER, correction, "python")


def aggregate(node: ast.Call, of: Value) -> Value | None:
    """`by_prompt.transform("std")` of a table's column by groups; None for anything else."""
    match of, node:
        case Vector(part=Grouping() as part, library="pandas"), ast.Call(
            func=ast.Attribute(attr="transform" | "agg" | "aggregate"),
            args=[ast.Constant(value=str(name))],
            keywords=options,
        ) if name in STATISTICS:
            kind = Kind(STATISTICS[name])
            correction = _ddof(options) if kind in (Kind.STD, Kind.VAR) else None
            return Statistic(kind, part, node, Spread.FLAT, correction, "pandas")
        case _:
            return None


def _ddof(options: list[ast.keyword]) -> int | None:
    """Pandas divides by one less than the number of values, unless it is told otherwise."""
    given = next((option.value for option in options if option.arg in ("ddof", None)), None)
    return 1 if given is None else integer(given)


def is_of_part(value: Value) -> bool:
    """Whether a value is, in at least one alternative, a statistic of a part or of all samples at once."""
    return any(_is_number(found) for found in alternatives(value))


def is_only_of_parts(value: Value) -> bool:
    """Whether a value is such a statistic in every alternative that is a statistic at all."""
    return is_of_part(value) and all(part.rank == 1 for part in groupings(value))


def _is_number(value: Value) -> bool:
    match value:
        case Scale(std=std):
            return _is_number(std)
        case Statistic(of=Grouping(rank=1)):
            return True
        case _:
            return False


def held(value: Value) -> Value:
    """What is computed with where statistics are looked up or spread over the samples: the statistics."""
    return map_alternatives(value, lambda part: part.item if isinstance(part, PerGroup) else part)


def single(value: Value) -> Value:
    """One value of a vector is about the same rewards."""
    return map_alternatives(value, lambda part: part.of if isinstance(part, Element) else part)


def concern_each_other(values: Value, statistic: Value) -> bool:
    """Whether values and a statistic are of the same rewards: by origin, or read under the same name."""
    if share_origin(values, statistic):
        return True
    names = {vector.name for vector in vectors(values)} - {""}
    return any(vector.name in names for vector in vectors(statistic))
