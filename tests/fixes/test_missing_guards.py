"""Guards change nothing but what lone samples get, and what stops for samples without an identity."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
import torch

from grpo_lint.config import Config
from grpo_lint.model import FileResult
from grpo_lint.runner import Mode, check_file

KEYED = """\
import statistics

import numpy as np
import torch


def advantages_of(keys, rewards, is_scaled=True):
    groups = {{}}
    for key, reward in zip(keys, rewards):
        groups.setdefault(key, []).append(reward)
    advantages = []
    for members in groups.values():
        own = torch.tensor(members)
{body}
        advantages += own.tolist()
    return advantages
"""

BODIES = {
    "its own statement": "own = own - own.mean()\nown = own / (own.std() + 1e-6)  # scaled",
    "in place": "own -= own.mean()\nown /= own.std() + 1e-6",
    "all of a branch": "own = own - own.mean()\nif is_scaled:\n    own = own / (own.std() + 1e-6)",
    "all of a branch with or": "own = own - own.mean()\nif is_scaled or keys:\n    own = own / (own.std() + 1e-6)",
    "a part of a branch": "own = own - own.mean()\nif is_scaled:\n    own = own / (own.std() + 1e-6)\n    own *= 1",
    "an expression": "own = (own - own.mean()) / (own.std() + 1e-6)",
    "a name": "std = own.std()\nown = (own - own.mean()) / (std + 1e-6)",
    "a function": "own = (own - own.mean()) / (torch.std(own) + 1e-6)",
    "python's own": "own = (own - own.mean()) / (statistics.stdev(members) + 1e-6)",
    "numpy's with ddof": "own = (own - own.mean()) / (np.std(members, ddof=1) + 1e-6)",
}

ELSEWHERE = {
    "not centred": ("own = own / (own.std() + 1e-6)", "centred"),
    "printed too": (
        "std = own.std()\nprint(std)\nown = (own - own.mean()) / (std + 1e-6)",
        "more than a divisor",
    ),
    "under a root": ("own = (own - own.mean()) / torch.sqrt(own.var() + 1e-6)", "more than a divisor"),
    "no name": ("own = (own - own.mean()) / (torch.tensor(members).std() + 1e-6)", "no name"),
    "two statements in a line": ("own -= own.mean(); own /= own.std()", "one line of its own"),
    "several lines": ("own = own - own.mean()\nown = own / (\n    own.std() + 1e-6\n)", "one line of its own"),
}


def program(body: str) -> str:
    return KEYED.format(body="\n".join("        " + line for line in body.split("\n")))


def fixed(folder: Path, text: str, unsafe: bool = False) -> tuple[FileResult, str]:
    path = folder / "program.py"
    path.write_text(text)
    result = check_file(str(path), Config(root=folder), Mode.FIX, unsafe)
    assert result.fault is None
    return result, path.read_text()


def run(text: str, *arguments: object) -> list[float]:
    scope: dict[str, object] = {}
    exec(compile(text, "program", "exec"), scope)
    return scope["advantages_of"](*arguments)  # type: ignore[operator]


@pytest.mark.parametrize("name", BODIES)
def test_a_guard_gives_a_lone_sample_zero_and_changes_no_other(tmp_path: Path, name: str) -> None:
    before = program(BODIES[name])
    result, after = fixed(tmp_path, before)
    assert [finding.code for finding in result.fixed] == ["GRPO004"]
    assert result.findings == ()
    assert ("# scaled" in after) == ("# scaled" in before)
    keys, rewards = ["a", "b", "a", "a", "b"], [1.0, 0.0, 0.0, 0.5, 1.0]
    assert run(after, keys, rewards) == run(before, keys, rewards)
    assert run(after, keys, rewards, False) == run(before, keys, rewards, False)
    alone = run(after, ["a", "b", "a"], [1.0, 1.0, 0.0])
    assert alone[2] == 0.0
    assert torch.isfinite(torch.tensor(alone)).all()


@pytest.mark.parametrize("name", ELSEWHERE)
def test_no_guard_where_it_would_do_something_else(tmp_path: Path, name: str) -> None:
    body, reason = ELSEWHERE[name]
    before = program(body)
    result, after = fixed(tmp_path, before, unsafe=True)
    assert after == before
    (finding,) = result.findings
    assert finding.fix is None
    assert reason in (finding.fix_reason or "")


def test_a_guard_is_unsafe_where_a_sample_may_have_several_rewards(tmp_path: Path) -> None:
    """The deviation of a lone row is a number, and dividing by it would end."""
    text = (
        "def advantages_of(uids, rewards: torch.Tensor):\n    for uid in uids.unique():\n"
        "        own = rewards[uids == uid]\n"
        "        rewards[uids == uid] = (own - own.mean()) / (own.std() + 1e-6)\n    return rewards\n"
    )
    result, after = fixed(tmp_path, "import torch\n" + text)
    assert after == "import torch\n" + text
    (finding,) = result.findings
    assert finding.fix is not None
    assert finding.fix.safety.value == "unsafe"


UNSET = """\
import torch


def advantages_of(samples):
    groups = {{}}
    for {target} in {samples}:
        groups.setdefault(getattr(sample, "uid", None), []).append(sample.reward)
    return [(torch.tensor(own) - torch.tensor(own).mean()).tolist() for own in groups.values()]
"""


class Sample:
    def __init__(self, reward: float, uid: str | None) -> None:
        self.reward, self.uid = reward, uid

    def __repr__(self) -> str:
        return f"Sample({self.reward})"


@pytest.mark.parametrize(
    ("target", "samples", "named"),
    [("sample", "samples", "Sample(0.5)"), ("i, sample", "enumerate(samples)", "sample 1")],
)
def test_a_check_names_the_first_sample_without_identity(tmp_path: Path, target: str, samples: str, named: str) -> None:
    before = UNSET.format(target=target, samples=samples)
    result, after = fixed(tmp_path, before)
    assert after == before, "the fix is unsafe"
    result, after = fixed(tmp_path, before, unsafe=True)
    assert [finding.code for finding in result.fixed] == ["GRPO005"]
    whole = [Sample(1.0, "a"), Sample(0.0, "a")]
    assert run(after, whole) == run(before, whole)
    with pytest.raises(ValueError, match="uid") as error:
        run(after, [whole[0], Sample(0.5, None), Sample(0.0, None)])
    assert named in str(error.value)


def test_the_rest_of_a_file_stays(tmp_path: Path) -> None:
    before = program(BODIES["all of a branch"]).replace("\n", "\r\n")
    path = tmp_path / "program.py"
    path.write_bytes(before.encode())
    check_file(str(path), Config(root=tmp_path), Mode.FIX, False)
    after = path.read_bytes().decode()
    changed = [(a, b) for a, b in zip(before.split("\r\n"), after.split("\r\n"), strict=True) if a != b]
    assert changed == [("        if is_scaled:", "        if is_scaled and len(own) > 1:")]
    ast.parse(after)
