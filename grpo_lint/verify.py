"""The last look at a repaired text before it is written: a second parser must read it, to the letter."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from grpo_lint.source import Source
from grpo_lint.syntax import parse_quietly

_LONE_RETURN = re.compile(r"\r(?!\n)")  # ends a row for Python, but LibCST loses one at the end of a text


def require_readable(before: Source, after: Source) -> None:
    """Raise ValueError if LibCST, which keeps every character, does not give a rewritten function back as it stands.

    Only functions that changed are read: LibCST is slow on whole files, and need not know all syntax in them. Raises
    ValueError, too, if the file's encoding lacks a character of the repaired text.
    """
    import libcst

    after.encode(after.text)

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
    for node in ast.walk(parse_quietly(source.text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            text = _LONE_RETURN.sub("\n", source.rows(first, node.end_lineno or node.lineno))
            yield f"if True:\n{text}" if text[:1].isspace() else text
