"""The codebase around one file."""

from __future__ import annotations

import ast
from collections.abc import Set
from dataclasses import dataclass, field
from pathlib import Path

from grpo_lint.project.annotations import Element, Reader, is_proven
from grpo_lint.project.classes import ClassReference, attributes_of
from grpo_lint.project.functions import Candidate, find_functions, module_name
from grpo_lint.project.modules import Cache, Definition, Module, Resolver, file_of, parse_module, read_module
from grpo_lint.project.roots import Parties, parties, source_roots
from grpo_lint.syntax import parse_expression


@dataclass(frozen=True, slots=True)
class Project:
    """The codebase around `path`. Files that share a `cache` are read once for all of them."""

    path: Path
    roots: tuple[Path, ...]
    cache: Cache = field(default_factory=Cache)

    @classmethod
    def for_file(cls, path: Path | str, cache: Cache | None = None) -> Project:
        """The project of a file, which need not exist. Give the run's cache where there is one."""
        absolute = Path(path).absolute()
        return cls(absolute, source_roots(absolute), Cache() if cache is None else cache)

    @property
    def resolver(self) -> Resolver:
        return Resolver(self.roots, self.cache)

    def module(self, path: Path | str | None = None, tree: ast.Module | None = None) -> Module | None:
        """A module by its path (the project's own file by default), or of a tree that is already parsed."""
        absolute = self.path if path is None else Path(path).absolute()
        return read_module(absolute, self.cache) if tree is None else parse_module(absolute, tree)

    def name_of(self, path: Path | str | None = None) -> str | None:
        """The absolute dotted name of a file's module."""
        return module_name(self.path if path is None else Path(path).absolute(), self.roots)

    @property
    def package(self) -> str:
        """The dotted name of the package that the file's relative imports start from; empty outside of packages."""
        name = self.name_of() or ""
        return name if self.path.name == "__init__.py" else name.rpartition(".")[0]

    def resolve_module(self, dotted: str) -> Path | None:
        """The file of a module by its absolute name."""
        place = self.resolver.find_module(dotted)
        return None if place is None else file_of(place.base)

    def find_class(self, module: Module | Path, name: str) -> ClassReference | None:
        """The class that a name (or `Outer.Inner`, or `package.module.Name`) of a module stands for."""
        home = module if isinstance(module, Module) else read_module(module.absolute(), self.cache)
        if home is None:
            return None
        match self.resolver.resolve(parse_expression(name), home):
            case Definition(node=ast.ClassDef() as node, module=found):
                return ClassReference(node, found)
        return None

    def declares(self, reference: ClassReference, attribute: str) -> bool:
        """Whether a class, or a class that it inherits from, declares an attribute of its instances."""
        found = attributes_of(reference, self.resolver)
        return attribute in found.names - found.methods

    def element_classes(self, annotation: ast.expr, module: Module) -> tuple[Element, ...]:
        """The alternatives for the elements of a sequence with this annotation."""
        return tuple(dict.fromkeys(Reader(self.resolver, module).elements(annotation)))

    def proves_attribute(
        self, annotation: ast.expr, reads: Set[str], module: Module, attribute: str = "group_index"
    ) -> bool:
        """Whether the elements that have all that the code reads are certain to declare the attribute."""
        return is_proven(self.element_classes(annotation, module), reads, attribute)

    def find_function(self, name: str) -> tuple[Candidate, ...]:
        """The top-level functions of that name in the project, in the order in which to prefer them."""
        return find_functions(name, self.roots, self.path, self.cache)

    def parties(self) -> Parties:
        """The names of first and third parties, for sorting imports."""
        return parties(self.path)
