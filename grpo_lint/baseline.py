"""A record of the findings that a codebase already has: they are not reported again, and new ones are.

An entry holds what `fingerprint.Likeness` keeps of a finding, and its file. So moving lines around within a function
revives nothing, while a copy of the code in another place, or a second one beside it, is a new finding.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from grpo_lint.fingerprint import Likeness, fingerprints
from grpo_lint.outcome import FileResult

DEFAULT_NAME = ".grpo-lint-baseline.json"
_VERSION = 1


class BaselineError(Exception):
    """Why a baseline cannot be read or written."""


class Entry(NamedTuple):
    """A finding's file, relative to the baseline's folder, and its likeness."""

    file: str
    likeness: Likeness


class Comparison(NamedTuple):
    """What is left of the results without the known findings, how many those are, and the entries that are fixed."""

    results: tuple[FileResult, ...]
    known: int
    fixed: Counter[Entry]


class Baseline(NamedTuple):
    """The entries of a baseline, each with how many findings are alike, and the folder that files are relative to."""

    folder: str
    entries: Mapping[Entry, int]

    @classmethod
    def of(cls, results: Iterable[FileResult], folder: str) -> Baseline:
        """The baseline of all findings."""
        return cls(folder, Counter(entry for result in results for entry in _entries(result, folder)))

    @classmethod
    def read(cls, path: Path) -> Baseline:
        """The baseline in a file. Raises BaselineError."""
        try:
            document = json.loads(path.read_bytes())
        except OSError as error:
            hint = ": `grpo-lint baseline write` makes one" if isinstance(error, FileNotFoundError) else ""
            raise BaselineError((error.strerror or str(error)) + hint) from error
        except (ValueError, RecursionError) as error:  # not JSON, or not text
            raise BaselineError(f"not a baseline: {error}") from error
        return cls(str(path.absolute().parent), _parsed(document))

    def write(self, path: Path) -> None:
        """Write the baseline, in an order that merges well. Raises BaselineError."""
        from grpo_lint import edits

        rows = [
            {"file": entry.file, **entry.likeness._asdict(), "count": count}
            for entry, count in sorted(self.entries.items())
            if count
        ]
        text = json.dumps({"version": _VERSION, "findings": rows}, indent=2, ensure_ascii=True) + "\n"
        try:
            (edits.write if path.exists() else edits.create)(path, text.encode())
        except OSError as error:
            raise BaselineError(error.strerror or str(error)) from error

    def compare(self, results: Sequence[FileResult], codes: Container[str]) -> Comparison:
        """Take the known findings out of results.

        An entry is fixed only if its rule ran, which is one of `codes`, and its file was checked whole or is gone.
        """
        left, found = [], Counter[Entry]()
        for result in results:
            kept = []
            for finding, entry in zip(result.findings, _entries(result, self.folder), strict=True):
                found[entry] += 1
                kept += [finding] if found[entry] > self.entries.get(entry, 0) else []
            left.append(result._replace(findings=tuple(kept)))
        known = sum(len(result.findings) for result in results) - sum(len(result.findings) for result in left)
        checked = {_relative(result.path, self.folder) for result in results if result.fault is None}
        gone = Counter(self.entries) - found
        judged = {entry for entry in gone if entry.likeness.code in codes and self._is_judged(entry, checked)}
        return Comparison(tuple(left), known, Counter({entry: gone[entry] for entry in judged}))

    def _is_judged(self, entry: Entry, checked: Container[str]) -> bool:
        return entry.file in checked or not os.path.lexists(os.path.join(self.folder, entry.file))  # noqa: PTH118

    def plus(self, other: Baseline) -> Baseline:
        """The baseline and the entries of another one."""
        return self._replace(entries=Counter(self.entries) + Counter(other.entries))

    def without(self, entries: Counter[Entry]) -> Baseline:
        """The baseline less some entries."""
        return self._replace(entries=Counter(self.entries) - entries)


def _entries(result: FileResult, folder: str) -> list[Entry]:
    file = _relative(result.path, folder)
    return [Entry(file, fingerprint.likeness) for _, fingerprint in fingerprints(result)]


def _relative(path: str, folder: str) -> str:
    return os.path.relpath(os.path.realpath(path), os.path.realpath(folder)).replace(os.sep, "/")


def _parsed(document: object) -> Counter[Entry]:
    """The entries of a document. Raises BaselineError."""
    match document:
        case {"version": int(version), "findings": list(rows)} if version == _VERSION and version is not True:
            found = Counter[Entry]()
            for entry, count in map(_entry, rows):
                found[entry] += count
            return found
        case {"version": int(version)} if version != _VERSION:
            raise BaselineError(f"its version is {version}, and this grpo-lint reads version {_VERSION}")
        case _:
            raise BaselineError("not a baseline: it holds no list of findings")


def _entry(row: object) -> tuple[Entry, int]:
    match row:
        case {
            "file": str(file),
            "code": str(code),
            "scope": str(scope),
            "source": str(source),
            "count": int(count),
        } if type(count) is int and count > 0:
            return Entry(file, Likeness(code, scope, source)), count
        case _:
            raise BaselineError(f"not a baseline: {json.dumps(row)[:80]} is no finding")
