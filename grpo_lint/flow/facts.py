"""What is known of a function after it was walked: the questions that rules and repairs may ask."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Protocol

from grpo_lint.flow.aliases import Aliases
from grpo_lint.flow.constants import Constants
from grpo_lint.flow.nodes import walk_nodes
from grpo_lint.flow.traversal import share_origin, vectors, walk
from grpo_lint.flow.values import UNKNOWN, Grouping, Layout, Statistic, Value, Vector
from grpo_lint.flow.view import innermost_function, nodes_in_view
from grpo_lint.flow.vocabulary import Vocabulary, is_for_each_sample, tokens
from grpo_lint.source import Placed, Source

if TYPE_CHECKING:
    from grpo_lint.flow.attempts import Overcount
    from grpo_lint.flow.expansions import Mismatch
    from grpo_lint.flow.exposed import ExposedSpread
    from grpo_lint.flow.foreign import Helper
    from grpo_lint.flow.lone_samples import LoneBaseline
    from grpo_lint.flow.unset_keys import UnsetKey

Function = ast.FunctionDef | ast.AsyncFunctionDef
_ONE_GROUP = frozenset({"group", "groups", "grouped", "bucket", "buckets", "members", "siblings"})
_ONE_PROMPT = frozenset("prompt question problem query instance task episode trajectory group uid key pid qid".split())
_LOOPS = ast.For | ast.AsyncFor | ast.ListComp | ast.DictComp | ast.GeneratorExp | ast.SetComp
_SCOPES = Function | _LOOPS


@dataclass(frozen=True, slots=True, eq=False)
class Definition:
    """A name given a value by a statement (or by a parameter: then `node` is the `ast.arg`)."""

    name: str
    node: ast.AST
    value: Value
    right: ast.expr | None


class Role(Enum):
    """What a group statistic becomes."""

    BASELINE = "baseline"
    SCALE = "scale"
    FILTER = "filter"


_ROLE_LABELS = {
    Role.BASELINE: "subtracted as the baseline",
    Role.SCALE: "divided by as the scale",
    Role.FILTER: "decides which samples are kept",
}


@dataclass(frozen=True, slots=True)
class _LayoutLabel:
    groups: str
    of_each: str


_LAYOUT_LABELS = {
    Layout.CONSTANT_SIZE: _LayoutLabel("grouped by position", "of each group"),
    Layout.WHOLE_BATCH: _LayoutLabel("the whole batch made one group", "of the whole batch"),
    Layout.FIXED_STRIDE: _LayoutLabel("grouped by position", "of each group"),
    Layout.KEYED: _LayoutLabel("grouped by a key", "of each group"),
    Layout.BATCH: _LayoutLabel("all samples together", "of all of them"),
}


@dataclass(frozen=True, slots=True, eq=False)
class Normalising:
    """In `node`, `values` are centred on or divided by a statistic of these groupings."""

    node: ast.AST
    role: Role
    values: Value
    statistic: Value
    groupings: tuple[Grouping, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One step on the way from rewards to advantages: the node that takes it, and in words what it does there."""

    node: Placed
    label: str


class Declarations(Protocol):
    """What the project's classes declare: asked for only where an answer decides about a finding."""

    def may_be_none(self, annotation: ast.expr, is_sequence: bool, reads: Set[str], attribute: str) -> bool:
        """Whether a value, or the elements of a sequence, so annotated and read so may have None for an attribute."""

    def has_attribute(self, annotation: ast.expr, is_sequence: bool, reads: Set[str], attribute: str) -> bool:
        """Whether such a value, or such elements, are certain to declare an attribute."""


@dataclass(frozen=True, slots=True, eq=False)
class ModuleFacts:
    """What all functions of a module share."""

    source: Source
    tree: ast.Module
    aliases: Aliases
    vocabulary: Vocabulary
    functions: Mapping[str, Function]
    methods: Mapping[str, Mapping[str, Function]]
    constants: Constants
    declarations: Declarations | None = None
    find_helper: Callable[[ast.expr], Helper | None] = lambda _: None


@dataclass(frozen=True, slots=True, eq=False)
class FunctionFacts:
    """What is known of one function, or of the module's own statements.

    `values` holds the last value of every expression that was evaluated; `loads` the definitions that may reach a name;
    `foreign_calls` the calls of helpers of other modules that were followed.
    """

    module: ModuleFacts
    function: Function | ast.Module
    normalisings: tuple[Normalising, ...]
    values: Mapping[ast.expr, Value]
    loads: Mapping[ast.Name, frozenset[Definition]]
    definitions: tuple[Definition, ...]
    foreign_calls: frozenset[ast.AST] = frozenset()

    def value(self, node: ast.expr) -> Value:
        """What an expression is."""
        return self.values.get(node, UNKNOWN)

    def groups_of_constant_size(self) -> Iterator[Grouping]:
        """The reshapes to a constant group size whose statistic becomes a baseline or a scale for the same rewards."""
        return self._normalised(Layout.CONSTANT_SIZE)

    def rows_of_the_batch(self) -> Iterator[Grouping]:
        """The rows of a whole vector of rewards that are centred or scaled along the row."""
        return self._normalised(Layout.WHOLE_BATCH)

    def blocks_of_samples(self) -> Iterator[Grouping]:
        """The groups by position that are no reshape, whose statistic becomes a baseline, a scale or a filter."""
        return self._normalised(Layout.FIXED_STRIDE)

    def groups_by_key(self) -> Iterator[Grouping]:
        """The groups of samples that share a key, whose statistic becomes a baseline, a scale or a filter."""
        return self._normalised(Layout.KEYED)

    def _normalised(self, layout: Layout) -> Iterator[Grouping]:
        seen: set[ast.expr] = set()
        for grouping in (found for normalising in self.normalisings for found in normalising.groupings):
            if grouping.layout is layout and grouping.node not in seen:
                seen.add(grouping.node)
                yield grouping

    def evidence(self, grouping: Grouping) -> tuple[Step, ...]:
        """The steps from rewards to advantages through a grouping, in the order of the data."""
        layout = _LAYOUT_LABELS[grouping.layout]
        steps: list[tuple[ast.AST, str]] = [
            *((vector.origin, "the rewards come from here") for vector in vectors(grouping.of)),
            (grouping.node, layout.groups),
        ]
        for normalising in self.uses(grouping):
            statistics = [each for each in walk(normalising.statistic) if isinstance(each, Statistic)]
            steps += [(each.node, f"{each.kind.value} {layout.of_each}") for each in statistics]
            steps.append((normalising.node, _ROLE_LABELS[normalising.role]))
        last: dict[int, Step] = {}
        for node, label in steps:
            known = last.get(id(node))
            if isinstance(node, Placed) and (known is None or known.label != _ROLE_LABELS[Role.BASELINE]):
                last[id(node)] = Step(node, label)
        return tuple(last.values())

    def uses(self, grouping: Grouping) -> Iterator[Normalising]:
        """Where a statistic of a grouping becomes a baseline, a scale or a filter."""
        for normalising in self.normalisings:
            if any(found.node is grouping.node for found in normalising.groupings):
                yield normalising

    def is_baseline(self, grouping: Grouping) -> bool:
        """Whether a statistic of a grouping is subtracted from the rewards, rather than only dividing them."""
        return any(normalising.role is Role.BASELINE for normalising in self.uses(grouping))

    def has_sized_sibling(self, grouping: Grouping) -> bool:
        """Whether the same rewards are also grouped by a constant size: then a row beside it is the fallback."""
        return any(
            found.layout is Layout.CONSTANT_SIZE and share_origin(found, grouping)
            for normalising in self.normalisings
            for found in normalising.groupings
        )

    def unguarded_spreads(self) -> Iterator[ExposedSpread]:
        """The sample deviations of groups that may have one sample, where nothing tests that."""
        from grpo_lint.flow.exposed import unguarded_spreads

        return unguarded_spreads(self)

    def unset_keys(self) -> Iterator[UnsetKey]:
        """The groups by an identity that may be None, where nothing looks whether it is."""
        from grpo_lint.flow.unset_keys import unset_keys

        return unset_keys(self)

    def lone_baselines(self) -> Iterator[LoneBaseline]:
        """The places where the raw reward of a group of one sample passes for an advantage."""
        from grpo_lint.flow.lone_samples import lone_baselines

        return lone_baselines(self)

    def axis_mismatches(self) -> Iterator[Mismatch]:
        """The repetitions of prompts that do not go with how the rewards of their samples are grouped."""
        from grpo_lint.flow.expansions import mismatches

        return mismatches(self)

    def batch_baselines(self) -> Iterator[Normalising]:
        """Where rewards are centred on the mean of the whole batch, though their groups are at hand."""
        from grpo_lint.flow.batch_baselines import batch_baselines

        return batch_baselines(self)

    def overcounts(self) -> Iterator[Overcount]:
        """The groups by an identity in which each sample counts, though samples may share an attempt."""
        from grpo_lint.flow.attempts import overcounts

        return overcounts(self)

    def drops_tail(self, grouping: Grouping) -> bool:
        """Whether blocks are counted by a floor division by their size, so that the last samples may be in none."""
        size = ast.unparse(grouping.size) if grouping.size else ""
        for loop in walk_nodes(self.function):
            if isinstance(loop, _LOOPS) and loop.lineno <= grouping.node.lineno <= (loop.end_lineno or 0):
                parts = [part for iterated in _iterated(loop) for part in walk_nodes(iterated)]
                divisions = [
                    part for part in parts if isinstance(part, ast.BinOp) and isinstance(part.op, ast.FloorDiv)
                ]
                if any(ast.unparse(division.right) == size for division in divisions):
                    return True
        return False

    def nodes_around(self, node: ast.AST) -> list[ast.AST]:
        """The nodes of the function that have to do with one: those of functions inside it only if in its view."""
        return nodes_in_view(self.function, node)

    def function_of(self, node: ast.AST) -> ast.AST:
        """The function in which a node stands, this one or one inside it; this one if it stands in a helper."""
        return innermost_function(self.function, node)

    def owns(self, node: ast.AST) -> bool:
        """Whether a node stands in this function's own text, rather than in a helper that it calls.

        A module's own statements own nothing: what stands in a function below one of them is that function's.
        """
        if isinstance(self.function, ast.Module):
            return False
        return self.function.lineno <= getattr(node, "lineno", 0) <= (self.function.end_lineno or 0)

    def is_in_two_files(self, grouping: Grouping) -> bool:
        """Whether a step of the normalisation stands in another module."""
        steps: list[ast.AST] = [grouping.node]
        for use in self.uses(grouping):
            steps += [use.node, *(each.node for each in walk(use.statistic) if isinstance(each, Statistic))]
        return not self.foreign_calls.isdisjoint(steps)

    def is_flat(self, grouping: Grouping) -> bool:
        """Whether the grouped rewards are known to have one axis."""
        return all(vector.rank == 1 for vector in vectors(grouping.of))

    def is_about_prompts(self, grouping: Grouping) -> bool:
        """Whether the module speaks of prompts at all, or the rewards were read off samples."""
        read_off = any(
            vector.samples is not None and vector.samples.attributes and vector.is_strong
            for vector in vectors(grouping.of)
        )
        return self.module.vocabulary.is_about_prompts or read_off

    def is_named_flat(self, grouping: Grouping) -> bool:
        """Whether the values are called rewards, plainly, which are one for each sample in code about prompts."""
        return all(is_for_each_sample(vector.name) for vector in vectors(grouping.of))

    def is_one_group(self, grouping: Grouping) -> bool:
        """Whether the rewards are one prompt's own already: by their names, a loop over prompts, a parameter."""
        if any(_ONE_GROUP.intersection(tokens(name)) for vector in vectors(grouping.of) for name in _names(vector)):
            return True
        return any(_is_one_prompt(tokens(name)) for name in self._names_around(grouping.node))

    def _names_around(self, node: ast.expr) -> Iterator[str]:
        """The parameters of the function and of those in it, and the variables of loops, that are around a node."""
        for around in walk_nodes(self.function):
            if around is not self.function and not (isinstance(around, _SCOPES) and _spans(around, node)):
                continue
            if isinstance(around, Function):
                yield from (argument.arg for argument in (*around.args.args, *around.args.kwonlyargs))
            targets = [part for target in _targets(around) for part in walk_nodes(target)]
            yield from (target.id for target in targets if isinstance(target, ast.Name))


def _spans(around: Placed, node: Placed) -> bool:
    return around.lineno <= node.lineno <= (around.end_lineno or 0)


def _is_one_prompt(words: tuple[str, ...]) -> bool:
    """`prompt` and `prompt_id`, but not `prompt_ids`, `prompt_index` or `samples_per_prompt`, which speak of many."""
    is_named = len(words) == 1 or (len(words) == 2 and words[1] in ("id", "key", "uid"))
    return is_named and words[0] in _ONE_PROMPT


def _targets(loop: ast.AST) -> Iterator[ast.expr]:
    match loop:
        case ast.For(target=target) | ast.AsyncFor(target=target):
            yield target
        case ast.ListComp(generators=generators) | ast.DictComp(generators=generators):
            yield from (generator.target for generator in generators)
        case ast.GeneratorExp(generators=generators) | ast.SetComp(generators=generators):
            yield from (generator.target for generator in generators)


def _iterated(loop: ast.AST) -> Iterator[ast.expr]:
    match loop:
        case ast.For(iter=iterated) | ast.AsyncFor(iter=iterated):
            yield iterated
        case ast.ListComp(generators=generators) | ast.DictComp(generators=generators):
            yield from (generator.iter for generator in generators)
        case ast.GeneratorExp(generators=generators) | ast.SetComp(generators=generators):
            yield from (generator.iter for generator in generators)


def _names(vector: Vector) -> Iterator[str]:
    """What a vector, and the sequence that it was read from, are called."""
    yield vector.name
    for node in walk_nodes(vector.samples.sequence if vector.samples else vector.origin):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
                yield name
