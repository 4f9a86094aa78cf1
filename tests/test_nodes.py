"""The walk over a tree gives what `ast.walk` gives, in its order."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from grpo_lint.flow.nodes import walk_nodes

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
    assert walk_nodes(tree) == list(ast.walk(tree))
    for statement in tree.body:
        assert walk_nodes(statement) == list(ast.walk(statement))
