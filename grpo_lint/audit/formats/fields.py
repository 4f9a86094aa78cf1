"""Which fields of a record hold what, and records gathered to batches, whatever file they come from."""

from __future__ import annotations

import json
import math
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

from grpo_lint.audit.records import Damage, Dump, Settings

_LONG = 64  # characters of an identity, above which its hash stands for it


@dataclass(frozen=True, slots=True)
class Fields:
    """Of a format: its name, the keys that tell it, and the keys of what a sample holds, the first that is there."""

    name: str
    tell: frozenset[str]
    groups: tuple[str, ...]
    rewards: tuple[str, ...]
    attempts: tuple[str, ...] = ("rollout_id",)
    advantages: tuple[str, ...] = ("advantage",)
    steps: tuple[str, ...] = ("step",)


# `prompt_idx` of open-instruct is a position divided by the group size, no identity: the prompt's tokens are.
LINES = (
    Fields("neutral", frozenset({"group", "reward"}), ("group",), ("reward",), ("rollout",)),
    Fields("open-instruct", frozenset({"prompt_tokens", "sample_idx", "reward"}), ("prompt_tokens",), ("reward",)),
    Fields("verl", frozenset({"input", "output", "score"}), ("uid", "input"), ("score",), advantages=("advantages",)),
)
TABLES = (
    LINES[0],
    Fields("trl", frozenset({"prompt", "completion"}), ("prompt",), ()),
)


def fields_of(keys: frozenset[str], known: tuple[Fields, ...], settings: Settings) -> Fields | None:
    """The format that a record's keys tell, or that the settings name; None where neither does."""
    if settings.format is not None:
        return next((each for each in known if each.name == settings.format), None)
    if settings.group_by in keys and settings.reward_key in keys:
        return Fields("fields", frozenset(), (), ())
    return next((each for each in known if each.tell <= keys), None)


@dataclass(slots=True)
class Batches:
    """Records of one file, gathered by their step in the order in which the steps begin."""

    name: str
    fields: Fields
    settings: Settings
    _columns: dict[int | None, _Columns] = field(default_factory=dict)

    def add(self, record: Mapping[str, Any], reward: object, at: int) -> None:
        """Add a sample; `at` counts from 1, to name it. Raises Damage."""
        step = _step(_first(record, self.fields.steps), at, self.name)
        columns = self._columns.setdefault(step, _Columns())
        key = self.settings.group_by
        group = record.get(key) if key is not None else _first(record, self.fields.groups)
        columns.groups.append(identity(group))
        columns.rewards.append(finite(reward, "reward", at, self.name))
        columns.attempts.append(identity(_first(record, self.fields.attempts)))
        columns.advantages.append(_first(record, self.fields.advantages))

    def dumps(self) -> Iterator[Dump]:
        """The batches, an empty one where there is no record. Raises Damage."""
        if not self._columns:
            yield _Columns().dump(self.name, None)
        for step, columns in self._columns.items():
            name = self.name if len(self._columns) == 1 else f"{self.name}#{'?' if step is None else step}"
            yield columns.dump(name, step)


@dataclass(slots=True)
class _Columns:
    groups: list[Hashable] = field(default_factory=list)
    rewards: list[float] = field(default_factory=list)
    attempts: list[Hashable] = field(default_factory=list)
    advantages: list[object] = field(default_factory=list)

    def dump(self, name: str, step: int | None) -> Dump:
        attempts = None if self.attempts.count(None) == len(self.attempts) else tuple(self.attempts)
        known = [_number(each) for each in self.advantages if isinstance(each, int | float)]
        is_complete = 0 < len(known) == len(self.advantages) and all(map(math.isfinite, known))
        advantages = tuple(known) if is_complete else None
        return Dump(name, step, tuple(self.groups), tuple(self.rewards), attempts, advantages)


def finite(value: object, what: str, at: int, name: str) -> float:
    """A finite number. Raises Damage that names the sample."""
    if not isinstance(value, int | float):
        raise Damage(name, f"the {what} of sample {at} is {'missing' if value is None else 'no number'}")
    number = _number(value)
    if not math.isfinite(number):
        raise Damage(name, f"the {what} of sample {at} is not finite")
    return number


def _step(value: object, at: int, name: str) -> int | None:
    """A step, however a table or its writer spells whole numbers. Raises Damage: batches must not run together."""
    if value is None or type(value) is int:
        return value
    if isinstance(value, float) and math.isnan(value):  # pandas' None
        return None
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and len(value) < _LONG and value.isdecimal():
        return int(value)
    raise Damage(name, f"the step of sample {at} is no whole number")


def _number(value: int | float) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf


def identity(value: object) -> Hashable:
    """What tells a prompt or an attempt, by value: a text of any length, or whatever JSON can say."""
    if value is None or type(value) is int or type(value) is bool:
        return value
    if isinstance(value, float):
        return None if math.isnan(value) else value
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=_refused)
    if len(text) <= _LONG and isinstance(value, str):
        return text
    return blake2b(text.encode(errors="surrogatepass"), digest_size=16).digest()


def _refused(_: object) -> object:
    raise TypeError("no plain value")


def _first(record: Mapping[str, Any], keys: tuple[str, ...]) -> Any:
    return next((record[key] for key in keys if record.get(key) is not None), None)
