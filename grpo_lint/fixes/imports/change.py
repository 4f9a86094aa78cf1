"""Edits that add an import where isort's black profile would put it, and that remove imports."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from grpo_lint.fixes.imports.placement import added
from grpo_lint.fixes.imports.removal import removed
from grpo_lint.fixes.imports.rows import Row, changed, edits_between, rows_of
from grpo_lint.model import Edit
from grpo_lint.project import Project
from grpo_lint.project.roots import Parties
from grpo_lint.source import Source
from grpo_lint.syntax import parse_quietly

DEFAULT_LINE_LENGTH = 88
FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class ImportChange:
    """Import `add`, a module and a name of it, and no longer import the names `remove`."""

    add: tuple[str, str] | None = None
    remove: Set[str] = frozenset()


def change_imports(
    source: Source,
    tree: ast.Module,
    changes: Sequence[ImportChange],
    project: Project | None = None,
    line_length: int = DEFAULT_LINE_LENGTH,
) -> tuple[Edit, ...]:
    """Edits for these changes, as if they were made one after another; they do not overlap."""
    rows = rows_of(source)
    for position, change in enumerate(changes):
        if position:
            tree = _parsed(rows)
        if cuts := removed([row.text for row in rows], tree, change.remove, line_length):
            rows = changed(rows, cuts)
            tree = _parsed(rows)
        package = "" if project is None else project.package
        if change.add is not None and not is_imported(tree, *change.add, package=package):
            parties = Parties() if project is None else project.parties()
            rows = changed(rows, [added([row.text for row in rows], tree, *change.add, parties, line_length)])
    return tuple(edits_between(source, rows))


def _parsed(rows: Sequence[Row]) -> ast.Module:
    return parse_quietly("\n".join(row.text for row in rows))


def is_imported(tree: ast.Module, module: str, name: str, package: str = "") -> bool:
    """Whether the top level has `from module import name`; `package` is what relative imports start from."""
    return any(
        isinstance(node, ast.ImportFrom)
        and any(is_import_of(node, alias, module, name, package) for alias in node.names)
        for node in tree.body
    )


def is_import_of(node: ast.ImportFrom, alias: ast.alias, module: str, name: str, package: str = "") -> bool:
    """Whether an alias binds `name` to what `module` calls so."""
    is_named = alias.name == name and alias.asname in {None, name}
    return is_named and absolute_module(node, package) == module


def absolute_module(node: ast.ImportFrom, package: str) -> str:
    """The absolute name of the module that is imported from; as written where the package does not reach so far."""
    parts = package.split(".") if package else []
    if not node.level or node.level > len(parts):
        return "." * node.level + (node.module or "")
    return ".".join([*parts[: len(parts) - node.level + 1], *([node.module] if node.module else [])])


def is_bound_otherwise(
    tree: ast.Module, module: str, name: str, function: FunctionNode | None = None, package: str = ""
) -> bool:
    """Whether the top level or the function binds `name` to anything but `module`'s."""
    scopes: list[ast.Module | FunctionNode] = [tree] if function is None else [tree, function]
    return any(_binds(node, module, name, package) for scope in scopes for node in _scope(scope))


def _scope(scope: ast.Module | FunctionNode) -> Iterator[ast.AST]:
    """The nodes of a scope; of the functions and classes in it only themselves."""
    pending: list[ast.AST] = [*scope.body, *([] if isinstance(scope, ast.Module) else [scope.args])]
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, FunctionNode | ast.ClassDef | ast.Lambda):
            pending.extend(ast.iter_child_nodes(node))


def _binds(node: ast.AST, module: str, name: str, package: str) -> bool:
    match node:
        case ast.ImportFrom(names=names):
            bound = [alias for alias in names if (alias.asname or alias.name) == name]
            return any(not is_import_of(node, alias, module, name, package) for alias in bound)
        case ast.Import(names=names):
            return any((alias.asname or alias.name.partition(".")[0]) == name for alias in names)
        case ast.Name(id=found, ctx=ast.Store() | ast.Del()) | ast.arg(arg=found):
            return found == name
        case ast.FunctionDef(name=found) | ast.AsyncFunctionDef(name=found) | ast.ClassDef(name=found):
            return found == name
        case ast.ExceptHandler(name=found) | ast.MatchAs(name=found) | ast.MatchStar(name=found):
            return found == name
        case ast.MatchMapping(rest=found):
            return found == name
    return False
