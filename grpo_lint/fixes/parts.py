"""Which values are steps of a normalisation, and which are its result."""

from __future__ import annotations

from grpo_lint.flow.traversal import alternatives, is_grouped, walk
from grpo_lint.flow.values import (
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
    Statistic,
    Value,
    Vector,
)

_NORMALISED = Centred | Scaled | Enlarged


def is_part(value: Value) -> bool:
    """Whether a value is a step of a normalisation, rather than something that was computed from one."""
    match value:
        case Statistic(of=Grouping(rank=1)):  # of the whole batch, or of what was picked from it
            return False
        case Grouping() | Statistic() | LeaveOneOut() | Centred() | Scaled() | Enlarged():
            return True
        case Scale(std=std):
            return is_part(std)
        case Flat(of=of) | Listed(of=of):
            return is_part(of)
        case Choice(then=then, orelse=orelse):
            return any(is_part(each) for each in (then, orelse)) and all(
                is_part(each) or isinstance(each, Vector) for each in (then, orelse)
            )
        case _:
            return False


def is_complete(value: Value) -> bool:
    """Whether values are normalised and one-dimensional."""
    match value:
        case Flat(of=of):
            return is_complete(of) or (is_part(of) and any(isinstance(each, _NORMALISED) for each in _deep(of)))
        case Listed(of=of):
            return is_complete(of)
        case Enlarged(over=None):
            return False
        case Centred() | Scaled() | Enlarged():
            return not is_grouped(value) and not is_piecemeal(value)
        case Choice(then=then, orelse=orelse):
            return is_complete(then) and is_complete(orelse)
        case _:
            return False


def is_piecemeal(value: Value) -> bool:
    """Whether values are one group's, or one sample's, at a time."""
    return any(isinstance(part, Row | Element) for part in walk(value))


def _deep(value: Value) -> tuple[Value, ...]:
    return alternatives(value.of) if isinstance(value, Flat | Listed) else alternatives(value)
