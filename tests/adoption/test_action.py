"""The GitHub Action, its steps run for real in checkouts as GitHub makes them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from action import ACTION, Job, Outcome
from scratch import CLEAN, FAULTY, SAMPLES, UNREPAIRABLE, Repository

ROOT = Path(__file__).parent.parent.parent
START = {"samples.py": SAMPLES, "old.py": FAULTY, "clean.py": CLEAN}
TRAP = "import pathlib\npathlib.Path('pwned').touch()\nraise SystemExit(0)\n"
TRAPS = ("grpo_lint/__init__.py", "grpo_lint/__main__.py", "libcst.py", "json.py", "sitecustomize.py", "pip.py")
HOSTILE = [
    "; touch pwned; $(touch pwned) `touch pwned` ${{ github.token }}",
    "\"; touch pwned; \"'; touch pwned; '",
    "x\ntouch pwned\nfindings=77\nfindings<<x\n77\nx\n::set-output name=findings::77",
    "--output-file=pwned",
]


@pytest.fixture(scope="module")
def runner(environment: dict[str, str]) -> dict[str, str]:
    """The environment of a runner: its Python is this one, as the wheels are for it."""
    return environment | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}


@pytest.fixture(scope="module")
def trapped(runner: dict[str, str], product: Repository, tmp_path_factory: pytest.TempPathFactory) -> Job:
    """The first job, whose checkout has modules in it that are named like those that the action needs."""
    work = Repository.create(tmp_path_factory.mktemp("trapped"), runner)
    work.commit({**dict.fromkeys(TRAPS, TRAP), "trainer.py": UNREPAIRABLE})
    environment = {**runner, "PYTHONPATH": str(work.folder)}
    return Job(work.folder, product.folder, tmp_path_factory.mktemp("runner temp"), environment)


@pytest.fixture(scope="module")
def installed(trapped: Job) -> Outcome:
    """What the first job came to; its folder has the installation that the others use."""
    return trapped.run({"paths": "trainer.py"})


@pytest.fixture(scope="module")
def temp(trapped: Job, installed: Outcome) -> Path:
    assert installed.steps["install"]["outputs"], installed.log
    return trapped.temp


@dataclass(frozen=True, slots=True)
class Forge:
    """What GitHub keeps of a repository, and the jobs that it starts."""

    origin: Repository
    action: Path
    temp: Path

    def pull_request(self, files: Mapping[str, str], meanwhile: Mapping[str, str] | None = None) -> tuple[str, str]:
        """The head of a pull request that changes files, and its merge into main, which has moved on meanwhile."""
        self.origin.git("checkout", "--quiet", "-b", "topic")
        head = self.origin.commit(files)
        self.origin.git("checkout", "--quiet", "main")
        if meanwhile:
            self.origin.commit(meanwhile)
        self.origin.git("checkout", "--quiet", "-b", "merge")
        self.origin.git("merge", "--quiet", "--no-ff", "--message", "merge", "topic")
        merge = self.origin.git("rev-parse", "HEAD")
        self.origin.git("checkout", "--quiet", "main")
        return head, merge

    def job(self, folder: Path, commit: str, base: str = "", depth: int | None = 1) -> Job:
        """A job of a pull request into a base, or without one of a push, with a commit checked out."""
        clone = Repository.create(folder, self.origin.environment)
        clone.git("remote", "add", "origin", f"file://{self.origin.folder}")
        clone.git("fetch", "--quiet", "--no-tags", *([f"--depth={depth}"] if depth else []), "origin", commit)
        clone.git("checkout", "--quiet", "--detach", commit)
        event = {"pull_request": {"base": {"sha": base}}} if base else {}
        return Job(folder, self.action, self.temp, {**clone.environment, "GITHUB_SHA": commit}, event)


@pytest.fixture
def forge(tmp_path: Path, runner: dict[str, str], product: Repository, temp: Path) -> Forge:
    origin = Repository.create(tmp_path / "origin", runner)
    origin.git("config", "uploadpack.allowAnySHA1InWant", "true")
    origin.commit(START)
    return Forge(origin, product.folder, temp)


@pytest.fixture
def base(forge: Forge) -> str:
    return forge.origin.git("rev-parse", "main")


def annotated(job: Job, inputs: Mapping[str, str]) -> list[str]:
    """The places that a run annotates."""
    outcome = job.run(inputs)
    places = [line.partition(",file=")[2].partition(",col=")[0] for line in outcome.annotations]
    assert outcome.outputs["findings"] == str(len(places)), outcome.log
    assert outcome.status == (1 if places else 0), outcome.log
    return places


def test_a_pull_request_that_adds_the_defect_fails_with_an_annotation(forge: Forge, base: str, tmp_path: Path) -> None:
    _, merge = forge.pull_request({"trainer.py": FAULTY})
    job = forge.job(tmp_path / "work", merge, base)
    outcome = job.run({"sarif-file": "out/grpo-lint.sarif"})
    assert outcome.status == 1
    (annotation,) = outcome.annotations
    assert annotation.startswith("::error title=grpo-lint (GRPO001),file=trainer.py,line=7,col=15,")
    written = job.workspace.resolve() / "out/grpo-lint.sarif"
    assert outcome.outputs == {"exit-status": "1", "findings": "1", "sarif-file": str(written)}
    (run,) = json.loads(written.read_text("utf-8"))["runs"]
    (result,) = run["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "trainer.py"


@pytest.mark.parametrize("depth", [1, 2, None])
def test_a_pull_request_that_adds_none_passes(depth: int | None, forge: Forge, base: str, tmp_path: Path) -> None:
    _, merge = forge.pull_request({"clean.py": f"{CLEAN}\n\n{CLEAN}", "old.py": f"{FAULTY}\n\n{CLEAN}"})
    outcome = forge.job(tmp_path / "work", merge, base, depth).run({"sarif-file": "grpo-lint.sarif"})
    assert (outcome.status, outcome.annotations) == (0, []), outcome.log
    assert (outcome.outputs["exit-status"], outcome.outputs["findings"]) == ("0", "0")
    assert json.loads(Path(outcome.outputs["sarif-file"]).read_text("utf-8"))["runs"][0]["results"] == []


@pytest.mark.parametrize("depth", [1, None])
def test_a_pull_request_is_not_blamed_for_what_others_merged_meanwhile(
    depth: int | None, forge: Forge, base: str, tmp_path: Path
) -> None:
    _, merge = forge.pull_request({"mine.py": FAULTY}, {"theirs.py": FAULTY})
    assert annotated(forge.job(tmp_path / "work", merge, base, depth), {}) == ["mine.py,line=7"]


@pytest.mark.parametrize("named", ["main", "origin/main", ""])
def test_a_branch_is_compared_with_the_commit_where_it_left_its_base(
    named: str, forge: Forge, base: str, tmp_path: Path
) -> None:
    """The base has lost its finding meanwhile: the old lines of the head differ from it, and are not new."""
    head, _ = forge.pull_request({"mine.py": UNREPAIRABLE}, {"old.py": CLEAN})
    tip = forge.origin.git("rev-parse", "main")
    job = forge.job(tmp_path / "work", head, tip)
    assert annotated(job, {"diff-base": named} if named else {}) == ["mine.py,line=2"]


def test_without_a_base_everything_is_reported(forge: Forge, base: str, tmp_path: Path) -> None:
    assert annotated(forge.job(tmp_path / "work", base), {}) == ["old.py,line=7"]


def test_an_empty_base_turns_the_default_off(forge: Forge, base: str, tmp_path: Path) -> None:
    _, merge = forge.pull_request({"trainer.py": FAULTY})
    job = forge.job(tmp_path / "work", merge, base)
    assert annotated(job, {"diff-base": ""}) == ["old.py,line=7", "trainer.py,line=7"]


def test_a_merge_queue_is_compared_with_its_base(forge: Forge, base: str, tmp_path: Path) -> None:
    _, merge = forge.pull_request({"trainer.py": FAULTY})
    job = replace(forge.job(tmp_path / "work", merge), event={"merge_group": {"base_sha": base}})
    assert annotated(job, {}) == ["trainer.py,line=7"]


def test_a_base_that_is_nowhere_is_an_error(forge: Forge, base: str, tmp_path: Path) -> None:
    outcome = forge.job(tmp_path / "work", base).run({"diff-base": "no-such-branch", "sarif-file": "out.sarif"})
    assert outcome.status == 2
    assert outcome.outputs == {"exit-status": "2", "findings": "", "sarif-file": ""}
    assert "couldn't find remote ref no-such-branch" in outcome.log
    assert "'no-such-branch' is not in this shallow clone" in outcome.log


def test_a_baseline_and_options_are_passed_on(forge: Forge, base: str, tmp_path: Path) -> None:
    job = forge.job(tmp_path / "work", base)
    command = [sys.executable, "-m", "grpo_lint", "baseline", "write"]
    subprocess.run(command, cwd=job.workspace, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=True)
    (job.workspace / "new.py").write_text(UNREPAIRABLE)
    assert annotated(job, {"baseline": ".grpo-lint-baseline.json"}) == ["new.py,line=2"]
    assert annotated(job, {"args": "--select GRPO002\n--preview"}) == []
    assert job.run({"args": "--exit-zero"}).outputs["findings"] == "2"


def test_a_baseline_that_is_missing_is_an_error(forge: Forge, base: str, tmp_path: Path) -> None:
    outcome = forge.job(tmp_path / "work", base).run({"baseline": "missing.json"})
    assert (outcome.status, outcome.outputs["findings"]) == (2, "")
    assert "missing.json: No such file" in outcome.log


def test_paths_stand_on_lines_of_their_own(forge: Forge, tmp_path: Path) -> None:
    names = ["one folder/a.py", "-x/b.py", "rules/c.py", "it's/d.py", "left out/e.py"]
    commit = forge.origin.commit(dict.fromkeys(names, UNREPAIRABLE))
    job = forge.job(tmp_path / "a work folder", commit)
    found = annotated(job, {"paths": "one folder\n-x\n  rules  \n\nit's/d.py\n"})
    assert found == sorted(f"{name},line=2" for name in names[:-1])


def test_places_are_relative_to_the_repository_whatever_the_working_directory(forge: Forge, tmp_path: Path) -> None:
    commit = forge.origin.commit({"train/a.py": UNREPAIRABLE, "train/b/c.py": UNREPAIRABLE})
    job = forge.job(tmp_path / "work", commit)
    inputs = {"working-directory": "train", "paths": "a.py\nb", "sarif-file": "out.sarif"}
    assert annotated(job, inputs) == ["train/a.py,line=2", "train/b/c.py,line=2"]
    (run,) = json.loads((job.workspace / "train/out.sarif").read_text("utf-8"))["runs"]
    places = [result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for result in run["results"]]
    assert places == ["train/a.py", "train/b/c.py"]


def test_a_checkout_below_the_workspace_is_a_repository_of_its_own(forge: Forge, base: str, tmp_path: Path) -> None:
    _, merge = forge.pull_request({"train/a.py": UNREPAIRABLE})
    job = replace(forge.job(tmp_path / "work/checkout", merge, base), workspace=tmp_path / "work")
    assert annotated(job, {"working-directory": "checkout/train"}) == ["train/a.py,line=2"]


def test_a_working_directory_that_is_missing_is_an_error(forge: Forge, base: str, tmp_path: Path) -> None:
    outcome = forge.job(tmp_path / "work", base).run({"working-directory": "nowhere"})
    assert (outcome.status, outcome.outputs["exit-status"]) == (2, "2")
    assert "there is no folder 'nowhere'" in outcome.log


@pytest.mark.parametrize("name", sorted(set(ACTION["inputs"]) - {"python-version"}))
def test_hostile_inputs_are_values_and_nothing_else(name: str, forge: Forge, tmp_path: Path) -> None:
    """No value runs a command, becomes an option, adds an output or adds a workflow command."""
    work = tmp_path / "outer" / "work"
    job = forge.job(work, forge.origin.commit({"old.py": CLEAN}))
    for value in HOSTILE:
        if name == "args" and value.startswith("-"):
            continue  # options are what it is for
        outcome = job.run({name: value})
        assert outcome.outputs["findings"] in {"", "0"}, value
        assert all("No such file or directory" in line for line in outcome.annotations), value
        assert [path for path in tmp_path.rglob("*") if path.name == "pwned"] == [], value


def test_hostile_paths_are_shown_without_becoming_commands(forge: Forge, tmp_path: Path) -> None:
    job = forge.job(tmp_path / "work", forge.origin.commit({"::error::x.py": FAULTY + "def (:\n"}))
    outcome = job.run({"paths": "::error::x.py\n::warning::missing"})
    assert outcome.status == 2
    assert all(line.startswith("::error title=grpo-lint,file=%3A%3A") for line in outcome.annotations)
    assert len(outcome.annotations) == 2


def test_a_step_interpolates_nothing_into_its_script() -> None:
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step.get("run", "")


def test_the_checkout_cannot_put_its_own_modules_in_the_way(trapped: Job, installed: Outcome) -> None:
    assert (installed.status, installed.outputs["findings"]) == (1, "1"), installed.log
    assert list(trapped.workspace.rglob("pwned")) == []


def test_the_checkout_of_another_user_is_read(forge: Forge, base: str, tmp_path: Path) -> None:
    """As in a container, where the job is root and the checkout is not."""
    _, merge = forge.pull_request({"trainer.py": FAULTY})
    job = forge.job(tmp_path / "work", merge, base, depth=None)
    outcome = job.run({}, GIT_TEST_ASSUME_DIFFERENT_OWNER="1")
    assert (outcome.status, len(outcome.annotations)) == (1, 1), outcome.log


def test_what_is_installed_has_no_torch_and_is_installed_once(forge: Forge, base: str, tmp_path: Path) -> None:
    job = forge.job(tmp_path / "work", base)
    python = job.run({}).steps["install"]["outputs"]["python"]
    code = "import importlib.util, sys; sys.exit(any(map(importlib.util.find_spec, ('torch', 'numpy'))))"
    assert subprocess.run([python, "-I", "-c", code], check=False).returncode == 0
    before = Path(python).parent.stat().st_mtime_ns
    assert job.run({}).steps["install"]["outputs"]["python"] == python
    assert Path(python).parent.stat().st_mtime_ns == before


def test_without_a_new_enough_python_the_remedy_is_named(forge: Forge, base: str, tmp_path: Path) -> None:
    for name in ("python3", "python", *(f"python3.{minor}" for minor in range(10, 15))):
        (tmp_path / name).write_text("#!/bin/sh\nexit 1\n")
        (tmp_path / name).chmod(0o755)
    (tmp_path / "temp").mkdir()
    job = replace(forge.job(tmp_path / "work", base), temp=tmp_path / "temp")
    outcome = job.run({}, PATH=f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert outcome.status == 1
    (annotation,) = outcome.annotations
    assert "set the input python-version" in annotation
