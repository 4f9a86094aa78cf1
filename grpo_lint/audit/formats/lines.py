"""Samples as lines of JSON: verl's generations, open-instruct's rollouts, and the neutral format."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from grpo_lint.audit.formats.fields import LINES, Batches, Fields, fields_of
from grpo_lint.audit.records import Damage, Dump, Settings, Skipped

_MAX_LINE = 1 << 27  # bytes of one sample


def read_lines(path: Path, name: str, settings: Settings) -> Iterator[Dump | Skipped]:
    """The batches of a file, a batch for each step that its lines name. Raises Damage."""
    batches: Batches | None = None
    for at, record in _records(path, name):
        if batches is None:
            fields = fields_of(frozenset(record), LINES, settings)
            if fields is None:
                yield Skipped(name, "its lines are no rollouts of a known format", 0)
                return
            batches = Batches(name, fields, settings)
        try:
            batches.add(record, _reward(record, batches.fields, settings), at)
        except (TypeError, RecursionError) as error:
            raise Damage(name, f"the identity of sample {at} is no plain value") from error
    if batches is None:
        raise Damage(name, "it is empty")
    yield from batches.dumps()


def _records(path: Path, name: str) -> Iterator[tuple[int, dict[str, Any]]]:
    with path.open("rb") as file:
        at = 0
        while line := file.readline(_MAX_LINE + 1):
            at += 1
            if len(line) > _MAX_LINE:
                raise Damage(name, f"line {at} is longer than {_MAX_LINE:,} bytes")
            if not line.strip():
                continue
            try:
                record = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise Damage(name, f"line {at} is no JSON") from error
            if not isinstance(record, dict):
                raise Damage(name, f"line {at} is no object of JSON")
            yield at, record


def _reward(record: dict[str, Any], fields: Fields, settings: Settings) -> object:
    key = settings.reward_key
    value = next((record[each] for each in fields.rewards if record.get(each) is not None), None)
    if key is None:
        return value
    return value.get(key) if isinstance(value, dict) and key in value else record.get(key)
