"""How many findings each rule has, and how many of them a repair would take."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

from grpo_lint.outcome import FileResult
from grpo_lint.report import ReportOptions
from grpo_lint.report.summary import closing_lines


class _Count(NamedTuple):
    code: str
    rule: str
    findings: int
    fixable: int


def render(results: Sequence[FileResult], options: ReportOptions) -> str:
    """A line for each rule that has findings, the most frequent first."""
    counts = _counts(results)
    width = max((len(str(each.findings)) for each in counts), default=0)
    mark = {each: "[*]" if each.fixable == each.findings else "[-]" if each.fixable else "[ ]" for each in counts}
    lines = [f"{each.findings:>{width}}  {each.code}  {mark[each]} {each.rule}" for each in counts]
    return "".join(f"{line}\n" for line in (*lines, *closing_lines(results, options)))


def render_json(results: Sequence[FileResult], _: ReportOptions) -> str:
    rows = [
        {"code": each.code, "name": each.rule, "count": each.findings, "fixable_count": each.fixable}
        for each in _counts(results)
    ]
    return json.dumps(rows, indent=2) + "\n"


def _counts(results: Sequence[FileResult]) -> list[_Count]:
    found = [(result.is_fixable(finding), finding) for result in results for finding in result.findings]
    rules = sorted({(finding.code, finding.rule) for _, finding in found})
    counts = [
        _Count(code, rule, *_numbers([is_fixable for is_fixable, each in found if each.code == code]))
        for code, rule in rules
    ]
    return sorted(counts, key=lambda each: (-each.findings, each.code))


def _numbers(are_fixable: list[bool]) -> tuple[int, int]:
    return len(are_fixable), sum(are_fixable)
