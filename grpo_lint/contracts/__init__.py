"""Contracts of call sites: what a function must call, and how, checked on its source without importing it."""

from __future__ import annotations

from pathlib import Path

from grpo_lint.contracts.call_site import Breach, CallSite, ContractError, Result

__all__ = ["Breach", "CallSite", "ContractError", "Result", "check"]


def check(site: CallSite, root: Path | str) -> tuple[Breach, ...]:
    """The ways in which a contract does not hold in the project at `root`; none if it holds.

    Raises ContractError where it cannot be checked: the file is missing or no Python, the function is defined twice, an
    expression does not parse.
    """
    from grpo_lint.contracts.sources import breaches_in_file

    return breaches_in_file(site, Path(root))
