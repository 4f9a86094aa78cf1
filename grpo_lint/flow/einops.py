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
    def split(self) -> tuple[str, str] | None:
        """The two names that the one axis in front is split into; what follows it must stay as it is."""
        match self.before:
            case ((outer, inner), *rest) if all(len(axis) == 1 for axis in rest):
                return outer, inner
            case _:
                return None

    @property
    def pair(self) -> tuple[str, str] | None:
        """The names of both axes, where there are two."""
        match self.before:
            case ((outer,), (inner,)):
                return outer, inner
            case _:
                return None

    @property
    def rest(self) -> tuple[Axis, ...]:
        """The axes behind the first."""
        return self.before[1:]

    def is_row(self) -> bool:
        """`n -> 1 n`."""
        return len(self.before) == 1 and len(self.before[0]) == 1 and self.after == (_UNIT, self.before[0])

    def is_flattening(self) -> bool:
        """`p n -> (p n)`, in the order of the samples."""
        return all(len(axis) == 1 for axis in self.before) and self.after == (tuple(axis[0] for axis in self.before),)

    def keeps_order(self, names: tuple[str, str]) -> bool:
        """Whether these two axes stand in front on the right side, in this order, and all others behind them."""
        return self.after == ((names[0],), (names[1],), *self._others)

    def swaps_order(self, names: tuple[str, str]) -> bool:
        """The same with the two in the other order."""
        return self.after == ((names[1],), (names[0],), *self._others)

    def without(self, name: str, names: tuple[str, str]) -> bool | None:
        """Whether the axis of a name is kept with length one (True) or gone (False); None for any other change."""
        kept = tuple(_UNIT if each == name else (each,) for each in names)
        if self.after == (*kept, *self._others):
            return True
        return False if self.after == (*(axis for axis in kept if axis != _UNIT), *self._others) else None

    @property
    def _others(self) -> tuple[Axis, ...]:
        return () if self.pair else self.rest


def parse(text: str) -> Pattern | None:
    """Read a pattern; None for what has no arrow."""
    before, arrow, after = text.partition("->")
    return Pattern(_side(before), _side(after)) if arrow else None


def _side(text: str) -> tuple[Axis, ...]:
    found = [(grouped, single) for grouped, single in _GROUP.findall(text)]
    return tuple((single,) if single else tuple(grouped.split()) or _UNIT for grouped, single in found)
