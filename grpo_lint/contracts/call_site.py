"""A contract: one value for configuration, tests and reports."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from grpo_lint.model import Range


class Result(Enum):
    """What must become of what the call gives."""

    RETURNED = "returned"
    USED = "used"


class ContractError(Exception):
    """Why a contract cannot be checked."""


@dataclass(frozen=True, slots=True)
class CallSite:
    """What one function must call.

    `file` is relative to the project's root, `function` a qualified name in it (`RolloutManager.post_process`), `calls`
    the dotted name of what is called. `arguments` pairs names of its parameters with expressions as the function would
    write them. Where `result` is None, what becomes of the call's value is not looked at. `absent` are the codes of
    rules that report nothing in the function.
    """

    file: str
    function: str
    calls: str
    arguments: tuple[tuple[str, str], ...] = ()
    result: Result | None = None
    absent: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.file}::{self.function}"

    @property
    def callee(self) -> str:
        """The last word of what is called."""
        return self.calls.rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class Breach:
    """One way in which a contract does not hold: the place, and what stands there instead."""

    range: Range
    message: str
