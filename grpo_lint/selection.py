"""Which rules run under a configuration."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

from grpo_lint import rules

if TYPE_CHECKING:
    from grpo_lint.config import Config
    from grpo_lint.rules._rule import Rule
    from grpo_lint.subjects import Subject

C = TypeVar("C")


def selected(subject: Subject[C], config: Config) -> tuple[tuple[Rule, C], ...]:
    """The rules about a subject that a configuration selects, each with its check, by code. Imports all rules."""
    chosen = selected_rules(config)
    return tuple((rule, check) for rule, check in rules.load(subject) if rule in chosen)


@lru_cache(maxsize=32)  # every file asks, and few configurations hold for a run
def selected_rules(config: Config) -> tuple[Rule, ...]:
    """The rules that a configuration selects, by code. Imports all rules."""
    return tuple(rule for rule in rules.RULES if is_selected(rule, config))


def is_selected(rule: Rule, config: Config) -> bool:
    """Whether a configuration selects a rule."""
    return config.is_selected(rule.code, rule.preview, rule.on_request)
