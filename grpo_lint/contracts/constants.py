"""Conditions that are always the same."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import TypeAlias

Lookup: TypeAlias = "Callable[[ast.expr], ast.expr | None]"

_DEPTH = 20
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
