"""Checks contracts by themselves, from the files of a project."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence, Set
from functools import lru_cache
from pathlib import Path

from grpo_lint.contracts.call_site import Breach, CallSite, ContractError
from grpo_lint.contracts.call_sites import CallSites, Outcome
from grpo_lint.depth import TooDeep
from grpo_lint.model import Finding
from grpo_lint.project import Cache
from grpo_lint.source import Source


def breaches_in_file(site: CallSite, root: Path) -> tuple[Breach, ...]:
    """The breaches of a contract in its file below `root`. Raises ContractError."""
    (outcome,) = outcomes([(1, site)], root, Cache())
    if outcome.error is not None:
        raise ContractError(outcome.error)
    return outcome.breaches


def outcomes(sites: Iterable[tuple[int, CallSite]], root: Path, cache: Cache) -> Iterator[Outcome]:
    """What numbered contracts come to in their files below `root`, file by file; each is read once."""
    by_file: dict[str, list[tuple[int, CallSite]]] = {}
    for number, site in sites:
        by_file.setdefault(site.file, []).append((number, site))
    for file, group in by_file.items():
        yield from _outcomes_in(file, group, root, cache)


def _outcomes_in(file: str, sites: Sequence[tuple[int, CallSite]], root: Path, cache: Cache) -> Iterator[Outcome]:
    try:
        source, tree = read_source(file, root)
        absent = frozenset(code for _, site in sites for code in site.absent)
        findings = lru_cache(maxsize=1)(lambda: findings_in(source, tree, cache, absent))
        yield from CallSites.of(sites, source, tree, findings, cache).outcomes
    except ContractError as error:
        yield from (Outcome(number, site, error=str(error)) for number, site in sites)


def read_source(file: str, root: Path) -> tuple[Source, ast.Module]:
    """The text and tree of a file below `root`. Raises ContractError."""
    from grpo_lint.analysis import parse

    path = root / file
    try:
        source = Source.decode(str(path), path.read_bytes())
        return source, parse(source.text)
    except FileNotFoundError as error:
        raise ContractError(f"there is no file {file}") from error
    except OSError as error:
        raise ContractError(f"{file}: {error.strerror or error}") from error
    except SyntaxError as error:
        raise ContractError(f"{file}:{error.lineno}:{error.offset}: {error.msg}") from error
    except (ValueError, TooDeep, RecursionError, MemoryError) as error:
        raise ContractError(f"{file}: {error}") from error


def findings_in(source: Source, tree: ast.Module, cache: Cache, absent: Set[str]) -> tuple[Finding, ...]:
    """What rules about functions report in a file, under its configuration, selected or not, suppressed or not.

    Of rules in preview that is what those report that are selected, or whose codes are to be absent.

    Raises ContractError where the configuration cannot be used.
    """
    from grpo_lint.analysis import every_finding
    from grpo_lint.config import ConfigError, ConfigResolver
    from grpo_lint.rules import CODES

    try:
        config = ConfigResolver(CODES).for_folder(Path(source.path).absolute().parent)
    except ConfigError as error:
        raise ContractError(f"{error.path}: {error}") from error
    return every_finding(source, tree, config, lambda: cache, absent)
