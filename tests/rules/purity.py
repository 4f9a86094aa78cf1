"""What code may change besides the names that it assigns."""

from __future__ import annotations

import ast

from programs import name_called

# Calls that change nothing and read nothing but their arguments.
_PURE = frozenset(
    "abs array asarray clone detach double enumerate expand_as flatten float get getattr int len list max mean median "
    "min numel permute range ravel repeat_interleave reshape size squeeze std std_mean sum t tensor to tolist "
    "transpose tuple unflatten unsqueeze var view view_as zeros_like zip".split()
)
_TIED = (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)


def effects(node: ast.AST) -> list[ast.AST]:
    """The calls in a node that may change something, and what suspends or binds in an expression."""
    return [each for each in ast.walk(node) if isinstance(each, _TIED) or _may_change(each)]


def _may_change(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and name_called(node) not in _PURE


def only_assigns(statement: ast.stmt) -> bool:
    """Whether a statement only gives names values, without any effect besides."""
    if not isinstance(statement, ast.Assign | ast.AnnAssign):
        return False
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    return all(isinstance(each, ast.Name) for each in targets) and not effects(statement)
