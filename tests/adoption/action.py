"""The GitHub Action's steps as a runner would run them: expressions evaluated, shells started, outputs read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from scratch import Done, Repository

ROOT = Path(__file__).parent.parent.parent
ACTION: Mapping[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))

_EXPRESSION = re.compile(r"\$\{\{(.*?)\}\}")
_COMMAND = re.compile(r"::(?P<name>[\w-]+)(?: [^:]*)?::.*")


@dataclass(frozen=True, slots=True)
class Job:
    """A job of a workflow: the checked out repository, the action's own checkout, what triggered it, and its folder."""

    workspace: Path
    action: Path
    temp: Path
    environment: Mapping[str, str] = field(repr=False)
    event: Mapping[str, Any] = field(default_factory=dict)

    def run(self, inputs: Mapping[str, str], **variables: str) -> Outcome:
        """Run the action with these inputs. Stops at the first step that fails."""
        contexts: dict[str, Any] = {"github": {"event": self.event}, "inputs": {}, "steps": {}}
        declared = {name: evaluated(value["default"], contexts) for name, value in ACTION["inputs"].items()}
        assert not inputs.keys() - declared.keys()
        contexts["inputs"] = {**declared, **inputs}
        done = Done((), 0, "")
        for number, step in enumerate(ACTION["runs"]["steps"]):
            if "uses" in step:
                assert step["if"] == "inputs.python-version != ''"
                continue
            file = self.temp / f"outputs-{number}"
            file.write_text("")
            done = self._step(step, contexts, {**variables, "GITHUB_OUTPUT": str(file)})
            contexts["steps"][step["id"]] = {"outputs": dict(outputs_in(file.read_text("utf-8")))}
            if done.returncode:
                break
        outputs = {name: evaluated(value["value"], contexts) for name, value in ACTION["outputs"].items()}
        return Outcome(done.returncode, done.stdout, outputs, contexts["steps"])

    def _step(self, step: Mapping[str, Any], contexts: Mapping[str, Any], variables: Mapping[str, str]) -> Done:
        assert step["shell"] == "bash"
        script = self.temp / "step.sh"
        script.write_text(evaluated(step["run"], contexts), "utf-8")
        given = {name: evaluated(value, contexts) for name, value in step["env"].items()}
        own = {"GITHUB_ACTION_PATH": self.action, "GITHUB_WORKSPACE": self.workspace, "RUNNER_TEMP": self.temp}
        environment = {**self.environment, **given, **{name: str(path) for name, path in own.items()}, **variables}
        shell = ("bash", "--noprofile", "--norc", "-e", "-o", "pipefail", str(script))
        return Repository(self.workspace, environment).run(*shell)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the job sees of the action."""

    status: int
    log: str
    outputs: Mapping[str, str]
    steps: Mapping[str, Any]

    @property
    def annotations(self) -> list[str]:
        """The workflow commands that the runner would obey, but for those that stop and restart it doing so."""
        return list(commands_in(self.log))


def evaluated(text: str, contexts: Mapping[str, Any]) -> str:
    """A text with the value of each expression in it: names, and alternatives of names."""
    return _EXPRESSION.sub(lambda found: _value(found[1], contexts), text)


def _value(expression: str, contexts: Mapping[str, Any]) -> str:
    values = (_looked_up(each.strip(), contexts) for each in expression.split("||"))
    return next(filter(None, values), "")


def _looked_up(name: str, contexts: Mapping[str, Any]) -> str:
    value: Any = contexts
    for part in name.split("."):
        value = (value or {}).get(part)
    return value or ""


def outputs_in(text: str) -> Iterator[tuple[str, str]]:
    """Outputs as a runner reads them: `name=value`, or `name<<END` and lines until END."""
    lines = iter(text.splitlines())
    for line in lines:
        name, mark, end = line.partition("<<")
        if mark and "=" not in name:
            yield name, "\n".join(iter(lambda end=end: next(lines), end))
        else:
            name, _, value = line.partition("=")
            yield name, value


def commands_in(log: str) -> Iterator[str]:
    """Each line that is a workflow command, outside of what `::stop-commands::` sets apart."""
    end = ""
    for line in log.splitlines():
        found = _COMMAND.fullmatch(line.lstrip())
        if end:
            end = "" if line == end else end
        elif found and found["name"] == "stop-commands":
            end = f"::{line.removeprefix('::stop-commands::')}::"
        elif found:
            yield line
