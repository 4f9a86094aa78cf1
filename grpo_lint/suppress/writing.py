"""Suppresses the findings of a file: in its text, and then in the file itself."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from grpo_lint import edits
from grpo_lint.config import UNUSED_SUPPRESSION
from grpo_lint.outcome import Fault, FileResult
from grpo_lint.proposals import findings_of, propose
from grpo_lint.source import Source
from grpo_lint.suppress.addition import CannotSuppress, Suppressed, place_of, suppress

if TYPE_CHECKING:
    from collections.abc import Callable

    from grpo_lint.config import Config
    from grpo_lint.project import Cache


def write_suppressions(
    result: FileResult, data: bytes, config: Config, reason: str, cache: Callable[[], Cache]
) -> FileResult:
    """Write a comment for each finding of a file, those about comments excepted. What is left of the result.

    Raises OSError, and whatever reading the file may raise.
    """
    source = Source.decode(result.path, data)
    asked = {place_of(finding) for finding in result.findings}
    wanted = {place for place in asked if place[0] != UNUSED_SUPPRESSION}
    try:
        done = suppress(source, wanted, reason, config, cache)
        written = _encoded(source, data, done)
    except CannotSuppress as error:
        return result._replace(fault=Fault(f"no finding is suppressed: {error}"))
    if written != data:
        edits.write(Path(result.path), written)
    left = findings_of(propose(done.analysis.items, done.source, config, cache))
    left = tuple(finding for finding in left if place_of(finding) in asked)
    return result._replace(findings=left, warnings=done.analysis.warnings, text=done.source.text if left else "")


def _encoded(source: Source, data: bytes, done: Suppressed) -> bytes:
    if source.encode(source.text) != data:
        raise CannotSuppress("the file's encoding does not survive")
    try:
        return source.encode(done.source.text)
    except UnicodeEncodeError as error:
        raise CannotSuppress(f"the reason cannot be encoded as {source.encoding}") from error
