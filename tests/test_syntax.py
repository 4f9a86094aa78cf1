"""Python warns of what it parses; none of that gets into our output, whatever is made of warnings."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import ROOT, child

from grpo_lint import syntax

MODULE = """\
import torch

from .samples import Sample
PATTERN = '\\d', b'\\d'
NUMBER = 0x1for 2

def advantages_of(args, samples: "list[Sample]", pattern='\\d'):
    rewards = torch.tensor([sample.reward for sample in samples])
    rewards = rewards.view(-1, args.n_samples_per_prompt)
    return (rewards - rewards.mean(dim=-1, keepdim=True)).flatten(), "\\d"
"""
SAMPLES = "class Sample:\n    '''\\d'''\n    group_index: 'int | \"\\d\"'\n    reward: float\n"


@pytest.fixture
def package(tmp_path: Path) -> Path:
    folder = tmp_path / "lab"
    folder.mkdir()
    (folder / "__init__.py").write_text("def normalize_rewards_by_group(rewards, ids='\\d'): ...\n")
    (folder / "samples.py").write_text(SAMPLES)
    return tmp_path


@pytest.mark.parametrize("option", ["error", "always"])
def test_a_repair_says_nothing_of_other_code(package: Path, option: str) -> None:
    path = package / "lab/a.py"
    path.write_text(MODULE)
    command = ["-W", option, "-m", "grpo_lint"]
    for arguments in (["--output-format", "sarif"], ["--diff"], ["--add-ignores", "--diff"], ["baseline", "write"]):
        assert "Warning" not in child(*command, *arguments, cwd=package)[2]
    status, out, err = child(*command, "--fix", "lab/a.py", cwd=package)
    assert (status, out) == (0, "Found 1 finding (1 fixed, 0 remaining).\n")
    assert [line.partition(":")[0] for line in err.splitlines()] == ["grpo-lint"]
    assert "normalize_rewards_by_group(" in path.read_text()


@pytest.mark.parametrize("option", ["error", "always"])
def test_vendoring_says_nothing_of_other_code(tmp_path: Path, option: str) -> None:
    (tmp_path / "a.py").write_text("from grpo_lint.reference import normalize_rewards_by_group\nPATTERN = '\\d'\n")
    command = ["-W", option, "-m", "grpo_lint", "vendor", "regroup.py"]
    assert child(*command, cwd=tmp_path)[::2] == (0, "")
    assert "from regroup import" in (tmp_path / "a.py").read_text()
    with (tmp_path / "regroup.py").open("a") as copy:
        copy.write("PATTERN = '\\d'\n")
    status, _, err = child(*command, "--check", cwd=tmp_path)
    assert status
    assert "Warning" not in err


def test_all_parsing_is_quiet() -> None:
    """`analysis` parses with a limit of its own."""
    speaking = {
        path.relative_to(ROOT / "grpo_lint").as_posix()
        for path in (ROOT / "grpo_lint").rglob("*.py")
        if "ast.parse(" in path.read_text("utf-8")
    }
    assert speaking == {"analysis.py", Path(syntax.__file__).name}
