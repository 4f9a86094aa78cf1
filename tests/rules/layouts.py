"""Ways to write one syntax tree: parentheses, comments, blank lines, lines broken as black breaks them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from random import Random

import black

from grpo_lint.source import Placed, Source


def as_black(text: str, random: Random) -> str:
    """Lines of some length, broken as black does."""
    mode = black.Mode(line_length=random.choice([20, 40, 60, 88, 120]), string_normalization=False)
    return black.format_str(text, mode=mode)


def with_comments(text: str, random: Random) -> str:
    """Comments and blank lines above statements, and comments behind them."""
    lines = text.splitlines()
    statements = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.stmt)]
    for row in sorted({node.lineno for node in statements}, reverse=True):
        indent = lines[row - 1][: len(lines[row - 1]) - len(lines[row - 1].lstrip())]
        extra = random.choice([[], [], [""], [f"{indent}# as before"], ["", "# as before", ""]])
        if random.random() < 0.2 and _ends_alone(statements, row):
            lines[row - 1] += "  # as before"
        lines[row - 1 : row - 1] = extra
    return "\n".join(lines) + "\n"


def _ends_alone(statements: list[ast.stmt], row: int) -> bool:
    """Whether what starts in a row ends there: behind a string of several lines, there may be no comment."""
    return all(node.end_lineno == row for node in statements if node.lineno == row)


def parenthesised(text: str, random: Random) -> str:
    """Parentheses around expressions, some of them over several lines."""
    source = Source.from_text("case.py", text)
    inserted: list[tuple[int, int, str]] = []
    for node in _closed_expressions(ast.parse(text)):
        if random.random() < 0.15:
            place = source.range(node)
            start, end = source.offset(place.start), source.offset(place.end)
            opening, closing = random.choice([("(", ")"), ("(\n", "\n)")])
            inserted += [(start, -end, opening), (end, -start, closing)]
    for offset, _, inserted_text in sorted(inserted, key=lambda each: each[:2], reverse=True):
        text = text[:offset] + inserted_text + text[offset:]
    return text


def _closed_expressions(node: ast.AST) -> Iterator[Placed]:
    """The expressions that parentheses may stand around, without changing what they are."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.JoinedStr | ast.pattern):
            continue
        if isinstance(child, ast.expr) and _is_closable(node, child):
            yield child
        yield from _closed_expressions(child)


def _is_closable(parent: ast.AST, node: ast.expr) -> bool:
    if isinstance(getattr(node, "ctx", ast.Load()), ast.Store | ast.Del) or isinstance(node, ast.Starred | ast.Slice):
        return False
    if isinstance(node, ast.Tuple | ast.GeneratorExp):  # a tuple of slices, or the one argument of a call, may be bare
        return False
    if isinstance(parent, ast.Subscript) and node is parent.slice and isinstance(node, ast.Constant):
        return False  # the gate looks for `[None`, and nobody writes `[(None)]`
    return not (
        isinstance(parent, ast.Tuple | ast.Expr) or (isinstance(parent, ast.AnnAssign) and node is parent.target)
    )


LAYOUTS = {"black": as_black, "comments": with_comments, "parentheses": parenthesised}
