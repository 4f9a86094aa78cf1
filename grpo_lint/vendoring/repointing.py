"""A file's imports of `grpo_lint.reference`, made imports of another module: text edits, verified."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grpo_lint import edits
from grpo_lint.fixes.imports import settle
from grpo_lint.model import Edit, Position
from grpo_lint.project.roots import Parties
from grpo_lint.source import Source
from grpo_lint.syntax import parse_expression
from grpo_lint.vendoring.mentions import (
    NAME,
    OWN_MODULE,
    PACKAGE,
    ImportNode,
    find_mentions,
    is_own_attribute,
    is_plain,
    own_imports,
    parse,
)

_FROM = re.compile(rf"from[\s\\]+({PACKAGE}[\s\\]*\.[\s\\]*{NAME})(?=[\s\\]+import\b)")


@dataclass(frozen=True, slots=True)
class Left:
    """A place that still names the module, and why."""

    position: Position
    reason: str


@dataclass(frozen=True, slots=True)
class Repointed:
    """A file after the change; its source is the one given where nothing could be changed."""

    source: Source
    left: tuple[Left, ...]


@dataclass(frozen=True, slots=True)
class Target:
    """The module to import from, as the file names it, and what decides where such an import stands."""

    module: str
    parties: Parties
    line_length: int


def repoint(source: Source, target: Target) -> Repointed:
    """Import from the target what was imported from `grpo_lint.reference`. Raises SyntaxError."""
    kept = [mention for mention in find_mentions(source, target.module) if mention.obstacle]
    has_uses = not any(mention.is_plain for mention in kept)
    result = _with_statements(_with_uses(source, target) if has_uses else source, target, has_uses)
    if not _says_the_same(source, result, target.module, has_uses):
        return Repointed(source, left_in(source, target.module, "the change would alter something else as well"))
    return Repointed(result, left_in(result, target.module, "it is written in an unknown way"))


def left_in(source: Source, module: str, reason: str) -> tuple[Left, ...]:
    """The places that name `grpo_lint.reference`, with what keeps each from naming `module`, else the reason given."""
    return tuple(
        Left(source.position(mention.node.lineno, mention.node.col_offset), mention.obstacle or reason)
        for mention in find_mentions(source, module)
    )


def _edited(source: Source, changes: Sequence[Edit]) -> Source:
    text = edits.apply(source, changes)
    return Source.from_text(source.path, text, source.encoding, source.has_bom)


def _with_uses(source: Source, target: Target) -> Source:
    """The file with its dotted uses changed; the statements are not yet."""
    uses = [mention.node for mention in find_mentions(source, target.module) if isinstance(mention.node, ast.Attribute)]
    return _edited(source, [Edit(source.range(node), target.module) for node in uses])


def _with_statements(source: Source, target: Target, has_uses: bool) -> Source:
    """The file with its import statements changed, one after the other: each may move those that follow."""
    for _ in own_imports(source):
        node = next((node for node in own_imports(source) if has_uses or not is_plain(node)), None)
        if node is None:
            break
        at = source.position(node.lineno, node.col_offset)
        source = _edited(source, [Edit(source.range(node), _renamed(source, node, target.module))])
        source = _edited(source, settle(source, parse(source), at, target.parties, target.line_length))
    return source


def _renamed(source: Source, node: ImportNode, module: str) -> str:
    """The text of a statement that imports the same names from the module."""
    if isinstance(node, ast.Import):
        names = [module if alias.name == OWN_MODULE else alias.name for alias in node.names]
        aliases = [alias.asname for alias in node.names]
        return f"import {', '.join(map(_aliased, names, aliases))}"
    if node.module == OWN_MODULE:
        return _FROM.sub(lambda found: found[0].replace(found[1], module), source.segment(node), count=1)
    return _split(source, node, module)


def _aliased(name: str, alias: str | None) -> str:
    return f"{name} as {alias}" if alias else name


def _split(source: Source, node: ast.ImportFrom, module: str) -> str:
    """`from grpo_lint import reference`, taken out of what else the statement imports."""
    package, _, name = module.rpartition(".")
    bound = next(alias.asname or NAME for alias in node.names if alias.name == NAME)
    own = _aliased(name, bound if bound != name else None)
    first = f"from {package} import {own}" if package else f"import {own}"
    others = [_aliased(alias.name, alias.asname) for alias in node.names if alias.name != NAME]
    if not others:
        return first
    start = source.range(node).start
    before = source.line(start.row)[: start.column - 1]
    return f"{first}{'; ' if before.strip() else source.newline + before}from {PACKAGE} import {', '.join(others)}"


def _says_the_same(before: Source, after: Source, module: str, has_uses: bool) -> bool:
    """Whether nothing differs but the module of the imports, their order, and the uses through its name."""
    renaming = _Renaming(module, has_uses)
    return renaming.outcome(parse(before)) == renaming.outcome(parse(after))


class _Renaming(ast.NodeTransformer):
    """Takes the imports out of a tree, and names the new module where it names the old one."""

    def __init__(self, module: str, has_uses: bool) -> None:
        self._module = module
        self._has_uses = has_uses

    def outcome(self, tree: ast.Module) -> tuple[set[tuple[str, str]], str]:
        """What the imports bind, and to what; and the rest of the tree, which is changed, as text."""
        bindings = {self._binding(*found) for node in ast.walk(tree) for found in _aliases(node)}
        return bindings, ast.dump(self.visit(tree))

    def _binding(self, node: ImportNode, alias: ast.alias) -> tuple[str, str]:
        is_plain = isinstance(node, ast.Import)
        origin = alias.name if isinstance(node, ast.Import) else f"{'.' * node.level}{node.module or ''}.{alias.name}"
        is_renamed = self._has_uses or not is_plain or alias.asname is not None
        if is_renamed and (origin == OWN_MODULE or origin.startswith(f"{OWN_MODULE}.")):
            origin = self._module + origin.removeprefix(OWN_MODULE)
        return alias.asname or (origin if is_plain else alias.name), origin

    def visit_Import(self, node: ast.Import) -> None:
        return None

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        return None

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if self._has_uses and is_own_attribute(node):
            return parse_expression(self._module)
        return self.generic_visit(node)


def _aliases(node: ast.AST) -> Iterator[tuple[ImportNode, ast.alias]]:
    if isinstance(node, ast.Import | ast.ImportFrom):
        yield from ((node, alias) for alias in node.names)
