"""The property tests that are written into a codebase: they pass on the reference, and fail on each mutant of it."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import grpo_lint

PACKAGE = Path(grpo_lint.__file__).parent
REFERENCE = (PACKAGE / "reference.py").read_text("utf-8")
PROPERTIES = PACKAGE / "vendoring/properties.py"

# What is replaced in the reference, by what.
MUTANTS = {
    "one group for the whole batch": (
        "    if unset == 0:\n        return _keys(labels)",
        "    if unset == 0:\n        return torch.zeros(len(labels), dtype=torch.int64)",
    ),
    "groups by position": (
        "    if unset == 0:\n        return _keys(labels)",
        "    if unset == 0:\n        return _positions(len(labels)) // (len(labels) // len(_keys(labels).unique()))",
    ),
    "advantages in the order of the groups": (
        "return advantages if slots is None else advantages.index_select(0, slots.to(values.device))",
        "return advantages if slots is None else advantages[torch.arange(len(slots)) % len(advantages)]",
    ),
    "every sample votes": (
        "attempts = None if attempt_ids is None else _attempts(groups, attempt_ids)",
        "attempts = None",
    ),
    "attempts across groups": ("first = _first_positions(_pairs(groups, keys))", "first = _first_positions(keys)"),
    "all unset attempts are one": ("_positions(len(keys)) - len(keys), keys)", "-torch.ones_like(keys), keys)"),
    "the mean by the median": (
        "rows - rows.mean(dim=-1, keepdim=True)",
        "rows - rows.median(dim=-1, keepdim=True)[0]",
    ),
    "no centring": ("advantages = rows - rows.mean(dim=-1, keepdim=True)", "advantages = rows.clone()"),
    "always scaled": ("if self.normalize_std:", "if True:"),
    "never scaled": ("if self.normalize_std:", "if False:"),
    "correction ignored": ("correction=self.correction, keepdim", "correction=1, keepdim"),
    "eps within the root": (
        "divisor = advantages.std(dim=-1, correction=self.correction, keepdim=True) + eps",
        "divisor = (advantages.var(dim=-1, correction=self.correction, keepdim=True) + eps).sqrt()",
    ),
    "eps doubled": ("eps = self.eps if scale is None", "eps = 2 * self.eps if scale is None"),
    "leave one out without its factor": ("advantages * size / (size - 1)", "advantages"),
    "leave one out with its factor upside down": ("advantages * size / (size - 1)", "advantages * (size - 1) / size"),
    "noise of equal rewards": ("return advantages.masked_fill_(is_flat, 0.0)", "return advantages"),
    "a group of one keeps its reward": ("return torch.zeros_like(rows)", "return rows.clone()"),
    "a group of one is NaN": ("        if size == 1:\n            return torch.zeros_like(rows)\n", ""),
    "no care for overflow": ("    if peak <= limit:\n", "    if True:\n"),
    "half types computed as they are": (
        "dtype = torch.float64 if rewards.dtype == torch.float64 else torch.float32",
        "dtype = rewards.dtype if rewards.is_floating_point() else torch.float32",
    ),
    "half types not clamped": ("return advantages.clamp(-limit, limit).to(dtype)", "return advantages.to(dtype)"),
    "gradients flow": ("rewards.detach().to(", "rewards.to("),
    "float64 lost": ("torch.float64 if rewards.dtype == torch.float64 else torch.float32", "torch.float32"),
    "siblings unchecked": ("if not is_different.any():", "if True:"),
    "rewards unchecked": ("if not (math.isfinite(low) and math.isfinite(high)):", "if False:"),
    "lengths unchecked": ("if len(labels) != length:", "if False:"),
    "unset groups are one group": ("if unset == 0:", "if unset < len(labels):"),
    "a group size that does not divide": (" or len(labels) % size:", ":"),
    "NaN is an identity": ("[None if item != item else item for item in listed]", "list(listed)"),
    "tensors by their address": ("listed = _by_value(listed)", "pass"),
    "no warning of sample ids": ("if layout.group_count == len(values) > 1:", "if False:"),
    "the hook forgets an estimator": ('_SCALED = ("grpo", "gspo", "cispo")', '_SCALED = ("grpo", "gspo")'),
    "the hook forgets the attempts": ('[getattr(sample, "rollout_id", None) for sample in flat]', "None"),
    "the hook does not flatten": ("yield from _flatten(item)", "yield from item"),
}

# One process for all: importing torch takes longer than the tests. The last tests first: they are the cheapest.
RUNNER = """
import contextlib, io, json, pathlib, sys
import pytest
OPTIONS = ["-x", "-q", "--assert=plain", "--tb=line", "-p", "no:cacheprovider", "-p", "no:logging"]
class Backwards:
    def pytest_collection_modifyitems(self, items):
        items.reverse()
outcomes = {}
for folder in sorted(pathlib.Path.cwd().iterdir()):
    for name in ("groups_of_mine", "test_groups"):
        sys.modules.pop(name, None)
    sys.path.insert(0, str(folder))
    with contextlib.redirect_stdout(io.StringIO()) as said:
        status = pytest.main([*OPTIONS, str(folder / "test_groups.py")], [Backwards()])
    sys.path.remove(str(folder))
    outcomes[(folder / "name").read_text()] = int(status), said.getvalue()
print(json.dumps(outcomes))
"""


def without_linter(**more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return {**kept, "PYTHONPATH": "", "PYTHONDONTWRITEBYTECODE": "1", **more}


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, str]]:
    """The exit status of pytest, and its output, by the mutant's name; that of the reference itself by none."""
    root = tmp_path_factory.mktemp("mutants")
    tests = PROPERTIES.read_text("utf-8").replace("grpo_lint.reference", "groups_of_mine")
    for number, (name, (old, new)) in enumerate({"": ("", ""), **MUTANTS}.items()):
        folder = root / f"{number:02}"
        folder.mkdir()
        (folder / "name").write_text(name)
        (folder / "groups_of_mine.py").write_text(REFERENCE.replace(old, new) if old else REFERENCE)
        (folder / "test_groups.py").write_text(tests)
    done = subprocess.run(
        [sys.executable, "-c", RUNNER], cwd=root, env=without_linter(), capture_output=True, text=True, check=True
    )
    return {name: (status, said) for name, (status, said) in json.loads(done.stdout).items()}


def test_they_pass_on_the_reference(outcomes: dict[str, tuple[int, str]]) -> None:
    assert outcomes[""][0] == 0, outcomes[""][1]


@pytest.mark.parametrize("name", MUTANTS)
def test_they_catch(name: str, outcomes: dict[str, tuple[int, str]]) -> None:
    old, new = MUTANTS[name]
    assert REFERENCE.count(old) == 1, "the mutation no longer fits the reference"
    compile(REFERENCE.replace(old, new), "mutant", "exec")
    status, said = outcomes[name]
    assert (status, "1 failed" in said) == (1, True), said


def test_they_need_torch_and_pytest_only() -> None:
    nodes = list(ast.walk(ast.parse(PROPERTIES.read_text("utf-8"))))
    names = {alias.name.partition(".")[0] for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    names |= {(node.module or "").partition(".")[0] for node in nodes if isinstance(node, ast.ImportFrom)}
    assert names - sys.stdlib_module_names == {"torch", "pytest", "grpo_lint"}
    imported = [
        node.module for node in nodes if isinstance(node, ast.ImportFrom) and "grpo_lint" in (node.module or "")
    ]
    assert imported == ["grpo_lint.reference"]
