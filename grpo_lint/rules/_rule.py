"""What a rule is: one value that describes it, beside one function that checks."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grpo_lint.flow.exposed import ExposedSpread
    from grpo_lint.flow.facts import FunctionFacts, Step
    from grpo_lint.flow.unset_keys import UnsetKey
    from grpo_lint.flow.values import Grouping
    from grpo_lint.model import Fix, Range
    from grpo_lint.suppress.comments import Comments

    Exposed = ExposedSpread | UnsetKey


@dataclass(frozen=True, slots=True)
class Report:
    """What a check yields: the node to point at, what to say, and on what evidence besides that node.

    `grouping` is what a repair would lift, `exposed` what it would guard, if anything.
    """

    node: ast.expr
    message: str
    evidence: tuple[Step, ...] = ()
    grouping: Grouping | None = None
    exposed: Exposed | None = None


@dataclass(frozen=True, slots=True)
class Remark:
    """What a check of comments yields: the place, what to say, and its fix or the reason for none."""

    range: Range
    message: str
    fix: Fix | None = None
    fix_reason: str | None = None


class Subject(Enum):
    """What a rule's check looks at: a function's facts, or a file's comments once the other rules are through."""

    FUNCTION = "function"
    COMMENTS = "comments"


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
    subject: Subject = Subject.FUNCTION
    on_request: bool = False


Check = Callable[["FunctionFacts"], Iterator[Report]]
CommentCheck = Callable[["Comments"], Iterator[Remark]]
