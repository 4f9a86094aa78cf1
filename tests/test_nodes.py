"""The walk over a tree gives what `ast.walk` gives, in its order, but operators and contexts."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from grpo_lint.flow.nodes import parents_of, walk_nodes

FILES = sorted((Path(__file__).parent / "rules/cases").glob("*.py"))
EVERYTHING = """
@decorator(1)
async def f(a, /, b: int = 1, *c, d=2, **e) -> None:
    async with x as y, z: pass
    async for _ in [i async for i in y if i]: await _
class A(B, metaclass=C): x: int = 1; del x
try: import a.b as c
except (E, F) as error: raise G from error
else: lambda *a, b=1: (yield)
finally: assert 1 < 2 <= 3, f"{x!r:>{width}}"
match x:
    case {"a": [1, *rest], **others} | P(q, r=s) if not t: global u
    case None | -1: x[1:2, ...] += {**y, 1: 2}
"""


@pytest.mark.parametrize("text", [path.read_text() for path in FILES] + [EVERYTHING], ids=[*map(str, FILES), "syntax"])
def test_the_order_is_that_of_ast_walk(text: str) -> None:
    tree = ast.parse(text)
    assert walk_nodes(tree) == _walked(tree)
    for statement in tree.body:
        assert walk_nodes(statement) == _walked(statement)


@pytest.mark.parametrize("text", [path.read_text() for path in FILES] + [EVERYTHING], ids=[*map(str, FILES), "syntax"])
def test_each_node_but_the_root_has_its_parent(text: str) -> None:
    tree = ast.parse(text)
    expected = {child: node for node in _walked(tree) for child in ast.iter_child_nodes(node) if not _is_word(child)}
    assert list(parents_of(tree).items()) == list(expected.items())


def _walked(root: ast.AST) -> list[ast.AST]:
    return [node for node in ast.walk(root) if not _is_word(node)]


def _is_word(node: ast.AST) -> bool:
    return isinstance(node, ast.expr_context | ast.operator | ast.boolop | ast.cmpop | ast.unaryop)
