"""What a statement changes in place, and under which names."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from grpo_lint.contracts.unit import Frame

_MUTATORS = frozenset(
    "append extend insert pop remove clear sort reverse update setdefault popitem add discard shuffle resize fill"
    " put itemset sort_values".split()
)
_MUTATING_FUNCTIONS = frozenset(
    {"shuffle", "heapify", "insort", "copyto", "put", "setitem", "delitem", "iadd", "imul", "iconcat"}
)


@dataclass(frozen=True, slots=True)
class Mutation:
    """What is at `path` (`samples`, `self.args.n`) changes; where it `is_set`, something else is put there instead."""

    path: str
    is_set: bool = False

    def under_every_name(self, aliases: Mapping[str, frozenset[str]]) -> Iterator[Mutation]:
        """The same with the other names of what changes, or of what is on the way to it."""
        yield self
        for known, group in aliases.items():
            if (self.path == known and not self.is_set) or self.path.startswith(f"{known}."):
                rest = self.path.removeprefix(known)
                yield from (Mutation(other + rest, self.is_set) for other in group if other != known)


def dotted_path(node: ast.expr) -> str | None:
    """`self.args.n`, as a text; None for what is no chain of attributes of a name."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=value, attr=attribute):
            owner = dotted_path(value)
            return None if owner is None else f"{owner}.{attribute}"
    return None


def aliases_in(frame: Frame) -> dict[str, frozenset[str]]:
    """For each path that is another name of something, or that has one, all names of that."""
    groups: dict[str, frozenset[str]] = {}
    for node in frame.live_nodes:
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            paths = [path for each in (*targets, node.value) if (path := dotted_path(each)) is not None]
            if len(paths) > 1:
                group = frozenset(paths).union(*(groups.get(path, ()) for path in paths))
                groups.update(dict.fromkeys(group, group))
    return groups


def mutations_of(node: ast.AST) -> Iterator[Mutation]:
    """What a node itself changes, other than by binding a name."""
    match node:
        case ast.Assign(targets=targets) | ast.Delete(targets=targets):
            yield from (each for target in targets for each in _stored(target))
        case (
            ast.AugAssign(target=target)
            | ast.AnnAssign(target=target, value=ast.expr())
            | ast.For(target=target)
            | ast.AsyncFor(target=target)
        ):
            yield from _stored(target)
        case ast.Call(func=ast.Name(id="setattr"), args=[owner, ast.Constant(value=str(name)), *_]):
            path = dotted_path(owner)
            yield Mutation(f"{path or '?'}.{name}", is_set=True)
        case ast.Call(func=ast.Attribute(value=owner, attr="update")) if base := _namespace_owner(owner):
            names = [*(keyword.arg for keyword in node.keywords), *(name for each in node.args for name in _keys(each))]
            yield from (Mutation(f"{base}.{name}", is_set=True) for name in names if name is not None)
        case ast.Call(func=ast.Attribute(value=owner, attr=method)) if _is_mutator(method) and dotted_path(owner):
            yield Mutation(dotted_path(owner) or "")
            if method in _MUTATING_FUNCTIONS:
                yield from _first_argument(node)
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in _MUTATING_FUNCTIONS:
            yield from _first_argument(node)


def _namespace_owner(node: ast.expr) -> str | None:
    """The path of an object whose attributes a dictionary has: `vars(sample)`, `sample.__dict__`."""
    match node:
        case ast.Call(func=ast.Name(id="vars"), args=[owner]) | ast.Attribute(value=owner, attr="__dict__"):
            return dotted_path(owner) or "?"
    return None


def _keys(node: ast.expr) -> Iterator[str]:
    """The keys of a dictionary that is written out."""
    keys = node.keys if isinstance(node, ast.Dict) else []
    yield from (key.value for key in keys if isinstance(key, ast.Constant) and isinstance(key.value, str))


def _is_mutator(method: str) -> bool:
    return method in _MUTATORS or (method.endswith("_") and not method.startswith("_"))


def _first_argument(call: ast.Call) -> Iterator[Mutation]:
    path = dotted_path(call.args[0]) if call.args else None
    if path is not None:
        yield Mutation(path)


def _stored(target: ast.expr) -> Iterator[Mutation]:
    """What an assignment to a target sets or changes."""
    match target:
        case ast.Attribute(attr=name):
            yield Mutation(dotted_path(target) or f"?.{name}", is_set=True)
        case ast.Subscript(value=value, slice=key):
            base, path = _namespace_owner(value), dotted_path(value)
            if base is not None and isinstance(key, ast.Constant):
                yield Mutation(f"{base}.{key.value!s}", is_set=True)
            elif path is not None:
                yield Mutation(path)
        case ast.Tuple(elts=targets) | ast.List(elts=targets):
            yield from (inner for each in targets for inner in _stored(each))
        case ast.Starred(value=value):
            yield from _stored(value)
