"""The GitLab job, its script run for real."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from scratch import CLEAN, FAULTY, SAMPLES, UNREPAIRABLE, Done, Repository

ROOT = Path(__file__).parent.parent.parent
JOB = yaml.safe_load((ROOT / "examples/ci/gitlab.yml").read_text("utf-8"))["grpo-lint"]
INSTALL, *CHECK = JOB["script"]


@pytest.fixture(scope="module")
def container(
    environment: dict[str, str], product: Repository, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, str]:
    """The environment of a job in which the first line of the script has run."""
    folder = tmp_path_factory.mktemp("container")
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    made = environment | {"PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    done = bash(Repository(folder, made), INSTALL, GRPO_LINT=f"git+file://{product.folder}")
    assert done.returncode == 0, done.stdout
    return made


def bash(project: Repository, *lines: str, **variables: str) -> Done:
    return project.run("bash", "-e", "-o", "pipefail", "-c", "\n".join(lines), **variables)


@pytest.fixture
def project(tmp_path: Path, container: dict[str, str]) -> Repository:
    """A merge request's branch, whose target has gained a finding and a line since."""
    made = Repository.create(tmp_path / "a project", container)
    made.commit({"samples.py": SAMPLES, "old.py": FAULTY, "clean.py": CLEAN})
    made.git("branch", "topic")
    made.commit({"theirs.py": FAULTY, "old.py": f"# moved\n{FAULTY}"})
    made.git("checkout", "--quiet", "topic")
    return made


def variables_of(project: Repository, is_merged: bool) -> dict[str, str]:
    """What GitLab says of the merge request, whose branch or whose merged result is checked out."""
    variables = {"CI_MERGE_REQUEST_DIFF_BASE_SHA": project.git("merge-base", "main", "topic")}
    if is_merged:
        variables["CI_MERGE_REQUEST_TARGET_BRANCH_SHA"] = project.git("rev-parse", "main")
        project.git("checkout", "--quiet", "--detach", "main")
        project.git("merge", "--quiet", "--no-ff", "--message", "merge", "topic")
    return variables


@pytest.mark.parametrize("is_merged", [False, True])
def test_a_merge_request_that_adds_the_defect_fails(is_merged: bool, project: Repository) -> None:
    project.commit({"mine.py": UNREPAIRABLE})
    done = bash(project, *CHECK, **variables_of(project, is_merged))
    assert done.returncode == 1, done.stdout
    assert "mine.py:2:12: GRPO001" in done.stdout
    assert "old.py" not in done.stdout
    assert "theirs.py" not in done.stdout
    (artifact,) = JOB["artifacts"]["paths"]
    assert JOB["artifacts"]["when"] == "always"
    (run,) = json.loads(project.read(artifact))["runs"]
    assert len(run["results"]) == 1


@pytest.mark.parametrize("is_merged", [False, True])
def test_a_merge_request_that_adds_none_passes(is_merged: bool, project: Repository) -> None:
    project.commit({"clean.py": f"{CLEAN}\n\n{CLEAN}"})
    done = bash(project, *CHECK, **variables_of(project, is_merged))
    assert done.returncode == 0, done.stdout


def test_the_job_has_the_history_that_it_compares_with() -> None:
    assert JOB["variables"]["GIT_DEPTH"] == "0"
