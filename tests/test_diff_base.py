"""`--diff-base`: only what the changes since a revision touch, by Git."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import command_line
import pytest

FAULTY = """\
import torch


def advantages_of(args, rewards: torch.Tensor):
    size = args.n_samples_per_prompt

    rewards = rewards.view(-1, size)

    mean = rewards.mean(dim=-1, keepdim=True)
    print("centred")
    return (rewards - mean).flatten()
"""
ENVIRONMENT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    **{f"GIT_{who}_{what}": "a@b.invalid" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
}


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, env={**os.environ, **ENVIRONMENT}, check=True, capture_output=True)


def run(*arguments: str, cwd: Path, **more: str) -> tuple[int, str, str]:
    return command_line.run(*arguments, cwd=cwd, **ENVIRONMENT, **more)


def touched(folder: Path, revision: str = "HEAD", *paths: str) -> list[str]:
    status, out, err = run("--diff-base", revision, "--output-format", "concise", *paths, cwd=folder)
    assert err == ""
    found = [line.partition(" ")[0] for line in out.splitlines() if ": GRPO" in line]
    assert status == (1 if found else 0)
    return found


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    (folder / "old.py").write_text(FAULTY)
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "old code")
    return folder


def test_what_was_there_is_not_reported(repository: Path) -> None:
    assert run("--diff-base", "HEAD", cwd=repository) == (
        0,
        "All checks passed!\n1 more finding, untouched since HEAD.\n",
        "",
    )


@pytest.mark.parametrize(
    ("before", "after", "is_touched"),
    [
        ("rewards: torch.Tensor", "rewards: 'torch.Tensor'", True),
        ("view(-1, size)", "view(-1,  size)", True),
        ("dim=-1", "dim=1", True),
        ("return (rewards - mean)", "return (  rewards - mean)", True),
        ("import torch\n", "import torch\nimport math\n", False),
        ("centred", "done", False),
        ('    print("centred")\n', "", True),  # a removed line counts for its neighbours: it may have been a guard
        ("    mean =", "    # the mean\n    mean =", False),
    ],
)
def test_a_finding_is_touched_where_its_evidence_is(
    repository: Path, before: str, after: str, is_touched: bool
) -> None:
    (repository / "old.py").write_text(FAULTY.replace(before, after))
    assert bool(touched(repository)) is is_touched


QUIET = """\
import numpy as np


def advantages_of(rewards, config):
    k = config.width
    grid = rewards.view(-1, k)
    return (grid - grid.mean(dim=-1, keepdim=True)).flatten()
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("config.width", "config.n_samples_per_prompt"),
        ("    k = config.width\n", "    k = 3; k = config.num_generations\n"),
    ],
)
def test_a_new_finding_counts_though_its_own_lines_are_old(repository: Path, before: str, after: str) -> None:
    (repository / "quiet.py").write_text(QUIET)
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "quiet")
    (repository / "quiet.py").write_text(QUIET.replace(before, after))
    assert touched(repository) == ["quiet.py:6:12:"]
    git(repository, "mv", "quiet.py", "moved.py")
    assert touched(repository) == ["moved.py:6:12:"]


def test_a_finding_that_is_no_longer_suppressed_is_new(repository: Path) -> None:
    suppressed = FAULTY.replace("view(-1, size)", "view(-1, size)  # noqa: GRPO001 - exact")
    (repository / "old.py").write_text("# grpo-lint: ignore-file[GRPO001] - exact\n" + suppressed)
    git(repository, "commit", "-qam", "suppressed")
    (repository / "old.py").write_text(FAULTY)
    assert touched(repository) == ["old.py:7:15:"]


def test_new_files_are_all_new(repository: Path) -> None:
    (repository / "untracked.py").write_text(FAULTY)
    (repository / "added.py").write_text(FAULTY)
    git(repository, "add", "added.py")
    assert touched(repository) == ["added.py:7:15:", "untracked.py:7:15:"]
    git(repository, "commit", "-qm", "new code")
    assert touched(repository, "HEAD~1") == ["added.py:7:15:", "untracked.py:7:15:"]
    assert touched(repository) == ["untracked.py:7:15:"]


def test_a_renamed_file_is_not_new(repository: Path) -> None:
    (repository / "sub").mkdir()
    git(repository, "mv", "old.py", "sub/new.py")
    assert touched(repository) == []
    (repository / "sub/new.py").write_text(FAULTY.replace("dim=-1", "dim=1"))
    assert touched(repository) == ["sub/new.py:7:15:"]


def test_only_this_side_of_a_fork_counts(repository: Path) -> None:
    git(repository, "switch", "-qc", "feature")
    (repository / "mine.py").write_text(FAULTY)
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "mine")
    git(repository, "switch", "-q", "main")
    (repository / "old.py").write_text(FAULTY.replace("dim=-1", "dim=1"))
    git(repository, "commit", "-qam", "theirs")
    git(repository, "switch", "-q", "feature")
    assert touched(repository, "main") == ["mine.py:7:15:"]


@pytest.mark.parametrize(
    "name", ["a b.py", "é群.py", 'q"uote.py', "tab\there.py", "new\nline.py", "back\\slash.py", "-x.py"]
)
def test_odd_names(repository: Path, name: str) -> None:
    (repository / name).write_text(FAULTY)
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "odd")
    assert touched(repository) == []
    (repository / name).write_text(FAULTY.replace("dim=-1", "dim=1"))
    assert len(touched(repository)) == 1


def test_lines_that_look_like_a_patch(repository: Path) -> None:
    decoy = '"""\n++ b/old.py\n@@ -1,9 +1,99 @@\n-- a/old.py\n"""\n'
    (repository / "decoy.py").write_text(decoy)
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "decoy")
    (repository / "decoy.py").write_text(decoy * 2)
    assert touched(repository) == []


def test_a_missing_final_newline(repository: Path) -> None:
    (repository / "old.py").write_text(FAULTY.rstrip("\n"))
    git(repository, "commit", "-qam", "no newline")
    (repository / "old.py").write_text(FAULTY.rstrip("\n").replace('"centred"', '"done"'))
    (repository / "zz.py").write_text("import torch\n")
    assert touched(repository) == []


def test_from_within_a_folder_and_through_a_link(repository: Path, tmp_path: Path) -> None:
    (repository / "sub").mkdir()
    (repository / "sub/new.py").write_text(FAULTY)
    assert touched(repository / "sub") == ["new.py:7:15:"]
    (tmp_path / "link").symlink_to(repository)
    assert len(touched(tmp_path, "HEAD", "link")) == 1


@pytest.mark.parametrize("options", ["-u3", "-u5"])
def test_the_environment_of_git_does_not_matter(repository: Path, options: str) -> None:
    (repository / "a.py").write_text("x = 1\n" * 7)
    (repository / "b.py").write_text("y = 1\n")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "two files")
    (repository / "a.py").write_text("z = 1\n" + "x = 1\n" * 5 + "z = 1\n")
    (repository / "b.py").write_text("y = 1\n" + FAULTY)
    status, out, _ = run("--diff-base", "HEAD", "--output-format", "concise", cwd=repository, GIT_DIFF_OPTS=options)
    assert (status, out.splitlines()[0].partition(" ")[0]) == (1, "b.py:8:15:")


def test_in_a_hook_of_a_linked_worktree(repository: Path, tmp_path: Path) -> None:
    git(repository, "worktree", "add", "-q", str(tmp_path / "linked"))
    (tmp_path / "linked/old.py").write_text("# a comment\n" + FAULTY)
    directory = repository / ".git/worktrees/linked"
    (tmp_path / "linked/sub").mkdir()
    for folder in (tmp_path / "linked", tmp_path / "linked/sub"):
        arguments = ("--diff-base", "HEAD", str(tmp_path / "linked"))
        assert run(*arguments, cwd=folder, GIT_DIR=str(directory))[::2] == (0, "")


def test_a_file_whose_changes_cannot_be_told_keeps_its_findings(repository: Path) -> None:
    inner = repository / "inner"
    inner.mkdir()
    git(inner, "init", "-q", "-b", "main")
    (inner / "a.py").write_text(FAULTY)
    git(inner, "add", "-A")
    git(inner, "commit", "-qm", "inner")
    git(repository, "tag", "here")
    (repository / "new.py").write_text(FAULTY)
    status, out, err = run("--diff-base", "here", "--output-format", "concise", cwd=repository)
    assert (status, err) == (2, "inner/a.py: --diff-base: Git knows no revision 'here'\n")
    assert [line.partition(" ")[0] for line in out.splitlines()[:2]] == ["inner/a.py:7:15:", "new.py:7:15:"]


def test_settings_of_git_do_not_matter(repository: Path) -> None:
    for key, value in (
        ("diff.noprefix", "true"),
        ("color.ui", "always"),
        ("diff.renames", "false"),
        ("diff.context", "9"),
    ):
        git(repository, "config", key, value)
    git(repository, "mv", "old.py", "new.py")
    (repository / "other.py").write_text(FAULTY)
    git(repository, "add", "-A")
    assert touched(repository) == ["other.py:7:15:"]


def test_a_file_that_git_ignores_is_all_new(repository: Path) -> None:
    (repository / ".gitignore").write_text("local/\n")
    (repository / "local").mkdir()
    (repository / "local/a.py").write_text(FAULTY)
    assert touched(repository, "HEAD", "local") == ["local/a.py:7:15:"]


def test_attributes_hide_nothing(repository: Path) -> None:
    (repository / ".gitattributes").write_text("*.py binary\n")
    (repository / "old.py").write_text(FAULTY.replace("dim=-1", "dim=1"))
    assert touched(repository) == ["old.py:7:15:"]


SAMPLES = """\
import torch


class Sample:
    group_index: int
    reward: float


def old(args, samples: list[Sample]):
    rewards = torch.tensor([sample.reward for sample in samples])
    rewards = rewards.view(-1, args.n_samples_per_prompt)
    return (rewards - rewards.mean(dim=-1, keepdim=True)).flatten()
"""


def test_only_what_is_touched_is_repaired(repository: Path) -> None:
    (repository / "a.py").write_text(SAMPLES)
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "samples")
    both = SAMPLES + "\n\ndef new" + SAMPLES.partition("def old")[2]
    (repository / "a.py").write_text(both)
    status, out, _ = run("--diff-base", "HEAD", "--fix", "a.py", cwd=repository)
    assert (status, out.splitlines()[0]) == (0, "Found 1 finding (1 fixed, 0 remaining).")
    text = (repository / "a.py").read_text()
    assert "view" in text.partition("def old")[2].partition("def new")[0]
    assert "view" not in text.partition("def new")[2]


def shallow(repository: Path, folder: Path) -> None:
    (repository / "more.py").touch()
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "more")
    git(repository, "branch", "feature")
    git(folder.parent, "clone", "-q", "--depth=1", "--branch=feature", f"file://{repository}", str(folder))


def outside(repository: Path, folder: Path) -> None:
    folder.mkdir()
    (folder / "a.py").touch()


def whole(repository: Path, folder: Path) -> None:
    git(folder.parent, "clone", "-q", str(repository), str(folder))


@pytest.mark.parametrize(
    ("made", "revision", "said"),
    [
        (outside, "HEAD", "{folder} is in no Git repository"),
        (shallow, "HEAD~1", "'HEAD~1' is not in this shallow clone: fetch it first, or clone with its history"),
        (
            shallow,
            "origin/main",
            "'origin/main' is not in this shallow clone: fetch it first, or clone with its history",
        ),
        (whole, "no-such-branch", "Git knows no revision 'no-such-branch'"),
        (whole, "", "Git knows no revision ''"),
        (whole, "HEAD:old.py", "Git knows no revision 'HEAD:old.py'"),
        (whole, "a\x1b", "Git knows no revision 'a\\x1b'"),
    ],
)
def test_what_cannot_be_told(
    repository: Path, tmp_path: Path, made: Callable[[Path, Path], None], revision: str, said: str
) -> None:
    folder = tmp_path / "here"
    made(repository, folder)
    status, out, err = run(f"--diff-base={revision}", cwd=folder, GIT_CEILING_DIRECTORIES=str(tmp_path))
    assert (status, out) == (2, "")
    assert err == f"grpo-lint: --diff-base: {said.format(folder=folder)}\n"


def test_a_shallow_clone_with_the_revision_is_enough(repository: Path, tmp_path: Path) -> None:
    folder = tmp_path / "here"
    shallow(repository, folder)
    git(folder, "fetch", "-q", "--depth=1", "origin", "main")
    assert touched(folder, "FETCH_HEAD") == []
    (folder / "new.py").write_text(FAULTY)
    assert touched(folder, "FETCH_HEAD") == ["new.py:7:15:"]


def test_a_revision_cannot_be_an_option(repository: Path) -> None:
    status, out, err = run("--diff-base=--output=pwned", cwd=repository)
    assert (status, out) == (2, "")
    assert "Git knows no revision '--output=pwned'" in err
    assert not (repository / "pwned").exists()


def test_without_git(repository: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    status, out, err = run("--diff-base", "HEAD", cwd=repository, PATH=str(tmp_path / "empty"))
    assert (status, out, err) == (2, "", "grpo-lint: --diff-base: Git is not installed\n")
