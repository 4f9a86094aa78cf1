"""The commands: one module each, imported when it is called. `run(words)` takes what follows the command's name."""

from __future__ import annotations

COMMANDS = {
    "check": "grpo_lint.commands.check",
    "audit": "grpo_lint.commands.audit",
    "baseline": "grpo_lint.commands.baseline",
    "config": "grpo_lint.commands.config",
    "contracts": "grpo_lint.commands.contracts",
    "explain": "grpo_lint.commands.explain",
    "rules": "grpo_lint.commands.rules",
    "vendor": "grpo_lint.commands.vendor",
}

# Exit status: nothing left to report, findings remain, the job could not be done whole, Ctrl-C.
CLEAN, FINDINGS, INCOMPLETE, INTERRUPTED = 0, 1, 2, 130
