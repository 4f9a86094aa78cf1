"""Findings as GitLab's code quality report, which it shows in merge requests.

https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from hashlib import sha256

from grpo_lint.fingerprint import fingerprints
from grpo_lint.outcome import Fault, FileResult
from grpo_lint.report import ReportOptions, printable

Object = dict[str, object]


def render(results: Sequence[FileResult], options: ReportOptions) -> str:
    return json.dumps([row for result in results for row in _rows(result, options)], indent=2) + "\n"


def _rows(result: FileResult, options: ReportOptions) -> Iterator[Object]:
    path = options.displayed(result.path)
    if result.fault:
        yield _fault(path, result.fault)
    for finding, fingerprint in fingerprints(result):
        yield {
            "description": f"{finding.code}: {printable(finding.message)}",
            "check_name": finding.code,
            "fingerprint": sha256(f"{path}\0{fingerprint.digest}".encode()).hexdigest(),
            "severity": "major",
            "location": {
                "path": path,
                "positions": {
                    "begin": {"line": finding.range.start.row, "column": finding.range.start.column},
                    "end": {"line": finding.range.end.row, "column": finding.range.end.column},
                },
            },
        }


def _fault(path: str, fault: Fault) -> Object:
    """A file that could not be checked: the merge request should not look clean."""
    line = fault.position.row if fault.position else 1
    return {
        "description": f"not checked: {printable(fault.message)}",
        "check_name": "not-checked",
        "fingerprint": sha256(f"{path}\0not checked".encode()).hexdigest(),
        "severity": "blocker",
        "location": {"path": path, "lines": {"begin": line}},
    }
