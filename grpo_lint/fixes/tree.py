"""Where nodes stand in a function: parents, statements, blocks."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from grpo_lint.flow.nodes import parents_of

_BODIES = ("body", "orelse", "finalbody")
_LOOPS = ast.For | ast.AsyncFor | ast.While


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """A list of statements and the node that holds it."""

    holder: ast.AST
    statements: tuple[ast.stmt, ...]


@dataclass(frozen=True, slots=True)
class Tree:
    """The parent of every node below a root, and the block of every statement."""

    root: ast.AST
    parents: Mapping[ast.AST, ast.AST]
    blocks: Mapping[ast.stmt, Block]

    @classmethod
    def of(cls, root: ast.AST) -> Tree:
        parents = parents_of(root)
        blocks: dict[ast.stmt, Block] = {}
        for node in {root, *(parents[each] for each in parents if isinstance(each, ast.stmt))}:
            for block in own_blocks(node):
                blocks.update(dict.fromkeys(block.statements, block))
        return cls(root, parents, blocks)

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes around a node, from the inside."""
        while node in self.parents:
            node = self.parents[node]
            yield node

    def statement(self, node: ast.AST) -> ast.stmt:
        """The innermost statement that holds a node (a statement holds itself)."""
        while not isinstance(node, ast.stmt):
            node = self.parents[node]
        return node

    def function(self, node: ast.AST) -> ast.AST:
        """The innermost function that holds a node, or the root."""
        for found in self.ancestors(node):
            if isinstance(found, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                return found
        return self.root

    def chain(self, statement: ast.stmt) -> list[ast.stmt]:
        """A statement and the statements around it, from the outside."""
        around = [found for found in self.ancestors(statement) if isinstance(found, ast.stmt)]
        return [*reversed(around), statement]

    def common_block(self, statements: list[ast.stmt]) -> tuple[Block, list[ast.stmt]]:
        """The innermost block around all of them, and for each the statement of that block that holds it."""
        chains = [self.chain(statement) for statement in statements]
        depth = 0
        while all(len(chain) > depth + 1 for chain in chains) and len({chain[depth] for chain in chains}) == 1:
            if len({self.blocks[chain[depth + 1]] for chain in chains}) > 1:
                break
            depth += 1
        return self.blocks[chains[0][depth]], [chain[depth] for chain in chains]


def own_blocks(node: ast.AST) -> Iterator[Block]:
    """The blocks that a node holds itself."""
    for name in _BODIES:
        statements = getattr(node, name, None)
        if isinstance(statements, list) and statements and isinstance(statements[0], ast.stmt):
            yield Block(node, tuple(statements))


def loops_between(tree: Tree, outer: ast.AST, inner: ast.AST) -> list[ast.AST]:
    """The loops around `inner` that do not hold `outer`: their bodies run again after what follows `inner` in them."""
    around = [found for found in tree.ancestors(inner) if isinstance(found, _LOOPS)]
    holders = set(tree.ancestors(outer))
    return [loop for loop in around if loop not in holders]
