"""Where a file names `grpo_lint.reference`, and which of these places can name another module instead."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from grpo_lint.source import Source
from grpo_lint.syntax import parse_quietly

PACKAGE, NAME = "grpo_lint", "reference"
OWN_MODULE = f"{PACKAGE}.{NAME}"
# A path to import from, not prose: prose does not go on after a dot without a space.
PATH_IN_STRING = re.compile(rf"(?<![\w.]){PACKAGE}\.{NAME}(?:[.:]\w+)+|\A{PACKAGE}\.{NAME}\Z")
ImportNode: TypeAlias = "ast.Import | ast.ImportFrom"


@dataclass(frozen=True, slots=True)
class Mention:
    """A place that names the module; `obstacle` says why it cannot name another.

    `is_plain` where it is reached through the package's name: `import grpo_lint.reference` and what is read so.
    """

    node: ImportNode | ast.expr
    obstacle: str | None = None
    is_plain: bool = False


@dataclass(frozen=True, slots=True)
class _Survey:
    """What a file has of each kind of node that matters here."""

    imports: list[ImportNode] = field(default_factory=list)
    uses: list[ast.Attribute] = field(default_factory=list)
    strings: list[ast.Constant] = field(default_factory=list)
    names: list[ast.Name] = field(default_factory=list)
    others: list[ast.AST] = field(default_factory=list)
    in_functions: set[int] = field(default_factory=set)


def find_mentions(source: Source, module: str) -> tuple[Mention, ...]:
    """Every place that names `grpo_lint.reference`, in order, seen as one that is to name `module`.

    Raises SyntaxError.
    """
    survey = _survey(parse(source))
    obstacle = _obstacle_to_plain_imports(source, survey, module)
    found = [Mention(node, obstacle, True) for node in survey.imports if is_plain(node)]
    others = (node for node in survey.imports if is_own(node) and not is_plain(node))
    found += [Mention(node, _obstacle_to_split(source, node)) for node in others]
    if any(_binds_package(node) for node in survey.imports):
        found += [Mention(node, obstacle, True) for node in survey.uses]
    found += [Mention(node, "a string names it") for node in survey.strings]
    found += [Mention(node, f"it is reached through `{ast.unparse(node.value)}`") for node in _uses_by_alias(survey)]
    return tuple(sorted(found, key=lambda mention: (mention.node.lineno, mention.node.col_offset)))


def own_imports(source: Source) -> list[ImportNode]:
    """The statements that import the module or from it, and can be changed, in the order of the tree."""
    nodes = (node for node in ast.walk(parse(source)) if isinstance(node, ast.Import | ast.ImportFrom))
    return [node for node in nodes if is_own(node) and not _obstacle_to_split(source, node)]


def parse(source: Source) -> ast.Module:
    """The file's tree. Raises SyntaxError for whatever it is that does not parse."""
    try:
        return parse_quietly(source.text)
    except (ValueError, RecursionError, MemoryError) as error:
        raise SyntaxError(str(error) or "too deep to parse") from error


def _obstacle_to_split(source: Source, node: ImportNode) -> str | None:
    is_from_package = isinstance(node, ast.ImportFrom) and node.module == PACKAGE
    return "comments stand within the statement" if is_from_package and "#" in source.segment(node) else None


def is_own(node: ImportNode) -> bool:
    """Whether a statement imports the module, or from it."""
    if isinstance(node, ast.ImportFrom):
        is_from_package = node.module == PACKAGE and any(alias.name == NAME for alias in node.names)
        return node.level == 0 and (node.module == OWN_MODULE or is_from_package)
    return any(alias.name == OWN_MODULE for alias in node.names)


def _uses_by_alias(survey: _Survey) -> Iterator[ast.Attribute]:
    """`lint.reference` after `import grpo_lint as lint`."""
    aliases = {
        alias.asname
        for node in survey.imports
        if isinstance(node, ast.Import)
        for alias in node.names
        if alias.name == PACKAGE
    }
    for node in survey.others:
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=attribute) if name in aliases and attribute == NAME:
                yield node


def is_own_attribute(node: ast.AST) -> bool:
    """Whether an expression is `grpo_lint.reference`."""
    match node:
        case ast.Attribute(value=ast.Name(id=name), attr=attribute):
            return (name, attribute) == (PACKAGE, NAME)
    return False


def _survey(tree: ast.Module) -> _Survey:
    survey = _Survey()
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        match node:
            case ast.Import() | ast.ImportFrom():
                survey.imports.append(node)
            case ast.Attribute() if is_own_attribute(node):
                survey.uses.append(node)
            case ast.Constant(value=str(text)) if PATH_IN_STRING.search(text) and id(node) not in docstrings:
                survey.strings.append(node)
            case ast.Name():
                survey.names.append(node)
            case _:
                survey.others.append(node)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            survey.in_functions.update(id(inner) for inner in ast.walk(node) if inner is not node)
    return survey


def is_plain(node: ImportNode) -> bool:
    """Whether a statement binds the package's name by importing the module."""
    return isinstance(node, ast.Import) and any(alias.name == OWN_MODULE and not alias.asname for alias in node.names)


def _binds_package(node: ImportNode) -> bool:
    return isinstance(node, ast.Import) and any(
        alias.name.partition(".")[0] == PACKAGE and not alias.asname for alias in node.names
    )


def _obstacle_to_plain_imports(source: Source, survey: _Survey, module: str) -> str | None:
    """Why `import grpo_lint.reference`, and what is read through it, cannot become another module's."""
    used = {id(node.value) for node in survey.uses}
    plain = [node for node in survey.imports if is_plain(node)]
    if not plain:
        return f"`{PACKAGE}` is imported, but not `{OWN_MODULE}`"
    if any(_binds_package(node) and not is_plain(node) for node in survey.imports):
        return f"`{PACKAGE}` itself is imported here too"
    if any(name.id == PACKAGE and id(name) not in used for name in survey.names):
        return f"`{PACKAGE}` is used in another way here"
    if any(not isinstance(use.ctx, ast.Load) for use in survey.uses):
        return f"`{OWN_MODULE}` is assigned here"
    if not all(_is_found_where_it_stands(source, use) for use in survey.uses):
        return f"`{OWN_MODULE}` is used where its place is not known"
    return _obstacle_to_name(survey, plain, module.partition(".")[0])


def _is_found_where_it_stands(source: Source, use: ast.Attribute) -> bool:
    """Whether the tree's positions lead to it: before Python 3.12, those in f-strings may lead elsewhere."""
    try:
        return "".join(source.segment(use).split()) == OWN_MODULE
    except (IndexError, ValueError):
        return False


def _obstacle_to_name(survey: _Survey, plain: list[ImportNode], top: str) -> str | None:
    is_local = any(id(node) in survey.in_functions for node in plain)
    bound = {name for node in survey.imports for name in _bound(node)} if is_local else set()
    bound |= {name for node in survey.imports for name in _bound(node) if not _is_dotted_import_of(node, name)}
    bound |= {name.id for name in survey.names if is_local or not isinstance(name.ctx, ast.Load)}
    bound |= {name for node in survey.others for name in _names_of(node)}
    return f"`{top}` is already the name of something else here" if top in bound else None


def _bound(node: ImportNode) -> Iterator[str]:
    for alias in node.names:
        yield alias.asname or (alias.name.partition(".")[0] if isinstance(node, ast.Import) else alias.name)


def _is_dotted_import_of(node: ImportNode, name: str) -> bool:
    """Whether a statement binds a name as what it is: `import name` or `import name.module`."""
    return isinstance(node, ast.Import) and all(
        not alias.asname for alias in node.names if name in (alias.asname, alias.name.partition(".")[0])
    )


def _names_of(node: ast.AST) -> Iterator[str]:
    """What a node other than an import or a name binds: parameters, definitions, patterns, `global`."""
    for field_name in ("name", "arg", "rest"):
        if isinstance(name := getattr(node, field_name, None), str) and not isinstance(node, ast.keyword | ast.alias):
            yield name
    if isinstance(node, ast.Global | ast.Nonlocal):
        yield from node.names
