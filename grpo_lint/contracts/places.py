"""Where things stand in a file, for findings about them."""

from __future__ import annotations

import ast
import re

from grpo_lint.model import Position, Range
from grpo_lint.source import Placed, Source

_START = Range(Position(1, 1), Position(1, 1))


def place_of(source: Source, node: ast.AST | None) -> Range:
    """The range of a node; the start of the file for what has no place."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return header(source, node)
    if isinstance(node, ast.ExceptHandler):
        return _first_line(source, node.lineno, node.col_offset, "except")
    if isinstance(node, ast.With | ast.AsyncWith):
        return _first_line(source, node.lineno, node.col_offset, "with")
    return source.range(node) if isinstance(node, Placed) else _START


def header(source: Source, node: ast.AST) -> Range:
    """From the first word of a definition to the end of its name."""
    name = getattr(node, "name", None)
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) or name is None:
        return source.range(node) if isinstance(node, Placed) else _START
    start = source.position(node.lineno, node.col_offset)
    found = re.compile(rf"(?:async\s+)?(?:def|class)\s+{re.escape(name)}").match(source.text, source.offset(start))
    length = len(found.group()) if found else len("def")
    return Range(start, Position(start.row, start.column + length))


def _first_line(source: Source, row: int, column: int, word: str) -> Range:
    start = source.position(row, column)
    end = max(source.line(row).find(":", start.column - 1), start.column - 1 + len(word))
    return Range(start, Position(row, end + 1))
