"""The text edits of one function: removed statements and their comments, the calls in their place, dead locals."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from grpo_lint.fixes.normalisation import Refusal
from grpo_lint.fixes.purity import is_pure
from grpo_lint.fixes.region import Outlet, Region, Site
from grpo_lint.fixes.tree import Block, Tree, own_blocks
from grpo_lint.flow.facts import FunctionFacts
from grpo_lint.flow.nodes import walk_nodes
from grpo_lint.model import Edit, Position, Range
from grpo_lint.source import NEWLINE, Source

_DIRECTIVE = re.compile(
    r"#\s*(?:(?i:noqa)(?:\s*:[^#]*)?|(?:type|fmt|isort|pylint|pyright|mypy|ruff|flake8|grpo-lint|yapf|pragma)\s*:[^#]*"
    r"|nosec\b[^#]*)"
)
_FORMATTER_SWITCH = re.compile(r"#\s*fmt\s*:\s*(?:on|off)")


@dataclass(frozen=True, slots=True, eq=False)
class Anchor:
    """Where a site's call goes: in place of `statement` of `block`."""

    site: Site
    block: Block
    statement: ast.stmt


def anchors_of(region: Region, tree: Tree) -> tuple[Anchor, ...]:
    """Where each call goes: after the last of the definitions that it replaces, in the block that holds them all."""
    found = []
    for site in region.sites:
        statements = list(site.definitions) or [tree.statement(site.outlets[0].node)]
        block, holders = tree.common_block(statements)
        found.append(Anchor(site, block, max(holders, key=lambda holder: holder.lineno)))
    return tuple(found)


def removed_statements(
    region: Region, anchors: Sequence[Anchor], facts: FunctionFacts, tree: Tree
) -> frozenset[ast.stmt]:
    """The region's statements, and the compound ones that held nothing else. Raises Refusal."""
    removed = set(region.statements)
    kept_holders = {anchor.block.holder for anchor in anchors}
    compounds = [node for node in walk_nodes(tree.root) if isinstance(node, ast.If | ast.Try | ast.With)]
    for compound in sorted(compounds, key=lambda node: -len(tree.chain(node))):
        inner = [statement for block in own_blocks(compound) for statement in block.statements]
        inner += [statement for handler in getattr(compound, "handlers", ()) for statement in handler.body]
        is_kept = any(holder is compound or compound in tree.ancestors(holder) for holder in kept_holders)
        if removed.isdisjoint(inner) or is_kept:
            continue
        if all(statement in removed or isinstance(statement, ast.Pass) for statement in inner):
            _require_pure_test(compound, facts)
            removed.add(compound)
    _require_no_empty_block(removed, anchors, tree)
    for anchor in anchors:
        if anchor.site.name is not None and anchor.statement not in removed:
            raise Refusal(f"the branch on line {anchor.statement.lineno} does other work besides the scaling")
    return frozenset(removed)


def _require_pure_test(compound: ast.If | ast.Try | ast.With, facts: FunctionFacts) -> None:
    if isinstance(compound, ast.If) and not is_pure(compound.test, facts.module.aliases):
        raise Refusal(f"the condition `{ast.unparse(compound.test)}` on line {compound.lineno} does more than compare")
    if isinstance(compound, ast.With):
        raise Refusal(f"the `with` on line {compound.lineno} would be left empty")


def _require_no_empty_block(removed: set[ast.stmt], anchors: Sequence[Anchor], tree: Tree) -> None:
    anchored = {anchor.statement for anchor in anchors}
    for block in {tree.blocks[statement] for statement in removed}:
        is_gone = isinstance(block.holder, ast.stmt) and block.holder in removed
        if isinstance(block.holder, ast.ExceptHandler):
            is_gone = tree.parents[block.holder] in removed
        if not is_gone and removed.issuperset(block.statements) and anchored.isdisjoint(block.statements):
            line = block.statements[0].lineno
            raise Refusal(f"the branch on line {line} would be left empty, while its other branch does other work")


def dead_locals(
    removed: frozenset[ast.stmt], replaced: Sequence[ast.expr], needed: frozenset[str], facts: FunctionFacts, tree: Tree
) -> frozenset[ast.stmt]:
    """Assignments without side effects whose values only removed code read."""
    gone: set[ast.AST] = {node for part in (*removed, *replaced) for node in walk_nodes(part)}
    loads = [node for node in walk_nodes(tree.root) if isinstance(node, ast.Name)]
    dead: set[ast.stmt] = set()
    while True:
        new = [node for node in _unread(gone, dead, needed, loads, facts, tree) if node not in removed]
        if not new:
            return frozenset(dead)
        dead.update(new)
        gone.update(node for statement in new for node in walk_nodes(statement))


def _unread(
    gone: set[ast.AST],
    dead: set[ast.stmt],
    needed: frozenset[str],
    loads: Sequence[ast.Name],
    facts: FunctionFacts,
    tree: Tree,
) -> Iterator[ast.stmt]:
    """Plain assignments of names that are read, but only by what goes; no name that something else can see."""
    fixed = {
        name for node in walk_nodes(tree.root) if isinstance(node, ast.Global | ast.Nonlocal) for name in node.names
    }
    if any(node.id in ("locals", "vars", "eval", "exec") for node in loads):
        return
    for definition in facts.definitions:
        statement = definition.node
        if not isinstance(statement, ast.Assign | ast.AnnAssign) or statement in dead or statement not in tree.blocks:
            continue
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        if len(targets) != 1 or not isinstance(targets[0], ast.Name) or definition.name in needed | fixed:
            continue
        others = [node for node in loads if node.id == definition.name and node is not targets[0]]
        is_read = any(isinstance(node.ctx, ast.Load) for node in others)
        if is_read and gone.issuperset(others) and is_pure(statement.value or statement, facts.module.aliases):
            yield statement


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes the edits of one function.

    `write_call` gives a site's call for a prefix, a suffix and an indentation; `lists` are the sites whose call gives a
    list.
    """

    source: Source
    tree: Tree
    removed: frozenset[ast.stmt]
    anchors: tuple[Anchor, ...]
    lists: frozenset[Site]
    write_call: Callable[[Site, str, str, str], str]

    def edits(self) -> Iterator[Edit]:
        """The edits, in no order, none overlapping another."""
        comments: list[tuple[int, list[str]]] = []
        for run in self._runs():
            anchors = [a for a in self.anchors if a.statement in run and a.site.name is not None]
            if anchors:
                yield self._replacement(run, anchors[0], [*_taken(comments, run), *self._comments(run)])
            else:
                comments.append((run[-1].lineno, self._comments(run)))
                yield self._removal(run)
        places = [anchor.statement for anchor in self.anchors if anchor.site.name is None]
        if len(set(places)) < len(places):
            raise Refusal(f"two forms of the values are made on line {places[0].lineno}")
        for anchor in self.anchors:
            if anchor.site.name is None:
                (outlet,) = anchor.site.outlets
                yield from self._expression(anchor, outlet, _taken(comments, [anchor.statement]))
            else:
                yield from self._outlets(anchor.site)

    def _runs(self) -> list[list[ast.stmt]]:
        """Removed statements that follow each other, in the order of the text, without those inside a removed one."""
        outer = [s for s in self.removed if not any(a in self.removed for a in self.tree.ancestors(s))]
        runs: list[list[ast.stmt]] = []
        for statement in sorted(outer, key=lambda found: found.lineno):
            block = self.tree.blocks[statement].statements
            if runs and runs[-1][-1] in block and block.index(runs[-1][-1]) == block.index(statement) - 1:
                runs[-1].append(statement)
            else:
                runs.append([statement])
        return [part for run in runs for part in self._split_at_anchors(run)]

    def _split_at_anchors(self, run: list[ast.stmt]) -> Iterator[list[ast.stmt]]:
        """One run for each call, so that every call stands in place of its own last statement."""
        ends = sorted(
            run.index(anchor.statement) for anchor in self.anchors if anchor.statement in run and anchor.site.name
        )
        start = 0
        for end in ends[:-1]:
            yield run[start : end + 1]
            start = end + 1
        yield run[start:]

    def _rows(self, run: list[ast.stmt]) -> tuple[int, int]:
        """First and last row of a run, with the comments that stand right above it."""
        first, last = run[0].lineno, run[-1].end_lineno or run[-1].lineno
        self._require_own_lines(run, first, last)
        indent = self._indent(run[0])
        rows = len(self.source.line_starts)
        while last < rows and re.match(rf"{re.escape(indent)}\s+#", self.source.line(last + 1)):
            last += 1
        while first > 1 and re.match(rf"{re.escape(indent)}#", self.source.line(first - 1)):
            first -= 1
        return first, last

    def _require_own_lines(self, run: list[ast.stmt], first: int, last: int) -> None:
        before = self.source.line(first)[: self.source.range(run[0]).start.column - 1]
        after = self.source.line(last)[self.source.range(run[-1]).end.column - 1 :]
        if before.strip() or after.lstrip().startswith((";", "\\")):
            raise Refusal(f"line {first} holds several statements")

    def _indent(self, statement: ast.stmt) -> str:
        line = self.source.line(statement.lineno)
        return line[: len(line) - len(line.lstrip())]

    def _comments(self, run: list[ast.stmt]) -> list[str]:
        """The comments of a run, in order, without directives."""
        first, last = self._rows(run)
        return kept_comments("\n".join(self.source.line(row) for row in range(first, last + 1)))

    def _replacement(self, run: list[ast.stmt], anchor: Anchor, comments: list[str]) -> Edit:
        first, last = self._rows(run)
        indent = self._indent(run[0])
        call = self.write_call(anchor.site, f"{anchor.site.name} = ", "", indent)
        lines = [*(indent + comment for comment in comments), *call.split("\n")]
        end = Position(last, len(self.source.line(last)) + 1)
        return Edit(Range(Position(first, 1), end), self._joined(lines))

    def _removal(self, run: list[ast.stmt]) -> Edit:
        """A run without a call goes with its lines, and with blank lines that would double or open a block."""
        first, last = self._rows(run)
        above = self.source.line(first - 1) if first > 1 else ""
        if not above.strip() or self.tree.blocks[run[0]].statements[0] is run[0]:
            while last < len(self.source.line_starts) and not self.source.line(last + 1).strip():
                last += 1
        if last < len(self.source.line_starts):
            return Edit(Range(Position(first, 1), Position(last + 1, 1)), "")
        return Edit(Range(Position(first, 1), Position(last, len(self.source.line(last)) + 1)), "")

    def _outlets(self, site: Site) -> Iterator[Edit]:
        for outlet in site.outlets:
            if isinstance(outlet.core, ast.Name) and self.tree.statement(outlet.node) not in self.removed:
                needs_list = outlet.is_listed and not site.makes_list and site not in self.lists
                yield Edit(self._unparenthesised(outlet.node), outlet.core.id + (".tolist()" if needs_list else ""))

    def _expression(self, anchor: Anchor, outlet: Outlet, comments: list[str]) -> Iterator[Edit]:
        """The call in place of an expression; its statement is laid out anew."""
        statement = self.tree.statement(outlet.node)
        whole, inner = self.source.range(statement), self._unparenthesised(outlet.node)
        prefix = self.source.slice(Range(whole.start, inner.start))
        suffix = self.source.slice(Range(inner.end, whole.end))
        indent = self._indent(statement)
        comments = [*comments, *kept_comments(self.source.slice(inner))]
        if not isinstance(statement, ast.Return | ast.Assign | ast.AnnAssign | ast.Expr | ast.AugAssign):
            raise Refusal(f"the statement on line {statement.lineno} is not one that can be laid out anew")
        self._require_own_lines([statement], statement.lineno, statement.end_lineno or statement.lineno)
        if NEWLINE.search(prefix + suffix):
            raise Refusal(f"the expression on line {outlet.node.lineno} stands in a statement of several lines")
        above = "".join(f"{comment}\n{indent}" for comment in comments)
        call = self.write_call(anchor.site, prefix, suffix, indent).removeprefix(indent)
        yield Edit(whole, self._joined((above + call).split("\n")))

    def _unparenthesised(self, node: ast.expr) -> Range:
        """The range of an expression, with the parentheses around it where it is all of a return or an assignment."""
        statement = self.tree.statement(node)
        is_all = getattr(statement, "value", None) is node
        found = self.source.range(node)
        return self.source.with_parentheses(found, self.source.range(statement)) if is_all else found

    def _joined(self, lines: Sequence[str]) -> str:
        return self.source.newline.join(lines)


def _taken(comments: list[tuple[int, list[str]]], run: Sequence[ast.stmt]) -> list[str]:
    """The comments of removed lines above a call; they go with it."""
    before = [entry for entry in comments if entry[0] <= run[-1].lineno]
    for entry in before:
        comments.remove(entry)
    return [comment for _, texts in before for comment in texts]


def kept_comments(text: str) -> list[str]:
    """The comments of a piece of code without the directives in them, which spoke of lines that go."""
    found = _comment_texts(text)
    if any(_FORMATTER_SWITCH.match(comment) for comment in found):
        raise Refusal("the formatter is switched on or off among the lines that would go")
    kept = (_DIRECTIVE.sub("", comment, count=1).strip() for comment in found)
    return [comment for comment in kept if comment]


def _comment_texts(text: str) -> list[str]:
    """The comments in a piece of code that need not be whole."""
    found: list[str] = []
    lines = io.StringIO("(\n" + NEWLINE.sub("\n", text) + "\n")
    try:
        for token in tokenize.generate_tokens(lines.readline):
            if token.type == tokenize.COMMENT:
                found.append(token.string)
    except (tokenize.TokenError, SyntaxError):
        return found
    return found
