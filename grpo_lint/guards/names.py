"""What the names of a test module are bound to: by its statements, by pytest, and by the calls of its helpers."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from grpo_lint.fixes.tree import Tree
from grpo_lint.flow.nodes import walk_nodes
from grpo_lint.guards.values import ITEM, Bound, Scope, Selector

T = TypeVar("T")

Function = ast.FunctionDef | ast.AsyncFunctionDef
Bindable = ast.expr | Function | ast.ClassDef | ast.alias
_SCOPES = Function | ast.ClassDef | ast.Lambda


@dataclass(frozen=True, slots=True, eq=False)
class Binding:
    """What a statement binds a name to: a part of an expression's value, a definition, an import."""

    value: Bindable
    statement: ast.stmt
    path: tuple[Selector, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Names:
    """The bindings of a module's scopes, its functions by name, and the calls of each name."""

    tree: Tree
    bindings: Mapping[ast.AST, Mapping[str, tuple[Binding, ...]]]
    functions: Mapping[str, tuple[Function, ...]]
    calls: Mapping[str, tuple[ast.Call, ...]]
    scopes: dict[ast.AST, Scope] = field(default_factory=dict)  # a memo: what is known of an expression hangs on it

    @classmethod
    def of(cls, tree: Tree) -> Names:
        bindings: dict[ast.AST, dict[str, list[Binding]]] = {}
        functions: dict[str, list[Function]] = {}
        calls: dict[str, list[ast.Call]] = {}
        for node in tree.parents:
            if isinstance(node, ast.Call):
                calls.setdefault(last_name(node.func), []).append(node)
            elif isinstance(node, ast.stmt):
                if isinstance(node, Function):
                    functions.setdefault(node.name, []).append(node)
                if bound := list(_bindings(node)):
                    table = bindings.setdefault(_holder(node, tree), {})
                    for name, binding in bound:
                        table.setdefault(name, []).append(binding)
        calls.pop("", None)
        return cls(
            tree, {holder: _fixed(table) for holder, table in bindings.items()}, _fixed(functions), _fixed(calls)
        )

    def scope(self, holder: ast.AST) -> Scope:
        """The scope of a function or of the module. Names of a class are no names to its methods."""
        if holder not in self.scopes:
            outer = None if holder is self.tree.root else self.scope(self.tree.function(holder))
            self.scopes[holder] = Scope(holder, outer, {})
        return self.scopes[holder]

    def scope_at(self, node: ast.AST) -> Scope:
        """The scope that a node stands in."""
        return self.scope(self.tree.function(node))

    def class_of(self, node: ast.AST) -> ast.ClassDef | None:
        """The class that a node stands in."""
        return next((each for each in self.tree.ancestors(node) if isinstance(each, ast.ClassDef)), None)

    def reaching(self, name: ast.Name, scope: Scope) -> tuple[Binding, ...]:
        """The bindings of a name in its own scope, without those that a later one before the use replaces."""
        found = self.bindings.get(scope.holder, {}).get(name.id, ())
        if name not in self.tree.parents or self.tree.function(name) is not scope.holder:
            return found  # read by an inner function, whenever that runs
        use = self.tree.statement(name)
        around = {self.tree.blocks[each] for each in self.tree.chain(use) if each in self.tree.blocks}
        before = [
            each for each in found if each.statement.lineno < use.lineno or _opens(each.statement, use, self.tree)
        ]
        for index in range(len(before) - 1, -1, -1):
            if self.tree.blocks.get(before[index].statement) in around:
                return tuple(before[index:])
        return tuple(before) or found

    def attributes(self, owner: ast.ClassDef, name: str) -> Iterator[Bound]:
        """What a class, or `self` in one of its methods, binds an attribute to."""
        for node in walk_nodes(owner):
            match node:
                case ast.Assign(targets=targets, value=value):
                    if any(_is_attribute(target, name) for target in targets):
                        yield Bound(value, self.scope_at(node))
                case ast.AnnAssign(target=target, value=ast.expr() as value) if _is_attribute(target, name):
                    yield Bound(value, self.scope_at(node))


def _fixed(table: dict[str, list[T]]) -> dict[str, tuple[T, ...]]:
    return {name: tuple(values) for name, values in table.items()}


def _is_attribute(target: ast.expr, name: str) -> bool:
    match target:
        case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=attribute):
            return attribute == name
        case ast.Name(id=found):
            return found == name
    return False


def _holder(statement: ast.stmt, tree: Tree) -> ast.AST:
    """The function, class or module whose names a statement binds."""
    return next((each for each in tree.ancestors(statement) if isinstance(each, _SCOPES)), tree.root)


def _opens(statement: ast.stmt, use: ast.stmt, tree: Tree) -> bool:
    """Whether the use stands in the body of the `for` or `with` that binds, or in its own header."""
    return isinstance(statement, ast.For | ast.With) and statement in tree.chain(use)


def _bindings(statement: ast.stmt) -> Iterator[tuple[str, Binding]]:
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name, Binding(statement, statement)
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            for alias in names:
                bound = alias.asname or alias.name
                yield bound.partition(".")[0] if isinstance(statement, ast.Import) else bound, Binding(alias, statement)
        case ast.Assign(targets=targets, value=value):
            for target in targets:
                yield from _targets(target, value, statement, ())
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            yield from _targets(target, value, statement, ())
        case ast.AugAssign(target=target):
            yield from _targets(target, ast.BinOp(target, statement.op, statement.value), statement, ())
        case ast.For(target=target, iter=value) | ast.AsyncFor(target=target, iter=value):
            yield from _targets(target, value, statement, (ITEM,))
        case ast.With(items=items) | ast.AsyncWith(items=items):
            for item in items:
                if item.optional_vars is not None:
                    yield from _targets(item.optional_vars, item.context_expr, statement, ())


def _targets(
    target: ast.expr, value: ast.expr, statement: ast.stmt, path: tuple[Selector, ...]
) -> Iterator[tuple[str, Binding]]:
    match target:
        case ast.Name(id=name):
            yield name, Binding(value, statement, path)
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            for index, part in enumerate(parts):
                yield from _targets(part, value, statement, (*path, index))


def targets_of(target: ast.expr, value: ast.expr, scope: Scope) -> dict[str, tuple[Bound, ...]]:
    """What a comprehension binds its targets to."""
    nothing = ast.Pass()
    found = _targets(target, value, nothing, (ITEM,))
    return {name: (Bound(value, scope, binding.path),) for name, binding in found}


def last_name(function: ast.expr) -> str:
    """The name by which a function is called, whatever it is an attribute of."""
    match function:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def parameters_of(function: Function) -> list[str]:
    """The names of a function's parameters, in order, that of the instance left out."""
    arguments = function.args
    names = [each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    return names[1:] if names[:1] in (["self"], ["cls"]) else names
