"""What the classes of a project declare, for a rule that asks: read when it is first asked for."""

from __future__ import annotations

import ast
from collections.abc import Callable, Set
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grpo_lint.project import Cache, Module, Project


@dataclass(frozen=True, slots=True, eq=False)
class ProjectDeclarations:
    """The declarations of the project around a file, whose own text is already parsed."""

    path: Path
    tree: ast.Module
    cache: Callable[[], Cache]

    def may_be_none(self, annotation: ast.expr, is_sequence: bool, reads: Set[str], attribute: str) -> bool:
        """Whether a value, or the elements of a sequence, so annotated and read so may have None for an attribute."""
        from grpo_lint.project.optional import may_be_none

        project, module = self._project()
        return module is not None and may_be_none(project, module, annotation, is_sequence, reads, attribute)

    def has_attribute(self, annotation: ast.expr, is_sequence: bool, reads: Set[str], attribute: str) -> bool:
        """Whether such a value, or such elements, are certain to declare an attribute."""
        from grpo_lint.project.optional import has_attribute

        project, module = self._project()
        return module is not None and has_attribute(project, module, annotation, is_sequence, reads, attribute)

    def _project(self) -> tuple[Project, Module | None]:
        from grpo_lint.project import Project

        project = Project.for_file(self.path, self.cache())
        return project, project.module(tree=self.tree)
