"""Parsing without a word: Python warns on standard error of what it reads, and that is not ours to say."""

from __future__ import annotations

import ast
import warnings


def parse_quietly(text: str | bytes) -> ast.Module:
    """The tree of a module. Raises what `ast.parse` raises, whatever warnings are made errors."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)


def parse_expression(text: str) -> ast.expr:
    """The tree of an expression, before which no blank may stand. Raises what `ast.parse` raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text, mode="eval").body
