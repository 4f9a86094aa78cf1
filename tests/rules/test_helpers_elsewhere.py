"""Helpers that another module defines: what they do to groups that are made here, and groups they make."""

from __future__ import annotations

from pathlib import Path

import pytest

from grpo_lint.config import Config
from grpo_lint.runner import Mode, check_file

MATHS = """
import torch

def centre(grid):
    return grid - grid.mean(dim=-1, keepdim=True)

def standardise(grid, eps=1e-6):
    return _scaled(centre(grid), eps)

def _scaled(centred, eps):
    return centred / (centred.std(dim=-1, keepdim=True) + eps)

def to_groups(values, group_size):
    return values.view(-1, group_size)

def log_normalized(grid):
    print((grid - grid.mean()).abs().max())

def whole_advantages(rewards, group_size):
    grid = rewards.view(-1, group_size)
    return (grid - grid.mean(dim=1, keepdim=True)).flatten()

def cached(function):
    return function

@cached
def normalize(grid):
    return grid - grid.mean(dim=-1, keepdim=True)

def recursive_centre(grid):
    return recursive_centre(grid) - grid.mean(dim=-1, keepdim=True)

def log_advantages(grid):
    print((grid - grid.mean(dim=-1, keepdim=True)).abs().max())
    return grid

def group_centring(values):
    def inner(grid):
        return grid - grid.mean(dim=-1, keepdim=True)
    return inner

def grid_reader(values):
    return lambda grid: grid.view(-1, 4)

def baseline_of(grid):
    return grid.mean(dim=-1, keepdim=True)

def group_length(values):
    return len(samples)

class Helpers:
    @staticmethod
    def centre(grid):
        return grid
"""
BODY = "    grid = rewards.view(-1, num_generations)\n    return {}.flatten()\n"
HEAD = "def advantages_of(rewards, prompt_ids, num_generations):\n"


def found(folder: Path, text: str, **others: str) -> list[tuple[str, int, str]]:
    """The code, the row and what is reported of a module `pkg/trainer.py` beside `pkg/maths.py`."""
    package = folder / "pkg"
    package.mkdir(exist_ok=True)
    for name, content in {"__init__": "", "maths": MATHS, "trainer": text, **others}.items():
        (package / f"{name}.py").write_text(content)
    result = check_file(str(package / "trainer.py"), Config(root=folder), Mode.CHECK, True)
    assert result.fault is None
    assert all(finding.fix is None for finding in result.findings)
    return [(each.code, each.range.start.row, each.message.split("`")[1]) for each in result.findings]


GRID = "rewards.view(-1, num_generations)"


@pytest.mark.parametrize(
    ("head", "expression"),
    [
        ("from pkg.maths import centre\n", "centre(grid)"),
        ("from .maths import centre\n", "centre(grid)"),
        ("from . import maths\n", "maths.centre(grid) + 0 * grid.mean()"),
        ("from .maths import centre as take_baseline\n", "take_baseline(grid)"),
        ("from .maths import standardise\n", "standardise(grid)"),
        ("from .maths import standardise\n", "standardise(grid=grid, eps=0.0)"),
        ("from .maths import (\n    standardise,\n    to_groups,\n)\n", "standardise(grid)"),
        ("from .api import centre\n", "centre(grid)"),
        ("from .stars import *\nfrom .stars import centre\n", "centre(grid)"),
        ("try:\n    from .maths import centre\nexcept ImportError:\n    centre = None\n", "centre(grid)"),
    ],
)
def test_groups_of_here_that_are_centred_elsewhere(tmp_path: Path, head: str, expression: str) -> None:
    others = {"api": "from pkg.maths import centre\n", "stars": "from pkg.maths import *\n"}
    row = head.count("\n") + 2
    text = head + HEAD + BODY.format(f"({expression})")
    assert found(tmp_path, text, **others) == [("GRPO001", row, GRID)]


@pytest.mark.parametrize(
    ("head", "grouped"),
    [
        ("from .maths import to_groups\n", "to_groups(rewards, num_generations)"),
        ("from .maths import to_groups\n", "to_groups(values=rewards, group_size=num_generations)"),
    ],
)
def test_groups_that_are_made_elsewhere_and_centred_here(tmp_path: Path, head: str, grouped: str) -> None:
    """The place is the call, and the size the caller's own."""
    body = f"    grid = {grouped}\n    return (grid - grid.mean(dim=1, keepdim=True)).reshape(-1)\n"
    assert found(tmp_path, head + HEAD + body) == [("GRPO001", 3, grouped)]


def test_a_whole_normalisation_is_reported_where_it_stands(tmp_path: Path) -> None:
    """Not once more where it is called."""
    text = (
        f"from .maths import whole_advantages\n{HEAD}    return whole_advantages(rewards.view(-1), num_generations)\n"
    )
    assert found(tmp_path, text) == []
    result = check_file(str(tmp_path / "pkg/maths.py"), Config(root=tmp_path), Mode.CHECK, True)
    assert [each.code for each in result.findings] == ["GRPO001"]


@pytest.mark.parametrize(
    ("head", "expression"),
    [
        # it only logs
        ("from .maths import log_normalized\n", "(log_normalized(grid), grid)[1]"),
        # a decorator may replace it
        ("from .maths import normalize\n", "normalize(grid)"),
        # it is not there
        ("from .maths import no_centre\n", "no_centre(grid)"),
        ("from .missing import centre\n", "centre(grid)"),
        # the module does not parse
        ("from .broken import centre\n", "centre(grid)"),
        # it is another package's
        ("from elsewhere.maths import centre\n", "centre(grid)"),
        # another definition may stand in its place
        ("from .either import centre\n", "centre(grid)"),
        # modules that import each other in a circle
        ("from .circle import centre\n", "centre(grid)"),
        # a parameter has its name
        ("from .maths import centre\n", "(lambda centre: centre(grid))(print)"),
        # the name of a library's function is none of the project's
        ("from torch import centre\n", "centre(grid)"),
    ],
)
def test_what_is_not_known_to_centre(tmp_path: Path, head: str, expression: str) -> None:
    others = {
        "broken": "def centre(grid:\n",
        "either": "if x:\n    from .maths import centre\nelse:\n    def centre(grid):\n        return grid\n",
        "circle": "from .circle2 import centre\n",
        "circle2": "from .circle import centre\n",
    }
    text = head + HEAD + "    mean = rewards.mean\n" + BODY.format(f"({expression})")
    assert found(tmp_path, text, **others) == []


def test_a_helper_that_calls_itself_ends(tmp_path: Path) -> None:
    text = "from .maths import recursive_centre\n" + HEAD + BODY.format("recursive_centre(grid)")
    assert found(tmp_path, text) in ([], [("GRPO001", 3, GRID)])


def test_nothing_of_the_other_module_is_executed_or_shown(tmp_path: Path) -> None:
    """Rows and texts are those of the file that is checked."""
    poison = "raise SystemExit('executed')\n" + "\n" * 200 + MATHS
    text = "from .maths import centre\n" + HEAD + BODY.format("centre(grid)")
    assert found(tmp_path, text, maths=poison) == [("GRPO001", 3, GRID)]
    result = check_file(str(tmp_path / "pkg/trainer.py"), Config(root=tmp_path), Mode.CHECK, True)
    (finding,) = result.findings
    assert finding.fix_reason == "a part of the normalisation is in another module"
    assert all(mark.range.end.row <= text.count("\n") for mark in finding.evidence)
    labels = [mark.label for mark in finding.evidence]
    assert "subtracted as the baseline" in labels


@pytest.mark.parametrize(
    "body",
    [
        # the statistic is only printed, and the groups come back as they went
        "    grid = log_advantages(rewards.view(-1, num_generations))\n    return grid.flatten() / rewards.mean()\n",
        # functions that come back are of the other file
        "    centred = group_centring(rewards)\n    return centred(rewards.view(-1, num_generations))\n",
        "    grid = grid_reader(rewards)(rewards)\n    return grid - grid.mean(dim=-1, keepdim=True)\n",
        # `samples` there are not those of here
        "    size = group_length(rewards)\n    grid = rewards.view(1, size)\n    return rewards - grid.mean()\n",
        # a starred argument: nothing tells which parameter is the grid
        "    grid = rewards.view(-1, num_generations)\n    return centre(*[prompt_ids], grid) * rewards.mean()\n",
    ],
)
def test_what_comes_back_from_a_helper_is_not_taken_for_more(tmp_path: Path, body: str) -> None:
    names = "baseline_of, centre, group_centring, group_length, grid_reader, log_advantages"
    assert found(tmp_path, f"from .maths import {names}\n{HEAD}{body}") == []


def test_a_statistic_of_another_module_is_not_repaired_away(tmp_path: Path) -> None:
    """Its import would be left over; `found` sees that there is no fix."""
    text = "from .maths import baseline_of\n" + HEAD + BODY.format("(grid - baseline_of(grid))")
    assert found(tmp_path, text) == [("GRPO001", 3, GRID)]
    result = check_file(str(tmp_path / "pkg/trainer.py"), Config(root=tmp_path), Mode.CHECK, True)
    assert [each.fix_reason for each in result.findings] == ["a part of the normalisation is in another module"]


def test_a_helper_that_centres_and_scales_is_shown_as_the_baseline(tmp_path: Path) -> None:
    text = "from .maths import standardise\n" + HEAD + BODY.format("standardise(grid)")
    found(tmp_path, text)
    result = check_file(str(tmp_path / "pkg/trainer.py"), Config(root=tmp_path), Mode.CHECK, True)
    labels = [mark.label for finding in result.findings for mark in finding.evidence if mark.range.start.row == 4]
    assert labels == ["subtracted as the baseline"]
