"""Reports for CI servers: GitLab's code quality, JUnit, reviewdog's diagnostics."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest
from command_line import run
from test_formats import FAULTY, FIX, finding, rendered, result

from grpo_lint.model import Edit, Finding, Fix, Position, Range, Safety
from grpo_lint.outcome import Fault, FileResult

HOSTILE = "]]>&<\"'\x1b[31m\x00\ufffe\U0001f600 \N{RIGHT-TO-LEFT OVERRIDE}"
FAULT = Fault("invalid syntax", Position(3, 7))

# What GitLab's page asks of a report, and reviewdog's messages of theirs, written as schemas.
GITLAB = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "properties": {
            "description": {"type": "string", "minLength": 1},
            "check_name": {"type": "string", "minLength": 1},
            "fingerprint": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object",
                "required": ["path"],
                "properties": {"path": {"type": "string", "not": {"pattern": r"^(\./|/)"}}},
                "oneOf": [{"required": ["lines"]}, {"required": ["positions"]}],
            },
        },
    },
}
POSITION = {
    "type": "object",
    "required": ["line"],
    "properties": {"line": {"type": "integer", "minimum": 1}, "column": {"type": "integer", "minimum": 1}},
    "additionalProperties": False,
}
RANGE = {"type": "object", "required": ["start"], "properties": {"start": POSITION, "end": POSITION}}
RDJSON = {
    "type": "object",
    "required": ["source", "diagnostics"],
    "properties": {
        "diagnostics": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["message", "location"],
                "additionalProperties": False,
                "properties": {
                    "message": {"type": "string"},
                    "location": {"type": "object", "required": ["path"], "properties": {"range": RANGE}},
                    "severity": {"enum": ["ERROR", "WARNING", "INFO"]},
                    "code": {"type": "object", "required": ["value"]},
                    "suggestions": {
                        "type": "array",
                        "items": {"type": "object", "required": ["range", "text"], "properties": {"range": RANGE}},
                    },
                },
            },
        }
    },
}


def gitlab(*results: FileResult) -> list[dict[str, Any]]:
    rows = json.loads(rendered("gitlab", *results))
    jsonschema.validate(rows, GITLAB)
    return rows


def rdjson(*results: FileResult) -> list[dict[str, Any]]:
    document = json.loads(rendered("rdjson", *results))
    jsonschema.validate(document, RDJSON)
    return document["diagnostics"]


def junit(*results: FileResult) -> ElementTree.Element:
    return ElementTree.fromstring(rendered("junit", *results))


def test_gitlab() -> None:
    (row,) = gitlab(result(finding()))
    assert row["description"] == "GRPO002: is wrong"
    assert row["check_name"] == "GRPO002"
    assert row["location"] == {
        "path": "a.py",
        "positions": {"begin": {"line": 2, "column": 5}, "end": {"line": 2, "column": 9}},
    }


def test_gitlab_fingerprints_survive_moved_lines_and_differ(tmp_path: Path) -> None:
    twice = FAULTY + FAULTY.replace("advantages_of", "again")
    (tmp_path / "a.py").write_text(twice)
    (tmp_path / "b.py").write_text(FAULTY)
    prints = []
    for text in (twice, "\n\n# moved\n" + twice):
        (tmp_path / "a.py").write_text(text)
        rows = json.loads(run("--output-format", "gitlab", cwd=tmp_path)[1])
        jsonschema.validate(rows, GITLAB)
        prints.append([row["fingerprint"] for row in rows])
    assert prints[0] == prints[1]
    assert len(set(prints[0])) == len(prints[0]) == 3


def test_what_could_not_be_checked_is_in_every_report() -> None:
    (row,) = gitlab(result(fault=FAULT))
    assert (row["severity"], row["description"]) == ("blocker", "not checked: invalid syntax")
    assert row["location"] == {"path": "a.py", "lines": {"begin": 3}}
    (diagnostic,) = rdjson(result(fault=Fault("is missing")))
    assert diagnostic["location"] == {"path": "a.py"}
    suite = junit(result(fault=FAULT), result())
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("2", "0", "1")


def test_junit() -> None:
    suites = junit(result(finding(), finding("and wrong")), result(path="/here/b/c.py"))
    assert (suites.get("tests"), suites.get("failures"), suites.get("errors")) == ("3", "2", "0")
    first, second = suites
    assert [suite.get("name") for suite in suites] == ["a.py", "b/c.py"]
    assert [(case.get("name"), case.get("classname"), case.get("line")) for case in first] == [
        ("GRPO002 whole-batch-row", "a", "2")
    ] * 2
    assert [case[0].get("message") for case in first] == ["is wrong", "and wrong"]
    assert first[0][0].text == "line 2, column 5: is wrong"
    (passed,) = second
    assert (passed.get("name"), passed.get("classname"), len(passed)) == ("grpo-lint", "b/c", 0)


def test_a_suggestion_for_each_edit() -> None:
    (row,) = rdjson(result(finding(fix=FIX))._replace(text="x = 1\n    y.zz\n"))
    assert row["code"] == {"value": "GRPO002"}
    assert row["suggestions"] == [
        {"range": {"start": {"line": 2, "column": 5}, "end": {"line": 2, "column": 9}}, "text": "f()"},
        {"range": {"start": {"line": 1, "column": 1}, "end": {"line": 1, "column": 1}}, "text": "import f\n"},
    ]


def test_columns_of_reviewdog_count_bytes() -> None:
    text = "é = '\U0001f600'; bad()\n"
    at = Range(Position(1, 10), Position(1, 15))
    fix = Fix(Safety.SAFE, "x", (Edit(at, "good()"), Edit(Range(Position(2, 1), Position(2, 1)), "end\n")))
    found = Finding("GRPO001", "reward-reshape", "x", at, fix)
    (row,) = rdjson(FileResult("/here/a.py", (found,), text=text))
    assert row["location"]["range"] == {"start": {"line": 1, "column": 14}, "end": {"line": 1, "column": 19}}
    assert text.encode()[13:18] == b"bad()"
    assert row["suggestions"][1]["range"]["start"] == {"line": 2, "column": 1}


@pytest.mark.parametrize("name", ["gitlab", "junit", "rdjson"])
def test_hostile_names_and_messages(name: str) -> None:
    """Whatever stands in them, the report is one, and nothing in it acts upon a terminal."""
    text = rendered(name, result(finding(HOSTILE), path=f"/here/{HOSTILE}.py", fault=Fault(HOSTILE)))
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f\N{RIGHT-TO-LEFT OVERRIDE}\ufffe]", text)
    if name == "junit":
        assert "&<\"'" in str(ElementTree.fromstring(text)[0].get("name"))
    else:
        json.loads(text)


@pytest.mark.parametrize("name", ["gitlab", "junit", "rdjson"])
def test_nothing_found_is_a_report_too(name: str, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    status, out, err = run("--output-format", name, cwd=tmp_path)
    assert (status, err) == (0, "")
    if name == "junit":
        assert ElementTree.fromstring(out).get("failures") == "0"
    else:
        assert json.loads(out) in ([], {"source": {"name": "grpo-lint"}, "severity": "ERROR", "diagnostics": []})


def test_a_project_in_every_format(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(FAULTY)
    (tmp_path / "b.py").write_text("rewards.view(-1, n).mean(\n")
    targets = [word for name in ("gitlab", "junit", "rdjson") for word in ("--output-format", f"{name}:{name}.out")]
    assert run(*targets, cwd=tmp_path)[0] == 2
    rows = json.loads((tmp_path / "gitlab.out").read_text("utf-8"))
    assert [row["check_name"] for row in rows] == ["GRPO001", "not-checked"]
    suites = ElementTree.parse(tmp_path / "junit.out").getroot()
    assert (suites.get("failures"), suites.get("errors")) == ("1", "1")
    diagnostics = json.loads((tmp_path / "rdjson.out").read_text("utf-8"))["diagnostics"]
    assert [row["location"]["range"]["start"]["line"] for row in diagnostics] == [11, 1]
    assert diagnostics[0]["suggestions"]
