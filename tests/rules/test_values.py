"""What repaired code computes: no change on the uniform layout, and no prompt's values depend on another prompt."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import itertools
import math
import random
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from test_cases import CASES, NAMES, expectations

from grpo_lint.config import Config
from grpo_lint.runner import Mode, check_file

SIZE = 4
UNIMPORTABLE = {"repairs_refused", "grpo001_jax_and_mlx"}  # libraries that are not there; nothing is repaired
ONE_GROUP = {"whole_batch_rows", "grpo002_spellings"}  # what they compute is right for one group alone
BATCH_SCALE = {"grpo001_batch_scale"}


class Settings(dict[str, Any]):
    """A configuration that answers to attributes, items and `get`, with one group size under every name."""

    wants_scaling = True
    prompts = 4

    def __getattr__(self, name: str) -> Any:
        return Settings() if name in ("rollout", "sampling") else SIZE

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)

    def get(self, name: str, default: Any = None) -> Any:
        return getattr(self, name)


def repaired_functions(name: str) -> list[str]:
    """The functions of a case in which every expected finding has a safe fix that lifts a normalisation.

    What guards change is tested with them.
    """
    text = (CASES / f"{name}.py").read_text()
    names = []
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef):
            fixes = {e.fix for e in expectations(text) if node.lineno <= e.row <= (node.end_lineno or 0)}
            guarded = {e.row for e in expectations(text) if e.code == "GRPO004"}
            is_lifted = guarded.isdisjoint(range(node.lineno, (node.end_lineno or 0) + 1))
            names += [node.name] if fixes == {"safe"} and is_lifted else []
    return names


PAIRS = [(name, function) for name in NAMES if name not in UNIMPORTABLE for function in repaired_functions(name)]


def load(path: Path, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, tuple[ModuleType, ModuleType]]]:
    """Every case before and after `--fix`."""
    folder = tmp_path_factory.mktemp("values")
    shutil.copy(CASES / "samples.py", folder)
    sys.path.insert(0, str(folder))
    pairs = {}
    for name in sorted({name for name, _ in PAIRS}):
        path = folder / f"{name}.py"
        shutil.copy(CASES / path.name, path)
        before = load(path, f"before_{name}")
        result = check_file(str(path), Config(root=folder), Mode.FIX, False)
        assert result.fixed
        pairs[name] = (before, load(path, f"after_{name}"))
    yield pairs
    sys.path.remove(str(folder))
    sys.modules.pop("samples", None)


def call(module: ModuleType, function: str, groups: list[int], rewards: list[float]) -> Any:
    episode = sys.modules["samples"].Episode
    episodes = [
        episode(index=i, group_index=g, rollout_id=i, reward=r)
        for i, (g, r) in enumerate(zip(groups, rewards, strict=True))
    ]
    target = getattr(module, function)
    data = SimpleNamespace(episodes=episodes, buffer=SimpleNamespace(episodes=episodes), step=1, mode=1)
    given = {"cfg": Settings(), "args": Settings(), "self": Settings(), "episodes": episodes, "mode": "train"}
    given |= {"data": data}
    return target(**{name: given[name] for name in inspect.signature(target).parameters if name in given})


def values(result: Any) -> list[float]:
    return result.tolist() if hasattr(result, "tolist") else list(result)


def test_every_case_with_a_safe_fix_is_run() -> None:
    assert len(PAIRS) > 25


@pytest.mark.parametrize(("name", "function"), PAIRS)
def test_uniform_groups_keep_their_values(
    modules: dict[str, tuple[ModuleType, ModuleType]], name: str, function: str
) -> None:
    before, after = modules[name]
    rng = random.Random(3)
    size = 8 if function in ("literal", "parameter_with_default") else SIZE
    groups = [0] * 5 if name in ONE_GROUP or function == "one_row" else [g for g in range(4) for _ in range(size)]
    rewards = [rng.random() for _ in groups]
    was, now = call(before, function, groups, rewards), call(after, function, groups, rewards)
    assert type(now) is type(was)
    assert values(now) == pytest.approx(values(was), rel=1e-6, abs=1e-6)
    assert any(value != 0 for value in values(now))


@pytest.mark.parametrize(("name", "function"), [pair for pair in PAIRS if pair[0] in BATCH_SCALE])
def test_a_scale_of_the_batch_is_one_number_beside_the_mean_of_each_prompt(
    modules: dict[str, tuple[ModuleType, ModuleType]], name: str, function: str
) -> None:
    _, after = modules[name]
    groups = [g for g, size in enumerate([2, 9, 4, 7]) for _ in range(size)]
    rewards = [random.Random(i).random() + g for i, g in enumerate(groups)]
    means = {
        g: math.fsum(r for r, of in zip(rewards, groups, strict=True) if of == g) / groups.count(g) for g in groups
    }
    now = values(call(after, function, groups, rewards))
    factors = {g: groups.count(g) / (groups.count(g) - 1) if "leave_one_out" in function else 1 for g in groups}
    centred = [(r - means[g]) * factors[g] for r, g in zip(rewards, groups, strict=True)]
    scales = [c / value for c, value in zip(centred, now, strict=True)]
    assert scales == pytest.approx([scales[0]] * len(scales), rel=1e-3)
    assert scales[0] != pytest.approx(1, rel=1e-2)


@pytest.mark.parametrize(("name", "function"), [pair for pair in PAIRS if pair[0] not in BATCH_SCALE])
def test_no_prompt_depends_on_another(
    modules: dict[str, tuple[ModuleType, ModuleType]], name: str, function: str
) -> None:
    _, after = modules[name]
    rng = random.Random(4)
    groups = list(itertools.chain.from_iterable([g] * size for g, size in enumerate([8, 9, 10, 12, 28])))
    rng.shuffle(groups)
    rewards = [rng.choice([0.0, 0.5, 1.0]) + g for g in groups]
    together = values(call(after, function, groups, rewards))
    for group in sorted(set(groups)):
        at = [i for i, g in enumerate(groups) if g == group]
        alone = values(call(after, function, [group] * len(at), [rewards[i] for i in at]))
        assert [together[i] for i in at] == pytest.approx(alone, abs=1e-6)
        assert math.fsum(alone) == pytest.approx(0, abs=1e-4)
