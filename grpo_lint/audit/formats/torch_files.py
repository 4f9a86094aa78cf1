"""The debug rollout dumps of slime and miles: a dict of a rollout's id and its samples, saved by torch."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from pathlib import Path
from typing import Any

from grpo_lint.audit.formats.fields import finite, identity
from grpo_lint.audit.records import Damage, Dump, Settings, Skipped
from grpo_lint.audit.unpickling import Archive, Inert, NotReadable, Scalar, number_of

_MAX_SAMPLES = 10_000_000
_MAX_PROMPT = 1 << 20  # values and characters of a prompt that is a list of messages
_EVALUATION = re.compile(r"(?<![^\W_])eval_\d")  # slime writes it before the rollout's number, wherever a name has that
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
    if _EVALUATION.search(path.name) and all(record.get("group_index") is None for record in records):
        return Skipped(name, "evaluation", len(records))
    key = settings.group_by or "group_index"
    groups = tuple(_identity(record.get(key), at, name) for at, record in enumerate(records, 1))
    if groups and groups.count(None) == len(groups):
        return Skipped(name, "no identity of prompts", len(groups))
    rewards = tuple(_reward(record.get("reward"), settings, at, name) for at, record in enumerate(records, 1))
    attempts = tuple(_identity(record.get("rollout_id"), at, name) for at, record in enumerate(records, 1))
    advantages = [number_of(record.get("advantage")) for record in records]
    return Dump(
        name=name,
        step=_step(step),
        groups=groups,
        rewards=rewards,
        attempts=None if attempts.count(None) == len(attempts) else attempts,
        advantages=None if None in advantages or not advantages else tuple(each or 0.0 for each in advantages),
    )


def _step(value: object) -> int | None:
    number = number_of(value) if isinstance(value, Scalar) else value
    if isinstance(number, float) and number.is_integer():
        return int(number)
    return number if type(number) is int else None


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
    try:
        if isinstance(value, list) and _is_small(value):
            return identity(value)
    except (TypeError, ValueError, RecursionError):  # what JSON has no word for
        pass
    raise Damage(name, f"the identity of sample {at} is no plain value")


def _is_small(prompt: object) -> bool:
    """Whether it ends before it is too large: lists that are shared, or hold themselves, stand for very many."""
    waiting, left = [prompt], _MAX_PROMPT
    while waiting and left > 0:
        value = waiting.pop()
        left -= len(value) + 1 if isinstance(value, str | list | dict) else 1
        if left > 0 and isinstance(value, list):
            waiting += value
        elif left > 0 and isinstance(value, dict):
            waiting += (*value, *value.values())
    return left > 0
