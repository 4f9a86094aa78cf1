"""What is shipped, and what a run of it imports."""

from __future__ import annotations

import ast
import os
import shlex
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import yaml

import grpo_lint
from grpo_lint.rules import CODES

ROOT = Path(__file__).parent.parent

HEAVY = ("libcst", "torch", "rich", "pathspec", "numpy", "difflib", "tomllib", "multiprocessing")
IMPORTED = f"""
import sys
from grpo_lint.cli import main
status = main(sys.argv[1:])
sys.stderr.write(repr((status, sorted(set({HEAVY!r}) & set(sys.modules)))))
"""

FAULTY = """\
import torch
from samples import Sample


def advantages_of(args, samples: list[Sample]):
    rewards = torch.tensor([sample.reward for sample in samples])
    rewards = rewards.view(-1, args.n_samples_per_prompt)
    return (rewards - rewards.mean(dim=-1, keepdim=True)).flatten()
"""
SAMPLES = "class Sample:\n    reward: float\n    group_index: int\n"
# Words that pass the gate, and nothing to report: parsed, and no candidate.
LOOKALIKE = "def total(rewards):\n    return rewards.view(-1).mean()\n"


def imported_by(folder: Path, *arguments: str) -> tuple[int, list[str]]:
    done = subprocess.run(
        [sys.executable, "-c", IMPORTED, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    status, names = ast.literal_eval(done.stderr[done.stderr.rindex("(") :])
    return status, names


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "samples.py").write_text(SAMPLES)
    return tmp_path


def test_a_file_without_candidates_imports_nothing_heavy(project: Path) -> None:
    (project / "clean.py").write_text("def double(value):\n    return 2 * value\n")
    assert imported_by(project, "clean.py") == (0, [])


def test_a_file_that_only_looks_like_one_imports_nothing_heavy(project: Path) -> None:
    (project / "lookalike.py").write_text(LOOKALIKE)
    assert imported_by(project, "lookalike.py") == (0, [])


@pytest.mark.parametrize("arguments", [[], ["--diff"], ["--output-format", "json"], ["--fix"]])
def test_a_finding_imports_neither_torch_nor_numpy(arguments: list[str], project: Path) -> None:
    (project / "faulty.py").write_text(FAULTY)
    status, names = imported_by(project, *arguments, "faulty.py")
    assert status == (0 if "--fix" in arguments else 1)
    assert not {"torch", "numpy", "rich"} & set(names)


def test_the_linter_never_names_torch() -> None:
    """Only the reference needs torch, what tests it, and an audit; no module of the linter imports the reference."""
    package = Path(grpo_lint.__file__).parent
    others = {package / "reference.py", package / "vendoring/properties.py", *(package / "audit").rglob("*.py")}
    for path in set(package.rglob("*.py")) - others:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            modules += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            assert not any(name.split(".")[0] in ("torch", "numpy") for name in modules), path
            assert "grpo_lint.reference" not in modules, path


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    source, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    shutil.copytree(ROOT / "grpo_lint", source / "grpo_lint", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)],
        cwd=source,
        capture_output=True,
        check=True,
    )
    (path,) = out.iterdir()
    return zipfile.ZipFile(path)


def metadata(wheel: zipfile.ZipFile) -> str:
    (name,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    return wheel.read(name).decode().partition("\n\n")[0]


def test_the_wheel_holds_the_package_its_typing_marker_and_its_license(wheel: zipfile.ZipFile) -> None:
    names = wheel.namelist()
    assert "grpo_lint/py.typed" in names
    assert {"grpo_lint/reference.py", "grpo_lint/vendoring/properties.py"} <= set(names)
    assert [code for code in CODES if not any(f"rules/{code.lower()}_" in name for name in names)] == []
    (license_name,) = (name for name in names if name.endswith("/licenses/LICENSE"))
    assert wheel.read(license_name) == (ROOT / "LICENSE").read_bytes()
    assert {name.split("/")[0].partition("-")[0] for name in names} == {"grpo_lint"}


def test_the_wheel_requires_no_torch_unless_asked(wheel: zipfile.ZipFile) -> None:
    required = [
        line.removeprefix("Requires-Dist: ") for line in metadata(wheel).splitlines() if "Requires-Dist" in line
    ]
    hard = {line.split(">")[0] for line in required if "extra ==" not in line}
    assert hard == {"libcst", "pathspec", "rich", "tomli"}
    assert any(line.startswith("torch") and "extra == 'torch'" in line for line in required)


def test_the_wheel_names_its_license_version_and_pythons(wheel: zipfile.ZipFile) -> None:
    lines = metadata(wheel).splitlines()
    assert f"Version: {grpo_lint.__version__}" in lines
    assert "License-Expression: Apache-2.0" in lines
    assert "Requires-Python: >=3.10" in lines
    for minor in range(10, 15):
        assert f"Classifier: Programming Language :: Python :: 3.{minor}" in lines


def test_the_pre_commit_hooks() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    assert {hook["id"]: hook["entry"] for hook in hooks} == {
        "grpo-lint": "grpo-lint",
        "grpo-lint-fix": "grpo-lint --fix",
        "grpo-lint-contracts": "grpo-lint contracts",
    }
    for hook in hooks:
        assert hook["language"] == "python"
        is_given_files = hook.get("pass_filenames", True)
        assert (hook.get("types"), hook.get("always_run")) == ((["python"], None) if is_given_files else (None, True))
        assert hook["require_serial"] is True
        assert hook["name"]
        assert hook["description"]


def test_the_entry_of_a_hook_runs_on_the_files_that_it_is_given(project: Path) -> None:
    (project / "faulty.py").write_text(FAULTY)
    for hook in reversed(yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))):
        _, *arguments = shlex.split(hook["entry"])
        files = ["faulty.py", "samples.py"] if hook.get("pass_filenames", True) else []
        assert imported_by(project, *arguments, *files)[0] == 0
    assert "normalize_rewards_by_group" in (project / "faulty.py").read_text()
