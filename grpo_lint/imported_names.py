"""Names that a file imports from other modules of its project: read where they are defined, never executed."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grpo_lint.flow.facts import Function
    from grpo_lint.project import Cache
    from grpo_lint.project.modules import Meaning, Module, Resolver
    from grpo_lint.source import Source


@dataclass(frozen=True)
class ImportedNames:
    """What the imported names of a file stand for. The project is sought with the first of them that is asked for."""

    source: Source
    tree: ast.Module
    cache: Callable[[], Cache] | None

    def expression(self, node: ast.expr) -> ast.expr | None:
        """What a constant of another module is given there."""
        from grpo_lint.project.modules import Definition

        match self._resolved(node):
            case Definition(node=ast.expr() as value):
                return value
            case _:
                return None

    def function(self, node: ast.expr) -> tuple[Function, ast.Module] | None:
        """The function of another module, with the tree of that module; none that a decorator may replace."""
        from grpo_lint.project.modules import Definition

        match self._resolved(node):
            case Definition(node=ast.FunctionDef(decorator_list=[]) as function, module=module):
                return None if module.path == Path(self.source.path).absolute() else (function, module.tree)
            case _:
                return None

    def _resolved(self, node: ast.expr) -> Meaning | None:
        resolver, module = self._surroundings
        return None if module is None else resolver.resolve(node, module)

    @cached_property
    def _surroundings(self) -> tuple[Resolver, Module | None]:
        from grpo_lint.project import Project

        project = Project.for_file(Path(self.source.path), None if self.cache is None else self.cache())
        return project.resolver, project.module(tree=self.tree)
