"""Findings as reviewdog's diagnostics, with each repair as a suggestion. Columns count UTF-8 bytes there.

https://github.com/reviewdog/reviewdog/tree/master/proto/rdf
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from grpo_lint.model import Edit, Finding, Position, Range
from grpo_lint.outcome import Fault, FileResult
from grpo_lint.report import ReportOptions, printable
from grpo_lint.source import Source

Object = dict[str, object]


def render(results: Sequence[FileResult], options: ReportOptions) -> str:
    document = {
        "source": {"name": "grpo-lint"},
        "severity": "ERROR",
        "diagnostics": [row for result in results for row in _diagnostics(result, options)],
    }
    return json.dumps(document, indent=2) + "\n"


def _diagnostics(result: FileResult, options: ReportOptions) -> Iterator[Object]:
    path = options.displayed(result.path)
    if result.fault:
        yield _fault(path, result.fault)
    if result.findings:
        source = Source.from_text(result.path, result.text or "")
        yield from (_diagnostic(path, finding, source) for finding in result.findings)


def _diagnostic(path: str, finding: Finding, source: Source) -> Object:
    made: Object = {
        "message": printable(finding.message),
        "location": {"path": path, "range": _range(finding.range, source)},
        "severity": "ERROR",
        "code": {"value": finding.code},
    }
    if finding.fix:
        made["suggestions"] = [_suggestion(edit, source) for edit in finding.fix.edits]
    return made


def _suggestion(edit: Edit, source: Source) -> Object:
    return {"range": _range(edit.range, source), "text": edit.content}


def _range(range_: Range, source: Source) -> Object:
    return {"start": _position(range_.start, source), "end": _position(range_.end, source)}


def _position(position: Position, source: Source) -> Object:
    """A column from 1 in bytes; a row past the end is an end of file without a newline."""
    line = source.line(position.row) if position.row <= len(source.line_starts) else ""
    before = line[: position.column - 1]
    return {"line": position.row, "column": len(before.encode(errors="surrogatepass")) + 1}


def _fault(path: str, fault: Fault) -> Object:
    location: Object = {"path": path}
    if fault.position:
        start = {"line": fault.position.row, "column": fault.position.column}
        location["range"] = {"start": start}
    return {"message": f"not checked: {printable(fault.message)}", "location": location, "severity": "ERROR"}
