"""`grpo-lint explain`: what a rule says of itself."""

from __future__ import annotations

import sys

from grpo_lint.commands import CLEAN
from grpo_lint.commands._parser import Parser
from grpo_lint.report import printable
from grpo_lint.suggestion import did_you_mean


def run(words: list[str]) -> int:
    from grpo_lint.rules import RULES, documentation

    parser = Parser("grpo-lint explain", "Say what a rule reports, why it matters and what its fix does.")
    parser.add_argument("rule", metavar="CODE", help="a rule's code or name: GRPO001, reward-reshape")
    word = parser.read(words).rule
    codes = {name: rule.code for rule in RULES for name in (rule.code.lower(), rule.name)}
    if word.lower() not in codes:
        close = did_you_mean(word.upper(), codes.values()) or did_you_mean(word.lower(), codes)
        parser.error(f"unknown rule {printable(repr(word))}{close}")
    _write_markdown(documentation(codes[word.lower()]))
    return CLEAN


def _write_markdown(text: str) -> None:
    if not sys.stdout.isatty():
        sys.stdout.write(text + "\n")
        return
    from rich.console import Console
    from rich.markdown import Markdown

    Console().print(Markdown(text))
