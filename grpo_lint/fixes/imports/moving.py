"""An import statement whose module got another name, moved to where it now belongs among its neighbours."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from grpo_lint.fixes.imports.placement import Newcomer, into_block, is_extensible
from grpo_lint.fixes.imports.rows import Change, changed, edits_between, rows_of
from grpo_lint.fixes.imports.sections import name_key
from grpo_lint.fixes.imports.statements import Statement, comments_of, rewritten, statements_of, written
from grpo_lint.model import Edit, Position
from grpo_lint.project.roots import Parties
from grpo_lint.source import Source

IMPORT = re.compile(r"\s*(import|from)\b|\s*\)")
# What isort leaves where and as it is.
FIXED = re.compile(r"#\s*(noqa|isort\s*:)", re.IGNORECASE)


def settle(source: Source, tree: ast.Module, at: Position, parties: Parties, line_length: int) -> tuple[Edit, ...]:
    """Edits that move the import statement at a position within its run of imports, and break it where it is too long.

    It joins a statement that imports from the same module, if that has room for it. One that shares its rows with
    other code, or has a comment that forbids it, stays as it is.
    """
    texts = [row.text for row in rows_of(source)]
    block = next((block for block in _runs(texts, tree) if any(_starts_at(each, at) for each in block)), None)
    if block is None:
        return ()
    statement = next(each for each in block if _starts_at(each, at))
    if not _is_movable(texts, statement):
        return ()
    rows = changed(rows_of(source), _changes(texts, block, statement, parties, line_length))
    return tuple(edits_between(source, rows))


def _runs(texts: Sequence[str], tree: ast.Module) -> Iterator[list[Statement]]:
    """The runs of import statements in every suite of a file."""
    for body in _suites(tree):
        known = {id(statement.node): statement for statement in statements_of(texts, body)}
        runs: list[list[Statement]] = [[]]
        for node in body:
            statement = known.get(id(node))
            runs = [*runs, []] if statement is None else [*runs[:-1], [*runs[-1], statement]]
        yield from filter(None, runs)


def _suites(tree: ast.Module) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            body = getattr(node, name, None)
            if isinstance(body, list):
                yield body


def _starts_at(statement: Statement, at: Position) -> bool:
    # Only white space, which is ASCII, precedes a statement that can be moved.
    return (statement.node.lineno, statement.node.col_offset + 1) == (at.row, at.column)


def _is_movable(texts: Sequence[str], statement: Statement) -> bool:
    is_one = statement.is_from or len(statement.node.names) == 1
    is_first_on_row = not texts[statement.start][: statement.node.col_offset].strip()
    return is_one and statement.is_alone and is_first_on_row and not _is_fixed(texts, statement)


def _is_fixed(texts: Sequence[str], statement: Statement) -> bool:
    return any(FIXED.search(text) for text in texts[statement.start : statement.end])


def _changes(
    texts: Sequence[str], block: Sequence[Statement], statement: Statement, parties: Parties, line_length: int
) -> list[Change]:
    own = _own_rows(texts, statement, line_length)
    others = [each for each in block if each is not statement]
    if not others:
        return [Change(statement.start, statement.end, own)]
    gone = _removal(texts, block, statement)
    mate = next((each for each in others if _can_join(texts, statement, each)), None)
    if mate is not None:
        names = sorted({*written(mate), *written(statement)}, key=name_key)
        return [gone, Change(mate.start, mate.end, rewritten(texts, mate, names, line_length))]
    given = (*texts[_top(block, statement) : statement.start], *own)
    new = Newcomer(statement.module, "", parties, line_length, given, statement.is_from)
    return [gone, _apart_if_commented(texts, into_block(texts, others, new))]


def _apart_if_commented(texts: Sequence[str], change: Change) -> Change:
    """A blank row precedes a comment among imports, as the black profile of isort has it."""
    is_commented = change.texts[0].lstrip().startswith("#")
    is_below_import = change.start > 0 and bool(IMPORT.match(texts[change.start - 1]))
    return Change(change.start, change.end, ("", *change.texts)) if is_commented and is_below_import else change


def _own_rows(texts: Sequence[str], statement: Statement, line_length: int) -> tuple[str, ...]:
    if statement.end - statement.start > 1:
        return tuple(texts[statement.start : statement.end])
    return rewritten(texts, statement, written(statement), line_length)


def _can_join(texts: Sequence[str], statement: Statement, mate: Statement) -> bool:
    """Whether both import from one module, and neither has comments, aliases or a star."""
    if not (statement.is_from and mate.is_from and statement.module == mate.module):
        return False
    is_plain = not (statement.has_alias or statement.is_star or any(comments_of(texts, statement)))
    return is_plain and not mate.has_alias and is_extensible(texts, mate) and not _is_fixed(texts, mate)


def _top(block: Sequence[Statement], statement: Statement) -> int:
    """Where a statement begins with its comments; those above a whole run are the run's."""
    return statement.start if statement is block[0] else statement.top


def _removal(texts: Sequence[str], block: Sequence[Statement], statement: Statement) -> Change:
    """Remove a statement, with the blank rows that parted it from its neighbours."""
    index = block.index(statement)
    top = _top(block, statement)
    above = _count_blank(reversed(texts[block[index - 1].end : top])) if index else 0
    below = _count_blank(texts[statement.end : block[index + 1].top]) if index + 1 < len(block) else 0
    is_between = 0 < index < len(block) - 1
    return Change(top - above, statement.end + below, ("",) * max(above, below) if is_between else ())


def _count_blank(texts: Iterator[str] | Sequence[str]) -> int:
    count = 0
    for text in texts:
        if text.strip():
            break
        count += 1
    return count
