"""The order in which the statements of a function run, and what they change."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from grpo_lint.contracts.mutation import Mutation, aliases_in, mutations_of
from grpo_lint.contracts.paths import is_below, is_item_of
from grpo_lint.contracts.scopes import Binding
from grpo_lint.contracts.unit import Frame

_LOOPS = (ast.For, ast.AsyncFor, ast.While)

Position = tuple[int, int]
# What a call of another function of the file changes, as the calling function names it.
Effects: TypeAlias = "Callable[[ast.Call], Iterable[Mutation]]"
# The blocks around a statement, from the function's own: in each, the number of the statement.
Path = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """What is at `path` (`samples`, `self.args.n`) is bound anew or changed in place by `node`."""

    path: str
    node: ast.AST
    binding: Binding | None = None

    @property
    def line(self) -> int:
        return getattr(self.node, "lineno", 1)

    def concerns(self, path: str) -> bool:
        """Whether what is at a path, or on the way to it, is what changes."""
        return path == self.path or is_below(path, self.path) or is_item_of(self.path, path)


@dataclass(frozen=True, slots=True, eq=False)
class Order:
    """The statements of one function: `paths` has where each node stands, `loops` the loops around it."""

    frame: Frame
    paths: Mapping[ast.AST, Path]
    loops: Mapping[ast.AST, tuple[ast.AST, ...]]
    changes: tuple[Change, ...]
    aliases: Mapping[str, frozenset[str]]

    @classmethod
    def of(cls, frame: Frame, effects: Effects) -> Order:
        """The order of a function; `effects` tells which paths a call of a helper changes."""
        paths: dict[ast.AST, Path] = {}
        loops: dict[ast.AST, tuple[ast.AST, ...]] = {}
        _place(frame.body, (), (), paths, loops)
        aliases = aliases_in(frame)
        return cls(frame, paths, loops, tuple(_changes(frame, aliases, effects)), aliases)

    def reaching(self, name: str, use: ast.AST) -> tuple[Binding, ...]:
        """The bindings of a name that a use of it may see."""
        bindings = [each for each in self.frame.scope.of(name) if not self._is_dead(each.node)]
        before = [each for each in bindings if each.is_parameter or _end(each.node) <= _start(use)]
        sure = max((i for i, each in enumerate(before) if self._comes_before(each.node, use)), default=0)
        around = [
            each for each in bindings if each not in before and self._may_come_round(each.node, use, before[sure:])
        ]
        return (*before[sure:], *around)

    def _is_dead(self, node: ast.AST) -> bool:
        return not isinstance(node, ast.arg) and node not in self.paths

    def _comes_before(self, first: ast.AST, second: ast.AST) -> bool:
        """Whether a statement always runs before what comes after it."""
        if isinstance(first, ast.arg):
            return True
        path, other = self.paths.get(first, ()), self.paths.get(second, ())
        if not path or len(path) > len(other):
            return False
        *blocks, (block, number) = path
        return (
            list(other[: len(blocks)]) == blocks and other[len(blocks)][0] == block and number < other[len(blocks)][1]
        )

    def _may_come_round(self, node: ast.AST, use: ast.AST, before: Sequence[Binding]) -> bool:
        """Whether a binding after a use is seen by it in the next round of a loop."""
        shared = set(self.loops.get(node, ())) & set(self.loops.get(use, ()))
        rebound = {loop for each in before for loop in self.loops.get(each.node, ())}
        return bool(shared - rebound)

    def changed_between(self, paths: Iterator[str] | Sequence[str], start: ast.AST, end: ast.AST) -> Change | None:
        """The first change of what is at one of the paths, after `start` was evaluated and before `end` is."""
        wanted = list(paths)
        for change in self.changes:
            if any(change.concerns(path) for path in wanted) and self._is_between(change, start, end):
                return change
        return None

    def _is_between(self, change: Change, start: ast.AST, end: ast.AST) -> bool:
        if _start(start) < _end(change.node) <= _start(end):
            return change.node is not start
        shared = set(self.loops.get(change.node, ())) & set(self.loops.get(end, ()))
        return bool(shared - set(self.loops.get(start, ())))

    def changes_before(self, end: ast.AST) -> Iterator[Change]:
        """What is changed before a node is evaluated."""
        for change in self.changes:
            if _end(change.node) <= _start(end) or set(self.loops.get(change.node, ())) & set(self.loops.get(end, ())):
                yield change


def _place(
    body: Sequence[ast.AST],
    path: Path,
    around: tuple[ast.AST, ...],
    paths: dict[ast.AST, Path],
    loops: dict[ast.AST, tuple[ast.AST, ...]],
) -> None:
    block = id(body)
    for number, statement in enumerate(body):
        _place_node(statement, (*path, (block, number)), around, paths, loops)


def _place_node(
    node: ast.AST,
    path: Path,
    around: tuple[ast.AST, ...],
    paths: dict[ast.AST, Path],
    loops: dict[ast.AST, tuple[ast.AST, ...]],
) -> None:
    paths[node], loops[node] = path, around
    inner = (*around, node) if isinstance(node, _LOOPS) else around
    for name, value in ast.iter_fields(node):
        if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
            _place(value, path, inner if name == "body" else around, paths, loops)
        elif isinstance(value, list):
            for child in value:
                if isinstance(child, ast.AST):
                    _place_node(child, path, around, paths, loops)
        elif isinstance(value, ast.AST):
            _place_node(value, path, inner if isinstance(node, ast.While) else around, paths, loops)


def _start(node: ast.AST) -> Position:
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def _end(node: ast.AST) -> Position:
    """Where what a node binds is bound: a loop binds its variable before its body runs."""
    if isinstance(node, ast.For | ast.AsyncFor):
        return _end(node.iter)
    if isinstance(node, ast.With | ast.AsyncWith | ast.ExceptHandler):
        return _start(node)
    if isinstance(node, ast.withitem):
        return _end(node.context_expr)
    return getattr(node, "end_lineno", 0) or 0, getattr(node, "end_col_offset", 0) or 0


def _changes(frame: Frame, aliases: Mapping[str, frozenset[str]], effects: Effects) -> Iterator[Change]:
    for bindings in frame.scope.bindings.values():
        told = (each for each in bindings if not each.is_parameter and not is_copy(each))
        yield from (Change(each.name, each.node, each) for each in told)
    for node in frame.live_nodes:
        changed = [*mutations_of(node), *(effects(node) if isinstance(node, ast.Call) else ())]
        for mutation in dict.fromkeys(changed):
            yield from (Change(each.path, node) for each in mutation.under_every_name(aliases))


def is_copy(binding: Binding) -> bool:
    """`samples = list(samples)`, which keeps what there is, in its order."""
    match binding.value:
        case ast.Call(func=ast.Name(id="list" | "tuple"), args=[ast.Name(id=name)], keywords=[]):
            return name == binding.name
        case ast.List(elts=[ast.Starred(value=ast.Name(id=name))]) | ast.Name(id=name):
            return name == binding.name
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Slice(lower=None, upper=None, step=None)):
            return name == binding.name
        case ast.BoolOp(op=ast.Or(), values=[ast.Name(id=name), *_]):
            return name == binding.name
    return False
