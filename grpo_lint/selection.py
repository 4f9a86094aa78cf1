"""Which rules run under a configuration."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from grpo_lint.rules import load, load_comment_rules

if TYPE_CHECKING:
    from grpo_lint.config import Config
    from grpo_lint.rules._rule import Check, CommentCheck, Rule


@lru_cache(maxsize=32)  # every file asks, and few configurations hold for a run
def selected_rules(config: Config) -> tuple[tuple[Rule, Check], ...]:
    """The rules about functions that a configuration selects, each with its check, by code. Imports all rules."""
    return tuple((rule, check) for rule, check in load() if is_selected(rule, config))


@lru_cache(maxsize=32)
def selected_comment_rules(config: Config) -> tuple[tuple[Rule, CommentCheck], ...]:
    """The rules about comments that a configuration selects, each with its check, by code. Imports all rules."""
    return tuple((rule, check) for rule, check in load_comment_rules() if is_selected(rule, config))


def is_selected(rule: Rule, config: Config) -> bool:
    """Whether a configuration selects a rule."""
    return config.is_selected(rule.code, rule.preview, rule.on_request)
