"""The contracts that a configuration has of one file, put to it."""

from __future__ import annotations

import ast
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from grpo_lint.contracts.call_site import Breach, CallSite, ContractError
from grpo_lint.contracts.checking import breaches_of
from grpo_lint.contracts.effects import Orders
from grpo_lint.contracts.unit import Unit
from grpo_lint.model import Finding
from grpo_lint.project import Cache, Project
from grpo_lint.source import Source

if TYPE_CHECKING:
    from grpo_lint.config import Config


@dataclass(frozen=True, slots=True, eq=False)
class CallSites:
    """What a file's contracts come to: their breaches, each with its entry's name, and the `errors` of the others."""

    breaches: tuple[tuple[str, Breach], ...]
    errors: tuple[str, ...]

    @classmethod
    def of(
        cls,
        source: Source,
        tree: ast.Module,
        config: Config,
        findings: Sequence[Finding],
        cache: Cache,
    ) -> CallSites:
        """Check the contracts of a file. `findings` are what rules about functions report in it, suppressed or not."""
        sites = sites_of(source.path, config)
        orders = Orders.of_unit(Unit.of(source, tree, Project.for_file(Path(source.path), cache)))
        found: dict[Breach, str] = {}
        errors: list[str] = []
        for number, site in sites:
            try:
                for breach in breaches_of(site, orders, findings):
                    found.setdefault(breach, entry_name(number))
            except ContractError as error:
                errors.append(f"{entry_name(number, site)}: {error}")
        return cls(tuple((entry, breach) for breach, entry in found.items()), tuple(errors))


def sites_of(path: str, config: Config) -> list[tuple[int, CallSite]]:
    """The contracts that a configuration has of a file, with the numbers of their entries."""
    absolute = os.path.abspath(path)  # noqa: PTH100 - asked for every file
    return [
        (number, site)
        for number, site in enumerate(config.call_sites, 1)
        if isinstance(site, CallSite) and absolute.endswith(site.file) and absolute == _path(site, config)
    ]


def _path(site: CallSite, config: Config) -> str:
    return os.path.abspath(config.root / site.file)  # noqa: PTH100


def entry_name(number: int, site: CallSite | None = None) -> str:
    """How an error calls an entry of the configuration."""
    what = "" if site is None else f" ({site.file}::{site.function})"
    return f"call-sites, entry {number}{what}"


def entry_errors(config: Config) -> list[str]:
    """What is wrong with the entries of a configuration, whatever their files hold."""
    errors = []
    for number, site in enumerate(config.call_sites, 1):
        if not isinstance(site, CallSite):
            errors.append(f"{entry_name(number)}: {site.reason}")
        elif not os.path.isfile(_path(site, config)):  # noqa: PTH113
            errors.append(f"{entry_name(number, site)}: there is no file {site.file}")
    return errors
