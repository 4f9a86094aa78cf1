"""The dumps that trainers write, each format a row: how it is recognised by its content, and read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from grpo_lint.audit.records import Damage, Dump, Settings, Skipped

FORMATS = ("slime", "verl", "trl", "open-instruct", "neutral")
_PARQUET = b"PAR1"
_ZIP = b"PK\x03\x04"
_PICKLE = b"\x80"


def read_dumps(path: Path, name: str, settings: Settings) -> Iterator[Dump | Skipped]:
    """The batches in a file, one after another, each under `name`. Raises Damage, OSError."""
    with path.open("rb") as file:
        start = file.read(4)
    if not start:
        raise Damage(name, "it is empty")
    if start == _PARQUET:
        from grpo_lint.audit.formats.tables import read_table

        return read_table(path, name, settings)
    if start == _ZIP or start[:1] == _PICKLE:
        from grpo_lint.audit.formats.torch_files import read_torch_file

        return read_torch_file(path, name, settings)
    from grpo_lint.audit.formats.lines import read_lines

    return read_lines(path, name, settings)
