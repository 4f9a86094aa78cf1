"""Proposes the contract of a call that is there now."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace

from grpo_lint.contracts.arguments import Signature, passed
from grpo_lint.contracts.call_site import CallSite, ContractError, Result
from grpo_lint.contracts.calls import Calls, Search
from grpo_lint.contracts.checking import breaches_of
from grpo_lint.contracts.effects import Orders
from grpo_lint.contracts.expressions import spelled
from grpo_lint.contracts.names import Meaning
from grpo_lint.contracts.replacement import function_of, missing_function
from grpo_lint.contracts.subject import Subject
from grpo_lint.contracts.unit import Frame, Unit
from grpo_lint.model import Finding
from grpo_lint.syntax import parse_expression


def callees(site: CallSite, orders: Orders) -> tuple[str, ...]:
    """The dotted names of the project's functions that a function calls, in the order of the text.

    `calls` of the site is not looked at. Raises ContractError where there is no such function.
    """
    names = orders.names
    frame = _frame(site, names.unit)
    called = [names.meanings(node.func, frame) for node in frame.live_nodes if isinstance(node, ast.Call)]
    found = [meanings[0].name for meanings in called if len(meanings) == 1 and _is_of_project(meanings[0], names.unit)]
    return tuple(dict.fromkeys(found))


def _is_of_project(meaning: Meaning, unit: Unit) -> bool:
    """Whether a contract may be wanted of a call: of a function in another file, or one that grpo-lint brings."""
    is_function = isinstance(meaning.node, ast.FunctionDef | ast.AsyncFunctionDef) and meaning.frame is None
    is_elsewhere = meaning.module is not None and meaning.module.path != unit.module.path
    return meaning.is_known and ((is_function and is_elsewhere) or meaning.name.startswith("grpo_lint."))


def infer(site: CallSite, orders: Orders, findings: Sequence[Finding], codes: Sequence[str]) -> CallSite:
    """The contract that a call keeps now: its arguments, what becomes of the result, the codes that are absent.

    What could not be kept, such as an argument that is changed before the call, is left out. `findings` are what rules
    about functions report in the file, `codes` theirs. Raises ContractError where there is no such call.
    """
    frame = _frame(site, orders.names.unit)
    target = orders.names.target(site.calls)
    if target is None:
        raise ContractError(f"`{site.calls}` is not defined in the project")
    search = Search(orders, target)
    calls = search.calls(search.run(frame))
    if not any(True for _ in calls.every()):
        raise ContractError(f"`{site.function}` does not call `{site.calls}`")
    bare = replace(site, arguments=(), result=None, absent=())
    kept: list[tuple[str, str]] = []
    for pair in _arguments(calls):
        if not breaches_of(replace(bare, arguments=(*kept, pair)), orders):
            kept.append(pair)
    results = [each for each in Result if not breaches_of(replace(bare, result=each), orders)]
    absent = tuple(each for each in codes if not breaches_of(replace(bare, absent=(each,)), orders, findings))
    return replace(bare, arguments=tuple(kept), result=results[0] if results else None, absent=absent)


def _frame(site: CallSite, unit: Unit) -> Frame:
    found = function_of(Subject(site, unit))
    if found is None:
        raise ContractError(missing_function(Subject(site, unit)).message)
    return unit.frame(*found)


def _arguments(calls: Calls) -> Iterator[tuple[str, str]]:
    """The arguments of the first call, as the contract's function would write them."""
    site = next(calls.every())
    given = passed(site.call, site.run, site.meaning, Signature.of(site.meaning))
    for name, each in given.by_name.items():
        text = ast.unparse(spelled(each.expression, each.run))
        if _is_expression(text):
            yield name, text


def _is_expression(text: str) -> bool:
    try:
        parse_expression(text)
    except SyntaxError:  # a local of a helper
        return False
    return True
