"""A test module, as a rule about tests sees it."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grpo_lint.config import Config
    from grpo_lint.source import Source


@dataclass(frozen=True, slots=True, eq=False)
class Suite:
    """A file of tests: its text, its tree, and the configuration that holds for it."""

    source: Source
    tree: ast.Module
    config: Config
