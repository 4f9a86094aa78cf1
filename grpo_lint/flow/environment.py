"""What names hold at one point of a function, and what was seen on the way there."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from grpo_lint.flow.facts import Definition, Normalising
from grpo_lint.flow.nodes import walk_nodes
from grpo_lint.flow.traversal import alternatives
from grpo_lint.flow.values import UNKNOWN, Choice, Value

_ALTERNATIVES = 100


@dataclass(frozen=True, slots=True, eq=False)
class Binding:
    """A name's value, and the definitions that it may come from."""

    value: Value
    definitions: frozenset[Definition]


_UNBOUND = Binding(UNKNOWN, frozenset())


@dataclass(slots=True)
class Environment:
    """The bindings at one point; names and dotted paths (`self.rewards`) alike. `is_live` is False after a return."""

    bindings: dict[str, Binding] = field(default_factory=dict)
    is_live: bool = True

    def copy(self) -> Environment:
        return Environment(dict(self.bindings), self.is_live)

    def bind(self, path: str, value: Value, definition: Definition) -> None:
        """Give a name a value; what was known of its attributes and items is forgotten."""
        self.forget_below(path)
        self.bindings[path] = Binding(value, frozenset({definition}))

    def forget_below(self, path: str) -> None:
        for key in [key for key in self.bindings if key.startswith((path + ".", path + "["))]:
            del self.bindings[key]

    def replace(self, other: Environment) -> None:
        """Go on as `other`."""
        self.bindings, self.is_live = other.bindings, other.is_live


def join(test: ast.expr | None, one: Environment, other: Environment) -> Environment:
    """What holds after two ways that meet; `one` was taken where `test` held."""
    if not one.is_live or not other.is_live:
        return (other if not one.is_live else one).copy()
    joined = dict(one.bindings)
    for name, first in one.bindings.items():
        second = other.bindings.get(name, _without(first, name))
        if first is not second:
            joined[name] = _join_binding(test, first, second)
    for name, second in other.bindings.items():
        if name not in one.bindings:
            joined[name] = _join_binding(test, _without(second, name), second)
    return Environment(joined)


def _without(binding: Binding, path: str) -> Binding:
    """What stands for a path on a way that does not bind it: nothing for a variable, which could not be read then."""
    return binding if path.isidentifier() else _UNBOUND


def _join_binding(test: ast.expr | None, first: Binding, second: Binding) -> Binding:
    value = first.value if first.value is second.value else _choice(test, first.value, second.value)
    return Binding(value, first.definitions | second.definitions)


def _choice(test: ast.expr | None, then: Value, orelse: Value) -> Value:
    """A choice, unless it has so many alternatives that telling them apart would take longer than it is worth."""
    choice = Choice(test, then, orelse)
    return choice if len(alternatives(choice)) <= _ALTERNATIVES else UNKNOWN


@dataclass(frozen=True, slots=True, eq=False)
class Append:
    """`name.append(value)` in a loop; whether every round of the loop does it, and once."""

    statement: ast.Expr
    name: str
    value: ast.expr
    is_of_every_round: bool


@dataclass(slots=True)
class Record:
    """What a walk saw. Filled by one walk over one function, then frozen into `FunctionFacts`."""

    values: dict[ast.expr, Value] = field(default_factory=dict)
    loads: dict[ast.Name, frozenset[Definition]] = field(default_factory=dict)
    definitions: dict[tuple[ast.AST, str], Definition] = field(default_factory=dict)
    normalisings: list[Normalising] = field(default_factory=list)
    # Uses that only tell about values, such as a comparison or a square; and which division divides which expression.
    idle: set[ast.AST] = field(default_factory=set)
    scaled: dict[ast.AST, ast.AST] = field(default_factory=dict)
    returned: dict[tuple[object, ...], Value | None] = field(default_factory=dict)
    appends: dict[ast.For, tuple[Append, ...]] = field(default_factory=dict)
    foreign_calls: set[ast.AST] = field(default_factory=set)

    def values_in(self, root: ast.AST) -> dict[ast.expr, Value]:
        """The values of the expressions below a node, as far as they were evaluated."""
        nodes = (node for node in walk_nodes(root) if isinstance(node, ast.expr))
        return {node: self.values[node] for node in nodes if node in self.values}

    def define(self, name: str, node: ast.AST, value: Value, right: ast.expr | None) -> Definition:
        """Note that a node gives a name a value. A loop may pass it more than once: `node` and `name` identify it."""
        definition = Definition(name, node, value, right)
        self.definitions[node, name] = definition
        return definition
