"""The rules: one file each, found by their file names. Listing the codes imports no rule."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import ModuleType

    from grpo_lint.rules._rule import Rule
    from grpo_lint.subjects import Subject

    RULES: tuple[Rule, ...]

C = TypeVar("C")

_FILE_NAME = re.compile(r"(grpo\d+)_\w+\.py")


def _module_names(file_names: Iterable[str]) -> dict[str, str]:
    """Code to module name, sorted by code. Raises ValueError if two files share a code."""
    names: dict[str, str] = {}
    for file_name in sorted(file_names):
        if found := _FILE_NAME.fullmatch(file_name):
            code = found.group(1).upper()
            if code in names:
                raise ValueError(f"two rule files have the code {code}: {names[code]}.py and {file_name}")
            names[code] = file_name.removesuffix(".py")
    return names


_MODULE_NAMES = _module_names(path.name for path in Path(__file__).parent.iterdir())

CODES: tuple[str, ...] = tuple(_MODULE_NAMES)

# Of the rules about functions: those from GRPO100 on are about comments, call sites and tests.
FUNCTION_CODES: tuple[str, ...] = tuple(code for code in CODES if code < "GRPO100")


def load(subject: Subject[C]) -> tuple[tuple[Rule, C], ...]:
    """Every rule about a subject with its check, by code. Imports the rule modules."""
    return tuple((rule, module.check) for rule, module in _rules() if rule.subject is subject)


def _rules() -> tuple[tuple[Rule, ModuleType], ...]:
    pairs = tuple(_pair(code, _module(code)) for code in CODES)
    names = [rule.name for rule, _ in pairs]
    if twice := {name for name in names if names.count(name) > 1}:
        raise ValueError(f"two rules have the name {min(twice)}")
    return pairs


def documentation(code: str) -> str:
    """What the rule's module says of it. Raises KeyError for an unknown code."""
    from inspect import cleandoc

    return cleandoc(_module(code).__doc__ or "")


def _module(code: str) -> ModuleType:
    return import_module(f"{__name__}.{_MODULE_NAMES[code]}")


def _pair(code: str, module: ModuleType) -> tuple[Rule, ModuleType]:
    rule: Rule = module.RULE
    file_name = f"{rule.code}_{rule.name}".lower().replace("-", "_")
    if file_name != _MODULE_NAMES[code]:
        raise ValueError(
            f"{_MODULE_NAMES[code]}.py holds the rule {rule.code} {rule.name}: it should be {file_name}.py"
        )
    return rule, module


def __getattr__(name: str) -> tuple[Rule, ...]:
    if name == "RULES":
        return tuple(rule for rule, _ in _rules())
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
