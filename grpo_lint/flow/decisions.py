"""Whether a comparison decides which samples are kept, rather than being counted or logged."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from grpo_lint.flow.facts import Definition, Function
from grpo_lint.flow.nodes import walk_nodes
from grpo_lint.flow.vocabulary import tokens

_DECISIONS = frozenset(
    "filter filters filtering keep keeps kept accept accepts reject select drop discard nonzero zero valid "
    "dynamic informative".split()
)
_METRICS = frozenset("metric metrics log logs logging stat stats count ratio frac fraction rate".split())
_COUNTS = frozenset({"sum", "len", "any", "all"})
_Gathering = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp


def decides(node: ast.AST, function: ast.AST, definitions: Iterable[Definition]) -> bool:
    """Whether names say so, or branches, or the filter of a comprehension that is not counted."""
    if is_named_decision(node, function, definitions):
        return True
    nodes = walk_nodes(function)
    counted = {argument for each in nodes for argument in _counted(each)}
    return any(_leads_on(each, node) for each in nodes if each not in counted)


def is_named_decision(node: ast.AST, function: ast.AST, definitions: Iterable[Definition]) -> bool:
    """Whether the function, or what is given the result of a comparison, has the name of a decision."""
    name = function.name if isinstance(function, Function) else ""
    names = [name, *(found.name for found in definitions if found.right is node)]
    keywords = [each for each in walk_nodes(function) if isinstance(each, ast.keyword)]
    names += [each.arg or "" for each in keywords if each.value is node]
    is_metric = not _METRICS.isdisjoint(tokens(name))
    return not is_metric and any(not _DECISIONS.isdisjoint(tokens(each)) for each in names)


def _counted(node: ast.AST) -> list[ast.expr]:
    match node:
        case ast.Call(func=ast.Name(id=name), args=arguments) if name in _COUNTS:
            return arguments
        case _:
            return []


def _leads_on(holder: ast.AST, node: ast.AST) -> bool:
    """Whether a branch on the comparison keeps or leaves something, or a comprehension leaves out what fails it."""
    match holder:
        case ast.If(test=test, body=body, orelse=orelse) if node in walk_nodes(test):
            return any(_keeps(part) for statement in (*body, *orelse) for part in walk_nodes(statement))
        case ast.ListComp(elt=element) | ast.SetComp(elt=element) | ast.GeneratorExp(elt=element):
            is_filter = not isinstance(element, ast.Constant)
        case ast.DictComp():
            is_filter = True
        case _:
            return False
    assert isinstance(holder, _Gathering)
    conditions = [each for generator in holder.generators for each in generator.ifs]
    return is_filter and any(node in walk_nodes(each) for each in conditions)


def _keeps(node: ast.AST) -> bool:
    match node:
        case ast.Continue() | ast.Return() | ast.Yield() | ast.YieldFrom():
            return True
        case ast.Call(func=ast.Attribute(attr="append" | "extend" | "add" | "remove" | "pop")):
            return True
        case _:
            return False
