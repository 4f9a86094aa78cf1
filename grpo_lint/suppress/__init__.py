"""Comments that answer for findings: read, put to use, taken out where they are of no use, and written."""

from grpo_lint.suppress.directives import Directive, Suppressions, read_suppressions

__all__ = ["Directive", "Suppressions", "read_suppressions"]
