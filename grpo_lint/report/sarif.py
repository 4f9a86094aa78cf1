"""Findings as SARIF 2.1.0, for GitHub's code scanning and other viewers.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import PurePath
from urllib.parse import quote

from grpo_lint import __version__
from grpo_lint.fingerprint import Fingerprint, fingerprints
from grpo_lint.model import Edit, Finding, Fix, Mark, Position, Range
from grpo_lint.outcome import FileResult
from grpo_lint.report import ReportOptions
from grpo_lint.rules import RULES, documentation

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_ROOT = "%SRCROOT%"

Object = dict[str, object]


def render(results: Sequence[FileResult], options: ReportOptions) -> str:
    run: Object = {
        "tool": {"driver": _driver()},
        "invocations": [_invocation(results, options)],
        "columnKind": "unicodeCodePoints",
        "results": [
            _result(_place(result.path, options), finding, fingerprint)
            for result in results
            for finding, fingerprint in fingerprints(result)
        ],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _driver() -> Object:
    return {
        "name": "grpo-lint",
        "semanticVersion": __version__,
        "version": __version__,
        "rules": [
            {
                "id": rule.code,
                "name": rule.name,
                "shortDescription": {"text": rule.summary},
                "help": {"text": documentation(rule.code), "markdown": documentation(rule.code)},
                "defaultConfiguration": {"level": "error"},
            }
            for rule in RULES
        ],
    }


def _invocation(results: Sequence[FileResult], options: ReportOptions) -> Object:
    """Whether all was checked, and what was not."""
    faults = [(_place(result.path, options), result.fault) for result in results if result.fault]
    notifications = [
        {
            "level": "error",
            "message": {"text": fault.message},
            "locations": [{"physicalLocation": place | _point(fault.position)}],
        }
        for place, fault in faults
    ]
    return {"executionSuccessful": not faults, "toolExecutionNotifications": notifications}


def _point(position: Position | None) -> Object:
    if position is None:
        return {}
    return {"region": {"startLine": position.row, "startColumn": position.column}}


def _place(path: str, options: ReportOptions) -> Object:
    """Where a file is: below the current folder, if it lies there, else in the file system."""
    absolute = PurePath(options.absolute(path))
    if not absolute.is_relative_to(options.folder):
        return {"artifactLocation": {"uri": "file://" + _quoted(absolute)}}
    return {"artifactLocation": {"uri": _quoted(absolute.relative_to(options.folder)), "uriBaseId": _ROOT}}


def _quoted(path: PurePath) -> str:
    return quote(os.fsencode(path.as_posix()))


def _result(place: Object, finding: Finding, fingerprint: Fingerprint) -> Object:
    made: Object = {
        "ruleId": finding.code,
        "ruleIndex": [rule.code for rule in RULES].index(finding.code),
        "level": "error",
        "message": {"text": finding.message},
        "locations": [{"physicalLocation": place | {"region": _region(finding.range)}}],
        "relatedLocations": [_related(place, mark) for mark in finding.evidence if mark.range != finding.range],
        "partialFingerprints": {"grpoLint/v1": fingerprint.digest},
    }
    if finding.fix:
        made["fixes"] = [_fix(place, finding.fix)]
    return made


def _related(place: Object, mark: Mark) -> Object:
    return {"physicalLocation": place | {"region": _region(mark.range)}, "message": {"text": mark.label}}


def _fix(place: Object, fix: Fix) -> Object:
    return {
        "description": {"text": f"{fix.safety.value} fix: {fix.message}"},
        "artifactChanges": [place | {"replacements": [_replacement(edit) for edit in fix.edits]}],
    }


def _replacement(edit: Edit) -> Object:
    return {"deletedRegion": _region(edit.range), "insertedContent": {"text": edit.content}}


def _region(range_: Range) -> Object:
    return {
        "startLine": range_.start.row,
        "startColumn": range_.start.column,
        "endLine": range_.end.row,
        "endColumn": range_.end.column,
    }
