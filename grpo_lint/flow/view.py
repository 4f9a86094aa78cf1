"""What of a function has to do with one place in it, where functions stand inside functions."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from grpo_lint.flow.nodes import children_of
from grpo_lint.source import Placed

Function = ast.FunctionDef | ast.AsyncFunctionDef


def nodes_in_view(root: ast.AST, place: ast.AST) -> list[ast.AST]:
    """The nodes of a function but those of inner functions beside a place that nothing in view calls or hands on."""
    found: list[ast.AST] = []
    beside: dict[str, list[Function]] = {}
    pending = [root]
    while pending:
        for node in pending:  # which grows meanwhile
            if isinstance(node, Function) and node is not root and not spans(node, place):
                beside.setdefault(node.name, []).append(node)
            else:
                found.append(node)
                pending += children_of(node)
        named = beside.keys() & {name for node in found if isinstance(node, ast.Call) for name in _handed(node)}
        pending = [child for name in named for function in beside.pop(name) for child in children_of(function)]
    return found


def innermost_function(root: ast.AST, place: ast.AST) -> ast.AST:
    """The function, of a root and those inside it, in which a place stands; the root where it stands elsewhere."""
    innermost, pending = root, children_of(root)
    for node in pending:  # which grows meanwhile
        if isinstance(node, Function) and spans(node, place):
            innermost = node
        pending += children_of(node)
    return innermost


def spans(around: Placed, place: ast.AST) -> bool:
    """Whether a place stands in the lines of a node."""
    return around.lineno <= getattr(place, "lineno", 0) <= (around.end_lineno or 0)


def _handed(call: ast.Call) -> Iterator[str]:
    """The names of what is called, and of what the call is given."""
    for node in (call.func, *call.args, *(keyword.value for keyword in call.keywords)):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name):
                yield name
