"""Configuration: the settings for a file, and where they come from.

Tuples rather than dataclasses: every run makes them, and starts sooner.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from grpo_lint.selectors import longest_match

if TYPE_CHECKING:
    from grpo_lint.contracts.call_site import CallSite
    from grpo_lint.contracts.reading import Misfit

OWN_FILE = "grpo-lint.toml"
PROJECT_FILE = "pyproject.toml"
TABLE = "grpo-lint"
# What only a misplaced configuration of ours has in a pyproject.toml.
_MISPLACED = (b"tool.grpo_lint", b"[[call-sites]]")
UNUSED_SUPPRESSION = "GRPO100"
CALL_SITE_CONTRACT = "GRPO101"


class ConfigError(Exception):
    """A configuration that cannot be used: which file, which key, and what is wrong with it."""

    def __init__(self, path: Path, key: str | None, reason: str) -> None:
        super().__init__(f"{key}: {reason}" if key else reason)
        self.path = path
        self.key = key


class Config(NamedTuple):
    """The settings for a file: `config_keys` says what each means.

    `root` is the folder that patterns are relative to: that of the configuration, or where there is none, of the
    nearest pyproject.toml, else the file's own. `file` is the configuration file, `given` the settings that it names.
    `file_ignore` are the codes that `per_file_ignores` takes from this file, and `exclude` is None for the built-in
    folders.
    """

    select: tuple[str, ...] = ("ALL",)
    ignore: tuple[str, ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    preview: bool = False
    exclude: tuple[str, ...] | None = None
    extend_exclude: tuple[str, ...] = ()
    force_exclude: bool = True
    unsafe_fixes: bool = False
    reference_module: str | None = None
    group_index: str | None = None
    rollout_ids: bool = True
    reward_names: tuple[str, ...] = ()
    group_size_names: tuple[str, ...] = ()
    line_length: int | None = None
    call_sites: tuple[CallSite | Misfit, ...] = ()
    root: Path = Path()
    file: Path | None = None
    given: tuple[str, ...] = ()
    file_ignore: tuple[str, ...] = ()

    @property
    def patterns(self) -> tuple[str, ...]:
        """The patterns of what is excluded, the built-in folders not among them."""
        return (self.exclude or ()) + self.extend_exclude

    @property
    def checks_call_sites(self) -> bool:
        return bool(self.call_sites) and self.is_selected(CALL_SITE_CONTRACT, preview_rule=False)

    @property
    def reports_unused_suppressions(self) -> bool:
        return self.is_selected(UNUSED_SUPPRESSION, preview_rule=False, on_request=True)

    def is_selected(self, code: str, preview_rule: bool, on_request: bool = False) -> bool:
        """Whether the rule runs. As in ruff, the longest prefix wins, `ignore` at a tie.

        A rule in preview waits for `preview` or its exact code, and one that runs on request for its exact code.
        """
        is_waiting = on_request or (preview_rule and not self.preview)
        if is_waiting and code not in self.select:
            return False
        if longest_match(code, self.file_ignore) >= 0:
            return False
        return longest_match(code, self.select) > longest_match(code, self.ignore)


class Overrides(NamedTuple):
    """What the command line says, which wins over the file.

    A `select` replaces the file's, an `extend_select` adds to it; what the file ignores stays ignored, unless it is
    named here. An `ignore` adds to the file's, and takes back what the file selects under it.
    """

    select: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    preview: bool = False

    def apply(self, config: Config) -> Config:
        kept = tuple(code for code in config.select if longest_match(code, self.ignore) < 0)
        named = self.select + self.extend_select
        ignored = tuple(code for code in config.ignore if code not in named)
        return config._replace(
            select=(self.select or kept) + self.extend_select,
            ignore=ignored + self.ignore,
            preview=config.preview or self.preview,
        )


_NO_OVERRIDES = Overrides()


class ConfigResolver:
    """Finds the configuration of a folder: the nearest upwards. Remembers each folder it was asked for.

    With a `fixed` configuration, that one holds everywhere and no file is read.
    """

    def __init__(
        self, codes: tuple[str, ...], overrides: Overrides = _NO_OVERRIDES, fixed: Config | None = None
    ) -> None:
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
        if not _may_be_configured(folder):
            return None
        from grpo_lint.config_file import load_config

        try:
            config = load_config(folder, self._codes)
        except ConfigError as error:
            return error
        return config and self._overrides.apply(config)


def _may_be_configured(folder: Path) -> bool:
    """Whether a folder's files may hold a configuration; without an import, since most do not."""
    if os.path.isfile(folder / OWN_FILE):  # noqa: PTH113 - Path's raises
        return True
    try:
        return may_hold_settings((folder / PROJECT_FILE).read_bytes())
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return False
    except OSError:  # for the reader to complain about
        return True


def may_hold_settings(data: bytes) -> bool:
    """Whether a pyproject.toml may have settings of ours, in their place or in another."""
    return any(word in data for word in (TABLE.encode(), *_MISPLACED))


def _project_folder(folder: Path) -> Path:
    candidates = (each for each in (folder, *folder.parents) if (each / PROJECT_FILE).is_file())
    return next(candidates, folder)
