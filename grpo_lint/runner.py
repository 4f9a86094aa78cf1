"""Checks files: the only place where exceptions become results.

Most files are ruled out by their bytes. What the others need is imported when the first of them comes.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from grpo_lint.gate import passes
from grpo_lint.outcome import Fault, FileResult, Unreadable
from grpo_lint.subjects import SUBJECTS, Subject

if TYPE_CHECKING:
    import ast

    from grpo_lint.analysis import Analysis
    from grpo_lint.config import Config
    from grpo_lint.fingerprint import Likeness
    from grpo_lint.project import Cache
    from grpo_lint.source import Source

T = TypeVar("T")


class Mode(Enum):
    """What to do with a file that has findings."""

    CHECK = "check"
    FIX = "fix"
    DIFF = "diff"


class Job(NamedTuple):
    """A file to check, and how. Findings like an `accepted` one are not repaired.

    Where there is `content`, it is checked in the place of the file, and what a repair makes of it is in the result.
    """

    path: str
    config: Config
    unsafe_fixes: bool = False
    accepted: frozenset[Likeness] = frozenset()
    content: bytes | None = None


def check_file(path: str, config: Config, mode: Mode, unsafe_fixes: bool) -> FileResult:
    """Check one file and, in the modes for that, repair it. Whatever goes wrong is in the result."""
    return check_files([Job(path, config, unsafe_fixes)], mode)[0]


def check_files(jobs: Sequence[Job], mode: Mode, processes: int | None = None) -> tuple[FileResult, ...]:
    """Check files as `check_file` does, in the order of the jobs. The results are the same in any number of processes.

    `processes` counts this one; by default there are as many as pay.
    """
    sifted = [_guarded(job, _sift) for job in jobs]
    candidates = [(job, found) for job, found in zip(jobs, sifted, strict=True) if isinstance(found, bytes)]
    checked = iter(_check_candidates(candidates, mode, processes))
    return tuple(next(checked) if isinstance(found, bytes) else found for found in sifted)


def suppress_findings(result: FileResult, config: Config, reason: str) -> FileResult:
    """Write comments that suppress the findings of a result. What is left of it, or it with what went wrong."""

    def suppress(_: Job) -> FileResult:
        from grpo_lint.suppress.writing import write_suppressions

        return write_suppressions(result, _read(result.path), config, reason, _new_cache)

    done = _guarded(Job(result.path, config), suppress)
    return result._replace(fault=done.fault) if done.fault else done


def _guarded(job: Job, step: Callable[[Job], T]) -> T | FileResult:
    """What a step gives; the fault where it raises."""
    try:
        return step(job)
    except Exception as error:
        from grpo_lint.faults import fault_of

        return FileResult(job.path, fault=fault_of(error))


def _sift(job: Job) -> bytes | FileResult:
    """The content of a file that may hold a finding. No rule is imported where there is nothing that one is about."""
    data = _read(job.path) if job.content is None else job.content
    subjects = [subject for subject in SUBJECTS if subject.may_be_in(job.path, data, job.config)]
    return data if subjects and _passes_a_gate(data, subjects, job.config) else FileResult(job.path)


def _passes_a_gate(data: bytes, subjects: Sequence[Subject[object]], config: Config) -> bool:
    from grpo_lint.selection import selected_rules

    return passes(data, [rule.gate for rule in selected_rules(config) if rule.subject in subjects])


def _read(path: str) -> bytes:
    try:
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123 - this runs for every file, and a Path costs more
            return file.read()
    except OSError as error:
        raise Unreadable from error


def _parsed(path: str, data: bytes) -> tuple[Source, ast.Module]:
    """The text of a file and its syntax tree. Raises Unreadable."""
    from grpo_lint.analysis import parse
    from grpo_lint.depth import TooDeep
    from grpo_lint.source import Source

    try:
        source = Source.decode(path, data)
        return source, parse(source.text)
    except (SyntaxError, ValueError, TooDeep, RecursionError, MemoryError) as error:
        raise Unreadable from error


def _check_candidates(
    candidates: Sequence[tuple[Job, bytes]], mode: Mode, processes: int | None
) -> Sequence[FileResult]:
    cache = lru_cache(maxsize=1)(_new_cache)

    def check(number: int) -> FileResult:
        job, data = candidates[number]
        return _guarded(job, lambda job: _check_data(job, data, mode, cache))

    if len(candidates) < 2 or processes == 1:
        return [check(number) for number in range(len(candidates))]
    from grpo_lint import analysis  # noqa: F401 - before there are workers, which would import it each
    from grpo_lint.workers import processes_for, spread

    def lost(number: int, end: str) -> FileResult:
        return FileResult(candidates[number][0].path, fault=Fault(f"internal error: its worker process ended ({end})"))

    sizes = [len(data) for _, data in candidates]
    return spread(check, lost, sizes, processes or processes_for(sizes))


def _new_cache() -> Cache:
    from grpo_lint.project import Cache

    return Cache()


def _check_data(job: Job, data: bytes, mode: Mode, cache: Callable[[], Cache]) -> FileResult:
    from grpo_lint.analysis import find_in

    collects = gc.isenabled()
    gc.disable()  # syntax trees are many objects and no cycles
    try:
        source, tree = _parsed(job.path, data)
        found = find_in(tree, source, job.config, cache)
        result = _proposed(job, source, data, found, mode, cache) if found.items else FileResult(job.path)
        return result._replace(fault=result.fault or Fault("; ".join(found.errors))) if found.errors else result
    finally:
        if collects:
            gc.enable()


def _proposed(
    job: Job, source: Source, data: bytes, found: Analysis, mode: Mode, cache: Callable[[], Cache]
) -> FileResult:
    from grpo_lint.proposals import findings_of, propose

    proposals = tuple(propose(found.items, source, job.config, cache))
    if mode is Mode.CHECK or not any(each.finding.is_repairable(job.unsafe_fixes) for each in proposals):
        return FileResult(job.path, findings_of(proposals), warnings=found.warnings, text=source.text)
    from grpo_lint.repair import Draft, Terms, repair

    draft = Draft(source, found, proposals)
    is_written = mode is Mode.FIX and job.content is None
    return repair(draft, data, Terms(job.config, job.unsafe_fixes, cache, job.accepted), is_written)
