"""What the names of a function, or of a module, are bound to, and where."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from grpo_lint.project.modules import Imported, imported_names

Function: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda"
Definition: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef"

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)

_CLOSED = frozenset({*DEFINITIONS, ast.Lambda})
_LEAVES = frozenset({ast.Name, ast.Constant})
_KINDS_OF_WORDS = (ast.expr_context, ast.operator, ast.boolop, ast.cmpop, ast.unaryop)
_BINDING_NOTHING = frozenset({ast.Name, ast.Constant, ast.Attribute, ast.Call, ast.keyword, ast.Expr, ast.Return})
_PLAIN = frozenset({int, str, type(None)})
_WORDS = frozenset(word for kind in _KINDS_OF_WORDS for word in kind.__subclasses__())


@dataclass(frozen=True, slots=True, eq=False)
class Binding:
    """A name bound by `node`: to `value`, where one expression, import or definition tells it."""

    name: str
    node: ast.AST
    value: ast.expr | Imported | Definition | None = None

    @property
    def is_parameter(self) -> bool:
        return isinstance(self.node, ast.arg)

    @property
    def line(self) -> int:
        return getattr(self.node, "lineno", 1)


@dataclass(frozen=True, slots=True, eq=False)
class Scope:
    """The names that a function or module binds itself, in the order of the text.

    `outer` are those that it shares with what is around it, `stars` the imports of all names of a module.
    """

    bindings: Mapping[str, tuple[Binding, ...]]
    outer: frozenset[str] = frozenset()
    stars: tuple[Binding, ...] = ()

    def of(self, name: str) -> tuple[Binding, ...]:
        return () if name in self.outer else self.bindings.get(name, ())

    def single(self, name: str) -> Binding | None:
        """The binding of a name that has one."""
        found = self.of(name)
        return found[0] if len(found) == 1 else None


def scope_of_function(function: Function, nodes: Sequence[ast.AST]) -> Scope:
    """The scope of a function, or lambda, with these nodes of its own."""
    return _scope([*(Binding(each.arg, each) for each in parameters(function)), *_bindings(nodes)], nodes)


def scope_of_module(nodes: Sequence[ast.AST]) -> Scope:
    """The scope of a module with these nodes of its own."""
    return _scope(list(_bindings(nodes)), nodes)


def body_of(function: Function) -> Sequence[ast.AST]:
    """What a function runs."""
    return [function.body] if isinstance(function, ast.Lambda) else function.body


def parameters(function: Function) -> list[ast.arg]:
    """All parameters, those that collect others included."""
    given = function.args
    rest = [each for each in (given.vararg, given.kwarg) if each is not None]
    return [*given.posonlyargs, *given.args, *given.kwonlyargs, *rest]


def positional_names(function: Function) -> list[str]:
    """The names of the parameters that may be filled by position."""
    return [each.arg for each in (*function.args.posonlyargs, *function.args.args)]


def _scope(found: Sequence[Binding], nodes: Sequence[ast.AST]) -> Scope:
    names: dict[str, tuple[Binding, ...]] = {}
    for each in found:
        names[each.name] = (*names.get(each.name, ()), each)
    shared = (node for node in nodes if isinstance(node, ast.Global | ast.Nonlocal))
    stars = tuple(each for each in names.pop("*", ()) if isinstance(each.value, Imported))
    return Scope(names, frozenset(name for node in shared for name in node.names), stars)


def own_nodes(body: Sequence[ast.AST], dead: Mapping[ast.AST, str] | None = None) -> list[ast.AST]:
    """The nodes of a body in the order of the text, without what stands in functions and classes inside it.

    These themselves, their decorators and their default values are among them; operators and contexts are not. `dead`
    nodes are left out.
    """
    found: list[ast.AST] = []
    stack = list(reversed(body))
    while stack:
        node = stack.pop()
        if dead and node in dead:
            continue
        found.append(node)
        kind = type(node)
        if kind in _CLOSED:
            stack += reversed(list(_own_children(node)))
        elif kind not in _LEAVES:
            stack += children_of(node)
    return found


def children_of(node: ast.AST) -> list[ast.AST]:
    """What stands right below a node, last first."""
    found: list[ast.AST] = []
    for value in vars(node).values():
        kind = type(value)
        if kind is list:
            found += [child for child in value if isinstance(child, ast.AST)]
        elif kind not in _PLAIN and kind not in _WORDS and isinstance(value, ast.AST):
            found.append(value)
    found.reverse()
    return found


def _own_children(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            yield from (*node.decorator_list, *_defaults(node))
        case ast.Lambda():
            yield from _defaults(node)
        case ast.ClassDef():
            yield from (*node.decorator_list, *node.bases, *(keyword.value for keyword in node.keywords))


def _defaults(function: Function) -> list[ast.expr]:
    return [*function.args.defaults, *(each for each in function.args.kw_defaults if each is not None)]


def _bindings(nodes: Sequence[ast.AST]) -> Iterator[Binding]:
    for node in nodes:
        if type(node) in _BINDING_NOTHING:
            continue
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield Binding(node.name, node, node)
            case ast.Import() | ast.ImportFrom():
                yield from (Binding(name, node, imported) for name, imported in imported_names(node))
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    yield from _bound(target, value, node)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                yield from _bound(target, value, node)
            case ast.NamedExpr(target=target, value=value):
                yield Binding(target.id, node, value)
            case _:
                yield from (Binding(name, node) for name in _names_of(node))


def _bound(target: ast.expr, value: ast.expr, node: ast.AST) -> Iterator[Binding]:
    match target:
        case ast.Name(id=name):
            yield Binding(name, node, value)
        case ast.Tuple(elts=targets) | ast.List(elts=targets):
            values = _paired(targets, value)
            for index, each in enumerate(targets):
                if values is None:
                    yield from (Binding(name, node) for name in target_names(each))
                else:
                    yield from _bound(each, values[index], node)


def _paired(targets: Sequence[ast.expr], value: ast.expr) -> list[ast.expr] | None:
    """The values that targets of an assignment get one by one, where these are written out."""
    if not isinstance(value, ast.Tuple | ast.List) or len(value.elts) != len(targets):
        return None
    return None if any(isinstance(each, ast.Starred) for each in (*targets, *value.elts)) else value.elts


def target_names(target: ast.expr) -> Iterator[str]:
    """The names that an assignment to a target binds."""
    match target:
        case ast.Name(id=name):
            yield name
        case ast.Tuple(elts=targets) | ast.List(elts=targets):
            yield from (name for each in targets for name in target_names(each))
        case ast.Starred(value=value):
            yield from target_names(value)


def _names_of(node: ast.AST) -> Iterator[str]:
    """The names that a node binds to something that no expression tells."""
    match node:
        case ast.AugAssign(target=target) | ast.For(target=target) | ast.AsyncFor(target=target):
            yield from target_names(target)
        case ast.withitem(optional_vars=ast.expr() as target):
            yield from target_names(target)
        case ast.Delete(targets=targets):
            yield from (name for target in targets for name in target_names(target))
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            yield name
        case ast.MatchMapping(rest=str(name)):
            yield name
