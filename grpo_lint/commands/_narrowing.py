"""Which findings are asked for: those that a baseline does not hold, those that the changes since a revision touch."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from grpo_lint.commands._options import CannotDo
from grpo_lint.outcome import FileResult
from grpo_lint.report import printable
from grpo_lint.report.summary import counts, number_of

if TYPE_CHECKING:
    from grpo_lint.baseline import Comparison

Results = tuple[FileResult, ...]


def narrow(results: Results, options: argparse.Namespace) -> tuple[Results, tuple[str, ...]]:
    """The results without what is not asked for, and what to say of that. Raises CannotDo."""
    notes: list[str] = []
    if options.baseline is not None:
        compared = _compared(results, options.baseline)
        results = compared.results
        notes += _baseline_notes(compared, options.baseline)
    if options.diff_base is not None:
        touched = _touched(results, options.diff_base, options.paths)
        hidden = counts(results)[1] - counts(touched)[1]
        results = touched
        notes += [f"{number_of(hidden, 'more finding')}, untouched since {printable(options.diff_base)}."] * bool(
            hidden
        )
    return results, tuple(notes)


def _compared(results: Results, name: str) -> Comparison:
    from grpo_lint.baseline import Baseline, BaselineError

    try:
        return Baseline.read(Path(name)).compare(results)
    except BaselineError as error:
        raise CannotDo(f"{printable(name)}: {printable(str(error))}") from error


def _baseline_notes(compared: Comparison, name: str) -> Iterator[str]:
    shown = printable(name)
    if compared.known:
        yield f"{number_of(compared.known, 'more finding')} in the baseline {shown}."
    if fixed := compared.fixed.total():
        entries = number_of(fixed, "entry", "entries")
        yield f"{entries} of {shown} {'is' if fixed == 1 else 'are'} fixed: `grpo-lint baseline update` takes them out."


def _touched(results: Results, revision: str, paths: Sequence[str]) -> Results:
    from grpo_lint.changes import ChangedSince, GitError

    changes = ChangedSince(revision)
    try:
        for path in filter(os.path.exists, paths or ["."]):
            changes.require(path if os.path.isdir(path) else os.path.dirname(path) or ".")  # noqa: PTH112, PTH120
        return tuple(
            result._replace(findings=tuple(each for each in result.findings if changes.touch(result, each)))
            for result in results
        )
    except GitError as error:
        raise CannotDo(f"grpo-lint: --diff-base: {printable(str(error))}") from error
