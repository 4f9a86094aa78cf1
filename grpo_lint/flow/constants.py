"""What the names of a module's own constants, and of imported ones, stand for: other names, or a number."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from grpo_lint.flow.aliases import Aliases
from grpo_lint.flow.operations import integer
from grpo_lint.flow.statements import walk_statements
from grpo_lint.flow.values import Scalar

_DEPTH = 5

# The expression that a name or an attribute of another module of the project stands for.
LookUp = Callable[[ast.expr], "ast.expr | None"]


def unknown(node: ast.expr) -> ast.expr | None:
    """The look-up of a file on its own."""
    return None


@dataclass(frozen=True, slots=True)
class Constants:
    """What the top level of a module gives its names, and which of them keep it: the others are no constants.

    Names that come from other modules are looked up there only if they are written as constants are: `GROUP_SIZE`.
    """

    values: Mapping[str, Sequence[ast.expr]]
    changed: frozenset[str]
    aliases: Aliases
    look_up: LookUp

    @classmethod
    def of(cls, tree: ast.Module, aliases: Aliases, look_up: LookUp) -> Constants:
        """Read the constants of a module."""
        found: dict[str, list[ast.expr]] = {}
        for statement in tree.body:
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    found.setdefault(name, []).append(value)
                case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                    found.setdefault(name, []).append(value)
        return cls(found, _changed(tree), aliases, look_up)

    def scalar(self, node: ast.expr, name: str) -> Scalar:
        """The number that a name, or an attribute, of this name stands for: by all its names, and as a literal."""
        is_own = isinstance(node, ast.Name)
        number = self._number(name) if is_own else None
        names = self._names(name) if is_own else frozenset({name})
        foreign = self._foreign(node, name)
        if foreign is not None:
            names |= self._names_of(foreign, 0)
            number = _literal(foreign)
        return Scalar(number or node, names)

    def _foreign(self, node: ast.expr, name: str) -> ast.expr | None:
        """What a constant of another module is given there."""
        if not name.isupper() or self.aliases.qualify(node) is None or self.aliases.library(node):
            return None
        return self.look_up(node)

    def _number(self, name: str) -> ast.expr | None:
        """The literal that a name always stands for."""
        values = self.values.get(name, ())
        return _literal(values[0]) if len(values) == 1 and name not in self.changed else None

    def _names(self, name: str, depth: int = _DEPTH) -> frozenset[str]:
        """A name and those that it stands for: `N = args.num_envs`, or `from settings import NUM_ENVS as N`."""
        imported = self.aliases.names.get(name, "").rpartition(".")[2]
        found = frozenset({name, imported}) - {""}
        values = self.values.get(name, ()) if depth else ()
        return found.union(*(self._names_of(value, depth - 1) for value in values))

    def _names_of(self, value: ast.expr, depth: int) -> frozenset[str]:
        match value:
            case ast.Name(id=name):
                return self._names(name, max(depth, 0))
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


def _literal(value: ast.expr) -> ast.expr | None:
    return value if integer(value) is not None else None


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
