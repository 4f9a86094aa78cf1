"""Group sizes that stand in another module of the project."""

from __future__ import annotations

from pathlib import Path

import pytest

from grpo_lint.config import Config
from grpo_lint.project import modules
from grpo_lint.runner import Mode, check_file

CODE = """\
{imports}


def centred(rewards, prompts):
    grid = rewards.view(-1, {size})
    return prompts, grid - grid.mean(1, keepdim=True)
"""


def found(folder: Path, imports: str, size: str, **others: str) -> list[str]:
    (folder / "pyproject.toml").write_text("")
    for name, text in others.items():
        (folder / f"{name}.py").write_text(text)
    path = folder / "code.py"
    path.write_text(CODE.format(imports=imports, size=size))
    result = check_file(str(path), Config(root=folder), Mode.CHECK, False)
    assert result.fault is None
    return [finding.code for finding in result.findings]


@pytest.mark.parametrize(
    ("imports", "size", "settings"),
    [
        ("from settings import FAN", "FAN", "FAN = 8"),
        ("from settings import FAN", "FAN", "FAN = args.num_generations"),
        ("import settings", "settings.FAN", "FAN = 8"),
        ("import settings as s", "s.FAN", "FAN: int = 8"),
        ("from settings import FAN", "FAN", "from args import *"),
        ("from settings import FAN", "FAN", "import os"),
        ("from nowhere import FAN", "FAN", ""),
        ("from settings import FAN", "FAN", "FAN = ("),
        ("from settings import K as N", "N", "K = 8"),
        ("from settings import SIZE", "SIZE", "SIZE = 2\nSIZE = 8"),
    ],
)
def test_a_size_that_is_none_of_another_axis_is_reported(
    tmp_path: Path, imports: str, size: str, settings: str
) -> None:
    assert found(tmp_path, imports, size, settings=settings) == ["GRPO001"]


@pytest.mark.parametrize(
    ("imports", "size", "settings"),
    [
        pytest.param("from settings import FAN", "FAN", "FAN = 2", id="two are a pair"),
        pytest.param("import settings", "settings.FAN", "FAN = 2", id="a pair, by an attribute"),
        pytest.param("from settings import FAN", "FAN", "FAN = args.num_envs", id="environments"),
        pytest.param("from settings import FAN", "FAN", "from other import FAN", id="a pair, one module further"),
        pytest.param("from settings import FAN", "FAN", "from other import *", id="a pair, behind a star"),
        pytest.param("from settings import FAN", "FAN", "FAN = cfg['num_envs']", id="environments, by a key"),
        pytest.param("from settings import HORIZON as N", "N", "HORIZON = 16", id="time, by its name there"),
    ],
)
def test_a_size_that_is_of_another_axis_where_it_stands_is_not(
    tmp_path: Path, imports: str, size: str, settings: str
) -> None:
    assert found(tmp_path, imports, size, settings=settings, other="FAN = 2") == []


def test_other_modules_are_read_once_and_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    original = modules._read

    def noted(path: Path) -> modules.Module | None:
        read.append(path.name)
        return original(path)

    monkeypatch.setattr(modules, "_read", noted)
    settings = "FAN = 2\nPAIR = 2\nraise SystemExit"
    imports = "from settings import FAN, PAIR\n\nrewards = scores.view(-1, PAIR).mean(1)"
    assert found(tmp_path, imports, "FAN", settings=settings) == []
    assert read.count("settings.py") == 1


def test_no_module_is_read_for_a_file_without_such_constants(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(path: Path) -> None:
        raise AssertionError(path)

    monkeypatch.setattr(modules, "_read", refused)
    assert found(tmp_path, "from settings import fan", "group_size", settings="fan = 2") == ["GRPO001"]
