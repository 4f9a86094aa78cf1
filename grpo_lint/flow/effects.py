"""Whether anything comes of a normalisation, or it only tells about the values."""

from __future__ import annotations

import ast

from grpo_lint.flow.decisions import decides
from grpo_lint.flow.environment import Record
from grpo_lint.flow.facts import Normalising, Role
from grpo_lint.flow.view import innermost_function


def matters(normalising: Normalising, function: ast.AST, record: Record) -> bool:
    """Whether something carries on what a statistic was used for."""
    if normalising.role is Role.FILTER:
        return decides(normalising.node, innermost_function(function, normalising.node), record.definitions.values())
    return not _is_idle(normalising.node, record)


def _is_idle(node: ast.AST, record: Record, seen: frozenset[ast.AST] = frozenset()) -> bool:
    """Whether nothing carries on the values that a node makes: all their uses square, compare or reduce them.

    Values that are only divided are as idle as what the division makes; those that get a second name, as it is.
    """
    if node in seen:
        return False
    uses: list[ast.AST] = [
        load for load, reaching in record.loads.items() if any(found.right is node for found in reaching)
    ]
    seen = seen | {node}
    return all(
        use in record.idle or any(_is_idle(made, record, seen) for made in {use, record.scaled.get(use, use)})
        for use in uses or [node]
    )
