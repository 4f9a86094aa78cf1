"""Where the normaliser is imported from, and how a call of it must look there."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from grpo_lint.fixes.call import Call
from grpo_lint.fixes.context import Context
from grpo_lint.fixes.imports import is_bound_otherwise
from grpo_lint.fixes.normalisation import Refusal
from grpo_lint.flow.aliases import Aliases
from grpo_lint.flow.facts import FunctionFacts
from grpo_lint.project import Candidate, Fit, accepts_call

NORMALISER = "normalize_rewards_by_group"
OWN_MODULE = "grpo_lint.reference"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the normaliser is imported from (None: it stands in the same module), and how the call fits it."""

    module: str | None
    left_out: frozenset[str]
    by_keyword: frozenset[str]


def origin_of(facts: FunctionFacts, calls: Sequence[Call], context: Context) -> Origin:
    """The project's own function where its signature fits, else the configured module, else the bundled one."""
    for candidate in context.project.find_function(NORMALISER):
        if _is_circular(facts, candidate, context):
            continue
        fits = [_fit(candidate.function, call) for call in calls]
        if all(fit is not None for fit in fits):
            module = None if candidate.path == context.project.path else candidate.module
            left_out = frozenset[str]().union(*(fit.left_out for fit in fits if fit))
            by_keyword = frozenset[str]().union(*(fit.by_keyword for fit in fits if fit))
            return _free(facts, Origin(module, left_out, by_keyword), context)
    defaults = frozenset(keyword.name for call in calls for keyword in call.keywords if keyword.is_default)
    needed = frozenset(keyword.name for call in calls for keyword in call.keywords if not keyword.is_default)
    return _free(facts, Origin(context.reference_module or OWN_MODULE, defaults - needed, frozenset()), context)


def _is_circular(facts: FunctionFacts, candidate: Candidate, context: Context) -> bool:
    """Whether the function found is the one under repair, or its module imports this one."""
    if candidate.path == context.project.path:
        return candidate.function.lineno == getattr(facts.function, "lineno", 0)
    module, own = context.project.module(candidate.path), context.project.name_of()
    if module is None or own is None:
        return False
    return any(own in (name, name.rpartition(".")[0]) for name in Aliases.of(module.tree).names.values())


def _fit(function: ast.FunctionDef, call: Call) -> Fit | None:
    positional = 3 if call.identity.rollout_ids else 2
    return accepts_call(function, positional, call.keywords, call.input_kind)


def _free(facts: FunctionFacts, origin: Origin, context: Context) -> Origin:
    function = facts.function if isinstance(facts.function, ast.FunctionDef | ast.AsyncFunctionDef) else None
    module, package = origin.module, context.project.package
    if module is not None and is_bound_otherwise(facts.module.tree, module, NORMALISER, function, package):
        raise Refusal(f"`{NORMALISER}` is already the name of something else here")
    return origin
