"""The repair of GRPO102: a guard whose texts are pieces of one call becomes a contract of that call."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import environment

from grpo_lint.config import Config
from grpo_lint.contracts import CallSite, Result, check
from grpo_lint.model import FileResult
from grpo_lint.runner import Mode, check_file

FILES = {
    "pyproject.toml": "",
    "lab/__init__.py": "",
    "lab/grouping.py": """\
def group_rewards(rewards, group_ids, rollout_ids=None, *, fallback=None, **options):
    return rewards


def log(table):
    print(table)
""",
    "lab/manager.py": """\
import torch

from lab.grouping import group_rewards


class Manager:
    def __init__(self, args, hook):
        self.args = args
        self.hook = hook

    def post_process(self, samples):
        raw = [sample.reward for sample in samples]
        rewards = group_rewards(
            raw,
            [sample.group_index for sample in samples],
            fallback=self.args.n_samples_per_prompt,
            name="a",
        )
        return raw, rewards

    def convert(self, samples):
        self.hook(self.args, samples)
        return torch.tensor(self.lengths(samples))

    def lengths(self, samples):
        return list(map(len, samples))
""",
    "lab/trainer.py": """\
from lab import grouping


def centre(rewards, ids):
    return grouping.group_rewards(rewards, ids)


def once(rewards, ids):
    if len(ids) > 1:
        grouping.group_rewards(rewards, ids, fallback=1)
    return rewards


def grid(rewards, n_samples_per_prompt):
    table = rewards.view(-1, n_samples_per_prompt)
    grouping.log(table)
    return (table - table.mean(dim=1, keepdim=True)).flatten()
""",
}
TOP = """\
import inspect
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "lab" / "manager.py"
TRAINER = SOURCE.with_name("trainer.py")


"""


def write_project(folder: Path, test: str) -> Path:
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    path = folder / "tests/test_case.py"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(test.encode())
    return path


def run(path: Path, mode: Mode, unsafe: bool = True) -> FileResult:
    result = check_file(str(path), Config(root=path.parents[1]), mode, unsafe)
    assert result.fault is None, result.fault
    return result


def repaired(folder: Path, test: str) -> str:
    """The test after the repair, which leaves nothing to report and changes nothing when it is made again."""
    path = write_project(folder, test)
    assert run(path, Mode.FIX).findings == ()
    after = path.read_bytes().decode()
    run(path, Mode.FIX)
    assert path.read_bytes().decode() == after
    require_contracts_hold(after, folder)
    return after


def require_contracts_hold(test: str, root: Path) -> None:
    """The contracts of a test hold where it was repaired, and not once the call is gone."""
    calls = [node for node in ast.walk(ast.parse(test)) if isinstance(node, ast.Call)]
    sites = [call for call in calls if ast.unparse(call.func) == "assert_call_site"]
    assert sites
    for call in sites:
        given = {each.arg: ast.literal_eval(each.value) for each in call.keywords}
        arguments, result = tuple(given.pop("arguments", {}).items()), given.pop("result", None)
        absent = tuple(given.pop("absent", ()))
        site = CallSite(**given, arguments=arguments, result=result and Result(result), absent=absent)
        assert check(site, root) == ()
        file = root / site.file
        text = file.read_text()
        file.write_text(text.replace("group_rewards(", "other(").replace("torch.tensor(", "other("))
        assert check(site, root) != ()
        file.write_text(text)


BEFORE = """\
from __future__ import annotations

from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "lab" / "manager.py"


def test_rewards_are_grouped() -> None:
    source = SOURCE.read_text()

    assert "from lab.grouping import group_rewards" in source
    assert "rewards = group_rewards(" in source


def test_by_prompt() -> None:
    source = SOURCE.read_text()
    # what the groups are
    assert "[sample.group_index for sample in samples]" in source
    assert "fallback=self.args.n_samples_per_prompt" in source


def test_not_by_position() -> None:
    source = SOURCE.read_text()
    assert "group_rewards(" in source
    assert "rewards.view(-1, rewards.shape[-1])" not in source
"""
AFTER = """\
from __future__ import annotations

from pathlib import Path

from grpo_lint.testing import assert_call_site

SOURCE = Path(__file__).resolve().parents[1] / "lab" / "manager.py"


def test_rewards_are_grouped() -> None:
    assert_call_site(
        file="lab/manager.py",
        function="Manager.post_process",
        calls="lab.grouping.group_rewards",
        result="used",
    )


def test_by_prompt() -> None:
    # what the groups are
    assert_call_site(
        file="lab/manager.py",
        function="Manager.post_process",
        calls="lab.grouping.group_rewards",
        arguments={
            "group_ids": "[sample.group_index for sample in samples]",
            "fallback": "self.args.n_samples_per_prompt",
        },
    )


def test_not_by_position() -> None:
    assert_call_site(
        file="lab/manager.py",
        function="Manager.post_process",
        calls="lab.grouping.group_rewards",
        absent=["GRPO002"],
    )
"""


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("indent", ["    ", "\t"])
def test_guards_become_contracts(tmp_path: Path, newline: str, indent: str) -> None:
    def written(text: str) -> str:
        return text.replace("    ", indent).replace("\n", newline)

    assert repaired(tmp_path, written(BEFORE)) == written(AFTER)


def test_the_repair_is_unsafe(tmp_path: Path) -> None:
    path = write_project(tmp_path, BEFORE)
    found = run(path, Mode.FIX, unsafe=False).findings
    assert path.read_text() == BEFORE
    assert [finding.fix and finding.fix.safety.value for finding in found] == ["unsafe"] * 3


def contract(body: str, folder: Path) -> dict[str, object]:
    """What the contract says that the body of a test becomes."""
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    tree = ast.parse(repaired(folder, f"{TOP}def test_it():\n{lines}"))
    (function,) = (node for node in tree.body if isinstance(node, ast.FunctionDef))
    (statement,) = function.body
    assert isinstance(statement, ast.Expr)
    assert isinstance(statement.value, ast.Call)
    given = {str(each.arg): ast.literal_eval(each.value) for each in statement.value.keywords}
    assert given.pop("file").startswith("lab/")
    return given


GROUPING = {"function": "Manager.post_process", "calls": "lab.grouping.group_rewards"}
TEXTS = {
    'assert "group_rewards(" in SOURCE.read_text()': GROUPING,
    'assert "group_rewards(raw" in SOURCE.read_text()': {**GROUPING, "arguments": {"rewards": "raw"}},
    'assert "from lab.grouping import" in SOURCE.read_text()': GROUPING,
    'assert "n_samples_per_prompt,\\n            name=" in SOURCE.read_text(), "why"': None,
    "assert 'name=\"a\"' in SOURCE.read_text()": {**GROUPING, "arguments": {"name": '"a"'}},
    'assert "fallback=" in SOURCE.read_text()': {
        **GROUPING,
        "arguments": {"fallback": "self.args.n_samples_per_prompt"},
    },
    'text = TRAINER.read_text()\nassert "return grouping.group_rewards(rewards, ids)" in text': {
        "function": "centre",
        "calls": "lab.grouping.group_rewards",
        "arguments": {"rewards": "rewards", "group_ids": "ids"},
        "result": "returned",
    },
    'with open(SOURCE) as file:\n    text = file.read()\nassert "torch.tensor(" in text': {
        "function": "Manager.convert",
        "calls": "torch.tensor",
    },
    'with open(SOURCE) as file:\n    text = file.read()\n    assert "torch.tensor(" in text': {
        "function": "Manager.convert",
        "calls": "torch.tensor",
    },
    'import lab.manager as manager\nassert "group_rewards(" in inspect.getsource(manager)': None,
}


@pytest.mark.parametrize("body", [body for body, expected in TEXTS.items() if expected])
def test_what_texts_mean(tmp_path: Path, body: str) -> None:
    assert contract(body, tmp_path) == TEXTS[body]


def test_objects_whose_source_is_read(tmp_path: Path) -> None:
    test = """\
import inspect

from lab import trainer
from lab.manager import Manager


def test_module():
    assert "return grouping.group_rewards(" in inspect.getsource(trainer)


def test_method():
    assert "group_rewards(" in inspect.getsource(Manager.post_process)


def test_function():
    assert "grouping.group_rewards(" in inspect.getsource(trainer.centre)
"""
    after = repaired(tmp_path, test)
    assert "inspect" not in after
    assert after.count('function="Manager.post_process"') == 1
    assert after.count('function="centre"') == 2


def test_unittest(tmp_path: Path) -> None:
    test = """\
import unittest
from pathlib import Path


class TestGrouping(unittest.TestCase):
    def setUp(self):
        self.source = Path("lab/manager.py").read_text()

    def test_it(self):
        self.assertIn("group_rewards(", self.source)
        self.assertNotIn("rewards.reshape(-1, self.args.n_samples_per_prompt)", self.source)
"""
    after = repaired(tmp_path, test)
    assert 'absent=["GRPO001"]' in after
    assert "self.source = Path" in after, "what other tests may read stays"


REFUSED = {
    'assert "group_rewards(" in SOURCE.read_text() or True': "says more than that a text is there",
    'assert SOURCE.read_text().count("group_rewards(") == 1': "says more than that a text is there",
    'assert all(name in SOURCE.read_text() for name in ["group_rewards("])': "says more than that a text is there",
    'for name in ["group_rewards(", "torch.tensor("]:\n    assert name in SOURCE.read_text()': "`name` stands for",
    'text = SOURCE.read_text()\nif text:\n    assert "group_rewards(" in text': "stand in branches or loops",
    'assert "rewards.view(-1, 4)" not in SOURCE.read_text()': "only absences",
    'text = SOURCE.read_text()\nassert "group_rewards(" in text\nassert "print(" not in text': "is no reshape of",
    'assert "centre(rewards" in SOURCE.read_text()': "is no piece of a call",
    'assert "class Manager" in SOURCE.read_text()': "is no piece of a call",
    'text = SOURCE.read_text()\nassert "group_rewards(" in text\nassert "self.other" in text': "no piece of the call",
    'assert "grouping.group_rewards(rewards, ids" in TRAINER.read_text()': "2 calls that the texts may be about",
    'assert "self.hook(self.args, samples)" in SOURCE.read_text()': "what `self.hook` is cannot be told",
    'assert "list(map(len, samples))" in SOURCE.read_text()': "what `list` is cannot be told",
    'assert "torch.tensor(self.lengths(samples))" in SOURCE.read_text()': "parameters of `torch.tensor` are not",
    'assert "f(x)" in SOURCE.with_name("gone.py").read_text()': "`lab/gone.py` is not found",
    'assert "f(x)" in (SOURCE.parents[2] / "other" / "a.py").read_text()': "is not found in the project",
    'assert "group_rewards(" in SOURCE.read_text()  # why': "holds a comment or another statement",
    'text = SOURCE.read_text(); assert "group_rewards(" in text': "holds a comment or another statement",
    'assert_call_site = 1\nassert "group_rewards(" in SOURCE.read_text()': "is something else in this file",
    'text = TRAINER.read_text()\nassert "grouping.log(table)" in text\nassert "rewards.view(-1, n)" not in text': (
        "does not hold: GRPO001 is reported here"
    ),
}


@pytest.mark.parametrize("body", REFUSED)
def test_what_has_no_repair(tmp_path: Path, body: str) -> None:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    path = write_project(tmp_path, f"{TOP}def test_it():\n{lines}")
    before = path.read_bytes()
    (finding,) = run(path, Mode.FIX).findings
    assert finding.fix is None
    assert finding.fix_reason is not None
    assert REFUSED[body] in finding.fix_reason
    assert path.read_bytes() == before


def test_a_source_that_does_not_parse(tmp_path: Path) -> None:
    path = write_project(tmp_path, f'{TOP}def test_it():\n    assert "f(x)" in SOURCE.read_text()\n')
    (tmp_path / "lab/manager.py").write_text("def f(\n")
    (finding,) = run(path, Mode.FIX).findings
    assert finding.fix_reason is not None
    assert finding.fix_reason.startswith("lab/manager.py:1:6: '(' was never closed")


def test_a_suppressed_guard_stays(tmp_path: Path) -> None:
    test = BEFORE.replace('group_rewards" in source\n', 'group_rewards" in source  # noqa: GRPO102 - kept\n')
    path = write_project(tmp_path, test)
    result = run(path, Mode.FIX)
    assert result.findings == ()
    assert len(result.fixed) == 2
    assert test.partition("def test_by_prompt")[0].partition("SOURCE")[2] in path.read_text()


def test_the_repaired_tests_run(tmp_path: Path) -> None:
    """They pass where the call is made, whatever its layout, and fail once it is not, or not as it must be."""
    repaired(tmp_path, BEFORE)
    manager = tmp_path / "lab/manager.py"
    text = manager.read_text()
    outcomes = {
        text: "3 passed",
        text.replace("group_rewards(\n            raw", "group_rewards(raw"): "3 passed",
        text.replace("= group_rewards(", "= list("): "3 failed",
        text.replace("sample.group_index", "sample.index"): "1 failed, 2 passed",
    }
    for changed, outcome in outcomes.items():
        manager.write_text(changed)
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"]
        done = subprocess.run(command, cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False)
        assert done.stdout.splitlines()[-1].startswith(outcome), (outcome, done.stdout)
