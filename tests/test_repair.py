"""Fixes made together are those made one after another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from grpo_lint import analysis, repair, verify
from grpo_lint.analysis import Analysis, find
from grpo_lint.config import Config
from grpo_lint.fixes.assembly import assemble
from grpo_lint.fixes.lift import Lift
from grpo_lint.model import Edit, Fix, Position, Range
from grpo_lint.outcome import Fault, FileResult
from grpo_lint.project import Cache
from grpo_lint.runner import Mode, check_file
from grpo_lint.source import Source

CASES = sorted((Path(__file__).parent / "rules/cases").glob("*.py"))

SAMPLES = "class Sample:\n    reward: float\n    group_index: int\n"

HEAD = """\
import einops
import numpy as np
import torch
from samples import Sample
"""

METHOD = """

def {name}(args, samples: list[Sample]):
    rewards = torch.tensor([sample.reward for sample in samples])
    {before}
    grid = {grid}
    return (grid - grid.mean(dim=-1, keepdim=True)).flatten().tolist()
"""

SECOND = """\
more = torch.tensor([sample.reward for sample in samples])
    wide = more.view(-1, args.group_size)
    use((wide - wide.mean(-1, keepdim=True)).flatten())"""
VIEW, REARRANGE = "rewards.view(-1, args.group_size)", 'einops.rearrange(rewards, "(b n) -> b n", n=args.group_size)'


def method(name: str, before: str = "pass", grid: str = VIEW) -> str:
    return METHOD.format(name=name, before=before, grid=grid)


TEXTS = {
    "one": HEAD + method("a"),
    "several": HEAD + method("a") + method("b") + method("c"),
    "imports that go with different fixes": HEAD
    + method("a", grid=REARRANGE)
    + method("b")
    + method("c", grid=REARRANGE)
    + method("d", "assert args.group_size == np.int64(4)"),
    "imports that stay": HEAD + method("a") + method("b") + "\n\nzeros = torch.zeros(3)\nwords = 'einops'\n",
    "one calls another": HEAD + method("a") + method("b", "a(args, samples)") + method("c"),
    "one refused between": HEAD + method("a") + method("b", "torch.dist.all_reduce(rewards)") + method("c"),
    "methods of one name": HEAD
    + "".join(f"\n\nclass {name}:" + method("post").replace("\n", "\n    ") for name in "ABC"),
    "two in one function": HEAD + method("a") + method("b", SECOND) + method("c"),
    "a suppressed one": HEAD + method("a") + method("b", grid=f"{VIEW}  # noqa: GRPO001") + method("c"),
}


def fixed(folder: Path, text: str) -> FileResult:
    (folder / "samples.py").write_text(SAMPLES)
    path = folder / "a.py"
    path.write_text(text)
    result = check_file(str(path), Config(root=folder), Mode.FIX, True)
    return result._replace(text=path.read_text(), fixed=())


def one_by_one(folder: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> FileResult:
    with monkeypatch.context() as patch:
        patch.setattr(repair, "_step_together", lambda *_: None)
        return fixed(folder, text)


@pytest.mark.parametrize("name", TEXTS)
def test_together_is_one_after_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    result = fixed(tmp_path, TEXTS[name])
    assert result.text != TEXTS[name]
    assert result == one_by_one(tmp_path, TEXTS[name], monkeypatch)


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_together_is_one_after_another_in_the_cases(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: Path
) -> None:
    assert fixed(tmp_path, path.read_text()) == one_by_one(tmp_path, path.read_text(), monkeypatch)


def test_many_fixes_take_a_few_readings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    readings: list[str] = []

    def counted(source: Source, config: Config, cache: Callable[[], Cache]) -> Analysis:
        readings.append(source.text)
        return find(source, config, cache)

    monkeypatch.setattr(repair, "find", counted)
    result = fixed(tmp_path, HEAD + "".join(method(f"f{number}") for number in range(30)))
    assert result.findings == ()
    assert len(readings) == 1


@pytest.mark.parametrize("bad", ["first", "last"])
def test_one_fix_that_does_not_hold_leaves_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bad: str
) -> None:
    name = {"first": "a", "last": "c"}[bad]

    def broken(lifts: list[Lift]) -> Fix:
        fix = assemble(lifts)
        is_hit = any(getattr(lift.facts.function, "name", "") == name for lift in lifts)
        more = Edit(Range(Position(1, 1), Position(1, 1)), "(\n")
        return replace(fix, edits=(more, *fix.edits)) if is_hit else fix

    monkeypatch.setattr(repair, "assemble", broken)
    monkeypatch.setattr("grpo_lint.fixes.assembly.assemble", broken)
    result = fixed(tmp_path, TEXTS["several"])
    (finding,) = result.findings
    assert finding.fix_reason is not None
    assert finding.fix_reason.startswith("the fix is withheld: its text does not parse")
    assert result.text.count("normalize_rewards_by_group(") == 2
    assert f"def {name}(args, samples: list[Sample]):\n    rewards = torch.tensor" in result.text


GRID = """\
import torch


class Sample:
    group_index: int
    reward: float


def advantages_of(args, samples: list[Sample]):
    rewards = torch.tensor([sample.reward for sample in samples])
    if len(rewards) == args.rollout_batch_size * args.n_samples_per_prompt:
        rewards = rewards.view(-1, args.n_samples_per_prompt)
    else:
        rewards = rewards.view(1, -1)
    return (rewards - rewards.mean(dim=-1, keepdim=True)).flatten()
"""


@pytest.mark.parametrize(
    ("text", "config", "reason"),
    [
        (GRID, Config(select=("GRPO002",)), "line 12 is part of it, and is not selected (GRPO001)"),
        (GRID, Config(ignore=("GRPO001",)), "line 12 is part of it, and is not selected (GRPO001)"),
        (GRID, Config(file_ignore=("GRPO002",)), "line 14 is part of it, and is not selected (GRPO002)"),
        (
            GRID.replace("per_prompt)\n    else", "per_prompt)  # noqa: GRPO001 - exact\n    else"),
            Config(select=("GRPO002",)),
            "line 12 is part of it, and is not selected (GRPO001)",
        ),
        (
            GRID.replace("per_prompt)\n    else", "per_prompt)  # noqa: GRPO001 - exact\n    else"),
            Config(),
            "line 12 is part of it, and is suppressed",
        ),
    ],
)
def test_a_repair_changes_nothing_that_another_rule_would_report(
    tmp_path: Path, text: str, config: Config, reason: str
) -> None:
    path = tmp_path / "a.py"
    path.write_text(text)
    result = check_file(str(path), config, Mode.FIX, unsafe_fixes=True)
    assert [finding.fix_reason for finding in result.findings] == [reason]
    assert path.read_text() == text


def test_a_file_that_is_changed_meanwhile_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.py"
    path.write_text(GRID)
    verified = verify.require_readable

    def change(*sources: Source) -> None:
        path.write_text("mine = 1\n")
        verified(*sources)

    monkeypatch.setattr(verify, "require_readable", change)
    result = check_file(str(path), Config(), Mode.FIX, unsafe_fixes=False)
    assert result.fault == Fault("not repaired: it was changed in the meantime")
    assert [finding.code for finding in result.findings] == ["GRPO001", "GRPO002"]
    assert path.read_text() == "mine = 1\n"


def test_an_error_of_ours_is_not_the_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.py"
    path.write_text(GRID)
    for error in (ValueError("x"), OSError("x"), SyntaxError("x"), MemoryError("x"), KeyError("x")):

        def fail(*_: object, error: Exception = error) -> None:
            raise error

        monkeypatch.setattr(analysis, "find_in", fail)
        result = check_file(str(path), Config(), Mode.CHECK, unsafe_fixes=False)
        assert result.fault == Fault(f"internal error: {type(error).__name__}: {error}")
