"""Groups by an identity that a sample may lack, where nothing looks whether it does."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from grpo_lint.flow.facts import Definition, FunctionFacts
from grpo_lint.flow.lineage import contents, definition_of, names_behind, resolved
from grpo_lint.flow.nodes import walk_nodes
from grpo_lint.flow.values import Grouping
from grpo_lint.flow.vocabulary import is_identity, tokens

_UNIQUE = frozenset({"index", "indices"})  # of a sample, tells no prompt
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
        read = _read(grouping.key, facts)
        identity = _identity(read)
        if identity is None or not _may_be_none(read, identity, facts):
            continue
        if not _is_checked(grouping.key, read, identity, facts):
            yield UnsetKey(grouping, read, identity)


def _read(key: ast.expr, facts: FunctionFacts) -> ast.expr:
    """The read of one sample's identity that a key, or each of a vector of keys, comes from."""
    node = contents(key, facts.loads)
    definition = definition_of(node, facts.loads)
    if definition is not None and isinstance(node, ast.Name):
        node = contents(_zipped(node, definition) or node, facts.loads)
    if isinstance(node, ast.ListComp | ast.GeneratorExp):
        node = resolved(node.elt, facts.loads)
    return node


def _zipped(name: ast.Name, definition: Definition) -> ast.expr | None:
    """The list that a loop variable goes through beside others, in `zip` or `enumerate`."""
    match definition.node:
        case (
            ast.For(target=target, iter=ast.Call() as call) | ast.comprehension(target=target, iter=ast.Call() as call)
        ):
            pass
        case _:
            return None
    function = call.func.id if isinstance(call.func, ast.Name) else ""
    items = target.elts if isinstance(target, ast.Tuple) else []
    lists = {"zip": call.args, "enumerate": [call, *call.args]}.get(function, [])
    for item, iterated in zip(items, lists, strict=False):
        if isinstance(item, ast.Name) and item.id == name.id:
            return iterated if iterated is not call else None
    return None


def _identity(read: ast.expr) -> str | None:
    """The name of the identity that an expression reads off a sample."""
    match read:
        case ast.Attribute(attr=name, ctx=ast.Load()):
            pass
        case ast.Call(func=ast.Name(id="getattr"), args=[_, ast.Constant(value=str(name)), *_]):
            pass
        case ast.Call(func=ast.Attribute(attr="get"), args=[ast.Constant(value=str(name)), *_]):
            pass
        case _:
            return None
    return name if is_identity(name) and name not in _UNIQUE else None


def _may_be_none(read: ast.expr, identity: str, facts: FunctionFacts) -> bool:
    match read:
        case ast.Attribute(value=owner) | ast.Call(func=ast.Name(), args=[owner, _]):
            return _is_declared_optional(owner, identity, facts)
        case ast.Call(args=[*_, ast.Constant(value=None)]):
            return True
        case ast.Call(func=ast.Attribute(), args=[_]):
            return True
        case _:
            return False


def _is_declared_optional(owner: ast.expr, identity: str, facts: FunctionFacts) -> bool:
    """Whether the class of a sample, or of the elements of the sequence that it comes from, allows None."""
    if facts.module.may_be_none is None or not isinstance(owner, ast.Name):
        return False
    annotation, is_sequence = _annotation(owner, facts)
    if annotation is None:
        return False
    reads = frozenset(
        node.attr
        for node in walk_nodes(facts.function)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == owner.id
    )
    return facts.module.may_be_none(annotation, is_sequence, reads, identity)


def _annotation(owner: ast.Name, facts: FunctionFacts) -> tuple[ast.expr | None, bool]:
    """The annotation of a sample, or of the sequence that it is an element of; whether it is the sequence's."""
    definition = definition_of(owner, facts.loads)
    if definition is None:
        return None, False
    if isinstance(definition.node, ast.arg | ast.AnnAssign):
        return definition.node.annotation, False
    sequence = _sequence(owner, definition)
    found = definition_of(resolved(sequence, facts.loads), facts.loads) if sequence is not None else None
    is_annotated = found is not None and isinstance(found.node, ast.arg | ast.AnnAssign)
    return (found.node.annotation, True) if is_annotated else (None, False)  # type: ignore[union-attr]


def _sequence(owner: ast.Name, definition: Definition) -> ast.expr | None:
    match definition.node:
        case ast.For(target=ast.Name(), iter=iterated) | ast.comprehension(target=ast.Name(), iter=iterated):
            return iterated
        case _:
            return _zipped(owner, definition)


def _is_checked(key: ast.expr, read: ast.expr, identity: str, facts: FunctionFacts) -> bool:
    """Whether anything compares the identity with None, asks for its truth, sets it, or is named for checking it."""
    names = {node.id for part in (key, read) for node in walk_nodes(part) if isinstance(node, ast.Name)}
    own = {part.id for part in walk_nodes(key) if isinstance(part, ast.Name)} if isinstance(key, ast.Name) else set()
    for node in walk_nodes(facts.function):
        match node:
            case ast.Compare(comparators=[*_, ast.Constant(value=None)]) | ast.Compare(left=ast.Constant(value=None)):
                if _mentions(node, identity, own):
                    return True
            case ast.If(test=test) | ast.IfExp(test=test) | ast.Assert(test=test):
                if any(_mentions(part, identity, own) for part in _asked(test)):
                    return True
            case ast.comprehension(ifs=conditions):
                if any(_mentions(part, identity, own) for test in conditions for part in _asked(test)):
                    return True
            case ast.Attribute(attr=attribute, ctx=ast.Store()) if attribute == identity:
                return True
            case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name), args=[_, *_]):
                is_check = not _CHECKS.isdisjoint(tokens(name)) and name not in ("setdefault", "set", "add")
                if is_check and not names.isdisjoint(_names_in(node, facts)):
                    return True
    return False


def _names_in(call: ast.Call, facts: FunctionFacts) -> frozenset[str]:
    """The names in a call's arguments, and the elements of what is handed on."""
    found = frozenset[str]().union(*(names_behind(argument, facts.loads) for argument in call.args))
    for node in walk_nodes(facts.function):
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
