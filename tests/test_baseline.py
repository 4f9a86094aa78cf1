"""A baseline hides the findings that there were, revives none that moves, and shows each that is new."""

from __future__ import annotations

import json
import sys
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
    assert run("baseline", "write", cwd=tmp_path) == (
        0,
        f"{NAME}: 1 finding added, 0 entries taken out, 0 as recorded.\n",
        "",
    )
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
    said = f"1 entry of {NAME} no longer found: `grpo-lint baseline update` takes it out.\n"
    assert run("--baseline", NAME, cwd=project) == (0, f"All checks passed!\n{said}", "")
    assert run("baseline", "check", cwd=project) == (
        1,
        "a.py: GRPO001 in advantages_of: `rewards.view(-1, args.n_samples_per_prompt)` is no longer found\n"
        f"{NAME}: 0 new findings, 1 entry no longer found, 0 as recorded.\n",
        "",
    )
    assert run("baseline", "update", cwd=project) == (0, f"{NAME}: 1 entry taken out, 0 left.\n", "")
    assert json.loads((project / NAME).read_text())["findings"] == []
    (project / "a.py").write_text(FAULTY)
    assert new(project) == ["a.py:5:15:"]


def test_a_deleted_file_is_fixed_and_an_unchecked_one_is_not(project: Path) -> None:
    (project / "b.py").write_text(FAULTY)
    run("baseline", "write", cwd=project)
    (project / "c.py").write_text(CLEAN)
    assert "no longer found" not in run("--baseline", NAME, "c.py", cwd=project)[1]
    (project / "b.py").unlink()
    assert "1 entry of" in run("--baseline", NAME, "c.py", cwd=project)[1]


def test_a_file_that_cannot_be_checked_fixes_nothing(project: Path) -> None:
    (project / "a.py").write_text(FAULTY + "x = (\n")
    status, out, err = run("--baseline", NAME, cwd=project)
    assert (status, err) == (2, "a.py:7:5: '(' was never closed (as Python {}.{} reads it)\n".format(*sys.version_info))
    assert "no longer found" not in out
    assert run("baseline", "update", cwd=project)[:2] == (2, f"{NAME}: 0 entries taken out, 1 left.\n")


def test_update_adds_nothing_and_check_tells_what_is_new(project: Path) -> None:
    (project / "b.py").write_text(FAULTY)
    assert run("baseline", "update", cwd=project) == (0, f"{NAME}: 0 entries taken out, 1 left.\n", "")
    status, out, err = run("baseline", "check", cwd=project)
    assert (status, err) == (1, "")
    assert out.startswith("b.py:5:15: GRPO001 ")
    assert out.endswith(f"{NAME}: 1 new finding, 0 entries no longer found, 1 as recorded.\n")


def test_check_of_what_is_recorded_is_quiet(project: Path) -> None:
    assert run("baseline", "check", cwd=project) == (
        0,
        f"{NAME}: 0 new findings, 0 entries no longer found, 1 as recorded.\n",
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
    said = f"{NAME}: 0 findings added, 0 entries taken out, 0 as recorded.\n"
    assert run("baseline", "write", "--ignore", "GRPO001", cwd=tmp_path) == (0, said, "")


TWO = """\
import torch


class Sample:
    group_index: int
    reward: float


def old(args, samples: list[Sample]):
    rewards = torch.tensor([sample.reward for sample in samples])
    rewards = rewards.view(-1, args.n_samples_per_prompt)
    return (rewards - rewards.mean(dim=-1, keepdim=True)).flatten()
"""
NEW = "\n\n" + TWO.partition("\n\n\ndef")[2].replace(" old", "def new", 1)


@pytest.mark.parametrize("mode", ["--fix", "--diff"])
def test_what_is_recorded_is_not_repaired(tmp_path: Path, mode: str) -> None:
    (tmp_path / "a.py").write_text(TWO)
    run("baseline", "write", cwd=tmp_path)
    (tmp_path / "a.py").write_text(TWO + NEW)
    status, out, err = run("--baseline", NAME, mode, cwd=tmp_path)
    said = out if mode == "--fix" else err
    assert said.splitlines()[-1] == f"1 more finding in the baseline {NAME}."
    if mode == "--fix":
        assert (status, out.splitlines()[0]) == (0, "Found 1 finding (1 fixed, 0 remaining).")
        assert (tmp_path / "a.py").read_text().count(".view(") == 1
        assert "def old(args, samples: list[Sample]):\n    rewards = torch" in (tmp_path / "a.py").read_text()
    else:
        assert (status, out.count("\n-    rewards = rewards.view")) == (1, 1)
        assert (tmp_path / "a.py").read_text() == TWO + NEW


def test_what_is_recorded_of_other_rules_and_files_stays(project: Path) -> None:
    row = FAULTY.replace("view(-1, args.n_samples_per_prompt)", "view(1, -1)").replace("args", "prompts")
    (project / "b.py").write_text(row)
    assert run("baseline", "write", "b.py", cwd=project)[1] == (
        f"{NAME}: 1 finding added, 0 entries taken out, 0 as recorded.\n"
    )
    assert [each["file"] for each in json.loads((project / NAME).read_text())["findings"]] == ["a.py", "b.py"]
    for arguments in (["--select", "GRPO001"], ["--ignore", "GRPO001"]):
        assert "no longer found" not in run("--baseline", NAME, *arguments, cwd=project)[1]
        assert run("baseline", "update", *arguments, cwd=project)[1] == f"{NAME}: 0 entries taken out, 2 left.\n"
        assert run("baseline", "check", *arguments, cwd=project)[0] == 0
    (project / "grpo-lint.toml").write_text('ignore = ["GRPO002"]\n')
    assert run("baseline", "update", cwd=project)[1] == f"{NAME}: 0 entries taken out, 2 left.\n"


def test_a_file_that_cannot_be_checked_keeps_its_entries(project: Path) -> None:
    (project / "a.py").write_text(FAULTY + "x = (\n")
    assert run("baseline", "write", cwd=project)[:2] == (
        2,
        f"{NAME}: 0 findings added, 0 entries taken out, 0 as recorded.\n",
    )
    assert len(json.loads((project / NAME).read_text())["findings"]) == 1


def test_entries_that_a_merge_has_doubled_count_together(project: Path) -> None:
    document = json.loads((project / NAME).read_text())
    document["findings"] *= 2
    (project / NAME).write_text(json.dumps(document))
    (project / "a.py").write_text(FAULTY + "\n\n" + FUNCTION)
    assert new(project) == []


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "No such file or directory: `grpo-lint baseline write` makes one"),
        ("", "not a baseline: Expecting value: line 1 column 1 (char 0)"),
        ("[]", "not a baseline: it holds no list of findings"),
        ('{"version": 1}', "not a baseline: it holds no list of findings"),
        ('{"version": 2, "findings": []}', "its version is 2, and this grpo-lint reads version 1"),
        ('{"version": 1, "findings": [{"file": 1}]}', 'not a baseline: {"file": 1} is no finding'),
        (
            '{"version": 1, "findings": [{"file": "", "code": "", "scope": "", "source": "", "count": true}]}',
            'not a baseline: {"file": "", "code": "", "scope": "", "source": "", "count": true} is no finding',
        ),
    ],
)
@pytest.mark.parametrize("command", [["--baseline", "b\x1b.json"], ["baseline", "check", "--baseline", "b\x1b.json"]])
def test_a_baseline_that_cannot_be_read(tmp_path: Path, content: str | None, said: str, command: list[str]) -> None:
    if content is not None:
        (tmp_path / "b\x1b.json").write_text(content)
    assert run(*command, cwd=tmp_path) == (2, "", f"b\\x1b.json: {said}\n")


def test_a_baseline_replaces_no_code(project: Path) -> None:
    said = "a.py: is one of the files to check, not to write to\n"
    assert run("baseline", "write", "--baseline", "a.py", cwd=project) == (2, "", said)
    assert (project / "a.py").read_text() == FAULTY


def test_links_revive_nothing(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    link = tmp_path_factory.mktemp("links") / "link"
    link.symlink_to(project)
    assert run("--baseline", NAME, str(link), cwd=project)[0] == 0
    assert run("--baseline", str(link / NAME), ".", cwd=project)[0] == 0


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
