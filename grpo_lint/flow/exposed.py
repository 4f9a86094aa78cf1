"""Sample standard deviations of groups whose size varies, and what is done with them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from grpo_lint.flow.decisions import is_named_decision
from grpo_lint.flow.facts import FunctionFacts, Normalising, Role
from grpo_lint.flow.guards import is_guarded
from grpo_lint.flow.nodes import walk_nodes
from grpo_lint.flow.traversal import walk
from grpo_lint.flow.values import Grouping, Kind, Layout, Statistic


@dataclass(frozen=True, slots=True, eq=False)
class ExposedSpread:
    """A sample spread of `grouping`, in `node`, that is NaN for one sample, and its `use` as a scale or a filter."""

    node: ast.expr
    grouping: Grouping
    use: ast.AST
    is_filter: bool
    raises: bool


def unguarded_spreads(facts: FunctionFacts) -> Iterator[ExposedSpread]:
    """The sample spreads of groups that may have one sample, where nothing tests that: each once."""
    seen: set[ast.expr] = set()
    for normalising in facts.normalisings:
        for spread in _sample_spreads(normalising):
            if spread.node in seen or not _matters(facts, normalising, spread):
                continue
            if not is_guarded(facts, spread, normalising.role is Role.FILTER):
                seen.add(spread.node)
                yield _exposed(normalising, spread)


def _exposed(normalising: Normalising, spread: Statistic) -> ExposedSpread:
    assert isinstance(spread.of, Grouping)
    is_filter = normalising.role is Role.FILTER
    return ExposedSpread(spread.node, spread.of, normalising.node, is_filter, spread.library == "python")


def _sample_spreads(normalising: Normalising) -> Iterator[Statistic]:
    for part in walk(normalising.statistic):
        match part:
            case Statistic(kind=Kind.STD | Kind.VAR, correction=1, of=Grouping(rank=1)):
                yield part


def _matters(facts: FunctionFacts, normalising: Normalising, spread: Statistic) -> bool:
    grouping = spread.of
    assert isinstance(grouping, Grouping)
    if grouping.is_varying:
        return normalising.role is Role.SCALE or (
            normalising.role is Role.FILTER and _fails_on_nan(normalising, spread) and not _is_scaled(facts, grouping)
        )
    is_one_groups = grouping.layout is Layout.BATCH and normalising.role is Role.FILTER
    return is_one_groups and _fails_on_nan(normalising, spread) and _is_named_filter(facts, normalising)


def _is_scaled(facts: FunctionFacts, grouping: Grouping) -> bool:
    """Whether the group is scaled as well: then a comparison of its spread is what keeps NaN out."""
    return any(use.role is Role.SCALE for use in facts.uses(grouping))


def _fails_on_nan(normalising: Normalising, spread: Statistic) -> bool:
    """`std > 0`, `0 < std`: false for NaN, where a group that has a spread is meant to pass."""
    match normalising.node:
        case ast.Compare(left=left, ops=[ast.Gt() | ast.GtE()], comparators=[_]):
            return spread.node in walk_nodes(left) or not isinstance(left, ast.Constant)
        case ast.Compare(left=ast.Constant(), ops=[ast.Lt() | ast.LtE()], comparators=[_]):
            return True
        case _:
            return False


def _is_named_filter(facts: FunctionFacts, normalising: Normalising) -> bool:
    """Whether names say that one group's values are looked at to keep or drop them; branches alone do not."""
    return is_named_decision(normalising.node, facts.function_of(normalising.node), facts.definitions)
