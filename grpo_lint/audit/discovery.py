"""The files of a run: a folder of dumps, or a single file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

# In a folder, only files with these endings are looked at; what they hold is told by their content.
_ENDINGS = frozenset({".pt", ".pth", ".jsonl", ".parquet"})
_NUMBERS = re.compile(r"(\d+)")


@dataclass(frozen=True, slots=True)
class Files:
    """A run: its name, as the path was given, and its files in the order of their names, numbers by value."""

    name: str
    paths: tuple[Path, ...]


def find_runs(named: Sequence[str]) -> Iterator[Files]:
    """A run for each file, and for each folder that dumps stand in, at any depth. Raises OSError.

    Links to folders below one that is named are not followed: `latest` is mostly a run that stands beside it. What is
    named twice, by itself or with a folder around it, counts once, where it is named first.
    """
    seen: set[Path] = set()
    for name in named:
        path = Path(name)
        if not path.is_dir():
            path.stat()
            if new := _unseen([path], seen):
                yield Files(name, new)
            continue
        folders = [(folder, _files_in(folder)) for folder in sorted((path, *_folders_below(path)), key=_order)]
        if not any(files for _, files in folders):
            yield Files(name, ())
        for folder, files in folders:
            if new := _unseen(files, seen):
                yield Files(str(folder), new)


def _files_in(folder: Path) -> list[Path]:
    return sorted((each for each in folder.iterdir() if each.suffix in _ENDINGS and each.is_file()), key=_order)


def _unseen(files: Sequence[Path], seen: set[Path]) -> tuple[Path, ...]:
    new = tuple(file for file in files if file.resolve() not in seen)
    seen.update(file.resolve() for file in new)
    return new


def _folders_below(path: Path) -> Iterator[Path]:
    return (each for each in path.rglob("*") if each.is_dir() and not each.is_symlink())


def _order(path: Path) -> list[tuple[int, int, str]]:
    """`rollout_10` after `rollout_9`."""
    parts = _NUMBERS.split(str(path))
    return [(1, int(part), "") if part.isdecimal() else (0, 0, part) for part in parts]
