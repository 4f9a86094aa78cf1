"""Prompts repeated for their samples, in which order, and rewards that are grouped in the other."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from grpo_lint.flow.aliases import Aliases
from grpo_lint.flow.facts import FunctionFacts
from grpo_lint.flow.lineage import definition_of, resolved
from grpo_lint.flow.nodes import walk_nodes
from grpo_lint.flow.operations import integer
from grpo_lint.flow.values import Grouping, Layout, Vector
from grpo_lint.flow.vocabulary import tokens

_PROMPTS = frozenset("prompt prompts question questions query queries problem problems instructions".split())
_SINGLE = frozenset({"prompt", "question", "query", "problem", "instruction"})
_LISTS = frozenset({"list", "List", "Sequence", "tuple", "Tuple"})


class Order(Enum):
    """How the samples of several prompts lie one after another."""

    TILED = "all prompts, then all of them again"
    NEIGHBOURS = "each prompt's samples next to each other"


@dataclass(frozen=True, slots=True, eq=False)
class Expansion:
    """Prompts that are repeated `size` times by `node`."""

    node: ast.expr
    size: ast.expr
    order: Order


@dataclass(frozen=True, slots=True, eq=False)
class Mismatch:
    """Prompts are repeated in one order, and the rewards of their samples are grouped as if in the other."""

    expansion: Expansion
    grouping: Grouping

    @property
    def is_tiled(self) -> bool:
        return self.expansion.order is Order.TILED


def mismatches(facts: FunctionFacts) -> Iterator[Mismatch]:
    """The expansions whose samples are grouped in the other order, where all expansions agree with each other."""
    seen: set[ast.expr] = set()
    for grouping in (*facts.groups_of_constant_size(), *facts.blocks_of_samples()):
        expansions = list(_expansions(facts, grouping.node))
        if len({each.order for each in expansions}) != 1 or _order(grouping) in (None, expansions[0].order):
            continue
        for expansion in expansions:
            if expansion.node not in seen and _is_same(expansion.size, grouping.size, facts):
                seen.add(expansion.node)
                yield Mismatch(expansion, grouping)


def _order(grouping: Grouping) -> Order | None:
    """`view(-1, n)` takes neighbours, `view(n, -1)` every so many; None for what is not one of these.

    Values that were put in another order before say nothing.
    """
    if not isinstance(grouping.of, Vector) or grouping.of.disorder is not None or _is_put_in_order(grouping.of):
        return None
    if grouping.layout is Layout.FIXED_STRIDE:
        return Order.NEIGHBOURS
    if grouping.rank != 2:
        return None
    return Order.NEIGHBOURS if (grouping.axis == 1) is not grouping.is_transposed else Order.TILED


def _is_put_in_order(vector: Vector) -> bool:
    """Whether several loops over positions pick the values: by prompt, and for each prompt its samples, say."""
    comprehensions = [node for node in walk_nodes(vector.origin) if isinstance(node, ast.ListComp)]
    return any(len(each.generators) > 1 and all(map(_counts, each.generators)) for each in comprehensions)


def _counts(generator: ast.comprehension) -> bool:
    return isinstance(generator.iter, ast.Call) and getattr(generator.iter.func, "id", "") == "range"


def _is_same(one: ast.expr, other: ast.expr | None, facts: FunctionFacts) -> bool:
    if other is None:
        return False
    texts = {ast.unparse(one), ast.unparse(resolved(one, facts.loads))}
    return not texts.isdisjoint({ast.unparse(other), ast.unparse(resolved(other, facts.loads))})


def _expansions(facts: FunctionFacts, place: ast.expr) -> Iterator[Expansion]:
    for node in facts.nodes_around(place):
        match node:
            case ast.Call():
                found = _repeated(node, facts)
            case ast.BinOp(op=ast.Mult()):
                found = _multiplied(node, facts)
            case ast.ListComp():
                found = _listed(node)
            case _:
                continue
        if found is not None:
            yield found


def _repeated(node: ast.Call, facts: FunctionFacts) -> Expansion | None:
    """A call of `repeat`, `tile` or `repeat_interleave` on prompts, along their first axis."""
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    library = facts.module.aliases.library(node.func)
    operand, arguments = _operand(node, library)
    if operand is None or not _are_prompts(operand) or not arguments:
        return None
    match name:
        case "repeat_interleave":
            return Expansion(node, arguments[0], Order.NEIGHBOURS) if _is_first_axis(node, arguments) else None
        case "repeat" if library in ("numpy", "jax", "mlx"):
            return Expansion(node, arguments[0], Order.NEIGHBOURS) if _is_first_axis(node, arguments) else None
        case "repeat" | "tile":
            size = _tiled_size(arguments)
            is_known = name == "tile" or _is_torch(operand, arguments, facts)
            return Expansion(node, size, Order.TILED) if size is not None and is_known else None
        case _:
            return None


def _operand(node: ast.Call, library: str | None) -> tuple[ast.expr | None, list[ast.expr]]:
    if library is not None:
        return (node.args[0], node.args[1:]) if node.args else (None, [])
    return (node.func.value, node.args) if isinstance(node.func, ast.Attribute) else (None, [])


def _is_first_axis(node: ast.Call, arguments: list[ast.expr]) -> bool:
    axis = next((keyword.value for keyword in node.keywords if keyword.arg in ("dim", "axis")), None)
    axis = axis if axis is not None else arguments[1] if len(arguments) > 1 else None
    return axis is None or integer(axis) == 0


def _tiled_size(arguments: list[ast.expr]) -> ast.expr | None:
    """`n` of `(n)`, `(n, 1)` and `((n, 1))`: the other axes stay as they are."""
    given = arguments
    if len(given) == 1 and isinstance(given[0], ast.Tuple | ast.List):
        given = given[0].elts
    return given[0] if given and integer(given[0]) != 1 and all(integer(each) == 1 for each in given[1:]) else None


def _is_torch(operand: ast.expr, arguments: list[ast.expr], facts: FunctionFacts) -> bool:
    """Whether `repeat` is torch's, which tiles: NumPy's method of that name takes one number and an axis."""
    definition = definition_of(operand, facts.loads)
    right = definition.right if definition is not None else None
    if isinstance(right, ast.Call) and (library := _library(right, facts.module.aliases)) is not None:
        return library == "torch"
    annotation = definition.node.annotation if definition and isinstance(definition.node, ast.arg) else None
    if annotation is not None:
        return "Tensor" in ast.unparse(annotation)
    is_numpys = len(arguments) == 1 or (len(arguments) == 2 and integer(arguments[1]) == 0)
    return not is_numpys and "torch" in facts.module.aliases.names.values()


def _library(call: ast.Call, aliases: Aliases) -> str | None:
    return aliases.library(call.func)


def _multiplied(node: ast.BinOp, facts: FunctionFacts) -> Expansion | None:
    """`prompts * n` of a list."""
    for operand, size in ((node.left, node.right), (node.right, node.left)):
        if _are_prompts(operand) and _is_list(operand, facts):
            return Expansion(node, size, Order.TILED)
    return None


def _is_list(node: ast.expr, facts: FunctionFacts) -> bool:
    definition = definition_of(node, facts.loads)
    if definition is None:
        return isinstance(node, ast.Call)
    if isinstance(definition.node, ast.arg | ast.AnnAssign) and definition.node.annotation is not None:
        return ast.unparse(definition.node.annotation).strip("'\"").split("[")[0].split(".")[-1] in _LISTS
    match definition.right:
        case ast.ListComp() | ast.List() | ast.Call(func=ast.Name(id="list")):
            return True
        case _:
            return False


def _listed(node: ast.ListComp) -> Expansion | None:
    """`[prompt for prompt in prompts for _ in range(n)]`, or the other way round."""
    match node.generators:
        case [outer, inner]:
            pass
        case _:
            return None
    for prompts, counted, order in ((outer, inner, Order.NEIGHBOURS), (inner, outer, Order.TILED)):
        match counted.iter:
            case ast.Call(func=ast.Name(id="range"), args=[size]) if _are_prompts(prompts.iter):
                return Expansion(node, size, order)
    return None


def _are_prompts(node: ast.expr) -> bool:
    """Whether a name speaks of several prompts: `prompts`, `prompt_ids`, `batch["prompt_mask"]`, `list(prompts)`."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.Subscript(slice=ast.Constant(value=str(name))):
            words = tokens(name)
            return not _PROMPTS.isdisjoint(words) and not (len(words) == 1 and words[0] in _SINGLE)
        case ast.Call(func=ast.Name(id="list"), args=[inner]):
            return _are_prompts(inner)
        case _:
            return False
