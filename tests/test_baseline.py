"""A baseline hides the findings that there were, revives none that moves, and shows each that is new."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import FAULTY, run

NAME = ".grpo-lint-baseline.json"

FUNCTION = FAULTY.partition("\n\n\n")[2]
CLEAN = "import torch\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project whose one finding is recorded."""
    (tmp_path / "a.py").write_text(FAULTY)
    assert run("baseline", "write", cwd=tmp_path) == (0, f"1 finding written to {NAME}.\n", "")
    return tmp_path


def new(project: Path, *arguments: str) -> list[str]:
    """The places that are reported against the baseline."""
    out = run("--baseline", NAME, "--output-format", "concise", *arguments, cwd=project)[1]
    return [line.partition(" ")[0] for line in out.splitlines() if ": GRPO" in line]


def test_the_file_can_be_read_by_people(project: Path) -> None:
    assert json.loads((project / NAME).read_text()) == {
        "version": 1,
        "findings": [
            {
                "file": "a.py",
                "code": "GRPO001",
                "scope": "advantages_of",
                "source": "rewards.view(-1, args.n_samples_per_prompt)",
                "count": 1,
            }
        ],
    }
    before = (project / NAME).read_bytes()
    assert run("baseline", "write", cwd=project)[0] == 0
    assert (project / NAME).read_bytes() == before


def test_what_is_recorded_is_not_reported(project: Path) -> None:
    assert run(cwd=project)[0] == 1
    assert run("--baseline", NAME, cwd=project) == (
        0,
        f"All checks passed!\n1 more finding in the baseline {NAME}.\n",
        "",
    )
    assert run("--baseline", NAME, "--output-format", "json", cwd=project) == (0, "[]\n", "")
    assert run("--baseline", NAME, "-q", cwd=project) == (0, "", "")


@pytest.mark.parametrize(
    "text",
    [
        "# moved down\n\n\n\n" + FAULTY,
        FAULTY.replace("    rewards = rewards", "    # why\n    size = 3\n    rewards = rewards"),
        FAULTY.replace(
            "view(-1, args.n_samples_per_prompt)", "view(\n        -1,\n        args.n_samples_per_prompt,\n    )"
        ),
        FAULTY.replace("rewards.mean(dim=-1", "rewards.mean(dim=1"),
        FAULTY.replace("import torch\n", "import torch\n\n\ndef other():\n    pass\n"),
        FAULTY.replace("\n", "\r\n"),
    ],
)
def test_moved_and_reformatted_lines_revive_nothing(project: Path, text: str) -> None:
    (project / "a.py").write_bytes(text.encode())
    assert new(project) == []


@pytest.mark.parametrize(
    ("name", "text", "places"),
    [
        ("b.py", FAULTY, ["b.py:5:15:"]),
        ("sub/a.py", FAULTY, ["sub/a.py:5:15:"]),
        ("a.py", FAULTY + "\n\n" + FUNCTION.replace("advantages_of", "more"), ["a.py:10:15:"]),
        ("a.py", FAULTY + "\n\n" + FUNCTION, ["a.py:10:15:"]),
        ("a.py", FAULTY + "\n\nclass A:\n    " + FUNCTION.replace("\n", "\n    "), ["a.py:11:19:"]),
        ("a.py", FAULTY.replace("args.n_samples_per_prompt", "args.group_size"), ["a.py:5:15:"]),
        (
            "a.py",
            FAULTY.replace("view(-1, args.n_samples_per_prompt)", "view(1, -1)").replace("args", "prompts"),
            ["a.py:5:15:"],
        ),
    ],
)
def test_a_copy_or_another_form_is_new(project: Path, name: str, text: str, places: list[str]) -> None:
    (project / name).parent.mkdir(exist_ok=True)
    (project / name).write_text(text)
    assert new(project) == places


def test_fixed_entries_are_said_and_taken_out(project: Path) -> None:
    (project / "a.py").write_text(CLEAN)
    said = f"1 entry of {NAME} is fixed: `grpo-lint baseline update` takes them out.\n"
    assert run("--baseline", NAME, cwd=project) == (0, f"All checks passed!\n{said}", "")
    assert run("baseline", "check", cwd=project) == (
        1,
        "a.py: GRPO001 in advantages_of: `rewards.view(-1, args.n_samples_per_prompt)` is fixed\n"
        f"{NAME}: 0 new findings, 1 fixed entry, 0 as recorded.\n",
        "",
    )
    assert run("baseline", "update", cwd=project) == (0, "1 fixed entry taken out, 0 left.\n", "")
    assert json.loads((project / NAME).read_text())["findings"] == []
    (project / "a.py").write_text(FAULTY)
    assert new(project) == ["a.py:5:15:"]


def test_a_deleted_file_is_fixed_and_an_unchecked_one_is_not(project: Path) -> None:
    (project / "b.py").write_text(FAULTY)
    run("baseline", "write", cwd=project)
    (project / "c.py").write_text(CLEAN)
    assert "fixed" not in run("--baseline", NAME, "c.py", cwd=project)[1]
    (project / "b.py").unlink()
    assert "1 entry of" in run("--baseline", NAME, "c.py", cwd=project)[1]


def test_a_file_that_cannot_be_checked_fixes_nothing(project: Path) -> None:
    (project / "a.py").write_text(FAULTY + "x = (\n")
    status, out, err = run("--baseline", NAME, cwd=project)
    assert (status, err) == (2, "a.py:7:5: '(' was never closed\n")
    assert "fixed" not in out
    assert run("baseline", "update", cwd=project)[:2] == (2, "0 fixed entries taken out, 1 left.\n")


def test_update_adds_nothing_and_check_tells_what_is_new(project: Path) -> None:
    (project / "b.py").write_text(FAULTY)
    assert run("baseline", "update", cwd=project) == (0, "0 fixed entries taken out, 1 left.\n", "")
    status, out, err = run("baseline", "check", cwd=project)
    assert (status, err) == (1, "")
    assert out.startswith("b.py:5:15: GRPO001 ")
    assert out.endswith(f"{NAME}: 1 new finding, 0 fixed entries, 1 as recorded.\n")


def test_check_of_what_is_recorded_is_quiet(project: Path) -> None:
    assert run("baseline", "check", cwd=project) == (
        0,
        f"{NAME}: 0 new findings, 0 fixed entries, 1 as recorded.\n",
        "",
    )


def test_files_are_relative_to_the_baseline(project: Path) -> None:
    (project / "sub").mkdir()
    assert run("--baseline", f"../{NAME}", "..", cwd=project / "sub")[0] == 0
    assert run("baseline", "write", "--baseline", "base.json", "..", cwd=project / "sub")[0] == 0
    assert json.loads((project / "sub/base.json").read_text())["findings"][0]["file"] == "../a.py"
    assert run("--baseline", "sub/base.json", cwd=project)[0] == 0


def test_the_selection_holds_for_a_baseline(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(FAULTY)
    assert run("baseline", "write", "--ignore", "GRPO001", cwd=tmp_path)[1] == f"0 findings written to {NAME}.\n"


def test_a_repair_of_what_is_recorded_is_counted_as_fixed(project: Path) -> None:
    (project / "a.py").write_text(FAULTY.replace("rewards: torch.Tensor", "rewards: torch.Tensor, prompt_uids"))
    status, out, _ = run("--baseline", NAME, "--fix", "--unsafe-fixes", cwd=project)
    assert (status, out.splitlines()[0]) == (0, "Found 1 finding (1 fixed, 0 remaining).")
    assert "1 entry of" in out


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "No such file or directory"),
        ("", "not a baseline: Expecting value: line 1 column 1 (char 0)"),
        ("[]", "not a baseline: it holds no list of findings"),
        ('{"version": 1}', "not a baseline: it holds no list of findings"),
        ('{"version": 2, "findings": []}', "its version is 2, and this grpo-lint reads version 1"),
        ('{"version": 1, "findings": [{"file": 1}]}', 'not a baseline: {"file": 1} is no finding'),
    ],
)
@pytest.mark.parametrize("command", [["--baseline", "b\x1b.json"], ["baseline", "check", "--baseline", "b\x1b.json"]])
def test_a_baseline_that_cannot_be_read(tmp_path: Path, content: str | None, said: str, command: list[str]) -> None:
    if content is not None:
        (tmp_path / "b\x1b.json").write_text(content)
    assert run(*command, cwd=tmp_path) == (2, "", f"b\\x1b.json: {said}\n")


def test_a_baseline_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "a.py").touch()
    assert run("baseline", "write", "--baseline", "missing/b.json", cwd=tmp_path) == (
        2,
        "",
        "missing/b.json: No such file or directory\n",
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "the following arguments are required: write|update|check"),
        (["wirte"], "'wirte' is not one of write, update, check: did you mean 'write'?"),
        (["write", "--fix"], "unrecognized arguments: --fix"),
    ],
)
def test_usage(tmp_path: Path, arguments: list[str], said: str) -> None:
    status, out, err = run("baseline", *arguments, cwd=tmp_path)
    assert (status, out) == (2, "")
    assert said in err
