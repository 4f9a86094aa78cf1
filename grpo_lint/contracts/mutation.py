"""What a statement changes in place, and under which names."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from grpo_lint.contracts.paths import dotted_path, is_below, item_path, shared_path
from grpo_lint.contracts.unit import Frame

_CHANGING = frozenset({ast.Assign, ast.Delete, ast.AugAssign, ast.AnnAssign, ast.For, ast.AsyncFor, ast.Call})
_MUTATORS = frozenset(
    "append extend insert pop remove clear sort reverse update setdefault popitem add discard shuffle resize fill"
    " put itemset sort_values __setitem__ __delitem__ __iadd__ __imul__ __init__".split()
)
_MUTATING_FUNCTIONS = frozenset(
    {"shuffle", "heapify", "insort", "copyto", "put", "setitem", "delitem", "iadd", "imul", "iconcat"}
)
# Methods that change, or take out, what is under the keys that they are given.
_KEYED = frozenset({"update", "pop", "setdefault"})
# Methods whose names end as those that change values do.
_MARKING = frozenset({"requires_grad_", "share_memory_", "retain_grad_"})


@dataclass(frozen=True, slots=True)
class Mutation:
    """What is at `path` (`samples`, `self.args.n`) changes; where it `is_set`, something else is put there instead."""

    path: str
    is_set: bool = False

    def under_every_name(self, aliases: Mapping[str, frozenset[str]]) -> Iterator[Mutation]:
        """The same with the other names of what changes, or of what is on the way to it."""
        yield self
        for known, group in aliases.items():
            if (self.path == known and not self.is_set) or is_below(self.path, known):
                rest = self.path.removeprefix(known)
                yield from (Mutation(other + rest, self.is_set) for other in group if other != known)


def aliases_in(frame: Frame) -> dict[str, frozenset[str]]:
    """For each path that is another name of something, or that has one, all names of that."""
    groups: dict[str, frozenset[str]] = {}
    for node in frame.live_nodes:
        for pair in _named_again(node):
            group = frozenset(pair).union(*(groups.get(path, ()) for path in pair))
            groups.update(dict.fromkeys(group, group))
    return groups


def _named_again(node: ast.AST) -> Iterator[tuple[str, str]]:
    """The pairs of paths that lead to one thing once a node ran."""
    match node:
        case ast.Assign(targets=[first, *others], value=value):
            for target in (first, *others):
                yield from _same(target, value)
            yield from (pair for target in others for pair in _same(first, target))
        case ast.AnnAssign(target=target, value=ast.expr() as value) | ast.NamedExpr(target=target, value=value):
            yield from _same(target, value)
        case ast.For(target=target, iter=ast.Tuple(elts=values) | ast.List(elts=values)):
            yield from (pair for value in values for pair in _same(target, value))
        case ast.withitem(context_expr=ast.Call(args=[value]), optional_vars=ast.expr() as target):
            yield from _same(target, value)


def _same(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, str]]:
    """The pairs of paths that lead to one thing after an assignment."""
    path, source = dotted_path(target), shared_path(value)
    match target, value:
        case (
            ast.Tuple(elts=targets) | ast.List(elts=targets),
            ast.Tuple(elts=values) | ast.List(elts=values),
        ) if len(targets) == len(values):
            yield from (pair for each, inner in zip(targets, values, strict=True) for pair in _same(each, inner))
        case _ if path is not None and source is not None:
            yield path, source
        case _ if path is not None:
            for key, each in _items(value):
                if (inner_path := shared_path(each)) is not None:
                    yield item_path(path, key), inner_path


def _items(value: ast.expr) -> Iterator[tuple[object, ast.expr]]:
    """What is in a list, tuple or dictionary that is written out, by index or key."""
    match value:
        case ast.Tuple(elts=elements) | ast.List(elts=elements):
            if not any(isinstance(each, ast.Starred) for each in elements):
                yield from enumerate(elements)
        case ast.Dict(keys=keys, values=values):
            pairs = zip(keys, values, strict=True)
            yield from ((key.value, each) for key, each in pairs if isinstance(key, ast.Constant))
        case ast.Call(func=ast.Name(id="dict"), args=[], keywords=keywords):
            yield from ((each.arg, each.value) for each in keywords if each.arg is not None)


def mutations_of(node: ast.AST) -> Iterator[Mutation]:
    """What a node itself changes, other than by binding a name."""
    if type(node) not in _CHANGING:
        return
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
        case ast.Call():
            yield from _changed_by(node)
            yield from (
                Mutation(path) for each in node.keywords if each.arg == "out" and (path := shared_path(each.value))
            )


def _changed_by(call: ast.Call) -> Iterator[Mutation]:
    """What a call changes, by the name of what it calls."""
    match call:
        case ast.Call(
            func=ast.Name(id="setattr") | ast.Attribute(value=ast.Name(), attr="__setattr__"),
            args=[owner, ast.Constant(value=str(name)), _],
        ):
            yield Mutation(f"{dotted_path(owner) or '?'}.{name}", is_set=True)
        case ast.Call(func=ast.Attribute(value=owner, attr="__setattr__"), args=[ast.Constant(value=str(name)), _]):
            yield Mutation(f"{dotted_path(owner) or '?'}.{name}", is_set=True)
        case ast.Call(func=ast.Attribute(value=owner, attr="update")) if base := _namespace_owner(owner):
            yield from (Mutation(f"{base}.{name}", is_set=True) for name in _keys_given(call) if name is not None)
        case ast.Call(func=ast.Attribute(value=ast.Name(id="list" | "dict" | "set" | "object"), attr=method)):
            if _is_mutator(method):
                yield from _first_argument(call)
        case ast.Call(
            func=ast.Attribute(value=owner, attr=method)
            | ast.Call(func=ast.Name(id="getattr"), args=[owner, ast.Constant(value=str(method))])
        ) if _is_mutator(method) and (path := shared_path(owner)):
            yield from _changed_by_method(path, method, call)
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in _MUTATING_FUNCTIONS:
            yield from _first_argument(call)


def _changed_by_method(path: str, method: str, call: ast.Call) -> Iterator[Mutation]:
    keys = list(_keys_given(call))
    if method in _KEYED and keys and None not in keys:
        yield from (Mutation(item_path(path, key), is_set=True) for key in keys)
    else:
        yield Mutation(path)
    if method in _MUTATING_FUNCTIONS or method.endswith("_"):
        yield from _first_argument(call)  # `random.shuffle(samples)`, `torch.nn.init.zeros_(rewards)`


def _keys_given(call: ast.Call) -> Iterator[str | None]:
    """The keys that `update`, `pop` or `setdefault` is about; None for those that cannot be told."""
    yield from (keyword.arg for keyword in call.keywords)
    for each in call.args[:1]:
        match each:
            case ast.Constant(value=str(key)):
                yield key
            case ast.Dict(keys=keys):
                yield from (
                    key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else None for key in keys
                )
            case _:
                yield None


def _namespace_owner(node: ast.expr) -> str | None:
    """The path of an object whose attributes a dictionary has: `vars(sample)`, `sample.__dict__`."""
    match node:
        case ast.Call(func=ast.Name(id="vars"), args=[owner]) | ast.Attribute(value=owner, attr="__dict__"):
            return dotted_path(owner) or "?"
    return None


def _is_mutator(method: str) -> bool:
    is_in_place = method.endswith("_") and not method.startswith("_") and method not in _MARKING
    return method in _MUTATORS or is_in_place


def _first_argument(call: ast.Call) -> Iterator[Mutation]:
    path = shared_path(call.args[0]) if call.args else None
    if path is not None:
        yield Mutation(path)


def _stored(target: ast.expr) -> Iterator[Mutation]:
    """What an assignment to a target sets or changes."""
    match target:
        case ast.Attribute(attr="data", value=value) if (path := dotted_path(value)) is not None:
            yield from (Mutation(path), Mutation(f"{path}.data", is_set=True))
        case ast.Attribute(attr=name):
            yield Mutation(dotted_path(target) or f"?.{name}", is_set=True)
        case ast.Subscript(value=value, slice=key):
            base, path = _namespace_owner(value), shared_path(value)
            if base is not None and isinstance(key, ast.Constant):
                yield Mutation(f"{base}.{key.value!s}", is_set=True)
            elif path is not None and isinstance(key, ast.Constant):
                yield Mutation(item_path(path, key.value), is_set=True)
            elif path is not None:
                yield Mutation(path)
        case ast.Tuple(elts=targets) | ast.List(elts=targets):
            yield from (inner for each in targets for inner in _stored(each))
        case ast.Starred(value=value):
            yield from _stored(value)
