"""Which rules run under a configuration."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from grpo_lint.rules import load

if TYPE_CHECKING:
    from grpo_lint.config import Config
    from grpo_lint.rules._rule import Check, Rule


@lru_cache(maxsize=32)  # every file asks, and few configurations hold for a run
def selected_rules(config: Config) -> tuple[tuple[Rule, Check], ...]:
    """The rules that a configuration selects, each with its check, by code. Imports all rules."""
    return tuple((rule, check) for rule, check in load() if config.is_selected(rule.code, rule.preview))
