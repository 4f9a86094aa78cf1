"""Patterns of einops: `"(p n) -> p n"` and its relatives, of one axis that holds all samples."""

from __future__ import annotations

import re
from dataclasses import dataclass

_GROUP = re.compile(r"\(([^()]*)\)|(\S+)")
_UNIT = ("1",)

Axis = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pattern:
    """The axes on both sides of an arrow; several names in one axis stood in parentheses, and `()` is `1`."""

    before: tuple[Axis, ...]
    after: tuple[Axis, ...]

    @property
    def is_split(self) -> bool:
        """Whether the first axis is split into two."""
        return len(self.before) > 0 and len(self.before[0]) == 2

    @property
    def names(self) -> tuple[str, str] | None:
        """The names of the two axes in front: of those that the first is split into, or of the first two."""
        match self.before:
            case ((outer, inner), *rest) | ((outer,), (inner,), *rest) if all(len(axis) == 1 for axis in rest):
                return outer, inner
            case _:
                return None

    @property
    def others(self) -> tuple[Axis, ...]:
        """The axes behind these two."""
        return self.before[1:] if self.is_split else self.before[2:]

    def is_row(self) -> bool:
        """`n -> 1 n`."""
        return len(self.before) == 1 and len(self.before[0]) == 1 and self.after == (_UNIT, self.before[0])

    def is_flattening(self) -> bool:
        """`p n -> (p n)`, in the order of the samples."""
        return all(len(axis) == 1 for axis in self.before) and self.after == (tuple(axis[0] for axis in self.before),)

    def keeps_order(self) -> bool:
        """Whether the two axes in front stay in front, in their order, and all others behind them."""
        return self.names is not None and self.after == (*((name,) for name in self.names), *self.others)

    def swaps_order(self) -> bool:
        """The same with the two in the other order."""
        return self.names is not None and self.after == (*((name,) for name in reversed(self.names)), *self.others)

    def without(self, axis: int) -> bool | None:
        """Whether one of the two is kept with length one (True) or gone (False); None for any other change."""
        if self.names is None:
            return None
        (other,) = (name for place, name in enumerate(self.names) if place != axis)
        kept = (_UNIT, (other,)) if axis == 0 else ((other,), _UNIT)
        if self.after == (*kept, *self.others):
            return True
        return False if self.after == ((other,), *self.others) else None


def parse(text: str) -> Pattern | None:
    """Read a pattern; None for what has no arrow."""
    before, arrow, after = text.partition("->")
    return Pattern(_side(before), _side(after)) if arrow else None


def _side(text: str) -> tuple[Axis, ...]:
    found = [(grouped, single) for grouped, single in _GROUP.findall(text)]
    return tuple((single,) if single else tuple(grouped.split()) or _UNIT for grouped, single in found)
