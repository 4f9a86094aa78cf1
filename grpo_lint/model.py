"""The values that leave the check of one file: plain, frozen, hashable and picklable."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from grpo_lint.outcome import Fault, FileResult

__all__ = ["Edit", "Fault", "FileResult", "Finding", "Fix", "Mark", "Position", "Range", "Safety"]


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A place in a file: rows and columns count from 1, columns in code points, a byte order mark not counted."""

    row: int
    column: int


@dataclass(frozen=True, slots=True, order=True)
class Range:
    """From `start` up to, and without, `end`."""

    start: Position
    end: Position


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """Replace the text in `range` by `content`; an empty range inserts, an empty content deletes."""

    range: Range
    content: str


class Safety(str, Enum):
    """Whether a fix may be applied unasked (`--fix`) or only on request (`--unsafe-fixes`)."""

    SAFE = "safe"
    UNSAFE = "unsafe"


@dataclass(frozen=True, slots=True)
class Fix:
    """Edits that repair a finding; `reference_module` is where the repaired code imports its normaliser from."""

    safety: Safety
    message: str
    edits: tuple[Edit, ...]
    reference_module: str | None = None


@dataclass(frozen=True, slots=True, order=True)
class Mark:
    """A place that a finding rests on, and what it is to it: where the rewards come from, the baseline."""

    range: Range
    label: str


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule says of one place. Where `fix` is None, `fix_reason` says why in one clause.

    `evidence` holds the place itself and the others that the finding rests on, in order of position. `scope` is the
    qualified name of the function or class around it, empty for the module's own statements.
    """

    code: str
    rule: str
    message: str
    range: Range
    fix: Fix | None = None
    fix_reason: str | None = None
    evidence: tuple[Mark, ...] = ()
    scope: str = ""

    def is_repairable(self, unsafe_fixes: bool) -> bool:
        """Whether it has a fix that may be applied."""
        return self.fix is not None and (unsafe_fixes or self.fix.safety is Safety.SAFE)
