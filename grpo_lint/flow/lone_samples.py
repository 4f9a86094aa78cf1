"""What a group of one sample gets where its baseline is not the mean of itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from grpo_lint.flow.facts import FunctionFacts, Normalising, Role
from grpo_lint.flow.nodes import walk_nodes
from grpo_lint.flow.operations import integer
from grpo_lint.flow.statements import walk_statements
from grpo_lint.flow.values import Grouping, Layout

_ZEROS = frozenset({"zeros", "zeros_like", "new_zeros"})
_NUMBERS = frozenset({"tensor", "as_tensor", "float", "array", "asarray", "float32", "float64", "new_tensor"})


@dataclass(frozen=True, slots=True, eq=False)
class LoneBaseline:
    """In `node`, a lone sample of `grouping` gets 0 for a baseline; not `is_zero`: only others are centred there."""

    node: ast.expr
    grouping: Grouping
    is_zero: bool


def lone_baselines(facts: FunctionFacts) -> Iterator[LoneBaseline]:
    """The places where a lone sample's raw reward passes for an advantage, each once."""
    seen: set[ast.expr] = set()
    for normalising in facts.normalisings:
        grouping = next((each for each in normalising.groupings if each.layout is Layout.KEYED), None)
        if normalising.role is not Role.BASELINE or grouping is None:
            continue
        around = facts.nodes_around(normalising.node)
        if _is_zeroed_later(around) or _is_left_out(normalising.node, around):
            continue
        for found in _lone(facts, normalising, grouping):
            if found.node not in seen:
                seen.add(found.node)
                yield found


def _lone(facts: FunctionFacts, normalising: Normalising, grouping: Grouping) -> Iterator[LoneBaseline]:
    baseline = _subtracted(normalising.node)
    if baseline is None:
        return
    around = facts.nodes_around(normalising.node)
    centring = _centring_of_others(around, normalising.node)
    if centring is not None:
        yield LoneBaseline(centring, grouping, is_zero=False)
        return
    names = {part.id for part in walk_nodes(baseline) if isinstance(part, ast.Name)}
    choices = [part for part in walk_nodes(baseline) if isinstance(part, ast.IfExp)]
    zeros = [
        *_zeros_for_lone_samples(around, names),
        *(zero for each in choices if (zero := _zero_branch(each))),
    ]
    yield from (LoneBaseline(zero, grouping, is_zero=True) for zero in zeros)


def _is_left_out(centring: ast.AST, around: list[ast.AST]) -> bool:
    """Whether only groups of several samples come by where the baseline is subtracted."""
    for node in around:
        match node:
            case ast.IfExp(test=test, body=body, orelse=orelse) if (is_lone := tells_lone(test)) is not None:
                if centring in walk_nodes(orelse if is_lone else body):
                    return True
            case (
                ast.ListComp(elt=element, generators=generators) | ast.GeneratorExp(elt=element, generators=generators)
            ):
                tests = [test for generator in generators for test in generator.ifs]
                if any(tells_lone(test) is False for test in tests) and centring in walk_nodes(element):
                    return True
    return False


def _subtracted(node: ast.AST) -> ast.expr | None:
    match node:
        case ast.BinOp(op=ast.Sub(), right=right) | ast.AugAssign(op=ast.Sub(), value=right):
            return right
        case ast.Call(args=[*_, right]):
            return right
        case _:
            return None


def _zeros_for_lone_samples(around: list[ast.AST], names: set[str]) -> Iterator[ast.expr]:
    """The zeros that these names, or what they hold, get where a group has one sample."""
    for node in around:
        match node:
            case ast.If(test=test, body=body, orelse=orelse) if (is_lone := tells_lone(test)) is not None:
                for statement in _statements_in(body if is_lone else orelse):
                    yield from (value for name, value in _assigned(statement) if name in names and _is_zero(value))
            case ast.Assign(value=ast.IfExp() as choice) | ast.AnnAssign(value=ast.IfExp() as choice):
                branch = _zero_branch(choice)
                if branch is not None and any(name in names for name, _ in _assigned(node)):
                    yield branch


def _statements_in(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a branch, and those of the blocks in it."""
    for statement in body:
        yield from walk_statements(statement)


def _zero_branch(choice: ast.IfExp) -> ast.expr | None:
    """The zero in `rewards.mean() if len(rewards) > 1 else 0.0`."""
    is_lone = tells_lone(choice.test)
    if is_lone is None:
        return None
    branch = choice.body if is_lone else choice.orelse
    return branch if _is_zero(branch) else None


def tells_lone(test: ast.expr) -> bool | None:
    """True where a test holds for one sample only, False where it holds for several only; None for any other."""
    match test:
        case ast.Compare(left=left, ops=[op], comparators=[right]) if _is_size(left):
            return _LONE.get((type(op), integer(right)))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            inner = tells_lone(operand)
            return None if inner is None else not inner
        case _:
            return None


_LONE: dict[tuple[type[ast.cmpop], int | None], bool] = {
    (ast.Eq, 1): True,
    (ast.Lt, 2): True,
    (ast.LtE, 1): True,
    (ast.Gt, 1): False,
    (ast.GtE, 2): False,
    (ast.NotEq, 1): False,
}


def _is_size(node: ast.expr) -> bool:
    match node:
        case ast.Call(func=ast.Name(id="len" | "int")):
            return True
        case ast.Call(func=ast.Attribute(attr="numel" | "size" | "sum" | "item" | "count")):
            return True
        case ast.Name() | ast.Attribute() | ast.Subscript():
            return True
        case _:
            return False


def _assigned(statement: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """The names that an assignment gives values, those of dicts and tensors for their items too."""
    match statement:
        case ast.Assign(targets=targets, value=value):
            for target in targets:
                yield from _pairs(target, value)
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            yield from _pairs(target, value)


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    match target, value:
        case ast.Tuple(elts=targets), ast.Tuple(elts=values) if len(targets) == len(values):
            for each, part in zip(targets, values, strict=True):
                yield from _pairs(each, part)
        case ((ast.Name(id=name) | ast.Subscript(value=ast.Name(id=name))), _):
            yield name, value


def _is_zero(node: ast.expr) -> bool:
    match node:
        case ast.Constant(value=int() | float() as value):
            return not isinstance(value, bool) and value == 0
        case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)) if name in _ZEROS:
            return True
        case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name), args=[first, *_]) if name in _NUMBERS:
            return _is_zero(first)
        case _:
            return False


def _centring_of_others(around: list[ast.AST], centring: ast.AST) -> ast.expr | None:
    """The centring that only groups of several samples come by, and that takes the place of the raw rewards."""
    for node in around:
        match node:
            case ast.If(test=test, body=body, orelse=[]) if tells_lone(test) is False:
                for statement in _statements_in(body):
                    if _replaces_its_values(statement, centring):
                        return centring if isinstance(centring, ast.expr) else _subtracted(centring)
    return None


def _replaces_its_values(statement: ast.stmt, centring: ast.AST) -> bool:
    """`rewards = rewards - mean`, `scores[i] -= mean`."""
    if statement is centring:
        return isinstance(statement, ast.AugAssign)
    match statement, centring:
        case (
            (ast.Assign(targets=[target], value=value) | ast.AnnAssign(target=target, value=ast.expr() as value)),
            ast.BinOp(left=left),
        ) if centring in walk_nodes(value):
            return any(ast.unparse(part) == ast.unparse(target) for part in walk_nodes(left))
        case _:
            return False


def _is_zeroed_later(around: list[ast.AST]) -> bool:
    """Whether lone samples are taken out by `torch.where` or a product with a comparison of the sizes."""
    for node in around:
        match node:
            case ast.Call(func=ast.Attribute(attr="where") | ast.Name(id="where"), args=[test, *_]):
                if any(isinstance(part, ast.expr) and tells_lone(part) is not None for part in walk_nodes(test)):
                    return True
            case ast.BinOp(op=ast.Mult(), left=left, right=right):
                if tells_lone(left) is not None or tells_lone(right) is not None:
                    return True
    return False
