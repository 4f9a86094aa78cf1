"""The example codebase: it has the defects that it should have, and its own tests pass before and after the repair."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def run(*command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *command],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def tiny_rl(tmp_path: Path) -> Path:
    ignored = shutil.ignore_patterns("__pycache__", ".*_cache")
    return shutil.copytree(ROOT / "examples/tiny_rl", tmp_path / "tiny_rl", ignore=ignored)


def test_what_is_found(tiny_rl: Path) -> None:
    done = run("grpo_lint", "--output-format", "json", ".", cwd=tiny_rl)
    found = [
        (Path(row["filename"]).relative_to(tiny_rl.resolve()).as_posix(), row["code"], row["fix"]["applicability"])
        for row in json.loads(done.stdout)
    ]
    assert found == [
        ("tiny_rl/post_process.py", "GRPO001", "safe"),
        ("tiny_rl/rollout.py", "GRPO001", "safe"),
        ("tiny_rl/rollout.py", "GRPO002", "safe"),
    ]
    assert done.returncode == 1


def test_its_tests_pass_before_and_after_the_repair(tiny_rl: Path) -> None:
    for command in (("grpo_lint", "--diff", "."), ("grpo_lint", "--fix", ".")):
        run(*command, cwd=tiny_rl)
        done = run("pytest", "-q", "-p", "no:cacheprovider", cwd=tiny_rl)
        assert (done.returncode, done.stdout.splitlines()[-1].partition(" in ")[0]) == (0, "5 passed")
    assert run("grpo_lint", ".", cwd=tiny_rl).stdout == "All checks passed!\n"


UNEVEN = """
from statistics import fmean
from tiny_rl.post_process import centred_with_numpy
from tiny_rl.rollout import RolloutManager
from tiny_rl.samples import Settings, batch

for post_process, prompts in (
    (None, [[0.9, 0.8, 0.7], [0.1, 0.0]]),
    (None, [[0.9, 0.8, 0.7, 0.6, 0.9], [0.1, 0.0, 0.2]]),
    (centred_with_numpy, [[0.9, 0.8, 0.7, 0.6, 0.9], [0.1, 0.0, 0.2]]),
):
    _, advantages = RolloutManager(Settings(scale_rewards=False), post_process).rewards_of(batch(prompts))
    wanted = [reward - fmean(rewards) for rewards in prompts for reward in rewards]
    print(all(abs(a - b) < 1e-6 for a, b in zip(advantages, wanted)))
"""


def test_uneven_prompts_get_their_own_baseline_by_the_repair(tiny_rl: Path) -> None:
    def verdicts() -> str:
        script = tiny_rl / "uneven.py"
        script.write_text(UNEVEN)
        done = run("uneven", cwd=tiny_rl)
        script.unlink()
        assert done.stderr == ""
        return done.stdout

    assert verdicts() == "False\n" * 3
    assert run("grpo_lint", "--fix", ".", cwd=tiny_rl).returncode == 0
    assert verdicts() == "True\n" * 3


def test_a_second_repair_changes_nothing(tiny_rl: Path) -> None:
    run("grpo_lint", "--fix", ".", cwd=tiny_rl)
    once = {path: path.read_bytes() for path in tiny_rl.rglob("*.py")}
    assert run("grpo_lint", "--fix", ".", cwd=tiny_rl).returncode == 0
    assert {path: path.read_bytes() for path in tiny_rl.rglob("*.py")} == once
