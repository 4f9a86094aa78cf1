"""Git repositories in temporary folders, and an environment for what runs there without settings of the user."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

Done = subprocess.CompletedProcess[str]

_LEAKS = ("GIT_", "GITHUB_", "RUNNER_", "CI_", "INPUT_", "PIP_", "PRE_COMMIT", "PYTHON", "VIRTUALENV", "GRPO_LINT_")

FAULTY = """\
import torch
from samples import Sample


def advantages_of(args, samples: list[Sample]):
    rewards = torch.tensor([sample.reward for sample in samples])
    rewards = rewards.view(-1, args.n_samples_per_prompt)
    return (rewards - rewards.mean(dim=-1, keepdim=True)).flatten()
"""
UNREPAIRABLE = """\
def best_and_advantages(rewards, num_generations):
    grid = rewards.view(-1, num_generations)
    return grid.argmax(dim=1), (grid - grid.mean(dim=1, keepdim=True)).flatten()
"""
CLEAN = "def double(value):\n    return 2 * value\n"
SAMPLES = "class Sample:\n    reward: float\n    group_index: int\n"


def clean_environment(home: Path, wheelhouse: Path) -> dict[str, str]:
    """Variables for a process that can install from the wheelhouse alone, and has no other settings of its user."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_LEAKS)}
    person = {
        f"GIT_{role}_{part}": "tester@example.org" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")
    }
    return (
        kept
        | person
        | {
            "HOME": str(home),
            "XDG_CACHE_HOME": str(home / "cache"),
            "XDG_DATA_HOME": str(home / "data"),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "PIP_CONFIG_FILE": os.devnull,
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "PIP_FIND_LINKS": str(wheelhouse),
            "PIP_NO_COMPILE": "1",
            "PIP_NO_INDEX": "1",
            "VIRTUALENV_NO_PERIODIC_UPDATE": "1",
        }
    )


@dataclass(frozen=True, slots=True)
class Repository:
    """A Git repository on the branch `main`, and the environment of what runs in it."""

    folder: Path
    environment: Mapping[str, str] = field(repr=False)

    @classmethod
    def create(cls, folder: Path, environment: Mapping[str, str]) -> Repository:
        made = cls(folder, environment)
        folder.mkdir(parents=True, exist_ok=True)
        made.git("init", "--quiet", "--initial-branch=main")
        return made

    def write(self, files: Mapping[str, str]) -> None:
        for name, text in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")

    def read(self, name: str) -> str:
        return (self.folder / name).read_text("utf-8")

    def run(self, *command: str, **variables: str) -> Done:
        """What a command did, standard error after what it printed."""
        return subprocess.run(
            command,
            cwd=self.folder,
            env={**self.environment, **variables},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
        )

    def git(self, *arguments: str) -> str:
        done = self.run("git", *arguments)
        assert done.returncode == 0, done.stdout
        return done.stdout.strip()

    def commit(self, files: Mapping[str, str], message: str = "change") -> str:
        """Commit files, by whatever hooks there are not, and return the commit's name."""
        self.write(files)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--no-verify", "--message", message)
        return self.git("rev-parse", "HEAD")


def repository_of(tree: Path, folder: Path, environment: Mapping[str, str]) -> Repository:
    """A repository with one commit: all of a tree that its .gitignore files do not ignore, committed there or not."""
    made = Repository.create(folder, environment)
    git = ("git", f"--git-dir={folder / '.git'}")
    added = made.run(*git, f"--work-tree={tree}", "-C", str(tree), "add", "--all", "--", ".")
    assert added.returncode == 0, added.stdout
    made.git("commit", "--quiet", "--message", "the tree as it is")
    made.git("checkout", "--quiet", "--force", "HEAD", "--", ".")
    return made
