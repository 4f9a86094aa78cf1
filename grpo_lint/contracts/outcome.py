"""What becomes of a call's result: followed along every path from the call to the end of the function."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from grpo_lint.contracts.call_site import Result
from grpo_lint.contracts.calls import Calls
from grpo_lint.contracts.carrying import Carrying, element_paths, stored_path
from grpo_lint.contracts.mutation import dotted_path
from grpo_lint.contracts.scopes import own_nodes

_ROUNDS = 8
_ADDING = frozenset({"append", "extend", "update", "add", "insert", "setdefault"})


@dataclass(frozen=True, slots=True)
class _State:
    """One way to a place: whether the call was made, what paths hold its result, whether that was used.

    `lost` is what last took the result out of a path, or kept it from ever getting there.
    """

    is_called: bool = False
    held: frozenset[str] = frozenset()
    is_used: bool = False
    lost: ast.AST | None = None


_States = frozenset[_State]
_NONE: _States = frozenset()


@dataclass(frozen=True, slots=True)
class _Flow:
    """The states after a block; `raised` are those in which an exception may leave it."""

    after: _States
    breaks: _States = _NONE
    continues: _States = _NONE
    raised: _States = _NONE

    def then(self, states: _States) -> _Flow:
        return replace(self, after=states)

    def joined(self, other: _Flow) -> _Flow:
        return _Flow(
            self.after | other.after,
            self.breaks | other.breaks,
            self.continues | other.continues,
            self.raised | other.raised,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Loss:
    """Where the result is lost: at `node`, or where that is None, for want of anything that takes it."""

    node: ast.AST | None
    end: ast.AST | None


@dataclass(frozen=True, slots=True, eq=False)
class Tracing:
    """Follows the result through one function. `losses` grow while it does."""

    calls: Calls
    wants: Result
    losses: list[Loss] = field(default_factory=list)
    gives: list[ast.AST] = field(default_factory=list)
    known: dict[tuple[ast.Call, frozenset[str]], bool] = field(default_factory=dict)

    def trace(self, held: frozenset[str] = frozenset()) -> None:
        """Follow the result, or what is held at the start, to every end of the function."""
        start = frozenset({_State(bool(held), held)})
        function = self.calls.run.frame.function
        if isinstance(function, ast.Lambda):
            self._return(function.body, function.body, start)
            return
        for state in self._block(function.body, start).after:
            if state.is_called and not state.is_used:
                self.losses.append(Loss(state.lost, None))

    def _carrying(self, state: _State) -> Carrying:
        return Carrying(self.calls, self.wants, state.held, self._gives)

    def _gives(self, call: ast.Call, held: frozenset[str]) -> bool:
        """Whether the helper that a call runs returns the result, or what it is given of it."""
        key = (call, held)
        if key not in self.known:
            inner = Tracing(self.calls.helpers[call], self.wants)
            inner.trace(held)
            if not held:
                self.losses.extend(inner.losses)
            self.known[key] = bool(inner.gives) and not (held and inner.losses)
        return self.known[key]

    # statements

    def _block(self, body: Sequence[ast.stmt], states: _States) -> _Flow:
        flow = _Flow(states)
        for statement in body:
            if statement in self.calls.run.frame.dead:
                continue
            if not flow.after:
                break
            step = self._statement(statement, flow.after)
            may_raise = flow.after | self._raising(statement, flow.after)
            flow = _Flow(
                step.after,
                flow.breaks | step.breaks,
                flow.continues | step.continues,
                flow.raised | step.raised | may_raise,
            )
        return flow

    def _raising(self, statement: ast.stmt, states: _States) -> _States:
        """The states in which the call itself raises."""
        if any(isinstance(node, ast.stmt) for node in ast.iter_child_nodes(statement)) or not self._makes(statement):
            return _NONE
        return frozenset(replace(state, is_called=True, held=frozenset(), lost=None) for state in states)

    def _makes(self, *nodes: ast.AST | None) -> bool:
        """Whether the call is made in one of the nodes."""
        frame = self.calls.run.frame
        return any(
            isinstance(node, ast.Call) and self._carrying(_State()).is_source(node)
            for node in own_nodes([each for each in nodes if each is not None], frame.dead)
        )

    def _statement(self, node: ast.stmt, states: _States) -> _Flow:
        match node:
            case ast.Return(value=value):
                self._return(node, value, states)
                return _Flow(_NONE)
            case ast.Raise():
                return _Flow(_NONE, raised=states)
            case ast.Break():
                return _Flow(_NONE, breaks=states)
            case ast.Continue():
                return _Flow(_NONE, continues=states)
            case ast.If(test=test):
                tested = self._evaluated([test], states)
                return self._block(node.body, tested).joined(self._block(node.orelse, tested))
            case ast.For() | ast.AsyncFor():
                return self._loop(node, self._evaluated([node.iter], states))
            case ast.While(test=test):
                return self._loop(node, self._evaluated([test], states))
            case ast.With() | ast.AsyncWith():
                return self._with(node, states)
            case ast.Match():
                return self._match(node, states)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                return _Flow(states)
            case _ if hasattr(node, "handlers"):
                return self._attempt(node, states)
        return _Flow(frozenset(self._simple(node, state) for state in states))

    def _evaluated(self, parts: Sequence[ast.expr], states: _States) -> _States:
        """The states after expressions that decide something."""
        return frozenset(self._read(parts, state, is_spent=True) for state in states)

    def _read(self, parts: Sequence[ast.expr], state: _State, is_spent: bool) -> _State:
        """The state after expressions were evaluated; `is_spent` where being read there is a use."""
        if self._makes(*parts):
            state = replace(state, is_called=True)
        for node in own_nodes(parts, self.calls.run.frame.dead):
            if isinstance(node, ast.NamedExpr):
                state = self._stored(node.target, node.value, state, node)
        state = self._changed_by_calls(parts, state)
        carrying = self._carrying(state)
        if any(carrying.is_spent_in(each) or (is_spent and carrying.touches(each)) for each in parts):
            state = replace(state, is_used=state.is_used or self.wants is Result.USED)
        return state

    def _simple(self, node: ast.stmt, state: _State) -> _State:
        match node:
            case ast.Assign(targets=targets, value=value):
                state = self._read([value], state, is_spent=False)
                for target in targets:
                    state = self._stored(target, value, state, node)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                state = self._stored(target, value, self._read([value], state, is_spent=False), node)
            case ast.AugAssign(target=target, value=value):
                state = self._augmented(node, target, value, state)
            case ast.Expr(value=value):
                state = self._expression(node, value, state)
            case ast.Delete(targets=targets):
                for target in targets:
                    state = self._without(stored_path(target), state, node)
            case ast.Assert(test=test):
                state = self._read([test], state, is_spent=False)
        return self._changed_in_place(node, state)

    def _augmented(self, node: ast.AST, target: ast.expr, value: ast.expr, state: _State) -> _State:
        state = self._read([value], state, is_spent=not isinstance(target, ast.Name))
        carrying, path = self._carrying(state), stored_path(target)
        if self.wants is Result.USED or path is None:
            return replace(state, held=state.held | {path}) if path and carrying.touches(value) else state
        if isinstance(target, ast.Name) and carrying.carries(value) and path not in state.held:
            return replace(state, held=state.held | {path})  # a list that grows
        return self._without(path, state, node) if carrying.holds(path) else state

    def _expression(self, node: ast.stmt, value: ast.expr, state: _State) -> _State:
        match value:
            case ast.Yield(value=ast.expr() as given) | ast.YieldFrom(value=given):
                state = self._read([given], state, is_spent=False)
                if self._carrying(state).passes(given):
                    self.gives.append(node)
                    state = replace(state, is_used=True)
                return state
            case ast.Call(func=ast.Attribute(value=owner, attr=method), args=args, keywords=keywords) if (
                method in _ADDING
            ):
                state = self._read([value], state, is_spent=False)
                added = [*args, *(keyword.value for keyword in keywords)]
                path = dotted_path(owner)
                if path is not None and any(self._carrying(state).passes(each) for each in added):
                    return replace(state, held=state.held | {path}, is_used=state.is_used or self._is_spent_on(path))
                return state
        state = self._read([value], state, is_spent=False)
        if self._carrying(state).is_spent_by_statement(value):
            return replace(state, is_used=state.is_used or self.wants is Result.USED)
        return state

    def _is_spent_on(self, path: str) -> bool:
        """Whether what is put there is out of the function's hands."""
        root = path.partition(".")[0]
        is_own = any(not each.is_parameter for each in self.calls.run.frame.scope.of(root))
        return self.wants is Result.USED and not is_own

    def _stored(self, target: ast.expr, value: ast.expr, state: _State, node: ast.AST) -> _State:
        """The state after `target = value`."""
        carrying = self._carrying(state)
        if isinstance(target, ast.Tuple | ast.List):
            return self._unpacked(target.elts, value, state, node)
        if isinstance(target, ast.Starred):
            return self._stored(target.value, value, state, node)
        path = stored_path(target)
        if path is None:
            return replace(state, is_used=state.is_used or (self.wants is Result.USED and carrying.touches(value)))
        paths = frozenset(element_paths(path, value, carrying))
        owner = stored_path(target.value) if isinstance(target, ast.Subscript) else None
        if owner in state.held and not paths:
            state = self._without(owner, state, node)
        is_slot = isinstance(target, ast.Subscript) and not isinstance(target.slice, ast.Constant | ast.Slice)
        if is_slot and (paths or path not in state.held):
            return self._spent(target, replace(state, held=state.held | paths), bool(paths))
        state = self._without(path, state, node)
        return self._spent(target, replace(state, held=state.held | paths), bool(paths))

    def _spent(self, target: ast.expr, state: _State, is_held: bool) -> _State:
        if self.wants is Result.USED and is_held and not isinstance(target, ast.Name):
            return replace(state, is_used=state.is_used or self._is_spent_on(stored_path(target) or ""))
        return state

    def _unpacked(self, targets: Sequence[ast.expr], value: ast.expr, state: _State, node: ast.AST) -> _State:
        if isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(targets):
            before = state  # all values are evaluated before any target is bound
            for target, each in zip(targets, value.elts, strict=True):
                held = frozenset(element_paths(stored_path(target) or "", each, self._carrying(before)))
                state = self._without(stored_path(target), state, node)
                state = replace(state, held=state.held | held) if stored_path(target) else state
            return state
        carrying, path = self._carrying(state), stored_path(value)
        holds = [
            carrying.carries(value) or (path is not None and f"{path}[{i}]" in state.held) for i in range(len(targets))
        ]
        if path is not None and any(each.startswith(f"{path}[") for each in state.held):
            holds = [f"{path}[{i}]" in state.held for i in range(len(targets))]
        for target, is_held in zip(targets, holds, strict=True):
            own = stored_path(target.value if isinstance(target, ast.Starred) else target)
            state = self._without(own, state, node)
            state = replace(state, held=state.held | {own}) if is_held and own else state
        return state

    def _without(self, path: str | None, state: _State, node: ast.AST) -> _State:
        """The state after what was at a path is gone."""
        if path is None:
            return state
        left = frozenset(each for each in state.held if each != path and not each.startswith((f"{path}.", f"{path}[")))
        return state if left == state.held else replace(state, held=left, lost=node)

    def _changed_in_place(self, node: ast.stmt, state: _State) -> _State:
        """The state after a statement that changes what is there: `rewards.sort()`, `used[:] = raw`."""
        if self.wants is Result.USED:
            return state
        inner = set(own_nodes([node]))
        for change in self.calls.run.order.changes:
            if change.binding is None and change.node in inner and change.path in state.held:
                is_filled = isinstance(change.node, ast.Call) and self._is_filling(change.node, state)
                is_own = isinstance(node, ast.Assign) and any(_is_at(each, change.path) for each in node.targets)
                if not is_filled and not is_own:
                    state = self._without(change.path, state, node)
        return state

    def _changed_by_calls(self, parts: Sequence[ast.expr], state: _State) -> _State:
        """The state after the helpers that expressions call have changed what they change."""
        if self.wants is Result.USED or not state.held:
            return state
        inner = set(own_nodes(parts))
        for change in self.calls.run.order.changes:
            if change.node in inner and change.path in state.held and change.node in self.calls.helpers:
                state = self._without(change.path, state, change.node)
        return state

    def _is_filling(self, call: ast.Call, state: _State) -> bool:
        """Whether a call only adds the result to what is there."""
        is_adding = isinstance(call.func, ast.Attribute) and call.func.attr in _ADDING
        return is_adding and self._carrying(state).touches(call)

    def _return(self, node: ast.AST, value: ast.expr | None, states: _States) -> None:
        for before in states:
            state = before if value is None else self._read([value], before, is_spent=False)
            carrying = self._carrying(state)
            if value is not None and carrying.passes(value):
                self.gives.append(node)
            elif state.is_called and not state.is_used:
                self.losses.append(Loss(state.lost, node))

    # blocks

    def _iterate(self, node: ast.For | ast.AsyncFor, state: _State) -> _State:
        """The state in a loop over something that holds the result: so do its variables."""
        held = self._carrying(state).variables(node.target, node.iter)
        for path in dict.fromkeys(_stored_in(node.target)):
            state = self._without(path, state, node)
        return replace(state, held=state.held | held)

    def _loop(self, node: ast.For | ast.AsyncFor | ast.While, states: _States) -> _Flow:
        total = _Flow(states)
        for _ in range(_ROUNDS):
            step = self._block(node.body, self._begun(node, total.after))
            grown = replace(total.joined(step), after=total.after | step.after | step.continues)
            if grown == total:
                break
            total = grown
        is_endless = isinstance(node, ast.While) and isinstance(node.test, ast.Constant) and bool(node.test.value)
        left = _Flow(_NONE) if is_endless else self._block(node.orelse, total.after)
        return _Flow(left.after | total.breaks, left.breaks, left.continues, total.raised | left.raised)

    def _match(self, node: ast.Match, states: _States) -> _Flow:
        chosen = self._evaluated([node.subject], states)
        flow = _Flow(chosen)
        for case in node.cases:
            entered = frozenset(self._captured(case, state) for state in chosen)
            flow = flow.joined(self._block(case.body, entered))
            if case.guard is None and isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None:
                return replace(flow, after=flow.after - chosen | self._block(case.body, entered).after)
        return flow

    def _captured(self, case: ast.match_case, state: _State) -> _State:
        """The state after a pattern bound its names."""
        for part in ast.walk(case.pattern):
            name = getattr(part, "name", None) or getattr(part, "rest", None)
            if isinstance(name, str):
                state = self._without(name, state, case.pattern)
        return state

    def _begun(self, node: ast.For | ast.AsyncFor | ast.While, states: _States) -> _States:
        """The states at the start of a round."""
        if isinstance(node, ast.While):
            return states
        return frozenset(self._iterate(node, state) for state in states)

    def _with(self, node: ast.With | ast.AsyncWith, states: _States) -> _Flow:
        for item in node.items:
            states = frozenset(self._read([item.context_expr], state, is_spent=False) for state in states)
            if item.optional_vars is not None:
                states = frozenset(self._without(stored_path(item.optional_vars), state, node) for state in states)
        flow = self._block(node.body, states)
        if any("suppress" in ast.unparse(item.context_expr) for item in node.items):
            return flow.then(flow.after | self._swallowed(flow.raised, node))
        return flow

    def _swallowed(self, states: Iterable[_State], node: ast.AST) -> _States:
        """States in which an exception is dealt with by `node`."""
        return frozenset(replace(each, lost=node) if each.is_called and not each.held else each for each in states)

    def _attempt(self, node: ast.stmt, states: _States) -> _Flow:
        body, handlers = getattr(node, "body", []), getattr(node, "handlers", [])
        tried = self._block(body, states)
        flow = self._block(getattr(node, "orelse", []), tried.after)
        flow = _Flow(flow.after, flow.breaks | tried.breaks, flow.continues | tried.continues, flow.raised)
        for handler in handlers:
            flow = flow.joined(self._block(handler.body, self._swallowed(tried.raised, handler)))
        if not handlers:
            flow = replace(flow, raised=flow.raised | tried.raised)
        final = getattr(node, "finalbody", [])
        if not final:
            return flow
        is_last = any(isinstance(each, ast.Return) for statement in final for each in own_nodes([statement]))
        # A `return` in `finally` takes the place of any before it.
        reached = flow.after | tried.raised if is_last else flow.after
        return flow.then(_NONE).joined(self._block(final, reached))


def _is_at(target: ast.expr, path: str) -> bool:
    """Whether an assignment's target is a path itself, or a part of what is there: `_stored` has seen to it."""
    return stored_path(target.value if isinstance(target, ast.Subscript) else target) == path


def _stored_in(target: ast.expr) -> Iterator[str]:
    """The paths that a loop's target binds, or changes a part of."""
    match target:
        case ast.Tuple(elts=targets) | ast.List(elts=targets):
            yield from (path for each in targets for path in _stored_in(each))
        case ast.Starred(value=value):
            yield from _stored_in(value)
        case ast.Subscript(value=value):
            yield from _stored_in(value)
        case _ if (path := stored_path(target)) is not None:
            yield path


def lost_results(calls: Calls, wants: Result) -> Iterator[Loss]:
    """Where the result of the call is not returned, or not used, though the call was made; each place once."""
    tracing = Tracing(calls, wants)
    tracing.trace()
    seen: set[tuple[ast.AST | None, ast.AST | None]] = set()
    for loss in tracing.losses:
        key = (loss.node, None if loss.node is not None else loss.end)
        if key not in seen:
            seen.add(key)
            yield loss
