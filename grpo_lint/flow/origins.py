"""Where rewards come from: by name, or read one by one off a sequence of samples."""

from __future__ import annotations

import ast
from dataclasses import replace

from grpo_lint.flow.nodes import walk_nodes
from grpo_lint.flow.values import (
    UNKNOWN,
    Element,
    Samples,
    Scalar,
    Several,
    Value,
    Vector,
)
from grpo_lint.flow.vocabulary import Vocabulary


def named_vector(node: ast.AST, name: str, words: Vocabulary) -> Vector | None:
    """Rewards by their name, or None if `name` is no name for rewards."""
    if not words.is_reward(name):
        return None
    return Vector(node, node, words.is_strong_reward(name), name=name)


def named_after_target(value: Value, name: str, source: ast.AST, is_assigned: bool, words: Vocabulary) -> Value:
    """A name tells what an unknown value is: `rewards = model(batch)` is rewards, `n = f()` a number."""
    if isinstance(value, Scalar):
        return replace(value, names=value.names | {name})
    if isinstance(value, Vector):
        is_strong = value.is_strong or words.is_strong_reward(name)
        return replace(value, is_strong=is_strong, name=value.name or name)
    if value is not UNKNOWN and not (isinstance(value, Several) and isinstance(source, ast.List)):
        return value
    found = named_vector(source, name, words)
    if value is not UNKNOWN:
        return found or value
    if found is None and is_assigned and isinstance(source, ast.expr):
        return Scalar(source, frozenset({name}))
    return found or value


def vector_from_comprehension(
    node: ast.ListComp | ast.GeneratorExp, iterated: list[Value], element: Value, words: Vocabulary
) -> Vector | None:
    """The rewards that a comprehension gathers, or None if its elements are no rewards."""
    source = iterated[0]
    is_filtered = len(node.generators) > 1 or bool(node.generators[0].ifs)
    disorder = node if is_filtered else None
    if not isinstance(source, Vector) and (_picks(node.elt) or not _is_plain_sequence(node.generators[0].iter)):
        disorder = node
    if isinstance(source, Vector) and (isinstance(element, Element) or _mentions_target(node)):
        return replace(source, version=node, is_list=True, disorder=source.disorder or disorder, items=None, rank=1)
    name = reward_name(node.elt, words)
    if name is None:
        return None
    samples = None if is_filtered else _samples(node.generators[0].target, node.generators[0].iter, node.elt, node)
    return Vector(
        node, node, words.is_strong_reward(name), samples=samples, is_list=True, rank=1, disorder=disorder, name=name
    )


def _picks(element: ast.expr) -> bool:
    """`rewards[i]`: values picked by position, in whatever order the positions come."""
    return any(
        isinstance(part, ast.Subscript) and isinstance(part.value, ast.Name) and isinstance(part.slice, ast.Name)
        for part in walk_nodes(element)
    )


def vector_from_loop(loop: ast.For, appended: ast.expr, words: Vocabulary) -> Vector | None:
    """The rewards that a loop appends to a list, once for each element; None if `appended` is no reward."""
    name = reward_name(appended, words)
    if name is None:
        return None
    samples = _samples(loop.target, loop.iter, appended, loop)
    return Vector(loop, loop, words.is_strong_reward(name), samples=samples, is_list=True, rank=1, name=name)


def reward_name(node: ast.expr, words: Vocabulary) -> str | None:
    """The reward word by which an expression is a reward: of `float(sample.reward["x"])` it is "reward"."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) if words.is_reward(name):
            return name
        case ast.Subscript(value=value, slice=ast.Constant(value=str(key))):
            return key if words.is_reward(key) else reward_name(value, words)
        case ast.Subscript(value=value):
            return reward_name(value, words)
        case ast.Call():
            return _called_reward(node, words)
        case ast.BinOp(left=left, right=right) | ast.IfExp(body=left, orelse=right):
            return reward_name(left, words) or reward_name(right, words)
        case ast.BoolOp(values=[first, *_]):
            return reward_name(first, words)
        case _:
            return None


def _called_reward(node: ast.Call, words: Vocabulary) -> str | None:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if is_reward_reader(name) or words.is_reward(name):
        return name
    if name in ("float", "int", "round", "float32", "item", "get", "getattr", "tensor"):
        for argument in node.args:
            if (
                isinstance(argument, ast.Constant)
                and isinstance(argument.value, str)
                and words.is_reward(argument.value)
            ):
                return argument.value
        inner = node.args[0] if node.args and isinstance(node.func, ast.Name) else node.func
        inner = inner.value if isinstance(inner, ast.Attribute) and inner is node.func else inner
        return reward_name(inner, words)
    return None


def is_reward_reader(name: str) -> bool:
    """A method that reads one sample's reward."""
    return name in ("get_reward_value", "get_reward", "reward_value")


def _mentions_target(node: ast.ListComp | ast.GeneratorExp) -> bool:
    target = node.generators[0].target
    return isinstance(target, ast.Name) and any(
        isinstance(part, ast.Name) and part.id == target.id for part in walk_nodes(node.elt)
    )


def _samples(target: ast.expr, sequence: ast.expr, element: ast.expr, node: ast.AST) -> Samples | None:
    """The samples behind the values: a plain variable over a plain sequence, of which something is read.

    What is read by a key, as of a dict, counts as well, but is no attribute.
    """
    if not isinstance(target, ast.Name) or not _is_plain_sequence(sequence):
        return None
    read = frozenset(
        part.attr
        for part in walk_nodes(element)
        if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name) and part.value.id == target.id
    )
    return Samples(sequence, target.id, read, node) if read or _is_read_by_key(element, target.id) else None


def _is_read_by_key(element: ast.expr, name: str) -> bool:
    for part in ast.walk(element):
        match part:
            case ast.Subscript(value=ast.Name(id=owner), slice=ast.Constant(value=str())) if owner == name:
                return True
    return False


def _is_plain_sequence(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)
