"""The table that was published for two real runs comes out of dumps that have its counts by construction."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command_line import run
from dumps import published_run_a, published_run_b, save_slime, slime_samples

Batches = Iterator[tuple[list[int], list[float]]]


def audited(folder: Path, batches: Batches, *arguments: str) -> dict[str, Any]:
    for step, (groups, rewards) in enumerate(batches):
        save_slime(folder / f"rollout_{step}.pt", step, slime_samples(groups, rewards))
    status, out, err = run("audit", "--json", *arguments, str(folder), cwd=folder.parent)
    assert (status, err) == (0, "")
    return json.loads(out)


def test_run_a(tmp_path: Path) -> None:
    found = audited(tmp_path / "a", published_run_a())
    (figures,) = found["runs"]
    assert figures["dumps"] == 6
    assert figures["samples"] == 435
    assert figures["fallback_dumps"] == 6
    assert figures["agree"] == 62
    assert figures["wrong_sign"] == 348
    assert (figures["nonzero_reference"], figures["nonzero_collapsed"]) == (25, 373)
    assert f"{figures['agree'] / figures['samples']:.1%}" == "14.3%"
    assert f"{figures['wrong_sign'] / figures['samples']:.1%}" == "80.0%"
    assert figures["no_signal_dumps"] == 1
    assert found["total"] == {**{key: figures[key] for key in found["total"]}, "name": "total"}


def test_run_b(tmp_path: Path) -> None:
    (figures,) = audited(tmp_path / "b", published_run_b())["runs"]
    assert figures["dumps"] == 102
    assert figures["no_signal_dumps"] == 91
    assert figures["samples"] == 7_722
    assert figures["fallback_dumps"] == 11
    assert figures["agree"] == 5_824
    assert figures["wrong_sign"] == 1_444
    assert (figures["nonzero_reference"], figures["nonzero_collapsed"]) == (454, 1_898)
    assert f"{figures['agree'] / figures['samples']:.1%}" == "75.4%"
    assert f"{figures['wrong_sign'] / figures['samples']:.1%}" == "18.7%"


@pytest.mark.parametrize("batches", [published_run_a, published_run_b])
@pytest.mark.parametrize("arguments", [(), ("--no-std",), ("--leave-one-out", "--no-std"), ("--leave-one-out",)])
def test_after_the_repair_all_agree(tmp_path: Path, batches: Any, arguments: tuple[str, ...]) -> None:
    """The advantages of a repaired trainer, which the dumps hold as those trained on."""
    from grpo_lint.reference import normalize_rewards_by_group

    baseline = "leave_one_out" if "--leave-one-out" in arguments else "mean"
    for step, (groups, rewards) in enumerate(batches()):
        advantages = normalize_rewards_by_group(
            rewards, groups, normalize_std="--no-std" not in arguments, baseline=baseline
        )
        samples = slime_samples(groups, rewards)
        samples = [{**each, "advantage": advantage} for each, advantage in zip(samples, advantages, strict=True)]
        save_slime(tmp_path / f"run/rollout_{step}.pt", step, samples)
    status, out, _ = run("audit", "--json", *arguments, "run", cwd=tmp_path)
    trained = json.loads(out)["total"]["trained"]
    assert status == 0
    assert trained["agree"] == trained["samples"] == json.loads(out)["total"]["samples"]
    assert (trained["wrong_sign"], trained["max_error"]) == (0, 0.0)
