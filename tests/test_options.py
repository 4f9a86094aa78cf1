"""The options that users of ruff and pre-commit expect, through the command line."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from command_line import FAULTY, run

REPAIRABLE = """\
import torch


class Sample:
    group_index: int
    reward: float


def advantages_of(args, samples: list[Sample]):
    rewards = torch.tensor([sample.reward for sample in samples])
    rewards = rewards.view(-1, args.n_samples_per_prompt)
    return (rewards - rewards.mean(dim=-1, keepdim=True)).flatten()
"""
ROW = FAULTY.replace("view(-1, args.n_samples_per_prompt)", "view(1, -1)").replace("args", "prompts")
NOTE = "grpo-lint: the repaired code imports grpo_lint.reference"


def codes(out: str) -> list[str]:
    return [line.split()[1] for line in out.splitlines() if ": GRPO" in line]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_text(FAULTY)
    (tmp_path / "b.py").write_text(ROW)
    return tmp_path


# --extend-select


@pytest.mark.parametrize(
    ("configured", "arguments", "expected"),
    [
        ("", ["--extend-select", "GRPO001"], ["GRPO001", "GRPO002"]),
        ('select = ["GRPO001"]', [], ["GRPO001"]),
        ('select = ["GRPO001"]', ["--extend-select", "GRPO002"], ["GRPO001", "GRPO002"]),
        ('ignore = ["GRPO002"]', ["--extend-select", "GRPO002"], ["GRPO001", "GRPO002"]),
        ('ignore = ["GRPO"]', ["--extend-select", "GRPO002"], ["GRPO002"]),
        ("", ["--select", "GRPO001", "--extend-select", "GRPO002"], ["GRPO001", "GRPO002"]),
        ("", ["--extend-select", "GRPO002", "--ignore", "GRPO002"], ["GRPO001"]),
    ],
)
def test_extend_select_adds_to_what_is_selected(
    project: Path, configured: str, arguments: list[str], expected: list[str]
) -> None:
    (project / "grpo-lint.toml").write_text(configured)
    status, out, err = run(*arguments, cwd=project)
    assert (status, codes(out), err) == (1, expected, "")


# --exit-zero, --exit-non-zero-on-fix


def test_exit_zero_reports_all_the_same(project: Path) -> None:
    plain, zero = run(cwd=project), run("--exit-zero", cwd=project)
    assert (plain[0], zero[0]) == (1, 0)
    assert plain[1:] == zero[1:]
    assert run("--exit-zero", "--diff", cwd=project)[0] == 0


def test_exit_zero_hides_no_error(project: Path) -> None:
    status, out, err = run("--exit-zero", ".", "missing.py", cwd=project)
    assert (status, err) == (2, "missing.py: No such file or directory\n")
    assert codes(out) == ["GRPO001", "GRPO002"]


def test_exit_non_zero_on_fix(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(REPAIRABLE)
    status, out, err = run("--fix", "--exit-non-zero-on-fix", cwd=tmp_path)
    assert (status, out) == (1, "Found 1 finding (1 fixed, 0 remaining).\n")
    assert err.startswith(NOTE)
    assert run("--fix", "--exit-non-zero-on-fix", cwd=tmp_path) == (0, "All checks passed!\n", "")


# -q


@pytest.mark.parametrize("option", ["-q", "--quiet"])
def test_quiet_keeps_findings_and_errors_alone(project: Path, option: str) -> None:
    (project / "a.py").write_text(FAULTY.replace("_prompt)\n", "_prompt)  # noqa\n"))
    (project / "c.py").write_text(FAULTY + "x = (\n")
    status, out, err = run(option, cwd=project)
    assert status == 2
    assert codes(out) == ["GRPO001", "GRPO002"]
    assert not any(word in out for word in ("Found", "fixable", "hidden"))
    assert err == "c.py:7:5: '(' was never closed (as Python {}.{} reads it)\n".format(*sys.version_info)


def test_quiet_says_nothing_of_a_clean_project_a_patch_or_a_repair(tmp_path: Path) -> None:
    assert run("-q", cwd=tmp_path) == (0, "", "")
    (tmp_path / "a.py").write_text(REPAIRABLE)
    status, out, err = run("-q", "--diff", cwd=tmp_path)
    assert (status, out[:11], err) == (1, "--- a/a.py\n", "")
    assert run("-q", "--fix", cwd=tmp_path) == (0, "", "")


# --config, --isolated


@pytest.fixture
def configured(project: Path) -> Path:
    """A project whose own configuration ignores all, beside one that does not."""
    (project / "pyproject.toml").write_text('[tool.grpo-lint]\nignore = ["GRPO"]\n')
    (project / "ci").mkdir()
    (project / "ci" / "strict.toml").write_text('select = ["GRPO002"]\nexclude = ["a.py"]\n')
    (project / "ci" / "pyproject.toml").write_text('[tool.grpo-lint]\nselect = ["GRPO001"]\n')
    return project


def test_isolated_reads_no_configuration(configured: Path) -> None:
    assert run(cwd=configured)[0] == 0
    status, out, err = run("--isolated", cwd=configured)
    assert (status, codes(out), err) == (1, ["GRPO001", "GRPO002"], "")


@pytest.mark.parametrize(("file", "expected"), [("ci/strict.toml", ["GRPO002"]), ("ci/pyproject.toml", ["GRPO001"])])
def test_a_configuration_by_name_is_the_only_one(configured: Path, file: str, expected: list[str]) -> None:
    (configured / "sub").mkdir()
    (configured / "sub" / "grpo-lint.toml").write_text("no = 'key'\n")
    status, out, err = run("--config", file, cwd=configured)
    assert (status, codes(out), err) == (1, expected, "")


def test_its_patterns_are_relative_to_the_current_folder(configured: Path) -> None:
    (configured / "ci" / "strict.toml").write_text('exclude = ["/a.py"]\n')
    assert codes(run("--config", "ci/strict.toml", cwd=configured)[1]) == ["GRPO002"]
    assert codes(run("--config", "strict.toml", "..", cwd=configured / "ci")[1]) == ["GRPO001", "GRPO002"]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("missing.toml", None, "missing.toml: No such file or directory"),
        ("c.toml", "select = 3", "c.toml: select: expected a list of strings, found 3"),
        ("c.toml", "selct = []", "c.toml: selct: unknown key: did you mean 'select'?"),
        ("c.toml", 'select = ["GRPO001x"]', "c.toml: select: unknown code 'GRPO001x': did you mean 'GRPO001'?"),
        ("c.toml", "= 3", "c.toml: not valid TOML: Invalid statement (at line 1, column 1)"),
        (
            "c.toml",
            "[tool.grpo-lint]\nselect = []",
            "c.toml: tool: in this file the keys stand at the top level, not below [tool.grpo-lint]",
        ),
        ("pyproject.toml", "[project]", "pyproject.toml: has no table [tool.grpo-lint]"),
    ],
)
def test_a_configuration_that_cannot_be_used(project: Path, name: str, text: str | None, said: str) -> None:
    if text is not None:
        (project / name).write_text(text)
    assert run("--config", name, cwd=project) == (2, "", f"{said}\n")


# --show-files


def test_show_files_lists_what_would_be_checked(project: Path) -> None:
    (project / "grpo-lint.toml").write_text('exclude = ["b.py"]\n')
    (project / "sub").mkdir()
    (project / "sub" / "\x1b.py").touch()
    (project / "sub" / "note.txt").touch()
    assert run("--show-files", cwd=project) == (0, "a.py\nsub/\\x1b.py\n", "")
    assert run("--show-files", "b.py", "missing.py", "a.py", cwd=project) == (
        2,
        "a.py\n",
        "missing.py: No such file or directory\n",
    )


# a misspelt command


def test_a_word_that_may_be_a_misspelt_command(project: Path) -> None:
    status, out, err = run("explian", "GRPO001", cwd=project)
    assert (status, out) == (2, "No findings, but not everything was checked: 2 errors.\n")
    assert err.splitlines()[-1] == "grpo-lint: 'explian' is neither a path nor a command: did you mean 'explain'?"


def test_a_word_that_is_a_path_or_like_no_command_is_none(project: Path) -> None:
    (project / "explian").mkdir()
    assert "command" not in run("explian", cwd=project)[2]
    assert "command" not in run("nothing-like-it", cwd=project)[2]
