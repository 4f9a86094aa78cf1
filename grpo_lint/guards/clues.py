"""What a searched text says of one call: that it is imported, made, kept, and with which arguments."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from grpo_lint.contracts import Result
from grpo_lint.flow.nodes import walk_nodes
from grpo_lint.guards.likeness import FRAGMENT, OMITTED, readings


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A call in a file, the statement that it is the value of, if any, and the file's imports."""

    call: ast.Call
    statement: ast.stmt | None
    imports: tuple[ast.Import | ast.ImportFrom, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Account:
    """What a text says of a call, where it is about that call; `names_it` if it says which function is called.

    `positions` and `keywords` are the arguments that it mentions.
    """

    names_it: bool = False
    positions: frozenset[int] = frozenset()
    keywords: frozenset[str] = frozenset()
    result: Result | None = None


def account_of(text: str, candidate: Candidate) -> Account | None:
    """What a text says of a call; None where it says anything else."""
    accounts = (_of_reading(tree, candidate) for tree in readings(text))
    return next((account for account in accounts if account is not None), None)


def _of_reading(tree: ast.Module, candidate: Candidate) -> Account | None:
    match tree.body:
        case [ast.Import() | ast.ImportFrom() as statement]:
            return Account(names_it=True) if _is_import(statement, candidate) else None
        case [ast.Assign(targets=targets, value=value)]:
            return _of_statement(value, candidate, Result.USED, targets)
        case [ast.Return(value=ast.expr() as value)]:
            return _of_statement(value, candidate, Result.RETURNED, None)
        case [ast.Expr(value=value)]:
            return _of_call(value, candidate) or _of_arguments(value, candidate)
    return None


def _is_import(statement: ast.Import | ast.ImportFrom, candidate: Candidate) -> bool:
    """Whether the file has the import, and the call is one of what it binds."""
    root: ast.expr = candidate.call.func
    while isinstance(root, ast.Attribute):
        root = root.value
    for alias in statement.names:
        bound = (alias.asname or alias.name).partition(".")[0]
        if not isinstance(root, ast.Name) or bound not in {root.id, OMITTED}:
            continue
        if any(_has_alias(each, statement, alias, root.id) for each in candidate.imports):
            return True
    return False


def _has_alias(
    found: ast.Import | ast.ImportFrom, wanted: ast.Import | ast.ImportFrom, alias: ast.alias, name: str
) -> bool:
    """Whether an import of the file is the one that a text speaks of; of everything from a module, the called name."""
    match found, wanted:
        case ast.ImportFrom(), ast.ImportFrom() if (found.module, found.level) != (wanted.module, wanted.level):
            return False
        case ast.Import(), ast.ImportFrom():
            return False
    if alias.name == OMITTED:
        return any((each.asname or each.name) == name for each in found.names)
    return type(found) is type(wanted) and any(ast.dump(each) == ast.dump(alias) for each in found.names)


def _of_statement(
    value: ast.expr, candidate: Candidate, result: Result, targets: list[ast.expr] | None
) -> Account | None:
    found = _of_call(value, candidate)
    match candidate.statement:
        case ast.Assign(targets=actual) if found is not None and targets is not None:
            is_same = list(map(ast.dump, actual)) == list(map(ast.dump, targets))
            return _with_result(found, result) if is_same else None
        case ast.Return() if found is not None and targets is None:
            return _with_result(found, result)
    return None


def _with_result(found: Account, result: Result) -> Account:
    return Account(found.names_it, found.positions, found.keywords, result)


def _of_call(value: ast.expr, candidate: Candidate) -> Account | None:
    """What a text says that is the call, or the beginning of it."""
    match value:
        case ast.Await(value=inner):
            return _of_call(inner, candidate)
        case ast.Call(func=function, args=arguments, keywords=keywords):
            if ast.dump(function) != ast.dump(candidate.call.func) or len(arguments) > len(candidate.call.args):
                return None
            pairs = zip(arguments, candidate.call.args, strict=False)
            if not all(_is_same(said, actual) for said, actual in pairs):
                return None
            names = _keywords(keywords, candidate.call)
            return None if names is None else Account(True, frozenset(range(len(arguments))), names)
        case ast.Name() | ast.Attribute() if ast.dump(value) == ast.dump(candidate.call.func):
            return Account(names_it=True)
    return None


def _of_arguments(value: ast.expr, candidate: Candidate) -> Account | None:
    """What a text says that is one argument, or a few as they are written in a call."""
    match value:
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=keywords) if name == FRAGMENT:
            names = _keywords(keywords, candidate.call)
            positions = [_position(each, candidate.call) for each in arguments]
        case _:
            names, positions = frozenset(), [_position(value, candidate.call)]
    if len(positions) == 1 and positions[0] is None and (named := _named(value, candidate.call)):
        return Account(keywords=frozenset({named}))
    if names is None or None in positions:
        return None
    return Account(False, frozenset(each for each in positions if each is not None), names)


def _keywords(said: list[ast.keyword], call: ast.Call) -> frozenset[str] | None:
    """The names of keyword arguments; None where the call does not pass one of them so."""
    actual: Mapping[str | None, ast.expr] = {each.arg: each.value for each in call.keywords}
    if all(each.arg in actual and each.arg and _is_same(each.value, actual[each.arg]) for each in said):
        return frozenset(str(each.arg) for each in said)
    return None


def _position(said: ast.expr, call: ast.Call) -> int | None:
    return next((index for index, actual in enumerate(call.args) if _is_same(said, actual)), None)


def _named(said: ast.expr, call: ast.Call) -> str | None:
    return next((each.arg for each in call.keywords if _is_same(said, each.value)), None)


def _is_same(said: ast.expr, actual: ast.expr) -> bool:
    return (isinstance(said, ast.Name) and said.id == OMITTED) or ast.dump(said) == ast.dump(actual)


def candidates_in(function: ast.AST, imports: tuple[ast.Import | ast.ImportFrom, ...]) -> Iterator[Candidate]:
    """The calls in a function."""
    nodes = walk_nodes(function)
    values: dict[ast.AST, ast.stmt] = {}
    for node in nodes:
        if isinstance(node, ast.Assign | ast.Return) and node.value is not None:
            values[node.value.value if isinstance(node.value, ast.Await) else node.value] = node
    yield from (Candidate(node, values.get(node), imports) for node in nodes if isinstance(node, ast.Call))
