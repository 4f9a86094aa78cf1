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
        case ast.Compare(ops=[ast.In()], comparators=[container]) if is_empty(container):
            return False
        case ast.Compare(left=ast.Call(func=ast.Name(id="len")), ops=[ast.Lt()], comparators=[ast.Constant(value=0)]):
            return False
        case ast.Call(func=ast.Name(id="any" | "all" as name), args=[given], keywords=[]) if is_empty(given):
            return name == "all"
        case ast.Compare(left=left, ops=[comparison], comparators=[ast.Tuple(elts=parts)]) if _is_version(left):
            return _is_of_all_versions(comparison, parts)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            inner = truth(operand, lookup)
            return None if inner is None else not inner
        case ast.BoolOp(op=ast.And(), values=values):
            found = [truth(each, lookup) for each in values]
            is_never = False in found or _has_opposites(values)
            return False if is_never else None if None in found else True
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
        case ast.Compare(left=left, ops=[ast.In() | ast.NotIn() as comparison], comparators=[container]):
            return isinstance(comparison, ast.In) == _is_among(left, container, lookup, depth)
        case ast.Compare(left=left, ops=[comparison], comparators=[right]) if type(comparison) in _COMPARISONS:
            return _compared(type(comparison), _value(left, lookup, depth + 1), _value(right, lookup, depth + 1))
        case ast.Call(func=ast.Name(id="bool"), args=[inner], keywords=[]):
            return bool(_value(inner, lookup, depth + 1))
    raise _Unknown


def _is_among(left: ast.expr, container: ast.expr, lookup: Lookup, depth: int) -> bool:
    """Whether a constant is in a collection of constants."""
    if not isinstance(container, ast.Tuple | ast.List | ast.Set):
        raise _Unknown
    value = _value(left, lookup, depth + 1)
    return any(value == _value(each, lookup, depth + 1) for each in container.elts)


def _has_opposites(values: Sequence[ast.expr]) -> bool:
    """Whether a condition without calls stands beside its opposite."""
    negated = {
        ast.dump(each.operand) for each in values if isinstance(each, ast.UnaryOp) and isinstance(each.op, ast.Not)
    }
    plain = (each for each in values if not any(isinstance(node, ast.Call | ast.Await) for node in ast.walk(each)))
    return any(ast.dump(each) in negated for each in plain)


def is_empty(sequence: ast.expr) -> bool:
    """Whether a loop over it has no rounds."""
    match sequence:
        case ast.Tuple(elts=[]) | ast.List(elts=[]) | ast.Constant(value="" | b"") | ast.Dict(keys=[]):
            return True
        case ast.Call(func=ast.Name(id="range"), args=[ast.Constant(value=int(stop))], keywords=[]):
            return stop <= 0
        case ast.Call(func=ast.Name(id="list" | "tuple" | "set" | "dict" | "frozenset"), args=[], keywords=[]):
            return True
    return False


def _compared(comparison: type[ast.cmpop], left: object, right: object) -> object:
    try:
        return _COMPARISONS[comparison](left, right)
    except TypeError as error:
        raise _Unknown from error
