"""Checks a contract on its own, from the files of a project."""

from __future__ import annotations

import ast
from pathlib import Path

from grpo_lint.config import Config
from grpo_lint.contracts.call_site import Breach, CallSite, ContractError
from grpo_lint.contracts.checking import breaches_of
from grpo_lint.contracts.unit import Unit
from grpo_lint.depth import TooDeep
from grpo_lint.model import Finding
from grpo_lint.project import Cache, Project
from grpo_lint.source import Source


def breaches_in_file(site: CallSite, root: Path) -> tuple[Breach, ...]:
    """The breaches of a contract in its file below `root`. Raises ContractError."""
    source, tree = read_source(site.file, root)
    unit = Unit.of(source, tree, Project.for_file(source.path, Cache()))
    return breaches_of(site, unit, _findings(source, tree) if site.absent else ())


def read_source(file: str, root: Path) -> tuple[Source, ast.Module]:
    """The text and tree of a file below `root`. Raises ContractError."""
    from grpo_lint.analysis import parse

    path = root / file
    try:
        source = Source.decode(str(path), path.read_bytes())
        return source, parse(source.text)
    except OSError as error:
        raise ContractError(f"{file}: {error.strerror or error}") from error
    except (SyntaxError, ValueError, TooDeep, RecursionError, MemoryError) as error:
        raise ContractError(f"{file}: {error}") from error


def _findings(source: Source, tree: ast.Module) -> tuple[Finding, ...]:
    from grpo_lint.analysis import every_finding

    return every_finding(source, tree, Config())
