"""Which names a module reads, and which strings in it may hold some."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from grpo_lint.flow.nodes import walk_nodes


@dataclass(frozen=True, slots=True)
class Reads:
    """How often each name stands in a module, and its strings of one line, which may be code or a name."""

    names: Mapping[str, int]
    texts: Mapping[ast.AST, str]

    @classmethod
    def of(cls, tree: ast.Module) -> Reads:
        nodes = walk_nodes(tree)
        strings = [node for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
        return cls(
            Counter(node.id for node in nodes if isinstance(node, ast.Name)),
            {node: str(node.value) for node in strings if "\n" not in str(node.value)},
        )
