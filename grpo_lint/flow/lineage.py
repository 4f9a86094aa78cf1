"""Where names come from: the one expression that a name was given, and the names that stand behind an expression."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from grpo_lint.flow.facts import Definition
from grpo_lint.flow.nodes import walk_nodes

Loads = Mapping[ast.Name, frozenset[Definition]]

_DEPTH = 8
_CONTAINERS = frozenset("tensor as_tensor asarray array stack list tuple to long int64 LongTensor from_numpy".split())


def definition_of(name: ast.expr, loads: Loads) -> Definition | None:
    """The only definition that reaches a name."""
    found = loads.get(name, frozenset()) if isinstance(name, ast.Name) else frozenset()
    nodes = {definition.node: definition for definition in found}
    return next(iter(nodes.values())) if len(nodes) == 1 else None


def right_of(definition: Definition | None) -> ast.expr | None:
    """The expression that a definition gives its name, also as one of a tuple: `start, end = i * n, (i + 1) * n`."""
    if definition is None or definition.right is not None:
        return definition.right if definition is not None else None
    match definition.node:
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)) if len(targets) == len(values):
            pairs = zip(targets, values, strict=True)
            return next((v for t, v in pairs if isinstance(t, ast.Name) and t.id == definition.name), None)
        case _:
            return None


def resolved(node: ast.expr, loads: Loads) -> ast.expr:
    """The expression that a name stands for, through plain assignments; the node itself where nothing tells."""
    for _ in range(_DEPTH):
        right = right_of(definition_of(node, loads))
        if right is None:
            break
        node = right
    return node


def contents(node: ast.expr, loads: Loads) -> ast.expr:
    """What a tensor or list was made of: of `torch.tensor(ids)`, through names, what `ids` stands for."""
    for _ in range(_DEPTH):
        node = resolved(node, loads)
        match node:
            case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name), args=[first, *_]) if name in _CONTAINERS:
                node = first
            case ast.Call(func=ast.Attribute(value=inner, attr=name), args=[]) if name in _CONTAINERS:
                node = inner
            case _:
                break
    return node


def names_behind(node: ast.AST, loads: Loads) -> frozenset[str]:
    """The names in an expression, and those in what they were given, back to parameters."""
    found: set[str] = set()
    pending, seen = [node], set[ast.AST]()
    while pending:
        for part in walk_nodes(pending.pop()):
            if isinstance(part, ast.Name) and part not in seen:
                seen.add(part)
                found.add(part.id)
                for definition in loads.get(part, frozenset()):
                    source = _source(definition)
                    if source is not None:
                        pending.append(source)
    return frozenset(found)


def _source(definition: Definition) -> ast.expr | None:
    """The expression behind a definition: the right side, or what a loop or a tuple of targets goes through."""
    if definition.right is not None:
        return definition.right
    match definition.node:
        case ast.For(iter=source) | ast.AsyncFor(iter=source) | ast.comprehension(iter=source):
            return source
        case ast.Assign(value=source):
            return source
        case _:
            return None
