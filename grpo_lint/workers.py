"""Spreads work over processes: plain forks, each of which leaves its answers in a file of its own, in memory.

Through a pipe, a worker with a large answer would wait until this process is through with its own share.

Nothing is imported for it that a run does not import anyway; `multiprocessing` alone would take longer than most runs.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import BinaryIO, NamedTuple, NoReturn, TypeVar

R = TypeVar("R")

# Below this many bytes of code for each process, starting it takes longer than it saves.
_SHARE = 250_000


class _Worker(NamedTuple):
    """A process that does the pieces of work with these numbers."""

    pid: int
    answers: BinaryIO
    share: Sequence[int]


def processes_for(sizes: Sequence[int]) -> int:
    """How many processes pieces of work are worth, given their sizes in bytes of code: 1 means none besides this."""
    if len(sizes) < 2 or not _may_fork():
        return 1
    return max(1, min(_processors(), len(sizes), sum(sizes) // _SHARE))


def _may_fork() -> bool:
    """Whether a fork is safe: on Linux, and where no thread runs whose locks it would copy.

    On macOS, what Python itself has loaded of the system's frameworks may abort the fork, or leave it hanging; this is
    why `multiprocessing` no longer forks there.
    """
    threading = sys.modules.get("threading")
    return sys.platform == "linux" and (threading is None or threading.active_count() == 1)


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def spread(
    work: Callable[[int], R], lost: Callable[[int, str], R], sizes: Sequence[int], processes: int
) -> tuple[R, ...]:
    """The results of the pieces of work 0, 1, …, in this order, whichever process they were done in.

    `lost` tells the result of a piece whose process ended before it was done, and how that ended. What is raised in
    this process, such as a KeyboardInterrupt, ends the others.
    """
    own, *others = _shares(sizes, processes)
    workers: list[_Worker] = []
    results: dict[int, R] = {}
    try:
        for share in others:
            if not _has_started(work, share, workers):
                own += share
        for number in own:
            results[number] = work(number)
        while workers:
            _await(workers[0])
            worker = workers.pop(0)  # before its end is taken note of: then its number may be another process's
            how = _end(worker)
            with worker.answers:
                results.update(_read(worker.answers))
            left_out = [number for number in worker.share if number not in results]
            results.update((number, lost(number, how)) for number in left_out)
    finally:
        for worker in workers:
            with suppress(ProcessLookupError):
                os.kill(worker.pid, signal.SIGINT)
            _end(worker)
            worker.answers.close()
    return tuple(results[number] for number in range(len(sizes)))


def _shares(sizes: Sequence[int], processes: int) -> list[list[int]]:
    """The numbers of the pieces of work, cut into shares of about the same size."""
    shares: list[list[int]] = [[] for _ in range(processes)]
    loads = [0] * processes
    for number in sorted(range(len(sizes)), key=lambda number: -sizes[number]):
        least = loads.index(min(loads))
        shares[least].append(number)
        loads[least] += sizes[number]
    return shares


def _has_started(work: Callable[[int], R], share: Sequence[int], workers: list[_Worker]) -> bool:
    """Start a worker and add it to the others; False where the system has no process or no memory file to give."""
    try:
        answers = os.fdopen(os.memfd_create("grpo-lint"), "w+b")
    except OSError:
        return False
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # an interrupt must not lose sight of a worker
    try:
        pid = os.fork()
        if not pid:
            _serve(work, share, answers, mask)
        workers.append(_Worker(pid, answers, share))
    except OSError:
        answers.close()
        return False
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    return True


def _serve(work: Callable[[int], R], share: Sequence[int], answers: BinaryIO, mask: Iterable[int]) -> NoReturn:
    """What a worker does. It never returns into what this process was about to do."""
    status = 1
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        for number in share:
            pickle.dump((number, work(number)), answers)
            answers.flush()
        status = 0
    finally:
        os._exit(status)


def _await(worker: _Worker) -> None:
    """Wait until a worker has ended, and leave it to `_end` to take note of that."""
    with suppress(ChildProcessError):  # as there
        os.waitid(os.P_PID, worker.pid, os.WEXITED | os.WNOWAIT)


def _read(answers: BinaryIO) -> Iterator[tuple[int, R]]:
    """The results that a worker left, whole."""
    answers.seek(0)
    while True:
        try:
            yield pickle.load(answers)
        except (EOFError, pickle.UnpicklingError):
            return


def _end(worker: _Worker) -> str:
    """Wait for the end of a worker, and say how it ended."""
    try:
        code = os.waitstatus_to_exitcode(os.waitpid(worker.pid, 0)[1])
    except ChildProcessError:  # the system keeps no word of it where SIGCHLD is ignored, which a parent may pass on
        return "exit status unknown"
    return f"signal {-code}" if code < 0 else f"exit status {code}"
