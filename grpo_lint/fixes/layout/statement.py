"""Black's layout of one statement with a call."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace

from grpo_lint.fixes.layout.splitting import COMPREHENSION, DOT, Line, Style, break_line, delimiters_of, width
from grpo_lint.fixes.layout.tokens import Token, one_line, tokens_of
from grpo_lint.flow.nodes import walk_nodes
from grpo_lint.syntax import parse_quietly

__all__ = ["lay_out", "one_line"]


def lay_out(
    prefix: str,
    function: str,
    arguments: Sequence[tuple[str | None, str]],
    suffix: str,
    indent: str,
    line_length: int,
    indent_unit: str = "    ",
) -> str:
    """`prefix + function(arguments) + suffix` as black would write it at that indentation.

    The first line carries the indentation too; no newline follows the last one. Values stand on one
    line as given, and one that must break at an operator is put in parentheses. Tabs count as four columns.
    """
    style = Style(line_length, indent, indent_unit)
    written = ", ".join(_argument(name, value, style) for name, value in arguments)
    statement = f"{prefix}{function}({written}){suffix}"
    lines = break_line(Line(_with_optional_parentheses(statement)), style)
    return "\n".join(style.indentation(line.depth) + line.text for line in lines)


def _argument(name: str | None, value: str, style: Style) -> str:
    value = one_line(value)
    written = value if name is None else f"{name}={value}"
    fits = width(style.indentation(1) + written) < style.line_length
    if fits or not _breaks_at_operator(value):
        return written
    return f"({value})" if name is None else f"{name}=({value})"


def _breaks_at_operator(value: str) -> bool:
    priorities = delimiters_of(tokens_of(value)).values()
    return bool(priorities) and max(priorities) not in {DOT, COMPREHENSION} and not value.startswith("*")


def _with_optional_parentheses(statement: str) -> tuple[Token, ...]:
    tokens = tokens_of(statement)
    for start, end in (*_values(statement), *_conditionals(statement)):
        tokens = _wrapped(tokens, start, end)
    return tokens


def _wrapped(tokens: tuple[Token, ...], start: int, end: int) -> tuple[Token, ...]:
    """Put parentheses without text around what stands from `start` to `end`, unless it is in parentheses already."""
    first = next(index for index, token in enumerate(tokens) if token.start >= start and token.text)
    last = max(index for index, token in enumerate(tokens) if token.end <= end and token.text) + 1
    has_own = first > 0 and tokens[first - 1].text == "(" and last < len(tokens) and tokens[last].text == ")"
    if has_own:
        return tokens
    opening = Token(tokens[first].prefix, "", "open", start)
    closing = Token("", "", "close", end)
    inner = (replace(tokens[first], prefix=""), *tokens[first + 1 : last])
    return (*tokens[:first], opening, *inner, closing, *tokens[last:])


def _values(statement: str) -> Iterator[tuple[int, int]]:
    """Where the value of an assignment or of a `return` stands, and the tuple or annotation before it."""
    match parse_quietly(_parsable(statement)).body:
        case [ast.FunctionDef(body=[node])]:
            match node:
                case ast.Assign(targets=[ast.Tuple() as target, *_], value=value):
                    yield from (_span(target, statement), _span(value, statement))
                case ast.Assign(value=value) | ast.AugAssign(value=value) | ast.Return(value=ast.expr() as value):
                    yield _span(value, statement)
                case ast.AnnAssign(annotation=annotation, value=ast.expr() as value):
                    yield from (_span(annotation, statement), _span(value, statement))


def _conditionals(statement: str) -> Iterator[tuple[int, int]]:
    for node in walk_nodes(parse_quietly(_parsable(statement))):
        if isinstance(node, ast.IfExp):
            yield _span(node, statement)


HEADER = "def function():\n "


def _parsable(statement: str) -> str:
    return HEADER + statement


def _span(node: ast.expr, statement: str) -> tuple[int, int]:
    """Offsets in the statement, which has one line unless a string in it has several."""
    lines = statement.splitlines(keepends=True)
    starts = [sum(len(line) for line in lines[:row]) for row in range(len(lines))]

    def offset(row: int, column: int) -> int:
        column -= 1 if row == 2 else 0
        return starts[row - 2] + len(lines[row - 2].encode()[:column].decode())

    end_row, end_column = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
    return offset(node.lineno, node.col_offset), offset(end_row, end_column)
