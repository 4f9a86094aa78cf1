"""GRPO102 on the command line: suppressed, recorded, gated and selected as other rules are."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from command_line import run

GUARD = """\
from pathlib import Path


def test_it():
    source = Path("lab/manager.py").read_text()
    assert "group_rewards(" in source
    assert "rewards.view(" not in source
"""
FIRST = '    assert "group_rewards(" in source'


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/test_it.py").write_text(GUARD)
    return tmp_path


def codes(folder: Path, *arguments: str) -> list[str]:
    status, out, err = run("--output-format", "json", *arguments, cwd=folder)
    assert err == ""
    found = [str(each["code"]) for each in json.loads(out)]
    assert status == bool(found)
    return found


def test_what_is_said(project: Path) -> None:
    assert run(cwd=project)[:2] == (
        1,
        "tests/test_it.py:6:5: GRPO102 `'group_rewards(' in source` searches the text of `lab/manager.py`: it fails on "
        "a line break and passes on dead code; say what must be called, and how, with `assert_call_site`\n"
        "  no fix: `lab/manager.py` is not found in the project\n"
        "Found 1 finding.\n",
    )


def test_evidence_is_shown(project: Path) -> None:
    out = run("--output-format", "sarif", cwd=project)[1]
    (result,) = json.loads(out)["runs"][0]["results"]
    related = result["relatedLocations"]
    assert [each["physicalLocation"]["region"]["startLine"] for each in related] == [5, 7]
    assert related[0]["message"]["text"] == "the source is read as text"


@pytest.mark.parametrize(
    "text",
    [
        GUARD.replace(FIRST, FIRST + "  # noqa: GRPO102 - on purpose"),
        GUARD.replace(FIRST, FIRST + "  # grpo-lint: ignore[GRPO102] on purpose"),
        GUARD + "# grpo-lint: ignore-file[GRPO102] on purpose\n",
    ],
)
def test_comments_suppress_it(project: Path, text: str) -> None:
    (project / "tests/test_it.py").write_text(text)
    assert codes(project) == []
    assert codes(project, "--report-unused-suppressions") == []
    (project / "tests/test_it.py").write_text(text.replace("read_text", "stat"))
    assert codes(project, "--report-unused-suppressions") == ["GRPO100"]


def test_comments_are_added(project: Path) -> None:
    assert run("--add-ignores", "--reason", "on purpose", cwd=project)[0] == 0
    expected = GUARD.replace(FIRST, FIRST + "  # noqa: GRPO102 - on purpose")
    assert (project / "tests/test_it.py").read_text() == expected


def test_it_is_selected_and_ignored(project: Path) -> None:
    assert codes(project, "--select", "GRPO0") == []
    assert codes(project, "--ignore", "GRPO102") == []
    assert codes(project, "--select", "GRPO102") == ["GRPO102"]
    (project / "grpo-lint.toml").write_text('per-file-ignores = {"tests/" = ["GRPO102"]}\n')
    assert codes(project) == []


def test_a_baseline_holds_it(project: Path) -> None:
    assert run("baseline", "write", "--baseline", "known.json", cwd=project)[0] == 0
    assert run("--baseline", "known.json", cwd=project)[0] == 0
    text = GUARD + '\n\ndef test_more():\n    assert "f(x)" in Path("lab/manager.py").read_text()\n'
    (project / "tests/test_it.py").write_text("\n\n" + text)
    out = run("--baseline", "known.json", "--output-format", "concise", cwd=project)[1]
    assert [line.split(" ")[0] for line in out.splitlines() if "GRPO102" in line] == ["tests/test_it.py:13:5:"]


def test_only_what_changed_is_reported(project: Path) -> None:
    def git(*arguments: str) -> None:
        identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        subprocess.run(["git", *identity, *arguments], cwd=project, check=True, capture_output=True)

    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "Guard")
    assert codes(project, "--diff-base", "HEAD") == []
    (project / "tests/test_it.py").write_text(GUARD.replace("rewards.view(", "rewards.reshape("))
    assert codes(project, "--diff-base", "HEAD") == ["GRPO102"], "its evidence changed"


def test_a_file_that_is_no_test_is_not_read(project: Path) -> None:
    """One that is must be Python."""
    broken = GUARD + "x = (\n"
    (project / "tools.py").write_text(broken)
    assert run("tools.py", cwd=project)[0] == 0
    (project / "tests/test_it.py").write_text(broken)
    assert run("tests", cwd=project)[0] == 2
