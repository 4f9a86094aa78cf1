"""What a Python file says, whatever a formatter made of its looks."""

from __future__ import annotations

import ast
import hashlib
import inspect
import io
import re
import tokenize
from collections.abc import Iterator

from grpo_lint.source import Source
from grpo_lint.syntax import parse_quietly

DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
# They speak to tools: tools add and remove them.
DIRECTIVE = re.compile(r"(noqa|type:|fmt:|isort:|ruff:|pylint:|pyright:|mypy:|pragma)", re.IGNORECASE)


def outline(source: Source) -> str:
    """The syntax of a file as one text, the same for every version of Python.

    Indented docstrings are compared as `help` shows them, and the imports at the top as a set: formatters indent the
    ones anew, and sort and split the others. Raises SyntaxError, ValueError or RecursionError for what does not parse.
    """
    tree = parse_quietly(source.text)
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    rest = [_written(node) for node in tree.body if node not in imports]
    names = sorted({name for node in imports for name in _imported(node)})
    return "\n".join([_docstring(tree) or "", *names, *(rest[1:] if _docstring(tree) is not None else rest)])


def remarks(source: Source) -> tuple[str, ...]:
    """The comments below the header, in order, without those that only speak to tools."""
    tokens = tokenize.generate_tokens(io.StringIO(source.text).readline)
    texts = (token.string.strip("# \t\r") for token in tokens if token.type == tokenize.COMMENT)
    return tuple(text for text in texts if text and not DIRECTIVE.match(text))


def fingerprint(source: Source, header: frozenset[str] = frozenset()) -> str:
    """A short digest of a file's syntax and comments, those of the `header` aside."""
    kept = [text for text in remarks(source) if text not in header]
    return hashlib.sha256("\n".join([outline(source), *kept]).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _imported(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    for alias in node.names:
        where = f"{'.' * node.level}{node.module or ''}:" if isinstance(node, ast.ImportFrom) else ""
        yield f"import {where}{alias.name} as {alias.asname or alias.name}"


def _docstring(node: ast.AST) -> str | None:
    match getattr(node, "body", None):
        case [ast.Expr(value=ast.Constant(value=str(text))), *_] if isinstance(node, DOCUMENTED):
            return inspect.cleandoc(text)
    return None


def _written(node: object) -> str:
    """A node as text. Empty fields go: which there are differs from one version of Python to the next."""
    if isinstance(node, list):
        return f"[{', '.join(map(_written, node))}]"
    if not isinstance(node, ast.AST):
        return f"{type(node).__name__} {node!r}"
    fields = {name: value for name, value in ast.iter_fields(node) if value not in (None, []) or name == "value"}
    fields.pop("kind", None)
    if isinstance(node, ast.JoinedStr):
        fields["values"] = _merged(node.values)
    if (text := _docstring(node)) is not None:
        fields["body"] = [text, *fields["body"][1:]]
    return f"{type(node).__name__}({', '.join(f'{name}={_written(value)}' for name, value in fields.items())})"


def _merged(values: list[ast.expr]) -> list[ast.expr]:
    """The parts of an f-string, each text between the fields in one piece: Python 3.12 has empty pieces besides."""
    merged: list[ast.expr] = []
    for value in values:
        match merged[-1:], value:
            case _, ast.Constant(value=""):
                pass
            case [ast.Constant(value=str(before))], ast.Constant(value=str(after)):
                merged[-1] = ast.Constant(before + after)
            case _:
                merged.append(value)
    return merged
