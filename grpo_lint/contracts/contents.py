"""What the statements of a function have in them, each looked at once: calls that matter, names, changes, exits."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from grpo_lint.contracts.order import Change
from grpo_lint.contracts.scopes import own_nodes
from grpo_lint.contracts.states import State, States
from grpo_lint.contracts.unit import Frame

_EXITS = (ast.Return, ast.Raise, ast.Break, ast.Continue, ast.Yield, ast.YieldFrom)


@dataclass(frozen=True, slots=True, eq=False)
class Content:
    """What is in one node: `sources` are the calls that give the result, `names` all that it reads or changes."""

    sources: tuple[ast.Call, ...]
    names: frozenset[str]
    changes: tuple[Change, ...]
    has_exit: bool

    def concerns(self, state: State) -> bool:
        """Whether evaluating the node may change a state."""
        return bool(self.sources) or any(path.partition(".")[0] in self.names for path in state.held)

    def is_idle(self, states: States) -> bool:
        """Whether the states after a statement are those before it."""
        return not self.has_exit and not any(self.concerns(state) for state in states)


@dataclass(frozen=True, slots=True, eq=False)
class Contents:
    """The contents of the nodes of a function. `changes` has what each node changes."""

    frame: Frame
    is_source: Callable[[ast.Call], bool]
    changes: Mapping[ast.AST, tuple[Change, ...]]
    known: dict[ast.AST, Content] = field(default_factory=dict)

    def of(self, node: ast.AST) -> Content:
        if node not in self.known:
            self.known[node] = self._looked_at(node)
        return self.known[node]

    def _looked_at(self, node: ast.AST) -> Content:
        inner = own_nodes([node], self.frame.dead)
        changes = tuple(change for each in inner for change in self.changes.get(each, ()))
        names = {name for each in inner for name in _names(each)} | {each.path.partition(".")[0] for each in changes}
        sources = tuple(each for each in inner if isinstance(each, ast.Call) and self.is_source(each))
        return Content(sources, frozenset(names), changes, any(isinstance(each, _EXITS) for each in inner))


def _names(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Name(id=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            yield name
        case ast.ClassDef(name=name) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            yield name
        case ast.MatchMapping(rest=str(name)) | ast.ExceptHandler(name=str(name)):
            yield name
        case ast.alias(name=name, asname=asname):
            yield (asname or name).partition(".")[0]


def changes_by_node(changes: tuple[Change, ...]) -> dict[ast.AST, tuple[Change, ...]]:
    found: dict[ast.AST, tuple[Change, ...]] = {}
    for change in changes:
        found[change.node] = (*found.get(change.node, ()), change)
    return found
