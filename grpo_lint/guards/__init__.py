"""Guards: tests that search the text of the project's source files."""

from __future__ import annotations

from grpo_lint.guards.suite import Assertion, Guard, Suite

__all__ = ["Assertion", "Guard", "Suite"]
