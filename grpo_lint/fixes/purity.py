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
) - {"reduce", "compress", "where", "shuffle"}
_FUNCTIONS = frozenset({"where", "zeros_like", "ones_like", "empty_like"})
_LOGS = frozenset({"log", "print", "info", "debug", "warning", "logger"})
_IMPURE = ast.Await | ast.Yield | ast.YieldFrom | ast.NamedExpr | ast.Starred


def is_pure(node: ast.AST, aliases: Aliases) -> bool:
    """Whether an expression may be left out, since it only reads and computes."""
    return not any(
        isinstance(part, _IMPURE) or (isinstance(part, ast.Call) and not _is_pure_call(part, aliases))
        for part in walk_nodes(node)
    )


def is_method_of_values(name: str) -> bool:
    """Whether a method of this name reads and computes on whatever has it: many things can be shuffled or sorted."""
    return name in _METHODS - REORDERINGS and not name.endswith("_")


def is_function_of_values(call: ast.Call, aliases: Aliases) -> bool:
    """Whether a call only computes with its arguments: a library's function, or a method that many kinds have."""
    if aliases.library(call.func):
        return _is_library_function(call, aliases) and all(keyword.arg != "out" for keyword in call.keywords)
    return isinstance(call.func, ast.Attribute) and is_method_of_values(call.func.attr)


def is_log(name: str) -> bool:
    """Whether a function of this name writes a log, which changes nothing that it is given."""
    return not _LOGS.isdisjoint(name.lower().split("_"))


def _is_library_function(call: ast.Call, aliases: Aliases) -> bool:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if name == "reduce":  # of einops it computes; of others it sends values to other processes
        return aliases.library(call.func) == "einops"
    return name in _METHODS | _FUNCTIONS and "random" not in ast.unparse(call.func)


def _is_pure_call(call: ast.Call, aliases: Aliases) -> bool:
    if aliases.library(call.func):
        return _is_library_function(call, aliases)
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
