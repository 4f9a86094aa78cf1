"""Configuration files: what may stand in them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from keyword import iskeyword
from pathlib import Path

from grpo_lint.config import OWN_FILE, PROJECT_FILE, TABLE, Config, ConfigError
from grpo_lint.selectors import unknown_selector
from grpo_lint.suggestion import did_you_mean
from grpo_lint.toml_file import Table, parse, positive, read, subtable


def load_config(folder: Path, codes: tuple[str, ...]) -> Config | None:
    """The configuration that stands in this folder, if any. Raises ConfigError."""
    path = folder / OWN_FILE
    if path.is_file():
        return _read_own_file(path, codes)
    path = folder / PROJECT_FILE
    if not path.is_file():
        return None
    data = read(path)
    if TABLE.encode() not in data:
        return None
    tool = subtable(parse(path, data), "tool")
    return _read_config(path, tool[TABLE], codes) if TABLE in tool else None


def read_config_file(path: Path, root: Path, codes: tuple[str, ...]) -> Config:
    """The configuration in a named file, with patterns relative to `root`. Raises ConfigError."""
    if path.name != PROJECT_FILE:
        return _read_own_file(path, codes)._replace(root=root)
    tool = subtable(parse(path, read(path)), "tool")
    if TABLE not in tool:
        raise ConfigError(path, None, f"has no table [tool.{TABLE}]")
    return _read_config(path, tool[TABLE], codes)._replace(root=root)


def _read_own_file(path: Path, codes: tuple[str, ...]) -> Config:
    document = parse(path, read(path))
    if TABLE in subtable(document, "tool"):
        raise ConfigError(path, "tool", f"in this file the keys stand at the top level, not below [tool.{TABLE}]")
    return _read_config(path, document, codes)


def _read_config(path: Path, table: object, codes: tuple[str, ...]) -> Config:
    if not isinstance(table, dict):
        raise ConfigError(path, f"tool.{TABLE}", "expected a table")
    for key in table:
        if key not in _KEYS:
            raise ConfigError(path, key, f"unknown key{did_you_mean(key, _KEYS)}")
    reader = _Reader(path, table)

    def complain(selector: str) -> str | None:
        return unknown_selector(selector, codes)

    return Config(
        select=reader.strings("select", complain) if "select" in table else Config().select,
        ignore=reader.strings("ignore", complain),
        exclude=reader.strings("exclude", _no_pattern),
        reference_module=reader.module("reference-module"),
        reward_names=reader.strings("reward-names", _no_name),
        group_size_names=reader.strings("group-size-names", _no_name),
        rollout_ids=reader.flag("rollout-ids", True),
        line_length=reader.length("line-length"),
        root=path.parent,
    )


_KEYS = (
    "select",
    "ignore",
    "exclude",
    "reference-module",
    "reward-names",
    "group-size-names",
    "rollout-ids",
    "line-length",
)


@dataclass(frozen=True, slots=True)
class _Reader:
    """Takes values of one type out of a table. Every method raises ConfigError."""

    path: Path
    table: Table

    def strings(self, key: str, complain: Callable[[str], str | None]) -> tuple[str, ...]:
        values = self.table.get(key, [])
        if not isinstance(values, list):
            raise self._expected(key, "a list of strings")
        return tuple(self._checked(key, value, complain) for value in values)

    def module(self, key: str) -> str | None:
        value = self.table.get(key)
        return None if value is None else self._checked(key, value, _no_module)

    def flag(self, key: str, default: bool) -> bool:
        value = self.table.get(key, default)
        if not isinstance(value, bool):
            raise self._expected(key, "true or false")
        return value

    def length(self, key: str) -> int | None:
        value = positive(self.table.get(key))
        if value is None and key in self.table:
            raise self._expected(key, "a whole number above 0")
        return value

    def _checked(self, key: str, value: object, complain: Callable[[str], str | None]) -> str:
        if not isinstance(value, str):
            raise self._expected(key, "a string", value)
        if complaint := complain(value):
            raise ConfigError(self.path, key, complaint)
        return value

    def _expected(self, key: str, what: str, value: object = None) -> ConfigError:
        found = self.table[key] if value is None else value
        return ConfigError(self.path, key, f"expected {what}, found {found!r}")


def _no_pattern(value: str) -> str | None:
    return None if value.strip() else f"{value!r} is no pattern"


def _no_name(value: str) -> str | None:
    return None if value.isidentifier() else f"{value!r} is no name that Python code can use"


def _no_module(value: str) -> str | None:
    is_dotted_name = all(part.isidentifier() and not iskeyword(part) for part in value.split("."))
    return None if is_dotted_name else f"{value!r} is no module name such as 'package.module'"
