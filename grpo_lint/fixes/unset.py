"""Puts a check before a group's access by an identity that may be None."""

from __future__ import annotations

import ast

from grpo_lint.fixes.normalisation import Refusal
from grpo_lint.fixes.tree import Tree
from grpo_lint.flow.facts import FunctionFacts
from grpo_lint.flow.unset_keys import UnsetKey
from grpo_lint.model import Edit, Fix, Range, Safety


def raise_if_unset(facts: FunctionFacts, key: UnsetKey) -> Fix:
    """The fix that raises an error for the first sample without an identity: code that ran may stop. Raises Refusal."""
    source, access = facts.module.source, key.grouping.node
    if not facts.owns(access):
        raise Refusal("the rewards are grouped in a helper")
    if key.grouping.key is None or not isinstance(access, ast.Subscript | ast.Call) or _is_mask(key):
        raise Refusal("the samples are selected by a mask, and no place is left to look at each of them")
    tree = Tree.of(facts.function)
    statement = tree.statement(access)
    line = source.line(statement.lineno)
    indent = line[: len(line) - len(line.lstrip())]
    if statement not in tree.blocks or line[: source.range(statement).start.column - 1].strip():
        raise Refusal(f"the access on line {statement.lineno} does not begin a line")
    unit = "\t" if indent.startswith("\t") else "    "
    tested = source.segment(key.grouping.key)
    if "\n" in tested or "\r" in tested:
        raise Refusal("the key stands on several lines")
    lines = [f"if {tested} is None:", f"{indent}{unit}raise ValueError({_message(tree, key)})", indent]
    start = source.range(statement).start
    message = f"raise an error where `{ast.unparse(key.read)}` is None"
    return Fix(Safety.UNSAFE, message, (Edit(Range(start, start), source.newline.join(lines)),))


def _is_mask(key: UnsetKey) -> bool:
    return isinstance(key.grouping.node, ast.Subscript) and key.grouping.node.slice is not key.grouping.key


def _message(tree: Tree, key: UnsetKey) -> str:
    """An f-string that names the sample: by its position where that is counted, else by itself."""
    for loop in tree.ancestors(key.grouping.node):
        match loop:
            case ast.For(
                target=ast.Tuple(elts=[ast.Name(id=position), *_]), iter=ast.Call(func=ast.Name(id="enumerate"))
            ):
                return f'f"sample {{{position}}} has no {key.attribute}"'
    match key.read:
        case ast.Attribute(value=ast.Name(id=sample)) | ast.Call(args=[ast.Name(id=sample), *_]):
            return f'f"no {key.attribute}: {{{sample}!r}}"'
        case ast.Attribute(value=ast.Subscript(value=ast.Name(), slice=ast.Name(id=position))):
            return f'f"sample {{{position}}} has no {key.attribute}"'
        case ast.Call(func=ast.Attribute(value=ast.Name(id=sample))):
            return f'f"no {key.attribute}: {{{sample}!r}}"'
        case _:
            raise Refusal("nothing beside the key names the sample that lacks it")
