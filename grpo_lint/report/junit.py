"""Findings as a JUnit report, which most CI servers read: a suite for each file, a case for each finding.

https://github.com/testmoapp/junitxml
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from xml.sax.saxutils import escape, quoteattr

from grpo_lint.outcome import FileResult
from grpo_lint.report import ReportOptions, printable

# What no XML document can hold, escaped or not; surrogates have no bytes.
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(results: Sequence[FileResult], options: ReportOptions) -> str:
    suites = [_Suite(result, options) for result in results]
    total = _counts(sum(suite.cases for suite in suites), sum(suite.failures for suite in suites), _errors(suites))
    lines = ['<?xml version="1.0" encoding="utf-8"?>', f'<testsuites name="grpo-lint"{total}>']
    lines += [line for suite in suites for line in suite.lines()]
    return "\n".join([*lines, "</testsuites>"]) + "\n"


class _Suite:
    """A file, whose cases are its findings; one that has none is a case that passes."""

    def __init__(self, result: FileResult, options: ReportOptions) -> None:
        self._result = result
        self._path = options.displayed(result.path)
        self.failures = len(result.findings)
        self.errors = int(result.fault is not None)
        self.cases = max(1, self.failures + self.errors)

    def lines(self) -> Iterator[str]:
        yield f"  <testsuite name={_attribute(self._path)}{_counts(self.cases, self.failures, self.errors)}>"
        if self.cases > self.failures + self.errors:
            yield f"    {self._case('grpo-lint', 1)[:-1]}/>"
        if fault := self._result.fault:
            row = fault.position.row if fault.position else 1
            yield from self._failed("not checked", row, "error", fault.message, fault.message)
        for finding in self._result.findings:
            start = finding.range.start
            text = f"line {start.row}, column {start.column}: {finding.message}"
            yield from self._failed(f"{finding.code} {finding.rule}", start.row, "failure", finding.message, text)
        yield "  </testsuite>"

    def _failed(self, name: str, row: int, kind: str, message: str, text: str) -> Iterator[str]:
        yield f"    {self._case(name, row)}"
        yield f"      <{kind} message={_attribute(message)}>{escape(_clean(text))}</{kind}>"
        yield "    </testcase>"

    def _case(self, name: str, row: int) -> str:
        owner = str(PurePath(self._path).with_suffix(""))
        return (
            f"<testcase name={_attribute(name)} classname={_attribute(owner)} file={_attribute(self._path)} "
            f'line="{row}">'
        )


def _counts(cases: int, failures: int, errors: int) -> str:
    return f' tests="{cases}" failures="{failures}" errors="{errors}"'


def _errors(suites: Sequence[_Suite]) -> int:
    return sum(suite.errors for suite in suites)


def _attribute(text: str) -> str:
    return quoteattr(_clean(text))


def _clean(text: str) -> str:
    return _NO_XML.sub("\N{REPLACEMENT CHARACTER}", printable(text))
