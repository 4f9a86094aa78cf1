"""The assertions of a test, and what strings they search which texts for."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from grpo_lint.flow.nodes import children_of
from grpo_lint.flow.statements import walk_statements
from grpo_lint.guards.names import Names, last_name, targets_of
from grpo_lint.guards.values import Scope

_METHODS = frozenset({"count", "find", "rfind", "index", "rindex", "startswith", "endswith", "__contains__"})
_PATTERNS = frozenset({"search", "match", "fullmatch", "findall", "finditer"})
_MEMBERS = frozenset({"assertIn", "assertNotIn"})
_MATCHES = frozenset({"assertRegex", "assertNotRegex", "assertRegexpMatches", "assertNotRegexpMatches"})
_TRUTHS = frozenset({
    "assertTrue", "assertFalse", "assertEqual", "assertNotEqual", "assertGreater", "assertGreaterEqual", "assertLess",
    "assertIsNone", "assertIsNotNone", "assertEquals",
})  # fmt: skip
_ASSERTING = ast.Assert | ast.Expr | ast.If
_DEPTH = 3  # of the names between an assertion and its search
_COMPREHENSIONS = ast.GeneratorExp | ast.ListComp | ast.SetComp | ast.DictComp


@dataclass(frozen=True, slots=True, eq=False)
class Search:
    """A text that is searched, and what for: a string or, if `is_pattern`, a regular expression.

    `is_plain` tells whether the statement says just that the string is in it, or that it is not (`is_absent`), besides
    other such searches.
    """

    node: ast.expr
    statement: ast.stmt
    needle: ast.expr
    text: ast.expr
    scope: Scope
    is_absent: bool = False
    is_pattern: bool = False
    is_plain: bool = False


def searches_in(function: ast.AST, names: Names) -> Iterator[Search]:
    """The searches that the assertions of a function rest on, those of functions in it left out."""
    scope = names.scope(function)
    for statement in walk_statements(function):
        if isinstance(statement, _ASSERTING) and names.tree.function(statement) is function:
            plain = list(_plain(statement, scope))
            yield from plain or _of_statement(statement, scope, names)


def _plain(statement: ast.stmt, scope: Scope) -> Iterator[Search]:
    match statement:
        case ast.Assert(test=ast.BoolOp(op=ast.And(), values=parts)):
            found = [_plain_search(part, statement, scope) for part in parts]
            yield from (each for each in found if each is not None and None not in found)
        case ast.Assert(test=test) if found_one := _plain_search(test, statement, scope):
            yield found_one
        case ast.Expr(value=ast.Call(func=function, args=[needle, text, *_]) as call):
            if last_name(function) in _MEMBERS:
                is_absent = last_name(function) == "assertNotIn"
                yield Search(call, statement, needle, text, scope, is_absent, is_plain=True)


def _plain_search(test: ast.expr, statement: ast.stmt, scope: Scope) -> Search | None:
    match test:
        case ast.Compare(left=needle, ops=[ast.In() | ast.NotIn() as operator], comparators=[text]):
            return Search(test, statement, needle, text, scope, isinstance(operator, ast.NotIn), is_plain=True)
    return None


def _of_statement(statement: ast.stmt, scope: Scope, names: Names) -> Iterator[Search]:
    for condition in _conditions(statement):
        yield from _in_condition(condition, statement, scope, names)


def _conditions(statement: ast.stmt) -> Iterator[ast.expr]:
    """What must hold, or must not, for a test to pass."""
    match statement:
        case ast.Assert(test=test):
            yield test
        case ast.Expr(value=ast.Call(func=function, args=arguments) as call):
            if last_name(function) in _TRUTHS:
                yield from arguments[:2]
            elif last_name(function) in _MATCHES:
                yield call
        case ast.If(test=test, body=[first, *_]) if _fails(first):
            yield test


def _fails(statement: ast.stmt) -> bool:
    """Whether a statement ends a test as failed."""
    match statement:
        case ast.Raise():
            return True
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="fail"))):
            return True
    return False


def _in_condition(
    condition: ast.expr, statement: ast.stmt, scope: Scope, names: Names, depth: int = 0
) -> Iterator[Search]:
    for node, inner in _walk(condition, scope):
        if isinstance(node, ast.Name) and depth < _DEPTH:
            for binding in names.reaching(node, scope):
                if isinstance(binding.value, ast.expr) and binding.statement is not statement:
                    yield from _in_condition(binding.value, statement, scope, names, depth + 1)
        else:
            yield from _of_node(node, statement, inner)


def _walk(condition: ast.expr, scope: Scope) -> Iterator[tuple[ast.expr, Scope]]:
    """The expressions below a condition, each with the scope in which its names are looked up."""
    pending: list[tuple[ast.AST, Scope]] = [(condition, scope)]
    while pending:
        node, around = pending.pop()
        if isinstance(node, ast.expr):
            yield node, around
        if isinstance(node, _COMPREHENSIONS):
            for generator in node.generators:
                around = Scope(node, around, targets_of(generator.target, generator.iter, around))
        pending += [(child, around) for child in children_of(node)]


def _of_node(node: ast.expr, statement: ast.stmt, scope: Scope) -> Iterator[Search]:
    match node:
        case ast.Compare(left=needle, ops=[ast.In() | ast.NotIn() as operator], comparators=[text]):
            yield Search(node, statement, needle, text, scope, isinstance(operator, ast.NotIn))
        case ast.Call(func=ast.Attribute(value=text, attr=name), args=[needle, *_]) if name in _METHODS:
            yield Search(node, statement, needle, text, scope)
        case ast.Call(func=function, args=[first, second, *_]) if last_name(function) in _PATTERNS | _MATCHES:
            needle, text = (second, first) if last_name(function) in _MATCHES else (first, second)
            yield Search(node, statement, needle, text, scope, is_pattern=True)
        case ast.Call(func=ast.Attribute(value=ast.Call(args=[needle, *_]) as made, attr=name), args=[text, *_]):
            if name in _PATTERNS and last_name(made.func) == "compile":
                yield Search(node, statement, needle, text, scope, is_pattern=True)
