"""Conditions that are always the same."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

Lookup: TypeAlias = "Callable[[ast.expr], ast.expr | None]"

_DEPTH = 20
_OLDEST = (3, 6)  # of the versions that may run any code of today
_COMPARISONS: Mapping[type[ast.cmpop], Callable[..., object]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


class _Unknown(Exception):
    """A value that depends on more than the text."""


def truth(test: ast.expr, lookup: Lookup) -> bool | None:
    """Whether a condition always or never holds; `lookup` gives what a name or attribute is once and for all."""
    if _is_type_checking(test):
        return False
    match test:
        case ast.Compare(ops=[ast.In()], comparators=[ast.Tuple(elts=[]) | ast.List(elts=[]) | ast.Dict(keys=[])]):
            return False
        case ast.Compare(left=left, ops=[comparison], comparators=[ast.Tuple(elts=parts)]) if _is_version(left):
            return _is_of_all_versions(comparison, parts)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            inner = truth(operand, lookup)
            return None if inner is None else not inner
        case ast.BoolOp(op=ast.And(), values=values):
            found = [truth(each, lookup) for each in values]
            return False if False in found else None if None in found else True
        case ast.BoolOp(values=values):
            found = [truth(each, lookup) for each in values]
            return True if True in found else None if None in found else False
    try:
        return bool(_value(test, lookup, 0))
    except _Unknown:
        return None


def _is_type_checking(test: ast.expr) -> bool:
    return isinstance(test, ast.Name | ast.Attribute) and ast.unparse(test).rpartition(".")[2] == "TYPE_CHECKING"


def _is_version(node: ast.expr) -> bool:
    return ast.unparse(node).rpartition(".")[2] == "version_info"


def _is_of_all_versions(comparison: ast.cmpop, parts: Sequence[ast.expr]) -> bool | None:
    """Whether a comparison with a version holds for each Python 3 that may run, or for none."""
    version = tuple(part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, int))
    if len(version) != len(parts) or not isinstance(comparison, ast.Lt | ast.LtE | ast.Gt | ast.GtE):
        return None
    is_upper = isinstance(comparison, ast.Lt | ast.LtE)
    if version <= _OLDEST:
        return not is_upper
    return is_upper if version >= (4,) else None


def _value(node: ast.expr, lookup: Lookup, depth: int) -> object:
    if depth > _DEPTH:
        raise _Unknown
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name() | ast.Attribute():
            found = lookup(node)
            if found is None:
                raise _Unknown
            return _value(found, lookup, depth + 1)
        case ast.List(elts=[]) | ast.Tuple(elts=[]) | ast.Dict(keys=[]):
            return ()
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return not _value(operand, lookup, depth + 1)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -value
        case ast.Compare(left=left, ops=[comparison], comparators=[right]) if type(comparison) in _COMPARISONS:
            return _compared(type(comparison), _value(left, lookup, depth + 1), _value(right, lookup, depth + 1))
        case ast.Call(func=ast.Name(id="bool"), args=[inner], keywords=[]):
            return bool(_value(inner, lookup, depth + 1))
    raise _Unknown


def _compared(comparison: type[ast.cmpop], left: object, right: object) -> object:
    try:
        return _COMPARISONS[comparison](left, right)
    except TypeError as error:
        raise _Unknown from error
