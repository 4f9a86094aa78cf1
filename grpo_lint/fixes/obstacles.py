"""Why a use of grouped values is none that a repair can replace, in one clause."""

from __future__ import annotations

import ast

from grpo_lint.fixes.parts import is_part, is_piecemeal
from grpo_lint.fixes.tree import Tree
from grpo_lint.flow.facts import FunctionFacts
from grpo_lint.flow.nodes import walk_nodes
from grpo_lint.flow.traversal import alternatives, walk
from grpo_lint.flow.values import Altered, Enlarged, LeaveOneOut, Scale, Statistic, Value, Vector


def blocked_reason(node: ast.expr, facts: FunctionFacts, tree: Tree) -> str:
    """Why a use of grouped values is none that a repair can replace."""
    text, value = _shortened(node), facts.value(node)
    found = alternatives(value)
    if any(is_piecemeal(each) for each in found):
        return f"the rewards are normalised one by one, or group by group, on line {node.lineno}"
    step = _step_of(node, facts, tree)
    divisor = _foreign_scale(value if step is None else facts.value(step))
    if divisor is not None:
        return f"`{_shortened(divisor)}`, which divides on line {divisor.lineno}, is not each group's own scale"
    if not all(is_part(each) or isinstance(each, Vector) for each in found):
        return f"`{text}` on line {node.lineno} is a statistic of the groups on one way and something else on another"
    if step is not None:
        return f"the step `{_shortened(step)}` on line {node.lineno} is not understood"
    if any(isinstance(each, Statistic | Scale | LeaveOneOut) for each in found):
        return f"the group statistic `{text}` is also used on line {node.lineno}"
    return f"`{text}` is used in its grouped shape on line {node.lineno}"


def _foreign_scale(value: Value) -> ast.expr | None:
    """What values are divided by, where it is a spread, but not that of their own groups."""
    for part in walk(value):
        match part:
            case Altered(node=ast.BinOp(op=ast.Div(), right=divisor) | ast.AugAssign(op=ast.Div(), value=divisor)):
                if any(isinstance(each, ast.Attribute) and each.attr in ("std", "var") for each in walk_nodes(divisor)):
                    return divisor
    return None


def _step_of(node: ast.expr, facts: FunctionFacts, tree: Tree) -> ast.expr | None:
    """The operation on an expression that keeps its values in a form that is not understood."""
    if any(isinstance(each, Enlarged) and each.over is None for each in alternatives(facts.value(node))):
        return node
    for parent in tree.ancestors(node):
        if isinstance(parent, ast.expr) and isinstance(facts.value(parent), Altered):
            return parent
        if not isinstance(parent, ast.Attribute):
            return None
    return None


def _shortened(node: ast.expr) -> str:
    text = ast.unparse(node)
    return text if len(text) <= 60 else text[:57] + "..."
