"""Guards: tests that search the text of the project's source files."""

from __future__ import annotations

from grpo_lint.guards.suite import Suite

__all__ = ["Suite"]
