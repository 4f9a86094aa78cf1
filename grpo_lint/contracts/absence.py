"""Why a function has no call of what it must call: another thing of that name, a call that never runs, or none."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from grpo_lint.contracts.call_site import Breach
from grpo_lint.contracts.calls import Calls, Search
from grpo_lint.contracts.names import Meaning
from grpo_lint.contracts.scopes import FUNCTIONS, own_nodes
from grpo_lint.contracts.subject import Subject
from grpo_lint.contracts.unit import Frame
from grpo_lint.flow.nodes import walk_nodes


def reasons_for_absence(subject: Subject, search: Search, calls: Calls) -> list[Breach]:
    """What stands where the call should."""
    frame = calls.run.frame
    found = [*_other_calls(subject, calls), *_dead_calls(subject, search, frame)]
    wanted = "".join(f" with `{name}={text}`" for name, text in subject.site.arguments)
    wanted = wanted if len(subject.site.arguments) == 1 else ""
    text = f"`{subject.site.function}` does not call `{subject.site.calls}`{wanted}"
    return found or [subject.breach(frame.function, text)]


def _other_calls(subject: Subject, calls: Calls) -> Iterator[Breach]:
    """The calls that look like one of the target."""
    for call, meanings in calls.every_other():
        if [meaning.name for meaning in meanings] == [subject.site.calls]:
            continue  # said to be defined nowhere
        what = " or ".join(map(_told, meanings)) or "not known"
        text = f"`{ast.unparse(call.func)}` is {what} here, and must be `{subject.site.calls}`"
        yield subject.breach(call.func, text)


def _told(meaning: Meaning) -> str:
    package, _, name = meaning.name.rpartition(".")
    if package == "builtins" and name not in vars(builtins):
        return "not imported"
    return meaning.name if " " in meaning.name or meaning.name.startswith("`") else f"`{meaning.name}`"


def _dead_calls(subject: Subject, search: Search, frame: Frame) -> Iterator[Breach]:
    """The calls of the target that never run."""
    for node in walk_nodes(frame.function):
        if isinstance(node, ast.Call):
            inner = _frame_of(node, frame)
            if search.is_target(search.names.meanings(node.func, inner)):
                text = f"this call of `{subject.site.callee}` never runs: it stands {_reason(node, inner, frame)}"
                yield subject.breach(node, text)


def _frame_of(node: ast.AST, frame: Frame) -> Frame:
    """The innermost function around a node of a function."""
    for each in own_nodes(frame.body):
        if isinstance(each, FUNCTIONS) and _contains(each, node):
            return _frame_of(node, frame.unit.frame(each, None, frame))
    return frame


def _reason(node: ast.AST, inner: Frame, frame: Frame) -> str:
    for around in (inner, frame):
        for dead, reason in around.dead.items():
            if _contains(dead, node):
                return reason
    return f"in `{inner.name}`, which nothing calls" if inner is not frame else "where nothing leads to"


def _contains(outer: ast.AST, inner: ast.AST) -> bool:
    return any(node is inner for node in walk_nodes(outer))
