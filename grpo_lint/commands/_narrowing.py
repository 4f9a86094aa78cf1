"""Which findings are asked for: those that a baseline does not hold, those that the changes since a revision touch."""

from __future__ import annotations

import argparse
import os
from collections.abc import Container, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from grpo_lint.changes import ChangedSince, GitError
from grpo_lint.commands._options import CannotDo
from grpo_lint.config import CALL_SITE_CONTRACT
from grpo_lint.fingerprint import Likeness, fingerprints, likeness
from grpo_lint.outcome import Fault, FileResult
from grpo_lint.report import printable
from grpo_lint.report.summary import counts, number_of
from grpo_lint.source import Source

if TYPE_CHECKING:
    from grpo_lint.baseline import Comparison
    from grpo_lint.config import Config
    from grpo_lint.model import Finding

Results = tuple[FileResult, ...]


def narrow(
    results: Results, options: argparse.Namespace, codes: Container[str], configs: Mapping[str, Config]
) -> tuple[Results, tuple[str, ...]]:
    """The results without what is not asked for, and what to say of that. Raises CannotDo.

    `codes` are those of the rules that ran, `configs` the configurations of the files by path.
    """
    notes: list[str] = []
    if options.baseline is not None:
        compared = _compared(results, options.baseline, codes)
        results = compared.results
        notes += _baseline_notes(compared, options.baseline)
    if options.diff_base is not None:
        touched = _touched(results, ChangedSince(options.diff_base, configs), options.paths)
        hidden = counts(results)[1] - counts(touched)[1]
        results = touched
        if hidden:
            notes.append(f"{number_of(hidden, 'more finding')}, untouched since {printable(options.diff_base)}.")
    return results, tuple(notes)


def accepted(every: Results, narrowed: Results) -> dict[str, frozenset[Likeness]]:
    """What is like a finding that is not asked for, by file."""
    left_out = {}
    for result, left in zip(every, narrowed, strict=True):
        source = Source.from_text(result.path, result.text)
        kept = set(left.findings)
        left_out[result.path] = frozenset(likeness(each, source) for each in result.findings if each not in kept)
    return left_out


def without_accepted(results: Results, left_out: Mapping[str, frozenset[Likeness]]) -> Results:
    """The results without what is like a finding that is not asked for."""
    return tuple(
        result._replace(
            findings=tuple(
                finding
                for finding, fingerprint in fingerprints(result)
                if fingerprint.likeness not in left_out.get(result.path, ())
            )
        )
        for result in results
    )


def _compared(results: Results, name: str, codes: Container[str]) -> Comparison:
    from grpo_lint.baseline import Baseline, BaselineError

    try:
        return Baseline.read(Path(name)).compare(results, codes)
    except BaselineError as error:
        raise CannotDo(f"{printable(name)}: {printable(str(error))}") from error


def _baseline_notes(compared: Comparison, name: str) -> Iterator[str]:
    shown = printable(name)
    if compared.known:
        yield f"{number_of(compared.known, 'more finding')} in the baseline {shown}."
    if gone := compared.fixed.total():
        entries, them = number_of(gone, "entry", "entries"), "it" if gone == 1 else "them"
        yield f"{entries} of {shown} no longer found: `grpo-lint baseline update` takes {them} out."


def _touched(results: Results, changes: ChangedSince, paths: Sequence[str]) -> Results:
    """What the changes touch. Of a file whose changes cannot be told, all is kept, and the reason said."""
    try:
        for path in filter(os.path.exists, paths or ["."]):
            changes.require(path if os.path.isdir(path) else os.path.dirname(path) or ".")  # noqa: PTH112, PTH120
    except GitError as error:
        raise CannotDo(f"grpo-lint: --diff-base: {printable(str(error))}") from error
    return tuple(_touched_in(result, changes) for result in results)


def _touched_in(result: FileResult, changes: ChangedSince) -> FileResult:
    def is_asked_for(finding: Finding) -> bool:
        # A contract is to hold whatever has changed: another file's change may break it.
        return finding.code == CALL_SITE_CONTRACT or changes.touch(result, finding)

    try:
        return result._replace(findings=tuple(filter(is_asked_for, result.findings)))
    except GitError as error:
        return result._replace(fault=result.fault or Fault(f"--diff-base: {error}"))
