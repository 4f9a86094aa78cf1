"""One process, several, and a Ray cluster: the same bytes, and nothing lost or counted twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command_line import run
from dumps import published_run_a, save_slime, slime_samples, uneven_batch

from grpo_lint.audit import engine
from grpo_lint.audit.discovery import find_runs
from grpo_lint.audit.engine import Task, audit_runs, in_processes, in_this_process, over_ray
from grpo_lint.audit.records import RunAudit, Settings

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    for step, (groups, rewards) in enumerate(published_run_a()):
        save_slime(folder / f"a/rollout_{step}.pt", step, slime_samples(groups, rewards))
    for step in range(9):
        save_slime(folder / f"b/deep/rollout_{step}.pt", step, slime_samples(*uneven_batch(60 + step, 10)))
    save_slime(folder / "b/deep/eval_3.pt", 3, slime_samples([None], [1]))
    (folder / "b/deep/torn.pt").write_bytes(b"PK\x03\x04")
    return folder


def audited(folder: Path, how: Any) -> list[RunAudit]:
    return audit_runs(list(find_runs([str(folder / "a"), str(folder / "b")])), Settings(), how, lambda: None)


def test_several_processes_print_the_same_bytes(runs: Path) -> None:
    printed = {run("audit", "--json", "--jobs", jobs, "a", "b", cwd=runs) for jobs in ("1", "2", "4")}
    ((status, out, err),) = printed
    assert (status, err) == (2, "b/deep/torn.pt: it is cut off or damaged\n")
    found = json.loads(out)
    assert [each["name"] for each in found["runs"]] == ["a", "b/deep"]
    assert [each["dumps"] for each in found["runs"]] == [6, 9]
    assert found["runs"][1]["skipped"] == [{"name": "b/deep/eval_3.pt", "reason": "evaluation", "samples": 1}]
    assert found["total"]["dumps"] == 15


def test_the_audits_themselves_are_the_same(runs: Path) -> None:
    assert audited(runs, in_processes(2)) == audited(runs, in_this_process)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    import ray

    ray.init(num_cpus=2, include_dashboard=False, logging_level="error", log_to_driver=False)
    yield ray
    ray.shutdown()


@pytest.mark.usefixtures("cluster")
def test_ray_gives_the_same(runs: Path) -> None:
    assert audited(runs, over_ray) == audited(runs, in_this_process)


@pytest.mark.usefixtures("cluster")
def test_a_ray_worker_that_is_killed_loses_nothing(runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twice the worker is killed in the middle of a file; the file is read again, by another."""
    audit_file, mark = engine.audit_file, str(tmp_path / "killed")

    def killed_twice(task: Task) -> engine.FileAudit:
        for number in ("1", "2"):
            if task.path.name == f"rollout_{number}.pt" and not Path(mark + number).exists():
                Path(mark + number).touch()
                os.kill(os.getpid(), signal.SIGKILL)
        return audit_file(task)

    expected = audited(runs, in_this_process)
    monkeypatch.setattr(engine, "audit_file", killed_twice)
    assert audited(runs, over_ray) == expected
    assert len(list(tmp_path.iterdir())) == 2


def test_an_interrupt_leaves_no_process(runs: Path, tmp_path: Path) -> None:
    for number in range(2_000):
        (tmp_path / f"{number}.pt").hardlink_to(runs / "a/rollout_1.pt")
    code = (
        "import sys, time, grpo_lint.audit.engine as e\n"
        "import grpo_lint.cli as c\n"
        "sys.exit(c.main(['audit', '--jobs', '2', '.']))\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        env=environment,
    )
    while len(members(process.pid)) < 3:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130
    deadline = time.monotonic() + 20
    while members(process.pid) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert members(process.pid) == []


def members(group: int) -> list[int]:
    """The processes of a process group that still run."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[2]) == group and fields[0] != "Z":
            found.append(int(stat.parent.name))
    return found


def test_memory_does_not_grow_with_the_number_of_dumps(runs: Path) -> None:
    """Results are taken as they come: no more tasks are given out than a few for each worker."""
    given: list[int] = []

    def submit(task: Task) -> Any:
        given.append(len(given))
        return lambda: len(given)

    tasks = [Task(0, Path(str(number)), str(number), Settings()) for number in range(1_000)]
    ahead = [count - done for done, count in enumerate(engine._in_order(tasks, 2, submit))]  # type: ignore[arg-type]
    assert len(given) == 1_000
    assert max(ahead) <= 2 * engine._AHEAD
