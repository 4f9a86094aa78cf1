"""How a list is filled and changed: by a loop that appends to it, by its methods, by a helper that it is handed to."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache

from grpo_lint.flow.environment import Append, Environment
from grpo_lint.flow.facts import Function
from grpo_lint.flow.nodes import walk_nodes

MUTATORS = frozenset("append clear extend insert pop remove reverse sort".split())
_SIMPLE_JUMPS = ast.Return | ast.Raise | ast.Break | ast.Continue


def appends_in(loop: ast.For) -> Iterator[Append]:
    """The statements in a loop that append to a list, with whether each round of the loop comes by, once."""
    nodes = walk_nodes(loop)
    names = [name for node in nodes if (name := _appended_to(node)) is not None]
    if not names:
        return
    is_whole = not any(isinstance(node, _SIMPLE_JUMPS) for node in nodes) and not _rebinds_target(loop)
    for statement in nodes:
        match statement:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append"), args=[value])):
                is_of_every_round = is_whole and names.count(name) == 1 and statement in loop.body
                yield Append(statement, name, value, is_of_every_round)


def _appended_to(node: ast.AST) -> str | None:
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append")):
            return name
        case _:
            return None


def changes_parameter(function: Function, position: int) -> bool:
    """Whether a helper changes the list that it is given at a position."""
    parameters = [*function.args.posonlyargs, *function.args.args]
    return position < len(parameters) and parameters[position].arg in _changed_in(function)


@lru_cache(maxsize=64)  # each call of a helper asks
def _changed_in(function: Function) -> frozenset[str]:
    """The names of what a function changes in place."""
    return frozenset(name for node in walk_nodes(function) if (name := _changed_by(node)) is not None)


def _changed_by(node: ast.AST) -> str | None:
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr=method)) if method in MUTATORS:
            return owner
        case ast.Call(func=ast.Attribute(attr="shuffle"), args=[ast.Name(id=owner)]):
            return owner
        case ast.Subscript(value=ast.Name(id=owner), ctx=ast.Store() | ast.Del()):
            return owner
    return None


def _rebinds_target(loop: ast.For) -> bool:
    """Whether the body gives the loop variable another value."""
    targets = {node.id for node in walk_nodes(loop.target) if isinstance(node, ast.Name)}
    stores = [node for statement in loop.body for node in walk_nodes(statement) if isinstance(node, ast.Name)]
    return any(isinstance(node.ctx, ast.Store) and node.id in targets for node in stores)


def starts_empty(env: Environment, name: str) -> bool:
    """Whether a list was empty before the loop: its one definition is `name = []`."""
    binding = env.bindings.get(name)
    if binding is None or len(binding.definitions) != 1:
        return False
    (definition,) = binding.definitions
    match definition.right:
        case ast.List(elts=[]) | ast.Call(func=ast.Name(id="list"), args=[], keywords=[]):
            return True
        case _:
            return False
