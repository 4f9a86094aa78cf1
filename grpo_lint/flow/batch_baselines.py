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
    "log value values critic".split()
)
_UNIQUE = frozenset({"index", "indices"})
_CONDITIONS = ast.If | ast.IfExp | ast.Match | ast.ExceptHandler | ast.For | ast.While


def batch_baselines(facts: FunctionFacts) -> Iterator[Normalising]:
    """Where the mean of all rewards is subtracted from them, each once, in a function that only does that."""
    found = [each for each in facts.normalisings if each.role is Role.BASELINE]
    of_batch = [each for each in found if any(part.layout is Layout.BATCH for part in each.groupings)]
    if len(of_batch) < len(found) or not of_batch or not _is_group_relative(facts):
        return
    seen: set[ast.AST] = set()
    for normalising in of_batch:
        if normalising.node not in seen and all(_is_batch(each, facts) for each in normalising.groupings):
            seen.add(normalising.node)
            if not _is_under_a_condition(normalising.node, facts):
                yield normalising


def _is_group_relative(facts: FunctionFacts) -> bool:
    """Whether the module speaks of group-relative advantages, and the function has what tells the groups."""
    if not isinstance(facts.function, Function) or not _OTHER_MEANINGS.isdisjoint(tokens(facts.function.name)):
        return False
    return facts.module.vocabulary.is_group_relative and _has_groups_at_hand(facts)


def _has_groups_at_hand(facts: FunctionFacts) -> bool:
    words = facts.module.vocabulary
    for node in walk_nodes(facts.function):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
                if (is_identity(name) and name not in _UNIQUE) or words.is_group_size(name, is_strong=False):
                    return True
    return False


def _is_batch(grouping: Grouping, facts: FunctionFacts) -> bool:
    """Whether these are raw rewards of several prompts, as far as names tell."""
    named = [tokens(vector.name) for vector in vectors(grouping.of)]
    return all(not _RAW.isdisjoint(words) for words in named) and not facts.is_one_group(grouping)


def _is_under_a_condition(node: ast.AST, facts: FunctionFacts) -> bool:
    """One branch of several: an option, or the way out for what the other branch does not take."""
    holders = [each for each in walk_nodes(facts.function) if isinstance(each, _CONDITIONS)]
    return any(part is node for holder in holders for part in walk_nodes(holder))
