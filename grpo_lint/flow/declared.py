"""What is declared of the samples that a function goes through: of their class, by the annotation of their sequence."""

from __future__ import annotations

import ast

from grpo_lint.flow.facts import Definition, FunctionFacts
from grpo_lint.flow.lineage import contents, definition_of, resolved
from grpo_lint.flow.vocabulary import is_identity

_UNIQUE = frozenset({"index", "indices"})  # of a sample, tells no prompt


def read_behind(key: ast.expr, facts: FunctionFacts) -> ast.expr:
    """The read of one sample's identity that a key, or each of a vector of keys, comes from."""
    node = contents(key, facts.loads)
    definition = definition_of(node, facts.loads)
    if definition is not None and isinstance(node, ast.Name):
        node = contents(zipped(node, definition) or node, facts.loads)
    if isinstance(node, ast.ListComp | ast.GeneratorExp):
        node = resolved(node.elt, facts.loads)
    return node


def identity_of(read: ast.expr) -> str | None:
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


def is_declared_optional(owner: ast.expr, identity: str, facts: FunctionFacts) -> bool:
    """Whether the class of a sample, or of the elements of the sequence that it comes from, allows None."""
    declarations = facts.module.declarations
    annotation, is_sequence = _annotation(owner, facts)
    if declarations is None or annotation is None:
        return False
    return declarations.may_be_none(annotation, is_sequence, _reads(owner, facts), identity)


def declares(owner: ast.expr, attribute: str, facts: FunctionFacts) -> bool:
    """Whether the class of a sample is certain to have an attribute."""
    declarations = facts.module.declarations
    annotation, is_sequence = _annotation(owner, facts)
    if declarations is None or annotation is None:
        return False
    return declarations.has_attribute(annotation, is_sequence, _reads(owner, facts), attribute)


def _reads(owner: ast.expr, facts: FunctionFacts) -> frozenset[str]:
    """The attributes that are read of a sample, under its name."""
    name = owner.id if isinstance(owner, ast.Name) else ""
    return frozenset(
        node.attr
        for node in facts.nodes_around(owner)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == name
    )


def _annotation(owner: ast.expr, facts: FunctionFacts) -> tuple[ast.expr | None, bool]:
    """The annotation of a sample, or of the sequence that it is an element of; whether it is the sequence's."""
    if isinstance(owner, ast.Subscript) and not isinstance(owner.slice, ast.Slice):  # `samples[i]`
        found = definition_of(resolved(owner.value, facts.loads), facts.loads)
        return _annotation_of(found), True
    definition = definition_of(owner, facts.loads)
    if definition is None or not isinstance(owner, ast.Name):
        return None, False
    if isinstance(definition.node, ast.arg | ast.AnnAssign):
        return definition.node.annotation, False
    sequence = _sequence(owner, definition)
    found = definition_of(resolved(sequence, facts.loads), facts.loads) if sequence is not None else None
    return _annotation_of(found), True


def _annotation_of(definition: Definition | None) -> ast.expr | None:
    is_annotated = definition is not None and isinstance(definition.node, ast.arg | ast.AnnAssign)
    return definition.node.annotation if is_annotated else None  # type: ignore[union-attr]


def _sequence(owner: ast.Name, definition: Definition) -> ast.expr | None:
    match definition.node:
        case ast.For(target=ast.Name(), iter=iterated) | ast.comprehension(target=ast.Name(), iter=iterated):
            return iterated
        case _:
            return zipped(owner, definition)


def zipped(name: ast.Name, definition: Definition) -> ast.expr | None:
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
