"""Audits the files of runs one by one: in this process, in several, or over a Ray cluster, with the same result."""

from __future__ import annotations

import logging
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from grpo_lint.audit.discovery import Files
from grpo_lint.audit.records import Damage, Dump, DumpAudit, RunAudit, Settings, Skipped

_AHEAD = 4  # files that are given out for each worker before their results are waited for
_MEMORY = 4 << 30  # bytes that a process may take for dumps at least: tokens of a large batch take half of that
_RETRIES = 5  # of a file whose Ray worker ended


@dataclass(frozen=True, slots=True)
class Task:
    """A file of the run with a number, and how to read it.

    `path` is absolute, as a worker may stand in another folder; `name` is what the file is called in results.
    """

    run: int
    path: Path
    name: str
    settings: Settings


@dataclass(frozen=True, slots=True)
class FileAudit:
    """What one file gave: each of its batches is in one of the three."""

    dumps: tuple[DumpAudit, ...]
    skipped: tuple[Skipped, ...]
    damaged: tuple[tuple[str, str], ...]


Engine = Callable[[Sequence[Task]], Iterator[FileAudit]]


def audit_file(task: Task) -> FileAudit:
    """Read a file's dumps one after another and audit each. Whatever is wrong with the file is in the result."""
    from grpo_lint.audit.comparison import audit_dump
    from grpo_lint.audit.formats import read_dumps

    dumps: list[DumpAudit] = []
    skipped: list[Skipped] = []
    damaged: list[tuple[str, str]] = []
    try:
        for found in read_dumps(task.path, task.name, task.settings):
            if isinstance(found, Skipped):
                skipped.append(found)
            elif without := _without_identity(found):
                skipped.append(without)
            else:
                try:
                    dumps.append(audit_dump(found, task.settings))
                except ValueError as error:
                    damaged.append((found.name, _clause(error)))
    except Damage as damage:
        damaged.append((damage.name, damage.reason))
    except OSError as error:
        damaged.append((task.name, error.strerror or type(error).__name__))
    except MemoryError:
        damaged.append((task.name, "it needs more memory than there is for it"))
    except Exception as error:  # so that one file costs no other
        damaged.append((task.name, f"internal error ({type(error).__name__})"))
    return FileAudit(tuple(dumps), tuple(skipped), tuple(damaged))


def _without_identity(dump: Dump) -> Skipped | None:
    unknown = dump.groups.count(None)
    if not unknown:
        return None
    reason = "no identity of prompts" if unknown == len(dump.groups) else f"{unknown} samples without an identity"
    return Skipped(dump.name, reason, len(dump.groups))


def _clause(error: ValueError) -> str:
    """The reference's words, which name groups and attempts by their ids, cut to one printable clause."""
    text = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in str(error))
    return text if len(text) <= 200 else text[:200] + " …"


def audit_runs(runs: Sequence[Files], settings: Settings, engine: Engine, tick: Callable[[], None]) -> list[RunAudit]:
    """Audit all files; `tick` is called after each."""
    tasks = [
        Task(number, path.absolute(), str(path), settings) for number, files in enumerate(runs) for path in files.paths
    ]
    gathered: list[list[FileAudit]] = [[] for _ in runs]
    for task, audit in zip(tasks, engine(tasks), strict=True):
        gathered[task.run].append(audit)
        tick()
    return [_run_of(files.name, audits) for files, audits in zip(runs, gathered, strict=True)]


def _run_of(name: str, audits: Sequence[FileAudit]) -> RunAudit:
    dumps = [dump for audit in audits for dump in audit.dumps]
    in_order = sorted(dumps, key=lambda dump: (dump.step is None, dump.step or 0))
    skipped = tuple(each for audit in audits for each in audit.skipped)
    return RunAudit(name, tuple(in_order), skipped, tuple(each for audit in audits for each in audit.damaged))


def in_this_process(tasks: Sequence[Task]) -> Iterator[FileAudit]:
    """One file after another."""
    return map(audit_file, tasks)


def in_processes(jobs: int) -> Engine:
    """So many files at once, each in a process of its own that starts afresh: torch's threads survive no fork.

    A file that brings a process down, as a hostile one may, is reported as damaged, and the others are done again.
    """

    def audit(tasks: Sequence[Task]) -> Iterator[FileAudit]:
        left = list(tasks)
        while left:
            done = 0
            try:
                for result in _in_pool(left, jobs):
                    yield result
                    done += 1
            except BrokenProcessPool:
                # one of those that were given out brought it down: which one shows when each is done alone
                suspects = left[done : done + jobs * _AHEAD]
                yield from map(_alone, suspects)
                done += len(suspects)
            left = left[done:]

    return audit


def _in_pool(tasks: Sequence[Task], jobs: int) -> Iterator[FileAudit]:
    executor = ProcessPoolExecutor(min(jobs, len(tasks)), get_context("spawn"), _limit, (jobs,))
    try:
        yield from _in_order(tasks, jobs, lambda task: executor.submit(audit_file, task).result)
    finally:
        executor.shutdown(wait=True, cancel_futures=True)


def _alone(task: Task) -> FileAudit:
    try:
        return next(_in_pool([task], 1))
    except BrokenProcessPool:
        return _fatal(task)


def _fatal(task: Task) -> FileAudit:
    return FileAudit((), (), ((task.name, "it brought down the process that read it"),))


def _limit(jobs: int) -> None:
    """One thread; an interrupt is the parent's to handle; and no dump may claim all of the machine's memory.

    A process may take its part of half of that, and 4 GiB in any case.
    """
    import torch

    torch.set_num_threads(1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        import resource

        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        machine = os.sysconf("SC_PHYS_PAGES") * resource.getpagesize()
        limit = pages * resource.getpagesize() + max(_MEMORY, machine // 2 // jobs)
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (limit if hard < 0 else min(limit, hard), hard))


def _in_order(
    tasks: Sequence[Task], workers: int, submit: Callable[[Task], Callable[[], FileAudit]]
) -> Iterator[FileAudit]:
    """Results in the order of the tasks, with a few tasks given out ahead, so that memory stays bounded."""
    left = iter(tasks)
    waiting = [submit(task) for task in islice(left, workers * _AHEAD)]
    while waiting:
        result = waiting.pop(0)()
        waiting += [submit(task) for task in islice(left, 1)]
        yield result


def over_ray(tasks: Sequence[Task]) -> Iterator[FileAudit]:
    """Over the Ray cluster that `RAY_ADDRESS` names, or one on this machine.

    A file whose worker ends is done again; one that ends every worker is reported as damaged.
    """
    import ray
    from ray.exceptions import OutOfMemoryError, WorkerCrashedError

    started = not ray.is_initialized()
    if started:
        ray.init(logging_level=logging.WARNING, log_to_driver=False, include_dashboard=False)
    try:
        remote: Any = ray.remote(max_retries=_RETRIES)(audit_file)

        def submit(task: Task) -> Callable[[], FileAudit]:
            reference = remote.remote(task)

            def result() -> FileAudit:
                try:
                    found: FileAudit = ray.get(reference)
                except (OutOfMemoryError, WorkerCrashedError):
                    return _fatal(task)
                return found

            return result

        yield from _in_order(tasks, _processors(ray), submit)
    finally:
        if started:
            ray.shutdown()


def _processors(ray: Any) -> int:
    return max(1, int(ray.cluster_resources().get("CPU", 1)))
