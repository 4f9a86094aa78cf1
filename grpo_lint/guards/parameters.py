"""What the parameters of a test module's functions stand for, and what the functions give."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from grpo_lint.flow.nodes import walk_nodes
from grpo_lint.guards.names import Function, Names, last_name, parameters_of
from grpo_lint.guards.values import CASE, ITEM, Bound

_LIMIT = 64  # of calls of one helper


@dataclass(frozen=True, slots=True, eq=False)
class Parameters:
    """Where the values of parameters come from: `pytest.mark.parametrize`, fixtures, calls of a helper, defaults."""

    names: Names

    def of(self, name: str, function: Function) -> tuple[Bound, ...]:
        """What a parameter of a function is bound to; nothing where that is unknown."""
        for found in (self._parametrized(name, function), self._fixture(name, function), self._called(name, function)):
            if bounds := tuple(found):
                return bounds
        return tuple(self._default(name, function))

    def _parametrized(self, name: str, function: Function) -> Iterator[Bound]:
        owner = self.names.class_of(function)
        scope = self.names.scope(self.names.tree.root)
        for decorator in (*function.decorator_list, *(owner.decorator_list if owner is not None else ())):
            if not isinstance(decorator, ast.Call) or last_name(decorator.func) not in {"parametrize", "expand"}:
                continue
            match [
                *decorator.args,
                *(each.value for each in decorator.keywords if each.arg in {"argnames", "argvalues"}),
            ]:
                case [names, cases, *_]:
                    listed = _listed(names)
                    if listed == [name]:
                        yield Bound(cases, scope, (CASE,))
                    elif name in listed:
                        yield Bound(cases, scope, (ITEM, listed.index(name)))

    def _fixture(self, name: str, function: Function) -> Iterator[Bound]:
        for fixture in self.names.functions.get(name, ()):
            if fixture is not function and _is_fixture(fixture):
                yield from (Bound(node, self.names.scope(fixture)) for node in self.results(fixture))

    def _called(self, name: str, function: Function) -> Iterator[Bound]:
        parameters = parameters_of(function)
        for call in self.names.calls.get(function.name, ())[:_LIMIT]:
            scope = self.names.scope_at(call)
            keywords = {each.arg: each.value for each in call.keywords}
            position = parameters.index(name)
            if name in keywords:
                yield Bound(keywords[name], scope)
            elif position < len(call.args) and not any(isinstance(each, ast.Starred) for each in call.args):
                yield Bound(call.args[position], scope)

    def _default(self, name: str, function: Function) -> Iterator[Bound]:
        arguments = function.args
        positional = [*arguments.posonlyargs, *arguments.args]
        pairs = [
            *zip(reversed(positional), reversed(arguments.defaults), strict=False),
            *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
        ]
        scope = self.names.scope(self.names.tree.root)
        yield from (Bound(value, scope) for parameter, value in pairs if parameter.arg == name and value is not None)

    def results(self, function: Function) -> Iterator[ast.expr]:
        """What a function returns or yields."""
        for node in walk_nodes(function):
            match node:
                case ast.Return(value=ast.expr() as value) | ast.Yield(value=ast.expr() as value):
                    yield from [value] * (self.names.tree.function(node) is function)


def _is_fixture(function: Function) -> bool:
    return any(
        last_name(each.func if isinstance(each, ast.Call) else each) == "fixture" for each in function.decorator_list
    )


def _listed(names: ast.expr) -> list[str]:
    """The names that `parametrize` is given, in a string or in a sequence."""
    match names:
        case ast.Constant(value=str(text)):
            return [each.strip() for each in text.split(",") if each.strip()]
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    return []
