"""What comes out of one file. Tuples rather than dataclasses: most runs make nothing but these, and start sooner."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from grpo_lint.model import Finding, Position


class Fault(NamedTuple):
    """Why a file could not be checked whole; `position` where there is one."""

    message: str
    position: Position | None = None


class Unreadable(Exception):
    """A file that cannot be read or is no Python; the cause says why. What else goes wrong is not the file's fault."""


class FileResult(NamedTuple):
    """The outcome of one file.

    `findings` are what is left to report, in order of position. `fixed` are the findings that were repaired (or, for
    a diff, would be). `diff` is the unified diff of the repair, empty when nothing changes. `text` is the text that the
    positions of `findings` refer to, empty where there are none. `unsafe_fixes` tells whether they are asked for here.
    `repaired` is what a repair that was not written would write, empty when nothing changes.
    """

    path: str
    findings: tuple[Finding, ...] = ()
    fixed: tuple[Finding, ...] = ()
    fault: Fault | None = None
    diff: str = ""
    warnings: tuple[str, ...] = ()
    text: str = ""
    unsafe_fixes: bool = False
    repaired: bytes = b""

    def is_fixable(self, finding: Finding) -> bool:
        """Whether a finding has a fix that would be applied."""
        return finding.is_repairable(self.unsafe_fixes)
