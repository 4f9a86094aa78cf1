"""What a loop over something takes from it, one at a time."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TypeVar

from grpo_lint.flow.traversal import alternatives, has_rows
from grpo_lint.flow.values import (
    UNKNOWN,
    Bucket,
    Counted,
    Each,
    Element,
    Parallel,
    Position,
    Row,
    Several,
    Statistic,
    Value,
    Vector,
)

V = TypeVar("V", bound=Value)


def first(value: Value, kind: type[V]) -> V | None:
    """The first alternative of a kind: what a dict or list is once something was put into it."""
    return next((found for found in alternatives(value) if isinstance(found, kind)), None)


def element_of(iterated: Value, node: ast.AST) -> Value:
    """What the variable of a loop at `node` over `iterated` is."""
    each, bucket = first(iterated, Each), first(iterated, Bucket)
    if each is not None:
        return each.item
    if bucket is not None:
        return bucket.of.item
    match iterated:
        case Vector() | Row():
            return Element(iterated)
        case Statistic():
            return replace(iterated, is_exact=False)
        case Counted():
            return Position()
        case Parallel(items=items):
            return Several(tuple(element_of(item, node) for item in items))
        case _ if has_rows(iterated):
            return Row(iterated, node)
        case _:
            return UNKNOWN


def is_iterable(value: Value) -> bool:
    """Whether something is known of the elements of a value that is no vector."""
    return isinstance(value, Parallel) or first(value, Each) is not None
