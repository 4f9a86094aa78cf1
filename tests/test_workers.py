"""Work in several processes: the same results, and nothing hangs or stays behind."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from grpo_lint import workers
from grpo_lint.config import Config
from grpo_lint.outcome import FileResult
from grpo_lint.runner import Job, Mode, check_files
from grpo_lint.workers import processes_for, spread

ROOT = Path(__file__).parent.parent
CASES = sorted((Path(__file__).parent / "rules/cases").glob("*.py"))

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there are no workers")


def lost(number: int, end: str) -> str:
    return f"{number} lost: {end}"


@pytest.mark.parametrize("processes", [1, 2, 3, 7])
def test_results_come_in_order(processes: int) -> None:
    sizes = [5, 900, 1, 1, 40, 3, 77]
    done = spread(lambda number: (number, os.getpid()), lambda *_: (-1, -1), sizes, processes)
    assert [number for number, _ in done] == list(range(7))
    assert len({pid for _, pid in done}) == processes
    assert os.getpid() in {pid for _, pid in done}


def test_large_results_do_not_block(capfd: pytest.CaptureFixture[str]) -> None:
    done = spread(lambda number: str(number) * 1_000_000, lost, [1] * 6, 3)
    assert [text[:1] for text in done] == list("012345")
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("end", "said"), [(signal.SIGKILL, "signal 9"), (signal.SIGTERM, "signal 15"), (0, "exit status 3")]
)
def test_what_a_worker_leaves_undone_is_said(end: int, said: str) -> None:
    parent = os.getpid()

    def work(number: int) -> str:
        if os.getpid() != parent and number == 3:
            os.kill(os.getpid(), end) if end else os._exit(3)
        return str(number)

    # the shares are 0, 2, 4 and 1, 3, 5: the second one's worker ends before 3
    assert spread(work, lost, [1] * 6, 2) == ("0", "1", "2", f"3 lost: {said}", "4", f"5 lost: {said}")


def test_a_result_that_breaks_off_counts_as_undone(monkeypatch: pytest.MonkeyPatch) -> None:
    def half(result: object, pipe: object) -> None:
        os.write(pipe.fileno(), pickle.dumps(result)[:-5])  # type: ignore[attr-defined]
        os._exit(0)

    monkeypatch.setattr(workers.pickle, "dump", half)
    assert spread(str, lost, [1, 1], 2) == ("0", "1 lost: exit status 0")


def test_without_a_process_to_be_had_the_work_is_done_here(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> int:
        raise BlockingIOError("no more processes")

    descriptors = len(list(Path("/dev/fd").iterdir()))
    monkeypatch.setattr(os, "fork", refuse)
    assert spread(lambda number: (number, os.getpid()), lambda *_: (-1, -1), [1] * 4, 4) == tuple(
        (number, os.getpid()) for number in range(4)
    )
    assert len(list(Path("/dev/fd").iterdir())) == descriptors


def test_an_exception_here_ends_the_workers(tmp_path: Path) -> None:
    parent = os.getpid()

    def work(number: int) -> None:
        if os.getpid() == parent:
            while not list(tmp_path.iterdir()):
                time.sleep(0.01)
            raise KeyboardInterrupt
        (tmp_path / str(os.getpid())).touch()
        time.sleep(60)

    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        spread(work, lambda *_: None, [1, 1], 2)
    assert time.monotonic() - start < 30
    (worker,) = tmp_path.iterdir()
    with pytest.raises(ProcessLookupError):
        os.kill(int(worker.name), 0)


@pytest.mark.parametrize(
    ("sizes", "processors", "expected"),
    [
        ([], 8, 1),
        ([10**9], 8, 1),
        ([10**6] * 4, 8, 4),
        ([10**6] * 40, 8, 8),
        ([10**6] * 40, 1, 1),
        ([1000] * 490, 8, 1),
        ([1000] * 510, 8, 2),
    ],
)
def test_as_many_processes_as_pay(
    monkeypatch: pytest.MonkeyPatch, sizes: list[int], processors: int, expected: int
) -> None:
    monkeypatch.setattr(workers, "_processors", lambda: processors)
    assert processes_for(sizes) == expected


def test_no_forks_beside_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_processors", lambda: 4)
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    try:
        assert processes_for([10**6] * 4) == 1
    finally:
        done.set()
        thread.join()
    assert processes_for([10**6] * 4) == 4


@pytest.mark.parametrize("platform", ["darwin", "win32", "freebsd14"])
def test_no_forks_where_they_are_unsafe_or_unknown(monkeypatch: pytest.MonkeyPatch, platform: str) -> None:
    monkeypatch.setattr(workers, "_processors", lambda: 4)
    assert processes_for([10**6] * 4) == 4
    monkeypatch.setattr(sys, "platform", platform)
    assert processes_for([10**6] * 4) == 1


@pytest.mark.parametrize("at", [1, 2])
def test_an_interrupt_after_a_worker_has_ended_stays_one(monkeypatch: pytest.MonkeyPatch, at: int) -> None:
    """At that moment its number is nobody's, and may soon be another process's."""
    wait, kill = os.waitpid, os.kill
    ended: list[int] = []
    signalled: list[int] = []

    def wait_and_interrupt(pid: int, options: int) -> tuple[int, int]:
        result = wait(pid, options)
        ended.append(pid)
        if len(ended) == at:
            raise KeyboardInterrupt
        return result

    def remember(pid: int, number: int) -> None:
        signalled.append(pid)
        kill(pid, number)

    monkeypatch.setattr(os, "waitpid", wait_and_interrupt)
    monkeypatch.setattr(os, "kill", remember)
    with pytest.raises(KeyboardInterrupt):
        spread(str, lost, [1] * 6, 4)
    assert len(set(ended)) == len(ended) == 3
    assert not set(ended[:at]) & set(signalled)


def test_workers_that_are_gone_do_not_hide_an_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    parent = os.getpid()

    def work(_: int) -> str:
        if os.getpid() == parent:
            for _ in range(2):
                os.waitpid(-1, 0)
            raise KeyboardInterrupt
        return ""

    with pytest.raises(KeyboardInterrupt):
        spread(work, lost, [1] * 3, 3)


def test_where_the_ends_of_processes_are_ignored() -> None:
    parent = os.getpid()
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        assert spread(str, lost, [1] * 4, 2) == ("0", "1", "2", "3")
        ended = spread(lambda number: str(number) if os.getpid() == parent else os._exit(3), lost, [1] * 4, 2)
        assert ended == ("0", "1 lost: exit status unknown", "2", "3 lost: exit status unknown")
    finally:
        signal.signal(signal.SIGCHLD, before)


def jobs(folder: Path) -> list[Job]:
    for path in CASES:
        (folder / path.name).write_bytes(path.read_bytes())
    (folder / "broken.py").write_text("rewards.view(-1, n).mean(\n")
    (folder / "clean.py").write_text("import os\n")
    names = sorted(path.name for path in folder.iterdir())
    return [Job(str(folder / name), Config(root=folder), True) for name in (*names, "missing.py")]


@pytest.mark.parametrize("mode", Mode)
def test_the_results_are_the_same_in_any_number_of_processes(tmp_path: Path, mode: Mode) -> None:
    outcomes = []
    for processes in (1, 2, 5):
        tmp_path.joinpath("x").mkdir()
        results = check_files(jobs(tmp_path / "x"), mode, processes)
        outcomes.append((results, {path.name: path.read_bytes() for path in (tmp_path / "x").iterdir()}))
        tmp_path.joinpath("x").rename(tmp_path / str(processes))
    assert outcomes[0] == outcomes[1] == outcomes[2]
    assert sum(bool(result.findings or result.fixed) for result in outcomes[0][0]) > 3
    assert sum(result.fault is not None for result in outcomes[0][0]) == 2


def test_a_worker_that_dies_is_a_fault_of_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def die(*_: object) -> FileResult:
        os.kill(os.getpid(), signal.SIGKILL) if os.getpid() != parent else None
        return FileResult("here")

    parent = os.getpid()
    monkeypatch.setattr("grpo_lint.runner._check_data", die)
    results = check_files(jobs(tmp_path), Mode.CHECK, 2)
    faults = {result.fault.message for result in results if result.fault}
    assert faults == {"internal error: its worker process ended (signal 9)", "No such file or directory"}
    assert any(result.path == "here" for result in results)


SCRIPT = """
import os, signal, sys, time
from pathlib import Path
from grpo_lint import runner
from grpo_lint.config import Config

def check(*_):
    Path(sys.argv[1], str(os.getpid())).touch()
    time.sleep(60)

signal.signal(signal.SIGINT, signal.default_int_handler)
runner._check_data = check
jobs = [runner.Job(path, Config()) for path in sys.argv[2:]]
try:
    runner.check_files(jobs, runner.Mode.CHECK, 3)
except KeyboardInterrupt:
    sys.exit(130)
"""


@pytest.mark.parametrize("reaches_all", [False, True])
def test_ctrl_c_leaves_no_worker(tmp_path: Path, reaches_all: bool) -> None:
    """A terminal interrupts the whole group of processes, `kill` the first one alone."""
    command = [sys.executable, "-c", SCRIPT, str(tmp_path), *map(str, CASES)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, env=environment, start_new_session=True, stderr=subprocess.PIPE) as child:
        end = time.monotonic() + 60
        while len(list(tmp_path.iterdir())) < 3 and time.monotonic() < end:
            time.sleep(0.05)
        (os.killpg if reaches_all else os.kill)(child.pid, signal.SIGINT)
        _, err = child.communicate(timeout=30)
    assert child.returncode == 130
    assert err == b""
    processes = {int(path.name) for path in tmp_path.iterdir()}
    assert len(processes) == 3
    for process in processes:
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)
