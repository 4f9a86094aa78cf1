"""The last look at a repaired text before it is written: a second parser must read it, to the letter."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from grpo_lint.source import Source


def require_readable(before: Source, after: Source) -> None:
    """Raise ValueError if LibCST, which keeps every character, does not give a rewritten function back as it stands.

    Only functions that changed are read: LibCST is slow on whole files, and need not know all syntax in them.
    """
    import libcst

    known = set(_functions(before))
    for text in _functions(after):
        if text in known:
            continue
        try:
            is_same = libcst.parse_module(text).code == text
        except libcst.ParserSyntaxError as error:
            raise ValueError(f"LibCST cannot read it: {error.message}") from error
        if not is_same:
            raise ValueError("LibCST reads it differently")


def _functions(source: Source) -> Iterator[str]:
    """The texts of all functions, from the outside; an indented one stands below an `if`, to be whole by itself."""
    for node in ast.walk(ast.parse(source.text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            text = source.rows(first, node.end_lineno or node.lineno)
            yield text if not text[:1].isspace() else f"if True:{source.newline}{text}"
