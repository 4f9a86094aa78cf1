"""Which calls in loops are made for each item anew, so that the result of one round does not stand for the others."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from grpo_lint.contracts.calls import Calls
from grpo_lint.contracts.expressions import Run, reads
from grpo_lint.contracts.scopes import target_names


def calls_per_item(calls: Calls) -> frozenset[ast.Call]:
    """The calls of the target, and of helpers that lead there, whose arguments read the variable of a loop around."""
    made = [*(site.call for site in calls.sites), *(call for call in calls.helpers if calls.leads_there(call))]
    return frozenset(call for call in made if _is_per_item(call, calls.run))


def _is_per_item(call: ast.Call, run: Run) -> bool:
    loops = [loop for loop in run.order.loops.get(call, ()) if isinstance(loop, ast.For | ast.AsyncFor)]
    variables = {name for loop in loops for name in target_names(loop.target)}
    return bool(variables) and any(name in variables for name in _names_read(call, run))


def _names_read(call: ast.Call, run: Run) -> Iterator[str]:
    for value in (*call.args, *(keyword.value for keyword in call.keywords)):
        yield from (read.path for read in reads(value, run) if read.run is run)
