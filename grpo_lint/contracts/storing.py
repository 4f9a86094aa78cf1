"""What statements that store something, or change it in place, do to what holds a call's result."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from grpo_lint.contracts.call_site import Result
from grpo_lint.contracts.calls import Calls
from grpo_lint.contracts.carrying import Carrying
from grpo_lint.contracts.containers import held_parts, keyed, merged, stored_path
from grpo_lint.contracts.contents import Contents
from grpo_lint.contracts.order import Change
from grpo_lint.contracts.paths import dotted_path, is_below, is_item_of, item_path
from grpo_lint.contracts.states import State

_ADDING = frozenset({"append", "extend", "update", "add", "setdefault"})
_KEPT = frozenset({"setdefault", "update"})
_REORDERING = frozenset({"sort", "reverse", "clear"})


@dataclass(frozen=True, slots=True, eq=False)
class Storing:
    """Follows the result into what holds it. `sequences` tells what the variables of loops are items of."""

    calls: Calls
    wants: Result
    gives: Callable[[ast.Call, frozenset[str]], bool]
    sequences: Mapping[str, str]
    contents: Contents

    def carrying(self, state: State) -> Carrying:
        return Carrying(self.calls, self.wants, state.held, self.gives)

    def stored(self, target: ast.expr, value: ast.expr, state: State, node: ast.AST) -> State:
        """The state after `target = value`."""
        if isinstance(target, ast.Tuple | ast.List):
            return self._unpacked(target.elts, value, state, node)
        if isinstance(target, ast.Starred):
            return self.stored(target.value, value, state, node)
        path, carrying = stored_path(target), self.carrying(state)
        if path is None:
            return state.using() if self.wants is Result.USED and carrying.touches(value) else state
        paths = {path + part for part in held_parts(value, carrying)}
        earlier = {path + part for part in held_parts(value, carrying.of_earlier(state.earlier))}
        is_short = state.is_short
        owner = stored_path(target.value) if isinstance(target, ast.Subscript) else None
        if owner in state.held and not paths:
            state = state.without(owner, node)
        is_slot = isinstance(target, ast.Subscript) and not isinstance(target.slice, ast.Constant | ast.Slice)
        if not is_slot or not (paths or path not in state.held):
            state = state.without(path, node)
        if earlier:  # `out = out + rewards`
            state = replace(state, earlier=state.earlier | earlier, is_short=is_short)
        return self._spent(target, state.holding(paths | self._sequence(target, path, bool(paths))), bool(paths))

    def _sequence(self, target: ast.expr, path: str, is_held: bool) -> set[str]:
        """What holds the result as well, where it is stored in an item that a loop runs over."""
        sequence = self.sequences.get(path.partition(".")[0])
        return {sequence} if is_held and sequence is not None and not isinstance(target, ast.Name) else set()

    def _spent(self, target: ast.expr, state: State, is_held: bool) -> State:
        if self.wants is Result.USED and is_held and not isinstance(target, ast.Name):
            return state.using() if self._is_spent_on(stored_path(target) or "") else state
        return state

    def _is_spent_on(self, path: str) -> bool:
        """Whether what is put there is out of the function's hands."""
        root = path.partition(".")[0]
        is_own = any(not each.is_parameter for each in self.calls.run.frame.scope.of(root))
        return self.wants is Result.USED and (not is_own or root in self.sequences)

    def _unpacked(self, targets: Sequence[ast.expr], value: ast.expr, state: State, node: ast.AST) -> State:
        elements = _elements(value)
        if elements is not None and len(elements) == len(targets):
            before = self.carrying(state)  # all values are evaluated before any target is bound
            for target, each in zip(targets, elements, strict=True):
                path = stored_path(target)
                if path is not None:
                    state = state.without(path, node).holding(path + part for part in held_parts(each, before))
            return state
        path, carries = stored_path(value), self.carrying(state).carries(value)
        parts = [path is not None and item_path(path, i) in state.held for i in range(len(targets))]
        is_known = path is not None and any(is_item_of(each, path) for each in state.held)
        for target, is_part in zip(targets, parts, strict=True):
            own = stored_path(target.value if isinstance(target, ast.Starred) else target)
            state = state.without(own, node)
            if own is not None and (is_part or (carries and not is_known)):
                state = state.holding([own])
        return state

    def augmented(self, node: ast.AugAssign, state: State) -> State:
        """The state after `out += rewards`, `batch |= {…}`."""
        carrying, path = self.carrying(state), stored_path(node.target)
        if path is None:
            return state
        if self.wants is Result.USED:
            return state.holding([path]) if carrying.touches(node.value) else state
        if isinstance(node.op, ast.BitOr):
            return self._merged(path, [node.value], state, node)
        if isinstance(node.target, ast.Name) and carrying.carries(node.value):
            return state.holding([path])  # a list that grows
        return state.without(path, node) if carrying.holds(path) else state

    def _merged(self, path: str, values: Sequence[ast.expr], state: State, node: ast.AST) -> State:
        """The state after what dictionaries have was put into the one at a path."""
        before = frozenset(each.removeprefix(path) for each in state.held if each == path or is_below(each, path))
        after = before
        for value in values:
            after = merged(after, value, self.carrying(state))
        for part in before - after:
            state = state.without(path + part, node)
        return state.holding(path + part for part in after)

    def added(self, call: ast.Call, state: State) -> State | None:
        """The state after `out.append(rewards)`; None if the call adds nothing."""
        if not isinstance(call.func, ast.Attribute) or call.func.attr not in _ADDING:
            return None
        path, given = stored_path(call.func.value), [*call.args, *(keyword.value for keyword in call.keywords)]
        if path is None or (not call.args and not call.keywords):
            return None
        carrying = self.carrying(state)
        is_adding = any(carrying.passes(each) for each in given)
        if call.func.attr == "update" and self.wants is Result.RETURNED:
            keywords = ast.Dict([keyed(each) for each in call.keywords], [each.value for each in call.keywords])
            return self._merged(path, [*call.args, keywords], state, call)
        if not is_adding:
            return None
        if any(carrying.of_earlier(state.earlier).passes(each) for each in given):
            state = replace(state, earlier=state.earlier | {path})
        sequence = self._sequence(call.func, path, is_held=True)
        return state.using() if self._is_spent_on(path) else state.holding({path} | sequence)

    def changed(self, node: ast.stmt, state: State) -> State:
        """The state after a statement that changes what is there: `rewards.sort()`, `used[:] = raw`."""
        if self.wants is Result.USED:
            return state
        for change in self.contents.of(node).changes if state.held else ():
            if change.binding is None and not self._is_seen_to(change, node, state):
                for path in [each for each in state.held if _takes(change, each)]:
                    state = state.without(path, node)
        return state

    def _is_seen_to(self, change: Change, node: ast.stmt, state: State) -> bool:
        """Whether what a change does to the result is known already."""
        if isinstance(change.node, ast.Call):
            method = change.node.func.attr if isinstance(change.node.func, ast.Attribute) else ""
            is_added = method in _ADDING and (self.carrying(state).touches(change.node) or method in _KEPT)
            return is_added or change.node in self.calls.helpers
        if isinstance(node, ast.AugAssign):
            return isinstance(node.target, ast.Name)
        return isinstance(node, ast.Assign) and any(_is_at(each, change.path) for each in node.targets)

    def changed_by_calls(self, parts: Sequence[ast.expr], state: State) -> State:
        """The state after the calls in expressions have changed what they change."""
        if self.wants is Result.USED or not state.held:
            return state
        for change in [change for each in parts for change in self.contents.of(each).changes]:
            if change.path in state.held and change.node in self.calls.helpers:
                state = state.without(change.path, change.node)
        return state


def _takes(change: Change, path: str) -> bool:
    """Whether a change is one of the values at a path."""
    if change.path == path:
        return True
    if is_item_of(change.path, path):
        return not change.path.removeprefix(f"{path}.").startswith(("['", '["'))  # an item of a sequence
    func = change.node.func if isinstance(change.node, ast.Call) else None
    method = func.attr if isinstance(func, ast.Attribute) else ""
    return is_below(change.path, path) and (method in _REORDERING or method.endswith("_"))


def _elements(value: ast.expr) -> list[ast.expr] | None:
    """The values that an expression gives one by one: a pair, what `gather` waits for."""
    match value:
        case ast.Tuple(elts=elements) | ast.List(elts=elements):
            return None if any(isinstance(each, ast.Starred) for each in elements) else elements
        case ast.Await(value=ast.Call(func=ast.Attribute(attr="gather"), args=args, keywords=[])):
            return args
    return None


def _is_at(target: ast.expr, path: str) -> bool:
    """Whether an assignment's target is a path itself, or a part of what is there: `stored` has seen to it."""
    return path in (stored_path(target), stored_path(target.value if isinstance(target, ast.Subscript) else target))


def bound_in(target: ast.expr) -> Iterator[str]:
    """The paths that a loop's target binds, or changes a part of."""
    match target:
        case ast.Tuple(elts=targets) | ast.List(elts=targets):
            yield from (path for each in targets for path in bound_in(each))
        case ast.Starred(value=value):
            yield from bound_in(value)
        case ast.Subscript(value=value):
            yield from bound_in(value)
        case _ if (path := stored_path(target)) is not None:
            yield path


def sequences_of(calls: Calls) -> dict[str, str]:
    """For each variable of a loop of a function, the path of what it is an item of."""
    loops = [node for node in calls.run.frame.live_nodes if isinstance(node, ast.For | ast.AsyncFor)]
    return {name: path for loop in loops for name, path in _items(loop.target, loop.iter)}


def _items(target: ast.expr, sequence: ast.expr) -> list[tuple[str, str]]:
    match target, sequence:
        case ast.Tuple(elts=targets), ast.Call(func=ast.Name(id="zip"), args=args):
            return [pair for each, inner in zip(targets, args, strict=False) for pair in _items(each, inner)]
        case ast.Tuple(elts=[_, inner]), ast.Call(func=ast.Name(id="enumerate"), args=[given, *_]):
            return _items(inner, given)
        case ast.Tuple(elts=[_, inner]), ast.Call(func=ast.Attribute(value=value, attr="items")):
            return _items(inner, value)
        case ast.Name(), ast.Call(func=ast.Attribute(value=value, attr="values")):
            return _items(target, value)
        case ast.Name(id=name), _ if (path := dotted_path(sequence)) is not None:
            return [(name, path)]
    return []
