"""Which statements and expressions of a body never run, and why."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from grpo_lint.contracts.constants import is_empty
from grpo_lint.contracts.scopes import own_nodes

Truth: TypeAlias = "Callable[[ast.expr], bool | None]"

Raises: TypeAlias = "Callable[[ast.expr], bool]"

_DECIDING = frozenset({ast.IfExp, ast.BoolOp, ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp})
_EXITS = frozenset({"sys.exit", "os._exit", "exit", "quit", "os.abort", "pytest.fail", "pytest.skip"})


def dead_code(body: Sequence[ast.stmt], nodes: Sequence[ast.AST], truth: Truth, raises: Raises) -> dict[ast.AST, str]:
    """The topmost nodes of a body that never run, each with the reason; `nodes` are all of its own.

    `truth` tells a condition that is always the same, `raises` a function that never returns.
    """
    search = _Search(truth, raises)
    search.block(body)
    for node in nodes:
        search.expression(node)
    return search.dead


@dataclass(frozen=True, slots=True, eq=False)
class _Search:
    truth: Truth
    raises: Raises
    dead: dict[ast.AST, str] = field(default_factory=dict)

    def block(self, body: Sequence[ast.stmt]) -> bool:
        """Mark what is dead in a block. Whether the block cannot be left at its end."""
        for index, statement in enumerate(body):
            if self.statement(statement):
                how = f"after the `{_word(statement)}` on line {statement.lineno}"
                self.mark(body[index + 1 :], how)
                return True
        return False

    def mark(self, nodes: Sequence[ast.AST], reason: str) -> None:
        self.dead.update((node, reason) for node in nodes)

    def statement(self, node: ast.stmt) -> bool:
        """Mark what is dead in a statement. Whether what follows it is never reached."""
        match node:
            case ast.Return() | ast.Raise() | ast.Continue() | ast.Break():
                return True
            case ast.Assert(test=test):
                return self.truth(test) is False
            case ast.Expr(value=ast.Call(func=function)):
                return ast.unparse(function) in _EXITS or self.raises(function)
            case ast.If():
                return self._choice(node)
            case ast.While():
                return self._loop(node)
            case ast.For() | ast.AsyncFor():
                self._iteration(node)
            case ast.With() | ast.AsyncWith():
                return self.block(node.body) and not any(_may_suppress(item.context_expr) for item in node.items)
            case ast.Match(subject=subject, cases=cases):
                self._cases(subject, cases)
                ends = [self.block(case.body) for case in cases]
                return all(ends) and any(_takes_all(case) for case in cases)
            case _ if _is_try(node):
                return self._attempt(node)
        return False

    def _cases(self, subject: ast.expr, cases: Sequence[ast.match_case]) -> None:
        """Mark the cases that a constant does not match."""
        for case in cases:
            match subject, case.pattern:
                case ast.Constant(value=value), ast.MatchValue(value=ast.Constant(value=wanted)) if value != wanted:
                    self.mark(case.body, f"in a case that `{ast.unparse(subject)}` never matches")

    def _choice(self, node: ast.If) -> bool:
        holds = self.truth(node.test)
        shown = ast.unparse(node.test)
        if holds is False:
            self.mark(node.body, f"under `if {shown}` on line {node.lineno}, which never holds")
            return self.block(node.orelse)
        if holds is True:
            self.mark(node.orelse, f"in the `else` of `if {shown}` on line {node.lineno}, which always holds")
            return self.block(node.body)
        ends = self.block(node.body)
        return self.block(node.orelse) and ends

    def _loop(self, node: ast.While) -> bool:
        holds = self.truth(node.test)
        if holds is False:
            self.mark(node.body, f"under `while {ast.unparse(node.test)}` on line {node.lineno}, which never holds")
            return self.block(node.orelse)
        self.block(node.body)
        has_break = any(_breaks(statement) for statement in node.body if statement not in self.dead)
        if holds is True:
            self.mark(node.orelse, f"in the `else` of the loop on line {node.lineno}, which never ends by itself")
        else:
            self.block(node.orelse)
        return holds is True and not has_break

    def _iteration(self, node: ast.For | ast.AsyncFor) -> None:
        if is_empty(node.iter):
            self.mark(node.body, f"in the loop over `{ast.unparse(node.iter)}` on line {node.lineno}, which is empty")
        else:
            self.block(node.body)
        if any(isinstance(each, ast.Break) for each in node.body) and _has_items(node.iter):
            self.mark(node.orelse, f"in the `else` of the loop on line {node.lineno}, which always breaks")
        self.block(node.orelse)

    def _attempt(self, node: ast.stmt) -> bool:
        assert isinstance(node, ast.Try) or _is_try(node)
        body, handlers = node.body, node.handlers  # type: ignore[attr-defined]
        ends = self.block(body)
        if all(_cannot_raise(statement) for statement in body):
            for handler in handlers:
                self.mark(handler.body, f"in the `except` on line {handler.lineno}, whose `try` cannot fail")
            handled = True
        else:
            ends_of_handlers = [self.block(handler.body) for handler in handlers]
            handled = all(ends_of_handlers)
        ends = (self._after(node, ends) or ends) and handled
        return self.block(node.finalbody) or ends  # type: ignore[attr-defined]

    def _after(self, node: ast.stmt, ends: bool) -> bool:
        orelse: list[ast.stmt] = node.orelse  # type: ignore[attr-defined]
        if ends:
            self.mark(orelse, f"in the `else` of the `try` on line {node.lineno}, which is never left at its end")
            return True
        return self.block(orelse)

    def expression(self, node: ast.AST) -> None:
        """Mark the parts of an expression that are never evaluated."""
        if type(node) not in _DECIDING:
            return
        match node:
            case ast.IfExp(test=test, body=body, orelse=orelse):
                holds = self.truth(test)
                if holds is not None:
                    shown = ast.unparse(test)
                    self.mark([orelse if holds else body], f"where `{shown}` on line {node.lineno} {_holds(not holds)}")
            case ast.BoolOp(op=operator, values=values):
                stops = isinstance(operator, ast.Or)
                decided = next((i for i, each in enumerate(values) if self.truth(each) is stops), len(values))
                self.mark(values[decided + 1 :], f"behind `{ast.unparse(values[min(decided, len(values) - 1)])}`")
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                self._comprehension(node)

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> None:
        parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        for generator in node.generators:
            if is_empty(generator.iter) or any(self.truth(test) is False for test in generator.ifs):
                self.mark(parts, f"in a comprehension on line {node.lineno} that is always empty")


def _holds(holds: bool) -> str:
    return "holds, which it never does" if holds else "fails, which it never does"


def _is_try(node: ast.stmt) -> bool:
    return type(node).__name__ in ("Try", "TryStar")


def _word(node: ast.stmt) -> str:
    return {ast.Return: "return", ast.Raise: "raise", ast.Continue: "continue", ast.Break: "break"}.get(
        type(node), ast.unparse(node).partition("\n")[0].rstrip(":")
    )


def _breaks(node: ast.stmt) -> bool:
    """Whether a statement of a loop's body breaks out of that loop."""
    if isinstance(node, ast.Break):
        return True
    if isinstance(node, ast.For | ast.AsyncFor | ast.While):
        return any(_breaks(each) for each in node.orelse)
    return any(_breaks(each) for each in _inner_statements(node))


def _inner_statements(node: ast.AST) -> Iterator[ast.stmt]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            yield child
        elif isinstance(child, ast.ExceptHandler | ast.match_case):
            yield from child.body


def _may_suppress(manager: ast.expr) -> bool:
    text = ast.unparse(manager.func if isinstance(manager, ast.Call) else manager)
    return "suppress" in text or "raises" in text


def _takes_all(case: ast.match_case) -> bool:
    return case.guard is None and isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None


def _cannot_raise(node: ast.stmt) -> bool:
    """Whether a statement only names what is there; a name that is not bound would be a mistake of another kind."""
    if isinstance(node, ast.Expr | ast.Assign):
        targets = node.targets if isinstance(node, ast.Assign) else []
        is_plain = isinstance(node.value, ast.Constant | ast.Name)
        return is_plain and all(isinstance(target, ast.Name) for target in targets)
    return isinstance(node, ast.Pass)


def _has_items(sequence: ast.expr) -> bool:
    match sequence:
        case ast.Tuple(elts=elts) | ast.List(elts=elts) | ast.Set(elts=elts):
            return any(not isinstance(each, ast.Starred) for each in elts)
        case ast.Call(func=ast.Name(id="range"), args=[ast.Constant(value=int(stop))], keywords=[]):
            return stop > 0
        case ast.Constant(value=str(text)):
            return bool(text)
    return False


def always_raises(function: ast.AST | None) -> bool:
    """Whether each call of a function ends in an error."""
    if not isinstance(function, ast.FunctionDef) or not isinstance(function.body[-1], ast.Raise):
        return False
    ways_out = (ast.Return, ast.Yield, ast.YieldFrom)
    return not any(isinstance(node, ways_out) for node in own_nodes(function.body))
