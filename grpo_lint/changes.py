"""What has changed since a revision, by Git: renames are followed, and files that Git does not know yet are all new."""

from __future__ import annotations

import ast
import os
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from grpo_lint.fingerprint import Likeness, likeness
from grpo_lint.model import Finding
from grpo_lint.outcome import FileResult
from grpo_lint.source import Source

if TYPE_CHECKING:
    from grpo_lint.config import Config

_HUNK = re.compile(rb"@@ -\d+(?:,(?P<removed>\d+))? \+(?P<start>\d+)(?:,(?P<added>\d+))? @@")
_BEFORE, _AFTER = b"--- ", b"+++ "
_PREFIX = b"a/", b"b/"
# What Git tells its hooks of their repository, which is not the one of every file; and what changes a patch.
_OF_A_HOOK = frozenset("GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_PREFIX GIT_COMMON_DIR GIT_DIFF_OPTS".split())


class GitError(Exception):
    """Why Git does not tell what has changed."""


class ChangedSince:
    """The changes since a revision, of each repository that is asked about.

    `configs` are the configurations of the files that may be asked about, by path.
    """

    def __init__(self, revision: str, configs: Mapping[str, Config]) -> None:
        self._revision = revision
        self._configs = configs
        self._repositories: dict[str, _Repository] = {}
        self._before: dict[str, frozenset[Likeness]] = {}

    def touch(self, result: FileResult, finding: Finding) -> bool:
        """Whether a finding's evidence has changed, or its file, which lacked the finding. Raises GitError."""
        path = os.path.realpath(result.path)
        repository = self._of(str(Path(path).parent))
        spans = repository.changed_in(path)
        if any(span.start in rows or rows.start in span for span in spans for rows in _rows(finding)):
            return True
        if not spans:
            return False
        if path not in self._before:
            self._before[path] = _likenesses(result.path, repository.text_before(path), self._configs[result.path])
        return likeness(finding, Source.from_text(result.path, result.text)) not in self._before[path]

    def require(self, folder: str) -> None:
        """Raise GitError if nothing can be told of a folder's files."""
        _ = self._of(os.path.realpath(folder)).changed

    def _of(self, folder: str) -> _Repository:
        if folder not in self._repositories:
            root = _top_level(folder)
            self._repositories[folder] = self._repositories.get(root) or _Repository(root, self._revision)
            self._repositories[root] = self._repositories[folder]
        return self._repositories[folder]


def _rows(finding: Finding) -> Iterator[range]:
    for place in (finding.range, *(mark.range for mark in finding.evidence)):
        yield range(place.start.row, place.end.row + 1)


def _likenesses(path: str, data: bytes, config: Config) -> frozenset[Likeness]:
    """The findings of a file as it was; none of what cannot be read."""
    from grpo_lint.analysis import find
    from grpo_lint.depth import TooDeep
    from grpo_lint.project import Cache

    try:
        source = Source.decode(path, data)
        return frozenset(likeness(found.finding, source) for found in find(source, config, Cache).items)
    except (SyntaxError, ValueError, TooDeep, RecursionError, MemoryError):
        return frozenset()


class _Repository:
    """A repository and its changes, which are read when they are first asked for."""

    def __init__(self, root: str, revision: str) -> None:
        self._root = root
        self._revision = revision

    @cached_property
    def changed(self) -> Mapping[str, _Change]:
        """What has changed, by path."""
        options = "--no-color --no-ext-diff --no-textconv -U0 --inter-hunk-context=0 -M --src-prefix=a/ --dst-prefix=b/"
        patch = _git(self._root, "-c", "core.quotePath=false", "diff", "--text", *options.split(), self._base, "--")
        return {self._path(name): change for name, change in _changes(patch.split(b"\n")).items()}

    @cached_property
    def tracked(self) -> frozenset[str]:
        """The paths that Git knows."""
        return frozenset(map(self._path, _git(self._root, "ls-files", "-z").split(b"\0")))

    def changed_in(self, path: str) -> tuple[range, ...]:
        """The rows of a file that are new or changed: all, if Git does not know the file."""
        if path not in self.tracked:
            return (range(0, 1 << 60),)
        return self.changed[path].rows if path in self.changed else ()

    def text_before(self, path: str) -> bytes:
        """The content of a changed file at the base, under the name that it had; empty if there was none."""
        name = os.fsdecode(self.changed[path].before) if path in self.changed else ""
        return _try_git(self._root, "cat-file", "blob", f"{self._base}:{name}") or b""

    def _path(self, name: bytes) -> str:
        return os.path.join(self._root, os.fsdecode(name))  # noqa: PTH118 - a text, not a place

    @cached_property
    def _base(self) -> str:
        """Where the history parted from the revision, if that is known; else the revision."""
        shown = repr(self._revision)
        commit = _try_git(
            self._root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{self._revision}^{{commit}}"
        )
        if commit is None and _git(self._root, "rev-parse", "--is-shallow-repository").strip() == b"true":
            raise GitError(f"{shown} is not in this shallow clone: fetch it first, or clone with its history")
        if commit is None:
            raise GitError(f"Git knows no revision {shown}")
        base = _try_git(self._root, "merge-base", commit.decode().strip(), "HEAD")
        return (base or commit).decode().strip()


def _top_level(folder: str) -> str:
    found = _try_git(folder, "rev-parse", "--show-toplevel")
    if found is None:
        raise GitError(f"{folder} is in no Git repository")
    return os.path.realpath(os.fsdecode(found.removesuffix(b"\n")))


def _git(folder: str, *arguments: str) -> bytes:
    found = _try_git(folder, *arguments)
    if found is None:
        raise GitError(f"`git {arguments[0]}` failed in {folder}")
    return found


def _try_git(folder: str, *arguments: str) -> bytes | None:
    """What Git prints; None if it fails."""
    try:
        environment = {name: value for name, value in os.environ.items() if name not in _OF_A_HOOK}
        done = subprocess.run(["git", *arguments], cwd=folder, env=environment, capture_output=True, check=False)
    except OSError as error:
        if error.filename == "git":
            raise GitError("Git is not installed") from error
        raise GitError(f"{folder}: {error.strerror}") from error
    return done.stdout if done.returncode == 0 else None


def _changes(patch: Iterable[bytes]) -> Mapping[bytes, _Change]:
    """The changes of each file of a patch without context."""
    lines = iter(patch)
    found: dict[bytes, _Change] = {}
    before = after = b""
    for line in lines:
        if line.startswith(_BEFORE):
            before = _file_name(line.removeprefix(_BEFORE))
        elif line.startswith(_AFTER):
            after = _file_name(line.removeprefix(_AFTER))
        elif hunk := _Hunk.read(line):
            rows = found[after].rows if after in found else ()
            found[after] = _Change(before, (*rows, hunk.rows))
            hunk.skip(lines)
    return found


class _Change(NamedTuple):
    """A file's name before, and its rows that are new or changed or stand beside removed ones."""

    before: bytes
    rows: tuple[range, ...]


class _Hunk(NamedTuple):
    """The head of a hunk: the rows that it leaves changed, and how many lines it has."""

    rows: range
    length: int

    @classmethod
    def read(cls, line: bytes) -> _Hunk | None:
        found = _HUNK.match(line)
        if found is None:
            return None
        start, added, removed = int(found["start"]), int(found["added"] or 1), int(found["removed"] or 1)
        rows = range(start, start + added) if added else range(start, start + 2)
        return cls(rows, added + removed)

    def skip(self, lines: Iterator[bytes]) -> None:
        """Pass over the lines of the hunk, whatever they look like, and remarks on a missing final newline."""
        left = self.length
        while left:
            left -= not next(lines, b"").startswith(b"\\")


def _file_name(shown: bytes) -> bytes:
    """The name of a file as a patch has it: quoted as in C if it is odd, and with a tab behind it if it has spaces."""
    name = shown.removesuffix(b"\t")
    if name.startswith(b'"'):
        name = ast.literal_eval("b" + "".join(chr(each) if each < 128 else f"\\x{each:02x}" for each in name))
    return name[2:] if name.startswith(_PREFIX) else name
