"""Whether evaluating an expression can do anything but give a value."""

from __future__ import annotations

import ast

from grpo_lint.flow.aliases import Aliases
from grpo_lint.flow.groupings import FLATTENINGS, RESHAPES
from grpo_lint.flow.nodes import walk_nodes
from grpo_lint.flow.operations import CONVERSIONS, COPIES, ELEMENTWISE, REORDERINGS, STATISTICS

_BUILTINS = frozenset(
    "len int float bool str getattr hasattr isinstance min max abs sum list tuple range round zip".split()
)
_READERS = frozenset(
    "get size numel dim tolist item expand expand_as unsqueeze squeeze repeat_interleave sub div".split()
)
_METHODS = (
    _READERS | RESHAPES | FLATTENINGS | COPIES | CONVERSIONS | ELEMENTWISE | REORDERINGS | frozenset(STATISTICS)
) - {"reduce", "compress", "where"}
_FUNCTIONS = frozenset({"where", "zeros_like", "ones_like", "empty_like"})
_IMPURE = ast.Await | ast.Yield | ast.YieldFrom | ast.NamedExpr | ast.Starred


def is_pure(node: ast.AST, aliases: Aliases) -> bool:
    """Whether an expression may be left out, since it only reads and computes."""
    return not any(
        isinstance(part, _IMPURE) or (isinstance(part, ast.Call) and not _is_pure_call(part, aliases))
        for part in walk_nodes(node)
    )


def _is_pure_call(call: ast.Call, aliases: Aliases) -> bool:
    if aliases.library(call.func):
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        return name in _METHODS | _FUNCTIONS and "random" not in ast.unparse(call.func)
    match call.func:
        case ast.Name(id=name):
            return name in _BUILTINS
        case ast.Attribute(attr=name):
            return name in _METHODS or name == "get_reward_value"
        case _:
            return False


def is_movable(node: ast.AST) -> bool:
    """Whether a condition may be evaluated in another place: it calls nothing but `getattr` and `.get`."""
    return not any(
        isinstance(part, _IMPURE) or (isinstance(part, ast.Call) and not _is_lookup(part)) for part in walk_nodes(node)
    )


def _is_lookup(call: ast.Call) -> bool:
    match call.func:
        case ast.Name(id="getattr") | ast.Attribute(attr="get"):
            return True
        case _:
            return False
