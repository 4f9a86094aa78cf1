"""The file of a contract, and the functions in it as they run: what names are bound to, what never runs."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from grpo_lint.contracts.constants import truth
from grpo_lint.contracts.reachability import always_raises, dead_code
from grpo_lint.contracts.scopes import (
    Binding,
    Function,
    Scope,
    body_of,
    own_nodes,
    scope_of_function,
    scope_of_module,
)
from grpo_lint.flow.nodes import walk_nodes
from grpo_lint.project import Module, Project
from grpo_lint.project.modules import Imported
from grpo_lint.source import Source


@dataclass(frozen=True, slots=True, eq=False)
class Unit:
    """A file. `rebound` are the bindings of global names in functions, `frames` and `known` memos."""

    source: Source
    project: Project
    module: Module
    name: str
    scope: Scope
    rebound: Mapping[str, tuple[Binding, ...]]
    frames: dict[ast.AST, Frame] = field(default_factory=dict)
    known: dict[str, tuple[ast.AST, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, source: Source, tree: ast.Module, project: Project) -> Unit:
        """The unit of a parsed file."""
        module = project.module(tree=tree)
        assert module is not None
        own = own_nodes(tree.body)
        first = scope_of_module(own)
        holds = partial(truth, lookup=partial(_constant_in, first))
        dead = dead_code(tree.body, own, holds, lambda _: False)
        return cls(
            source,
            project,
            module,
            project.name_of() or project.path.stem,
            scope_of_module(own_nodes(tree.body, dead)) if dead else first,
            _rebound(walk_nodes(tree)) if "global" in source.text else {},
        )

    def replacements(self, name: str) -> tuple[ast.AST, ...]:
        """What stores an attribute or global of a name, wherever it stands."""
        if name not in self.known:
            stored = rf"\.\s*{re.escape(name)}\b(?!\s*\()|{re.escape(name)}['\"]"
            is_named = re.search(stored, self.source.text) is not None
            nodes = walk_nodes(self.module.tree) if is_named else []
            self.known[name] = tuple(node for stored, node in _replacements(nodes) if stored == name)
        return self.known[name]

    def functions(
        self, qualified_name: str
    ) -> list[tuple[ast.FunctionDef | ast.AsyncFunctionDef, ast.ClassDef | None]]:
        """The functions of a qualified name, each with the class around it; overloads are none."""
        *path, last = qualified_name.split(".")
        holders: list[tuple[Sequence[ast.stmt], ast.ClassDef | None]] = [(self.module.tree.body, None)]
        for name in path:
            holders = [
                (node.body, node if isinstance(node, ast.ClassDef) else None)
                for body, _ in holders
                for node in statements_of(body)
                if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name
            ]
        return [
            (node, owner)
            for body, owner in holders
            for node in statements_of(body)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == last and not _is_declared(node)
        ]

    def frame(self, function: Function, owner: ast.ClassDef | None, outer: Frame | None = None) -> Frame:
        """A function of the file, its names and what of it never runs; made once for each."""
        if function not in self.frames:
            self.frames[function] = Frame.of(self, function, owner, outer)
        return self.frames[function]


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """A function: `owner` is the class that it is a method of, `outer` the function that it stands in.

    `dead` is what never runs, with the reasons, `live_nodes` are its own nodes that may, in the order of the text.
    """

    unit: Unit
    function: Function
    owner: ast.ClassDef | None
    outer: Frame | None
    scope: Scope
    dead: Mapping[ast.AST, str]
    live_nodes: Sequence[ast.AST]

    @classmethod
    def of(cls, unit: Unit, function: Function, owner: ast.ClassDef | None, outer: Frame | None) -> Frame:
        """A function of a unit."""
        nodes = own_nodes(body_of(function))
        frame = cls(unit, function, owner, outer, scope_of_function(function, nodes), {}, nodes)
        block = [] if isinstance(function, ast.Lambda) else function.body
        dead = dead_code(block, nodes, lambda test: truth(test, frame.constant), frame.never_returns)
        return replace(frame, dead=dead, live_nodes=own_nodes(frame.body, dead)) if dead else frame

    @property
    def body(self) -> Sequence[ast.AST]:
        return body_of(self.function)

    @property
    def name(self) -> str:
        return "lambda" if isinstance(self.function, ast.Lambda) else self.function.name

    def binding_frame(self, name: str) -> Frame | None:
        """The function whose own a name is, this one or one around it; None for the module's, and Python's."""
        frame: Frame | None = self
        while frame is not None and not frame.scope.of(name):
            frame = frame.outer
        return frame

    def constant(self, node: ast.expr) -> ast.expr | None:
        """The expression that a name or attribute stands for once and for all."""
        if isinstance(node, ast.Attribute):
            return self._class_constant(node)
        if not isinstance(node, ast.Name):
            return None
        frame = self.binding_frame(node.id)
        if frame is not None:
            return _constant_in(frame.scope, node)
        if node.id in self.unit.rebound or self.unit.replacements(node.id):
            return None
        binding = self.unit.scope.single(node.id)
        if binding is not None and isinstance(binding.value, Imported):
            return _imported_constant(binding.value, self.unit)
        return _constant_in(self.unit.scope, node)

    def never_returns(self, function: ast.expr) -> bool:
        """Whether what is called is a function of the file, or a method of the class, that always raises."""
        match function:
            case ast.Name(id=name) if self.binding_frame(name) is None and name not in self.unit.rebound:
                binding = self.unit.scope.single(name)
                return binding is not None and isinstance(binding.node, ast.FunctionDef) and always_raises(binding.node)
            case ast.Attribute(value=ast.Name(id=name), attr=method) if name == self.self_name and self.self_class:
                found = [each for each in self.self_class.body if getattr(each, "name", None) == method]
                return len(found) == 1 and always_raises(found[0])
        return False

    def _class_constant(self, node: ast.Attribute) -> ast.expr | None:
        """What the class of a method assigns to an attribute, if nothing else sets it."""
        owner = self.self_class
        if owner is None or not isinstance(node.value, ast.Name) or node.value.id not in (self.self_name, owner.name):
            return None
        assigned = [
            statement.value
            for statement in owner.body
            if isinstance(statement, ast.Assign | ast.AnnAssign)
            and any(isinstance(each, ast.Name) and each.id == node.attr for each in _targets(statement))
        ]
        return assigned[0] if len(assigned) == 1 and not self.unit.replacements(node.attr) else None

    @property
    def self_name(self) -> str | None:
        """What a method calls its instance, or its class."""
        frame: Frame = self
        while frame.owner is None and frame.outer is not None:
            frame = frame.outer
        if frame.owner is None or isinstance(frame.function, ast.Lambda) or is_static(frame.function):
            return None
        given = [*frame.function.args.posonlyargs, *frame.function.args.args]
        name = given[0].arg if given else None
        return name if name is None or frame.scope.single(name) else None

    @property
    def self_class(self) -> ast.ClassDef | None:
        """The class of the method that this is, or stands in."""
        frame: Frame = self
        while frame.owner is None and frame.outer is not None:
            frame = frame.outer
        return frame.owner


def is_generator_of(frame: Frame) -> bool:
    """Whether a call of the function only makes a generator."""
    is_lambda = isinstance(frame.function, ast.Lambda)
    return not is_lambda and any(isinstance(node, ast.Yield | ast.YieldFrom) for node in own_nodes(frame.body))


def statements_of(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a body, and those in its branches."""
    for statement in body:
        yield statement
        if not isinstance(statement, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            for child in ast.iter_child_nodes(statement):
                if isinstance(child, ast.stmt):
                    yield from statements_of([child])
                elif isinstance(child, ast.ExceptHandler | ast.match_case):
                    yield from statements_of(child.body)


def is_static(function: Function) -> bool:
    return "staticmethod" in decorators_of(function)


def decorators_of(function: Function) -> list[str]:
    """The last words of a function's decorators."""
    if isinstance(function, ast.Lambda):
        return []
    called = (each.func if isinstance(each, ast.Call) else each for each in function.decorator_list)
    return [ast.unparse(each).rpartition(".")[2] for each in called]


def _is_declared(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a definition is not the function itself: an overload, a property's setter."""
    return not {"overload", "setter", "deleter"}.isdisjoint(decorators_of(function))


def _targets(statement: ast.Assign | ast.AnnAssign) -> list[ast.expr]:
    return statement.targets if isinstance(statement, ast.Assign) else [statement.target]


def _constant_in(scope: Scope, node: ast.expr) -> ast.expr | None:
    binding = scope.single(node.id) if isinstance(node, ast.Name) else None
    return binding.value if binding is not None and isinstance(binding.value, ast.expr) else None


def _imported_constant(imported: Imported, unit: Unit) -> ast.expr | None:
    if imported.name is None:
        return None
    place = unit.project.resolver.place(imported, unit.module)
    found = None if place is None else unit.project.resolver.member(place, imported.name)
    node = getattr(found, "node", None)
    return node if isinstance(node, ast.Constant) else None


def _replacements(nodes: Sequence[ast.AST]) -> Iterator[tuple[str, ast.AST]]:
    """What stores something under a name: `module.name = …`, `setattr(module, "name", …)`, `globals()["name"] = …`."""
    for node in nodes:
        match node:
            case ast.Attribute(attr=name, ctx=ast.Store() | ast.Del()):
                yield name, node
            case ast.Call(
                func=ast.Name(id="setattr" | "delattr") | ast.Attribute(attr="__setattr__"),
                args=[_, ast.Constant(value=str(name)), *_],
            ):
                yield name, node
            case ast.Call(func=ast.Name(id="patch") | ast.Attribute(attr="patch" | "object" | "setattr"), args=args):
                texts = [each.value for each in args if isinstance(each, ast.Constant) and isinstance(each.value, str)]
                yield from ((text.rpartition(".")[2], node) for text in texts)
            case ast.Subscript(
                value=ast.Call(func=ast.Name(id="globals" | "vars" | "locals")) | ast.Attribute(attr="__dict__"),
                slice=ast.Constant(value=str(name)),
                ctx=ast.Store() | ast.Del(),
            ):
                yield name, node


def _rebound(nodes: Sequence[ast.AST]) -> dict[str, tuple[Binding, ...]]:
    """The names that functions declare `global` and bind."""
    found: dict[str, tuple[Binding, ...]] = {}
    if not any(isinstance(node, ast.Global) for node in nodes):
        return found
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            own = own_nodes(node.body)
            shared = {name for each in own if isinstance(each, ast.Global) for name in each.names}
            bindings = scope_of_function(node, own).bindings if shared else {}
            found.update((name, bindings[name]) for name in shared if name in bindings)
    return found
