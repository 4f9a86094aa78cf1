"""What of a container holds a call's result: which of its items, as the values are written out."""

from __future__ import annotations

import ast
from typing import Protocol

from grpo_lint.contracts.paths import dotted_path, is_below, item_path

_WHOLE = frozenset({""})
_NOTHING: frozenset[str] = frozenset()
_DICTS = frozenset({"dict", "OrderedDict"})


class Holder(Protocol):
    """What tells whether an expression carries the result."""

    @property
    def held(self) -> frozenset[str]: ...

    def passes(self, node: ast.expr) -> bool: ...


def stored_path(node: ast.expr) -> str | None:
    """Where an assignment stores: `out.rewards`, `out['rewards']`; for `out[i]` and `out[:]`, `out`."""
    match node:
        case ast.Subscript(value=value, slice=key) if not isinstance(key, ast.Constant):
            return stored_path(value)
        case ast.Subscript(value=value, slice=ast.Constant(value=key)):
            owner = stored_path(value)
            return None if owner is None else item_path(owner, key)
        case ast.Attribute(value=value, attr=name):
            owner = stored_path(value)
            return None if owner is None else f"{owner}.{name}"
    return dotted_path(node)


def held_parts(value: ast.expr, carrying: Holder) -> frozenset[str]:
    """The rests of the paths that hold the result once a value is stored; an empty one for the value itself."""
    match value:
        case ast.Tuple(elts=parts) | ast.List(elts=parts) if not any(isinstance(each, ast.Starred) for each in parts):
            return frozenset(item_path("", i) for i, each in enumerate(parts) if carrying.passes(each))
        case ast.Dict():
            return merged(_NOTHING, value, carrying)
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=args, keywords=keywords) if (
            name in _DICTS and len(args) <= 1
        ):
            first = held_parts(args[0], carrying) if args else _NOTHING
            named = ast.Dict([keyed(each) for each in keywords], [each.value for each in keywords])
            return merged(first, named, carrying)
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return merged(held_parts(left, carrying), right, carrying)
        case ast.Name() | ast.Attribute() | ast.Subscript() if (source := stored_path(value)) is not None:
            below = frozenset(each.removeprefix(source) for each in carrying.held if is_below(each, source))
            if below and source not in carrying.held:
                return below
    return _WHOLE if carrying.passes(value) else _NOTHING


def merged(parts: frozenset[str], value: ast.expr, carrying: Holder) -> frozenset[str]:
    """What holds the result of a dictionary once another one was put into it."""
    if not isinstance(value, ast.Dict):
        return parts | held_parts(value, carrying)
    for key, each in zip(value.keys, value.values, strict=True):
        if key is None:
            parts = merged(parts, each, carrying)
        elif isinstance(key, ast.Constant):
            step = item_path("", key.value)
            kept = frozenset(part for part in parts if part != step and not is_below(part, step))
            parts = kept | {step + inner for inner in held_parts(each, carrying)}
        else:
            parts |= _WHOLE if carrying.passes(each) else _NOTHING
    return parts


def keyed(keyword: ast.keyword) -> ast.expr | None:
    """The key under which `dict` puts a keyword argument."""
    return None if keyword.arg is None else ast.Constant(keyword.arg)
