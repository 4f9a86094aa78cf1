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
    lines = difflib.unified_diff(old, new, _quoted(f"a/{name}"), _quoted(f"b/{name}"))
    return "".join(line if line.endswith(("\n", "\r")) else f"{line}\n\\ No newline at end of file\n" for line in lines)


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
    mode = stat.S_IMODE(target.stat().st_mode)
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(mode)
        Path(temporary).replace(target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def create(path: Path, data: bytes) -> None:
    """Write a file that does not exist yet, in one step, with the mode that new files get here."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with temporary.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
