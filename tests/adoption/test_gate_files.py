"""The YAML that is shipped and shown: valid, the same in both places, and complete."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from action import ACTION, evaluated

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs/gate.md").read_text("utf-8")
README = (ROOT / "README.md").read_text("utf-8")
STEPS = "on: push\njobs:\n  job:\n    runs-on: ubuntu-latest\n    steps:\n"


def yaml_blocks(page: str, heading: str) -> list[str]:
    section = re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)
    assert section
    return re.findall(r"^```yaml\n(.*?)^```$", section[1], re.MULTILINE | re.DOTALL)


def faults(schema: str, *files: Path) -> str:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}", *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr


@pytest.mark.parametrize(
    ("schema", "name"),
    [
        ("github-actions", "action.yml"),
        ("github-workflows", "examples/ci/github.yml"),
        ("gitlab-ci", "examples/ci/gitlab.yml"),
    ],
)
def test_a_shipped_file_is_valid_and_a_broken_one_is_not(schema: str, name: str, tmp_path: Path) -> None:
    assert faults(schema, ROOT / name) == ""
    broken = tmp_path / "broken.yml"
    broken.write_text(re.sub(r"^( +)(using|runs-on|script):.*", r"\1\2: {}", (ROOT / name).read_text(), flags=re.M))
    assert faults(schema, broken)


@pytest.mark.parametrize(("heading", "name"), [("GitHub", "github.yml"), ("GitLab", "gitlab.yml")])
def test_the_page_shows_the_file_to_copy(heading: str, name: str) -> None:
    (block,) = yaml_blocks(PAGE, heading)
    assert block == (ROOT / "examples/ci" / name).read_text("utf-8")


def test_the_readmes_steps_are_valid(tmp_path: Path) -> None:
    (block,) = yaml_blocks(README, "Gate pull requests")
    assert len(block.splitlines()) == 3
    workflow = tmp_path / "workflow.yml"
    workflow.write_text(STEPS + block)
    assert faults("github-workflows", workflow) == ""
    assert inputs_of(yaml.safe_load(block)) <= set(ACTION["inputs"])


def inputs_of(steps: list[dict[str, Any]]) -> set[str]:
    (step,) = (each for each in steps if "/grpo-lint@" in each["uses"])
    return set(step["with"])


def test_the_workflow_uses_inputs_and_outputs_that_there_are() -> None:
    text = (ROOT / "examples/ci/github.yml").read_text("utf-8")
    (job,) = yaml.safe_load(text)["jobs"].values()
    assert inputs_of(job["steps"]) <= set(ACTION["inputs"])
    used = set(re.findall(r"steps\.grpo-lint\.outputs\.([\w-]+)", text))
    assert used
    assert used <= set(ACTION["outputs"])


@pytest.mark.parametrize(("heading", "names"), [("Inputs", ACTION["inputs"]), ("Outputs", ACTION["outputs"])])
def test_the_page_has_every_input_and_output(heading: str, names: dict[str, Any]) -> None:
    section = PAGE.partition(f"\n### {heading}\n")[2].partition("\n#")[0]
    assert re.findall(r"^\| `([\w-]+)` \|", section, re.MULTILINE) == list(names)


def test_an_input_reaches_a_step_only_as_a_variable_or_an_actions_input() -> None:
    for step in ACTION["runs"]["steps"]:
        used = {key for key, value in step.items() if "${{" in str(value)}
        assert used <= {"env", "with"}


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        ({"pull_request": {"base": {"sha": "a"}}}, "a"),
        ({"merge_group": {"base_sha": "b"}}, "b"),
        ({"push": {}}, ""),
    ],
)
def test_the_base_is_the_events(event: dict[str, Any], expected: str) -> None:
    default = ACTION["inputs"]["diff-base"]["default"]
    assert evaluated(default, {"github": {"event": event}}) == expected
