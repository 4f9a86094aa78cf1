"""The findings of one text: parsed, walked, put to the rules, less what comments answer for."""

from __future__ import annotations

import ast
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING

from grpo_lint.declarations import ProjectDeclarations
from grpo_lint.depth import recursion_limit, require_shallow
from grpo_lint.flow.module import analyse
from grpo_lint.flow.vocabulary import Vocabulary
from grpo_lint.gate import passes, passing
from grpo_lint.imported_names import ImportedNames
from grpo_lint.model import Finding, Mark, Range
from grpo_lint.rules import load
from grpo_lint.selection import is_selected, selected
from grpo_lint.subjects import CALL_SITES, COMMENTS, FUNCTIONS, TESTS, is_test
from grpo_lint.suppress import read_suppressions

if TYPE_CHECKING:
    from grpo_lint.config import Config
    from grpo_lint.contracts.call_sites import CallSites
    from grpo_lint.flow.facts import FunctionFacts
    from grpo_lint.flow.values import Grouping
    from grpo_lint.project import Cache
    from grpo_lint.rules._rule import Remark, Repair, Report, Rule
    from grpo_lint.source import Source

    _Reported = tuple[Rule, Report, FunctionFacts]

_PARSING_LIMIT, _RECURSION_LIMIT = 1_000, 10_000


@dataclass(frozen=True, slots=True)
class Kept:
    """A place that no repair may change, and why: its author answers for it, or its rule does not run."""

    range: Range
    reason: str


@dataclass(frozen=True, slots=True)
class Found:
    """A finding, and what a repair of it starts from: what is known of its function, or a remark's own repair.

    One that has neither comes with its fix, or with the reason why there is none.
    """

    finding: Finding
    is_fixable: bool
    grouping: Grouping | None = None
    facts: FunctionFacts | None = None
    repair: Repair | None = None
    kept: tuple[Kept, ...] = ()


@dataclass(frozen=True, slots=True)
class Analysis:
    """The findings of a text, in order of position, what to say besides, and what could not be checked."""

    items: tuple[Found, ...]
    warnings: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()


def find(source: Source, config: Config, cache: Callable[[], Cache]) -> Analysis:
    """The findings of a text that no comment answers for. Raises as `parse` does."""
    return find_in(parse(source.text), source, config, cache)


def find_in(tree: ast.Module, source: Source, config: Config, cache: Callable[[], Cache]) -> Analysis:
    """The findings of a parsed text that no comment answers for. Most repairs are yet to be proposed."""
    absent = _absent(source, config)
    reports = sorted(
        _reports(source, tree, config, cache, absent), key=lambda each: (*_place(each[1].node), each[0].code)
    )
    call_sites = _call_sites(source, tree, config, reports, cache)
    every = [
        *(_found(each, source, tree) for each in reports if is_selected(each[0], config)),
        *(_remarked(rule, remark, tree) for rule, remark in _remarks(source, tree, config, call_sites)),
    ]
    errors = () if call_sites is None else call_sites.errors
    reviews_comments = bool(selected(COMMENTS, config))
    if not every and not reviews_comments:
        return Analysis((), errors=errors)
    suppressions = read_suppressions(source.text)
    covered = [suppressions.covers(each.finding) is not None for each in every]
    hidden = [each.finding for each, is_covered in zip(every, covered, strict=True) if is_covered]
    kept = (
        *(Kept(finding.range, "suppressed") for finding in hidden),
        *(Kept(source.range(node), f"not selected ({rule.code})") for rule, node in _left_out(reports, config)),
    )
    items = [replace(each, kept=kept) for each, is_covered in zip(every, covered, strict=True) if not is_covered]
    hints = [hint for each in items if (hint := suppressions.hint(each.finding))]
    if reviews_comments:
        from grpo_lint.suppress.review import review

        findings = [each.finding for each in every]
        items += [Found(each, True) for each in review(source, tree, suppressions, findings, config)]
    return Analysis(tuple(items), tuple(hints[:1]), errors)


def every_finding(
    source: Source, tree: ast.Module, config: Config, cache: Callable[[], Cache], absent: Set[str]
) -> tuple[Finding, ...]:
    """What rules about functions report of a text, suppressed or not; of those in preview, what contracts name."""
    reports = _reports(source, tree, config, cache, absent)
    return tuple(_bare_finding(rule, report, source, tree) for rule, report, _ in reports)


def _absent(source: Source, config: Config) -> frozenset[str]:
    """The codes that the contracts of a file want absent."""
    if not CALL_SITES.may_be_in(source.path, b"", config):
        return frozenset()
    from grpo_lint.contracts.entries import sites_of

    return frozenset(code for _, site in sites_of(source.path, config) for code in site.absent)


def _call_sites(
    source: Source, tree: ast.Module, config: Config, reports: Sequence[_Reported], cache: Callable[[], Cache]
) -> CallSites | None:
    """The contracts of the file, put to it; None where it has none, or no rule asks for them."""
    if not CALL_SITES.may_be_in(source.path, b"", config):
        return None
    from grpo_lint.contracts.call_sites import CallSites
    from grpo_lint.contracts.entries import sites_of

    findings = [_bare_finding(rule, report, source, tree) for rule, report, _ in reports]
    return CallSites.of(sites_of(source.path, config), source, tree, lambda: findings, cache())


def _remarks(
    source: Source, tree: ast.Module, config: Config, call_sites: CallSites | None
) -> Iterator[tuple[Rule, Remark]]:
    """What rules say of all but functions and comments."""
    if call_sites is not None:
        yield from ((rule, remark) for rule, check in selected(CALL_SITES, config) for remark in check(call_sites))
    if not is_test(source.path, config.root):
        return
    data = source.text.encode(errors="replace")
    if rules := [pair for pair in selected(TESTS, config) if passes(data, [pair[0].gate])]:
        from grpo_lint.guards import Suite

        suite = Suite(source, tree, config)
        yield from ((rule, remark) for rule, check in rules for remark in check(suite))


def _found(reported: _Reported, source: Source, tree: ast.Module) -> Found:
    rule, report, facts = reported
    return Found(_bare_finding(rule, report, source, tree), rule.fixable, report.grouping, facts, report.repair)


def _remarked(rule: Rule, remark: Remark, tree: ast.Module) -> Found:
    return Found(finding_of(rule, remark, tree), rule.fixable, repair=remark.repair)


def finding_of(rule: Rule, remark: Remark, tree: ast.Module) -> Finding:
    """A remark of a rule as a finding."""
    scope = scope_of(tree, remark.range.start.row)
    fix, reason = remark.fix, remark.fix_reason
    return Finding(rule.code, rule.name, remark.message, remark.range, fix, reason, remark.evidence, scope)


def _bare_finding(rule: Rule, report: Report, source: Source, tree: ast.Module) -> Finding:
    return Finding(
        rule.code,
        rule.name,
        report.message,
        source.range(report.node),
        evidence=tuple(sorted(Mark(source.range(step.node), step.label) for step in report.evidence)),
        scope=scope_of(tree, report.node.lineno),
    )


def scope_of(tree: ast.Module, line: int) -> str:
    """The qualified name of the innermost function or class around a line."""
    names = []
    node: ast.AST | None = tree
    while node is not None:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.append(node.name)
        node = next((child for child in _blocks_in(node) if _spans(child, line)), None)
    return ".".join(names)


def _blocks_in(node: ast.AST) -> Iterator[ast.AST]:
    """The statements right below a node, and the branches that have statements of their own."""
    for value in vars(node).values():
        if isinstance(value, list):
            yield from (each for each in value if isinstance(each, ast.stmt | ast.ExceptHandler | ast.match_case))


def _spans(node: ast.AST, line: int) -> bool:
    if isinstance(node, ast.match_case):
        return any(_spans(child, line) for child in node.body)
    return node.lineno <= line <= (node.end_lineno or 0) if isinstance(node, ast.stmt | ast.ExceptHandler) else False


def _place(node: ast.expr) -> tuple[int, int]:
    return node.lineno, node.col_offset


def parse(text: str) -> ast.Module:
    """Parse a text. Raises SyntaxError in Python's words, ValueError for a NUL byte, TooDeep."""
    # A higher limit while parsing would let Python's own parser overflow the C stack; and what is too deep must not
    # depend on whether another file was analysed before.
    with warnings.catch_warnings(), recursion_limit(_PARSING_LIMIT):
        warnings.simplefilter("ignore")
        tree = ast.parse(text)
    require_shallow(tree)
    sys.setrecursionlimit(max(sys.getrecursionlimit(), _RECURSION_LIMIT))
    return tree


def _left_out(reports: Sequence[_Reported], config: Config) -> Iterator[tuple[Rule, ast.expr]]:
    """What rules report that do not run; those in preview have no say before they are asked for."""
    for rule, report, _ in reports:
        if not rule.preview and not is_selected(rule, config):
            yield rule, report.node


def _reports(
    source: Source, tree: ast.Module, config: Config, cache: Callable[[], Cache], absent: Set[str]
) -> Iterator[_Reported]:
    """What rules report, each place once: from the function that the place stands in, if that one reports it.

    Those in preview run where they are selected, or where a contract names them; the others always, as no repair may
    change what one of them reports.
    """
    data = source.text.encode(errors="replace")
    ready = [
        (rule, check)
        for rule, check in (load(FUNCTIONS) if FUNCTIONS.may_be_in(source.path, data, config) else ())
        if not rule.preview or rule.code in absent or is_selected(rule, config)
    ]
    rules = list(compress(ready, passing(data, [rule.gate for rule, _ in ready])))
    if not rules:  # a file that is looked at for its contracts, comments or tests
        return
    best: dict[tuple[str, ast.expr], _Reported] = {}
    words = Vocabulary(config.reward_names, config.group_size_names)
    declarations = ProjectDeclarations(Path(source.path), tree, cache)
    names = ImportedNames(source, tree, cache)
    for facts in analyse(
        source, tree, words, declarations=declarations, look_up=names.expression, find_function=names.function
    ):
        for rule, check in rules:
            for report in check(facts):
                key = (rule.code, report.node)
                if key not in best or (facts.owns(report.node) and not best[key][2].owns(report.node)):
                    best[key] = (rule, report, facts)
    yield from best.values()
