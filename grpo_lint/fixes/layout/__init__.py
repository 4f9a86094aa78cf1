"""A statement with a call, laid out as black would lay it out."""

from grpo_lint.fixes.layout.statement import lay_out
from grpo_lint.fixes.layout.tokens import one_line

__all__ = ["lay_out", "one_line"]
