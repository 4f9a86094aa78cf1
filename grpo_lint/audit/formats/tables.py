"""Samples as rows of a parquet table: TRL's completions, and the neutral format."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from grpo_lint.audit.formats.fields import TABLES, Batches, Fields, fields_of
from grpo_lint.audit.records import Damage, Dump, Settings, Skipped

_ROWS = 4_096  # that are in memory at once
_NOT_REWARDS = frozenset({"step", "advantage"})


def read_table(path: Path, name: str, settings: Settings) -> Iterator[Dump | Skipped]:
    """The batches of a table, a batch for each step that its rows name. Raises Damage."""
    import pyarrow
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(path) as table:
            schema = table.schema_arrow
            fields = fields_of(frozenset(schema.names), TABLES, settings)
            if fields is None:
                yield Skipped(name, "its columns are no rollouts of a known format", 0)
                return
            rewards = _reward_columns(schema, fields, settings, name)
            yield from _batches(table, fields, rewards, name, settings)
    except (pyarrow.ArrowException, ValueError, OverflowError, MemoryError, OSError) as error:
        if isinstance(error, FileNotFoundError | PermissionError):
            raise
        raise Damage(name, "it is cut off or damaged") from error


def _batches(table: Any, fields: Fields, rewards: Sequence[str], name: str, settings: Settings) -> Iterator[Dump]:
    known = {*fields.groups, *fields.attempts, *fields.advantages, *fields.steps, *rewards, settings.group_by}
    columns = [each for each in table.schema_arrow.names if each in known]
    batches, at = Batches(name, fields, settings), 0
    for rows in table.iter_batches(batch_size=_ROWS, columns=columns):
        for row in rows.to_pylist():
            at += 1
            reward = _total([row[each] for each in rewards])
            if reward is None and not fields.rewards:
                continue  # no function of TRL has scored it: it is in no baseline, and its advantage is 0
            try:
                batches.add(row, reward, at)
            except (TypeError, RecursionError) as error:
                raise Damage(name, f"the identity of sample {at} is no plain value") from error
    yield from batches.dumps()


def _reward_columns(schema: Any, fields: Fields, settings: Settings, name: str) -> list[str]:
    """The columns whose sum is the reward: the one that is asked for, or each that a reward function has in TRL.

    TRL writes them first, and then what users log besides. So the last number that is named for a reward ends them;
    where none is, all are taken for rewards.
    """
    if settings.reward_key is not None:
        if settings.reward_key not in schema.names:
            raise Damage(name, "it has no column of the name that --reward-key gives")
        return [settings.reward_key]
    if fields.rewards:
        known = [each for each in fields.rewards if each in schema.names]
        if not known:
            raise Damage(name, "it has no column of rewards")
        return known
    from pyarrow import types

    numbers = [
        each.name
        for each in schema
        if (types.is_floating(each.type) or types.is_integer(each.type)) and each.name not in _NOT_REWARDS
    ]
    if not numbers:
        raise Damage(name, "it has no column of rewards")
    named = [at for at, each in enumerate(numbers, 1) if "reward" in each.lower() or "score" in each.lower()]
    return numbers[: named[-1]] if named else numbers


def _total(rewards: Sequence[object]) -> object:
    """The sum of what reward functions gave; a function may have nothing to say of a sample."""
    given = [each for each in rewards if each is not None and each == each]  # noqa: PLR0124 - NaN, as None in TRL
    if not given or not all(isinstance(each, int | float) for each in given):
        return given[0] if given else None
    return given[0] if len(given) == 1 else sum(given)  # type: ignore[arg-type]
