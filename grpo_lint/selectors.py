"""Which rules a code, a prefix or ALL names."""

from __future__ import annotations

from collections.abc import Iterable

from grpo_lint.suggestion import did_you_mean


def unknown_selector(selector: str, codes: tuple[str, ...]) -> str | None:
    """What is wrong with a code, a prefix or ALL; None if nothing is."""
    if selector == "ALL" or any(_is_prefix(selector, code) for code in codes):
        return None
    return unknown_code(selector, (*dict.fromkeys(code.rstrip("0123456789") for code in codes), *codes, "ALL"))


def unknown_code(code: str, codes: tuple[str, ...]) -> str | None:
    """What is wrong with a code; None if nothing is."""
    return None if code in codes else f"unknown code {code!r}{did_you_mean(code.upper(), codes)}"


def longest_match(code: str, selectors: Iterable[str]) -> int:
    """The length of the longest selector that covers `code`: ALL counts as 0, none as -1."""
    prefixes = ("" if selector == "ALL" else selector for selector in selectors)
    return max((len(prefix) for prefix in prefixes if code.startswith(prefix)), default=-1)


def _is_prefix(selector: str, code: str) -> bool:
    digits = "0123456789"
    return code.startswith(selector) and selector.rstrip(digits) == code.rstrip(digits)
