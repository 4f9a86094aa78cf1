"""Configuration files: where the settings stand, and their reading."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from grpo_lint.config import OWN_FILE, PROJECT_FILE, TABLE, Config, ConfigError, may_hold_settings
from grpo_lint.suggestion import did_you_mean
from grpo_lint.toml_file import Table, parse, read, subtable


def load_config(folder: Path, codes: tuple[str, ...]) -> Config | None:
    """The configuration that stands in this folder, if any. Raises ConfigError."""
    path = folder / OWN_FILE
    if path.is_file():
        return _read_own_file(path, codes)
    path = folder / PROJECT_FILE
    if not path.is_file():
        return None
    data = read(path)
    if not may_hold_settings(data):
        return None
    document = parse(path, data)
    tool = subtable(document, "tool")
    _require_place(path, document, tool)
    return _read_config(path, tool[TABLE], codes) if TABLE in tool else None


def read_config_file(path: Path, root: Path, codes: tuple[str, ...]) -> Config:
    """The configuration in a named file, with patterns relative to `root`. Raises ConfigError."""
    if path.name != PROJECT_FILE:
        return _read_own_file(path, codes)._replace(root=root)
    document = parse(path, read(path))
    tool = subtable(document, "tool")
    _require_place(path, document, tool)
    if TABLE not in tool:
        raise ConfigError(path, None, f"has no table [tool.{TABLE}]")
    return _read_config(path, tool[TABLE], codes)._replace(root=root)


def _require_place(path: Path, document: Table, tool: Table) -> None:
    """Raise ConfigError where a pyproject.toml has settings of ours in a place where they are not looked for."""
    if "call-sites" in document:
        raise ConfigError(path, "call-sites", f"in this file the header is [[tool.{TABLE}.call-sites]]")
    if (misspelt := TABLE.replace("-", "_")) in tool:
        raise ConfigError(path, f"tool.{misspelt}", f"the table is called [tool.{TABLE}]")


def _read_own_file(path: Path, codes: tuple[str, ...]) -> Config:
    document = parse(path, read(path))
    if TABLE in subtable(document, "tool"):
        raise ConfigError(path, "tool", f"in this file the keys stand at the top level, not below [tool.{TABLE}]")
    return _read_config(path, document, codes)


def _read_config(path: Path, table: object, codes: tuple[str, ...]) -> Config:
    from grpo_lint.config_keys import Unfit, keys_by_name

    if not isinstance(table, dict):
        raise ConfigError(path, f"tool.{TABLE}", "expected a table")
    known = keys_by_name()
    settings: dict[str, Any] = {}
    for name, value in table.items():
        if name not in known:
            raise ConfigError(path, name, f"unknown key{did_you_mean(name, known)}")
        try:
            settings[known[name].field] = known[name].kind.read(value, codes)
        except Unfit as unfit:
            raise ConfigError(path, name, str(unfit)) from None
    return Config()._replace(root=path.parent, file=path, given=tuple(settings), **settings)
