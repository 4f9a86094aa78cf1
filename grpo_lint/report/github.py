"""Findings as GitHub's workflow commands, which it shows beside the lines of a pull request.

https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grpo_lint.model import Finding
from grpo_lint.outcome import Fault, FileResult
from grpo_lint.report import ReportOptions, printable


def render(results: Sequence[FileResult], options: ReportOptions) -> str:
    lines = (line for result in results for line in _lines(result, options))
    return "".join(f"{line}\n" for line in lines)


def _lines(result: FileResult, options: ReportOptions) -> Iterator[str]:
    path = options.displayed(result.path)
    if result.fault:
        yield _fault(path, result.fault)
    for finding in result.findings:
        yield _finding(path, finding)


def _finding(path: str, finding: Finding) -> str:
    start, end = finding.range.start, finding.range.end
    properties = {
        "title": f"grpo-lint ({finding.code})",
        "file": path,
        "line": start.row,
        "col": start.column,
        "endLine": end.row,
        "endColumn": end.column,
    }
    return _command(properties, f"{path}:{start.row}:{start.column}: {finding.code} {finding.message}")


def _fault(path: str, fault: Fault) -> str:
    properties: dict[str, object] = {"title": "grpo-lint", "file": path}
    place = ""
    if fault.position:
        properties |= {"line": fault.position.row, "col": fault.position.column}
        place = f":{fault.position.row}:{fault.position.column}"
    return _command(properties, f"{path}{place}: {fault.message}")


def _command(properties: dict[str, object], message: str) -> str:
    """An error command. What is escaped could end a value, or begin another command."""
    shown = ",".join(f"{name}={_property(str(value))}" for name, value in properties.items())
    return f"::error {shown}::{_data(message)}"


def _data(text: str) -> str:
    return printable(text).replace("%", "%25")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
