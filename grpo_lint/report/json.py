"""Findings as ruff's JSON: a list of objects."""

from __future__ import annotations

import json
from collections.abc import Sequence

from grpo_lint.model import Edit, Finding, Fix, Position
from grpo_lint.outcome import FileResult
from grpo_lint.report import ReportOptions


def render(results: Sequence[FileResult], options: ReportOptions) -> str:
    rows = [_row(options.absolute(result.path), finding) for result in results for finding in result.findings]
    return json.dumps(rows, indent=2) + "\n"


def _row(filename: str, finding: Finding) -> dict[str, object]:
    return {
        "code": finding.code,
        "end_location": _location(finding.range.end),
        "filename": filename,
        "fix": _fix(finding.fix) if finding.fix else None,
        "fix_reason": finding.fix_reason,
        "location": _location(finding.range.start),
        "message": finding.message,
        "noqa_row": finding.range.start.row,
        "rule": finding.rule,
        "url": None,
    }


def _fix(fix: Fix) -> dict[str, object]:
    return {
        "applicability": fix.safety.value,
        "edits": [_edit(edit) for edit in fix.edits],
        "message": fix.message,
    }


def _edit(edit: Edit) -> dict[str, object]:
    return {
        "content": edit.content,
        "end_location": _location(edit.range.end),
        "location": _location(edit.range.start),
    }


def _location(position: Position) -> dict[str, int]:
    return {"column": position.column, "row": position.row}
