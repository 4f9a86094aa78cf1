"""The statements of a tree, without a look at the expressions in them: a tenth of the nodes."""

from __future__ import annotations

import ast
from collections.abc import Iterator

_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


def walk_statements(root: ast.AST) -> Iterator[ast.stmt]:
    """All statements below a node, in no particular order."""
    pending: list[ast.AST] = [root]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.stmt):
            yield node
        fields = vars(node)
        for name in _BLOCKS:
            if isinstance(block := fields.get(name), list):
                pending += block
