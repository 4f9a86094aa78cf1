"""The classes of a sequence's elements, from its annotation."""

from __future__ import annotations

import ast
import builtins
import collections
import collections.abc
from collections.abc import Iterator, Set
from dataclasses import dataclass

from grpo_lint.project.classes import ClassReference, attributes_of
from grpo_lint.project.modules import Definition, Module, Resolver
from grpo_lint.syntax import parse_expression

DEPTH = 20
TYPING_MODULES = frozenset({"typing", "typing_extensions", "collections", "collections.abc", "abc"})
WRAPPERS = frozenset({"Annotated", "Final", "ClassVar", "Required", "NotRequired", "ReadOnly"})
BUILTIN_NAMES = {
    "List": "list",
    "Tuple": "tuple",
    "Dict": "dict",
    "Set": "set",
    "FrozenSet": "frozenset",
    "Deque": "deque",
}
SEQUENCES = frozenset({
    "list", "tuple", "set", "frozenset", "deque", "Sequence", "MutableSequence", "Iterable", "Iterator", "Collection",
    "Container", "Reversible", "AbstractSet", "MutableSet", "Set", "Generator", "ValuesView",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Element:
    """One alternative of what the elements are.

    A class of the project has its `reference`; a builtin only its `name` and `attributes`; of anything else nothing
    is known (`is_known` is False). `is_open` where it may have attributes besides `attributes`.
    """

    name: str
    attributes: frozenset[str] = frozenset()
    reference: ClassReference | None = None
    is_known: bool = True
    is_open: bool = False
    methods: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads annotations of a module."""

    resolver: Resolver
    module: Module
    depth: int = 0

    def deeper(self, module: Module) -> Reader:
        return Reader(self.resolver, module, self.depth + 1)

    def elements(self, annotation: ast.expr) -> Iterator[Element]:
        """The alternatives for the elements of a sequence that is annotated so."""
        annotation = unquoted(annotation)
        if self.depth > DEPTH or is_none(annotation):
            return
        inner = self.deeper(self.module)
        alternatives = self.alternatives(annotation)
        if alternatives is not None:
            for alternative in alternatives:
                yield from inner.elements(alternative)
            return
        match annotation:
            case ast.Subscript(value=head, slice=argument) if self.known_name(head) in SEQUENCES:
                yield from self._of_items(argument, self.known_name(head) == "Generator")
            case ast.Subscript():
                yield unknown(annotation)
            case _:
                yield from self._of_alias(annotation)

    def _of_items(self, argument: ast.expr, is_generator: bool) -> Iterator[Element]:
        items = argument.elts if isinstance(argument, ast.Tuple) else [argument]
        for item in items[:1] if is_generator else items:
            if not (isinstance(item, ast.Constant) and item.value is ...):
                yield from self.deeper(self.module).classes(item)

    def _of_alias(self, annotation: ast.expr) -> Iterator[Element]:
        match self.resolver.resolve(annotation, self.module):
            case Definition(node=ast.expr() as value, module=module):
                yield from self.deeper(module).elements(value)
            case _:
                yield unknown(annotation)

    def classes(self, annotation: ast.expr) -> Iterator[Element]:
        """The alternatives for a value that is annotated so."""
        annotation = unquoted(annotation)
        if self.depth > DEPTH:
            return
        alternatives = self.alternatives(annotation)
        if alternatives is not None:
            for alternative in alternatives:
                yield from self.deeper(self.module).classes(alternative)
        elif is_none(annotation):
            yield builtin("None", type(None))
        else:
            yield from self._of_class(annotation)

    def _of_class(self, annotation: ast.expr) -> Iterator[Element]:
        head = annotation.value if isinstance(annotation, ast.Subscript) else annotation
        match self.resolver.resolve(head, self.module):
            case Definition(node=ast.ClassDef() as node, module=module):
                found = attributes_of(ClassReference(node, module), self.resolver)
                reference = ClassReference(node, module)
                yield Element(node.name, found.names, reference, is_open=found.is_open, methods=found.methods)
            case Definition(node=ast.expr() as value, module=module) if head is annotation:
                yield from self.deeper(module).classes(value)
            case _:
                yield self._builtin(head)

    def _builtin(self, head: ast.expr) -> Element:
        name = self.known_name(head)
        for home in (builtins, collections, collections.abc):
            value = getattr(home, name, None)
            if name != "object" and isinstance(value, type):
                return builtin(name, value)
        return unknown(head)

    def alternatives(self, annotation: ast.expr) -> list[ast.expr] | None:
        """The parts of a union, or the one inside a wrapper; None for any other annotation."""
        match annotation:
            case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                return [left, right]
            case ast.Subscript(value=head, slice=argument):
                items = argument.elts if isinstance(argument, ast.Tuple) else [argument]
                name = self.known_name(head)
                if name == "Union":
                    return items
                if name == "Optional":
                    return [*items, ast.Constant(None)]
                return items[:1] if name in WRAPPERS else None
        return None

    def known_name(self, head: ast.expr) -> str:
        """The name of a builtin or of a class of `typing` and `collections`; empty where it is something else."""
        match head:
            case ast.Name(id=name):
                imported = self._imported_from_typing(name)
                if name in self.module.bindings and imported is None:
                    return ""
                return BUILTIN_NAMES.get(imported or name, imported or name)
            case ast.Attribute(attr=name, value=owner) if self._is_typing(owner):
                return BUILTIN_NAMES.get(name, name)
        return ""

    def _imported_from_typing(self, name: str) -> str | None:
        for bound in self.module.bindings.get(name, ()):
            match bound:
                case ast.expr():
                    return None
                case _ if getattr(bound, "module", None) in TYPING_MODULES:
                    return str(getattr(bound, "name", None) or "") or None
        return None

    def _is_typing(self, owner: ast.expr) -> bool:
        dotted = ast.unparse(owner)
        top, _, rest = dotted.partition(".")
        modules = [getattr(bound, "module", "") for bound in self.module.bindings.get(top, ())]
        return any(f"{module}.{rest}".rstrip(".") in TYPING_MODULES for module in modules)


def is_proven(elements: Set[Element] | tuple[Element, ...], reads: Set[str], attribute: str) -> bool:
    """Whether all alternatives that have what the code reads declare the attribute, and at least one remains."""
    remaining = [element for element in elements if not is_excluded(element, reads)]
    return bool(remaining) and all(
        attribute in element.attributes and attribute not in element.methods for element in remaining
    )


def is_excluded(element: Element, reads: Set[str]) -> bool:
    """Whether the elements cannot be these: they lack an attribute that the code reads."""
    return element.is_known and not element.is_open and not reads <= element.attributes


def builtin(name: str, value: type) -> Element:
    return Element(name, frozenset(dir(value)))


def unknown(annotation: ast.expr) -> Element:
    return Element(ast.unparse(annotation), is_known=False, is_open=True)


def is_none(annotation: ast.expr) -> bool:
    return isinstance(annotation, ast.Constant) and annotation.value is None


def unquoted(annotation: ast.expr) -> ast.expr:
    """A quoted annotation's expression."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        try:
            return parse_expression(annotation.value.strip())
        except (SyntaxError, ValueError, RecursionError):
            return annotation
    return annotation
