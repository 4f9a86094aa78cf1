"""Which rows go, and which change, where imports are removed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace

from grpo_lint.fixes.imports.rows import Change
from grpo_lint.fixes.imports.statements import (
    Statement,
    docstring_end,
    has_inner_comments,
    has_noqa,
    next_construct,
    rewritten,
    statements_of,
)
from grpo_lint.flow.nodes import walk_nodes

IMPORT = re.compile(r"\s*(import|from)\b|\)")
DEFINITION = re.compile(r"(async\s+def|def|class)\b")


@dataclass(frozen=True, slots=True)
class Suite:
    """The body of a module or a function."""

    body: Sequence[ast.stmt]
    is_module: bool


def removed(texts: Sequence[str], tree: ast.Module, names: Set[str], line_length: int) -> list[Change]:
    """The changes that remove what binds these names; statements with a `noqa` and shared rows stay."""
    if not names:
        return []
    changes = [change for suite in _suites(tree) for change in _changes(texts, suite, names, line_length)]
    return _merged(changes)


def _merged(changes: Sequence[Change]) -> list[Change]:
    """Neighbours that take the same blank rows share them."""
    merged: list[Change] = []
    for change in sorted(changes, key=lambda change: change.start):
        floor = merged[-1].end if merged else 0
        merged.append(replace(change, start=max(change.start, floor)))
    return merged


def _suites(tree: ast.Module) -> Iterator[Suite]:
    yield Suite(tree.body, True)
    for node in walk_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield Suite(node.body, False)


def _changes(texts: Sequence[str], suite: Suite, names: Set[str], line_length: int) -> Iterator[Change]:
    whole: list[Statement] = []
    for statement in statements_of(texts, suite.body):
        kept = [alias for alias in statement.node.names if _bound(statement, alias) not in names]
        if len(kept) == len(statement.node.names) or not _is_removable(texts, statement):
            continue
        if kept:
            yield from _without(texts, statement, kept, line_length)
        else:
            whole.append(statement)
    # A function's only statements cannot go without anything in their place.
    if suite.is_module or len(whole) < len(suite.body):
        yield from (_deletion(texts, run, suite) for run in _runs(texts, whole))


def _bound(statement: Statement, alias: ast.alias) -> str:
    return alias.asname or (alias.name if statement.is_from else alias.name.partition(".")[0])


def _is_removable(texts: Sequence[str], statement: Statement) -> bool:
    return statement.is_alone and statement.module != "__future__" and not has_noqa(texts, statement)


def _without(
    texts: Sequence[str], statement: Statement, kept: Sequence[ast.alias], line_length: int
) -> Iterator[Change]:
    if has_inner_comments(texts, statement):
        gone = [alias for alias in statement.node.names if alias not in kept]
        if all(_has_own_row(texts, alias) for alias in gone):
            yield from (Change(alias.lineno - 1, alias.lineno) for alias in gone)
        return
    names = [f"{alias.name} as {alias.asname}" if alias.asname else alias.name for alias in kept]
    yield Change(statement.start, statement.end, rewritten(texts, statement, names, line_length))


def _has_own_row(texts: Sequence[str], alias: ast.alias) -> bool:
    written = f"{alias.name} as {alias.asname}" if alias.asname else alias.name
    return texts[alias.lineno - 1].partition("#")[0].strip() == f"{written},"


def _runs(texts: Sequence[str], statements: Sequence[Statement]) -> list[list[Statement]]:
    """Statements with nothing but blank rows and their own comments between them."""
    runs: list[list[Statement]] = []
    for statement in statements:
        if runs and not any(text.strip() for text in texts[runs[-1][-1].end : statement.top]):
            runs[-1].append(statement)
        else:
            runs.append([statement])
    return runs


def _deletion(texts: Sequence[str], run: Sequence[Statement], suite: Suite) -> Change:
    """Delete statements, their comments where nothing is left for them to speak of, and surplus blank rows."""
    start, end = run[0].start, run[-1].end
    after = _skip_blank(texts, end, 1)
    is_first = suite.body[0] is run[0].node
    if after > end and run[0].top < start and not is_first and run[0].top > 0:
        start = run[0].top
    before = _skip_blank(texts, start - 1, -1) + 1
    if not suite.is_module:
        return (
            Change(start, after) if is_first else Change(before, after, ("",) * _gap(texts, before, start, end, after))
        )
    if before == 0:
        return Change(0, after, ("",) if after == len(texts) else ())
    if after == len(texts):
        return Change(before, after, ("",) if texts[-1] == "" else ())
    if before == docstring_end(suite.body) and not DEFINITION.match(next_construct(texts, after)):
        return Change(before, after, ("",))
    return Change(before, after, ("",) * _gap(texts, before, start, end, after))


def _gap(texts: Sequence[str], before: int, start: int, end: int, after: int) -> int:
    """How many blank rows remain where the rows `start` to `end` went, with those around them from `before` on."""
    above, below = start - before, after - end
    follows = bool(IMPORT.match(texts[before - 1]))
    precedes = after < len(texts) and bool(IMPORT.match(texts[after]))
    if not above or not below:
        # What went may have been the end of one section and the start of the next.
        is_border = follows and precedes and any(not text.strip() for text in texts[start:end])
        return max(above, below, int(is_border))
    return 1 if follows and precedes else above if precedes else below if follows else max(above, below)


def _skip_blank(texts: Sequence[str], index: int, step: int) -> int:
    while 0 <= index < len(texts) and not texts[index].strip():
        index += step
    return index
