"""The entries of `call-sites` in a configuration: those of a file, and what is wrong with them whatever it holds.

Asked for every file, so nothing is imported that checks a contract.
"""

from __future__ import annotations

import os
from functools import lru_cache
from typing import TYPE_CHECKING

from grpo_lint.contracts.call_site import CallSite

if TYPE_CHECKING:
    from grpo_lint.config import Config


def sites_of(path: str, config: Config) -> list[tuple[int, CallSite]]:
    """The contracts that a configuration has of a file, with the numbers of their entries.

    A file that is found under the name of a link to it, or that an entry names by one, is the same file.
    """
    if not config.call_sites:
        return []
    real = os.path.realpath(path)
    return [
        (number, site)
        for number, site in enumerate(config.call_sites, 1)
        if isinstance(site, CallSite) and real == _real(_path(site, config))
    ]


@lru_cache(maxsize=1024)
def _real(path: str) -> str:
    """Where a path leads; asked for each entry and file, and looked up once."""
    return os.path.realpath(path)


def _path(site: CallSite, config: Config) -> str:
    return os.path.abspath(config.root / site.file)  # noqa: PTH100


def entry_name(number: int, site: CallSite | None = None) -> str:
    """How an error calls an entry of the configuration."""
    what = "" if site is None else f" ({site})"
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
