"""Guards a division by a sample deviation, so that it is only made for groups of two samples or more."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from grpo_lint.fixes.normalisation import Refusal
from grpo_lint.fixes.tree import Tree
from grpo_lint.flow.exposed import ExposedSpread
from grpo_lint.flow.facts import FunctionFacts, Role
from grpo_lint.flow.nodes import walk_nodes
from grpo_lint.flow.traversal import alternatives
from grpo_lint.flow.values import Vector
from grpo_lint.model import Edit, Fix, Position, Range, Safety
from grpo_lint.source import Source


def guard_spread(facts: FunctionFacts, spread: ExposedSpread) -> Fix:
    """The fix that leaves the advantage of a lone sample at 0, where it was NaN. Raises Refusal."""
    if spread.is_filter:
        raise Refusal("whether a group of one sample is to be kept is for the filter's author to say")
    if not facts.owns(spread.node) or not facts.foreign_calls.isdisjoint({spread.node, spread.use}):
        raise Refusal("the standard deviation is taken in a helper")
    if not _is_centred(facts, spread):
        raise Refusal("what is divided is not known to be centred on the group's mean, which makes a lone sample's 0")
    tree = Tree.of(facts.function)
    size = f"len({_values(spread.node)}) > 1"
    edits = tuple(_edits(facts, tree, spread, size, facts.module.source))
    safety = Safety.SAFE if _has_one_axis(facts, spread.node) else Safety.UNSAFE
    return Fix(safety, f"divide only where `{size}`", edits)


def _has_one_axis(facts: FunctionFacts, node: ast.expr) -> bool:
    """Whether a sample is one number: the deviation of a lone sample with several is none of one."""
    parts = [facts.value(each) for each in walk_nodes(node) if isinstance(each, ast.Name)]
    found = [each for part in parts for each in alternatives(part) if isinstance(each, Vector)]
    return bool(found) and all(each.rank == 1 for each in found)


def _is_centred(facts: FunctionFacts, spread: ExposedSpread) -> bool:
    """Whether what is divided was centred on the mean of the same group: then a lone sample's is 0."""
    centrings = {use.node for use in facts.uses(spread.grouping) if use.role is Role.BASELINE}
    match spread.use:
        case ast.BinOp(left=divided) | ast.AugAssign(target=divided):
            versions = {each.version for each in alternatives(facts.value(divided)) if isinstance(each, Vector)}
            return not centrings.isdisjoint(walk_nodes(divided)) or not centrings.isdisjoint(versions)
        case _:
            return False


def _values(node: ast.expr) -> str:
    """The name of what the deviation is taken of, whose length is the group's size."""
    match node:
        case ast.Call(func=ast.Attribute(attr="transform" | "agg" | "aggregate")):
            raise Refusal("the groups of a table are divided all at once")
        case ast.Call(func=ast.Attribute(value=ast.Name(id=module)), args=[ast.Name(id=name), *_]) if module != name:
            return name
        case ast.Call(func=ast.Name(), args=[ast.Name(id=name), *_]):
            return name
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name))):
            return name
        case _:
            raise Refusal(f"what `{ast.unparse(node)}` is taken of has no name whose length could be tested")


def _edits(facts: FunctionFacts, tree: Tree, spread: ExposedSpread, size: str, source: Source) -> Iterator[Edit]:
    statement = tree.statement(spread.node)
    if _is_only_a_division(statement, spread.node):
        yield _around(tree, statement, size, source)
        return
    _require_divisor(facts, tree, spread.node)
    text = f"{source.segment(spread.node)} if {size} else 1.0"
    yield Edit(source.range(spread.node), text if isinstance(tree.parents[spread.node], ast.Assign) else f"({text})")


def _is_only_a_division(statement: ast.stmt, node: ast.expr) -> bool:
    """`rewards = rewards / (rewards.std() + 1e-6)`, or in place: without it the centred rewards stay."""
    match statement:
        case ast.Assign(
            targets=[ast.Name(id=target)], value=ast.BinOp(left=ast.Name(id=left), op=ast.Div(), right=right)
        ) if target == left:
            return node in walk_nodes(right)
        case ast.AugAssign(target=ast.Name(), op=ast.Div(), value=right):
            return node in walk_nodes(right)
        case _:
            return False


def _around(tree: Tree, statement: ast.stmt, size: str, source: Source) -> Edit:
    """The test joined to the branch that the division is all of, or put around it."""
    holder = tree.blocks[statement].holder
    if isinstance(holder, ast.If) and holder.body == [statement] and not holder.orelse:
        return _joined(holder.test, size, source)
    line = source.line(statement.lineno)
    indent = line[: len(line) - len(line.lstrip())]
    text = source.segment(statement)
    if len(text.splitlines()) > 1 or (line.strip() != text and not line.strip().startswith((text + " ", text + "\t"))):
        raise Refusal(f"the division on line {statement.lineno} does not have one line of its own")
    unit = "\t" if indent.startswith("\t") else "    "
    start = source.range(statement).start
    whole = Range(start, Position(start.row, len(line) + 1))
    body = source.slice(whole)
    return Edit(whole, f"if {size}:{source.newline}{indent}{unit}{body}")


def _joined(test: ast.expr, size: str, source: Source) -> Edit:
    text = source.segment(test)
    range_ = source.range(test)
    if range_.start.row != range_.end.row:
        raise Refusal("the condition of the division stands on several lines")
    is_loose = isinstance(test, ast.IfExp | ast.Lambda | ast.NamedExpr) or (
        isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or)
    )
    return Edit(range_, f"({text}) and {size}" if is_loose else f"{text} and {size}")


def _require_divisor(facts: FunctionFacts, tree: Tree, node: ast.expr) -> None:
    """A number stands in for the deviation only where it is divided by, not where a tensor may be wanted."""
    uses = [node]
    statement = tree.parents[node]
    if isinstance(statement, ast.Assign) and statement.value is node and isinstance(statement.targets[0], ast.Name):
        uses = [load for load, reaching in facts.loads.items() if any(found.right is node for found in reaching)]
    for use in uses:
        if not _is_divided_by(tree, use):
            raise Refusal(f"`{ast.unparse(use)}` is more than a divisor on line {use.lineno}")


def _is_divided_by(tree: Tree, node: ast.expr) -> bool:
    """`values / node`, or with something added to it."""
    inner: ast.AST = node
    parent = tree.parents.get(inner)
    while isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Add):
        inner, parent = parent, tree.parents.get(parent)
    match parent:
        case ast.BinOp(op=ast.Div(), right=right) | ast.AugAssign(op=ast.Div(), value=right):
            return right is inner
        case _:
            return False
