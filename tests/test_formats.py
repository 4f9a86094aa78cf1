"""Reports for machines: GitHub's commands, SARIF, counts; and where each report goes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import pytest
from command_line import ROOT, run

from grpo_lint import __version__
from grpo_lint.model import Edit, Finding, Fix, Mark, Position, Range, Safety
from grpo_lint.outcome import Fault, FileResult
from grpo_lint.report import ReportOptions, renderer
from grpo_lint.rules import CODES

# The standard's schema lies beside the checkout in CI; elsewhere the documents are only compared.
_SCHEMA = ROOT.parent / "shared/data/sarif-schema-2.1.0.json"
SARIF = json.loads(_SCHEMA.read_text("utf-8")) if _SCHEMA.exists() else {}

FAULTY = """\
import torch


class Sample:
    group_index: int
    reward: float


def advantages_of(args, samples: list[Sample]):
    rewards = torch.tensor([sample.reward for sample in samples])
    rewards = rewards.view(-1, args.n_samples_per_prompt)
    return (rewards - rewards.mean(dim=-1, keepdim=True)).flatten()
"""
AT = Range(Position(2, 5), Position(2, 9))
FIX = Fix(
    Safety.UNSAFE, "group by `uids`", (Edit(AT, "f()"), Edit(Range(Position(1, 1), Position(1, 1)), "import f\n"))
)


def finding(message: str = "is wrong", fix: Fix | None = None) -> Finding:
    evidence = (Mark(Range(Position(1, 1), Position(1, 2)), "the rewards"), Mark(AT, "grouped"))
    return Finding("GRPO002", "whole-batch-row", message, AT, fix, evidence=evidence, scope="f")


def result(*findings: Finding, path: str = "/here/a.py", fault: Fault | None = None) -> FileResult:
    return FileResult(path, findings, text="x = 1\n    y.z\n" * 2, fault=fault)


def rendered(name: str, *results: FileResult) -> str:
    return renderer(name)(results, ReportOptions("/here"))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_text(FAULTY)
    (tmp_path / "b.py").write_text(FAULTY.replace("view(-1, args.n_samples_per_prompt)", "view(1, -1)"))
    return tmp_path


# github


def test_github_annotations() -> None:
    assert rendered("github") == rendered("github", result()) == ""
    assert rendered("github", result(finding(), finding("is wrong too"))) == (
        "::error title=grpo-lint (GRPO002),file=a.py,line=2,col=5,endLine=2,endColumn=9"
        "::a.py:2:5: GRPO002 is wrong\n"
        "::error title=grpo-lint (GRPO002),file=a.py,line=2,col=5,endLine=2,endColumn=9"
        "::a.py:2:5: GRPO002 is wrong too\n"
    )


@pytest.mark.parametrize(
    ("fault", "line"),
    [
        (Fault("no"), "::error title=grpo-lint,file=a.py::a.py: no\n"),
        (Fault("no", Position(3, 7)), "::error title=grpo-lint,file=a.py,line=3,col=7::a.py:3:7: no\n"),
    ],
)
def test_github_annotates_what_could_not_be_checked(fault: Fault, line: str) -> None:
    assert rendered("github", result(fault=fault)) == line


@pytest.mark.parametrize(
    "hostile",
    [
        "a\n::error::injected",
        "a\r::set-output name=x::y",
        "a%0A::error::injected",
        "a,line=1",
        "a::b",
        "a,file=b::c",
        "::stop-commands::x",
        "a\u2028::error::x",
        "\x1b]0;x\x07",
    ],
)
def test_nothing_can_be_injected_into_githubs_commands(hostile: str) -> None:
    out = rendered("github", result(finding(hostile), path=f"/here/{hostile}.py"))
    assert len(out.splitlines()) == 1
    assert out.removesuffix("\n").isprintable()
    head, message = re.fullmatch(r"::error ([^:]*)::(.*)\n", out).groups()  # type: ignore[union-attr]
    assert [each.partition("=")[0] for each in head.split(",")] == [
        "title",
        "file",
        "line",
        "col",
        "endLine",
        "endColumn",
    ]
    assert not re.search(r"%(?!25|3A|2C)", out)
    assert "GRPO002" in message


# sarif


def sarif(*results: FileResult) -> dict[str, object]:
    document = json.loads(rendered("sarif", *results))
    jsonschema.Draft4Validator(SARIF).validate(document)
    (run_,) = document["runs"]
    assert isinstance(run_, dict)
    return run_


def test_sarif_of_nothing_has_the_rules() -> None:
    found = sarif(result())
    assert found["results"] == []
    assert found["invocations"] == [{"executionSuccessful": True, "toolExecutionNotifications": []}]
    driver = found["tool"]["driver"]  # type: ignore[index]
    assert (driver["name"], driver["version"]) == ("grpo-lint", __version__)
    assert tuple(rule["id"] for rule in driver["rules"]) == CODES
    assert all(rule["help"]["markdown"] and rule["shortDescription"]["text"] for rule in driver["rules"])


def test_a_sarif_result() -> None:
    (row,) = sarif(result(finding(fix=FIX)))["results"]  # type: ignore[misc]
    place = {"artifactLocation": {"uri": "a.py", "uriBaseId": "%SRCROOT%"}}
    region = {"startLine": 2, "startColumn": 5, "endLine": 2, "endColumn": 9}
    first = {"startLine": 1, "startColumn": 1, "endLine": 1, "endColumn": 2}
    start = {"startLine": 1, "startColumn": 1, "endLine": 1, "endColumn": 1}
    assert re.fullmatch("[0-9a-f]{32}", row.pop("partialFingerprints")["grpoLint/v1"])
    assert row == {
        "ruleId": "GRPO002",
        "ruleIndex": CODES.index("GRPO002"),
        "level": "error",
        "message": {"text": "is wrong"},
        "locations": [{"physicalLocation": {**place, "region": region}}],
        "relatedLocations": [
            {"physicalLocation": {**place, "region": first}, "message": {"text": "the rewards"}},
        ],
        "fixes": [
            {
                "description": {"text": "unsafe fix: group by `uids`"},
                "artifactChanges": [
                    {
                        **place,
                        "replacements": [
                            {"deletedRegion": region, "insertedContent": {"text": "f()"}},
                            {"deletedRegion": start, "insertedContent": {"text": "import f\n"}},
                        ],
                    }
                ],
            }
        ],
    }


@pytest.mark.parametrize(
    ("position", "region"),
    [(None, {}), (Position(3, 7), {"region": {"startLine": 3, "startColumn": 7}})],
)
def test_sarif_says_what_could_not_be_checked(position: Position | None, region: dict[str, object]) -> None:
    fault = Fault("not Python", position)
    (invocation,) = sarif(result(fault=fault), result(finding()))["invocations"]  # type: ignore[misc]
    assert invocation["executionSuccessful"] is False
    (notification,) = invocation["toolExecutionNotifications"]
    assert notification["message"] == {"text": "not Python"}
    place = {"artifactLocation": {"uri": "a.py", "uriBaseId": "%SRCROOT%"}}
    assert notification["locations"] == [{"physicalLocation": place | region}]


def test_sarif_says_where_a_file_does_not_parse(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("rewards.view(-1, n).mean()\nx = (\n")
    status, out, _ = run("--output-format", "sarif", cwd=tmp_path)
    (notification,) = json.loads(out)["runs"][0]["invocations"][0]["toolExecutionNotifications"]
    assert status == 2
    assert notification["locations"][0]["physicalLocation"]["region"] == {"startLine": 2, "startColumn": 5}


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("/here/a b/é#?.py", {"uri": "a%20b/%C3%A9%23%3F.py", "uriBaseId": "%SRCROOT%"}),
        ("/here/\udcff.py", {"uri": "%FF.py", "uriBaseId": "%SRCROOT%"}),
        ("/there/a.py", {"uri": "file:///there/a.py"}),
    ],
)
def test_sarif_places(path: str, place: dict[str, str]) -> None:
    (row,) = sarif(result(finding(), path=path))["results"]  # type: ignore[misc]
    assert row["locations"][0]["physicalLocation"]["artifactLocation"] == place


def test_sarif_of_a_project(project: Path) -> None:
    status, out, err = run("--output-format", "sarif", cwd=project)
    assert (status, err) == (1, "")
    document = json.loads(out)
    jsonschema.Draft4Validator(SARIF).validate(document)
    rows = document["runs"][0]["results"]
    assert [(row["ruleId"], len(row["relatedLocations"]), len(row["fixes"])) for row in rows] == [
        ("GRPO001", 3, 1),
        ("GRPO002", 3, 1),
    ]


def fingerprints(project: Path, text: str) -> list[str]:
    (project / "a.py").write_text(text)
    rows = json.loads(run("--output-format", "sarif", "a.py", cwd=project)[1])["runs"][0]["results"]
    return [row["partialFingerprints"]["grpoLint/v1"] for row in rows]


def test_fingerprints_survive_moved_and_reformatted_lines(project: Path) -> None:
    (first,) = fingerprints(project, FAULTY)
    for other in (
        "# a comment\n\n\n" + FAULTY,
        FAULTY.replace(
            "view(-1, args.n_samples_per_prompt)", "view(\n        -1,\n        args.n_samples_per_prompt,\n    )"
        ),
        FAULTY.replace("    rewards = rewards", "    # why\n    rewards = rewards"),
        FAULTY.replace("\n", "\r\n"),
    ):
        assert fingerprints(project, other) == [first]
    copied = FAULTY + "\n\n" + FAULTY.partition("\n\n\n")[2].replace("class Sample", "class Other")
    both = fingerprints(project, copied)
    assert both[0] == first
    assert len(set(both)) == 2
    assert first not in fingerprints(project, FAULTY.replace("advantages_of", "other"))


# where reports go


def test_a_format_with_a_file_goes_there_besides_the_text(project: Path) -> None:
    plain = run(cwd=project)
    formats = ("--output-format", "sarif:out.sarif", "--output-format", "json:out.json")
    assert run(*formats, cwd=project) == plain
    assert json.loads((project / "out.sarif").read_text())["version"] == "2.1.0"
    assert len(json.loads((project / "out.json").read_text())) == 2


def test_one_format_is_printed_and_others_go_to_files(project: Path) -> None:
    status, out, err = run("--output-format", "github", "--output-format", "concise:out.txt", cwd=project)
    assert (status, err) == (1, "")
    assert out.count("::error ") == len(out.splitlines()) == 2
    assert (project / "out.txt").read_text() == run("--output-format", "concise", cwd=project)[1]


@pytest.mark.parametrize("arguments", [[], ["--output-format", "json"], ["--diff"]])
def test_output_file_takes_what_would_be_printed(project: Path, arguments: list[str]) -> None:
    status, out, err = run(*arguments, cwd=project)
    assert run(*arguments, "--output-file", "out", cwd=project) == (status, "", err)
    assert (project / "out").read_text() == out


def test_a_file_has_no_color(project: Path) -> None:
    run("--color", "always", "--output-format", "text:out", cwd=project)
    assert "\x1b" not in (project / "out").read_text()


def test_a_report_that_cannot_be_written_is_exit_2(project: Path) -> None:
    status, out, err = run("--output-format", "sarif:missing/out", "--output-format", "json:out", cwd=project)
    assert (status, err) == (2, "grpo-lint: missing/out: No such file or directory\n")
    assert "Found 2 findings." in out
    assert (project / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--output-format", "json:a.py"], "grpo-lint: a.py: is one of the files to check, not to write to\n"),
        (["--output-file", "./b.py"], "grpo-lint: ./b.py: is one of the files to check, not to write to\n"),
        (
            ["--output-format", "json:o", "--output-format", "sarif:./o"],
            "grpo-lint: o: is to hold two reports\n",
        ),
    ],
)
def test_a_report_replaces_neither_code_nor_another_report(project: Path, arguments: list[str], said: str) -> None:
    assert run(*arguments, cwd=project) == (2, "", said)
    assert (project / "a.py").read_text() == FAULTY
    assert not (project / "o").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--output-format", "json", "--output-format", "text"], "only one --output-format can go to standard output"),
        (["--output-format", "sarif:"], "argument --output-format: 'sarif:' names no file behind the colon"),
        (
            ["--output-format", "srif:x"],
            "'srif' is not one of text, concise, json, github, sarif, gitlab, junit, rdjson: did you mean 'sarif'?",
        ),
        (["--diff", "--output-format", "sarif:x"], "--diff writes a patch"),
        (["--diff", "--statistics"], "--diff writes a patch"),
        (["--statistics", "--output-format", "sarif"], "--statistics has the formats text, concise, json only"),
    ],
)
def test_contradictions(project: Path, arguments: list[str], said: str) -> None:
    status, out, err = run(*arguments, cwd=project)
    assert (status, out) == (2, "")
    assert said in err


# counts


def test_statistics(project: Path) -> None:
    (project / "c.py").write_text(FAULTY.replace("    group_index: int\n", ""))
    assert run("--statistics", cwd=project) == (
        1,
        "2  GRPO001  [-] reward-reshape\n"
        "1  GRPO002  [*] whole-batch-row\n"
        "Found 3 findings.\n"
        "[*] 2 fixable with `--fix`.\n",
        "",
    )
    status, out, err = run("--statistics", "--output-format", "json", cwd=project)
    assert (status, err) == (1, "")
    assert json.loads(out) == [
        {"code": "GRPO001", "name": "reward-reshape", "count": 2, "fixable_count": 1},
        {"code": "GRPO002", "name": "whole-batch-row", "count": 1, "fixable_count": 1},
    ]


def test_statistics_of_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.py").touch()
    assert run("--statistics", cwd=tmp_path) == (0, "All checks passed!\n", "")
    assert run("--statistics", "--output-format", "json", cwd=tmp_path) == (0, "[]\n", "")
