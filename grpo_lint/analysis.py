"""The findings of one text: parsed, walked, put to the rules, less what comments answer for."""

from __future__ import annotations

import ast
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from grpo_lint.declarations import ProjectDeclarations
from grpo_lint.depth import recursion_limit, require_shallow
from grpo_lint.flow.module import analyse
from grpo_lint.flow.vocabulary import Vocabulary
from grpo_lint.model import Finding, Mark, Range
from grpo_lint.rules import load
from grpo_lint.selection import is_selected, selected_comment_rules
from grpo_lint.suppress import read_suppressions

if TYPE_CHECKING:
    from grpo_lint.config import Config
    from grpo_lint.flow.facts import FunctionFacts
    from grpo_lint.flow.values import Grouping
    from grpo_lint.project import Cache
    from grpo_lint.rules._rule import Exposed, Report, Rule
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
    """A finding, and what a repair of it starts from; one about a comment has its fix, and no facts."""

    finding: Finding
    is_fixable: bool
    grouping: Grouping | None
    exposed: Exposed | None
    facts: FunctionFacts | None
    kept: tuple[Kept, ...]


@dataclass(frozen=True, slots=True)
class Analysis:
    """The findings of a text, in order of position, and what to say besides."""

    items: tuple[Found, ...]
    warnings: tuple[str, ...]


def find(source: Source, config: Config, cache: Callable[[], Cache] | None = None) -> Analysis:
    """The findings of a text that no comment answers for. Raises as `parse` does."""
    return find_in(parse(source.text), source, config, cache)


def find_in(tree: ast.Module, source: Source, config: Config, cache: Callable[[], Cache] | None = None) -> Analysis:
    """The findings of a parsed text that no comment answers for. Those about code are without their fixes."""
    every = sorted(_reports(source, tree, config, cache), key=lambda each: (*_place(each[1].node), each[0].code))
    reports = [each for each in every if is_selected(each[0], config)]
    comment_rules = selected_comment_rules(config)
    if not reports and not comment_rules:
        return Analysis((), ())
    suppressions = read_suppressions(source.text)
    bare = [_bare_finding(rule, report, source, tree) for rule, report, _ in reports]
    covered = [suppressions.covers(finding) is not None for finding in bare]
    kept = (
        *(Kept(finding.range, "suppressed") for finding, is_covered in zip(bare, covered, strict=True) if is_covered),
        *(Kept(source.range(report.node), f"not selected ({rule.code})") for rule, report in _left_out(every, config)),
    )
    items = [
        Found(finding, rule.fixable, report.grouping, report.exposed, facts, kept)
        for finding, is_covered, (rule, report, facts) in zip(bare, covered, reports, strict=True)
        if not is_covered
    ]
    hints = [hint for each in items if (hint := suppressions.hint(each.finding))]
    if comment_rules:
        from grpo_lint.suppress.review import review

        items += [Found(each, True, None, None, None, ()) for each in review(source, tree, suppressions, bare, config)]
    return Analysis(tuple(items), tuple(hints[:1]))


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


def declarations(source: Source, tree: ast.Module, cache: Callable[[], Cache] | None) -> ProjectDeclarations:
    """What the project around a file declares. Without a cache, what is read for one answer is kept for the next."""
    return ProjectDeclarations(Path(source.path), tree, cache or lru_cache(maxsize=1)(_new_cache))


def _new_cache() -> Cache:
    from grpo_lint.project import Cache

    return Cache()


def _left_out(reports: Sequence[_Reported], config: Config) -> Iterator[tuple[Rule, Report]]:
    """What rules report that do not run; those in preview have no say before they are asked for."""
    for rule, report, _ in reports:
        if not rule.preview and not is_selected(rule, config):
            yield rule, report


def _reports(
    source: Source, tree: ast.Module, config: Config, cache: Callable[[], Cache] | None
) -> Iterator[_Reported]:
    """What rules report, each place once: from the function that the place stands in, if that one reports it.

    Those in preview run where they are selected; the others always, as no repair may change what one of them reports.
    """
    best: dict[tuple[str, ast.expr], _Reported] = {}
    rules = [(rule, check) for rule, check in load() if not rule.preview or is_selected(rule, config)]
    words = Vocabulary(config.reward_names, config.group_size_names)
    for facts in analyse(source, tree, words, declarations=declarations(source, tree, cache)):
        for rule, check in rules:
            for report in check(facts):
                key = (rule.code, report.node)
                if key not in best or (facts.owns(report.node) and not best[key][2].owns(report.node)):
                    best[key] = (rule, report, facts)
    yield from best.values()
