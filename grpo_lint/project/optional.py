"""What a class declares of an attribute of its instances: that there is one, that it may be None."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set

from grpo_lint.project.annotations import Reader, is_excluded, is_none, is_proven, unquoted
from grpo_lint.project.classes import ClassReference
from grpo_lint.project.modules import Definition, Module, Resolver
from grpo_lint.project.project import Project

_DEPTH = 10


def may_be_none(
    project: Project, module: Module, annotation: ast.expr, is_sequence: bool, reads: Set[str], attribute: str
) -> bool:
    """Whether a value, or the elements of a sequence, so annotated and read so may have None for an attribute.

    Alternatives that lack what is read are none. It is so if a class declares that; what is not declared, is not known.
    """
    reader = Reader(project.resolver, module)
    elements = reader.elements(annotation) if is_sequence else reader.classes(annotation)
    references = [
        each.reference for each in elements if each.reference is not None and not is_excluded(each, reads | {attribute})
    ]
    return any(_allows_none(each, project.resolver, attribute) for each in references)


def has_attribute(
    project: Project, module: Module, annotation: ast.expr, is_sequence: bool, reads: Set[str], attribute: str
) -> bool:
    """Whether all alternatives that have what is read declare an attribute, and at least one remains."""
    reader = Reader(project.resolver, module)
    elements = tuple(reader.elements(annotation) if is_sequence else reader.classes(annotation))
    return is_proven(elements, reads, attribute)


def _allows_none(reference: ClassReference, resolver: Resolver, attribute: str) -> bool:
    for node, module in _with_bases(reference, resolver):
        found = list(_declarations(node, attribute))
        if found:
            reader = Reader(resolver, module)
            return any(_is_optional(annotation, value, reader) for annotation, value in found)
    return False


def _with_bases(reference: ClassReference, resolver: Resolver, depth: int = 0) -> Iterator[tuple[ast.ClassDef, Module]]:
    """A class and those that it inherits from, in the order in which an attribute is sought."""
    yield reference.node, reference.module
    for base in reference.node.bases if depth < _DEPTH else ():
        expression = base.value if isinstance(base, ast.Subscript) else base
        match resolver.resolve(expression, reference.module):
            case Definition(node=ast.ClassDef() as node, module=module):
                yield from _with_bases(ClassReference(node, module), resolver, depth + 1)


def _declarations(node: ast.ClassDef, attribute: str) -> Iterator[tuple[ast.expr | None, ast.expr | None]]:
    """The annotation and the default of an attribute, in the class's body and in its `__init__`."""
    for statement in node.body:
        match statement:
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=value) if name == attribute:
                yield annotation, value
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name == attribute:
                yield None, value
            case ast.FunctionDef(name="__init__"):
                yield from _set_in_init(statement, attribute)


def _set_in_init(init: ast.FunctionDef, attribute: str) -> Iterator[tuple[ast.expr | None, ast.expr | None]]:
    for statement in ast.walk(init):
        match statement:
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)], value=ast.Name(id=given)):
                if name == attribute:
                    yield from _parameter(init.args, given)
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)], value=value):
                if name == attribute:
                    yield None, value
            case ast.AnnAssign(target=ast.Attribute(value=ast.Name(id="self"), attr=name), annotation=annotation):
                if name == attribute:
                    yield annotation, statement.value


def _parameter(arguments: ast.arguments, name: str) -> Iterator[tuple[ast.expr | None, ast.expr | None]]:
    plain = [*arguments.posonlyargs, *arguments.args]
    defaults: list[ast.expr | None] = [*([None] * (len(plain) - len(arguments.defaults))), *arguments.defaults]
    for argument, default in (
        *zip(plain, defaults, strict=True),
        *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
    ):
        if argument.arg == name:
            yield argument.annotation, default


def _is_optional(annotation: ast.expr | None, default: ast.expr | None, reader: Reader) -> bool:
    """An annotation that names None, or a default that is None, `field(default=None)` as well."""
    match default:
        case ast.Constant(value=None):
            return True
        case ast.Call(keywords=keywords) if any(
            keyword.arg == "default" and is_none(keyword.value) for keyword in keywords
        ):
            return True
    return annotation is not None and _names_none(unquoted(annotation), reader)


def _names_none(annotation: ast.expr, reader: Reader) -> bool:
    if is_none(annotation):
        return True
    return any(_names_none(unquoted(part), reader) for part in reader.alternatives(annotation) or ())
