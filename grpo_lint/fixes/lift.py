"""Lifts a recognised normalisation to one call of `normalize_rewards_by_group`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set
from dataclasses import dataclass

from grpo_lint.fixes.call import Call, calls_of
from grpo_lint.fixes.context import Context
from grpo_lint.fixes.identity import find_identity
from grpo_lint.fixes.layout import lay_out, one_line
from grpo_lint.fixes.normalisation import Refusal
from grpo_lint.fixes.origin import NORMALISER, Origin, origin_of
from grpo_lint.fixes.region import Region, Site, find_region
from grpo_lint.fixes.rewrite import Anchor, Writer, anchors_of, dead_locals, removed_statements
from grpo_lint.fixes.safeguards import (
    require_all_reads_known,
    require_names_kept,
    require_only_read,
    require_plain_filling,
    require_plain_region,
)
from grpo_lint.fixes.tree import Tree
from grpo_lint.flow.facts import FunctionFacts
from grpo_lint.flow.nodes import walk_nodes
from grpo_lint.flow.statistics import is_statistic
from grpo_lint.flow.traversal import vectors, walk
from grpo_lint.flow.values import Centred, Enlarged, Grouping, Scaled, Statistic
from grpo_lint.model import Edit, Safety


@dataclass(frozen=True, slots=True, eq=False)
class Lift:
    """One normalisation lifted to calls: the edits for it, and what the imports depend on.

    `gone` are the nodes that the edits take away, `needed` the names that the calls read, `identity` is the first
    call's expression for the prompts.
    """

    facts: FunctionFacts
    context: Context
    edits: tuple[Edit, ...]
    gone: Set[ast.AST]
    needed: frozenset[str]
    origin: str | None
    safety: Safety
    identity: str


def lift(facts: FunctionFacts, grouping: Grouping, context: Context) -> Lift:
    """Lift the normalisation of a grouping. Raises Refusal."""
    if not isinstance(facts.function, ast.FunctionDef | ast.AsyncFunctionDef) or not facts.owns(grouping.node):
        raise Refusal("the rewards are not grouped in the function that normalises them")
    tree = Tree.of(facts.function)
    for vector in vectors(grouping.of):  # the reason that no change of the steps could mend comes first
        find_identity(facts, tree, vector, tree.statement(grouping.node), context.project, context.wishes)
    if is_statistic(facts.value(grouping.node)):
        raise Refusal(f"`{one_line(ast.unparse(grouping.node))}` groups and reduces in one step")
    region = find_region(facts, tree, grouping)
    _require_own_steps(facts, tree, region)
    anchors = anchors_of(region, tree)
    require_plain_region(tree, region, anchors)
    calls = calls_of(facts, tree, region, anchors, context)
    require_only_read(facts, tree, region, anchors)
    require_plain_filling(facts, tree, anchors)
    return _lifted(facts, tree, region, anchors, calls, context)


def _require_own_steps(facts: FunctionFacts, tree: Tree, region: Region) -> None:
    """Every step must stand in the function's own text: a helper may do more than the step that it returns."""
    for site in region.sites:
        values = [facts.value(outlet.node) for outlet in site.outlets]
        values += [found.value for found in facts.definitions if found.node in site.definitions]
        for part in (part for value in values for part in walk(value)):
            if isinstance(part, Grouping | Statistic | Centred | Scaled | Enlarged) and not facts.owns(part.node):
                raise Refusal("a part of the normalisation stands in a helper")
            if isinstance(part, Grouping) and part.size is not None and not _stand_together(part.size, part.node, tree):
                raise Refusal(f"the group size, `{ast.unparse(part.size)}`, is that of a helper")
            if isinstance(part, Grouping) and part.size is not None:
                _require_fixed_shape(part, part.size, tree)
    names = {
        name
        for node in walk_nodes(facts.function)
        if isinstance(node, ast.Global | ast.Nonlocal)
        for name in node.names
    }
    if any(found.name in names for found in facts.definitions if found.node in region.statements):
        raise Refusal("a step is kept in a global or nonlocal name")


def _require_fixed_shape(grouping: Grouping, size: ast.expr, tree: Tree) -> None:
    """A list under a name is a shape that anything which holds it may change; a tuple stays what it is."""
    listed = tree.parents[size]
    if isinstance(listed, ast.List) and grouping.node not in tree.ancestors(listed):
        raise Refusal(f"`{ast.unparse(listed)}` is a list, which may have changed before it became a shape")


def _stand_together(one: ast.AST, other: ast.AST, tree: Tree) -> bool:
    """Whether two expressions stand in one function of a tree."""
    return one in tree.parents and tree.function(one) is tree.function(other)


def _lifted(
    facts: FunctionFacts,
    tree: Tree,
    region: Region,
    anchors: tuple[Anchor, ...],
    calls: dict[Site, Call],
    context: Context,
) -> Lift:
    origin = origin_of(facts, tuple(calls.values()), context)
    needed = frozenset[str]().union(*(call.needed for call in calls.values()))
    everything = _all_removed(facts, tree, region, anchors, calls, needed)
    require_all_reads_known(facts, tree, region, everything, anchors)
    require_names_kept(tree, needed, anchors)

    def write_call(site: Site, prefix: str, suffix: str, indent: str) -> str:
        arguments = list(arguments_of(calls[site], origin))
        unit = "\t" if indent.startswith("\t") else "    "
        ending = ".tolist()" + suffix if site.makes_list and site not in lists else suffix
        return lay_out(prefix, NORMALISER, arguments, ending, indent, context.line_length, unit)

    lists = frozenset(site for site, call in calls.items() if call.input_kind == "list")
    edits = tuple(Writer(context.source, tree, everything, anchors, lists, write_call).edits())
    gone = frozenset(node for part in (*everything, *_replaced(region)) for node in walk_nodes(part))
    safety = min((call.identity.safety for call in calls.values()), key=[Safety.UNSAFE, Safety.SAFE].index)
    identity = next(iter(calls.values())).identity.group_indices
    return Lift(facts, context, edits, gone, needed, origin.module, safety, identity)


def _all_removed(
    facts: FunctionFacts,
    tree: Tree,
    region: Region,
    anchors: tuple[Anchor, ...],
    calls: dict[Site, Call],
    needed: frozenset[str],
) -> frozenset[ast.stmt]:
    """The statements that go: the steps, what was only there for them, and blocks that are left empty."""
    folded = {call.folded for call in calls.values() if call.folded is not None and call.folded in tree.blocks}
    sites = {anchor.statement for anchor in anchors if anchor.site.name is None}
    whole = Region(region.statements | (folded - sites), region.sites)
    removed = removed_statements(whole, anchors, facts, tree)
    dead = dead_locals(removed, _replaced(region), needed, facts, tree)
    return removed_statements(Region(removed | dead, region.sites), anchors, facts, tree)


def _replaced(region: Region) -> list[ast.expr]:
    return [outlet.node for site in region.sites for outlet in site.outlets]


def arguments_of(call: Call, origin: Origin) -> Iterator[tuple[str | None, str]]:
    yield None, call.rewards
    yield None, call.identity.group_indices
    if call.identity.rollout_ids and "rollout_ids" not in origin.left_out:
        yield "rollout_ids" if "rollout_ids" in origin.by_keyword else None, call.identity.rollout_ids
    for keyword in call.keywords:
        if keyword.name not in origin.left_out:
            yield keyword.name, keyword.value
