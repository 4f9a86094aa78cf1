"""The check of the GitHub Action: reads its inputs, runs grpo-lint, and leaves the step's outputs.

Inputs come in variables and are never part of a shell command. Runs with the Python that grpo-lint is installed for.
"""

from __future__ import annotations

import json
import os
import secrets
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

INCOMPLETE = 2
_DEPTHS = (50, 500, 5000)


@dataclass(frozen=True, slots=True)
class Inputs:
    """What the action was asked for. `paths`, `baseline` and `sarif_file` are absolute; the last two may be None."""

    folder: Path
    paths: tuple[Path, ...]
    options: tuple[str, ...]
    diff_base: str
    pull_request_base: str
    baseline: Path | None
    sarif_file: Path | None

    @classmethod
    def read(cls, variables: Mapping[str, str]) -> Inputs:
        """The inputs of the variables. Raises ValueError for a missing folder, and for a quote without its end."""
        given = {name: variables.get(f"GRPO_LINT_{name}", "").strip() for name in _NAMES}
        # Real, since Git names the top of a repository so, and paths below it are to be shown relative to it.
        folder = Path(variables["GITHUB_WORKSPACE"], given["FOLDER"]).resolve()
        if not folder.is_dir():
            raise ValueError(f"there is no folder {given['FOLDER']!r}")
        lines = [line.strip() for line in given["PATHS"].splitlines()]
        return cls(
            folder,
            tuple(folder / line for line in lines if line) or (folder,),
            tuple(shlex.split(given["ARGS"])),
            given["DIFF_BASE"],
            given["PULL_REQUEST_BASE"],
            folder / given["BASELINE"] if given["BASELINE"] else None,
            folder / given["SARIF_FILE"] if given["SARIF_FILE"] else None,
        )


_NAMES = ("FOLDER", "PATHS", "ARGS", "DIFF_BASE", "PULL_REQUEST_BASE", "BASELINE", "SARIF_FILE")


@dataclass(frozen=True, slots=True)
class Reports:
    """Where grpo-lint writes what the action reads; neither is there if grpo-lint could not begin."""

    json: Path
    sarif: Path


def main() -> int:
    """Run grpo-lint as the inputs say, and return its exit status."""
    try:
        inputs = Inputs.read(os.environ)
    except ValueError as error:
        tell(f"grpo-lint: the action's inputs: {error}")
        leave_outputs({"exit-status": str(INCOMPLETE), "findings": "", "sarif-file": ""})
        return INCOMPLETE
    set_up_git(inputs.folder)
    with tempfile.TemporaryDirectory(dir=os.environ["RUNNER_TEMP"]) as name:
        reports = Reports(Path(name, "findings.json"), Path(name, "findings.sarif"))
        status = check(inputs, reports)
        count = str(len(json.loads(reports.json.read_bytes()))) if reports.json.is_file() else ""
        try:
            kept = keep(reports.sarif, inputs.sarif_file)
        except OSError as error:
            tell(f"grpo-lint: {inputs.sarif_file}: {error.strerror}")
            kept, status = "", INCOMPLETE
    leave_outputs({"exit-status": str(status), "findings": count, "sarif-file": kept})
    return status


def check(inputs: Inputs, reports: Reports) -> int:
    """Run grpo-lint from the top of the repository, as GitHub takes the paths of annotations to be relative to it."""
    top = git(inputs.folder, "rev-parse", "--show-toplevel")
    done = subprocess.run(
        [sys.executable, "-I", "-m", "grpo_lint", *command_of(inputs, reports)],
        cwd=top or inputs.folder,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="backslashreplace",
        check=False,
    )
    tell(done.stderr)
    return done.returncode


def command_of(inputs: Inputs, reports: Reports) -> list[str]:
    """The words for grpo-lint: a value that begins with a dash stays a value, a path a path."""
    words = ["check", *inputs.options, "--output-format=github", f"--output-format=json:{reports.json}"]
    if inputs.sarif_file:
        words.append(f"--output-format=sarif:{reports.sarif}")
    if inputs.baseline:
        words.append(f"--baseline={inputs.baseline}")
    if inputs.diff_base:
        words.append(f"--diff-base={base_of(inputs)}")
    return [*words, "--", *map(str, inputs.paths)]


def keep(report: Path, place: Path | None) -> str:
    """Put a report, if there is one, where it is wanted, and return that place. Raises OSError."""
    if place is None or not report.is_file():
        return ""
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(report, place)
    return str(place)


def base_of(inputs: Inputs) -> str:
    """The revision to compare with, which is fetched if this checkout is too shallow to have it.

    What GitHub checks out for a pull request merges it into its base as that is now, while the base that the event
    names may be older: since then, others have changed lines too. The merge's first parent is the base to compare with.
    """
    base = inputs.diff_base
    if base == inputs.pull_request_base and (parent := merged_into(inputs.folder)):
        base = parent
    commit = commit_of(inputs.folder, base) or fetched(inputs.folder, base)
    if commit is None:
        return base
    if commit != merged_into(inputs.folder):
        deepen_to_common_commit(inputs.folder, commit)
    return commit


def merged_into(folder: Path) -> str | None:
    """The first parent of the merge that GitHub made for a pull request; None if something else is checked out."""
    if git(folder, "rev-parse", "HEAD") != os.environ.get("GITHUB_SHA"):
        return None
    # A shallow clone denies that a commit has parents, but the commit itself names them.
    header, *_ = (git(folder, "cat-file", "commit", "HEAD") or "").partition("\n\n")
    parents = [line.removeprefix("parent ") for line in header.splitlines() if line.startswith("parent ")]
    return parents[0] if len(parents) > 1 else None


def commit_of(folder: Path, revision: str) -> str | None:
    return git(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")


def fetched(folder: Path, revision: str) -> str | None:
    """The commit of a revision that had to be fetched; None if that does not succeed, and grpo-lint will say so."""
    name = revision.removeprefix("origin/")
    depth = ["--depth=1"] if is_shallow(folder) else []
    if is_name(folder, name) and fetch(folder, *depth, "origin", name):
        return commit_of(folder, "FETCH_HEAD")
    return None


def is_name(folder: Path, text: str) -> bool:
    """Whether a text is a commit's or a branch's name, and neither an option nor a refspec."""
    return not text.startswith(("-", "+")) and git(folder, "check-ref-format", f"refs/heads/{text}") is not None


def deepen_to_common_commit(folder: Path, base: str) -> None:
    """Fetch history until it shows where a branch left its base: else all that the base has gained would count too."""
    for depth in _DEPTHS:
        if not is_shallow(folder) or git(folder, "merge-base", base, "HEAD"):
            return
        head = git(folder, "rev-parse", "HEAD") or "HEAD"
        if not fetch(folder, f"--deepen={depth}", "origin", base, head):
            return


def is_shallow(folder: Path) -> bool:
    return git(folder, "rev-parse", "--is-shallow-repository") == "true"


def fetch(folder: Path, *words: str) -> bool:
    command = ["git", "fetch", "--quiet", "--no-tags", *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", errors="replace", check=False)
    tell(done.stderr)
    return done.returncode == 0


def git(folder: Path, *words: str) -> str | None:
    """What Git prints; None if it fails."""
    done = subprocess.run(["git", *words], cwd=folder, capture_output=True, encoding="utf-8", check=False)
    return done.stdout.strip() if done.returncode == 0 else None


def set_up_git(folder: Path) -> None:
    """Let Git read the checkout in a container too, where it belongs to another user, and ask nobody for a password."""
    workspace = Path(os.environ["GITHUB_WORKSPACE"]).resolve()
    trusted = [each for each in (folder, *folder.parents) if each.is_relative_to(workspace)]
    first = int(os.environ.get("GIT_CONFIG_COUNT", "0"))
    for number, each in enumerate(trusted, first):
        os.environ |= {f"GIT_CONFIG_KEY_{number}": "safe.directory", f"GIT_CONFIG_VALUE_{number}": str(each)}
    os.environ |= {"GIT_CONFIG_COUNT": str(first + len(trusted)), "GIT_TERMINAL_PROMPT": "0"}


def tell(text: str) -> None:
    """Show a text in the job's log, where no line of it is taken for a workflow command."""
    if text:
        token = secrets.token_hex(16)
        sys.stdout.write(f"::stop-commands::{token}\n{text.rstrip()}\n::{token}::\n")
        sys.stdout.flush()


def leave_outputs(outputs: Mapping[str, str]) -> None:
    """Hand outputs to the job. A value may hold anything: what ends it cannot be guessed."""
    with Path(os.environ["GITHUB_OUTPUT"]).open("a", encoding="utf-8") as file:
        for name, value in outputs.items():
            end = secrets.token_hex(16)
            file.write(f"{name}<<{end}\n{value}\n{end}\n")


if __name__ == "__main__":
    sys.exit(main())
