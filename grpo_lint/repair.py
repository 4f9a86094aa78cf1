"""Repairs a file: fixes of independent functions together, the others one after another; each text is verified."""

from __future__ import annotations

import ast
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from grpo_lint import edits, verify
from grpo_lint.analysis import Analysis, find
from grpo_lint.config import UNUSED_SUPPRESSION
from grpo_lint.depth import TooDeep
from grpo_lint.fingerprint import Likeness, likeness
from grpo_lint.fixes.assembly import assemble
from grpo_lint.fixes.lift import Lift
from grpo_lint.flow.nodes import walk_nodes
from grpo_lint.model import Finding, Fix, Safety
from grpo_lint.outcome import Fault, FileResult
from grpo_lint.project import Cache, Project
from grpo_lint.proposals import Proposal, findings_of, normalisation_of, propose
from grpo_lint.rules import FUNCTION_CODES
from grpo_lint.source import Source

if TYPE_CHECKING:
    from grpo_lint.config import Config

_APART = frozenset({*FUNCTION_CODES, UNUSED_SUPPRESSION})  # their fixes, if no lifts, import nothing


@dataclass(frozen=True, slots=True, eq=False)
class Draft:
    """A text on the way to the repaired one: its findings, and what is proposed for them, in the same order."""

    source: Source
    analysis: Analysis
    proposals: Iterable[Proposal]


@dataclass(frozen=True, slots=True)
class Terms:
    """What holds for all fixes of a file. Findings like an `accepted` one are left alone."""

    config: Config
    unsafe_fixes: bool
    cache: Callable[[], Cache]
    accepted: frozenset[Likeness] = frozenset()

    def draft(self, source: Source, analysis: Analysis) -> Draft:
        """A draft whose proposals are made one by one, as they are asked for, and once."""
        return Draft(source, analysis, propose(analysis.items, source, self.config, self.cache))

    def is_wanted(self, proposal: Proposal, source: Source) -> bool:
        """Whether the fix that is proposed for a finding of a text may be applied."""
        if not proposal.finding.is_repairable(self.unsafe_fixes):
            return False
        return not self.accepted or likeness(proposal.finding, source) not in self.accepted


@dataclass(frozen=True, slots=True)
class _Step:
    """Fixes applied: the text and findings after them, and the findings that they repaired."""

    draft: Draft
    repaired: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class _Repair:
    text: str
    left: tuple[Finding, ...]
    fixed: tuple[Finding, ...]


def repair(draft: Draft, data: bytes, terms: Terms, is_written: bool) -> FileResult:
    """Apply the fixes that may be applied, and write the file or make a diff of it."""
    source, notes = draft.source, draft.analysis.warnings
    if source.encode(source.text) != data:
        findings = _without_fixes(findings_of(draft.proposals), "the file's encoding does not survive")
        return FileResult(source.path, findings, warnings=notes, text=source.text)
    done = _fix_all(draft, terms)
    notices = (*notes, *_missing_module(source.path, done.fixed, terms.config))
    text = done.text if done.left else ""
    result = FileResult(source.path, done.left, done.fixed, warnings=notices, text=text)
    if not is_written:
        diff = edits.unified_diff(_shown(source.path), source.text, done.text)
        return result._replace(diff=diff, repaired=source.encode(done.text) if diff else b"")
    if done.text == source.text:
        return result
    if reason := _reason_not_written(Path(source.path), data, source.encode(done.text)):
        findings = findings_of(draft.proposals)
        return FileResult(source.path, findings, fault=Fault(reason), warnings=notes, text=source.text)
    terms.cache().forget(Path(source.path).absolute())
    return result


def _reason_not_written(path: Path, before: bytes, after: bytes) -> str | None:
    """Write the repaired file. Why that was not possible, if so."""
    try:
        if path.read_bytes() != before:
            return "not repaired: it was changed in the meantime"
        edits.write(path, after)
    except OSError as error:
        return f"cannot be written: {error.strerror or error}"
    return None


def _missing_module(path: str, fixed: tuple[Finding, ...], config: Config) -> Iterator[str]:
    """A warning where repaired code imports from a configured module that the project does not have."""
    module = config.reference_module
    if module is None or all(finding.fix is None or finding.fix.reference_module != module for finding in fixed):
        return
    if Project.for_file(Path(path)).resolve_module(module) is None:
        yield f"the repaired code imports from `{module}` (`reference-module`), which is not found in the project"


def _shown(path: str) -> str:
    """A path relative to the current folder where it lies below it, for the headers of a patch."""
    try:
        return str(Path(path).absolute().relative_to(Path.cwd()))
    except ValueError:
        return path


def _fix_all(draft: Draft, terms: Terms) -> _Repair:
    """Apply fixes until there is none that may be."""
    fixed: list[Finding] = []
    while isinstance(step := _step_apart(draft, terms) or _step_together(draft, terms), _Step):
        draft = replace(step.draft, proposals=tuple(step.draft.proposals))
        fixed += step.repaired
    while isinstance(single := _next_step(draft, terms), _Step):
        draft = single.draft
        fixed += single.repaired
    if not draft.analysis.items:
        return _Repair(draft.source.text, (), tuple(fixed))
    left = findings_of(propose(draft.analysis.items, draft.source, terms.config, terms.cache))
    return _Repair(draft.source.text, tuple(_withhold(finding, single) for finding in left), tuple(fixed))


def _step_apart(draft: Draft, terms: Terms) -> _Step | None:
    """The fixes of comments, and those that put a guard, applied at once; None where that does not hold."""
    apart = [each for each in draft.proposals if each.lift is None and each.finding.code in _APART]
    repaired = [each.finding for each in apart if terms.is_wanted(each, draft.source)]
    made = tuple(edit for finding in repaired if finding.fix is not None for edit in finding.fix.edits)
    if len(repaired) < 2:
        return None
    step = _attempt(draft, Fix(Safety.SAFE, "apart", made), repaired, terms)
    return step if isinstance(step, _Step) else None


def _step_together(draft: Draft, terms: Terms) -> _Step | None:
    """The fixes of functions that have nothing to do with each other, applied at once; None where that does not hold.

    They are the same as if they were made one after another, and verified once.
    """
    together = tuple(_independent(draft, terms))
    if len(together) < 2:
        return None
    fixes = {proposal.finding.fix for proposal in together}
    repaired = tuple(proposal.finding for proposal in draft.proposals if proposal.finding.fix in fixes)
    lifts = [proposal.lift for proposal in together if proposal.lift is not None]
    try:
        fix = assemble(lifts)
    except SyntaxError:  # of what they come to together
        return None
    step = _attempt(draft, fix, repaired, terms)
    return step if isinstance(step, _Step) else None


def _independent(draft: Draft, terms: Terms) -> Iterator[Proposal]:
    """One wanted fix of each function that neither names another of these functions nor is named by one."""
    chosen: list[Lift] = []
    functions: set[str] = set()
    names: set[str] = set()
    for proposal in draft.proposals:
        lift = proposal.lift
        if lift is None or any(each.facts is lift.facts for each in chosen):
            continue
        if not terms.is_wanted(proposal, draft.source):
            continue
        function, named = _function(lift), _names(lift)
        is_apart = function not in names and named.isdisjoint(functions)
        if is_apart and all(each.origin == lift.origin for each in chosen[:1]):
            chosen.append(lift)
            functions.add(function)
            names |= named
            yield proposal


def _function(lift: Lift) -> str:
    return getattr(lift.facts.function, "name", "")


def _names(lift: Lift) -> set[str]:
    """All names and attributes in a function."""
    nodes = walk_nodes(lift.facts.function)
    return {node.id for node in nodes if isinstance(node, ast.Name)} | {
        node.attr for node in nodes if isinstance(node, ast.Attribute)
    }


def _next_step(draft: Draft, terms: Terms) -> _Step | dict[Fix, str]:
    """The first fix that holds, applied; where there is none, the fixes that did not hold, each with the reason."""
    withheld: dict[Fix, str] = {}
    for found, proposal in zip(draft.analysis.items, draft.proposals, strict=True):
        fix = proposal.finding.fix
        if fix is None or fix in withheld or not terms.is_wanted(proposal, draft.source):
            continue
        key = normalisation_of(found)
        sharing = [each.finding for each in draft.analysis.items if normalisation_of(each) == key]
        step = _attempt(draft, fix, [replace(finding, fix=fix) for finding in sharing], terms)
        if isinstance(step, _Step):
            return step
        withheld[fix] = step
    return withheld


def _withhold(finding: Finding, withheld: dict[Fix, str]) -> Finding:
    if finding.fix is None or finding.fix not in withheld:
        return finding
    return replace(finding, fix=None, fix_reason=f"the fix is withheld: {withheld[finding.fix]}")


def _attempt(draft: Draft, fix: Fix, repaired: Sequence[Finding], terms: Terms) -> _Step | str:
    """The text after a fix, or why the fix must not be applied.

    Every step leaves fewer findings of code, or as many and fewer of comments, so the steps end: the repair of code may
    leave a comment without use.
    """
    source = draft.source
    try:
        text = edits.apply(source, fix.edits)
        _require_compilable(text)
        after = Source.from_text(source.path, text, source.encoding, source.has_bom)
        left = find(after, terms.config, terms.cache)
        verify.require_readable(source, after)
    except (SyntaxError, ValueError, TooDeep) as error:
        return f"its text does not parse ({error})"
    expected = Counter(each.finding.code for each in draft.analysis.items)
    expected.subtract(finding.code for finding in repaired)
    is_about_code = any(finding.code != UNUSED_SUPPRESSION for finding in repaired)
    come_up = Counter(each.finding.code for each in left.items) - expected
    if set(come_up) - ({UNUSED_SUPPRESSION} if is_about_code else set()):
        return "findings would remain or come up after it"
    return _Step(terms.draft(after, left), tuple(repaired))


def _require_compilable(text: str) -> None:
    """Raise SyntaxError for what the parser takes and the compiler does not: a `yield` where none may be."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compile(text, "repaired", "exec", dont_inherit=True)


def _without_fixes(findings: Iterable[Finding], reason: str) -> tuple[Finding, ...]:
    return tuple(replace(finding, fix=None, fix_reason=reason) if finding.fix else finding for finding in findings)
