"""`grpo-lint rules`: the list of rules."""

from __future__ import annotations

import sys

from grpo_lint.commands import CLEAN
from grpo_lint.commands._parser import Parser


def run(words: list[str]) -> int:
    from grpo_lint.rules import RULES

    Parser("grpo-lint rules", "List the rules.").read(words)
    rows = [("code", "name", "fixable", "preview", "summary")]
    rows += [(rule.code, rule.name, _yes(rule.fixable), _yes(rule.preview), rule.summary) for rule in RULES]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        sys.stdout.write("  ".join(map(str.ljust, row, widths)).rstrip() + "\n")
    return CLEAN


def _yes(value: bool) -> str:
    return "yes" if value else "no"
