"""Contracts of one file, put to it: the file is read and its functions are looked at once for all of them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from grpo_lint.contracts.call_site import Breach, CallSite, ContractError
from grpo_lint.contracts.checking import breaches_of
from grpo_lint.contracts.effects import Orders
from grpo_lint.contracts.entries import entry_name
from grpo_lint.contracts.unit import Unit
from grpo_lint.model import Finding
from grpo_lint.project import Cache, Project
from grpo_lint.source import Source


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What one contract comes to: its breaches, or the `error` for which it cannot be checked."""

    number: int
    site: CallSite
    breaches: tuple[Breach, ...] = ()
    error: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class CallSites:
    """What a file's contracts come to, in the order of their entries."""

    outcomes: tuple[Outcome, ...]

    @classmethod
    def of(
        cls,
        sites: Iterable[tuple[int, CallSite]],
        source: Source,
        tree: ast.Module,
        findings: Callable[[], Sequence[Finding]],
        cache: Cache,
    ) -> CallSites:
        """Check contracts of a file. `findings` gives what rules about functions report in it, suppressed or not."""
        orders = Orders.of_unit(Unit.of(source, tree, Project.for_file(Path(source.path), cache)))
        return cls(tuple(_outcome(number, site, orders, findings) for number, site in sites))

    @property
    def breaches(self) -> tuple[tuple[str, Breach], ...]:
        """The breaches, each once, with the name of the first entry that has it."""
        found: dict[Breach, str] = {}
        for outcome in self.outcomes:
            for breach in outcome.breaches:
                found.setdefault(breach, entry_name(outcome.number))
        return tuple((entry, breach) for breach, entry in found.items())

    @property
    def errors(self) -> tuple[str, ...]:
        """What is wrong with the contracts that cannot be checked, each with its entry's name."""
        return tuple(
            f"{entry_name(outcome.number, outcome.site)}: {outcome.error}"
            for outcome in self.outcomes
            if outcome.error is not None
        )


def _outcome(number: int, site: CallSite, orders: Orders, findings: Callable[[], Sequence[Finding]]) -> Outcome:
    try:
        return Outcome(number, site, breaches_of(site, orders, findings() if site.absent else ()))
    except ContractError as error:
        return Outcome(number, site, error=str(error))
