"""Whether code makes sure that a group has two samples before it relies on the spread of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from grpo_lint.flow.facts import Function, FunctionFacts
from grpo_lint.flow.lineage import names_behind
from grpo_lint.flow.lone_samples import tells_lone
from grpo_lint.flow.nodes import walk_nodes
from grpo_lint.flow.traversal import alternatives, groupings
from grpo_lint.flow.values import Bucket, Buckets, Each, Grouping, Layout, PerGroup, Several, Statistic, Value, Vector
from grpo_lint.flow.view import nodes_in_view, spans

# What looks at, or takes away, a spread that is NaN.
_NAN_CARE = frozenset("nan_to_num nan_to_num_ isnan isfinite fillna notna isna notnull isnull dropna".split())


def is_guarded(facts: FunctionFacts, statistic: Statistic, is_filter: bool) -> bool:
    """Whether anything tests the size or the values of the group, or takes care of NaN, where the spread is taken.

    Before a division, a comparison of the spread itself is such a test; in a filter it is what fails.
    """
    if statistic.library == "python" and _is_tried(facts, statistic.node):
        return True
    (grouping,) = groupings(statistic)[:1]
    about_group = _names_of(facts, grouping)
    about_spread = frozenset[str]() if is_filter else _names_that_hold(facts, statistic)
    return any(
        _takes_care_of_nan(nodes) or _has_test(facts, nodes, about_group, about_spread)
        for nodes in _scopes(facts, statistic.node)
    )


def _is_tried(facts: FunctionFacts, node: ast.expr) -> bool:
    """Whether the error that Python's own statistics raise of one value is caught."""
    tries = [each for each in facts.nodes_around(node) if isinstance(each, ast.Try) and each.handlers]
    return any(node in walk_nodes(statement) for each in tries for statement in each.body)


def _scopes(facts: FunctionFacts, node: ast.expr) -> Iterator[list[ast.AST]]:
    """The nodes of the function that was walked, and of the helpers in which a node stands."""
    yield facts.nodes_around(node)
    if not facts.owns(node):
        found = [each for each in walk_nodes(facts.module.tree) if isinstance(each, Function) and spans(each, node)]
        yield from (nodes_in_view(each, node) for each in found)


def _takes_care_of_nan(nodes: list[ast.AST]) -> bool:
    """Whether NaN is taken out, or the groups that give it are: `by_prompt.filter(lambda group: len(group) > 1)`."""
    for node in nodes:
        match node:
            case ast.Call(func=ast.Attribute(attr="filter"), args=[ast.Lambda(body=test)]) if tells_lone(test) is False:
                return True
            case ast.Compare(left=ast.Call(func=ast.Attribute(attr="transform"), args=[ast.Constant(value=what), *_])):
                if what in ("count", "size"):
                    return True
            case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)) if name in _NAN_CARE:
                return True
    return False


def _has_test(
    facts: FunctionFacts, nodes: list[ast.AST], about_group: frozenset[str], about_spread: frozenset[str]
) -> bool:
    """Whether a test is about the group, its size or its values, or about the spread."""
    for part in (part for test in _tests(nodes) for part in walk_nodes(test)):
        if isinstance(part, ast.Compare):
            own = {node.id for node in walk_nodes(part) if isinstance(node, ast.Name)}
            if not about_spread.isdisjoint(own):
                return True
            if not _is_about_emptiness(part) and not about_group.isdisjoint(names_behind(part, facts.loads)):
                return True
    return False


def _names_that_hold(facts: FunctionFacts, statistic: Statistic) -> frozenset[str]:
    held = [node for node, value in facts.values.items() if isinstance(node, ast.Name) and _is_it(value, statistic)]
    return frozenset(node.id for node in held)


def _is_it(value: Value, statistic: Statistic) -> bool:
    return any(isinstance(each, Statistic) and each.node is statistic.node for each in alternatives(value))


def _tests(nodes: list[ast.AST]) -> Iterator[ast.expr]:
    """The tests of branches, assertions, filters and `torch.where`, and what is multiplied by as a mask."""
    for node in nodes:
        match node:
            case ast.If(test=test) | ast.IfExp(test=test) | ast.Assert(test=test) | ast.While(test=test):
                yield test
            case ast.comprehension(ifs=conditions):
                yield from conditions
            case ast.BoolOp(values=values):
                yield from values[:-1]
            case ast.Call(func=ast.Attribute(attr="where") | ast.Name(id="where"), args=[test, *_]):
                yield test
            case ast.match_case(guard=ast.expr() as test):
                yield test
            case ast.Subscript(slice=ast.Compare(comparators=[ast.Constant()]) as test):
                yield test


def _is_about_emptiness(test: ast.Compare) -> bool:
    """`len(rewards) > 0`, `key in groups`, `mean is None`: true of a group of one as of any other."""
    operands = [test.left, *test.comparators]
    plain = [each for each in operands if isinstance(each, ast.Constant) and each.value in (0, None)]
    return bool(plain) or any(isinstance(op, ast.In | ast.NotIn | ast.Is | ast.IsNot) for op in test.ops)


def _names_of(facts: FunctionFacts, grouping: Grouping) -> frozenset[str]:
    """The names that hold the group, its dict, or what selects it, and those bound beside them."""
    found: set[str] = set()
    for node, value in facts.values.items():
        if isinstance(node, ast.Name) and _is_about(value, grouping):
            found.add(node.id)
            for definition in facts.loads.get(node, ()):
                found |= _targets_beside(definition.node)
    if grouping.layout is Layout.BATCH:
        found |= names_behind(grouping.node, facts.loads)
    elif isinstance(grouping.node, ast.Subscript):
        found |= names_behind(grouping.node.slice, facts.loads)
    return frozenset(found)


def _is_about(value: Value, grouping: Grouping) -> bool:
    return any(_holds(found, grouping) for found in alternatives(value))


def _holds(value: Value, grouping: Grouping) -> bool:
    match value:
        case Vector(part=Grouping(node=node)):
            return node is grouping.node
        case Vector(origin=origin, part=None):
            return grouping.layout is Layout.BATCH and isinstance(grouping.of, Vector) and origin is grouping.of.origin
        case Buckets(node=node) | Bucket(of=Buckets(node=node)):
            return node is grouping.node
        case Each(item=item) | PerGroup(item=item):
            return _is_about(item, grouping)
        case Several(items=items):
            return any(_is_about(item, grouping) for item in items)
        case _:
            return False


def _targets_beside(node: ast.AST) -> set[str]:
    match node:
        case ast.For(target=target) | ast.AsyncFor(target=target) | ast.comprehension(target=target):
            return {part.id for part in walk_nodes(target) if isinstance(part, ast.Name)}
        case _:
            return set()
