"""Lifts a normalisation of block after block to one call of `normalize_rewards_by_group`."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from grpo_lint.fixes.call import Call, is_default_eps, require_number
from grpo_lint.fixes.context import Context
from grpo_lint.fixes.identity import Identity, find_identity
from grpo_lint.fixes.layout import lay_out, one_line
from grpo_lint.fixes.lift import Lift, arguments_of
from grpo_lint.fixes.normalisation import Refusal
from grpo_lint.fixes.origin import NORMALISER, origin_of
from grpo_lint.fixes.purity import is_method_of_values, is_pure
from grpo_lint.fixes.rewrite import kept_comments
from grpo_lint.fixes.tree import Tree
from grpo_lint.flow.facts import FunctionFacts, Role
from grpo_lint.flow.nodes import walk_nodes
from grpo_lint.flow.traversal import walk
from grpo_lint.flow.values import Grouping, Kind, Statistic, Vector
from grpo_lint.model import Edit, Position, Range
from grpo_lint.project import Argument
from grpo_lint.project.calls import InputKind

_EMPTY = frozenset({"zeros_like", "empty_like"})
_JOINS = frozenset({"cat", "concat", "concatenate", "hstack"})


@dataclass(frozen=True, slots=True)
class _Formula:
    """Blocks less their mean, and over their std plus `eps` where there is one."""

    is_scaled: bool
    eps: ast.expr | None = None


@dataclass(frozen=True, slots=True)
class _Place:
    """The statements that go, and what the call is assigned to, returned as, or handed to."""

    statements: tuple[ast.stmt, ...]
    prefix: str
    suffix: str
    formula: _Formula


def lift_blocks(facts: FunctionFacts, grouping: Grouping, context: Context) -> Lift:
    """Lift the normalisation of the blocks of a vector. Raises Refusal."""
    if not isinstance(facts.function, ast.FunctionDef | ast.AsyncFunctionDef) or not facts.owns(grouping.node):
        raise Refusal("the rewards are not grouped in the function that normalises them")
    if not isinstance(grouping.of, Vector) or grouping.size is None or not isinstance(grouping.operand, ast.Name):
        raise Refusal("what the blocks are taken from has no name")
    if any(isinstance(node, ast.keyword) and node.arg == "requires_grad" for node in walk_nodes(grouping.of.version)):
        raise Refusal("gradients flow through the rewards")
    tree = Tree.of(facts.function)
    at = tree.statement(grouping.node)
    identity = find_identity(facts, tree, grouping.of, at, context.project, context.wishes)
    place = _place(facts, tree, grouping, context)
    call = _call(facts, grouping, place.formula, identity, context)
    _require_apart(facts, tree, place, grouping, call.needed)
    origin = origin_of(facts, (call,), context)
    edit = _edit(place, list(arguments_of(call, origin)), context)
    gone = frozenset(node for statement in place.statements for node in walk_nodes(statement))
    return Lift(facts, context, (edit,), gone, call.needed, origin.module, identity.safety, identity.group_indices)


def _place(facts: FunctionFacts, tree: Tree, grouping: Grouping, context: Context) -> _Place:
    for parent in tree.ancestors(grouping.node):
        if isinstance(parent, ast.ListComp):
            return _joined_place(tree, parent, grouping, context)
        if isinstance(parent, ast.For):
            return _loop_place(facts, tree, parent, grouping)
    raise Refusal("the blocks are not normalised where they are taken")


# torch.cat([block - block.mean() for block in rewards.split(n)])


def _joined_place(tree: Tree, gathered: ast.ListComp, grouping: Grouping, context: Context) -> _Place:
    join = tree.parents.get(gathered)
    match join, gathered.generators:
        case ast.Call(func=ast.Attribute(attr=name), args=[_], keywords=[]), [
            ast.comprehension(target=ast.Name(id=block), iter=iterated, ifs=[])
        ] if name in _JOINS and iterated is grouping.node:
            formula = _formula(gathered.elt, block)
        case _:
            raise Refusal("the blocks are not joined again right where they are normalised")
    assert isinstance(join, ast.Call)
    statement, source = tree.statement(join), context.source
    if not isinstance(statement, ast.Return | ast.Assign | ast.AnnAssign) or statement.value is not join:
        raise Refusal(f"the joined blocks are a part of another expression on line {join.lineno}")
    whole = source.range(statement)
    inner = source.with_parentheses(source.range(join), whole)
    prefix = source.slice(Range(whole.start, inner.start))
    if "\n" in prefix or inner.end != whole.end:
        raise Refusal(f"the expression on line {join.lineno} stands in a statement of several lines")
    return _Place((statement,), prefix, "", formula)


# out = torch.zeros_like(rewards), and a loop that stores each block's advantages


def _loop_place(facts: FunctionFacts, tree: Tree, loop: ast.For, grouping: Grouping) -> _Place:
    *steps, last = loop.body
    names = dict(_steps(steps))
    match last:
        case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=out), slice=index)], value=value):
            pass
        case _:
            raise Refusal("the loop over the blocks does more than store each block's advantages")
    block = ast.unparse(_inlined(grouping.node, names))
    if block != ast.unparse(ast.Subscript(grouping.operand, _inlined(index, names), ast.Load())):
        raise Refusal("a block's advantages are stored elsewhere than where its rewards were")
    _require_all_blocks(loop, grouping)
    made = _made_before(tree, loop, out, grouping)
    return _Place((made, loop), f"{out} = ", "", _formula(_inlined(value, names), block))


def _steps(statements: Sequence[ast.stmt]) -> Iterator[tuple[str, ast.expr]]:
    for statement in statements:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                yield name, value
            case _:
                raise Refusal(f"line {statement.lineno} of the loop over the blocks is not understood")


class _Inlining(ast.NodeTransformer):
    def __init__(self, names: Mapping[str, ast.expr]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if isinstance(node.ctx, ast.Load) and node.id in self.names:
            value: ast.expr = self.visit(copy.deepcopy(self.names[node.id]))
            return value
        return node


def _inlined(node: ast.expr, names: Mapping[str, ast.expr]) -> ast.expr:
    """An expression with the loop's own names replaced by what they stand for."""
    for name, value in names.items():
        if any(isinstance(part, ast.Name) and part.id == name for part in walk_nodes(value)):
            raise Refusal(f"`{name}` is computed from itself in the loop over the blocks")
    inlined: ast.expr = _Inlining(names).visit(copy.deepcopy(node))
    return inlined


def _require_all_blocks(loop: ast.For, grouping: Grouping) -> None:
    """`range(len(rewards) // n)`, `range(0, len(rewards), n)`: every sample of a full grid is in one of them."""
    vector, size = ast.unparse(grouping.operand), ast.unparse(grouping.size) if grouping.size else ""
    totals = [f"len({vector})", f"{vector}.size(0)", f"{vector}.shape[0]", f"{vector}.numel()"]
    wanted = {f"range({total} // {size})" for total in totals}
    wanted |= {f"range(0, {total} // {size})" for total in totals} | {f"range(0, {total}, {size})" for total in totals}
    if loop.orelse or not isinstance(loop.target, ast.Name) or ast.unparse(loop.iter) not in wanted:
        raise Refusal(f"`{ast.unparse(loop.iter)}` is not known to go through all of `{vector}`")


def _made_before(tree: Tree, loop: ast.For, out: str, grouping: Grouping) -> ast.stmt:
    """The statement right before the loop that makes the tensor of zeros."""
    statements = tree.blocks[loop].statements
    position = statements.index(loop)
    before = statements[position - 1] if position else None
    match before:
        case ast.Assign(
            targets=[ast.Name(id=name)], value=ast.Call(func=ast.Attribute(attr=maker), args=[made_of], keywords=[])
        ) if name == out and maker in _EMPTY and ast.unparse(made_of) == ast.unparse(grouping.operand):
            return before
        case _:
            raise Refusal(f"`{out}` is not made of zeros like `{ast.unparse(grouping.operand)}` right before the loop")


def _formula(value: ast.expr, block: str) -> _Formula:
    centred, std, formula = value, value, _Formula(False)
    match value:
        case ast.BinOp(left=centred, op=ast.Div(), right=ast.BinOp(left=std, op=ast.Add(), right=eps)):
            formula = _Formula(True, eps)
        case ast.BinOp(left=centred, op=ast.Div(), right=std):
            formula = _Formula(True)
    is_scaled_by_std = not formula.is_scaled or _is_statistic(std, "std", block)
    if not (_is_centred(centred, block) and is_scaled_by_std):
        raise Refusal("the blocks are not normalised by their own mean and std alone")
    if formula.eps is not None:
        require_number(formula.eps)
    return formula


def _is_centred(node: ast.expr, block: str) -> bool:
    match node:
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            return ast.unparse(left) == block and _is_statistic(right, "mean", block)
        case _:
            return False


def _is_statistic(node: ast.expr, name: str, block: str) -> bool:
    """`block.mean()` or `torch.mean(block)`; of a std, the divisor is told by the data flow."""
    match node:
        case ast.Call(func=ast.Attribute(value=of, attr=attr), args=[]) if attr == name:
            return ast.unparse(of) == block and (name == "std" or not node.keywords)
        case ast.Call(func=ast.Attribute(attr=attr), args=[of]) if attr == name:
            return ast.unparse(of) == block and (name == "std" or not node.keywords)
        case _:
            return False


def _require_apart(facts: FunctionFacts, tree: Tree, place: _Place, grouping: Grouping, needed: frozenset[str]) -> None:
    """What goes must compute values only, and bind nothing that is read elsewhere or by the call."""
    gone = {node for statement in place.statements for node in walk_nodes(statement)}
    target = place.prefix.partition(" ")[0]
    stored = {node.id for node in gone if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)} - {target}
    for node in walk_nodes(tree.root):
        if isinstance(node, ast.Name) and node.id in stored and (node not in gone or node.id in needed):
            raise Refusal(f"`{node.id}` is needed outside of the loop over the blocks")
    for node in (part for statement in place.statements for part in walk_nodes(statement)):
        if isinstance(node, ast.Call) and node is not grouping.node and not _only_computes(node, facts):
            raise Refusal(f"`{ast.unparse(node)}` may do more than compute a value")


def _only_computes(call: ast.Call, facts: FunctionFacts) -> bool:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if facts.module.aliases.library(call.func):
        return name in _JOINS or is_pure(ast.Call(call.func, [], call.keywords), facts.module.aliases)
    return name in ("range", "len", "slice") or (isinstance(call.func, ast.Attribute) and is_method_of_values(name))


def _call(facts: FunctionFacts, grouping: Grouping, formula: _Formula, identity: Identity, context: Context) -> Call:
    assert grouping.size is not None
    std = next((each for each in _statistics(facts, grouping) if each.kind is Kind.STD), None)
    mean = next((each for each in _statistics(facts, grouping) if each.kind is Kind.MEAN), None)
    statistic = std or mean
    library = statistic.library if statistic is not None else None
    if library not in ("torch", "numpy"):
        raise Refusal("nothing tells torch's values from NumPy's")
    keywords = [
        Argument("normalize_std", str(formula.is_scaled)),
        Argument("fallback_group_size", one_line(context.source.segment(grouping.size))),
    ]
    if formula.is_scaled:
        if std is None or std.correction not in (0, 1):
            raise Refusal("the divisor of the std is not known")
        eps = "0.0" if formula.eps is None else one_line(context.source.segment(formula.eps))
        keywords.append(Argument("eps", eps, is_default_eps(formula.eps)))
        keywords.append(Argument("correction", str(std.correction), std.correction == 1))
    rewards = ast.unparse(grouping.operand)
    parts = [grouping.operand, grouping.size, *([formula.eps] if formula.eps else [])]
    names = {node.id for part in parts for node in walk_nodes(part) if isinstance(node, ast.Name)}
    kind: InputKind = "array" if library == "numpy" else "tensor"
    return Call(rewards, identity, tuple(keywords), kind, None, frozenset(names | identity.names))


def _statistics(facts: FunctionFacts, grouping: Grouping) -> Iterator[Statistic]:
    for use in facts.uses(grouping):
        if use.role is not Role.FILTER:
            yield from (part for part in walk(use.statistic) if isinstance(part, Statistic))


def _edit(place: _Place, arguments: list[tuple[str | None, str]], context: Context) -> Edit:
    source = context.source
    first, last = place.statements[0], place.statements[-1]
    line = source.line(first.lineno)
    indent = line[: len(line) - len(line.lstrip())]
    end = last.end_lineno or last.lineno
    rows = [source.line(row) for row in range(first.lineno, end + 1)]
    if line[: source.range(first).start.column - 1].strip():
        raise Refusal(f"another statement stands on line {first.lineno}")
    tail = rows[-1][source.range(last).end.column - 1 :].strip()
    if tail and not tail.startswith("#"):
        raise Refusal(f"another statement stands on line {end}")
    comments = [indent + comment for comment in kept_comments("\n".join(rows))]
    unit = "\t" if indent.startswith("\t") else "    "
    text = lay_out(place.prefix, NORMALISER, arguments, place.suffix, indent, context.line_length, unit)
    whole = Range(Position(first.lineno, 1), Position(end, len(source.line(end)) + 1))
    return Edit(whole, source.newline.join([*comments, *text.split("\n")]))
