"""Which attributes the instances of a class have."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grpo_lint.project.modules import Definition, Module, Resolver

# Base classes that add no attribute of interest, so that a class below them is still known whole.
PLAIN_BASES = frozenset(
    {"object", "ABC", "Generic", "Protocol", "Enum", "IntEnum", "StrEnum", "NamedTuple", "TypedDict"}
)
DYNAMIC = frozenset({"__getattr__", "__getattribute__"})


@dataclass(frozen=True, slots=True, eq=False)
class ClassReference:
    """A class and the module in which it stands."""

    node: ast.ClassDef
    module: Module


@dataclass(frozen=True, slots=True)
class Attributes:
    """What a class declares; `methods` are those of the names that give no value of the instance's own when read.

    That is what must be called, a class, and what all instances share.

    `is_open` where it may have more: a base that is not found, a `__getattr__`.
    """

    names: frozenset[str]
    is_open: bool
    methods: frozenset[str] = frozenset()


def attributes_of(reference: ClassReference, resolver: Resolver, seen: frozenset[int] = frozenset()) -> Attributes:
    """The attributes of a class and its bases."""
    node = reference.node
    names, methods = set(_own_names(node)), set(_own_methods(node))
    is_open = bool(names & DYNAMIC)
    inner = seen | {id(node)}
    for base in node.bases:
        found = _base_attributes(base, reference.module, resolver, inner)
        names |= found.names
        methods |= found.methods
        is_open |= found.is_open
    return Attributes(frozenset(names), is_open, frozenset(methods))


def _base_attributes(base: ast.expr, module: Module, resolver: Resolver, seen: frozenset[int]) -> Attributes:
    expression = base.value if isinstance(base, ast.Subscript) else base
    match resolver.resolve(expression, module):
        case Definition(node=ast.ClassDef() as node, module=home):
            if id(node) in seen:
                return Attributes(frozenset(), False)
            return attributes_of(ClassReference(node, home), resolver, seen)
    name = ast.unparse(expression).rpartition(".")[2]
    return Attributes(frozenset(), name not in PLAIN_BASES)


def _own_methods(node: ast.ClassDef) -> Iterator[str]:
    for statement in _statements(node.body):
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            decorators = {ast.unparse(decorator).rpartition(".")[2] for decorator in statement.decorator_list}
            if decorators.isdisjoint({"property", "cached_property"}):
                yield statement.name
        else:
            yield from _shared_names(statement)


def _shared_names(statement: ast.stmt) -> Iterator[str]:
    match statement:
        case ast.ClassDef(name=name):
            yield name
        case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation) if "ClassVar" in ast.unparse(annotation):
            yield name
        case ast.Assign(targets=targets, value=ast.Lambda()):
            yield from (target.id for target in targets if isinstance(target, ast.Name))
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.Lambda()):
            yield name


def _own_names(node: ast.ClassDef) -> Iterator[str]:
    for statement in _statements(node.body):
        match statement:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name
                yield from _names_set_on_self(statement)
            case ast.ClassDef(name=name):
                yield name
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield name
            case ast.Assign(targets=targets, value=value):
                yield from _assigned(targets, value)


def _assigned(targets: Sequence[ast.expr], value: ast.expr) -> Iterator[str]:
    names = [node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)]
    yield from names
    if "__slots__" in names:
        yield from _strings(value)


def _strings(value: ast.expr) -> Iterator[str]:
    for node in ast.walk(value):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in body:
        yield statement
        if isinstance(statement, ast.If):
            yield from _statements([*statement.body, *statement.orelse])


def _names_set_on_self(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
    parameters = [*function.args.posonlyargs, *function.args.args]
    decorators = {decorator.id for decorator in function.decorator_list if isinstance(decorator, ast.Name)}
    if not parameters or decorators & {"staticmethod", "classmethod"}:
        return
    for node in ast.walk(function):
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=attribute, ctx=ast.Store()):
                if name == parameters[0].arg:
                    yield attribute
