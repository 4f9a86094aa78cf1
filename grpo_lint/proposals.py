"""From what was found to findings with their fixes, or with the reason why there is none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from grpo_lint.analysis import Found, find
from grpo_lint.flow.traversal import vectors
from grpo_lint.model import Finding, Fix, Range

if TYPE_CHECKING:
    from grpo_lint.config import Config
    from grpo_lint.source import Source


@dataclass(frozen=True, slots=True)
class Checked:
    """One reading of a text: its findings, and what to say besides."""

    findings: tuple[Finding, ...]
    warnings: tuple[str, ...] = ()


def check_text(source: Source, config: Config) -> Checked:
    """The findings of a text, each with its fix or the reason why there is none."""
    found = find(source, config)
    findings = with_fixes(found.items, source, config)
    return Checked(tuple(sorted(findings, key=order)), found.warnings)


def order(finding: Finding) -> tuple[object, ...]:
    """A key that sorts findings as they are reported."""
    return (finding.range, finding.code, finding.message)


def with_fixes(items: Iterable[Found], source: Source, config: Config) -> Iterator[Finding]:
    """The findings with their fixes; those of one normalisation share one, which is computed once."""
    known: dict[object, Finding] = {}
    for found in items:
        key = normalisation_of(found)
        first = known.setdefault(key, with_fix(found, source, config)) if key not in known else known[key]
        yield replace(found.finding, fix=first.fix, fix_reason=first.fix_reason)


def normalisation_of(found: Found) -> object:
    """What findings of one normalisation have in common: the function, and where its rewards come from."""
    if found.grouping is None or not found.is_fixable:
        return found.finding
    return id(found.facts), frozenset(id(vector.origin) for vector in vectors(found.grouping.of))


def with_fix(found: Found, source: Source, config: Config) -> Finding:
    """The finding with its fix, or with the reason why it has none."""
    if not found.is_fixable or found.grouping is None:
        return replace(found.finding, fix_reason="this rule has no fix")
    from grpo_lint.fixes.identity import Wishes
    from grpo_lint.fixes.lift import Context, propose
    from grpo_lint.fixes.normalisation import Refusal
    from grpo_lint.line_length import formatter_line_length
    from grpo_lint.project import Project

    path = Path(source.path)
    length = config.line_length or formatter_line_length(path.absolute().parent)
    wishes = Wishes(config.group_index, config.rollout_ids)
    context = Context(source, Project.for_file(path), length, config.reference_module, wishes)
    try:
        fix = propose(found.facts, found.grouping, context)
        if (kept := _touched(fix, found.answered)) is not None:
            raise Refusal(f"line {kept.start.row} is part of it, and is suppressed")
        return replace(found.finding, fix=fix)
    except Refusal as refusal:
        return replace(found.finding, fix_reason=str(refusal))
    except SyntaxError:  # of the call to be written: the file itself was parsed before
        return replace(found.finding, fix_reason="the call that would replace it cannot be laid out")


def _touched(fix: Fix, places: tuple[Range, ...]) -> Range | None:
    """The first of the places that an edit of the fix would change."""
    for place in places:
        if any(edit.range.start < place.end and place.start < edit.range.end for edit in fix.edits):
            return place
    return None
