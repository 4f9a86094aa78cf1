"""What a call passes for each parameter of what it calls, positional or by keyword."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from grpo_lint.contracts.expressions import Given, Run
from grpo_lint.contracts.names import Meaning
from grpo_lint.contracts.order import Change
from grpo_lint.contracts.paths import is_item_of
from grpo_lint.contracts.unit import is_static


@dataclass(frozen=True, slots=True, eq=False)
class Signature:
    """The parameters that a call may fill: by position in this order, and by name; `defaults` hold where it does not.

    `takes_any` tells whether other names are taken too.
    """

    positional: tuple[str, ...]
    names: frozenset[str]
    defaults: Mapping[str, ast.expr]
    takes_any: bool

    @classmethod
    def of(cls, meaning: Meaning) -> Signature | None:
        """The signature of what is called, if the project shows it."""
        function, is_bound = meaning.node, meaning.is_bound
        if isinstance(function, ast.ClassDef):
            own = [each for each in function.body if isinstance(each, ast.FunctionDef) and each.name == "__init__"]
            if not own:
                return None
            function, is_bound = own[0], True
        if function is None:
            return None
        given = function.args
        parameters = [each.arg for each in (*given.posonlyargs, *given.args)]
        defaults = dict(zip(reversed(parameters), reversed(given.defaults), strict=False))
        by_keyword = zip(given.kwonlyargs, given.kw_defaults, strict=True)
        defaults |= {each.arg: default for each, default in by_keyword if default is not None}
        parameters = parameters[1:] if is_bound and not is_static(function) else parameters
        named = {*parameters, *(each.arg for each in given.kwonlyargs)} - {each.arg for each in given.posonlyargs}
        return cls(tuple(parameters), frozenset(named), defaults, given.kwarg is not None)

    def takes(self, name: str) -> bool:
        return self.takes_any or name in self.names or name in self.positional


@dataclass(frozen=True, slots=True, eq=False)
class Passed:
    """What a call passes, by parameter; `unread` is a `*` or `**` that cannot be told."""

    by_name: Mapping[str, Given]
    unread: ast.expr | None = None
    has_unnamed: bool = False


def passed(call: ast.Call, run: Run, meaning: Meaning, signature: Signature | None) -> Passed:
    """What a call passes for each parameter."""
    calls = [*((each.args[1:], each.keywords) for each in meaning.given), (call.args, call.keywords)]
    positional = [each for args, _ in calls for each in _positional(args, run)]
    named = [each for _, keywords in calls for each in _named(keywords, run)]
    unread = next((each for each in (*positional, *(value for _, value in named)) if isinstance(each, ast.expr)), None)
    names = signature.positional if signature is not None else ()
    by_name = {name: each for name, each in zip(names, positional, strict=False) if isinstance(each, Given)}
    by_name |= {name: each for name, each in named if isinstance(each, Given)}
    return Passed(by_name, unread, signature is None and bool(positional))


def _positional(args: Sequence[ast.expr], run: Run) -> Iterator[Given | ast.expr]:
    """The positional arguments; an expression for a `*` that cannot be told, after which nothing can."""
    for each in args:
        if not isinstance(each, ast.Starred):
            yield Given(each, run)
            continue
        display = None if list(_later_changes(each.value, run)) else _display(each.value, run)
        if not isinstance(display, Given) or not isinstance(display.expression, ast.Tuple | ast.List):
            yield each
            return
        yield from (Given(inner, display.run) for inner in display.expression.elts)


def _named(keywords: Sequence[ast.keyword], run: Run) -> Iterator[tuple[str, Given | ast.expr]]:
    for keyword in keywords:
        if keyword.arg is not None:
            yield keyword.arg, Given(keyword.value, run)
        else:
            yield from _unpacked(keyword.value, run)


def _unpacked(value: ast.expr, run: Run) -> Iterator[tuple[str, Given | ast.expr]]:
    """The keyword arguments in a `**` of a dictionary that is written out, and what is put into it afterwards."""
    display = _display(value, run)
    items = [] if display is None else list(_items(display))
    later = [_stored_item(change.node, ast.unparse(value)) for change in _later_changes(value, run)]
    if display is None or None in later or any(name is None for name, _ in items):
        yield "", value
        return
    yield from ((name, each) for name, each in items if name is not None)
    yield from ((item[0], Given(item[1], run)) for item in later if item is not None)


def _later_changes(name: ast.expr, run: Run) -> Iterator[Change]:
    """What is done to a dictionary, or list, after it was written out."""
    if not isinstance(name, ast.Name):
        return
    for change in run.order.changes_before(name):
        if (change.path == name.id or is_item_of(change.path, name.id)) and change.binding is None:
            yield change


def _stored_item(node: ast.AST, name: str) -> tuple[str, ast.expr] | None:
    """The key and value of `name["key"] = value`."""
    match node:
        case ast.Assign(
            targets=[ast.Subscript(value=ast.Name(id=owner), slice=ast.Constant(value=str(key)))], value=value
        ) if owner == name:
            return key, value
    return None


def _items(display: Given) -> Iterator[tuple[str | None, Given]]:
    """The items of a dictionary that is written out; without a name where one cannot be told."""
    match display.expression:
        case ast.Dict(keys=keys, values=values):
            for key, value in zip(keys, values, strict=True):
                if key is None:
                    inner = (
                        None if any(True for _ in _later_changes(value, display.run)) else _display(value, display.run)
                    )
                    yield from _items(inner) if inner is not None else [(None, display)]
                elif isinstance(key, ast.Constant) and isinstance(key.value, str):
                    yield key.value, Given(value, display.run)
                else:
                    yield None, display
        case ast.Call(func=ast.Name(id="dict"), args=[], keywords=keywords):
            yield from ((each.arg, Given(each.value, display.run)) for each in keywords)
        case _:
            yield None, display


def _display(value: ast.expr, run: Run) -> Given | None:
    """What is written out for a value: itself, or what the one local that it is was assigned."""
    if not isinstance(value, ast.Name):
        return Given(value, run)
    home = run.home(value.id)
    if home is None:
        return None
    bindings = home.order.reaching(value.id, value) if home is run else home.frame.scope.of(value.id)
    if len(bindings) != 1 or not isinstance(bindings[0].value, ast.expr):
        return None
    return Given(bindings[0].value, home)
