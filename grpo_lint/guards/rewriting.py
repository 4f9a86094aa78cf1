"""The edits that put a contract in the place of a guard."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from pathlib import Path

from grpo_lint.contracts import CallSite
from grpo_lint.fixes.imports import ImportChange, change_imports, is_bound_otherwise
from grpo_lint.fixes.layout import lay_out
from grpo_lint.fixes.normalisation import Refusal
from grpo_lint.fixes.reads import Reads
from grpo_lint.fixes.tree import Tree
from grpo_lint.flow.aliases import Aliases
from grpo_lint.flow.nodes import walk_nodes
from grpo_lint.guards.contract import contract_of
from grpo_lint.guards.names import Function
from grpo_lint.guards.places import Grounds
from grpo_lint.guards.suite import Guard, Suite
from grpo_lint.line_length import formatter_line_length
from grpo_lint.model import Edit, Fix, Position, Range, Safety
from grpo_lint.project import Cache, Project
from grpo_lint.suppress.directives import tokens

MODULE, FUNCTION = "grpo_lint.testing", "assert_call_site"


def mended(suite: Suite, guard: Guard, cache: Cache) -> Fix:
    """The fix that states the call site a guard is about. Raises Refusal."""
    site = contract_of(guard, Grounds.of(suite.source.path), cache)
    project = Project.for_file(suite.source.path, cache)
    assert isinstance(guard.function, Function)
    if is_bound_otherwise(suite.tree, MODULE, FUNCTION, guard.function, project.package):
        raise Refusal(f"`{FUNCTION}` is something else in this file")
    rewriting = Rewriting.of(suite, guard)
    length = suite.config.line_length or formatter_line_length(Path(suite.source.path).absolute().parent)
    change = ImportChange((MODULE, FUNCTION), rewriting.unread_imports())
    edits = [*rewriting.edits(site, length), *change_imports(suite.source, suite.tree, [change], project, length)]
    return Fix(Safety.UNSAFE, f"state what `{site.function}` must call with `{FUNCTION}`", tuple(sorted(edits)))


@dataclass(frozen=True, slots=True, eq=False)
class Rewriting:
    """The statements that go from a function: the first assertion, or what is around it, gives way to the contract."""

    suite: Suite
    tree: Tree
    first: ast.stmt
    removed: frozenset[ast.stmt]

    @classmethod
    def of(cls, suite: Suite, guard: Guard) -> Rewriting:
        """Raises Refusal."""
        tree = Tree.of(suite.tree)
        statements = list(dict.fromkeys(assertion.search.statement for assertion in guard.assertions))
        blocks = {tree.blocks[statement] for statement in statements}
        if len(blocks) > 1 or any(isinstance(block.holder, ast.For | ast.While | ast.If | ast.Try) for block in blocks):
            raise Refusal("its assertions stand in branches or loops")
        dead = _dead_statements(guard.function, frozenset(statements), tree)
        around = [each for each in tree.chain(statements[0]) if each in {statements[0], *dead}]
        return cls(suite, tree, around[0], frozenset(statements) | dead)

    def edits(self, site: CallSite, line_length: int) -> Iterator[Edit]:
        source = self.suite.source
        for run in self._runs():
            self._require_rows_of_their_own(run)
            if run[0] is self.first:
                indent = source.line(self.first.lineno)[: self.first.col_offset]
                call = lay_out("", FUNCTION, _arguments(site), "", indent, line_length, _unit(indent)).lstrip()
                yield Edit(source.range(self.first), source.newline.join(call.split("\n")))
            else:
                yield self._removal(run)

    def _runs(self) -> list[list[ast.stmt]]:
        """The statements that go, in the order of the text, those together that follow each other."""
        outer = [each for each in self.removed if self.removed.isdisjoint(self.tree.ancestors(each))]
        runs: list[list[ast.stmt]] = []
        for statement in sorted(outer, key=lambda each: each.lineno):
            block = self.tree.blocks[statement].statements
            before = runs[-1][-1] if runs and self.first not in {runs[-1][-1], statement} else None
            if before in block and block.index(before) == block.index(statement) - 1:
                runs[-1].append(statement)
            else:
                runs.append([statement])
        return runs

    def _require_rows_of_their_own(self, run: Sequence[ast.stmt]) -> None:
        source, first, last = self.suite.source, run[0].lineno, run[-1].end_lineno or run[-1].lineno
        before = source.line(first)[: source.range(run[0]).start.column - 1]
        after = source.line(last)[source.range(run[-1]).end.column - 1 :]
        if (
            before.strip()
            or after.strip()
            or any(token.string.startswith("#") for token in tokens(source.rows(first, last)))
        ):
            raise Refusal(f"line {first} holds a comment or another statement")

    def _removal(self, run: Sequence[ast.stmt]) -> Edit:
        """Whole rows, with the blank ones that would double or open a block."""
        source, block = self.suite.source, self.tree.blocks[run[0]]
        first, last, count = run[0].lineno, run[-1].end_lineno or run[-1].lineno, len(self.suite.source.line_starts)
        if run[-1] is block.statements[-1]:
            while not source.line(first - 1).strip():
                first -= 1
        elif run[0] is block.statements[0] or not source.line(first - 1).strip():
            while last < count and not source.line(last + 1).strip():
                last += 1
        if last < count:
            return Edit(Range(Position(first, 1), Position(last + 1, 1)), "")
        start = Position(first - 1, len(source.line(first - 1)) + 1)
        return Edit(Range(start, Position(last, len(source.line(last)) + 1)), "")

    def unread_imports(self) -> frozenset[str]:
        """The imported names that nothing reads any more."""
        gone = [node for statement in self.removed for node in walk_nodes(statement)]
        reads, imported = Reads.of(self.suite.tree), Aliases.of(self.suite.tree).names
        names = [node.id for node in gone if isinstance(node, ast.Name) and node.id in imported]
        texts = [text for node, text in reads.texts.items() if node not in gone]
        unread = {name for name in names if names.count(name) == reads.names[name]}
        return frozenset(name for name in unread if not any(name in text for text in texts))


def _dead_statements(function: ast.AST, removed: Set[ast.stmt], tree: Tree) -> frozenset[ast.stmt]:
    """What only made the texts that are searched: assignments that nothing else reads, a `with` around nothing else."""
    dead: set[ast.stmt] = set()
    while True:
        gone = {node for statement in {*removed, *dead} for node in walk_nodes(statement)}
        new = [node for node in _candidates(function, gone, {*removed, *dead}, tree) if node not in gone]
        if not new:
            return frozenset(dead)
        dead.update(new)


def _candidates(
    function: ast.AST, gone: Set[ast.AST], removed: Set[ast.stmt], tree: Tree
) -> Iterator[ast.Assign | ast.With]:
    nodes = walk_nodes(function)
    read_by_gone = {node.id for node in gone if isinstance(node, ast.Name)}
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)]) if name in read_by_gone and tree.function(node) is function:
                others = [each for each in nodes if isinstance(each, ast.Name) and each.id == name]
                if all(each in gone or each is node.targets[0] for each in others):
                    yield node
            case ast.With(body=body) if set(body) <= removed:
                yield node


def _arguments(site: CallSite) -> list[tuple[str | None, str]]:
    written = [("file", _quoted(site.file)), ("function", _quoted(site.function)), ("calls", _quoted(site.calls))]
    if site.arguments:
        pairs = (f"{_quoted(name)}: {_quoted(text)}" for name, text in site.arguments)
        written.append(("arguments", f"{{{', '.join(pairs)}}}"))
    if site.result is not None:
        written.append(("result", _quoted(site.result.value)))
    if site.absent:
        written.append(("absent", f"[{', '.join(map(_quoted, site.absent))}]"))
    return [*written]


def _quoted(text: str) -> str:
    """A string as black would write it: in double quotes, unless they stand in it."""
    return repr(text) if '"' in text or not text.isascii() else json.dumps(text)


def _unit(indent: str) -> str:
    return "\t" if indent.startswith("\t") else "    "
