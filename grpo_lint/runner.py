"""Checks one file: the only place where exceptions become results.

Most files are ruled out by their bytes. What the others need is imported when the first of them comes.
"""

from __future__ import annotations

import gc
from enum import Enum
from typing import TYPE_CHECKING

from grpo_lint.gate import mentions_rewards, passes
from grpo_lint.outcome import FileResult

if TYPE_CHECKING:
    from collections.abc import Callable

    from grpo_lint.config import Config
    from grpo_lint.project import Cache


class Mode(Enum):
    """What to do with a file that has findings."""

    CHECK = "check"
    FIX = "fix"
    DIFF = "diff"


def check_file(path: str, config: Config, mode: Mode, unsafe_fixes: bool, cache: Cache | None = None) -> FileResult:
    """Check one file and, in the modes for that, repair it. Whatever goes wrong is in the result.

    Files that share a `cache` are checked faster.
    """
    return _guarded(FileResult(path), lambda: _check(path, config, mode, unsafe_fixes, cache))


def suppress_findings(result: FileResult, config: Config, reason: str) -> FileResult:
    """Write comments that suppress the findings of a result. What is left of it, or it with what went wrong."""

    def suppress() -> FileResult:
        from grpo_lint.suppress.writing import write_suppressions

        return write_suppressions(result, _read(result.path), config, reason)

    return _guarded(result, suppress)


def _guarded(result: FileResult, work: Callable[[], FileResult]) -> FileResult:
    """What the work on a file results in, or the result there is with what went wrong."""
    collects = gc.isenabled()
    gc.disable()  # syntax trees are many objects and no cycles
    try:
        return work()
    except Exception as error:
        from grpo_lint.faults import fault_of

        return result._replace(fault=fault_of(error))
    finally:
        if collects:
            gc.enable()


def _check(path: str, config: Config, mode: Mode, unsafe_fixes: bool, cache: Cache | None) -> FileResult:
    data = _read(path)
    if not _is_candidate(data, config):
        return FileResult(path)
    return _check_data(path, data, config, mode, unsafe_fixes, cache)


def _read(path: str) -> bytes:
    with open(path, "rb", buffering=0) as file:  # noqa: PTH123 - this runs for every file, and a Path costs more
        return file.read()


def _is_candidate(data: bytes, config: Config) -> bool:
    """Whether the file's bytes may hold a finding. No rule is imported where nothing names rewards."""
    return _names_findings(data, config) or (config.reports_unused_suppressions and _names_suppressions(data, config))


def _names_findings(data: bytes, config: Config) -> bool:
    if not mentions_rewards(data, config.reward_names):
        return False
    from grpo_lint.selection import selected_rules

    return passes(data, [rule.gate for rule, _ in selected_rules(config)])


def _names_suppressions(data: bytes, config: Config) -> bool:
    from grpo_lint.selection import selected_comment_rules

    return passes(data, [rule.gate for rule, _ in selected_comment_rules(config)])


def _check_data(
    path: str, data: bytes, config: Config, mode: Mode, unsafe_fixes: bool, cache: Cache | None
) -> FileResult:
    from grpo_lint.analysis import find
    from grpo_lint.source import Source

    source = Source.decode(path, data)
    found = find(source, config)
    if not found.items:
        return FileResult(path, warnings=found.warnings)
    from grpo_lint.proposals import findings_of, propose

    proposals = tuple(propose(found.items, source, config, cache))
    if mode is Mode.CHECK or not any(each.finding.is_repairable(unsafe_fixes) for each in proposals):
        return FileResult(path, findings_of(proposals), warnings=found.warnings, text=source.text)
    from grpo_lint.repair import Draft, repair

    return repair(Draft(source, found, proposals), data, config, unsafe_fixes, mode is Mode.FIX, cache)
