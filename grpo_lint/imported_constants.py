"""Constants that a file imports from other modules of its project: read where they are assigned, never executed."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grpo_lint.flow.constants import LookUp
    from grpo_lint.project import Cache
    from grpo_lint.project.modules import Module, Resolver
    from grpo_lint.source import Source


def look_up_in(source: Source, tree: ast.Module, cache: Callable[[], Cache] | None) -> LookUp:
    """What gives the expressions of a file's imported constants. The project is sought with the first of them."""

    @lru_cache(maxsize=1)
    def surroundings() -> tuple[Resolver, Module | None]:
        from grpo_lint.project import Project

        project = Project.for_file(Path(source.path), None if cache is None else cache())
        return project.resolver, project.module(tree=tree)

    def look_up(node: ast.expr) -> ast.expr | None:
        from grpo_lint.project.modules import Definition

        resolver, module = surroundings()
        match None if module is None else resolver.resolve(node, module):
            case Definition(node=ast.expr() as value):
                return value
            case _:
                return None

    return look_up
