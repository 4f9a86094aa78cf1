"""Edits on the text of a file: apply, compare, write."""

from __future__ import annotations

import difflib
import errno
import os
import stat
import tempfile
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO

from grpo_lint.model import Edit
from grpo_lint.source import NEWLINE, Source


def apply(source: Source, edits: Sequence[Edit]) -> str:
    """The text after the edits; what no edit touches stays as it is. Raises ValueError if edits overlap."""
    pieces: list[str] = []
    done = 0
    for edit in sorted(edits):
        start, end = source.offset(edit.range.start), source.offset(edit.range.end)
        if start < done:
            raise ValueError(f"edits overlap at {edit.range.start.row}:{edit.range.start.column}")
        pieces += [source.text[done:start], edit.content]
        done = end
    return "".join([*pieces, source.text[done:]])


def unified_diff(path: str, before: str, after: str) -> str:
    """The change of a file as a patch, empty if there is none. Lines keep the newlines that they have in the file."""
    old, new = _lines(before), _lines(after)
    name = path.replace(os.sep, "/").lstrip("/")
    lines = difflib.unified_diff(old, new, _label(f"a/{name}"), _label(f"b/{name}"))
    return "".join(line if line.endswith(("\n", "\r")) else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _label(name: str) -> str:
    """A name as Git puts it at the head of a patch: `patch` takes one with a space to end there, but for a tab."""
    return _quoted(name) + ("\t" if " " in name else "")


def _quoted(name: str) -> str:
    """A name as Git writes it in a patch: in quotes, the bytes of what cannot be printed in octal digits."""
    if name.isprintable() and not {'"', "\\"} & set(name):
        return name
    return '"' + "".join(map(_quoted_character, name)) + '"'


def _quoted_character(character: str) -> str:
    if character.isprintable():
        return f"\\{character}" if character in '"\\' else character
    return "".join(f"\\{byte:03o}" for byte in os.fsencode(character))


def _lines(text: str) -> list[str]:
    """The lines of a text with their newlines, cut where Python ends a line and nowhere else."""
    starts = [0, *(found.end() for found in NEWLINE.finditer(text)), len(text)]
    return [text[start:end] for start, end in pairwise(starts) if start < end]


def write(path: Path, data: bytes) -> None:
    """Replace a file's content in one step, its mode kept; a symbolic link stays and its target is replaced.

    Raises OSError, also for a file that may not be written although its folder may.
    """
    target = path.resolve()
    if not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(target))
    temporary = _written_beside(target, data, stat.S_IMODE(target.stat().st_mode))
    try:
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def create(path: Path, data: bytes) -> None:
    """Write a file that does not exist yet, in one step, with the mode that new files get here.

    Raises OSError; FileExistsError if there is one by now, which stays as it is.
    """
    temporary = _written_beside(path, data, 0o666 & ~_umask())
    try:
        os.link(temporary, path)
    except FileExistsError:
        raise
    except OSError:  # some file systems, FAT among them, know no second name for a file
        _create_slowly(path, data)
    finally:
        temporary.unlink(missing_ok=True)


def _create_slowly(path: Path, data: bytes) -> None:
    """Write a file that does not exist yet. Whoever looks meanwhile may see a part of it."""
    with path.open("xb") as file:
        try:
            _store(file, data)
        except BaseException:
            path.unlink(missing_ok=True)
            raise


def _written_beside(path: Path, data: bytes, mode: int) -> Path:
    """A new file in the folder of another, under a name that nobody else has."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            _store(file, data)
        temporary.chmod(mode)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return temporary


def _store(file: BinaryIO, data: bytes) -> None:
    file.write(data)
    file.flush()
    os.fsync(file.fileno())


def _umask() -> int:
    mask = os.umask(0o077)  # there is no asking without setting
    os.umask(mask)
    return mask
