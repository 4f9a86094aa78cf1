"""Groups in which every sample of an attempt counts, though the samples tell their attempt."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from grpo_lint.flow.declared import declares, identity_of, read_behind
from grpo_lint.flow.facts import FunctionFacts, Role
from grpo_lint.flow.values import Grouping
from grpo_lint.flow.view import nodes_in_view

_ATTEMPT = "rollout_id"


@dataclass(frozen=True, slots=True, eq=False)
class Overcount:
    """A grouping by `read`, of samples whose class declares `attempt`, which the function never looks at."""

    grouping: Grouping
    read: ast.expr
    attempt: str = _ATTEMPT


def overcounts(facts: FunctionFacts) -> Iterator[Overcount]:
    """The groupings whose mean becomes a baseline, where nothing looks at the attempts that the samples belong to."""
    for grouping in facts.groups_by_key():
        if grouping.key is None or not any(use.role is Role.BASELINE for use in facts.uses(grouping)):
            continue
        if _mentions_attempts(facts, grouping):
            continue
        match read := read_behind(grouping.key, facts):
            case ast.Attribute(value=ast.Name() as sample) if identity_of(read) and declares(sample, _ATTEMPT, facts):
                yield Overcount(grouping, read)


def _mentions_attempts(facts: FunctionFacts, grouping: Grouping) -> bool:
    """Whether the function names attempts at all: it may count each once."""
    for node in nodes_in_view(facts.function_of(grouping.node), grouping.node):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name) | ast.Constant(value=str(name)):
                if "rollout_id" in name or "attempt" in name:
                    return True
    return False
