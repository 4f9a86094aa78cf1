"""The calls of a contract's function that are, or lead to, calls of what it must call."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from grpo_lint.contracts.arguments import Signature, passed
from grpo_lint.contracts.effects import Orders
from grpo_lint.contracts.expressions import Given, Run
from grpo_lint.contracts.names import Meaning, Names
from grpo_lint.contracts.scopes import FUNCTIONS, Function, positional_names
from grpo_lint.contracts.unit import Frame

# How many helpers of the file a call may lie deep.
_HELPERS = 12


@dataclass(frozen=True, slots=True, eq=False)
class Site:
    """A call of the target in the function that runs it; `entry` is what leads there in the contract's function."""

    call: ast.Call
    run: Run
    meaning: Meaning
    entry: ast.Call


@dataclass(frozen=True, slots=True, eq=False)
class Calls:
    """The calls of a function that may run: `sites` of the target, and `helpers` of the same file by their call.

    `others` are calls of something else under the target's name. `escaped` are functions inside it that are handed on.
    """

    run: Run
    sites: tuple[Site, ...]
    helpers: Mapping[ast.Call, Calls]
    others: tuple[tuple[ast.Call, tuple[Meaning, ...]], ...]
    escaped: tuple[tuple[ast.Name, Calls], ...] = ()

    def every(self) -> Iterator[Site]:
        """All sites, those in helpers too."""
        yield from self.sites
        for inner in self.helpers.values():
            yield from inner.every()
        for _, inner in self.escaped:
            yield from inner.every()

    def every_other(self) -> Iterator[tuple[ast.Call, tuple[Meaning, ...]]]:
        yield from self.others
        for inner in (*self.helpers.values(), *(each for _, each in self.escaped)):
            yield from inner.every_other()

    def leads_there(self, call: ast.Call) -> bool:
        """Whether a call is one of the target, or of a helper that calls it."""
        return any(site.call is call for site in self.sites) or (
            call in self.helpers and any(True for _ in self.helpers[call].every())
        )


@dataclass(frozen=True, slots=True, eq=False)
class Search:
    """Looks for calls of a target."""

    orders: Orders
    target: Meaning

    @property
    def names(self) -> Names:
        return self.orders.names

    def run(
        self, frame: Frame, given: Mapping[str, Given] | None = None, outer: Run | None = None, depth: int = 0
    ) -> Run:
        """A function as it runs with these arguments."""
        return Run(frame, self.orders.of(frame), given or {}, outer, depth)

    def calls(self, run: Run, seen: frozenset[Function] = frozenset(), entry: ast.Call | None = None) -> Calls:
        """The calls of a function as it runs."""
        inner_seen = seen | {run.frame.function}
        sites: list[Site] = []
        helpers: dict[ast.Call, Calls] = {}
        others: list[tuple[ast.Call, tuple[Meaning, ...]]] = []
        for node in run.frame.live_nodes:
            if not isinstance(node, ast.Call):
                continue
            meanings = self.names.meanings(node.func, run.frame)
            first = entry or node
            if self.is_target(meanings):
                sites.append(Site(node, run, meanings[0], first))
            elif (helper := self._helper(node, meanings, run, inner_seen)) is not None:
                helpers[node] = self.calls(helper, inner_seen, first)
            elif self._has_targets_name(node, meanings):
                others.append((node, meanings))
        return Calls(run, tuple(sites), helpers, tuple(others), tuple(self._escaped(run, helpers, inner_seen)))

    def is_target(self, meanings: tuple[Meaning, ...]) -> bool:
        return len(meanings) == 1 and meanings[0].is_known and self._is_same(meanings[0])

    def _is_same(self, meaning: Meaning) -> bool:
        """Whether something is the target, perhaps bound to an instance or with some arguments given."""
        return replace(meaning, given=()).key == self.target.key

    def _has_targets_name(self, call: ast.Call, meanings: tuple[Meaning, ...]) -> bool:
        names = {ast.unparse(call.func).rpartition(".")[2], *(each.name.rpartition(".")[2] for each in meanings)}
        return self.target.name.rpartition(".")[2] in names or any(self._is_same(each) for each in meanings)

    def _helper(self, call: ast.Call, meanings: tuple[Meaning, ...], run: Run, seen: frozenset[Function]) -> Run | None:
        """The run of a function of the same file that a call starts."""
        if len(meanings) != 1 or run.depth >= _HELPERS:
            return None
        meaning = meanings[0]
        function = meaning.node
        is_here = meaning.module is not None and meaning.module.path == self.names.unit.module.path
        if not is_here or not isinstance(function, FUNCTIONS) or function in seen or meaning.is_instance:
            return None
        given = passed(call, run, meaning, Signature.of(meaning))
        by_name = {} if given.unread is not None else dict(given.by_name)
        if meaning.is_bound and isinstance(call.func, ast.Attribute) and (own := positional_names(function)):
            by_name[own[0]] = Given(call.func.value, run)
        outer = _run_of(meaning.frame, run)
        frame = self.names.unit.frame(function, meaning.owner, meaning.frame)
        return self.run(frame, by_name, outer, run.depth + 1)

    def _escaped(
        self, run: Run, helpers: Mapping[ast.Call, Calls], seen: frozenset[Function]
    ) -> Iterator[tuple[ast.Name, Calls]]:
        """Functions defined inside this one that are handed to something else rather than called."""
        called = {node.func for node in run.frame.live_nodes if isinstance(node, ast.Call)}
        seen |= {inner.run.frame.function for inner in helpers.values()}
        for node in run.frame.live_nodes:
            if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load) or node in called:
                continue
            for binding in run.frame.scope.of(node.id):
                function = binding.value
                if isinstance(function, FUNCTIONS) and function not in seen and binding.node is not node:
                    frame = self.names.unit.frame(function, None, run.frame)
                    inner = self.calls(self.run(frame, {}, run, run.depth + 1), seen | {function})
                    if any(True for _ in inner.every()):
                        yield node, inner


def _run_of(frame: Frame | None, run: Run) -> Run | None:
    """The run of the function around a function inside it."""
    around: Run | None = run
    while around is not None and around.frame is not frame:
        around = around.outer
    return around
