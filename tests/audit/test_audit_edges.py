"""Dumps at the edge of what can be computed, runs behind links, runs that were repaired, and Ray's own faults."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from command_line import run
from dumps import dump, save_slime, slime_samples, uneven_batch

from grpo_lint.audit import engine
from grpo_lint.audit.comparison import audit_dump
from grpo_lint.audit.discovery import find_runs
from grpo_lint.audit.engine import audit_runs, in_processes, in_this_process, over_ray
from grpo_lint.audit.records import RunAudit, Settings
from grpo_lint.audit.totals import total_of, verdict
from grpo_lint.reference import normalize_rewards_by_group

GRIDS = [Settings(), Settings(n_samples_per_prompt=8, rollout_batch_size=4), Settings(per_rollout=True)]


@pytest.mark.parametrize("settings", GRIDS)
@pytest.mark.parametrize("advantages", [None, ()])
def test_a_dump_without_samples(settings: Settings, advantages: Any) -> None:
    found = audit_dump(dump([], [], advantages=advantages), settings)
    assert (found.samples, found.collapsed.agree, found.gradient, found.has_signal) == (0, 0, 0, False)


@pytest.mark.parametrize("size", [1e308, 1.7e308])
@pytest.mark.parametrize("count", [2, 8])
def test_errors_whose_sum_no_float_holds(size: float, count: int) -> None:
    trained = audit_dump(dump([0] * count, [1.0] * count, advantages=(size,) * count), Settings()).trained
    assert trained is not None
    assert (trained.error_sum, trained.max_error) == (count * Fraction(size), size)


def test_errors_that_no_float_holds_are_not_finite() -> None:
    one = audit_dump(dump([0, 0, 0, 0], [3e38, -3e38, 3e38, 0.0]), Settings(normalize_std=False))
    assert one.collapsed.max_error < float("inf")
    assert total_of([RunAudit("run", (one,), (), ())]).mean_error < float("inf")


def test_a_reward_beyond_float32_is_damage_and_the_others_count(tmp_path: Path) -> None:
    save_slime(tmp_path / "run/rollout_0.pt", 0, slime_samples([0, 0], [1e39, 0.0]))
    save_slime(tmp_path / "run/rollout_1.pt", 1, slime_samples([0, 0], [1.0, 0.0]))
    status, out, err = run("audit", "--json", "run", cwd=tmp_path)
    assert (status, json.loads(out)["total"]["dumps"]) == (2, 1)
    assert err == "run/rollout_0.pt: rewards must be finite numbers, got inf at position 0\n"


@pytest.mark.parametrize("word", ["nan", "inf", "-inf", "1e999", "x", ""])
def test_what_is_no_bound_of_solving(tmp_path: Path, word: str) -> None:
    status, out, err = run("audit", f"--solved-above={word}", "run", cwd=tmp_path)
    assert (status, out) == (2, "")
    assert f"{word!r} is not a finite number" in err


def test_a_negative_bound_of_solving(tmp_path: Path) -> None:
    save_slime(tmp_path / "a.pt", 0, slime_samples([0, 0, 1, 1], [0.0, -1.0, -1.0, -1.0]))
    totals = [
        json.loads(run("audit", "--json", f"--solved-above={bound}", "a.pt", cwd=tmp_path)[1])["total"]
        for bound in ("0", "-0.5", "-2")
    ]
    assert [total["unsolved_prompts"] for total in totals] == [2, 1, 0]


def test_a_link_to_a_run_counts_it_once(tmp_path: Path) -> None:
    save_slime(tmp_path / "all/first/rollout_0.pt", 0, slime_samples(*uneven_batch(60, 10)))
    (tmp_path / "all/latest").symlink_to("first")
    (tmp_path / "all/first/round").symlink_to("..")
    (tmp_path / "named").symlink_to("all/first")
    assert [(each.name, len(each.paths)) for each in find_runs([str(tmp_path / "all")])] == [
        (str(tmp_path / "all/first"), 1)
    ]
    assert json.loads(run("audit", "--json", "named", cwd=tmp_path)[1])["total"]["dumps"] == 1


def trained(batch: tuple[list[int], list[float]], *, is_repaired: bool) -> Any:
    groups, rewards = batch
    by_identity = normalize_rewards_by_group(rewards, groups, normalize_std=True)
    by_position = normalize_rewards_by_group(rewards, [0] * len(rewards), normalize_std=True)
    return audit_dump(dump(groups, rewards, advantages=tuple(by_identity if is_repaired else by_position)), Settings())


@pytest.mark.parametrize(
    ("repaired", "said"),
    [
        ([True, True], "Unaffected: in all 2 dumps the advantages that were trained on are those by identity;"),
        ([True, False], "Affected: grouping by position changes"),
        ([False], "Affected: grouping by position changes"),
    ],
)
def test_a_run_that_was_repaired_is_not_called_affected(repaired: list[bool], said: str) -> None:
    audits = tuple(trained(uneven_batch(60, 10), is_repaired=each) for each in repaired)
    assert verdict([RunAudit("run", audits, (), ())]).startswith(said)


def test_a_dump_without_trained_advantages_says_nothing_of_a_repair() -> None:
    audits = (trained(uneven_batch(60, 10), is_repaired=True), audit_dump(dump(*uneven_batch(60, 10)), Settings()))
    assert verdict([RunAudit("run", audits, (), ())]).startswith("Affected:")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    for step in range(4):
        save_slime(folder / f"run/rollout_{step}.pt", step, slime_samples(*uneven_batch(60 + step, 10)))
    return folder


def killed_on(audit_file: Any, name: str) -> Any:
    def audit(task: engine.Task) -> engine.FileAudit:
        if task.path.name == name:
            os.kill(os.getpid(), signal.SIGKILL)
        result: engine.FileAudit = audit_file(task)
        return result

    return audit


def out_of_memory(*_: object) -> Iterator[object]:
    raise MemoryError


def test_a_file_that_needs_too_much_memory_is_damaged(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from grpo_lint.audit import formats

    monkeypatch.setattr(formats, "read_dumps", out_of_memory)
    monkeypatch.chdir(folder)
    (audit,) = audit_runs(list(find_runs(["run/rollout_0.pt"])), Settings(), in_this_process, lambda: None)
    assert audit.damaged == (("run/rollout_0.pt", "it needs more memory than there is for it"),)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    import ray

    ray.init(num_cpus=2, include_dashboard=False, logging_level="error", log_to_driver=False)
    yield ray
    ray.shutdown()


@pytest.mark.usefixtures("cluster")
def test_workers_of_a_cluster_stand_in_another_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cluster was started elsewhere; the paths are relative to where the command runs."""
    monkeypatch.chdir(folder)
    runs = list(find_runs(["run"]))
    found = audit_runs(runs, Settings(), over_ray, lambda: None)
    assert found == audit_runs(runs, Settings(), in_processes(2), lambda: None)
    assert [each.name for each in found[0].dumps] == [f"run/rollout_{step}.pt" for step in range(4)]


@pytest.mark.usefixtures("cluster")
def test_a_file_that_ends_each_ray_worker_is_damaged(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setattr(engine, "_RETRIES", 1)
    monkeypatch.setattr(engine, "audit_file", killed_on(engine.audit_file, "rollout_2.pt"))
    (found,) = audit_runs(list(find_runs(["run"])), Settings(), over_ray, lambda: None)
    assert found.damaged == (("run/rollout_2.pt", "it brought down the process that read it"),)
    assert [each.step for each in found.dumps] == [0, 1, 3]


def test_the_command_over_a_ray_of_its_own(folder: Path) -> None:
    """Nothing but the figures is printed, and they are the same bytes."""
    assert (
        run("audit", "--json", "--engine", "ray", "run", cwd=folder)[:2]
        == run("audit", "--json", "run", cwd=folder)[:2]
    )
