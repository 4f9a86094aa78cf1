"""Which files to check: the named ones, and the Python files below the named folders."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from grpo_lint.config import Config, ConfigError, ConfigResolver
from grpo_lint.ignore import IgnoreRules, is_ignored, is_ignored_below

SUFFIXES = (".py",)  # stubs hold no code
_IGNORE_FILE = ".gitignore"

# ruff's, and __pycache__
EXCLUDED_FOLDERS = frozenset(
    """
    .bzr .direnv .eggs .git .git-rewrite .hg .ipynb_checkpoints .mypy_cache .nox .pants.d .pyenv .pytest_cache .pytype
    .ruff_cache .svn .tox .venv .vscode __pycache__ __pypackages__ _build buck-out dist node_modules site-packages venv
    """.split()
)


class Found(NamedTuple):
    """A file to check, by its absolute path, with the configuration that holds for it.

    `content` is what stands in its place where it comes by standard input; such a file need not exist.
    """

    path: str
    config: Config
    content: bytes | None = None


class Unreachable(NamedTuple):
    """A named path, a folder or a configuration that could not be read, by its absolute path."""

    path: str
    reason: str


Entry = Found | Unreachable


def discover(paths: Iterable[str], resolver: ConfigResolver) -> tuple[Entry, ...]:
    """The files to check, sorted by path, each once however often and through whatever link it is reached.

    Named files are taken whatever their suffix, unless the configuration excludes them: hooks pass every changed file.
    """
    search = _Search(resolver, lru_cache(maxsize=None)(IgnoreRules.parse))
    found = (entry for path in paths for entry in search.named(path))
    real_folder = lru_cache(maxsize=None)(os.path.realpath)
    kept: dict[tuple[str, str], Entry] = {}
    for entry in sorted(found, key=_place):
        kept.setdefault(_identity(entry, real_folder), entry)
    return tuple(kept.values())


def discover_text(name: str, content: bytes, resolver: ConfigResolver) -> Entry | None:
    """A text that stands in the place of a file of this name; None where the configuration excludes that."""
    search = _Search(resolver, lru_cache(maxsize=None)(IgnoreRules.parse))
    path = _absolute(name)
    folder = next((each for each in path.parents if each.is_dir()), path.parent)
    try:
        config = resolver.for_folder(folder)
    except ConfigError as error:
        return Unreachable(str(error.path), str(error))
    except OSError as error:
        return Unreachable(str(path), error.strerror or str(error))
    excluded = search._is_excluded(path, False, config)
    return None if excluded else search._found(str(path), config)._replace(content=content)


def _place(entry: Entry) -> tuple[str, bool]:
    """Sorts by path component: the separator comes before every other character."""
    return entry.path.replace(os.sep, "\0"), isinstance(entry, Unreachable)


def _identity(entry: Entry, real_folder: Callable[[str], str]) -> tuple[str, str]:
    """What makes two entries the same: the file behind the links, or the fault."""
    if isinstance(entry, Unreachable):
        return entry.path, entry.reason
    is_link = os.path.islink(entry.path)  # noqa: PTH114 - this runs for every file, and a Path costs more than the test
    folder, name = os.path.split(os.path.realpath(entry.path) if is_link else entry.path)
    return real_folder(folder), name


class _Folder(NamedTuple):
    """A folder to walk; `rules` are those of .gitignore files, the nearest first."""

    path: str
    rules: tuple[IgnoreRules, ...]


class _Search(NamedTuple):
    resolver: ConfigResolver
    parsed: Callable[[str, tuple[str, ...]], IgnoreRules]

    def named(self, name: str) -> Iterator[Entry]:
        path = _absolute(name)
        try:
            mode = os.stat(name).st_mode  # noqa: PTH116 - Path("") is the current folder
        except OSError as error:
            yield Unreachable(str(path), error.strerror or str(error))
            return
        is_folder = stat.S_ISDIR(mode)
        if not is_folder and not stat.S_ISREG(mode):
            yield Unreachable(str(path), "not a regular file")
            return
        try:
            config = self.resolver.for_folder(path if is_folder else path.parent)
        except ConfigError as error:
            yield Unreachable(str(error.path), str(error))
            return
        except OSError as error:  # a folder that may not be entered
            yield Unreachable(str(path), error.strerror or str(error))
            return
        if self._is_excluded(path, is_folder, config):
            return
        if is_folder:
            yield from self._walk(_Folder(str(path), _rules_above(path)))
        else:
            yield self._found(str(path), config)

    def _walk(self, root: _Folder) -> Iterator[Entry]:
        pending = [root]
        while pending:
            folder = pending.pop()
            try:
                config = self.resolver.for_folder(Path(folder.path))
                with os.scandir(folder.path) as listing:
                    children = list(listing)
            except ConfigError as error:
                yield Unreachable(str(error.path), str(error))
            except OSError as error:
                yield Unreachable(folder.path, error.strerror or str(error))
            else:
                has_rules = any(child.name == _IGNORE_FILE for child in children)
                rules = _with_own_rules(folder) if has_rules else folder.rules
                kept = [child for child in children if self._is_wanted(child, config, rules)]
                pending += [_Folder(child.path, rules) for child in kept if child.is_dir(follow_symlinks=False)]
                files = (child.path for child in kept if not child.is_dir(follow_symlinks=False))
                yield from (self._found(path, config) for path in files)

    def _is_wanted(self, child: os.DirEntry[str], config: Config, rules: tuple[IgnoreRules, ...]) -> bool:
        is_folder = child.is_dir(follow_symlinks=False)
        if is_folder:
            is_candidate = config.exclude is not None or child.name not in EXCLUDED_FOLDERS
        else:
            is_candidate = child.name.endswith(SUFFIXES) and _is_file(child)
        return (
            is_candidate
            and not is_ignored(child.path, is_folder, rules)
            and not (config.patterns and is_ignored(child.path, is_folder, [self._excludes_of(config)]))
        )

    def _is_excluded(self, path: Path, is_folder: bool, config: Config) -> bool:
        """Whether a named path, or a folder on the way to it, is excluded."""
        is_below_root = bool(config.patterns) and path != config.root
        return (
            config.force_exclude
            and is_below_root
            and is_ignored_below(str(config.root), str(path), is_folder, [self._excludes_of(config)])
        )

    def _excludes_of(self, config: Config) -> IgnoreRules:
        return self.parsed(str(config.root), config.patterns)

    def _found(self, path: str, config: Config) -> Found:
        """A file with its configuration, in which the rules that `per-file-ignores` takes from it are left out."""
        ignored = [
            codes for pattern, codes in config.per_file_ignores if self._is_meant(pattern, path, str(config.root))
        ]
        if not ignored:
            return Found(path, config)
        return Found(path, config._replace(file_ignore=tuple(code for codes in ignored for code in codes)))

    def _is_meant(self, pattern: str, path: str, root: str) -> bool:
        """Whether a pattern is about a file; as in ruff, one with `!` before it is about all that it does not match."""
        rules = self.parsed(root, (pattern.removeprefix("!"),))
        is_matched = path.startswith(root.rstrip(os.sep) + os.sep) and is_ignored_below(root, path, False, [rules])
        return is_matched is not pattern.startswith("!")


def _is_file(child: os.DirEntry[str]) -> bool:
    """Whether it is a file or a link to one; a link that leads nowhere, or round and round, is none."""
    return child.is_file(follow_symlinks=False) or os.path.isfile(child.path)  # noqa: PTH113 - Path's raises


def _absolute(name: str) -> Path:
    """The absolute path; links are only resolved where `..` demands it."""
    path = Path(name).absolute()
    return path.resolve() if ".." in path.parts else path


def _rules_above(folder: Path) -> tuple[IgnoreRules, ...]:
    """The ignore rules of the repository that hold in a named folder, its own file not among them.

    None hold if they ignore the folder itself: it was asked for.
    """
    repository = next((each for each in (folder, *folder.parents) if os.path.lexists(each / ".git")), None)
    if repository is None:
        return ()
    between = [each for each in folder.parents if each.is_relative_to(repository)]
    files = [*((each, each / _IGNORE_FILE) for each in between), (repository, repository / ".git/info/exclude")]
    rules = tuple(found for base, file in files if (found := _read_rules(base, file)))
    is_asked_for = folder != repository and is_ignored_below(str(repository), str(folder), True, rules)
    return () if is_asked_for else rules


def _with_own_rules(folder: _Folder) -> tuple[IgnoreRules, ...]:
    own = _read_rules(Path(folder.path), Path(folder.path, _IGNORE_FILE))
    return (own, *folder.rules) if own else folder.rules


def _read_rules(base: Path, file: Path) -> IgnoreRules | None:
    try:
        text = file.read_text("utf-8-sig", "surrogateescape")
    except OSError:  # there is none, or Git could not read it either
        return None
    rules = IgnoreRules.parse(str(base), text.split("\n"))
    return None if rules.is_empty else rules
