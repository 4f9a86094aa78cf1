"""Checks one file, and repairs it: the only place where exceptions become results."""

from __future__ import annotations

import ast
import gc
import sys
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

from grpo_lint.gate import passes
from grpo_lint.model import Fault, FileResult, Finding, Fix, Mark, Position, Range, Safety
from grpo_lint.rules import load
from grpo_lint.source import Source
from grpo_lint.suppress import read_suppressions

if TYPE_CHECKING:
    from grpo_lint.config import Config
    from grpo_lint.flow.facts import FunctionFacts
    from grpo_lint.flow.values import Grouping
    from grpo_lint.rules._rule import Check, Report, Rule

MAX_DEPTH = 500
_RECURSION_LIMIT = 10_000


class Mode(Enum):
    """What to do with a file that has findings."""

    CHECK = "check"
    FIX = "fix"
    DIFF = "diff"


@dataclass(frozen=True, slots=True)
class Checked:
    """One reading of a text: its findings, and what to say besides."""

    findings: tuple[Finding, ...]
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Found:
    """A finding, and what a repair of it starts from."""

    finding: Finding
    is_fixable: bool
    grouping: Grouping | None
    facts: FunctionFacts
    answered: tuple[Range, ...]


@dataclass(frozen=True, slots=True)
class _FoundAll:
    items: tuple[_Found, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Step:
    """One fix applied: the text and findings after it, and the findings that it repaired."""

    source: Source
    found: _FoundAll
    repaired: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class _Repair:
    text: str
    left: tuple[Finding, ...]
    fixed: tuple[Finding, ...]


class TooDeep(Exception):
    """The code is nested deeper than can be analysed."""


def check_file(path: str, config: Config, mode: Mode, unsafe_fixes: bool) -> FileResult:
    """Check one file and, in the modes for that, repair it. Whatever goes wrong is in the result."""
    collects = gc.isenabled()
    gc.disable()  # syntax trees are many objects and no cycles
    try:
        data = Path(path).read_bytes()
        if not passes(data, [rule.gate for rule, _ in _selected(config)], config.reward_names):
            return FileResult(path)
        return _check_data(path, data, config, mode, unsafe_fixes)
    except SyntaxError as error:
        position = Position(error.lineno, max(error.offset or 1, 1)) if error.lineno else None
        return FileResult(path, fault=Fault(error.msg, position))
    except UnicodeDecodeError as error:
        return FileResult(path, fault=Fault(f"cannot be decoded as {error.encoding}: {error.reason}"))
    except ValueError as error:
        return FileResult(path, fault=Fault(f"cannot be parsed: {error}"))
    except TooDeep as error:
        return FileResult(path, fault=Fault(str(error)))
    except OSError as error:
        return FileResult(path, fault=Fault(error.strerror or str(error)))
    except (RecursionError, MemoryError):
        return FileResult(path, fault=Fault("nested too deeply to be analysed"))
    except Exception as error:
        return FileResult(path, fault=Fault(f"internal error: {type(error).__name__}: {error}"))
    finally:
        if collects:
            gc.enable()


def check_text(source: Source, config: Config) -> Checked:
    """The findings of a text, each with its fix or the reason why there is none."""
    found = _find(source, config)
    findings = _with_fixes(found.items, source, config)
    return Checked(tuple(sorted(findings, key=_order)), found.warnings)


def _find(source: Source, config: Config) -> _FoundAll:
    """The findings of a text that no comment answers for, without their fixes."""
    tree = parse(source.text)
    reports = sorted(_reports(source, tree, config), key=lambda each: (*_place(each[1].node), each[0].code))
    suppressions = read_suppressions(source.text) if reports else None
    items, hints = [], []
    bare = [_bare_finding(rule, report, source) for rule, report, _ in reports]
    answered = tuple(finding.range for finding in bare if suppressions and suppressions.covers(finding))
    for finding, (rule, report, facts) in zip(bare, reports, strict=True):
        if suppressions is None or suppressions.covers(finding):
            continue
        hints += [hint] if (hint := suppressions.hint(finding)) else []
        items.append(_Found(finding, rule.fixable, report.grouping, facts, answered))
    return _FoundAll(tuple(items), tuple(hints[:1]))


def _bare_finding(rule: Rule, report: Report, source: Source) -> Finding:
    marks = sorted(Mark(source.range(step.node), step.label) for step in report.evidence)
    return Finding(rule.code, rule.name, report.message, source.range(report.node), evidence=tuple(marks))


def _place(node: ast.expr) -> tuple[int, int]:
    return node.lineno, node.col_offset


def parse(text: str) -> ast.Module:
    """Parse a text. Raises SyntaxError in Python's words, ValueError for a NUL byte, TooDeep."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(text)
    _require_shallow(tree)
    # Only now: a higher limit while parsing would let Python's own parser overflow the C stack.
    sys.setrecursionlimit(max(sys.getrecursionlimit(), _RECURSION_LIMIT))
    return tree


def _require_shallow(tree: ast.Module) -> None:
    """Raise TooDeep for a tree that recursion might not survive: counted iteratively, and only where it can be deep."""
    pending: list[tuple[ast.AST, int, int]] = [(tree, 0, 1)]
    while pending:
        node, depth, line = pending.pop()
        if depth > MAX_DEPTH:
            raise TooDeep(f"nested more than {MAX_DEPTH} levels deep near line {line}, which is not analysed")
        line = getattr(node, "lineno", line)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr) and _is_short(child):
                continue
            is_elif = isinstance(node, ast.If) and node.orelse == [child] and isinstance(child, ast.If)
            pending.append((child, depth + (not is_elif), line))


def _is_short(node: ast.expr) -> bool:
    """Whether an expression has too few characters for many levels: each level takes one at least."""
    return node.end_lineno == node.lineno and (node.end_col_offset or 0) - node.col_offset < MAX_DEPTH // 2


def _selected(config: Config) -> list[tuple[Rule, Check]]:
    return [(rule, check) for rule, check in load() if config.is_selected(rule.code, rule.preview)]


def _reports(source: Source, tree: ast.Module, config: Config) -> Iterator[tuple[Rule, Report, FunctionFacts]]:
    """What the rules report, each place once: from the function that the place stands in, if that one reports it."""
    from grpo_lint.flow.module import analyse
    from grpo_lint.flow.vocabulary import Vocabulary

    best: dict[tuple[str, ast.expr], tuple[Rule, Report, FunctionFacts]] = {}
    for facts in analyse(source, tree, Vocabulary(config.reward_names, config.group_size_names)):
        for rule, check in _selected(config):
            for report in check(facts):
                key = (rule.code, report.node)
                if key not in best or (facts.owns(report.node) and not best[key][2].owns(report.node)):
                    best[key] = (rule, report, facts)
    yield from best.values()


def _with_fixes(items: Iterable[_Found], source: Source, config: Config) -> Iterator[Finding]:
    """The findings with their fixes; those of one normalisation share one, which is computed once."""
    known: dict[object, Finding] = {}
    for found in items:
        key = _normalisation_of(found)
        first = known.setdefault(key, _with_fix(found, source, config)) if key not in known else known[key]
        yield replace(found.finding, fix=first.fix, fix_reason=first.fix_reason)


def _normalisation_of(found: _Found) -> object:
    """What findings of one normalisation have in common: the function, and where its rewards come from."""
    from grpo_lint.flow.traversal import vectors

    if found.grouping is None or not found.is_fixable:
        return found.finding
    return id(found.facts), frozenset(id(vector.origin) for vector in vectors(found.grouping.of))


def _with_fix(found: _Found, source: Source, config: Config) -> Finding:
    if not found.is_fixable or found.grouping is None:
        return replace(found.finding, fix_reason="this rule has no fix")
    from grpo_lint.config import formatter_line_length
    from grpo_lint.fixes.lift import Context, propose
    from grpo_lint.fixes.normalisation import Refusal
    from grpo_lint.project import Project

    path = Path(source.path)
    length = config.line_length or formatter_line_length(path.absolute().parent)
    context = Context(source, Project.for_file(path), length, config.reference_module, config.rollout_ids)
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


def _check_data(path: str, data: bytes, config: Config, mode: Mode, unsafe_fixes: bool) -> FileResult:
    source = Source.decode(path, data)
    checked = check_text(source, config)
    text = source.text if checked.findings else ""
    result = FileResult(path, checked.findings, warnings=checked.warnings, text=text)
    if mode is Mode.CHECK or not any(_is_wanted(finding, unsafe_fixes) for finding in checked.findings):
        return result
    if source.encode(source.text) != data:
        return replace(result, findings=_without_fixes(checked.findings, "the file's encoding does not survive"))
    return _repaired(source, checked, config, mode, unsafe_fixes)


def _repaired(source: Source, checked: Checked, config: Config, mode: Mode, unsafe_fixes: bool) -> FileResult:
    from grpo_lint import edits

    repair = _fix_all(source, config, unsafe_fixes)
    notices = (*checked.warnings, *_missing_module(source.path, repair.fixed, config))
    text = repair.text if repair.left else ""
    result = FileResult(source.path, repair.left, repair.fixed, warnings=notices, text=text)
    if mode is Mode.DIFF:
        return replace(result, diff=edits.unified_diff(_shown(source.path), source.text, repair.text))
    if repair.text != source.text:
        edits.write(Path(source.path), source.encode(repair.text))
    return result


def _missing_module(path: str, fixed: tuple[Finding, ...], config: Config) -> Iterator[str]:
    """A warning where repaired code imports from a configured module that the project does not have."""
    from grpo_lint.project import Project

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
    found = _find(source, config)
    while True:
        step = _next_step(source, found, config, unsafe_fixes)
        if isinstance(step, dict):
            left = (_withhold(finding, step) for finding in _with_fixes(found.items, source, config))
            return _Repair(source.text, tuple(sorted(left, key=_order)), tuple(fixed))
        fixed += step.repaired
        source, found = step.source, step.found


def _next_step(source: Source, found: _FoundAll, config: Config, unsafe_fixes: bool) -> _Step | dict[Fix, str]:
    """The first fix that holds, applied; where there is none, the fixes that did not hold, each with the reason."""
    withheld: dict[Fix, str] = {}
    for each in found.items:
        finding = _with_fix(each, source, config)
        if finding.fix is None or finding.fix in withheld or not _is_wanted(finding, unsafe_fixes):
            continue
        key = _normalisation_of(each)
        sharing = [replace(other.finding, fix=finding.fix) for other in found.items if _normalisation_of(other) == key]
        step = _attempt(source, found, finding.fix, tuple(sharing), config)
        if isinstance(step, _Step):
            return step
        withheld[finding.fix] = step
    return withheld


def _withhold(finding: Finding, withheld: dict[Fix, str]) -> Finding:
    if finding.fix is None or finding.fix not in withheld:
        return finding
    return replace(finding, fix=None, fix_reason=f"the fix is withheld: {withheld[finding.fix]}")


def _attempt(source: Source, found: _FoundAll, fix: Fix, repaired: tuple[Finding, ...], config: Config) -> _Step | str:
    """The text after a fix, or why the fix must not be applied: every step leaves fewer findings, so the steps end."""
    from grpo_lint import edits, verify

    try:
        text = edits.apply(source, fix.edits)
        after = Source.from_text(source.path, text, source.encoding, source.has_bom)
        left = _find(after, config)
        verify.require_readable(source, after)
    except (SyntaxError, ValueError, TooDeep) as error:
        return f"its text does not parse ({error})"
    expected = Counter(each.finding.code for each in found.items)
    expected.subtract(finding.code for finding in repaired)
    if Counter(each.finding.code for each in left.items) - expected:
        return "findings would remain or come up after it"
    return _Step(after, left, repaired)


def _is_wanted(finding: Finding, unsafe_fixes: bool) -> bool:
    return finding.fix is not None and (finding.fix.safety is Safety.SAFE or unsafe_fixes)


def _without_fixes(findings: Iterable[Finding], reason: str) -> tuple[Finding, ...]:
    return tuple(replace(finding, fix=None, fix_reason=reason) if finding.fix else finding for finding in findings)


def _order(finding: Finding) -> tuple[object, ...]:
    return (finding.range, finding.code, finding.message)
