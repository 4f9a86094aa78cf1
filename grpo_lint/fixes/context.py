"""What the repairs of one text share."""

from __future__ import annotations

from dataclasses import dataclass

from grpo_lint.fixes.identity import Wishes
from grpo_lint.fixes.reads import Reads
from grpo_lint.project import Project
from grpo_lint.source import Source


@dataclass(frozen=True, slots=True)
class Context:
    """What the repairs of one text need besides the facts of a function."""

    source: Source
    reads: Reads
    project: Project
    line_length: int
    reference_module: str | None
    wishes: Wishes
