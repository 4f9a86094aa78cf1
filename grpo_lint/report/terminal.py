"""The terminal that standard output is, if it is one."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TextIO

_MIN_WIDTH = 40  # narrower, and frames would hold nothing but cuts


@dataclass(frozen=True, slots=True)
class Terminal:
    """A terminal's width in cells, and whether it can show more than ASCII."""

    width: int
    has_unicode: bool = True

    @classmethod
    def of(cls, stream: TextIO) -> Terminal:
        """The terminal behind a stream; COLUMNS says its width if it is set."""
        width = max(shutil.get_terminal_size().columns, _MIN_WIDTH)
        return cls(width, (stream.encoding or "ascii").lower().startswith("utf"))

    @staticmethod
    def takes_color(environment: Mapping[str, str]) -> bool:
        """Whether colour is welcome (https://no-color.org): a value of NO_COLOR, whatever it is, refuses it."""
        return not environment.get("NO_COLOR") and environment.get("TERM") != "dumb"
