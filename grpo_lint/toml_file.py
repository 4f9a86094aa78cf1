"""TOML files: ours, where a fault is an error, and other tools', where it is theirs."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path

from grpo_lint.config import ConfigError

Table = Mapping[str, object]


def read(path: Path) -> bytes:
    """The bytes of a configuration file. Raises ConfigError."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise ConfigError(path, None, error.strerror or str(error)) from error


def parse(path: Path, data: bytes) -> Table:
    """The document in a file. Raises ConfigError."""
    toml = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    try:
        document: dict[str, object] = toml.loads(data.decode())
    except ValueError as error:  # not UTF-8, or not TOML
        raise ConfigError(path, None, f"not valid TOML: {error}") from error
    return document


def parse_leniently(path: Path) -> Table:
    """The document in another tool's file; empty if it cannot be read, which is not ours to complain about."""
    try:
        return parse(path, read(path))
    except ConfigError:
        return {}


def subtable(document: Table, key: str) -> Table:
    """The table under a key; empty if there is none."""
    value = document.get(key)
    return value if isinstance(value, dict) else {}


def positive(value: object) -> int | None:
    """A value that is a whole number above 0, else None."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None
