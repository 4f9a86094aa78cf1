"""Rewards that are centred on the mean of the whole batch in code that could tell their groups."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from grpo_lint.flow.facts import Function, FunctionFacts, Normalising, Role
from grpo_lint.flow.nodes import walk_nodes
from grpo_lint.flow.traversal import vectors
from grpo_lint.flow.values import Grouping, Layout
from grpo_lint.flow.vocabulary import is_identity, tokens

_RAW = frozenset({"reward", "rewards", "score", "scores", "rwd", "rwds"})
# Of a function that is meant to take the batch together, or that is handed one group.
_OTHER_MEANINGS = frozenset(
    "whiten whitening reinforce ppo gae global batch standardize zscore group groups single per evaluate eval metrics "
    "log value values critic prompt question problem query".split()
)
_UNIQUE = frozenset({"index", "indices"})
_CONDITIONS = ast.If | ast.IfExp | ast.Match | ast.ExceptHandler | ast.For | ast.While


def batch_baselines(facts: FunctionFacts) -> Iterator[Normalising]:
    """Where the mean of all rewards is subtracted from them, each once, in a function that only does that."""
    if not isinstance(facts.function, Function) or not facts.module.vocabulary.is_group_relative:
        return
    found = [each for each in facts.normalisings if each.role is Role.BASELINE]
    seen: set[ast.AST] = set()
    for normalising in found:
        if (
            normalising.node in seen
            or not facts.owns(normalising.node)
            or not all(_is_batch(each, facts) for each in normalising.groupings)
        ):
            continue
        seen.add(normalising.node)
        around = facts.nodes_around(normalising.node)
        is_alone = _takes_only_the_batch([each for each in found if each.node in around])
        if is_alone and _is_group_relative(facts.function_of(normalising.node), around, facts):
            is_other = _is_under_a_condition(normalising.node, around) or _is_one_group_by_test(around)
            yield from () if is_other else (normalising,)


def _is_one_group_by_test(around: list[ast.AST]) -> bool:
    """`assert len(rewards) == group_size`: what is handed over is one group."""
    tests = [node.test for node in around if isinstance(node, ast.Assert)]
    return any(
        isinstance(part, ast.Call) and isinstance(part.func, ast.Name) and part.func.id == "len"
        for test in tests
        if isinstance(test, ast.Compare)
        for part in (test.left, *test.comparators)
    )


def _takes_only_the_batch(normalisings: list[Normalising]) -> bool:
    return all(any(part.layout is Layout.BATCH for part in each.groupings) for each in normalisings)


def _is_group_relative(function: ast.AST, around: list[ast.AST], facts: FunctionFacts) -> bool:
    """Whether a function has what tells the groups, and no name for something else."""
    is_other = isinstance(function, Function) and not _OTHER_MEANINGS.isdisjoint(tokens(function.name))
    return not is_other and _has_groups_at_hand(around, facts)


def _has_groups_at_hand(around: list[ast.AST], facts: FunctionFacts) -> bool:
    words = facts.module.vocabulary
    for node in around:
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
                if (is_identity(name) and name not in _UNIQUE) or words.is_group_size(name, is_strong=False):
                    return True
    return False


def _is_batch(grouping: Grouping, facts: FunctionFacts) -> bool:
    """Whether these are raw rewards of several prompts, as far as names tell."""
    named = [tokens(vector.name) for vector in vectors(grouping.of)]
    is_raw = grouping.layout is Layout.BATCH and all(not _RAW.isdisjoint(words) for words in named)
    return is_raw and not facts.is_one_group(grouping)


def _is_under_a_condition(node: ast.AST, around: list[ast.AST]) -> bool:
    """One branch of several: an option, or the way out for what the other branch does not take."""
    holders = [each for each in around if isinstance(each, _CONDITIONS)]
    return any(part is node for holder in holders for part in walk_nodes(holder))
