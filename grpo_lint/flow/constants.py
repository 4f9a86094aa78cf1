"""What the names of a module's own constants, and of imported ones, stand for: other names, or a number."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from grpo_lint.flow.aliases import Aliases
from grpo_lint.flow.statements import walk_statements

_DEPTH = 5


@dataclass(frozen=True, slots=True)
class Constants:
    """What the top level of a module gives its names, and which of them keep it: the others are no constants."""

    values: Mapping[str, Sequence[ast.expr]]
    changed: frozenset[str]
    aliases: Aliases

    @classmethod
    def of(cls, tree: ast.Module, aliases: Aliases) -> Constants:
        """Read the constants of a module."""
        found: dict[str, list[ast.expr]] = {}
        for statement in tree.body:
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    found.setdefault(name, []).append(value)
                case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                    found.setdefault(name, []).append(value)
        return cls(found, _changed(tree), aliases)

    def number(self, name: str) -> ast.expr | None:
        """The literal that a name always stands for."""
        match self.values.get(name):
            case [ast.Constant() | ast.UnaryOp() as only] if name not in self.changed:
                return only
            case _:
                return None

    def names(self, name: str, depth: int = _DEPTH) -> frozenset[str]:
        """A name and those that it stands for: `N = args.num_envs`, or `from settings import NUM_ENVS as N`."""
        imported = self.aliases.names.get(name, "").rpartition(".")[2]
        found = frozenset({name, imported}) - {""}
        values = self.values.get(name, ()) if depth else ()
        return found.union(*(self._names_of(value, depth - 1) for value in values))

    def _names_of(self, value: ast.expr, depth: int) -> frozenset[str]:
        match value:
            case ast.Name(id=name):
                return self.names(name, depth)
            case ast.Attribute(attr=name) | ast.Subscript(slice=ast.Constant(value=str(name))):
                return frozenset({name})
            case ast.Call(func=ast.Name(id="int"), args=[inner]):
                return self._names_of(inner, depth)
            case ast.Call(args=[_, ast.Constant(value=str(name)), *_], func=ast.Name(id="getattr")):
                return frozenset({name})
            case ast.Call(args=[ast.Constant(value=str(name)), *_], func=ast.Attribute(attr="get")):
                return frozenset({name})
            case _:
                return frozenset()


def _changed(tree: ast.Module) -> frozenset[str]:
    """The names that a `global` statement opens to functions, and those that an in-place operator changes."""
    names: set[str] = set()
    for node in walk_statements(tree):
        match node:
            case ast.Global(names=opened):
                names.update(opened)
            case ast.AugAssign(target=ast.Name(id=name)):
                names.add(name)
    return frozenset(names)
