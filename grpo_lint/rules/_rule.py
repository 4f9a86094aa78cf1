"""What a rule is: one value that describes it, beside one function that checks."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grpo_lint.flow.facts import FunctionFacts, Step
    from grpo_lint.flow.values import Grouping


@dataclass(frozen=True, slots=True)
class Report:
    """What a check yields: the node to point at, what to say, and on what evidence besides that node.

    `grouping` is what a repair would lift, if anything.
    """

    node: ast.expr
    message: str
    evidence: tuple[Step, ...] = ()
    grouping: Grouping | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule's identity and its demand on a file's bytes.

    `gate` holds regular expressions for bytes: a file can hold a finding only if each occurs in it. The words for
    rewards are not among them: they come from the vocabulary and the configuration.
    """

    code: str
    name: str
    summary: str
    gate: tuple[bytes, ...]
    fixable: bool = True
    preview: bool = False


Check = Callable[["FunctionFacts"], Iterator[Report]]
