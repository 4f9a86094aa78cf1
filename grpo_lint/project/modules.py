"""Modules of a codebase: where they are, and what their top-level names are bound to."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from grpo_lint.syntax import parse_quietly

DEPTH = 40


@dataclass(frozen=True, slots=True)
class Imported:
    """A name that is imported: a module (`name` None), or `name` of it. `level` counts the leading dots."""

    module: str
    name: str | None
    level: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Module:
    """A parsed file. `bindings` has, by name, what its top level binds it to; `stars` whence everything is imported."""

    path: Path
    tree: ast.Module
    bindings: dict[str, tuple[Bound, ...]]
    stars: tuple[Imported, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Definition:
    """What a name stands for: a class, a function, or the expression that it is an alias of."""

    node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef | ast.expr
    module: Module


@dataclass(frozen=True, slots=True)
class ModulePlace:
    """A module or a folder of modules: its path without the suffix."""

    base: Path


Bound: TypeAlias = "Imported | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef | ast.expr"
Meaning: TypeAlias = "Definition | ModulePlace"


@dataclass(frozen=True, slots=True)
class Cache:
    """What one run has read. The one place of the package that grows while it is used: a memo, not a state."""

    modules: dict[Path, Module | None] = field(default_factory=dict)
    files: dict[Path, tuple[Path, ...]] = field(default_factory=dict)
    mentions: dict[tuple[Path, str], tuple[Path, ...]] = field(default_factory=dict)

    def forget(self, path: Path) -> None:
        """Read a module anew the next time: its file was written."""
        self.modules.pop(path, None)


def parse_module(path: Path, tree: ast.Module) -> Module:
    """Collect what the top level of a module binds."""
    bindings: dict[str, tuple[Bound, ...]] = {}
    stars: list[Imported] = []
    for name, bound in _bindings(tree.body):
        if name == "*" and isinstance(bound, Imported):
            stars.append(bound)
        else:
            bindings[name] = (*bindings.get(name, ()), bound)
    return Module(path, tree, bindings, tuple(stars))


def read_module(path: Path, cache: Cache) -> Module | None:
    """A module by its path; None where it cannot be read or does not parse."""
    if path not in cache.modules:
        cache.modules[path] = _read(path)
    return cache.modules[path]


def _read(path: Path) -> Module | None:
    try:
        return parse_module(path, parse_quietly(path.read_bytes()))
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _bindings(body: Sequence[ast.stmt]) -> Iterator[tuple[str, Bound]]:
    for statement in body:
        match statement:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name, statement
            case ast.Import() | ast.ImportFrom():
                yield from imported_names(statement)
            case ast.Assign(value=value):
                yield from ((name.id, value) for name in statement.targets if isinstance(name, ast.Name))
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                yield name, value
            case ast.If() | ast.Try() | ast.With():
                yield from _bindings(_inner(statement))
            case _:
                yield from _type_statement(statement)


def _type_statement(statement: ast.stmt) -> Iterator[tuple[str, Bound]]:
    """`type Samples = …`, whose node Python 3.10 and 3.11 do not have."""
    if type(statement).__name__ == "TypeAlias":
        name, value = getattr(statement, "name", None), getattr(statement, "value", None)
        if isinstance(name, ast.Name) and isinstance(value, ast.expr):
            yield name.id, value


def imported_names(statement: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, Imported]]:
    for alias in statement.names:
        if isinstance(statement, ast.ImportFrom):
            yield alias.asname or alias.name, Imported(statement.module or "", alias.name, statement.level)
        elif alias.asname:
            yield alias.asname, Imported(alias.name, None)
        else:
            top = alias.name.partition(".")[0]
            yield top, Imported(top, None)


def _inner(statement: ast.If | ast.Try | ast.With) -> list[ast.stmt]:
    match statement:
        case ast.If(body=body, orelse=orelse):
            return [*body, *orelse]
        case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=final):
            return [*body, *(inner for handler in handlers for inner in handler.body), *orelse, *final]
        case _:
            return statement.body


@dataclass(frozen=True, slots=True)
class Resolver:
    """Follows names through the modules below `roots`."""

    roots: tuple[Path, ...]
    cache: Cache

    def find_module(self, dotted: str) -> ModulePlace | None:
        """A module, a package, or a folder on the way to one, by its absolute name."""
        for root in self.roots:
            base = root.joinpath(*dotted.split("."))
            if file_of(base) is not None or base.is_dir():
                return ModulePlace(base)
        return None

    def place(self, imported: Imported, module: Module) -> ModulePlace | None:
        """The module that an import statement of `module` names, the name in it aside."""
        if not imported.level:
            return self.find_module(imported.module)
        folder = module.path.parent
        for _ in range(imported.level - 1):
            folder = folder.parent
        return ModulePlace(folder.joinpath(*imported.module.split(".")) if imported.module else folder)

    def lookup(self, name: str, module: Module, seen: frozenset[tuple[Path, str]] = frozenset()) -> Meaning | None:
        """What a top-level name of a module stands for; None where that is unknown or not one thing."""
        if (module.path, name) in seen or len(seen) > DEPTH:
            return None
        inner = seen | {(module.path, name)}
        found = [self._meaning(bound, module, inner) for bound in module.bindings.get(name, ())]
        if not found:
            found = [self._member(star, name, module, inner) for star in module.stars]
        return _the_one(found)

    def _meaning(self, bound: Bound, module: Module, seen: frozenset[tuple[Path, str]]) -> Meaning | None:
        match bound:
            case Imported(name=None):
                return self.place(bound, module)
            case Imported(name=str(name)):
                return self._member(bound, name, module, seen)
            case ast.Constant(value=None):
                # `Sample = None`, where an optional import fails.
                return None
            case ast.Name(id=name) if name in module.bindings or module.stars:
                return self.lookup(name, module, seen)
            case ast.AST():
                return Definition(bound, module)
        return None

    def _member(
        self, imported: Imported, name: str, module: Module, seen: frozenset[tuple[Path, str]]
    ) -> Meaning | None:
        place = self.place(imported, module)
        return None if place is None else self.member(place, name, seen)

    def member(self, place: ModulePlace, name: str, seen: frozenset[tuple[Path, str]] = frozenset()) -> Meaning | None:
        """`name` of a module: what its code binds, else its submodule."""
        path = file_of(place.base)
        module = None if path is None else read_module(path, self.cache)
        found = None if module is None else self.lookup(name, module, seen)
        base = place.base / name
        if found is None and (file_of(base) is not None or base.is_dir()):
            return ModulePlace(base)
        return found

    def resolve(self, expression: ast.expr, module: Module) -> Meaning | None:
        """What a name, or a chain of attributes, stands for."""
        match expression:
            case ast.Name(id=name):
                return self.lookup(name, module)
            case ast.Attribute(value=value, attr=name):
                owner = self.resolve(value, module)
                return self._attribute(owner, name)
        return None

    def _attribute(self, owner: Meaning | None, name: str) -> Meaning | None:
        match owner:
            case ModulePlace():
                return self.member(owner, name)
            case Definition(node=ast.ClassDef() as node, module=module):
                inner = [item for item in node.body if isinstance(item, ast.ClassDef) and item.name == name]
                return Definition(inner[-1], module) if inner else None
        return None


def file_of(base: Path) -> Path | None:
    """The file of a module by its path without the suffix."""
    for path in (base / "__init__.py", base.with_name(base.name + ".py")):
        if path.is_file():
            return path
    return None


def _the_one(found: Sequence[Meaning | None]) -> Meaning | None:
    """The one meaning of several bindings (`try:` and `except ImportError:`); two different ones prove nothing."""
    meanings = {_identity(meaning): meaning for meaning in found if meaning is not None}
    return next(iter(meanings.values())) if len(meanings) == 1 else None


def _identity(meaning: Meaning) -> object:
    return meaning.base if isinstance(meaning, ModulePlace) else id(meaning.node)
