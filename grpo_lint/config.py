"""Configuration: which file holds it, what may stand in it, and which codes it selects."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from keyword import iskeyword
from pathlib import Path

from grpo_lint.suggestion import did_you_mean

DEFAULT_LINE_LENGTH = 88
_OWN_FILE = "grpo-lint.toml"
_PROJECT_FILE = "pyproject.toml"
_TABLE = "grpo-lint"
_RUFF_FILES = (".ruff.toml", "ruff.toml")

Table = Mapping[str, object]


class ConfigError(Exception):
    """A configuration that cannot be used: which file, which key, and what is wrong with it."""

    def __init__(self, path: Path, key: str | None, reason: str) -> None:
        super().__init__(f"{key}: {reason}" if key else reason)
        self.path = path
        self.key = key


@dataclass(frozen=True, slots=True)
class Config:
    """The settings for a file.

    `root` is the folder of the configuration, which `exclude` is relative to. Where there is none, it is the folder of
    the nearest pyproject.toml, else the file's own.
    """

    select: tuple[str, ...] = ("ALL",)
    ignore: tuple[str, ...] = ()
    preview: bool = False
    exclude: tuple[str, ...] = ()
    reference_module: str | None = None
    reward_names: tuple[str, ...] = ()
    group_size_names: tuple[str, ...] = ()
    rollout_ids: bool = True
    line_length: int | None = None
    root: Path = Path()

    def is_selected(self, code: str, preview_rule: bool) -> bool:
        """Whether the rule runs. As in ruff, the longest prefix wins, `ignore` at a tie."""
        if preview_rule and not (self.preview or code in self.select):
            return False
        return _longest_match(code, self.select) > _longest_match(code, self.ignore)


@dataclass(frozen=True, slots=True)
class Overrides:
    """What the command line says, which wins over the file.

    A `select` replaces the file's, an `extend_select` adds to it; what the file ignores stays ignored, unless it is
    named here. An `ignore` adds to the file's, and takes back what the file selects under it.
    """

    select: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    preview: bool = False

    def apply(self, config: Config) -> Config:
        kept = tuple(code for code in config.select if _longest_match(code, self.ignore) < 0)
        named = self.select + self.extend_select
        ignored = tuple(code for code in config.ignore if code not in named)
        return replace(
            config,
            select=(self.select or kept) + self.extend_select,
            ignore=ignored + self.ignore,
            preview=config.preview or self.preview,
        )


class ConfigResolver:
    """Finds the configuration of a folder: the nearest upwards. Remembers each folder it was asked for.

    With a `fixed` configuration, that one holds everywhere and no file is read.
    """

    def __init__(self, codes: tuple[str, ...], overrides: Overrides = Overrides(), fixed: Config | None = None) -> None:
        self._codes = codes
        self._overrides = overrides
        self._fixed = fixed and overrides.apply(fixed)
        self._nearest_found: dict[Path, Config | ConfigError | None] = {}
        self._answers: dict[Path, Config | ConfigError] = {}

    def for_folder(self, folder: Path) -> Config:
        """The configuration of an absolute folder. Raises ConfigError."""
        if self._fixed is not None:
            return self._fixed
        if folder not in self._answers:
            self._answers[folder] = self._nearest(folder) or self._default(folder)
        answer = self._answers[folder]
        if isinstance(answer, ConfigError):
            raise answer
        return answer

    def _nearest(self, folder: Path) -> Config | ConfigError | None:
        unknown: list[Path] = []
        found: Config | ConfigError | None = None
        for each in (folder, *folder.parents):
            if each in self._nearest_found:
                found = self._nearest_found[each]
                break
            unknown.append(each)
            if found := self._own(each):
                break
        self._nearest_found.update(dict.fromkeys(unknown, found))
        return found

    def _default(self, folder: Path) -> Config:
        return self._overrides.apply(Config(root=_project_folder(folder)))

    def _own(self, folder: Path) -> Config | ConfigError | None:
        try:
            config = load_config(folder, self._codes)
        except ConfigError as error:
            return error
        return config and self._overrides.apply(config)


def load_config(folder: Path, codes: tuple[str, ...]) -> Config | None:
    """The configuration that stands in this folder, if any. Raises ConfigError."""
    path = folder / _OWN_FILE
    if path.is_file():
        return _read_own_file(path, codes)
    path = folder / _PROJECT_FILE
    if not path.is_file():
        return None
    data = _read(path)
    if _TABLE.encode() not in data:
        return None
    tool = _table(_parse(path, data), "tool")
    return _read_config(path, tool[_TABLE], codes) if _TABLE in tool else None


def read_config_file(path: Path, root: Path, codes: tuple[str, ...]) -> Config:
    """The configuration in a named file, with patterns relative to `root`. Raises ConfigError."""
    if path.name != _PROJECT_FILE:
        return replace(_read_own_file(path, codes), root=root)
    tool = _table(_parse(path, _read(path)), "tool")
    if _TABLE not in tool:
        raise ConfigError(path, None, f"has no table [tool.{_TABLE}]")
    return replace(_read_config(path, tool[_TABLE], codes), root=root)


def formatter_line_length(folder: Path) -> int:
    """The line length of the project's formatter: black's if the nearest pyproject.toml sets black up, else ruff's."""
    for each in (folder, *folder.parents):
        if (each / _PROJECT_FILE).is_file():
            tool = _table(_parse_leniently(each / _PROJECT_FILE), "tool")
            if "black" in tool:
                return _line_length(_table(tool, "black"))
            break
    return _ruff_line_length(folder)


def unknown_selector(selector: str, codes: tuple[str, ...]) -> str | None:
    """What is wrong with a code, a prefix or ALL; None if nothing is."""
    if selector == "ALL" or any(_is_prefix(selector, code) for code in codes):
        return None
    return unknown_code(selector, (*codes, "ALL"))


def unknown_code(code: str, codes: tuple[str, ...]) -> str | None:
    """What is wrong with a code; None if nothing is."""
    return None if code in codes else f"unknown code {code!r}{did_you_mean(code.upper(), codes)}"


def _is_prefix(selector: str, code: str) -> bool:
    digits = "0123456789"
    return code.startswith(selector) and selector.rstrip(digits) == code.rstrip(digits)


def _longest_match(code: str, selectors: Iterable[str]) -> int:
    """The length of the longest selector that covers `code`: ALL counts as 0, none as -1."""
    prefixes = ("" if selector == "ALL" else selector for selector in selectors)
    return max((len(prefix) for prefix in prefixes if code.startswith(prefix)), default=-1)


def _project_folder(folder: Path) -> Path:
    candidates = (each for each in (folder, *folder.parents) if (each / _PROJECT_FILE).is_file())
    return next(candidates, folder)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ConfigError(path, None, error.strerror or str(error)) from error


def _parse(path: Path, data: bytes) -> Table:
    toml = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    try:
        document: dict[str, object] = toml.loads(data.decode())
    except ValueError as error:  # not UTF-8, or not TOML
        raise ConfigError(path, None, f"not valid TOML: {error}") from error
    return document


def _parse_leniently(path: Path) -> Table:
    try:
        return _parse(path, _read(path))
    except ConfigError:  # another tool's file: not ours to complain about
        return {}


def _table(table: Table, key: str) -> Table:
    value = table.get(key)
    return value if isinstance(value, dict) else {}


def _line_length(table: Table) -> int:
    value = table.get("line-length", table.get("line_length"))
    return _positive(value) or DEFAULT_LINE_LENGTH


def _ruff_line_length(folder: Path) -> int:
    for each in (folder, *folder.parents):
        for name in _RUFF_FILES:
            if (each / name).is_file():
                return _line_length(_parse_leniently(each / name))
        if (each / _PROJECT_FILE).is_file():
            tool = _table(_parse_leniently(each / _PROJECT_FILE), "tool")
            if "ruff" in tool:
                return _line_length(_table(tool, "ruff"))
    return DEFAULT_LINE_LENGTH


def _positive(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _read_own_file(path: Path, codes: tuple[str, ...]) -> Config:
    table = _parse(path, _read(path))
    if _TABLE in _table(table, "tool"):
        raise ConfigError(path, "tool", f"in this file the keys stand at the top level, not below [tool.{_TABLE}]")
    return _read_config(path, table, codes)


def _read_config(path: Path, table: object, codes: tuple[str, ...]) -> Config:
    if not isinstance(table, dict):
        raise ConfigError(path, f"tool.{_TABLE}", "expected a table")
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
        value = _positive(self.table.get(key))
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
