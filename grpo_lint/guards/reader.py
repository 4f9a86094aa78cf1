"""Follows the expressions of a test module to strings, paths, and the text of source files."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from grpo_lint.guards import calls, places
from grpo_lint.guards.names import Function, Names, last_name, parameters_of, targets_of
from grpo_lint.guards.parameters import Parameters
from grpo_lint.guards.values import (
    CASE,
    ITEM,
    UNKNOWN,
    Bound,
    Code,
    Constant,
    Handle,
    Imported,
    Items,
    Own,
    Place,
    Record,
    Scope,
    Value,
)

_DEPTH = 24
_LIMIT = 64  # of values of one expression


@dataclass(frozen=True, slots=True, eq=False)
class Reader:
    """Reads one module's expressions. `depth` counts the steps on the way to the expression that is asked for."""

    names: Names
    parameters: Parameters
    grounds: places.Grounds
    depth: int = 0
    known: dict[tuple[ast.expr, Scope], tuple[Value, ...]] = field(default_factory=dict)  # a memo

    def values(self, node: ast.expr, scope: Scope) -> tuple[Value, ...]:
        """What an expression may stand for; nothing more while that is being asked: `text = text.lower()`."""
        if self.depth > _DEPTH:
            return (UNKNOWN,)
        if (node, scope) not in self.known:
            self.known[node, scope] = ()
            inner = replace(self, depth=self.depth + 1)
            found = tuple(dict.fromkeys(inner._values(node, scope)))
            self.known[node, scope] = found[:_LIMIT] or (UNKNOWN,)
        return self.known[node, scope]

    def _values(self, node: ast.expr, scope: Scope) -> Iterator[Value]:
        match node:
            case ast.Constant(value=str(text)):
                yield Constant(text)
            case ast.Constant(value=bytes(data)):
                yield Constant(data.decode("latin-1"))
            case ast.Name():
                yield from self._of_name(node, scope)
            case ast.Attribute():
                yield from self._of_attribute(node, scope)
            case ast.Call():
                yield from calls.values_of(node, scope, self)
            case ast.Subscript():
                yield from self._of_subscript(node, scope)
            case ast.IfExp(body=body, orelse=orelse):
                yield from (*self.values(body, scope), *self.values(orelse, scope))
            case _:
                yield from self._of_composite(node, scope)

    def _of_composite(self, node: ast.expr, scope: Scope) -> Iterator[Value]:
        match node:
            case ast.BinOp(left=left, op=ast.Div(), right=right):
                yield from self.joined([left, right], scope)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                yield from self.added([left, right], scope)
            case ast.JoinedStr(values=parts):
                inner = [part.value if isinstance(part, ast.FormattedValue) else part for part in parts]
                yield from self.added(inner, scope)
            case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
                yield Items(tuple(Bound(item, scope) for item in items if not isinstance(item, ast.Starred)))
            case ast.Dict(keys=keys, values=values):
                yield Record({
                    str(key.value): Bound(value, scope)
                    for key, value in zip(keys, values, strict=True)
                    if isinstance(key, ast.Constant)
                })  # fmt: skip
            case (
                ast.ListComp(elt=element, generators=[generator])
                | ast.GeneratorExp(elt=element, generators=[generator])
            ):
                inner_scope = Scope(node, scope, targets_of(generator.target, generator.iter, scope))
                yield from self.values(element, inner_scope)
            case ast.NamedExpr(value=value) | ast.Await(value=value):
                yield from self.values(value, scope)

    # names

    def _of_name(self, node: ast.Name, scope: Scope | None) -> Iterator[Value]:
        if node.id == "__file__":
            yield self.grounds.own
        while scope is not None:
            if node.id in scope.given:
                yield from self.each(scope.given[node.id])
                return
            if found := self.names.reaching(node, scope):
                for binding in found:
                    yield from self._of_binding(binding.value, binding.statement, binding.path, scope)
                return
            if isinstance(scope.holder, Function) and node.id in parameters_of(scope.holder):
                yield from self._of_parameter(node.id, scope.holder)
                return
            scope = scope.parent

    def _of_binding(
        self, value: object, statement: ast.stmt, path: tuple[int | str, ...], scope: Scope
    ) -> Iterator[Value]:
        match value:
            case ast.alias(name=name):
                yield Imported(_dotted(name, statement, value.asname))
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield Own(value)
            case ast.expr():
                yield from self.of(Bound(value, scope, path))

    def _of_parameter(self, name: str, function: Function) -> Iterator[Value]:
        bounds = self.parameters.of(name, function)
        if bounds:
            yield from self.each(bounds)
        elif places.names_project_folder(name):
            yield Place(".")

    def each(self, bounds: Sequence[Bound]) -> Iterator[Value]:
        for bound in bounds[:_LIMIT]:
            yield from self.of(bound)

    def of(self, bound: Bound) -> tuple[Value, ...]:
        """What a name may stand for that is bound so."""
        values = self.values(bound.node, bound.scope)
        for selector in bound.path:
            values = tuple(inner for value in values for inner in self._selected(value, selector))
        return values

    def _selected(self, value: Value, selector: int | str) -> tuple[Value, ...]:
        match value:
            case Items(items=items) if selector == ITEM:
                return tuple(self.each(items))
            case Items(items=items) if selector == CASE:
                return tuple(self.each([_unwrapped(item) for item in items]))
            case Items(items=items) if isinstance(selector, int) and -len(items) <= selector < len(items):
                return self.of(items[selector])
            case Record(fields=fields) if selector == ITEM:
                return tuple(map(Constant, fields))
            case Code():
                return (value,)
            case Handle(place=place) if selector == ITEM:
                return (self.code(place, ast.Constant(place.path)),)
        return (UNKNOWN,)

    # attributes and subscripts

    def _of_attribute(self, node: ast.Attribute, scope: Scope) -> Iterator[Value]:
        if isinstance(node.value, ast.Name) and node.value.id in {"self", "cls"}:
            owner = self.names.class_of(node)
            bounds = tuple(self.names.attributes(owner, node.attr)) if owner is not None else ()
            yield from self.each(bounds)
            return
        for value in self.values(node.value, scope):
            yield from self.attribute(value, node.attr)

    def attribute(self, value: Value, name: str) -> tuple[Value, ...]:
        match value:
            case Record(fields=fields) if name in fields:
                return self.of(fields[name])
            case Place() if name == "parent":
                return (places.parent(value),)
            case Place() if name == "parents":
                return (value,)
            case Imported(dotted=dotted) if name in {"__file__", "origin"}:
                place = places.file_of_module(dotted)
                return (place or UNKNOWN,)
            case Imported(dotted=dotted):
                return (Imported(f"{dotted}.{name}"),)
        return (Place("."),) if name in {"rootpath", "rootdir"} else (UNKNOWN,)

    def _of_subscript(self, node: ast.Subscript, scope: Scope) -> Iterator[Value]:
        index = _literal(node.slice)
        for value in self.values(node.value, scope):
            match value:
                case Code():
                    yield value
                case Place() if isinstance(index, int) and _is_parents(node.value):
                    yield places.parent(value, index + 1)
                case Record(fields=fields) if str(index) in fields:
                    yield from self.of(fields[str(index)])
                case Items() if isinstance(index, int):
                    yield from self._selected(value, index)
                case _:
                    yield UNKNOWN

    # paths and strings

    def paths(self, node: ast.expr, scope: Scope) -> Iterator[Place | None]:
        """The paths that an expression may stand for; None for one that is not the project's."""
        for value in self.values(node, scope):
            match value:
                case Place():
                    yield value
                case Constant(text=text):
                    yield places.joined(text)
                case Imported(dotted=dotted) if dotted.isupper() or dotted.rpartition(".")[2].isupper():
                    yield Place(".")
                case _:
                    yield None

    def joined(self, parts: Sequence[ast.expr], scope: Scope) -> Iterator[Value]:
        heads: list[Place | None] = [Place(".")]
        for part in parts:
            tails = list(self.paths(part, scope))
            heads = [head and tail and places.joined(head.path, tail.path) for head in heads for tail in tails][:_LIMIT]
        yield from (head or UNKNOWN for head in heads)

    def added(self, parts: Sequence[ast.expr], scope: Scope) -> Iterator[Value]:
        """Strings that are put together; a path among them makes a path of them, code makes code."""
        sums: list[Value] = [Constant("")]
        for part in parts:
            values = self.values(part, scope)
            sums = [_sum(left, right) for left in sums for right in values][:_LIMIT]
        yield from sums

    # reads

    def code(self, place: Place | None, read: ast.expr) -> Value:
        """The text of a file; nothing known where that is no source of the project."""
        if place is None or not self.grounds.is_source(place):
            return UNKNOWN
        return Code(self.grounds.shown(place), place, read)


def _dotted(name: str, statement: ast.stmt, alias: str | None) -> str:
    """The dotted name of what an import binds; one that starts with a dot is a neighbour's of the test."""
    if isinstance(statement, ast.ImportFrom):
        return f"{'.' * (statement.level == 1)}{statement.module or ''}.{name}"
    return name if alias else name.partition(".")[0]


def _sum(left: Value, right: Value) -> Value:
    match left, right:
        case Constant(text=""), _:
            return right
        case _, Constant(text=""):
            return left
        case Constant(text=head), Constant(text=tail):
            return Constant(head + tail)
        case Place(path=head), Constant(text=tail) | Place(path=tail):
            return places.joined(head + tail)
        case (Code(), Constant() | Code()):
            return left
    return UNKNOWN


def _unwrapped(item: Bound) -> Bound:
    match item.node:
        case ast.Call(func=function, args=[first, *_]) if last_name(function) == "param":
            return Bound(first, item.scope)
    return item


def _literal(node: ast.expr) -> object:
    match node:
        case ast.Constant(value=value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(value))):
            return -value
    return None


def _is_parents(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "parents"
