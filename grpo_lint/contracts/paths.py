"""Paths: texts for what a chain of attributes and constant keys leads to, such as `self.args.n` or `batch.['uid']`."""

from __future__ import annotations

import ast

# Methods and functions whose result is of the same memory as what they are of.
_SHARING = frozenset(
    "numpy view detach reshape flatten ravel squeeze unsqueeze contiguous transpose view_as expand asarray from_numpy"
    " as_tensor data cpu".split()
)


def dotted_path(node: ast.expr) -> str | None:
    """The path of an expression, each step after a dot; None for what is no chain that starts at a name."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=value, attr=attribute):
            owner = dotted_path(value)
            return None if owner is None else f"{owner}.{attribute}"
        case ast.Subscript(value=value, slice=ast.Constant(value=key)):
            owner = dotted_path(value)
            return None if owner is None else item_path(owner, key)
    return None


def item_path(owner: str, key: object) -> str:
    """The path of what a container at a path has under a key."""
    return f"{owner}.[{repr(key).replace('.', '·')}]"  # dots are between steps only


def shared_path(node: ast.expr) -> str | None:
    """The path of what an expression is, or is a view of: `rewards` for `rewards.view(-1)`."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="np" | "numpy" | "torch"), attr=name), args=[value, *_]) if (
            name in _SHARING
        ):
            return shared_path(value)
        case ast.Call(func=ast.Attribute(value=value, attr=name)) if name in _SHARING:
            return shared_path(value)
        case ast.Attribute(value=value, attr="data"):
            return shared_path(value)
    return dotted_path(node)


def is_below(path: str, owner: str) -> bool:
    """Whether a path leads on from another."""
    return path.startswith(f"{owner}.")


def is_item_of(path: str, owner: str) -> bool:
    """Whether a path is of one item of a container."""
    step = path.removeprefix(f"{owner}.") if is_below(path, owner) else ""
    return step.startswith("[") and "." not in step


def readable(path: str) -> str:
    """A path as code would have it."""
    return path.removeprefix("?.").replace(".[", "[")
