"""Questions to values: what they were made of, what they may come to, which shape they have.

Values share their parts, and branches share values, so every walk visits each value once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from grpo_lint.flow.values import (
    Altered,
    Centred,
    Choice,
    Element,
    Enlarged,
    Flat,
    Grouping,
    LeaveOneOut,
    Listed,
    Row,
    Scale,
    Scaled,
    Several,
    Statistic,
    Value,
    Vector,
)


def parts(value: Value) -> tuple[Value, ...]:
    """The values that a value was made of."""
    match value:
        case Grouping(of=of) | Statistic(of=of) | Flat(of=of) | Listed(of=of) | Altered(of=of):
            return (of,)
        case Row(of=of) | Element(of=of) | Enlarged(values=of):
            return (of,)
        case Scale(std=std):
            return (std,)
        case LeaveOneOut(total=total, values=values):
            return (total, values)
        case Centred(values=values, baseline=baseline):
            return (values, baseline)
        case Scaled(values=values, scale=scale):
            return (values, scale)
        case Choice(then=then, orelse=orelse):
            return (then, orelse)
        case Several(items=items):
            return items
        case _:
            return ()


def walk(value: Value, below: Callable[[Value], tuple[Value, ...]] = parts) -> Iterator[Value]:
    """A value and all that `below` leads to, each once, in the order of the code."""
    seen: set[int] = set()
    stack = [value]
    while stack:
        current = stack.pop()
        if id(current) not in seen:
            seen.add(id(current))
            yield current
            stack.extend(reversed(below(current)))


def _choices(value: Value) -> tuple[Value, ...]:
    return (value.then, value.orelse) if isinstance(value, Choice) else ()


def alternatives(value: Value) -> tuple[Value, ...]:
    """What a choice may come to; the value itself if it is none."""
    if not isinstance(value, Choice):
        return (value,)
    return tuple(found for found in walk(value, _choices) if not isinstance(found, Choice))


def map_alternatives(value: Value, change: Callable[[Value], Value]) -> Value:
    """The same choices between changed values; what is shared stays shared, and what does not change stays itself."""
    if not isinstance(value, Choice):
        return change(value)
    made: dict[int, Value] = {}
    stack: list[Value] = [value]
    while stack:
        current = stack[-1]
        missing = [part for part in _choices(current) if id(part) not in made]
        if missing:
            stack += missing
            continue
        stack.pop()
        if isinstance(current, Choice):
            made[id(current)] = _rebuilt(current, made[id(current.then)], made[id(current.orelse)])
        else:
            made[id(current)] = change(current)
    return made[id(value)]


def _rebuilt(choice: Choice, then: Value, orelse: Value) -> Value:
    is_same = then is choice.then and orelse is choice.orelse
    return choice if is_same else replace(choice, then=then, orelse=orelse)


def vectors(value: Value) -> tuple[Vector, ...]:
    """The reward vectors that a value was made of."""
    return tuple(found for found in walk(value) if isinstance(found, Vector))


def groupings(value: Value) -> tuple[Grouping, ...]:
    """The groupings that a value was made of."""
    return tuple(found for found in walk(value) if isinstance(found, Grouping))


def share_origin(one: Value, other: Value) -> bool:
    """Whether two values are about the same rewards."""
    origins = {id(vector.origin) for vector in vectors(one)}
    return any(id(vector.origin) in origins for vector in vectors(other))


def _same_rewards(value: Value) -> tuple[Value, ...]:
    return (value.of,) if isinstance(value, Listed | Altered) else _choices(value)


_REWARDS = (Vector, Grouping, Row, Centred, Scaled, Enlarged, Flat)
_WRAPPERS = (Choice, Listed, Altered)


def is_reward_like(value: Value) -> bool:
    """Whether a value is rewards in some form: raw, grouped, centred or scaled; not a statistic of them."""
    if not isinstance(value, _WRAPPERS):
        return isinstance(value, _REWARDS)
    return any(isinstance(part, _REWARDS) for part in walk(value, _same_rewards))


def _same_shape(value: Value) -> tuple[Value, ...]:
    match value:
        case Centred(values=values) | Scaled(values=values) | Enlarged(values=values):
            return (values,)
        case Altered(of=of, keeps_shape=True):
            return (of,)
        case _:
            return _choices(value)


def layouts(value: Value) -> tuple[Grouping, ...]:
    """The groupings whose shape, (P, n), a value has."""
    return tuple(part for part in walk(value, _same_shape) if isinstance(part, Grouping))


def is_grouped(value: Value) -> bool:
    """Whether a value has the grouped shape, (P, n), in at least one alternative."""
    return any(isinstance(part, Grouping) for part in walk(value, _same_shape))


def has_rows(value: Value) -> bool:
    """Whether the rows of a value are groups: (P, n) in every alternative."""
    found = [_bare(part) for part in alternatives(value)]
    return bool(found) and all(
        bool(grids := layouts(part)) and all(grid.axis == 1 and grid.rank == 2 for grid in grids) for part in found
    )


def _bare(value: Value) -> Value:
    return _bare(value.of) if isinstance(value, Listed) else value
