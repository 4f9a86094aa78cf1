"""Checks a contract on its own, from the files of a project."""

from __future__ import annotations

import ast
from pathlib import Path

from grpo_lint.config import Config
from grpo_lint.contracts.call_site import Breach, CallSite, ContractError
from grpo_lint.contracts.checking import breaches_of
from grpo_lint.contracts.effects import Orders
from grpo_lint.contracts.unit import Unit
from grpo_lint.depth import TooDeep
from grpo_lint.model import Finding
from grpo_lint.project import Cache, Project
from grpo_lint.source import Source


def breaches_in_file(site: CallSite, root: Path) -> tuple[Breach, ...]:
    """The breaches of a contract in its file below `root`. Raises ContractError."""
    source, tree = read_source(site.file, root)
    cache = Cache()
    orders = Orders.of_unit(Unit.of(source, tree, Project.for_file(source.path, cache)))
    findings = findings_of(source, tree, _config_of(source.path), cache) if site.absent else ()
    return breaches_of(site, orders, findings)


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


def findings_of(source: Source, tree: ast.Module, config: Config, cache: Cache) -> tuple[Finding, ...]:
    """What rules about functions report in a file, selected or not, suppressed or not."""
    from grpo_lint.analysis import every_finding

    return every_finding(source, tree, config, lambda: cache)


def _config_of(path: str) -> Config:
    """The configuration of a file; the defaults where it cannot be used, which is for a run of the linter to say."""
    from grpo_lint.config import ConfigError, ConfigResolver
    from grpo_lint.rules import CODES

    try:
        return ConfigResolver(CODES).for_folder(Path(path).absolute().parent)
    except ConfigError:
        return Config()
