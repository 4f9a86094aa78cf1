"""The debug rollout dumps of slime and miles: a dict of a rollout's id and its samples, saved by torch."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from pathlib import Path
from typing import Any

from grpo_lint.audit.formats.fields import finite, identity
from grpo_lint.audit.records import Damage, Dump, Settings, Skipped
from grpo_lint.audit.unpickling import Archive, Inert, NotReadable, Scalar, number_of

_MAX_SAMPLES = 10_000_000
_DEPTH = 3  # of lists of samples in lists: prompts, attempts, samples


def read_torch_file(path: Path, name: str, settings: Settings) -> Iterator[Dump | Skipped]:
    """The one batch of a file. Raises Damage."""
    try:
        with Archive(path) as archive:
            saved = archive.load()
            content = saved if isinstance(saved, dict) else saved.fields if isinstance(saved, Inert) else {}
            samples = content.get("samples")
            if not isinstance(samples, list | tuple):
                yield Skipped(name, "it is saved by torch, and no dump of rollouts", 0)
                return
            records = [_record(each, name) for each in _flat(samples, name)]
            yield _dump(records, content.get("rollout_id"), path, name, settings)
    except NotReadable as error:
        raise Damage(name, str(error)) from error


def _flat(samples: list[Any] | tuple[Any, ...], name: str) -> list[Any]:
    """The samples in lists of lists. Lists may be shared, so that few can stand for very many."""
    for _ in range(_DEPTH):
        if not any(isinstance(each, list | tuple) for each in samples):
            return list(samples)
        if sum(len(each) if isinstance(each, list | tuple) else 1 for each in samples) > _MAX_SAMPLES:
            raise Damage(name, f"it claims more than {_MAX_SAMPLES:,} samples")
        samples = [part for each in samples for part in (each if isinstance(each, list | tuple) else (each,))]
    return list(samples)


def _record(sample: object, name: str) -> dict[Any, Any]:
    if isinstance(sample, dict):
        return sample
    if isinstance(sample, Inert) and sample.fields:
        return sample.fields
    raise Damage(name, "a sample is neither a dict nor an object with fields")


def _dump(records: list[dict[Any, Any]], step: object, path: Path, name: str, settings: Settings) -> Dump | Skipped:
    key = settings.group_by or "group_index"
    groups = tuple(_identity(record.get(key), at, name) for at, record in enumerate(records, 1))
    if path.name.startswith("eval_") and groups.count(None) == len(groups):
        return Skipped(name, "evaluation", len(groups))
    rewards = tuple(_reward(record.get("reward"), settings, at, name) for at, record in enumerate(records, 1))
    attempts = tuple(_identity(record.get("rollout_id"), at, name) for at, record in enumerate(records, 1))
    advantages = [number_of(record.get("advantage")) for record in records]
    return Dump(
        name=name,
        step=step if type(step) is int else None,
        groups=groups,
        rewards=rewards,
        attempts=None if attempts.count(None) == len(attempts) else attempts,
        advantages=None if None in advantages or not advantages else tuple(each or 0.0 for each in advantages),
    )


def _reward(value: object, settings: Settings, at: int, name: str) -> float:
    if type(value) is float or type(value) is int:
        return finite(value, "reward", at, name)
    if isinstance(value, dict):
        if settings.reward_key is None:
            raise Damage(name, f"the reward of sample {at} has several parts: --reward-key tells which counts")
        value = value.get(settings.reward_key)
    number = number_of(value)
    return finite(value if number is None else number, "reward", at, name)


def _identity(value: object, at: int, name: str) -> Hashable:
    if isinstance(value, Scalar):
        value = number_of(value)
    if value is None or isinstance(value, int | float | str):
        return identity(value)
    if isinstance(value, bytes):
        return value
    raise Damage(name, f"the identity of sample {at} is no plain value")
