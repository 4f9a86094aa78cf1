"""Programs and the places of their findings, marked in the syntax tree, so that they are found after any change."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from grpo_lint.model import Finding, Range
from grpo_lint.source import Placed, Source

Function = ast.FunctionDef | ast.AsyncFunctionDef
# Changes a tree in place, and moves the nodes that are marked rather than making others.
Mutation = Callable[[ast.Module, Random], None]
# The same tree, written in another way.
Layout = Callable[[str, Random], str]
Place = tuple[Range, str]

_MARK = "codes_of_findings"


@dataclass(frozen=True, slots=True)
class Program:
    """A text, and where which rules must report something in it."""

    text: str
    places: tuple[Place, ...]

    @classmethod
    def of(cls, text: str, findings: Sequence[Finding]) -> Program:
        return cls(text, tuple(sorted((each.range, each.code) for each in findings)))

    def mutated(self, steps: Sequence[tuple[Mutation, int]]) -> Program:
        """The program after mutations, each with the seed of its choices."""
        tree = self._marked()
        for mutation, seed in steps:
            mutation(tree, Random(seed))
            ast.fix_missing_locations(tree)
        text = ast.unparse(tree) + "\n"
        return Program(text, _marks_in(tree, text))

    def laid_out(self, layout: Layout, seed: int) -> Program:
        """The program written in another way."""
        text = layout(self.text, Random(seed))
        return Program(text, _marks_in(self._marked(), text))

    def _marked(self) -> ast.Module:
        tree = ast.parse(self.text)
        source = Source.from_text("case.py", self.text)
        innermost = {source.range(node): node for node in ast.walk(tree) if isinstance(node, Placed)}
        for place, code in self.places:
            mark(innermost[place], *marks(innermost[place]), code)
        return tree


def marks(node: ast.AST) -> tuple[str, ...]:
    """The rules that report a node."""
    return getattr(node, _MARK, ())


def mark(node: ast.AST, *codes: str) -> None:
    """Rules report a node."""
    setattr(node, _MARK, codes)


def _marks_in(tree: ast.Module, text: str) -> tuple[Place, ...]:
    """Where the marked nodes of a tree stand in its text."""
    source = Source.from_text("case.py", text)
    found = []
    for node, written in zip(ast.walk(tree), ast.walk(ast.parse(text)), strict=True):
        assert type(node) is type(written), (ast.dump(node), ast.dump(written))
        found += [(source.range(written), code) for code in marks(node)]
    return tuple(sorted(found))


# what a program consists of


def blocks_of(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """The lists of statements below a node."""
    for each in ast.walk(node):
        for block in (getattr(each, name, None) for name in ("body", "orelse", "finalbody")):
            if isinstance(block, list) and block:
                yield block


def outer_functions(tree: ast.Module) -> list[Function]:
    """The functions and methods that stand in no other function."""
    found: list[Function] = []
    pending: list[ast.AST] = [tree]
    while pending:
        for child in ast.iter_child_nodes(pending.pop()):
            if isinstance(child, Function):
                found.append(child)
            elif isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
                pending.append(child)
    return found


def body_after_docstring(function: Function | ast.ClassDef) -> int:
    """The index of the first statement after a docstring."""
    return int(ast.get_docstring(function, clean=False) is not None)


def identifiers(node: ast.AST) -> set[str]:
    """All names in a node: of variables, parameters, attributes, functions, keywords, imports."""
    found: set[str] = set()
    for each in ast.walk(node):
        for field in ("id", "arg", "attr", "name", "asname", "rest"):
            if isinstance(name := getattr(each, field, None), str):
                found.update(name.split("."))
        for names in (getattr(each, field, None) for field in ("names", "kwd_attrs")):
            found.update(name for name in names or () if isinstance(name, str))
    return found


def variables(node: ast.AST, *contexts: type[ast.expr_context]) -> list[ast.Name]:
    """The variables in a node that are read, written or deleted."""
    return [each for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, contexts)]


def calls_in(node: ast.AST) -> list[ast.Call]:
    """The calls in a node."""
    return [each for each in ast.walk(node) if isinstance(each, ast.Call)]


def name_called(call: ast.Call) -> str:
    """The last name of what is called."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
