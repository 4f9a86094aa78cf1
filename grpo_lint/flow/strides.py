"""Slices whose ends are multiples of a step, and keys that are quotients of positions: groups by position."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from grpo_lint.flow.facts import Definition
from grpo_lint.flow.lineage import Loads, contents, definition_of, resolved, right_of
from grpo_lint.flow.nodes import walk_nodes
from grpo_lint.flow.operations import integer

# A sum of products: from the texts of the factors of each product to how often it is there.
Sum = Counter[tuple[str, ...]]
_DEPTH = 12


@dataclass(frozen=True, slots=True)
class Stride:
    """A slice of `size` samples; `is_multiple` where its start is written as a multiple of the size, `i * n`."""

    size: ast.expr
    is_multiple: bool


def stride_of(index: ast.expr, loads: Loads) -> Stride | None:
    """The stride of `i * n : (i + 1) * n`, or of `i : i + n` where i goes in steps of n; None for any other index."""
    ends = _ends(resolved(index, loads))
    if ends is None:
        return None
    lower, upper = (_sum(end, loads) for end in ends)
    if lower is None or upper is None:
        return None
    length = _difference(upper, lower)
    size = _size(length, ends, loads)
    if size is None or _is_of_each_round(size, loads):
        return None
    is_multiple = _is_multiple(lower, length)
    return Stride(size, is_multiple) if is_multiple or _is_stepped(ends[0], size, loads) else None


def _ends(index: ast.expr) -> tuple[ast.expr, ast.expr] | None:
    match index:
        case ast.Slice(lower=ast.expr() as lower, upper=ast.expr() as upper, step=None):
            return lower, upper
        case ast.Call(func=ast.Name(id="slice"), args=[lower, upper]):
            return lower, upper
        case _:
            return None


def _sum(node: ast.expr, loads: Loads, depth: int = 0) -> Sum | None:
    """An expression as a sum of products; None where it has other operators in it, or is too deep."""
    if depth > _DEPTH:
        return None
    literal = integer(node)
    if literal is not None:
        return Counter({(): literal})
    match node:
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() as op, right=right):
            one, other = _sum(left, loads, depth + 1), _sum(right, loads, depth + 1)
            if one is None or other is None:
                return None
            return _product(one, other) if isinstance(op, ast.Mult) else _added(one, other, isinstance(op, ast.Sub))
        case ast.Name():
            given = right_of(definition_of(node, loads))
            if isinstance(given, ast.BinOp | ast.Name | ast.Attribute):
                return _sum(given, loads, depth + 1)
            return Counter({(node.id,): 1})
        case ast.Attribute() | ast.Subscript() | ast.Call():
            return Counter({(ast.unparse(node),): 1})
        case _:
            return None


def _added(one: Sum, other: Sum, is_negative: bool) -> Sum:
    total = Counter(one)
    for factors, count in other.items():
        total[factors] += -count if is_negative else count
    return Counter({factors: count for factors, count in total.items() if count})


def _product(one: Sum, other: Sum) -> Sum:
    total: Sum = Counter()
    for left, count in one.items():
        for right, times in other.items():
            total[tuple(sorted((*left, *right)))] += count * times
    return total


def _difference(upper: Sum, lower: Sum) -> Sum:
    return _added(upper, lower, is_negative=True)


def _size(length: Sum, ends: tuple[ast.expr, ast.expr], loads: Loads) -> ast.expr | None:
    """The expression for the length of a slice, if that is one number: a name, an attribute, or a literal above 2."""
    if len(length) != 1:
        return None
    ((factors, count),) = length.items()
    if not factors:
        return next((node for node in _parts(ends, loads) if integer(node) == count), None) if count > 2 else None
    if len(factors) > 1 or count != 1:
        return None
    return next((node for node in _parts(ends, loads) if _text(node, loads) == factors[0]), None)


def _parts(ends: Iterable[ast.expr], loads: Loads) -> list[ast.expr]:
    """The expressions that the ends of a slice are computed from, those in the definitions of their names last."""
    found: list[ast.expr] = list(ends)
    for node in found:  # which grows meanwhile
        if len(found) > 100:
            break
        if isinstance(node, ast.BinOp):
            found += [node.left, node.right]
        right = right_of(definition_of(node, loads))
        if right is not None:
            found.append(right)
    return found


def _is_of_each_round(size: ast.expr, loads: Loads) -> bool:
    """Whether a size is read off what a loop goes over: `n = len(prompt.samples)`. It is each group's own then."""
    right = right_of(definition_of(size, loads))
    parts = [part for node in (size, right) if node is not None for part in walk_nodes(node)]
    found = (definition for part in parts if isinstance(part, ast.Name) for definition in loads.get(part, ()))
    return any(isinstance(each.node, ast.For | ast.AsyncFor | ast.comprehension) for each in found)


def _text(node: ast.expr, loads: Loads) -> str:
    total = _sum(node, loads)
    single = next(iter(total)) if total is not None and len(total) == 1 else ()
    return single[0] if len(single) == 1 else ""


def _is_multiple(lower: Sum, length: Sum) -> bool:
    """`i * n` of `n`, for one name `i`."""
    (size,) = length
    if len(lower) != 1:
        return False
    ((factors, count),) = lower.items()
    if not size:
        return len(factors) == 1 and count == length[size]
    return count == 1 and len(factors) == 2 and size[0] in factors and factors[0] != factors[1]


def _is_stepped(lower: ast.expr, size: ast.expr, loads: Loads) -> bool:
    """Whether a name goes in steps of the size: over `range(0, total, n)`, or by `start += n`."""
    return any(_steps(found, size, loads) for found in loads.get(lower, ())) if isinstance(lower, ast.Name) else False


def _steps(definition: Definition, size: ast.expr, loads: Loads) -> bool:
    match definition.node:
        case ast.For(iter=iterated) | ast.comprehension(iter=iterated):
            step = _range_step(iterated)
        case ast.AugAssign(op=ast.Add(), value=value):
            step = value
        case ast.Assign(value=ast.BinOp(left=ast.Name(id=name), op=ast.Add(), right=value)) if name == definition.name:
            step = value
        case _:
            return False
    wanted = _sum(size, loads)
    return step is not None and wanted is not None and _sum(step, loads) == wanted


def _range_step(node: ast.expr) -> ast.expr | None:
    return node.args[2] if isinstance(node, ast.Call) and _is_range(node) and len(node.args) == 3 else None


def _is_range(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("range", "trange")


@dataclass(frozen=True, slots=True)
class Quotient:
    """A key `position // size`; `is_direct` where the position is the sample's own, not looked up."""

    node: ast.BinOp
    size: ast.expr
    is_direct: bool


def quotient_of(key: ast.expr, loads: Loads) -> Quotient | None:
    """The quotient that a key, or each element of a vector of keys, is; None where it is none of positions."""
    node = contents(key, loads)
    if isinstance(node, ast.ListComp | ast.GeneratorExp):
        node = resolved(node.elt, loads)
    match node:
        case ast.BinOp(left=left, op=ast.FloorDiv(), right=size):
            is_direct = _is_position(left, loads)
            return Quotient(node, size, is_direct) if is_direct or _is_looked_up(left, loads) else None
        case _:
            return None


def _is_position(node: ast.expr, loads: Loads) -> bool:
    """A loop variable over `range` or the first of `enumerate`, or `torch.arange(total)`."""
    match resolved(node, loads):
        case ast.Call(func=ast.Attribute(attr="arange") | ast.Name(id="arange")):
            return True
        case ast.Name(id=name) as variable:
            return any(_counts(found.node, name) for found in loads.get(variable, ()))
        case _:
            return False


def _counts(node: ast.AST, name: str) -> bool:
    match node:
        case ast.For(target=target, iter=iterated) | ast.comprehension(target=target, iter=iterated):
            pass
        case _:
            return False
    match target, iterated:
        case ast.Name(), _:
            return _is_range(iterated)
        case ast.Tuple(elts=[ast.Name(id=first), *_]), ast.Call(func=ast.Name(id="enumerate")):
            return first == name
        case _:
            return False


def _is_looked_up(node: ast.expr, loads: Loads) -> bool:
    """`positions[i]`, where i is the position of a sample."""
    match node:
        case ast.Subscript(slice=index):
            return any(_is_position(part, loads) for part in walk_nodes(index) if isinstance(part, ast.Name))
        case _:
            return False
