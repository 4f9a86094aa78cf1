"""From what was found to findings with their fixes, or with the reason why there is none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from grpo_lint.analysis import Found, Kept
from grpo_lint.flow.traversal import vectors
from grpo_lint.flow.values import Layout
from grpo_lint.model import Finding, Fix

if TYPE_CHECKING:
    import ast

    from grpo_lint.config import Config
    from grpo_lint.fixes.context import Context
    from grpo_lint.fixes.lift import Lift
    from grpo_lint.project import Cache
    from grpo_lint.rules._rule import Repair
    from grpo_lint.source import Source

_NO_LAYOUT = "the call that would replace it cannot be laid out"


@dataclass(frozen=True, slots=True, eq=False)
class Proposal:
    """A finding with its fix or the reason for none; `lift` is what the fix was made of."""

    finding: Finding
    lift: Lift | None = None


def findings_of(proposals: Iterable[Proposal]) -> tuple[Finding, ...]:
    """The findings of proposals, in the order in which they are reported."""
    return tuple(sorted((proposal.finding for proposal in proposals), key=_order))


def _order(finding: Finding) -> tuple[object, ...]:
    return (finding.range, finding.code, finding.message)


def propose(items: Iterable[Found], source: Source, config: Config, cache: Callable[[], Cache]) -> Iterator[Proposal]:
    """A proposal for each finding; those of one normalisation share one fix, which is computed once."""
    context: Context | None = None
    known: dict[object, Proposal] = {}
    for found in items:
        key = normalisation_of(found)
        if key not in known and _is_in_two_files(found):
            known[key] = Proposal(replace(found.finding, fix_reason="a part of the normalisation is in another module"))
        elif key not in known and found.repair is not None:
            known[key] = _repaired(found, found.repair, cache())
        elif key not in known and found.facts is not None and _may_have_fix(found):
            context = context or _context(source, found.facts.module.tree, config, cache)
            known[key] = _with_fix(found, context)
        elif key not in known:
            known[key] = Proposal(_with_reason(found.finding))
        first = known[key]
        finding = replace(found.finding, fix=first.finding.fix, fix_reason=first.finding.fix_reason)
        yield Proposal(finding, first.lift)


def _is_in_two_files(found: Found) -> bool:
    return found.facts is not None and found.grouping is not None and found.facts.is_in_two_files(found.grouping)


def _may_have_fix(found: Found) -> bool:
    return found.is_fixable and found.grouping is not None


def _with_reason(finding: Finding) -> Finding:
    """A finding that no repair is proposed for: one about a comment has its fix, or its reason, already."""
    return finding if finding.fix or finding.fix_reason else replace(finding, fix_reason="this rule has no fix")


def _repaired(found: Found, repair: Repair, cache: Cache) -> Proposal:
    from grpo_lint.fixes.normalisation import Refusal

    try:
        return Proposal(replace(found.finding, fix=_sparing(repair(cache), found.kept)))
    except Refusal as refusal:
        reason = str(refusal)
    except SyntaxError:
        reason = _NO_LAYOUT
    return Proposal(replace(found.finding, fix_reason=reason))


def normalisation_of(found: Found) -> object:
    """What findings of one normalisation have in common: the function, and where its rewards come from."""
    if found.grouping is None or not found.is_fixable:
        return found.finding
    return id(found.facts), frozenset(id(vector.origin) for vector in vectors(found.grouping.of))


def _context(source: Source, tree: ast.Module, config: Config, cache: Callable[[], Cache]) -> Context:
    from grpo_lint.fixes.context import Context
    from grpo_lint.fixes.identity import Wishes
    from grpo_lint.fixes.reads import Reads
    from grpo_lint.line_length import formatter_line_length
    from grpo_lint.project import Project

    path = Path(source.path)
    length = config.line_length or formatter_line_length(path.absolute().parent)
    wishes = Wishes(config.group_index, config.rollout_ids)
    project = Project.for_file(path, cache())
    return Context(source, Reads.of(tree), project, length, config.reference_module, wishes)


def _with_fix(found: Found, context: Context) -> Proposal:
    from grpo_lint.fixes.assembly import assemble
    from grpo_lint.fixes.blocks import lift_blocks
    from grpo_lint.fixes.lift import lift
    from grpo_lint.fixes.normalisation import Refusal

    assert found.grouping is not None and found.facts is not None
    try:
        is_in_blocks = found.grouping.layout is Layout.FIXED_STRIDE
        lifted = (lift_blocks if is_in_blocks else lift)(found.facts, found.grouping, context)
        return Proposal(replace(found.finding, fix=_sparing(assemble([lifted]), found.kept)), lifted)
    except Refusal as refusal:
        reason = str(refusal)
    except SyntaxError:  # of the call to be written: the file itself was parsed before
        reason = _NO_LAYOUT
    return Proposal(replace(found.finding, fix_reason=reason))


def _sparing(fix: Fix, kept: tuple[Kept, ...]) -> Fix:
    """A fix whose edits change none of the places to keep. Raises Refusal."""
    from grpo_lint.fixes.normalisation import Refusal

    if (touched := _touched(fix, kept)) is not None:
        raise Refusal(f"line {touched.range.start.row} is part of it, and is {touched.reason}")
    return fix


def _touched(fix: Fix, kept: tuple[Kept, ...]) -> Kept | None:
    """The first of the places to keep that an edit of the fix would change."""
    for each in kept:
        if any(edit.range.start < each.range.end and each.range.start < edit.range.end for edit in fix.edits):
            return each
    return None
