"""Import statements as rows of a file."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from grpo_lint.fixes.layout.splitting import width

ImportNode: TypeAlias = "ast.Import | ast.ImportFrom"
NOQA = re.compile(r"#.*\bnoqa\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Statement:
    """An import statement on rows `start` to `end`; the comments attached to it begin at row `top`.

    `is_alone` unless another statement shares its rows.
    """

    node: ImportNode
    top: int
    start: int
    end: int
    is_alone: bool

    @property
    def module(self) -> str:
        """The module as written, dots included; the first one of several."""
        if isinstance(self.node, ast.ImportFrom):
            return "." * self.node.level + (self.node.module or "")
        return self.node.names[0].name

    @property
    def is_from(self) -> bool:
        return isinstance(self.node, ast.ImportFrom)

    @property
    def has_alias(self) -> bool:
        return any(alias.asname for alias in self.node.names)

    @property
    def is_star(self) -> bool:
        return self.node.names[0].name == "*"


def statements_of(texts: Sequence[str], body: Sequence[ast.stmt]) -> Iterator[Statement]:
    """The import statements among the statements of a suite."""
    for index, node in enumerate(body):
        if isinstance(node, ast.Import | ast.ImportFrom):
            end = _end(node)
            floor = _end(body[index - 1]) if index else 0
            follows = index + 1 < len(body) and body[index + 1].lineno <= end
            is_alone = not follows and floor < node.lineno
            yield Statement(node, _top(texts, node.lineno - 1, floor), node.lineno - 1, end, is_alone)


def _end(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno


def _top(texts: Sequence[str], start: int, floor: int) -> int:
    while start > floor and texts[start - 1].lstrip().startswith("#"):
        start -= 1
    return start


def head_blocks(texts: Sequence[str], tree: ast.Module) -> list[list[Statement]]:
    """The runs of import statements that stand before the first function and class."""
    blocks: list[list[Statement]] = []
    statements = {id(statement.node): statement for statement in statements_of(texts, tree.body)}
    is_open = False
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            break
        statement = statements.get(id(node))
        if statement is not None:
            blocks = [*blocks[:-1], [*blocks[-1], statement]] if is_open else [*blocks, [statement]]
        is_open = statement is not None
    return blocks


def comments_of(texts: Sequence[str], statement: Statement) -> list[str]:
    """The comment at the end of each row; in an import statement, `#` starts nothing else."""
    return [text.partition("#")[2] for text in texts[statement.start : statement.end]]


def has_inner_comments(texts: Sequence[str], statement: Statement) -> bool:
    """Whether comments belong to single names, or to the closing parenthesis."""
    return any(comments_of(texts, statement)[1:])


def has_noqa(texts: Sequence[str], statement: Statement) -> bool:
    return any(NOQA.search(text) for text in texts[statement.start : statement.end])


def written(statement: Statement) -> list[str]:
    """The names of a statement, as they are written."""
    return [f"{alias.name} as {alias.asname}" if alias.asname else alias.name for alias in statement.node.names]


def rewritten(texts: Sequence[str], statement: Statement, names: Sequence[str], line_length: int) -> tuple[str, ...]:
    """The statement with other names, on one row if it fits and was not broken without need."""
    first = texts[statement.start]
    indent = first[: len(first) - len(first.lstrip())]
    comment = comments_of(texts, statement)[0]
    trailing = f"  #{comment}" if comment else ""
    if not statement.is_from:
        return (f"{indent}import {', '.join(names)}{trailing}",)
    old = from_statement(statement.module, written(statement), trailing, indent, line_length)
    is_broken_by_choice = len(old) == 1 and _has_magic_comma(texts, statement)
    return from_statement(statement.module, names, trailing, indent, 0 if is_broken_by_choice else line_length)


def _has_magic_comma(texts: Sequence[str], statement: Statement) -> bool:
    code = "".join(text.partition("#")[0].strip() for text in texts[statement.start : statement.end])
    return code.endswith(",)")


def from_statement(
    module: str, names: Sequence[str], comment: str = "", indent: str = "", line_length: int = 88
) -> tuple[str, ...]:
    """`from module import names`, in parentheses and one name a row where a line is too short for it."""
    line = f"{indent}from {module} import {', '.join(names)}{comment}"
    if width(line) <= line_length or names == ["*"]:
        return (line,)
    inner = indent + ("\t" if indent.startswith("\t") else "    ")
    return (f"{indent}from {module} import ({comment}", *(f"{inner}{name}," for name in names), f"{indent})")


def docstring_end(body: Sequence[ast.stmt]) -> int:
    """How many rows a module's docstring, and what precedes it, takes; 0 without one."""
    match body[:1]:
        case [ast.Expr(value=ast.Constant(value=str())) as docstring]:
            return _end(docstring)
    return 0


def next_construct(texts: Sequence[str], index: int) -> str:
    """The code that a run of comments belongs to; the comment itself where a blank row follows it."""
    while texts[index].startswith("#") and index + 1 < len(texts) and texts[index + 1].strip():
        index += 1
    return texts[index]
