"""What becomes of a call's result: followed along every path from the call to the end of the function."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from grpo_lint.contracts.call_site import Result
from grpo_lint.contracts.calls import Calls
from grpo_lint.contracts.carrying import Carrying
from grpo_lint.contracts.containers import stored_path
from grpo_lint.contracts.contents import Contents, changes_by_node
from grpo_lint.contracts.rounds import calls_per_item
from grpo_lint.contracts.scopes import own_nodes
from grpo_lint.contracts.states import NONE, Flow, Loss, State, States, bounded
from grpo_lint.contracts.storing import Storing, bound_in, sequences_of
from grpo_lint.contracts.unit import is_generator_of

_ROUNDS = 8


@dataclass(frozen=True, slots=True, eq=False)
class Tracing:
    """Follows the result through one function. `losses` grow while it does.

    `per_item` are the calls that are made anew for each item of a loop.
    """

    calls: Calls
    wants: Result
    per_item: frozenset[ast.Call]
    sequences: Mapping[str, str]
    is_generator: bool
    contents: Contents
    losses: list[Loss] = field(default_factory=list)
    gives: list[ast.AST] = field(default_factory=list)
    known: dict[tuple[ast.Call, frozenset[str]], bool] = field(default_factory=dict)
    steps: dict[tuple[ast.stmt, States], Flow] = field(default_factory=dict)

    @classmethod
    def of(cls, calls: Calls, wants: Result) -> Tracing:
        made = {*(site.call for site in calls.sites), *(call for call in calls.helpers if calls.leads_there(call))}
        frame, changes = calls.run.frame, changes_by_node(calls.run.order.changes)
        contents = Contents(frame, made.__contains__, changes)
        return cls(calls, wants, calls_per_item(calls), sequences_of(calls), is_generator_of(frame), contents)

    @property
    def storing(self) -> Storing:
        return Storing(self.calls, self.wants, self._gives, self.sequences, self.contents)

    def trace(self, held: frozenset[str] = frozenset()) -> None:
        """Follow the result, or what is held at the start, to every end of the function."""
        start = frozenset({State(bool(held), held)})
        function = self.calls.run.frame.function
        if isinstance(function, ast.Lambda):
            self._return(function.body, function.body, start)
            return
        for state in self._block(function.body, start).after:
            if state.is_losing:
                self.losses.append(Loss(state.lost, None))

    def _carrying(self, state: State) -> Carrying:
        return Carrying(self.calls, self.wants, state.held, self._gives)

    def _gives(self, call: ast.Call, held: frozenset[str]) -> bool:
        """Whether the helper that a call runs returns the result, or what it is given of it."""
        key = (call, held)
        if key not in self.known:
            inner = Tracing.of(self.calls.helpers[call], self.wants)
            inner.trace(held)
            if not held:
                self.losses.extend(inner.losses)
            self.known[key] = bool(inner.gives) and not (held and inner.losses)
        return self.known[key]

    # statements

    def _block(self, body: Sequence[ast.stmt], states: States) -> Flow:
        flow = Flow(states)
        for statement in body:
            if statement in self.calls.run.frame.dead:
                continue
            if not flow.after:
                break
            if self.contents.of(statement).is_idle(flow.after):
                flow = replace(flow, raised=flow.raised | flow.after)
                continue
            step = self._step(statement, flow.after)
            may_raise = flow.after | self._raising(statement, flow.after)
            flow = Flow(
                bounded(step.after),
                flow.breaks | step.breaks,
                flow.continues | step.continues,
                bounded(flow.raised | step.raised | may_raise),
            )
        return flow

    def _step(self, statement: ast.stmt, states: States) -> Flow:
        """The states after a statement, followed once for the same states: loops in loops come back to them."""
        key = (statement, states)
        if key not in self.steps:
            self.steps[key] = self._statement(statement, states)
        return self.steps[key]

    def _raising(self, statement: ast.stmt, states: States) -> States:
        """The states in which the call itself raises."""
        if any(isinstance(node, ast.stmt) for node in ast.iter_child_nodes(statement)) or not self._makes(statement):
            return NONE
        return frozenset(replace(state, is_called=True, held=frozenset(), lost=None) for state in states)

    def _makes(self, *nodes: ast.AST) -> bool:
        """Whether the call is made in one of the nodes."""
        return any(True for _ in self._made(nodes))

    def _made(self, nodes: Sequence[ast.AST]) -> Iterator[ast.Call]:
        """The calls of the target, or of helpers that give its result, in nodes."""
        carrying = self._carrying(State())
        for node in nodes:
            yield from (each for each in self.contents.of(node).sources if carrying.is_source(each))

    def _statement(self, node: ast.stmt, states: States) -> Flow:
        match node:
            case ast.Return(value=value):
                self._return(node, value, states)
                return Flow(NONE)
            case ast.Raise():
                return Flow(NONE, raised=states)
            case ast.Break():
                return Flow(NONE, breaks=states)
            case ast.Continue():
                return Flow(NONE, continues=states)
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
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                return Flow(frozenset(state.without(name, node) for state in states))
            case _ if hasattr(node, "handlers"):
                return self._attempt(node, states)
        return Flow(frozenset(self._simple(node, state) for state in states))

    def _evaluated(self, parts: Sequence[ast.expr], states: States) -> States:
        """The states after expressions that decide something."""
        return frozenset(self._read(parts, state, is_spent=True) for state in states)

    def _read(self, parts: Sequence[ast.expr], state: State, is_spent: bool) -> State:
        """The state after expressions were evaluated; `is_spent` where being read there is a use."""
        if not any(self.contents.of(each).concerns(state) for each in parts):
            return state
        if made := list(self._made(parts)):
            state = state.calling(not self.per_item.isdisjoint(made))
        for node in own_nodes(parts, self.calls.run.frame.dead):
            if isinstance(node, ast.NamedExpr):
                state = self.storing.stored(node.target, node.value, state, node)
            elif isinstance(node, ast.Yield | ast.YieldFrom):
                state = self._yielded(node, state)
        state = self.storing.changed_by_calls(parts, state)
        carrying = self._carrying(state)
        if any(carrying.is_spent_in(each) or (is_spent and carrying.touches(each)) for each in parts):
            state = state.using() if self.wants is Result.USED else state
        return state

    def _yielded(self, node: ast.Yield | ast.YieldFrom, state: State) -> State:
        """The state after a generator gave something out: the result is then in its caller's hands."""
        if node.value is None or not self._passes(node.value, state):
            return state
        self.gives.append(node)
        return replace(state, is_used=True)

    def _passes(self, value: ast.expr, state: State) -> bool:
        """Whether an expression carries the result, and those of earlier rounds."""
        carrying = self._carrying(state)
        is_whole = not state.earlier or self.wants is Result.USED or carrying.of_earlier(state.earlier).passes(value)
        return carrying.passes(value) and is_whole

    def _simple(self, node: ast.stmt, state: State) -> State:
        storing = self.storing
        match node:
            case ast.Assign(targets=targets, value=value):
                state = self._read([value], state, is_spent=False)
                for target in targets:
                    state = storing.stored(target, value, state, node)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                state = storing.stored(target, value, self._read([value], state, is_spent=False), node)
            case ast.AugAssign(target=target, value=value):
                state = self._read([value], state, is_spent=not isinstance(target, ast.Name))
                state = storing.augmented(node, state)
            case ast.Expr(value=value):
                state = self._expression(value, state)
            case ast.Delete(targets=targets):
                for target in targets:
                    state = state.without(stored_path(target), node)
            case ast.Assert(test=test):
                state = self._read([test], state, is_spent=False)
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                for each in names:
                    state = state.without((each.asname or each.name).partition(".")[0], node)
        return storing.changed(node, state)

    def _expression(self, value: ast.expr, state: State) -> State:
        state = self._read([value], state, is_spent=False)
        added = self.storing.added(value, state) if isinstance(value, ast.Call) else None
        if added is not None:
            return added
        if self._carrying(state).is_spent_by_statement(value):
            return state.using() if self.wants is Result.USED else state
        return state

    def _return(self, node: ast.AST, value: ast.expr | None, states: States) -> None:
        for before in states:
            state = before if value is None else self._read([value], before, is_spent=False)
            if value is not None and not self.is_generator and self._passes(value, state):
                self.gives.append(node)
                state = replace(state, is_used=True)
            if state.is_losing:
                self.losses.append(Loss(state.lost, node))

    # blocks

    def _iterate(self, node: ast.For | ast.AsyncFor, state: State) -> State:
        """The state in a loop over something that holds the result: so do its variables."""
        held = self._carrying(state).variables(node.target, node.iter)
        for path in dict.fromkeys(bound_in(node.target)):
            state = state.without(path, node)
        return state.holding(held)

    def _loop(self, node: ast.For | ast.AsyncFor | ast.While, states: States) -> Flow:
        total = Flow(NONE)
        for _ in range(_ROUNDS):
            step = self._block(node.body, self._begun(node, states | total.after))
            grown = replace(total.joined(step), after=total.after | step.after | step.continues)
            if grown == total:
                break
            total = grown
        is_endless = isinstance(node, ast.While) and isinstance(node.test, ast.Constant) and bool(node.test.value)
        ended = total.after | self._without_rounds(node, states)
        left = Flow(NONE) if is_endless else self._block(node.orelse, ended)
        return Flow(left.after | total.breaks, left.breaks, left.continues, total.raised | left.raised)

    def _without_rounds(self, node: ast.For | ast.AsyncFor | ast.While, states: States) -> States:
        """The states after a loop without rounds. One over the result has none where there is no result to lose."""
        if isinstance(node, ast.While):
            return states
        return frozenset(each for each in states if not self._carrying(each).variables(node.target, node.iter))

    def _match(self, node: ast.Match, states: States) -> Flow:
        chosen = self._evaluated([node.subject], states)
        flow = Flow(NONE)
        for case in node.cases:
            flow = flow.joined(self._block(case.body, frozenset(self._captured(case, state) for state in chosen)))
            if case.guard is None and isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None:
                return flow
        return replace(flow, after=flow.after | chosen)

    def _captured(self, case: ast.match_case, state: State) -> State:
        """The state after a pattern bound its names."""
        for part in ast.walk(case.pattern):
            name = getattr(part, "name", None) or getattr(part, "rest", None)
            if isinstance(name, str):
                state = state.without(name, case.pattern)
        return state

    def _begun(self, node: ast.For | ast.AsyncFor | ast.While, states: States) -> States:
        """The states at the start of a round."""
        if isinstance(node, ast.While):
            return states
        return frozenset(self._iterate(node, state) for state in states)

    def _with(self, node: ast.With | ast.AsyncWith, states: States) -> Flow:
        for item in node.items:
            states = frozenset(self._read([item.context_expr], state, is_spent=False) for state in states)
            if item.optional_vars is not None:
                states = frozenset(state.without(stored_path(item.optional_vars), node) for state in states)
        flow = self._block(node.body, states)
        if any("suppress" in ast.unparse(item.context_expr) for item in node.items):
            return flow.then(flow.after | self._swallowed(flow.raised, node))
        return flow

    def _swallowed(self, states: Iterable[State], node: ast.AST) -> States:
        """States in which an exception is dealt with by `node`."""
        return frozenset(replace(each, lost=node) if each.is_called and not each.held else each for each in states)

    def _attempt(self, node: ast.stmt, states: States) -> Flow:
        body, handlers = getattr(node, "body", []), getattr(node, "handlers", [])
        tried = self._block(body, states)
        flow = self._block(getattr(node, "orelse", []), tried.after)
        flow = Flow(flow.after, flow.breaks | tried.breaks, flow.continues | tried.continues, flow.raised)
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
        return flow.then(NONE).joined(self._block(final, reached))


def lost_results(calls: Calls, wants: Result) -> Iterator[Loss]:
    """Where the result of the call is not returned, or not used, though the call was made; each place once."""
    tracing = Tracing.of(calls, wants)
    tracing.trace()
    seen: set[tuple[ast.AST | None, ast.AST | None]] = set()
    for loss in tracing.losses:
        key = (loss.node, None if loss.node is not None else loss.end)
        if key not in seen:
            seen.add(key)
            yield loss
