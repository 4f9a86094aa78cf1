"""What a rule is: one value that describes it, beside one function that checks."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from grpo_lint.subjects import FUNCTIONS, Subject

if TYPE_CHECKING:
    from grpo_lint.flow.facts import FunctionFacts, Step
    from grpo_lint.flow.values import Grouping
    from grpo_lint.model import Fix, Mark, Range
    from grpo_lint.project import Cache

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Report:
    """What a check yields: the node to point at, what to say, and on what evidence besides that node.

    `grouping` is what a repair would lift, if anything. A fix that is no lift waits in `repair`, which raises `Refusal`
    where there is none.
    """

    node: ast.expr
    message: str
    evidence: tuple[Step, ...] = ()
    grouping: Grouping | None = None
    repair: Repair | None = None


@dataclass(frozen=True, slots=True)
class Remark:
    """What a check of any subject but functions yields: the place, what to say, and its fix or why there is none.

    A fix that must read other files of the project waits in `repair`, which raises `Refusal` where there is none.
    """

    range: Range
    message: str
    fix: Fix | None = None
    fix_reason: str | None = None
    evidence: tuple[Mark, ...] = ()
    repair: Repair | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule's identity and its demand on a file's bytes.

    `gate` holds regular expressions for bytes: a file can hold a finding only if each occurs in it. The words for
    rewards, which rules about functions demand besides, are not among them: they come from the vocabulary and the
    configuration. A rule that is `on_request` runs only where its exact code is selected.
    """

    code: str
    name: str
    summary: str
    gate: tuple[bytes, ...]
    fixable: bool = True
    preview: bool = False
    subject: Subject[object] = FUNCTIONS
    on_request: bool = False


Check = Callable[["FunctionFacts"], Iterator[Report]]
RemarkCheck = Callable[[T], Iterator[Remark]]
Repair = Callable[["Cache"], "Fix"]
