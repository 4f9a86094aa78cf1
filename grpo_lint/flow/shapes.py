"""The shape that a reshape asks for, however it is written: in arguments, in a tuple, in a variable, with stars."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from grpo_lint.flow.operations import Operation, integer
from grpo_lint.flow.traversal import alternatives
from grpo_lint.flow.values import UNKNOWN, Leading, Length, Scalar, Several, Value

Evaluate = Callable[[ast.expr], Value]


@dataclass(frozen=True, slots=True)
class Dimension:
    """One dimension of a reshape: its expression and what that is known to be."""

    node: ast.expr
    value: Value

    @property
    def literal(self) -> int | None:
        """The number that it is, where it is written out: here, or where its name was given its value."""
        found = integer(self.node)
        return integer(self.value.node) if found is None and isinstance(self.value, Scalar) else found

    @property
    def is_free(self) -> bool:
        """Whether it is what the others leave."""
        return self.literal == -1


def dimensions_of(value: Several) -> tuple[Dimension, ...]:
    """The dimensions of a shape."""
    return tuple(Dimension(node, item) for node, item in zip(value.nodes, value.items, strict=True))


def asked_shape(operation: Operation, evaluate: Evaluate) -> Value:
    """The shape that a `view`, `reshape` or `unflatten` asks for, as a tuple or a choice of them; else UNKNOWN."""
    if operation.name == "unflatten":
        return _asked_of_unflatten(operation, evaluate)
    shape = operation.keyword("shape", "size", "newshape")
    given = operation.arguments if shape is None else (shape,)
    if not given or (operation.name == "view" and _is_dtype(given)):
        return UNKNOWN
    if len(given) == 1 and is_shape(value := evaluate(given[0])):
        return value
    return several(given, [evaluate(node) for node in given])


def _asked_of_unflatten(operation: Operation, evaluate: Evaluate) -> Value:
    sizes = operation.argument(1, "sizes")
    if integer(operation.argument(0, "dim")) not in (0, -1) or sizes is None:
        return UNKNOWN
    value = evaluate(sizes)
    return value if is_shape(value) else UNKNOWN


def is_shape(value: Value) -> bool:
    """Whether a value is a tuple of lengths, in every alternative."""
    return all(isinstance(part, Several) and part.nodes for part in alternatives(value))


def several(nodes: Iterable[ast.expr], values: Iterable[Value]) -> Value:
    """A tuple of these items; a starred one stands for all of its own. UNKNOWN where nothing tells how many."""
    made = list(_spliced(nodes, values))
    if any(node is None for node, _ in made):
        return UNKNOWN
    return Several(tuple(value for _, value in made), tuple(node for node, _ in made if node is not None))


def _spliced(nodes: Iterable[ast.expr], values: Iterable[Value]) -> Iterator[tuple[ast.expr | None, Value]]:
    pairs = list(zip(nodes, values, strict=True))
    for node, value in pairs:
        if not isinstance(node, ast.Starred):
            yield node, value
        elif isinstance(value, Several) and value.nodes:
            yield from zip(value.nodes, value.items, strict=True)
        else:  # `*rewards.shape` is one length only where the rewards have one axis
            is_known = isinstance(value, Leading) or (isinstance(value, Length) and len(pairs) == 1)
            yield (node if is_known else None), value


def _is_dtype(nodes: tuple[ast.expr, ...]) -> bool:
    """`tensor.view(torch.uint8)` reads the bytes as another type."""
    return len(nodes) == 1 and isinstance(nodes[0], ast.Attribute) and nodes[0].attr not in ("shape", "size")
