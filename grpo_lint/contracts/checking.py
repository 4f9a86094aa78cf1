"""Whether a contract holds, and if not, in which ways."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import islice

from grpo_lint.contracts.absence import reasons_for_absence
from grpo_lint.contracts.call_site import Breach, CallSite, ContractError, Result
from grpo_lint.contracts.calls import Calls, Search
from grpo_lint.contracts.effects import Orders
from grpo_lint.contracts.expressions import Run
from grpo_lint.contracts.matching import Matching
from grpo_lint.contracts.names import Meaning
from grpo_lint.contracts.outcome import lost_results
from grpo_lint.contracts.replacement import function_of, missing_function, replaced_function, replaced_target
from grpo_lint.contracts.states import Loss
from grpo_lint.contracts.subject import Subject, shown
from grpo_lint.contracts.wrapping import lost_by_wrapping
from grpo_lint.model import Finding
from grpo_lint.selectors import longest_match


def breaches_of(site: CallSite, orders: Orders, findings: Sequence[Finding] = ()) -> tuple[Breach, ...]:
    """All ways in which a contract does not hold. Raises ContractError if it cannot be checked.

    `findings` are what rules about functions report in the file, suppressed or not.
    """
    found = _found(Subject(site, orders.names.unit), orders, findings)
    return tuple(sorted(dict.fromkeys(found), key=lambda breach: (breach.range, breach.message)))


def _found(subject: Subject, orders: Orders, findings: Sequence[Finding]) -> Iterator[Breach]:
    site, wanted = subject.site, subject.wanted()
    function, owner = function_of(subject) or (None, None)
    if function is None:
        yield missing_function(subject)
        return
    frame, names = subject.unit.frame(function, owner), orders.names
    target = names.target(site.calls)
    if target is None:
        text = f"`{site.calls}`, which `{site.function}` must call, is not defined in the project"
        yield subject.breach(function, text + names.nearest(site.calls))
    elif target.place is not None:
        raise ContractError(f"calls: `{site.calls}` is a module")
    search = Search(orders, target or Meaning(site.calls))
    calls = search.calls(search.run(frame))
    yield from (*replaced_function(subject, function, owner), *replaced_target(subject, names, frame))
    if not any(True for _ in calls.every()):
        yield from reasons_for_absence(subject, search, calls)
    for each in calls.every():
        yield from Matching.of(subject, each, calls.run, wanted).breaches()
    if site.result is not None:
        yield from lost_by_wrapping(subject, names, frame)
        yield from _lost(subject, calls, site.result)
    yield from _reported(subject, calls, findings)


def _lost(subject: Subject, calls: Calls, wants: Result) -> Iterator[Breach]:
    """Where the result does not become what it must."""
    callee = subject.site.callee
    for name, _ in calls.escaped:
        text = f"`{name.id}`, which calls `{callee}`, is handed on here: what becomes of the result is not known"
        yield subject.breach(name, text)
    for site in islice(calls.every(), 1):
        for loss in lost_results(calls, wants):
            yield subject.breach(loss.node or loss.end or site.call, _told(loss, callee, wants))


def _told(loss: Loss, callee: str, wants: Result) -> str:
    result, must = f"the result of `{callee}`", f"must be {wants.value}"
    match loss.node:
        case ast.ExceptHandler():
            return f"errors of `{callee}` are caught here and something else goes on; its result {must}"
        case ast.With() | ast.AsyncWith():
            return f"errors of `{callee}` are suppressed here; its result {must}"
        case ast.AST() as node:
            return f"{result} {must}, and is replaced or changed here by `{shown(node)}`"
    if loss.end is not None:
        return f"{result} {must}; `{shown(loss.end)}` is without it"
    return f"{result} {must}, and is dropped"


def _reported(subject: Subject, calls: Calls, findings: Sequence[Finding]) -> Iterator[Breach]:
    """The findings that the contract wants absent, in the function and the helpers that it calls."""
    spans = [_span(run.frame.function) for run in _runs(calls)]
    for finding in findings:
        row = finding.range.start.row
        if longest_match(finding.code, subject.site.absent) >= 0 and any(first <= row <= last for first, last in spans):
            text = f"{finding.code} is reported here: the contract of `{subject.site.function}` wants it absent"
            yield Breach(finding.range, text)


def _runs(calls: Calls) -> Iterator[Run]:
    yield calls.run
    for inner in (*calls.helpers.values(), *(each for _, each in calls.escaped)):
        yield from _runs(inner)


def _span(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "lineno", 0), getattr(node, "end_lineno", 0) or 0
