from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from grpo_lint.model import Edit, Fault, FileResult, Finding, Fix, Position, Range, Safety
from grpo_lint.report import FORMATS, ReportOptions, printable, renderer
from grpo_lint.report.patch import render_summary

AT = Range(Position(3, 5), Position(4, 9))
EDITS = (Edit(AT, "f(\n    x,\n)"), Edit(Range(Position(1, 1), Position(1, 1)), "import f\n"))
SAFE = Fix(Safety.SAFE, "Group by identity", EDITS)
UNSAFE = Fix(Safety.UNSAFE, "Group by `uids`", EDITS)


def finding(fix: Fix | None = None, fix_reason: str | None = None, message: str = "is wrong") -> Finding:
    return Finding("GRPO001", "reward-reshape", message, AT, fix, fix_reason)


def text(*results: FileResult, unsafe_fixes: bool = False, output_format: str = "text") -> list[str]:
    asked = [result._replace(unsafe_fixes=unsafe_fixes) for result in results]
    rendered = renderer(output_format)(asked, ReportOptions("/here"))
    assert rendered.endswith("\n")
    return rendered.splitlines()


def test_nothing_found() -> None:
    assert text() == text(FileResult("/here/a.py")) == ["All checks passed!"]


def test_nothing_found_but_something_not_checked() -> None:
    fault = FileResult("/here/a.py", fault=Fault("no"))
    assert text(fault) == ["No findings, but not everything was checked: 1 error."]
    assert text(fault, fault) == ["No findings, but not everything was checked: 2 errors."]


def test_one_finding() -> None:
    assert text(FileResult("/here/a.py", (finding(),))) == ["a.py:3:5: GRPO001 is wrong", "Found 1 finding."]


def test_the_reason_for_no_fix_stands_below() -> None:
    result = FileResult("/here/a/b.py", (finding(fix_reason="the order changed"),))
    assert text(result)[:2] == ["a/b.py:3:5: GRPO001 is wrong", "  no fix: the order changed"]


@pytest.mark.parametrize(
    ("fixes", "unsafe_fixes", "marks", "closing"),
    [
        ([None], False, [""], []),
        ([None], True, [""], []),
        ([SAFE], False, ["[*] "], ["[*] 1 fixable with `--fix`."]),
        (
            [SAFE, UNSAFE],
            False,
            ["[*] ", ""],
            ["[*] 1 fixable with `--fix` (1 hidden fix can be enabled with `--unsafe-fixes`)."],
        ),
        ([SAFE, UNSAFE], True, ["[*] ", "[*] "], ["[*] 2 fixable with `--fix --unsafe-fixes`."]),
        ([SAFE, None], True, ["[*] ", ""], ["[*] 1 fixable with `--fix`."]),
        ([UNSAFE, None], False, ["", ""], ["No fixes available (1 hidden fix can be enabled with `--unsafe-fixes`)."]),
        (
            [UNSAFE, UNSAFE],
            False,
            ["", ""],
            ["No fixes available (2 hidden fixes can be enabled with `--unsafe-fixes`)."],
        ),
    ],
)
def test_the_mark_says_what_the_options_would_fix(
    fixes: list[Fix | None], unsafe_fixes: bool, marks: list[str], closing: list[str]
) -> None:
    every = text(FileResult("/here/a.py", tuple(map(finding, fixes))), unsafe_fixes=unsafe_fixes)
    lines = [line for line in every if not line.startswith("  unsafe fix")]
    assert len(every) - len(lines) == (0 if unsafe_fixes else fixes.count(UNSAFE))
    assert lines[: len(fixes)] == [f"a.py:3:5: GRPO001 {mark}is wrong" for mark in marks]
    assert lines[len(fixes) + 1 :] == closing


def test_an_unsafe_repair_that_is_hidden_is_named() -> None:
    result = FileResult("/here/a.py", (finding(UNSAFE),))
    assert text(result)[1] == "  unsafe fix, with `--unsafe-fixes`: Group by `uids`"
    assert "unsafe fix" not in "".join(text(result, unsafe_fixes=True)[:1])


def test_concise_is_one_line_each() -> None:
    result = FileResult("/here/a.py", (finding(fix_reason="the order changed"), finding(SAFE)))
    assert text(result, output_format="concise") == [
        "a.py:3:5: GRPO001 is wrong",
        "a.py:3:5: GRPO001 [*] is wrong",
        "Found 2 findings.",
        "[*] 1 fixable with `--fix`.",
    ]


@pytest.mark.parametrize("output_format", ["text", "concise"])
def test_a_quiet_report_has_no_counts(output_format: str) -> None:
    options = ReportOptions("/here", is_quiet=True)
    render = renderer(output_format)
    assert render([FileResult("/here/a.py", (finding(SAFE),))], options) == "a.py:3:5: GRPO001 [*] is wrong\n"
    assert render([FileResult("/here/a.py")], options) == ""
    assert render_summary([FileResult("/here/a.py", (), (finding(SAFE),), diff="…")], options) == ""
    assert render_summary([FileResult("/here/a.py")], options) == ""


def test_what_was_fixed_is_counted() -> None:
    both = FileResult("/here/a.py", (finding(),), (finding(SAFE),))
    assert text(both)[-1] == "Found 2 findings (1 fixed, 1 remaining)."
    assert text(FileResult("/here/a.py", (), (finding(SAFE), finding(SAFE)))) == [
        "Found 2 findings (2 fixed, 0 remaining)."
    ]


def test_what_a_diff_comes_to() -> None:
    options = ReportOptions("/here")
    both = FileResult("/here/a.py", (finding(),), (finding(SAFE),), diff="…")
    assert render_summary([both], options) == "Would fix 1 finding, 1 would remain.\n"
    assert render_summary([FileResult("/here/a.py")], options) == "All checks passed!\n"
    assert render_summary([FileResult("/here/a.py", (finding(UNSAFE),))], options) == (
        "Found 1 finding.\nNo fixes available (1 hidden fix can be enabled with `--unsafe-fixes`).\n"
    )


@pytest.mark.parametrize(
    ("folder", "path", "displayed"),
    [
        ("/here", "/here/a.py", "a.py"),
        ("/here", "/hereafter/a.py", "/hereafter/a.py"),
        ("/here", "/there/a.py", "/there/a.py"),
        ("/here", "a.py", "a.py"),
        ("/here", "../there/a.py", "/there/a.py"),
        ("/", "/a.py", "a.py"),
        ("/here", "/here/a\nb\x1b[31m.py", "a\\nb\\x1b[31m.py"),
        ("/here", "/here/\udcff.py", "\\udcff.py"),
        ("/here", "/here/é 群.py", "é 群.py"),
    ],
)
def test_displayed_paths(folder: str, path: str, displayed: str) -> None:
    assert ReportOptions(folder).displayed(path) == displayed


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("plain `x[:, None]`, é", "plain `x[:, None]`, é"),
        ("back\\slash", "back\\slash"),
        ("a\tb\r\nc", "a\\tb\\r\\nc"),
        ("\x1b]8;;\x07\x9b\x7f", "\\x1b]8;;\\x07\\x9b\\x7f"),
        ("\u202eright to left\u2028", "\\u202eright to left\\u2028"),
        ("\U000e0001", "\\U000e0001"),
    ],
)
def test_what_a_terminal_would_act_upon_is_escaped(raw: str, shown: str) -> None:
    assert printable(raw) == shown


def test_messages_stay_on_one_line() -> None:
    lines = text(FileResult("/here/a.py", (finding(message="a\nb", fix_reason="c\x1b"),)))
    assert lines[:2] == ["a.py:3:5: GRPO001 a\\nb", "  no fix: c\\x1b"]


def rows(*results: FileResult) -> object:
    rendered = renderer("json")(results, ReportOptions("/here"))
    assert rendered.endswith("]\n")
    return json.loads(rendered)


def test_json_of_nothing() -> None:
    assert rows() == rows(FileResult("/here/a.py", fault=Fault("no"))) == []
    assert renderer("json")([], ReportOptions("/here")) == "[]\n"


def test_json_is_ruffs_with_rule_and_fix_reason() -> None:
    place = {"location": {"row": 3, "column": 5}, "end_location": {"row": 4, "column": 9}}
    start = {"row": 1, "column": 1}
    assert rows(FileResult("a.py", (finding(UNSAFE), finding(fix_reason="the order changed")))) == [
        {
            "code": "GRPO001",
            "message": "is wrong",
            "filename": "/here/a.py",
            **place,
            "fix": {
                "applicability": "unsafe",
                "message": "Group by `uids`",
                "edits": [
                    {"content": "f(\n    x,\n)", **place},
                    {"content": "import f\n", "location": start, "end_location": start},
                ],
            },
            "url": None,
            "noqa_row": 3,
            "rule": "reward-reshape",
            "fix_reason": None,
        },
        {
            "code": "GRPO001",
            "message": "is wrong",
            "filename": "/here/a.py",
            **place,
            "fix": None,
            "url": None,
            "noqa_row": 3,
            "rule": "reward-reshape",
            "fix_reason": "the order changed",
        },
    ]


def test_json_keeps_the_given_order_and_is_ascii() -> None:
    results = [FileResult("/here/b\udcff.py", (finding(message="é"),)), FileResult("/here/a.py", (finding(),))]
    rendered = renderer("json")(results, ReportOptions("/here"))
    assert rendered.isascii()
    assert [row["filename"] for row in json.loads(rendered)] == ["/here/b\udcff.py", "/here/a.py"]


def test_formats_are_imported_when_used() -> None:
    script = "import sys, grpo_lint.report as r; print([m for m in r.FORMATS.values() if m in sys.modules])"
    root = Path(__file__).parent.parent
    out = subprocess.run([sys.executable, "-c", script], cwd=root, capture_output=True, text=True, check=True).stdout
    assert out == "[]\n"
    assert all(callable(renderer(name)) for name in FORMATS)
