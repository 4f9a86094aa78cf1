"""Groups by an identity that a sample may lack, where nothing looks whether it does."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from grpo_lint.flow.declared import identity_of, is_declared_optional, read_behind
from grpo_lint.flow.facts import FunctionFacts
from grpo_lint.flow.lineage import names_behind, resolved
from grpo_lint.flow.nodes import walk_nodes
from grpo_lint.flow.values import Grouping
from grpo_lint.flow.vocabulary import tokens

_CHECKS = frozenset("check checks validate validated ensure assert require verify assign fill set add populate".split())


@dataclass(frozen=True, slots=True, eq=False)
class UnsetKey:
    """A grouping by `read`, the identity `attribute` of a sample, which may be None."""

    grouping: Grouping
    read: ast.expr
    attribute: str


def unset_keys(facts: FunctionFacts) -> Iterator[UnsetKey]:
    """The groupings by an identity that may be None, unchecked."""
    for grouping in facts.groups_by_key():
        if grouping.key is None:
            continue
        read = read_behind(grouping.key, facts)
        identity = identity_of(read)
        if identity is None or not _may_be_none(read, identity, facts):
            continue
        if not _is_checked(grouping.key, read, identity, facts):
            yield UnsetKey(grouping, read, identity)


def _may_be_none(read: ast.expr, identity: str, facts: FunctionFacts) -> bool:
    match read:
        case ast.Attribute(value=owner) | ast.Call(func=ast.Name(), args=[owner, _]):
            return is_declared_optional(owner, identity, facts)
        case ast.Call(args=[*_, ast.Constant(value=None)]):
            return True
        case ast.Call(func=ast.Attribute(), args=[_]):
            return True
        case _:
            return False


def _is_checked(key: ast.expr, read: ast.expr, identity: str, facts: FunctionFacts) -> bool:
    """Whether anything compares the identity with None, asks for its truth, sets it, or is named for checking it."""
    names = {node.id for part in (key, read) for node in walk_nodes(part) if isinstance(node, ast.Name)}
    own = {part.id for part in walk_nodes(key) if isinstance(part, ast.Name)} if isinstance(key, ast.Name) else set()
    around = facts.nodes_around(key)
    for node in around:
        match node:
            case ast.Compare(comparators=[*_, ast.Constant(value=None)]) | ast.Compare(left=ast.Constant(value=None)):
                if _mentions(node, identity, own) or _asks_for_none_in(node):
                    return True
            case ast.Call(func=ast.Attribute(attr="count" | "pop" | "index"), args=[ast.Constant(value=None), *_]):
                return True
            case ast.If(test=test) | ast.IfExp(test=test) | ast.Assert(test=test):
                if any(_mentions(resolved(part, facts.loads), identity, own) for part in _asked(test)):
                    return True
            case ast.comprehension(ifs=conditions):
                if any(_mentions(part, identity, own) for test in conditions for part in _asked(test)):
                    return True
            case ast.Attribute(attr=attribute, ctx=ast.Store()) if attribute == identity:
                return True
            case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name), args=[_, *_]):
                is_check = not _CHECKS.isdisjoint(tokens(name)) and name not in ("setdefault", "set", "add")
                if is_check and not names.isdisjoint(_names_in(node, around, facts)):
                    return True
    return False


def _asks_for_none_in(test: ast.Compare) -> bool:
    """`None in keys`, `None not in groups`: of whatever list, set or dict."""
    is_none = isinstance(test.left, ast.Constant) and test.left.value is None
    return is_none and any(isinstance(op, ast.In | ast.NotIn) for op in test.ops)


def _names_in(call: ast.Call, around: list[ast.AST], facts: FunctionFacts) -> frozenset[str]:
    """The names in a call's arguments, and the elements of what is handed on."""
    found = frozenset[str]().union(*(names_behind(argument, facts.loads) for argument in call.args))
    for node in around:
        match node:
            case ast.For(target=target, iter=iterated) | ast.comprehension(target=target, iter=iterated):
                if any(isinstance(part, ast.Name) and part.id in found for part in walk_nodes(iterated)):
                    found |= {part.id for part in walk_nodes(target) if isinstance(part, ast.Name)}
    return found


def _asked(test: ast.expr) -> Iterator[ast.expr]:
    """The expressions whose truth a test asks for."""
    match test:
        case ast.BoolOp(values=values):
            for value in values:
                yield from _asked(value)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield from _asked(operand)
        case ast.Call(
            func=ast.Name(id="all" | "any"), args=[ast.GeneratorExp(elt=element) | ast.ListComp(elt=element)]
        ):
            yield from _asked(element)
        case ast.Call(func=ast.Name(id="all" | "any"), args=[ast.Name() as values]):
            yield values
        case ast.Attribute() | ast.Name() | ast.Call(func=ast.Name(id="getattr") | ast.Attribute(attr="get")):
            yield test


def _mentions(node: ast.AST, identity: str, names: set[str]) -> bool:
    for part in walk_nodes(node):
        match part:
            case ast.Attribute(attr=name) | ast.Constant(value=str(name)) if name == identity:
                return True
            case ast.Name(id=name) if name in names:
                return True
    return False
