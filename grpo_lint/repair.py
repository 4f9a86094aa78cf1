"""Repairs a file: one fix after another, each verified before the next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from grpo_lint import edits, verify
from grpo_lint.analysis import Analysis, find
from grpo_lint.depth import TooDeep
from grpo_lint.model import Finding, Fix
from grpo_lint.outcome import Fault, FileResult
from grpo_lint.project import Project
from grpo_lint.proposals import Checked, normalisation_of, order, with_fix, with_fixes
from grpo_lint.source import Source

if TYPE_CHECKING:
    from grpo_lint.config import Config


@dataclass(frozen=True, slots=True)
class _Step:
    """One fix applied: the text and findings after it, and the findings that it repaired."""

    source: Source
    found: Analysis
    repaired: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class _Repair:
    text: str
    left: tuple[Finding, ...]
    fixed: tuple[Finding, ...]


def repair(
    source: Source, data: bytes, checked: Checked, config: Config, unsafe_fixes: bool, is_written: bool
) -> FileResult:
    """Apply the fixes that may be applied, and write the file or make a diff of it."""
    if source.encode(source.text) != data:
        findings = _without_fixes(checked.findings, "the file's encoding does not survive")
        return FileResult(source.path, findings, warnings=checked.warnings, text=source.text)
    done = _fix_all(source, config, unsafe_fixes)
    notices = (*checked.warnings, *_missing_module(source.path, done.fixed, config))
    text = done.text if done.left else ""
    result = FileResult(source.path, done.left, done.fixed, warnings=notices, text=text)
    if not is_written:
        return result._replace(diff=edits.unified_diff(_shown(source.path), source.text, done.text))
    if done.text == source.text:
        return result
    try:
        edits.write(Path(source.path), source.encode(done.text))
    except OSError as error:
        fault = Fault(f"cannot be written: {error.strerror or error}")
        return FileResult(source.path, checked.findings, fault=fault, warnings=checked.warnings, text=source.text)
    return result


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


def _fix_all(source: Source, config: Config, unsafe_fixes: bool) -> _Repair:
    """Apply one fix after another, each verified, until there is none that may be."""
    fixed: list[Finding] = []
    found = find(source, config)
    while True:
        step = _next_step(source, found, config, unsafe_fixes)
        if isinstance(step, dict):
            left = (_withhold(finding, step) for finding in with_fixes(found.items, source, config))
            return _Repair(source.text, tuple(sorted(left, key=order)), tuple(fixed))
        fixed += step.repaired
        source, found = step.source, step.found


def _next_step(source: Source, found: Analysis, config: Config, unsafe_fixes: bool) -> _Step | dict[Fix, str]:
    """The first fix that holds, applied; where there is none, the fixes that did not hold, each with the reason."""
    withheld: dict[Fix, str] = {}
    for each in found.items:
        finding = with_fix(each, source, config)
        if finding.fix is None or finding.fix in withheld or not finding.is_repairable(unsafe_fixes):
            continue
        key = normalisation_of(each)
        sharing = [replace(other.finding, fix=finding.fix) for other in found.items if normalisation_of(other) == key]
        step = _attempt(source, found, finding.fix, tuple(sharing), config)
        if isinstance(step, _Step):
            return step
        withheld[finding.fix] = step
    return withheld


def _withhold(finding: Finding, withheld: dict[Fix, str]) -> Finding:
    if finding.fix is None or finding.fix not in withheld:
        return finding
    return replace(finding, fix=None, fix_reason=f"the fix is withheld: {withheld[finding.fix]}")


def _attempt(source: Source, found: Analysis, fix: Fix, repaired: tuple[Finding, ...], config: Config) -> _Step | str:
    """The text after a fix, or why the fix must not be applied: every step leaves fewer findings, so the steps end."""
    try:
        text = edits.apply(source, fix.edits)
        after = Source.from_text(source.path, text, source.encoding, source.has_bom)
        left = find(after, config)
        verify.require_readable(source, after)
    except (SyntaxError, ValueError, TooDeep) as error:
        return f"its text does not parse ({error})"
    expected = Counter(each.finding.code for each in found.items)
    expected.subtract(finding.code for finding in repaired)
    if Counter(each.finding.code for each in left.items) - expected:
        return "findings would remain or come up after it"
    return _Step(after, left, repaired)


def _without_fixes(findings: Iterable[Finding], reason: str) -> tuple[Finding, ...]:
    return tuple(replace(finding, fix=None, fix_reason=reason) if finding.fix else finding for finding in findings)
