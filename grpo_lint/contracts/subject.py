"""A contract beside the file that it speaks of."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from grpo_lint.contracts.call_site import Breach, CallSite
from grpo_lint.contracts.places import place_of
from grpo_lint.contracts.reading import parse_wanted
from grpo_lint.contracts.unit import Unit


@dataclass(frozen=True, slots=True, eq=False)
class Subject:
    """What is checked."""

    site: CallSite
    unit: Unit

    def breach(self, node: ast.AST | None, message: str) -> Breach:
        """A breach at a node; at the start of the file for None."""
        return Breach(place_of(self.unit.source, node), message)

    def wanted(self) -> dict[str, ast.expr]:
        """The expressions that must be passed, by parameter. Raises ContractError."""
        return {name: parse_wanted(name, text) for name, text in self.site.arguments}


def shown(node: ast.AST) -> str:
    """The code of a node in one line; of a statement that holds others, its first."""
    if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple) and node.value.elts:
        return f"return {shown(node.value)[1:-1]}"  # as people write it
    text = ast.unparse(node)
    holds_others = isinstance(node, ast.stmt) and isinstance(getattr(node, "body", None), list)
    return " ".join((text.partition("\n")[0] + " …" if holds_others else text).split())


def line_of(node: ast.AST) -> int:
    return getattr(node, "lineno", 0)
