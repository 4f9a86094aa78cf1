"""How deep a syntax tree may be: whatever walks it by recursion must survive it."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from contextlib import contextmanager

MAX_DEPTH = 500
_LEAVES = (ast.Constant, ast.Name)  # of which a file of data holds millions


class TooDeep(Exception):
    """The code is nested deeper than can be analysed."""


def require_shallow(tree: ast.Module) -> None:
    """Raise TooDeep for a tree that recursion might not survive: counted iteratively, and only where it can be deep."""
    pending: list[tuple[ast.AST, int, int]] = [(tree, 0, 1)]
    while pending:
        node, depth, line = pending.pop()
        if depth > MAX_DEPTH:
            raise TooDeep(f"nested more than {MAX_DEPTH} levels deep near line {line}, which is not analysed")
        line = getattr(node, "lineno", line)
        for child in _inner_children(node):
            if isinstance(child, ast.expr | ast.stmt) and _is_short(child):
                continue
            is_elif = isinstance(child, ast.If) and isinstance(node, ast.If) and node.orelse == [child]
            pending.append((child, depth + (not is_elif), line))


def _inner_children(node: ast.AST) -> Iterator[ast.AST]:
    """The children of a node that may have children. `ast.iter_child_nodes` takes twice as long."""
    for value in vars(node).values():
        if isinstance(value, list):
            yield from [child for child in value if isinstance(child, ast.AST) and type(child) not in _LEAVES]
        elif isinstance(value, ast.AST):
            yield value


def _is_short(node: ast.expr | ast.stmt) -> bool:
    """Whether a piece of code has too few characters for many levels: each level takes one at least."""
    return node.end_lineno == node.lineno and (node.end_col_offset or 0) - node.col_offset < MAX_DEPTH // 2


@contextmanager
def recursion_limit(limit: int) -> Iterator[None]:
    """For a while, let recursion go so deep and no deeper."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(limit)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
